import { defineTool } from "openberth/tools";
import { z } from "zod";

export default defineTool({
  description: "Count the words of a draft in the workspace before it is sent.",
  execution: "agent",
  effect: "read",
  inputSchema: z.object({ file: z.string().describe("Path of the draft in the workspace") }),
  script: `#!/bin/sh
set -eu
file=$(sed -n 's/.*"file"[[:space:]]*:[[:space:]]*"\\([^"]*\\)".*/\\1/p')
wc -w < "$file"
`,
});
