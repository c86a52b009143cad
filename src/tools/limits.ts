// The limits of scripts, toolsets and tool calls, each with its reason.

const KIB = 1024;
const MIB = 1024 * KIB;

export const SCRIPT_LIMITS = {
  /** A script that needs longer is a job for the host's own tools. */
  timeoutMs: 60_000,
  /** stdout and stderr together; no model reads more. */
  outputBytes: MIB,
  /** A script may print more than the limit and still finish, but is stopped at this multiple of it. */
  floodFactor: 16,
  /** Enough for a list of files, far below the kernel's limit. */
  maxArgs: 100,
  /** All arguments together. */
  argBytes: 4 * KIB,
  /** A text file as input; put larger inputs into a file that the policy lets the script read. */
  stdinBytes: 16 * MIB,
  /** Private writable memory of each process. Node needs about 150 MiB to start. */
  memoryBytes: 1024 * MIB,
  /** One file written by a script. */
  fileBytes: 256 * MIB,
  /** The private /tmp and the private home folder, each; they are in memory. */
  tmpBytes: 256 * MIB,
  /** Processes and threads. Node alone needs about twelve. */
  processes: 128,
  openFiles: 512,
  /** The longest first line that is read as a shebang, as in Linux. */
  shebangBytes: 256,
  /** How long to wait for the last output after the script itself has ended. */
  drainMs: 250,
  /** The interval at which processes are counted if the kernel does not limit them. */
  forkWatchMs: 50,
  /** How often to try to remove an empty control group, with growing intervals: 6 s in all. */
  groupRemovals: 50,
  /** A sandbox that cannot run `true` in this time does not work. */
  probeMs: 10_000,
  /** How many scripts a "not found" message lists, and how many files are scanned for them. */
  listedScripts: 20,
  scannedFiles: 2_000,
} as const;

export const TOOLSET_LIMITS = {
  /** Transpiling and loading takes well under a second; a module that waits for the network may never end. */
  loadMs: 10_000,
  /** More tools from one skill would crowd out the agent's other tools. */
  maxTools: 64,
  /** More than model APIs accept. */
  descriptionChars: 8_000,
  schemaChars: 50_000,
  /** Of a schema or of metadata: far deeper than people write, far below what overflows a stack. */
  depth: 64,
  /** One line of a toolset's process; the longest honest one declares all tools. */
  lineBytes: 8 * MIB,
  /** What a toolset may print during one call before its process is stopped. It goes nowhere. */
  printedBytes: 16 * MIB,
  /** How much of what it printed last is searched for the reason of a crash. */
  keptBytes: 4 * KIB,
  /** How long a tool has to obey its signal before its process is killed. */
  graceMs: 200,
  /** A process that nobody calls is ended after this time; the next call starts another. */
  idleMs: 10 * 60_000,
} as const;

export const TOOL_LIMITS = {
  timeoutMs: 60_000,
  /** About 25,000 tokens, which a model can read at once. */
  outputChars: 100_000,
  metadataChars: 20_000,
  titleChars: 200,
  /** An error or a schema issue in a message for a model. */
  messageChars: 2_000,
  /** The longest tool name that model APIs accept. */
  nameChars: 64,
  /** Schema issues listed in an error: enough to correct the call. */
  listedIssues: 10,
} as const;
