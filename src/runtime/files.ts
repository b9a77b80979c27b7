import type { HostCaller } from "./host-calls";

export interface Files {
  /** The file's bytes, `undefined` when there is no such file. */
  get(path: string): Promise<Uint8Array | undefined>;
  put(path: string, contents: string | Uint8Array): Promise<void>;
  delete(path: string): Promise<void>;
  list(prefix?: string): Promise<{ path: string; size: number }[]>;
}

/** `host.files`: the agent's durable files. */
export function createFiles(host: HostCaller): Files {
  return {
    async get(path) {
      const found = await host("files.get", { path });
      return found ? new Uint8Array(Buffer.from(found.base64, "base64")) : undefined;
    },
    async put(path, contents) {
      await host("files.put", { path, base64: Buffer.from(contents).toString("base64") });
    },
    async delete(path) {
      await host("files.delete", { path });
    },
    async list(prefix = "") {
      return (await host("files.list", { prefix })).files;
    },
  };
}
