import { defineAgent } from "openberth";

export default defineAgent({
  description: "Close reading: what one source says about one question.",
});
