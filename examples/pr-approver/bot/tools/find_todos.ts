import { defineTool } from "openberth/tools";
import { z } from "zod";

export default defineTool({
  description: "List the TODO comments in the files of the workspace.",
  execution: "agent",
  effect: "read",
  inputSchema: z.object({}),
  script: `#!/bin/sh
set -eu
cat > /dev/null
grep -rnI --exclude-dir=.git --exclude-dir=.berth 'TODO' . || echo "none"
`,
});
