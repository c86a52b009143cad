// Owns what each generated part of the documents says, from the product's own tables, help and output.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { diagnosticRows } from "./diagnostics.mjs";

const WRITERS = {
  "front-matter": frontMatter,
  configuration,
  "command-line": commandLine,
  operations,
  "http-errors": httpErrors,
  "error-codes": errorCodes,
  diagnostics,
  hosts,
  host,
  "hosts-documented": hostsDocumented,
  "host-modes": hostModes,
  style,
  example,
  run,
  file,
};

/** `part` is a writer's name and its argument: `run list`, `style cards`. */
export async function renderPart(part, product) {
  const [name, argument] = [part.split(" ")[0], part.slice(part.indexOf(" ") + 1)];
  const writer = WRITERS[name];
  if (!writer)
    throw new Error(`"${name}" is no generated part. Accepted: ${Object.keys(WRITERS).join(", ")}.`);
  return (await writer(product, argument)).trimEnd();
}

/** Files that are generated as a whole, by their path. */
export function wholeFiles({ root, openApiDocument, configSchema }) {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const json = (value) => `${JSON.stringify(value, null, 2)}\n`;
  return {
    "docs/openapi.json": json(openApiDocument(version)),
    "docs/config.schema.json": json(configSchema()),
  };
}

function frontMatter({ frontMatterTable }) {
  const rows = frontMatterTable().map(({ key, also = [], places, kind, dialect, doc }) => [
    [key, ...also].map(code).join(", "),
    places.map((place) => (place === "top" ? "top" : code(place))).join(", "),
    kind,
    dialect,
    doc,
  ]);
  return table(["key", "place", "value", "from", "meaning"], rows);
}

function configuration({ CONFIG_KEYS, acceptedValues }) {
  const rows = [...CONFIG_KEYS].map(([name, key]) => [
    code(name),
    key.about,
    acceptedValues(key.kind),
    key.default === undefined ? "none" : code(JSON.stringify(key.default)),
    key.env ? code(key.env) : "",
    key.projectMaySet ? "yes" : "no",
  ]);
  return table(["key", "what it does", "accepted", "default", "environment", "project may set"], rows);
}

async function commandLine({ command }) {
  // The help is as wide as the terminal; a document has one width.
  Object.defineProperty(process.stdout, "isTTY", { value: false });
  const sections = [];
  const describe = async (words) => {
    const { out } = await command([...words, "--help"]);
    const title = ["repertoire", ...words].join(" ");
    sections.push(`## ${title}\n\n${fenced(out.trimEnd(), "text")}`);
    for (const verb of verbsIn(out)) await describe([...words, verb]);
  };
  await describe([]);
  return sections.join("\n\n");
}

/** What the HTTP API can do, one table an area. */
function operations({ OPERATIONS }) {
  const areas = [...new Set(OPERATIONS.map(({ area }) => area))];
  return areas
    .map((area) => {
      const rows = OPERATIONS.filter((row) => row.area === area).map(({ method, path, summary, command }) => [
        code(`${method.toUpperCase()} ${path}`),
        summary,
        command ? code(command) : "",
      ]);
      return `### ${area[0].toUpperCase()}${area.slice(1)}\n\n${table(["request", "what it does", "command"], rows)}`;
    })
    .join("\n\n");
}

function httpErrors({ ERROR_STATUS }) {
  const rows = Object.entries(ERROR_STATUS).map(([status, codes]) => [status, codes.map(code).join(", ")]);
  return table(["status", "codes"], rows);
}

function errorCodes({ ERROR_CODES }) {
  return table(
    ["code", "meaning"],
    Object.entries(ERROR_CODES).map(([name, meaning]) => [code(name), meaning]),
  );
}

/** What was seen when the hosts were run: `npm run test:hosts -- --record` writes it. */
function seenHosts(root) {
  return JSON.parse(readFileSync(join(root, "test/hosts/table.json"), "utf8"));
}

function hosts({ root }) {
  const facts = ["terminal", "joined", "loaded", "modes", "large", "undo"];
  const rows = seenHosts(root).map((row) => [
    row.title,
    row.version,
    row.section,
    nameOf(row.tools),
    row.consent,
    ...facts.map((fact) => row[fact] ?? "not run"),
  ]);
  const head = [
    "host",
    "version",
    "skills that fit",
    "loads a skill with",
    "without your consent",
    "in its terminal",
    "one session",
    "own loading noticed",
    "modes",
    "5,000 skills",
    "undo",
  ];
  return table(head, rows);
}

/** A name that is a command is written as code already. */
function nameOf(tool) {
  return tool.includes("`") ? tool : code(tool);
}

