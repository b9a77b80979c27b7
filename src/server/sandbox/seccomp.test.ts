import { describe, expect, test } from "vitest";
import { buildSeccompFilter } from "./seccomp";
import { SYSCALLS } from "./seccomp-syscalls";

interface Call {
  arch: number;
  nr: number;
  args?: number[];
}

const OPS = { load: 0x20, equal: 0x15, atLeast: 0x35, anyBit: 0x45, ret: 0x06 };

/** What the word at an offset of struct seccomp_data holds. */
function word({ arch, nr, args = [] }: Call, offset: number): number {
  if (offset === 0) return nr;
  return offset === 4 ? arch : (args[(offset - 16) / 8] ?? 0);
}

/** Runs the filter as the kernel would. */
function verdict(filter: Buffer, call: Call): number {
  let loaded = 0;
  for (let at = 0; at < filter.length; at += 8) {
    const value = filter.readUInt32LE(at + 4);
    const jump = (taken: boolean) => filter[at + (taken ? 2 : 3)]! * 8;
    const op = filter.readUInt16LE(at);
    if (op === OPS.ret) return value;
    if (op === OPS.load) loaded = word(call, value) >>> 0;
    else if (op === OPS.equal) at += jump(loaded === value);
    else if (op === OPS.atLeast) at += jump(loaded >= value);
    else if (op === OPS.anyBit) at += jump((loaded & value) !== 0);
    else throw new Error(`unknown instruction ${op}`);
  }
  throw new Error("fell off the end");
}

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const failsWith = (errno: number) => 0x00050000 | errno;
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97].map(failsWith);

describe.each(["x64", "arm64"] as const)("the filter of %s", (name) => {
  const filter = buildSeccompFilter(name);
  const table = SYSCALLS[name]!;
  const run = (nr: number, ...args: number[]) => verdict(filter, { arch: table.audit, nr, args });

  test("kills calls of another architecture", () => {
    expect(verdict(filter, { arch: table.audit ^ 1, nr: table.socket })).toBe(KILL);
  });

  test("refuses each denied call", () => {
    for (const [call, nr] of Object.entries(table.denied)) {
      expect([call, run(nr)]).toEqual([call, EPERM]);
    }
  });

  test("has each number once", () => {
    const numbers = Object.values(table.denied);
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  test("lets clone make threads and processes but no namespace", () => {
    expect(run(table.clone, 0x003d0f00)).toBe(ALLOW);
    expect(run(table.clone, 17)).toBe(ALLOW);
    for (const flag of [
      0x20000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000,
    ]) {
      expect(run(table.clone, flag | 17)).toBe(EPERM);
    }
    expect(run(table.clone3)).toBe(ENOSYS);
  });

  test("knows four socket families", () => {
    for (const family of [1, 2, 10, 16]) {
      expect(run(table.socket, family)).toBe(ALLOW);
      expect(run(table.socketpair, family)).toBe(ALLOW);
    }
    for (const family of [0, 3, 17, 30, 31, 38, 40, 44]) {
      expect(run(table.socket, family)).toBe(EAFNOSUPPORT);
    }
  });

  test("keeps terminals from being typed into", () => {
    expect(run(table.ioctl, 0, 0x5412)).toBe(EPERM);
    expect(run(table.ioctl, 0, 0x541c)).toBe(EPERM);
    expect(run(table.ioctl, 0, 0x5413)).toBe(ALLOW);
  });

  test("allows ordinary calls", () => {
    const special = [table.clone, table.clone3, table.socket, table.socketpair, table.ioctl];
    const known = new Set([...Object.values(table.denied), ...special]);
    for (let nr = 0; nr < 450; nr++) if (!known.has(nr)) expect(run(nr)).toBe(ALLOW);
  });
});

test("x64 kills the x32 numbers", () => {
  const call = { arch: SYSCALLS.x64!.audit, nr: 0x40000000 | 41 };
  expect(verdict(buildSeccompFilter("x64"), call)).toBe(KILL);
});

test("an architecture without a table has no filter", () => {
  expect(() => buildSeccompFilter("mips")).toThrow("mips");
});
