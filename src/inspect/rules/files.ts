// Finds dangers in the name, mode and first bytes of a file.

import { excerptOf } from "../excerpt.ts";
import type { FindingSeverity, InspectedFile, RuleFinding } from "../types.ts";

type Format =
  | "program"
  | "bytecode"
  | "archive"
  | "office"
  | "picture"
  | "font"
  | "pdf"
  | "media"
  | "database"
  | "wasm";

interface Magic {
  readonly format: Format;
  readonly at?: number;
  readonly bytes: readonly number[];
}

const text = (value: string): number[] => [...Buffer.from(value, "latin1")];

const MAGICS: readonly Magic[] = [
  { format: "program", bytes: [0x7f, ...text("ELF")] },
  { format: "program", bytes: [...text("MZ"), 0x90] },
  { format: "program", bytes: [0xcf, 0xfa, 0xed, 0xfe] },
  { format: "program", bytes: [0xce, 0xfa, 0xed, 0xfe] },
  { format: "program", bytes: [0xfe, 0xed, 0xfa, 0xcf] },
  { format: "program", bytes: [0xfe, 0xed, 0xfa, 0xce] },
  { format: "program", bytes: [0xca, 0xfe, 0xba, 0xbe] },
  { format: "wasm", bytes: [0x00, ...text("asm")] },
  { format: "archive", bytes: [...text("PK"), 3, 4] },
  { format: "archive", bytes: [...text("PK"), 5, 6] },
  { format: "archive", bytes: [0x1f, 0x8b] },
  { format: "archive", bytes: text("BZh") },
  { format: "archive", bytes: [0xfd, ...text("7zXZ")] },
  { format: "archive", bytes: [...text("7z"), 0xbc, 0xaf] },
  { format: "archive", bytes: text("Rar!") },
  { format: "archive", bytes: [0x28, 0xb5, 0x2f, 0xfd] },
  { format: "archive", at: 257, bytes: text("ustar") },
  { format: "archive", bytes: text("xar!") },
  { format: "office", bytes: [0xd0, 0xcf, 0x11, 0xe0] },
  { format: "picture", bytes: [0x89, ...text("PNG")] },
  { format: "picture", bytes: [0xff, 0xd8, 0xff] },
  { format: "picture", bytes: text("GIF8") },
  { format: "picture", bytes: text("RIFF") },
  { format: "picture", bytes: text("BM") },
  { format: "picture", bytes: [0, 0, 1, 0] },
  { format: "font", bytes: text("wOF") },
  { format: "font", bytes: text("OTTO") },
  { format: "font", bytes: [0, 1, 0, 0] },
  { format: "pdf", bytes: text("%PDF") },
  { format: "database", bytes: text("SQLite format 3") },
  { format: "media", at: 4, bytes: text("ftyp") },
  { format: "media", bytes: text("ID3") },
  { format: "media", bytes: text("OggS") },
];

const SCRIPT_NAME =
  /\.(?:sh|bash|zsh|fish|ksh|command|py|pyw|rb|pl|pm|php|lua|js|mjs|cjs|jsx|ts|mts|cts|tsx|ps1|psm1|bat|cmd|vbs|vbe|wsf|hta|scpt|applescript|jl|r|go|rs|swift|groovy|tcl|awk)$/i;
/** Files that a listing does not show. */
const HIDDEN_NAME = /(?:^|\/)\.[^/]+$/;
const SHOWN_AS =
  /\.(?:png|jpe?g|gif|webp|svg|ico|bmp|pdf|txt|md|csv|json|ya?ml|docx?|xlsx?|pptx?|mp[34]|wav|ttf|otf|woff2?|html?|css)$/i;
const OFFICE_NAME = /\.(?:docx|xlsx|pptx|odt|ods|odp|dotx|potx|xltx|epub|jar|whl|vsix|skill|apk)$/i;
const MACRO_NAME = /\.(?:docm|xlsm|pptm|dotm|xlam|xll)$/i;
const BINARY_PICTURE = /\.(?:png|jpe?g|gif|webp|ico|bmp)$/i;
const DOUBLE_NAME =
  /\.(?:png|jpe?g|gif|webp|pdf|txt|md|csv|json|docx?|xlsx?|pptx?|mp[34]|zip)\.(?:sh|bash|command|py|js|mjs|ps1|bat|cmd|vbs|exe|scr|com|pif|msi|app|dmg|jar|hta|lnk|scpt)$/i;
const LAUNCHER_NAME =
  /\.(?:exe|scr|pif|com|msi|lnk|dll|dylib|so|node|dmg|pkg|app|deb|rpm|appimage|iso|img|hta|reg|jar|xpi|crx)$/i;

const REMOVE = "Remove the file, or ask for its source.";

function formatOf(bytes: Uint8Array): Format | undefined {
  const magic = MAGICS.find(
    ({ at = 0, bytes: wanted }) =>
      bytes.length >= at + wanted.length && wanted.every((byte, index) => bytes[at + index] === byte),
  );
  if (magic) return magic.format;
  const python =
    bytes.length > 16 && bytes[2] === 0x0d && bytes[3] === 0x0a && (bytes[1]! <= 0x0f || bytes[1] === 0xf3);
  return python ? "bytecode" : undefined;
}

/** Whether the first entry of a ZIP archive is encrypted. */
function isLocked(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && (bytes[6]! & 1) === 1;
}

