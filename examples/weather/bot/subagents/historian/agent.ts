import { defineAgent } from "openberth";

export default defineAgent({
  description: "Background on climate: usual seasons, records, and how cities compare.",
});