/** One screen about a host that was run. */
function host(product, id) {
  const { seen, tools, version } = seenHosts(product.root).find((row) => row.host === id);
  const reads =
    seen === ""
      ? `Its model reads nothing of Repertoire before it asks. It has the tools, and loads a skill with ${nameOf(tools)}.`
      : `Before it answers, the model of version ${version} has read:\n\n${fenced(seen, "text")}`;
  return [
    fenced(`$ repertoire setup ${id}\n$ repertoire setup ${id} --undo`, "console"),
    `Files: ${filesOf(product, id).map(code).join(", ")}. ${product.HOST_TABLE[id].next}`,
    reads,
  ].join("\n\n");
}

function filesOf({ hostEdits, home, project, tidy }, id) {
  const places = { home, dir: project, env: {}, program: ["repertoire"] };
  const { server, hooks } = hostEdits(id, places, "complement");
  return [...new Set([...hooks, ...server].map(({ path }) => tidy(path)))];
}

function hostsDocumented(product) {
  const rows = Object.entries(product.HOST_TABLE)
    .filter(([, { known }]) => known.documentation !== undefined)
    .map(([id, { title, known, next }]) => [
      title,
      code(`repertoire setup ${id}`),
      filesOf(product, id).map(code).join(", "),
      `[documentation](${known.documentation})`,
      next,
    ]);
  return table(["host", "command", "files", "written from", "then"], rows);
}

function hostModes({ HOST_TABLE }) {
  const rows = Object.values(HOST_TABLE)
    .filter(({ replaces }) => replaces !== undefined)
    .map(({ title, replaces }) => [title, replaces]);
  return table(["host", "how its own list is switched off"], rows);
}

function verbsIn(help) {
  const list = help.split("\nCommands:\n")[1] ?? "";
  return [...list.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, verb]) => verb).filter((verb) => verb !== "help");
}

function diagnostics(product, stage) {
  const rows = diagnosticRows(product, stage).map(({ name, weight, meaning, fix }) => [
    code(name),
    weight,
    meaning,
    fix,
  ]);
  return table(["code", "severity", "meaning", "what to do"], rows);
}

/** What a style makes of the shipped skills, for one message that one of them fits. */
async function style({ openRepertoire, disclose, estimateTokens, tidy, home, project }, name) {
  const repertoire = openRepertoire({ home, dir: project, env: {}, values: { cache: false } });
  const wanted = ["test-first-fix", "safe-edit", "release", "release/changelog"];
  const skills = await Promise.all(wanted.map((skill) => repertoire.library.find(skill)));
  const { text } = disclose({
    style: name,
    skills,
    matches: [
      {
        name: "test-first-fix",
        score: 0.9,
        reasons: [{ signal: "trigger", value: 0.9, note: '"fix the failing test"' }],
      },
      { name: "safe-edit", score: 0.3, reasons: [], via: "test-first-fix" },
    ],
    bodyOf: (skill) => repertoire.turns.reader.body(skill),
  });
  // Of the text as it is shown here: the real one holds paths whose length depends on the machine.
  const shown = tidy(text);
  return `${fenced(shown, "text")}\n\nAbout ${estimateTokens(shown)} tokens.`;
}

/** A file of `examples/`, as a user of the package writes it. */
function example({ root }, name) {
  const text = readFileSync(join(root, "examples", name), "utf8");
  const asUser = text
    .replaceAll('"../src/index.ts"', '"repertoire"')
    .replaceAll('"../src/adapters/ai-sdk/ai-sdk.ts"', '"repertoire/ai-sdk"');
  return fenced(asUser.trimEnd(), "ts");
}

async function run({ command }, line) {
  const { exit, out, err } = await command(words(line));
  const ending = exit === 0 ? "" : `\n$ echo $?\n${exit}`;
  return fenced(
    `$ repertoire ${line}\n${[out, err]
      .map((text) => text.trimEnd())
      .filter(Boolean)
      .join("\n")}${ending}`,
    "console",
  );
}

/** Puts a file into the place where the commands run, and shows it: `path: text`, with \n for a new line. */
function file({ project }, argument) {
  const [path, text] = [
    argument.slice(0, argument.indexOf(": ")),
    argument.slice(argument.indexOf(": ") + 2),
  ];
  const content = text.replaceAll("\\n", "\n");
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), content);
  return fenced(`# ${path}\n${content.trimEnd() || "(empty)"}`, "yaml");
}

function words(line) {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare);
}

function table(head, rows) {
  const line = (cells) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}

function code(text) {
  return `\`${text}\``;
}

/** A fence longer than any that the text holds. */
function fenced(text, language) {
  const longest = Math.max(2, ...[...text.matchAll(/^`+/gm)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
