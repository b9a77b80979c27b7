import type { NewEvent } from "../../protocol/event";
import type { RedactedStream } from "../sessions";
import type { TurnLog } from "./turn-log";

interface TextBlock {
  kind: "message" | "reasoning";
  blockId: string;
  text: string;
  redaction: RedactedStream;
}

/** The text of one model call on its way to the log: deltas as they come, whole blocks at the end. */
export class StepText {
  readonly #blocks: TextBlock[] = [];
  readonly #open = new Map<string, TextBlock>();
  #saidAnything = false;

  constructor(
    private readonly log: TurnLog,
    private readonly step: number,
    /** `{ parentCallId }` for what a subagent says. */
    private readonly parent: { parentCallId?: string } = {},
  ) {}

  start(kind: TextBlock["kind"], id: string): void {
    const { parentCallId } = this.parent;
    const thread = parentCallId === undefined ? "" : `${parentCallId}.`;
    const blockId = `${thread}${this.step}.${this.#blocks.length}`;
    const redaction = this.log.owner.redactor.stream();
    const block: TextBlock = { kind, blockId, text: "", redaction };
    this.#blocks.push(block);
    this.#open.set(`${kind} ${id}`, block);
  }

  push(kind: TextBlock["kind"], id: string, text: string): void {
    if (!this.#open.has(`${kind} ${id}`)) this.start(kind, id);
    const block = this.#open.get(`${kind} ${id}`);
    if (!block) return;
    block.text += text;
    this.#write(block, block.redaction.push(text));
  }

  end(kind: TextBlock["kind"], id: string): void {
    const block = this.#open.get(`${kind} ${id}`);
    if (!block) return;
    this.#open.delete(`${kind} ${id}`);
    this.#write(block, block.redaction.flush());
  }

  /** All the model said to people in this call. */
  get said(): string {
    return this.#blocks
      .filter((block) => block.kind === "message")
      .map((block) => block.text)
      .join("");
  }

  /** The authoritative form of every block that holds text. */
  completed(finishReason: string): NewEvent[] {
    const { step, parent } = this;
    return this.#blocks
      .filter((block) => block.text !== "")
      .map(
        ({ kind, blockId, text }): NewEvent =>
          kind === "message"
            ? { type: "message.completed", data: { step, blockId, text, finishReason, ...parent } }
            : { type: "reasoning.completed", data: { step, blockId, text, ...parent } },
      );
  }

  #write({ kind, blockId }: TextBlock, delta: string): void {
    if (delta === "") return;
    const data = { step: this.step, blockId, delta, ...this.parent };
    this.log.delta({ type: `${kind}.appended`, data }, !this.#saidAnything);
    this.#saidAnything = true;
  }
}
