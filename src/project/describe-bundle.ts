import { type ChildProcess, spawn } from "node:child_process";
import type { Duplex } from "node:stream";
import { Description } from "../protocol/description";
import { encodeFrame, FrameReader } from "../protocol/frame";
import type { GuestFrame, HostFrame } from "../protocol/runtime-rpc";

const MAX_FRAME_BYTES = 64 * 1024 * 1024;
const CALL_ID = "describe";
/** The agent process forgets it at once and takes its environment from the init frame. */
const FIRST_ENV: NodeJS.ProcessEnv = { NODE_ENV: "production" };

export interface DescribeRequest {
  /** The built agent program, `dist/runtime/main.cjs`. */
  runtime: string;
  bundle: string;
  /** Folder for workspace and state; nothing is written to it by a description. */
  scratch: string;
  env: Record<string, string>;
  timeoutMs: number;
}

/**
 * Describes a bundle in a plain Node process of the caller's own machine and user, with `env` as
 * its environment. This RUNS the project's code without any isolation: it is for people's own
 * projects on their own machines, never for what others uploaded.
 * Rejects when the process fails, breaks the contract or takes longer than `timeoutMs`.
 */
export const describeBundle = async (request: DescribeRequest): Promise<Description> => {
  const child: ChildProcess = spawn(process.execPath, [request.runtime], {
    env: FIRST_ENV,
    stdio: ["ignore", "ignore", "inherit", "pipe"],
  });
  try {
    return Description.parse(await converse(child, request));
  } finally {
    child.kill("SIGKILL");
  }
};

const initFrame = ({ bundle, scratch, env }: DescribeRequest): HostFrame => ({
  t: "init",
  env,
  bundle,
  workspaceRoot: scratch,
  stateRoot: scratch,
  limits: {
    maxFrameBytes: MAX_FRAME_BYTES,
    maxResultBytes: MAX_FRAME_BYTES,
    logBytesPerSecond: 64 * 1024,
  },
});

const converse = (child: ChildProcess, request: DescribeRequest): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const socket = child.stdio[3] as Duplex;
    const send = (frame: HostFrame) => socket.write(encodeFrame(frame));
    const fail = (reason: string) =>
      reject(new Error(`the project could not be described: ${reason}`));
    const timer = setTimeout(() => fail(`no answer in ${request.timeoutMs} ms`), request.timeoutMs);
    const reader = new FrameReader(MAX_FRAME_BYTES);
    const onFrame = (frame: GuestFrame): void => {
      if (frame.t === "ready") {
        const call = { kind: "describe" } as const;
        send({ t: "call", id: CALL_ID, call, timeoutMs: request.timeoutMs });
      } else if (frame.t === "res" && frame.id === CALL_ID) resolve(frame.result);
      else if (frame.t === "err" || frame.t === "initerr") fail(frame.error.message);
    };
    socket.on("data", (chunk: Uint8Array) => {
      for (const message of reader.push(chunk)) onFrame(message as GuestFrame);
    });
    socket.on("error", (error) => fail(error.message));
    child.on("error", (error) => fail(error.message));
    child.on("exit", (code, signal) => {
      clearTimeout(timer);
      fail(`its process ended with ${signal ?? code}`);
    });
    send(initFrame(request));
  });
