/** So many bytes a second; what comes beyond is refused. */
export class LogBudget {
  private windowStart = 0;
  private used = 0;

  constructor(private readonly bytesPerSecond: number) {}

  admits(bytes: number): boolean {
    const now = performance.now();
    if (now - this.windowStart >= 1000) {
      this.windowStart = now;
      this.used = 0;
    }
    this.used += bytes;
    return this.used <= this.bytesPerSecond;
  }
}
