import { defineAgent } from "openberth";

export default defineAgent({
  description: "Reads a diff closely: mistakes, missing tests, and risks of the release.",
});
