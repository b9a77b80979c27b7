import { MAX_HOST_CALLS } from "../../protocol/runtime-rpc";

/** Bounds of one sandbox. Megabytes are MiB. */
export interface SandboxLimits {
  /** Resident memory of all its processes together. */
  memoryMb: number;
  pids: number;
  openFiles: number;
  /** Largest file it may write. */
  fileMb: number;
  /** Size of `/tmp` and of `/dev/shm`, each. */
  tmpMb: number;
  /** From spawn to a loaded bundle. */
  startMs: number;
  /** How long a process may leave a ping unanswered after a call ran out of time. */
  hangMs: number;
  maxFrameBytes: number;
  /** Largest result of a call as JSON; beyond a frame's size it comes in pieces. */
  maxResultBytes: number;
  maxHostCalls: number;
  logBytesPerSecond: number;
  watchdogMs: number;
}

export const DEFAULT_LIMITS: SandboxLimits = {
  memoryMb: 512,
  pids: 128,
  openFiles: 1024,
  fileMb: 256,
  tmpMb: 64,
  startMs: 30_000,
  hangMs: 3000,
  maxFrameBytes: 8 * 1024 * 1024,
  maxResultBytes: 64 * 1024 * 1024,
  maxHostCalls: MAX_HOST_CALLS,
  logBytesPerSecond: 64 * 1024,
  watchdogMs: 250,
};
