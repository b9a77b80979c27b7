import type { HostMethod, HostMethods } from "../../protocol/host-method";
import type { HostCall } from "../../protocol/runtime-rpc";
import { AppError } from "../platform/errors";
import {
  filesDelete,
  filesGet,
  filesList,
  filesPut,
  kvCas,
  kvDelete,
  kvGet,
  kvList,
  kvPut,
  type StorageOwner,
} from "../storage";

type Handlers = {
  [M in HostMethod]: (owner: StorageOwner, params: unknown) => Promise<HostMethods[M]["result"]>;
};

const HANDLERS: Handlers = {
  "kv.get": kvGet,
  "kv.put": kvPut,
  "kv.delete": kvDelete,
  "kv.list": kvList,
  "kv.cas": kvCas,
  "files.get": filesGet,
  "files.put": filesPut,
  "files.delete": filesDelete,
  "files.list": filesList,
};

const isMethod = (method: string): method is HostMethod => Object.hasOwn(HANDLERS, method);

/**
 * Answers what tenant code asks of its host. Whose data it is comes from the sandbox's own
 * identity; nothing in the call can name another agent.
 * @throws AppError `not_available` for a method that does not exist, and the method's own errors.
 */
export async function answerHostCall(call: HostCall & { ref: StorageOwner }): Promise<unknown> {
  const { method, params, ref } = call;
  if (!isMethod(method)) {
    throw new AppError("not_available", `The host has no method ${method}.`);
  }
  return await HANDLERS[method]({ orgId: ref.orgId, agentId: ref.agentId }, params);
}
