// Owns every number of this stage, each with its why. Does not own the mechanisms that enforce them.

const KIB = 1024;
const MIB = 1024 * KIB;

export const SCRIPT_LIMITS = {
  /** A helper script that needs longer is a job for the host's own tools. */
  timeoutMs: 60_000,
  /** stdout and stderr together; more than this no model reads. */
  outputBytes: MIB,
  /** A script may talk past the cap and still finish its work, but at this multiple it only burns time. */
  floodFactor: 16,
  /** Enough for a list of files, far below what the kernel refuses. */
  maxArgs: 100,
  argBytes: 4 * KIB,
  /** A file handed over as text; larger inputs belong into a file that the policy lets the script read. */
  stdinBytes: 16 * MIB,
  /** Private writable memory of each process. Node needs about 150 MiB to start. */
  memoryBytes: 1024 * MIB,
  /** One file written by a script. */
  fileBytes: 256 * MIB,
  /** All of the private /tmp and home folder, each; they live in memory. */
  tmpBytes: 256 * MIB,
  /** Processes and threads. Node alone takes about a dozen. */
  processes: 128,
  openFiles: 512,
  /** Longest first line that is read as a shebang; Linux itself stops here. */
  shebangBytes: 256,
  /** How long to wait for the last output after the script itself has ended. */
  drainMs: 250,
  /** How often processes are counted where the kernel does not do it. */
  forkWatchMs: 50,
  /** How often to try to remove an emptied control group, a little later each time: 6 s in all. */
  groupRemovals: 50,
  /** A sandbox that cannot run `true` in this time does not work. */
  probeMs: 10_000,
  /** How many scripts a "not found" lists, and how many files it looks at for them. */
  listedScripts: 20,
  scannedFiles: 2_000,
} as const;

export const TOOLSET_LIMITS = {
  /** Transpiling and loading takes well under a second; a module that waits for the network does not end. */
  loadMs: 10_000,
  /** More tools than this from one skill crowd out every other tool of the agent. */
  maxTools: 64,
} as const;

export const TOOL_LIMITS = {
  timeoutMs: 60_000,
  /** About 25,000 tokens: what a model still reads in one piece. */
  outputChars: 100_000,
  metadataChars: 20_000,
  /** What the model APIs accept as a tool's name. */
  nameChars: 64,
  /** Enough of a schema's complaints to repair the call. */
  listedIssues: 10,
} as const;
