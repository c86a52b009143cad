// Tests the filter's program by executing it as the kernel would, for both architectures.

import { describe, expect, test } from "vitest";
import { seccompFilter } from "./seccomp.ts";

const ALLOWED = 0x7fff_0000;
const KILLED = 0x8000_0000;
const EPERM = 0x0005_0001;
const ENOSYS = 0x0005_0026;

interface Call {
  readonly number: number;
  readonly architecture: number;
  readonly first?: number;
}

/** The decision of a filter about a system call. Fails on an instruction or a jump that the kernel would refuse. */
function decisionOf(filter: Buffer, { number, architecture, first = 0 }: Call): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number >>> 0, 0);
  data.writeUInt32LE(architecture >>> 0, 4);
  data.writeUInt32LE(first >>> 0, 16);
  let accumulator = 0;
  for (let at = 0; at < filter.length; at += 8) {
    const value = filter.readUInt32LE(at + 4);
    const jump = (holds: boolean) => {
      at += 8 * filter.readUInt8(at + (holds ? 2 : 3));
    };
    switch (filter.readUInt16LE(at)) {
      case 0x20:
        accumulator = data.readUInt32LE(value);
        break;
      case 0x15:
        jump(accumulator === value);
        break;
      case 0x35:
        jump(accumulator >= value);
        break;
      case 0x45:
        jump((accumulator & value) !== 0);
        break;
      case 0x06:
        return value;
      default:
        throw new Error(`instruction ${at / 8} is unknown`);
    }
  }
  throw new Error("the program does not end with a decision");
}

const NUMBERS = {
  x64: {
    architecture: 0xc000003e,
    refused: {
      ...{
        ptrace: 101,
        process_vm_readv: 310,
        process_vm_writev: 311,
        add_key: 248,
        request_key: 249,
        keyctl: 250,
      },
      ...{ bpf: 321, perf_event_open: 298, userfaultfd: 323, io_uring_setup: 425, io_uring_enter: 426 },
      ...{ io_uring_register: 427, mount: 165, umount2: 166, pivot_root: 155, unshare: 272, setns: 308 },
      ...{ kexec_load: 246, kexec_file_load: 320, init_module: 175, finit_module: 313, delete_module: 176 },
    },
    usual: { read: 0, write: 1, open: 2, execve: 59, mmap: 9, futex: 202, epoll_wait: 232, connect: 42 },
    socket: [41, 53],
    clone: 56,
  },
  arm64: {
    architecture: 0xc00000b7,
    refused: {
      ...{
        ptrace: 117,
        process_vm_readv: 270,
        process_vm_writev: 271,
        add_key: 217,
        request_key: 218,
        keyctl: 219,
      },
      ...{ bpf: 280, perf_event_open: 241, userfaultfd: 282, io_uring_setup: 425, io_uring_enter: 426 },
      ...{ io_uring_register: 427, mount: 40, umount2: 39, pivot_root: 41, unshare: 97, setns: 268 },
      ...{ kexec_load: 104, kexec_file_load: 294, init_module: 105, finit_module: 273, delete_module: 106 },
    },
    usual: {
      read: 63,
      write: 64,
      openat: 56,
      execve: 221,
      mmap: 222,
      futex: 98,
      epoll_pwait: 22,
      connect: 203,
    },
    socket: [198, 199],
    clone: 220,
  },
} as const;

describe.each(["x64", "arm64"] as const)("the filter for %s", (name) => {
  const filter = seccompFilter(name)!;
  const { architecture, refused, usual, socket, clone } = NUMBERS[name];
  const decide = (number: number, first?: number) =>
    decisionOf(filter, { number, architecture, first: first ?? 0 });

  test.each(Object.entries(refused))("refuses %s", (_call, number) => {
    expect(decide(number)).toBe(EPERM);
  });

  test.each(Object.entries(usual))("allows %s", (_call, number) => {
    expect(decide(number)).toBe(ALLOWED);
  });

  test("allows sockets of the file system and the internet, and no others", () => {
    for (const number of socket) {
      const allowed = Array.from({ length: 64 }, (_, family) => family).filter(
        (family) => decide(number, family) === ALLOWED,
      );
      expect(allowed).toEqual([1, 2, 10]);
      expect([decide(number, 16), decide(number, 17), decide(number, 40)]).toEqual([EPERM, EPERM, EPERM]);
    }
  });

  test("allows new processes and threads, and no new namespaces", () => {
    // As glibc calls it for fork and for a thread.
    expect([decide(clone, 0x0120_0011), decide(clone, 0x003d_0f00)]).toEqual([ALLOWED, ALLOWED]);
    for (const flag of [
      0x0002_0000, 0x0200_0000, 0x0400_0000, 0x0800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000,
    ])
      expect(decide(clone, flag | 0x11)).toBe(EPERM);
    expect(decide(435)).toBe(ENOSYS);
  });

  test("ends a process that uses another architecture", () => {
    const others = [0x4000_0003, 0x4000_0028, NUMBERS[name === "x64" ? "arm64" : "x64"].architecture];
    for (const other of others) expect(decisionOf(filter, { number: 0, architecture: other })).toBe(KILLED);
  });
});

test("the x32 ABI is refused on x64", () => {
  const { architecture } = NUMBERS.x64;
  expect(decisionOf(seccompFilter("x64")!, { number: 0x4000_0000, architecture })).toBe(EPERM);
});

test("there is no filter for an architecture whose numbers are not known", () => {
  expect(seccompFilter("riscv64")).toBeUndefined();
});
