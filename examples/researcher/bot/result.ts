import { defineResult } from "openberth";

export default defineResult({
  commit(text, ctx) {
    if (text.includes("TODO")) ctx.reject("a part of it is left to be done");
  },
});
