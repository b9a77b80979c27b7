import { defineAgent } from "openberth";

export default defineAgent({
  model: { id: "grok-4.5", params: { effort: "high", fast: true } },
  hosting: {
    egressDomains: ["api.github.com"],
    secretNames: ["GITHUB_TOKEN", "GITHUB_WEBHOOK_SECRET"],
  },
  limits: { steps: 40 },
});
