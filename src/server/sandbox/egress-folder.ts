import { chmod, chown, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { EgressRules } from "../../protocol/gateway-control";
import type { Gateway } from "../egress";
import { EGRESS_SOCKET } from "./bwrap-arguments";

export interface EgressFolder {
  path: string;
  socket: string;
  close(): Promise<void>;
}

/**
 * Makes a sandbox's folder with the gateway's socket in it. The gateway's user owns the folder, the
 * sandbox's group may enter it, nobody else.
 */
export async function openEgressFolder(
  gateway: Gateway,
  runDir: string,
  id: string,
  uid: number | undefined,
  rules: EgressRules,
): Promise<EgressFolder> {
  const path = join(runDir, id);
  await mkdir(path, { mode: 0o700 });
  if (gateway.uid !== undefined && uid !== undefined) {
    await chown(path, gateway.uid, uid);
    await chmod(path, 0o750);
  }
  const socket = join(path, EGRESS_SOCKET);
  await gateway.serve(id, socket, rules);
  return {
    path,
    socket,
    async close() {
      await gateway.drop(id);
      await rm(path, { recursive: true, force: true });
    },
  };
}
