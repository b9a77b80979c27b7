import { defineAgent } from "openberth";

export default defineAgent({
  // Built in and free of keys. Name a real model once one is set up: `berth models set`.
  model: "berth/offline",
});
