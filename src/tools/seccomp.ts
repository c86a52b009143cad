// Builds the filter of system calls that bubblewrap loads for a sandbox: a program of classic BPF, as the kernel reads it.
//
// Namespaces, mounts and capabilities already confine a script. The filter removes parts of the kernel that no script
// needs and in which errors were found again and again. It is a list of what is refused, because an allowlist would
// break with each new version of a language's runtime.

/** The number of a system call on each architecture. */
interface CallNumber {
  readonly x64: number;
  readonly arm64: number;
}

const same = (number: number): CallNumber => ({ x64: number, arm64: number });

/** System calls that fail with EPERM, grouped by what they would allow. */
const REFUSED: Readonly<Record<string, CallNumber>> = {
  // Reading and changing other processes.
  ptrace: { x64: 101, arm64: 117 },
  process_vm_readv: { x64: 310, arm64: 270 },
  process_vm_writev: { x64: 311, arm64: 271 },
  kcmp: { x64: 312, arm64: 272 },
  pidfd_getfd: same(438),
  // Keys of the session, which namespaces do not separate.
  add_key: { x64: 248, arm64: 217 },
  request_key: { x64: 249, arm64: 218 },
  keyctl: { x64: 250, arm64: 219 },
  // Programs and queues inside the kernel.
  bpf: { x64: 321, arm64: 280 },
  perf_event_open: { x64: 298, arm64: 241 },
  userfaultfd: { x64: 323, arm64: 282 },
  io_uring_setup: same(425),
  io_uring_enter: same(426),
  io_uring_register: same(427),
  // The view of the file system.
  mount: { x64: 165, arm64: 40 },
  umount2: { x64: 166, arm64: 39 },
  pivot_root: { x64: 155, arm64: 41 },
  chroot: { x64: 161, arm64: 51 },
  open_tree: same(428),
  move_mount: same(429),
  fsopen: same(430),
  fsconfig: same(431),
  fsmount: same(432),
  fspick: same(433),
  mount_setattr: same(442),
  open_by_handle_at: { x64: 304, arm64: 265 },
  // New namespaces; `clone` is checked by its flags below.
  unshare: { x64: 272, arm64: 97 },
  setns: { x64: 308, arm64: 268 },
  // The kernel itself and the machine.
  kexec_load: { x64: 246, arm64: 104 },
  kexec_file_load: { x64: 320, arm64: 294 },
  init_module: { x64: 175, arm64: 105 },
  finit_module: { x64: 313, arm64: 273 },
  delete_module: { x64: 176, arm64: 106 },
  reboot: { x64: 169, arm64: 142 },
  swapon: { x64: 167, arm64: 224 },
  swapoff: { x64: 168, arm64: 225 },
  acct: { x64: 163, arm64: 89 },
};

const SOCKET: readonly CallNumber[] = [
  { x64: 41, arm64: 198 },
  { x64: 53, arm64: 199 }, // socketpair
];
/** AF_UNIX, AF_INET and AF_INET6. All others are refused: netlink, packet, vsock, alg, bluetooth and so on. */
const FAMILIES = [1, 2, 10];

const CLONE: CallNumber = { x64: 56, arm64: 220 };
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const NEW_NAMESPACES = 0x7e02_0000;
/** Its flags are in memory, where a filter cannot look; with ENOSYS, libraries use `clone` instead. */
const CLONE3 = same(435);

/** How the kernel names each architecture (AUDIT_ARCH_*). */
const ARCHITECTURES = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const;
/** On x64, system calls of the x32 ABI have this bit. */
const X32_BIT = 0x4000_0000;

const EPERM = 1;
const ENOSYS = 38;
const ALLOW = 0x7fff_0000;
const KILL_PROCESS = 0x8000_0000;
const fail = (errno: number) => 0x0005_0000 | errno;

/** Offsets in the kernel's `struct seccomp_data`. The lower half of an argument comes first. */
const FIELD = { number: 0, architecture: 4, firstArgument: 16 } as const;

type Instruction = readonly [opcode: number, ifTrue: number, ifFalse: number, value: number];
const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const ifEqual = (value: number, skip: { readonly yes?: number; readonly no?: number }): Instruction => [
  0x15,
  skip.yes ?? 0,
  skip.no ?? 0,
  value,
];
const unlessAtLeast = (value: number, skip: number): Instruction => [0x35, 0, skip, value];
const unlessAnyBit = (mask: number, skip: number): Instruction => [0x45, 0, skip, mask];
const end = (action: number): Instruction => [0x06, 0, 0, action];

/** The filter for a processor architecture as Node names it; undefined if there is none for it. */
export function seccompFilter(architecture: string = process.arch): Buffer | undefined {
  if (architecture !== "x64" && architecture !== "arm64") return undefined;
  const number = (call: CallNumber) => call[architecture];
  const refuse = (call: CallNumber, errno: number) => [ifEqual(number(call), { no: 1 }), end(fail(errno))];
  const program = [
    load(FIELD.architecture),
    ifEqual(ARCHITECTURES[architecture], { yes: 1 }),
    end(KILL_PROCESS),
    load(FIELD.number),
    ...(architecture === "x64" ? [unlessAtLeast(X32_BIT, 1), end(fail(EPERM))] : []),
    ...Object.values(REFUSED).flatMap((call) => refuse(call, EPERM)),
    ...refuse(CLONE3, ENOSYS),
    ...SOCKET.flatMap((call) => [
      ifEqual(number(call), { no: FAMILIES.length + 3 }),
      load(FIELD.firstArgument),
      ...FAMILIES.map((family, index) => ifEqual(family, { yes: FAMILIES.length - index })),
      end(fail(EPERM)),
      end(ALLOW),
    ]),
    ifEqual(number(CLONE), { no: 3 }),
    load(FIELD.firstArgument),
    unlessAnyBit(NEW_NAMESPACES, 1),
    end(fail(EPERM)),
    end(ALLOW),
  ];
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [opcode, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(opcode, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return bytes;
}