/** A placeholder or the pointer of a large-file store. */
function isShortText(bytes: Uint8Array): boolean {
  return (
    bytes.length < 4_096 &&
    bytes.every((byte) => byte === 9 || byte === 10 || byte === 13 || byte >= 32) &&
    !(bytes[0] === 0x23 && bytes[1] === 0x21)
  );
}

/** Whether the file can be run: by its name, its mode or its first bytes. */
export function isScript(file: InspectedFile): boolean {
  if (SCRIPT_NAME.test(file.path) || LAUNCHER_NAME.test(file.path) || /\.pyc$/i.test(file.path)) return true;
  if (file.bytes[0] === 0x23 && file.bytes[1] === 0x21) return true;
  const format = formatOf(file.bytes);
  if (format === "program" || format === "bytecode") return true;
  return (
    ((file.mode ?? 0) & 0o111) !== 0 && !SHOWN_AS.test(file.path) && (file.mode! & 0o170000) !== 0o040000
  );
}

export function fileFindings(file: InspectedFile): RuleFinding[] {
  const findings: RuleFinding[] = [];
  const report = (code: string, severity: FindingSeverity, message: string, fix: string): void => {
    findings.push({ code, severity, path: file.path, excerpt: excerptOf(file.path), message, fix });
  };
  const { path, mode = 0 } = file;
  if (
    path.startsWith("/") ||
    /^[a-z]:/i.test(path) ||
    path.split(/[\\/]/).includes("..") ||
    path.startsWith("~")
  ) {
    report(
      "file-outside",
      "high",
      "The path leads out of the folder of the package.",
      "Do not unpack this package.",
    );
  }
  if (
    /[\x00-\x1f\x7f\\]/.test(path) ||
    /[\u200b-\u200f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u.test(path)
  ) {
    report(
      "file-name-unsafe",
      "high",
      "The name contains control, reordering or backslash characters.",
      "Rename the file with plain letters.",
    );
  }
  if ((mode & 0o170000) === 0o120000)
    report(
      "file-link",
      "high",
      "A symbolic link can point anywhere on the machine.",
      "Replace the link with a copy of the file.",
    );
  else if (mode > 0o7777 && ![0o100000, 0o040000].includes(mode & 0o170000))
    report("file-special", "high", "A device, pipe or socket is not part of a skill.", REMOVE);
  if ((mode & 0o6000) !== 0 && (mode & 0o170000) !== 0o040000)
    report(
      "file-setuid",
      "high",
      "The file runs with its owner's rights (setuid or setgid).",
      "Clear the bit: chmod u-s,g-s.",
    );
  if (DOUBLE_NAME.test(path))
    report(
      "file-two-extensions",
      "high",
      "The name looks like a document, but the file is a program.",
      REMOVE,
    );

  const format = formatOf(file.bytes);
  const shebang = file.bytes[0] === 0x23 && file.bytes[1] === 0x21;
  if (format === "program") {
    report(
      "file-program",
      SHOWN_AS.test(path) || SCRIPT_NAME.test(path) || HIDDEN_NAME.test(path) ? "high" : "medium",
      SHOWN_AS.test(path) || SCRIPT_NAME.test(path)
        ? "A compiled program under a false name."
        : "A compiled program: nobody can read what it does.",
      REMOVE,
    );
  } else if (format === "bytecode" || /\.py[co]$/i.test(path)) {
    report(
      "file-bytecode",
      /(?:^|\/)__pycache__\//.test(path) ? "medium" : "high",
      "Python bytecode runs instead of the source and can differ from it.",
      "Delete the file; Python creates it again from the source.",
    );
  } else if (format === "archive") {
    if (OFFICE_NAME.test(path))
      report(
        "file-not-opened",
        "low",
        "A container format; its contents were not inspected.",
        "Open it yourself before you trust it.",
      );
    else if (SHOWN_AS.test(path) || SCRIPT_NAME.test(path))
      report("file-false-name", "high", "An archive under a false name.", REMOVE);
    else if (isLocked(file.bytes))
      report("file-locked-archive", "high", "An archive with a password, which keeps scanners out.", REMOVE);
    else
      report(
        "file-archive",
        "low",
        "An archive; its contents were not inspected.",
        "Unpack the files into the package so that they can be read.",
      );
  } else if (format === "wasm")
    report("file-not-opened", "low", "WebAssembly; its contents were not inspected.", "Ask for its source.");
  else if (shebang && SHOWN_AS.test(path))
    report("file-false-name", "high", "A script under the name of a document or picture.", REMOVE);
  else if (BINARY_PICTURE.test(path) && file.bytes.length > 0 && format !== "picture") {
    report(
      "file-false-name",
      isShortText(file.bytes) ? "low" : "medium",
      "The name is that of a picture, but the content is not.",
      REMOVE,
    );
  }
  if (MACRO_NAME.test(path))
    report("file-macros", "medium", "An office document that can contain macros.", "Save it without macros.");
  if (LAUNCHER_NAME.test(path) && format !== "program")
    report("file-launcher", "medium", "A file that starts a program or installs one.", REMOVE);
  if (/(?:^|\/)\.git\/(?:hooks\/|config$)/.test(path))
    report(
      "file-git-folder",
      "high",
      "A git folder inside a package can run commands through hooks and settings.",
      REMOVE,
    );
  return findings;
}
