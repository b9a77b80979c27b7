import { defineTool } from "openberth/tools";

export default defineTool({
  description: "Counts the lines of a file of the workspace.",
  execution: "agent",
  effect: "read",
  inputSchema: {
    type: "object",
    properties: { path: { type: "string" } },
    required: ["path"],
  },
  script: `#!/usr/bin/env bash
set -euo pipefail
input=$(cat)
path=$(printf '%s' "$input" | sed -n 's/.*"path":"\\([^"]*\\)".*/\\1/p')
printf '{"path":"%s","lines":%d}\\n' "$path" "$(grep -c '' "$path")"
`,
});
