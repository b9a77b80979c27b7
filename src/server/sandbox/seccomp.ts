import { SYSCALLS, type SyscallTable } from "./seccomp-syscalls";

// Classic BPF as the kernel's filter.h defines it: load word, compare, return.
const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_GREATER_EQUAL = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;

const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const errno = (code: number): number => 0x00050000 | code;
const EPERM = errno(1);
const ENOSYS = errno(38);
const EAFNOSUPPORT = errno(97);

// Offsets in struct seccomp_data; arguments by their low word.
const NUMBER = 0;
const ARCHITECTURE = 4;
const FIRST_ARGUMENT = 16;
const SECOND_ARGUMENT = 24;

const X32_BIT = 0x40000000;
/** CLONE_NEW{TIME,NS,CGROUP,UTS,IPC,USER,PID,NET}. */
const NEW_NAMESPACES = 0x7e020080;
const FAMILIES = { unix: 1, inet: 2, inet6: 10, netlink: 16 };
/** Terminal commands that type into the controlling terminal. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;

type Instruction = [code: number, whenTrue: number, whenFalse: number, value: number];

const load = (offset: number): Instruction => [LOAD, 0, 0, offset];
const ret = (value: number): Instruction => [RETURN, 0, 0, value];

/** Runs `body`, which must end in a return, if the call has this number. */
const onCall = (number: number, body: Instruction[]): Instruction[] => [
  [JUMP_EQUAL, 0, body.length, number],
  ...body,
];

/** Returns `hit` if the word last loaded is one of the values, else `miss`. */
const choose = (values: readonly number[], hit: number, miss: number): Instruction[] => [
  ...values.map((value, i): Instruction => [JUMP_EQUAL, values.length - i, 0, value]),
  ret(miss),
  ret(hit),
];

function program(arch: NodeJS.Architecture, table: SyscallTable): Instruction[] {
  const families = Object.values(FAMILIES);
  const socketRule = [load(FIRST_ARGUMENT), ...choose(families, ALLOW, EAFNOSUPPORT)];
  const x32: Instruction[] =
    arch === "x64" ? [[JUMP_GREATER_EQUAL, 0, 1, X32_BIT], ret(KILL_PROCESS)] : [];
  return [
    load(ARCHITECTURE),
    [JUMP_EQUAL, 1, 0, table.audit],
    ret(KILL_PROCESS),
    load(NUMBER),
    ...x32,
    ...Object.values(table.denied).flatMap((number) => onCall(number, [ret(EPERM)])),
    // Its flags are behind a pointer, out of a filter's sight; libc falls back to clone.
    ...onCall(table.clone3, [ret(ENOSYS)]),
    ...onCall(table.clone, [
      load(FIRST_ARGUMENT),
      [JUMP_ANY_BIT, 0, 1, NEW_NAMESPACES],
      ret(EPERM),
      ret(ALLOW),
    ]),
    ...onCall(table.socket, socketRule),
    ...onCall(table.socketpair, socketRule),
    ...onCall(table.ioctl, [load(SECOND_ARGUMENT), ...choose([TIOCSTI, TIOCLINUX], EPERM, ALLOW)]),
    ret(ALLOW),
  ];
}

/**
 * The system call filter of every sandbox, as the raw `struct sock_filter[]` that bubblewrap
 * takes. Throws on an architecture without a table: no filter, no sandbox.
 */
export function buildSeccompFilter(arch: NodeJS.Architecture = process.arch): Buffer {
  const table = SYSCALLS[arch];
  if (!table) throw new Error(`There is no system call filter for ${arch}.`);
  const instructions = program(arch, table);
  const filter = Buffer.alloc(instructions.length * 8);
  instructions.forEach(([code, whenTrue, whenFalse, value], i) => {
    filter.writeUInt16LE(code, i * 8);
    filter.writeUInt8(whenTrue, i * 8 + 2);
    filter.writeUInt8(whenFalse, i * 8 + 3);
    filter.writeUInt32LE(value >>> 0, i * 8 + 4);
  });
  return filter;
}
