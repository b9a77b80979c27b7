import { bubblewrapFault, findCommand, PROGRAMS } from "../../scripts/lib/system-package.mjs";

const bubblewrap = findCommand(PROGRAMS.bubblewrap.commands);

/** Whether agents' code can be confined here; else `describe.skipIf(!canSandbox)`. */
export const canSandbox = bubblewrap !== undefined && bubblewrapFault(bubblewrap) === undefined;

/** Path of the browser the end-to-end tests drive; undefined where there is none. */
export const chromiumPath: string | undefined = findCommand(PROGRAMS.chromium.commands);

/** Path of redis-server; undefined where there is none. */
export const redisServerPath: string | undefined = findCommand(PROGRAMS.redis.commands);
