import type { HostMethod, HostMethods } from "../../protocol/host-method";
import type { HostCall, RuntimeCall } from "../../protocol/runtime-rpc";
import {
  type ArtifactsCall,
  beginArtifact,
  listArtifactsOfCall,
  sendArtifactPart,
  tagArtifactOfCall,
} from "../artifacts";
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
import type { AgentRef } from "./ports";

/** A host call and the worker's own knowledge of where it comes from. */
export interface AnsweredCall extends HostCall {
  ref: AgentRef;
  /** The call that the guest was running, if any. */
  during?: RuntimeCall | undefined;
}

type Handler<M extends HostMethod> = (call: AnsweredCall) => Promise<HostMethods[M]["result"]>;
type Handlers = { [M in HostMethod]: Handler<M> };

const stored =
  <R>(handle: (owner: StorageOwner, params: unknown) => Promise<R>) =>
  ({ ref: { orgId, agentId }, params }: AnsweredCall): Promise<R> =>
    handle({ orgId, agentId }, params);

const ofCall =
  <R>(handle: (call: ArtifactsCall) => Promise<R>) =>
  ({ ref, params, during }: AnsweredCall): Promise<R> =>
    handle({ ref, params, during });

const HANDLERS: Handlers = {
  "kv.get": stored(kvGet),
  "kv.put": stored(kvPut),
  "kv.delete": stored(kvDelete),
  "kv.list": stored(kvList),
  "kv.cas": stored(kvCas),
  "files.get": stored(filesGet),
  "files.put": stored(filesPut),
  "files.delete": stored(filesDelete),
  "files.list": stored(filesList),
  "artifacts.tag": ofCall(tagArtifactOfCall),
  "artifacts.begin": ofCall(beginArtifact),
  "artifacts.part": ofCall(sendArtifactPart),
  "artifacts.list": ofCall(listArtifactsOfCall),
};

const isMethod = (method: string): method is HostMethod => Object.hasOwn(HANDLERS, method);

/**
 * Answers what tenant code asks of its host. Whose data it is comes from the sandbox's own
 * identity, and whose session from the call that is running; nothing in the guest's words can name
 * another. @throws AppError `not_available` for a method that does not exist, and the method's own.
 */
export async function answerHostCall(call: AnsweredCall): Promise<unknown> {
  if (!isMethod(call.method)) {
    throw new AppError("not_available", `The host has no method ${call.method}.`);
  }
  return await HANDLERS[call.method](call);
}
