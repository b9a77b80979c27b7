import { Socket } from "node:net";
import { encodeFrame, FrameReader } from "../protocol/frame";
import type { GuestFrame, HostFrame } from "../protocol/runtime-rpc";

/** File descriptor of the socket to the worker. */
const RPC_FD = 3;
/** The worker is trusted; this only bounds a corrupted stream. */
const MAX_INCOMING_BYTES = 256 * 1024 * 1024;

/** Sends a frame; `written` is called once the worker can read it even if this process dies. */
export type Send = (frame: GuestFrame, written?: () => void) => void;

/**
 * Opens the socket to the worker and hands over each of its frames. The process ends with the
 * socket: without its worker an agent process has no purpose.
 */
export function openChannel<Frame = HostFrame>(onFrame: (frame: Frame) => void): Send {
  const socket = new Socket({ fd: RPC_FD, readable: true, writable: true });
  const reader = new FrameReader(MAX_INCOMING_BYTES);
  socket.on("data", (chunk: Uint8Array) => {
    for (const message of reader.push(chunk)) onFrame(message as Frame);
  });
  const end = () => process.exit(0);
  socket.on("end", end);
  socket.on("error", end);
  return (frame, written) => {
    socket.write(encodeFrame(frame), () => written?.());
  };
}
