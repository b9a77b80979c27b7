import { defineArtifacts } from "openberth/artifacts";

export default defineArtifacts({
  agentTool: true,
  kinds: {
    report: { description: "A finished answer with its sources.", retention: "90d" },
  },
});
