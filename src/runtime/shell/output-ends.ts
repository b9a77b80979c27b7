import type { ProgramOutput } from "../../protocol/shell-rpc";

/** Bytes kept of each end. */
const KEPT = 128 * 1024;

const isContinuation = (byte: number | undefined): boolean =>
  byte !== undefined && (byte & 0xc0) === 0x80;

/** Bytes without the character that a cut at their start went through. */
function fromWholeCharacter(bytes: Buffer): Buffer {
  let at = 0;
  while (at < 3 && isContinuation(bytes[at])) at++;
  return bytes.subarray(at);
}

/** Collects a program's output: all of it while it is short, else its two ends. */
export class OutputEnds {
  private readonly head: Buffer[] = [];
  private headBytes = 0;
  private tail: Buffer[] = [];
  private tailBytes = 0;
  private omitted = 0;

  add(chunk: Buffer): void {
    const room = KEPT - this.headBytes;
    // Even an empty part would hold the memory of its whole chunk.
    if (room > 0) {
      const first = chunk.subarray(0, room);
      this.head.push(first);
      this.headBytes += first.length;
    }
    if (chunk.length <= room) return;
    this.tail.push(chunk.subarray(room));
    this.tailBytes += chunk.length - room;
    // Joined only now and then: a flood of small chunks must not be copied for each of them.
    if (this.tailBytes > 4 * KEPT) this.shorten();
  }

  output(): ProgramOutput {
    this.shorten();
    const tail = Buffer.concat(this.tail);
    const head = Buffer.concat(this.head);
    if (this.omitted === 0) {
      return { head: Buffer.concat([head, tail]).toString("utf8"), tail: "", omittedBytes: 0 };
    }
    // A character cut at the end of the head waits in the decoder, and is left out.
    const start = new TextDecoder().decode(head, { stream: true });
    const end = fromWholeCharacter(tail).toString("utf8");
    return { head: start, tail: end, omittedBytes: this.omitted };
  }

  private shorten(): void {
    const surplus = this.tailBytes - KEPT;
    if (surplus <= 0) return;
    this.tail = [Buffer.from(Buffer.concat(this.tail).subarray(surplus))];
    this.tailBytes = KEPT;
    this.omitted += surplus;
  }
}
