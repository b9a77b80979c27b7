import { defineAgent } from "openberth";

export default defineAgent({
  model: { id: "grok-4.5", params: { effort: "high", fast: true } },
  hosting: {
    egressDomains: ["api.github.com"],
    secretNames: ["GITHUB_TOKEN", "GITHUB_WEBHOOK_SECRET"],
  },
  // Lets one person try it. Without this line, whoever asked cannot decide about the call.
  approvals: { self: true },
  limits: { steps: 40 },
});
