import { processTree, residentMb } from "./process-tree";

/** An idle process's tree is listed anew at every so many looks; its memory is read at each. */
const LOOKS_PER_LISTING = 8;

/** Looks at the memory of a process and all below it, at a cost that hundreds of them can bear. */
export class MemoryWatch {
  private looks = 0;
  private known: number[] = [];
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly root: number,
    everyMs: number,
    private readonly isBusy: () => boolean,
    private readonly onLook: (residentMb: number) => void,
  ) {
    this.timer = setInterval(() => this.look(), everyMs).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    if (this.looks++ % LOOKS_PER_LISTING === 0 || this.isBusy()) {
      this.known = processTree(this.root);
    }
    this.onLook(residentMb(this.known));
  }
}
