const FIRST_UID = 210_000;
const SIZE = 50_000;

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    value = Math.imul(value ^ text.charCodeAt(i), 0x01000193) >>> 0;
  }
  return value;
}

/**
 * User ids for sandboxes. An owner usually gets the same one again, and never one that another
 * owner's sandbox holds at the moment.
 */
export class UidPool {
  private readonly holders = new Map<number, { owner: string; count: number }>();

  /** The owner's user id; give it back with `release`. */
  acquire(owner: string): number {
    const start = hash(owner) % SIZE;
    for (let step = 0; step < SIZE; step++) {
      const uid = FIRST_UID + ((start + step) % SIZE);
      const holder = this.holders.get(uid);
      if (holder && holder.owner !== owner) continue;
      this.holders.set(uid, { owner, count: (holder?.count ?? 0) + 1 });
      return uid;
    }
    throw new Error("Every sandbox user id is in use.");
  }

  release(uid: number): void {
    const holder = this.holders.get(uid);
    if (!holder) return;
    holder.count--;
    if (holder.count === 0) this.holders.delete(uid);
  }
}
