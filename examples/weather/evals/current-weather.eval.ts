import { defineEval, includes } from "openberth/evals";

export default defineEval({
  description: "A question about now is answered from the tool.",
  async test(t) {
    await t.send("What is the weather in Lisbon?");
    t.succeeded();
    t.calledTool("get_weather", { input: { city: /lisbon/i } });
    t.check(t.reply, includes(/lisbon/i));
  },
});
