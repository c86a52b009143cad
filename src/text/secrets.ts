// Finds keys, tokens and passwords in a text and takes them out, before the text is kept. In linear time for any text.

import { lazyPattern } from "./patterns.ts";

/** What stands in a kept text for a secret. */
const MARK = "[redacted]";

/** Keys whose shape gives them away, by their issuer. Every run has a bound, so that no text takes long. */
const SHAPES: Readonly<Record<string, string>> = {
  repertoire: "rpt_[\\w-]{20,255}",
  aws: "(?:AKIA|ASIA|AIDA|AROA|AGPA|ANPA|ABIA|ACCA)[A-Z0-9]{16}\\b",
  github: "gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_\\w{22,255}",
  gitlab: "gl(?:pat|ptt|dt|rt|soat|cbt|ft)-[\\w-]{18,255}",
  slack: "xox[abcdeoprs]-[\\w-]{10,255}|xapp-[\\w-]{10,255}",
  "slack webhook": "hooks\\.slack\\.com/(?:services|workflows)/[\\w/]{20,255}",
  discord: "discord(?:app)?\\.com/api/webhooks/\\d{5,30}/[\\w-]{30,255}",
  telegram: "\\d{8,10}:AA[\\w-]{32,34}\\b",
  openai: "sk-[A-Za-z0-9_-]{20,255}",
  stripe: "[rsp]k_(?:live|test)_[A-Za-z0-9]{10,255}|whsec_[A-Za-z0-9+/=]{20,255}",
  google: "AIza[\\w-]{35}|ya29\\.[\\w-]{20,1024}|GOCSPX-[\\w-]{20,64}|1//0[\\w-]{30,255}",
  "json web token": "eyJ[\\w-]{8,4096}\\.[\\w-]{8,8192}(?:\\.[\\w-]{0,4096})?",
  npm: "npm_[A-Za-z0-9]{36}\\b",
  pypi: "pypi-[\\w-]{50,1024}",
  "hugging face": "hf_[A-Za-z0-9]{30,64}|api_org_[A-Za-z0-9]{30,64}",
  sendgrid: "SG\\.[\\w-]{16,64}\\.[\\w-]{16,128}",
  digitalocean: "do[opr]_v1_[a-f0-9]{64}",
  shopify: "shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
  twilio: "SK[0-9a-f]{32}\\b",
  mailgun: "key-[0-9a-f]{32}\\b",
  databricks: "dapi[0-9a-f]{32}\\b",
  vault: "hv[sbr]\\.[\\w-]{20,255}",
  grafana: "gl(?:c|sa)_[\\w=]{30,255}",
  docker: "dckr_(?:pat|oat)_[\\w-]{20,255}",
  tailscale: "tskey-[\\w-]{15,255}",
  linear: "lin_(?:api|oauth)_[A-Za-z0-9]{30,64}",
  notion: "(?:secret|ntn)_[A-Za-z0-9]{40,64}",
  figma: "fig[dour]_[\\w-]{30,64}",
  square: "sq0[a-z]{3}-[\\w-]{22,64}",
  groq: "gsk_[A-Za-z0-9]{40,64}",
  xai: "xai-[A-Za-z0-9]{40,128}",
  replicate: "r8_[A-Za-z0-9]{30,64}",
  age: "AGE-SECRET-KEY-1[A-Z0-9]{50,64}",
};
const shapes = lazyPattern(`(?<![A-Za-z0-9_-])(?:${Object.values(SHAPES).join("|")})`, "g");
/** Each of these shapes has a run of at least this length. */
const SHAPED = /[\w.+/=-]{15}/;
/** A shorter run is no key, whatever comes before it. */
const LONG = /[\w.~+/=-]{12}/;

/** To the end of the block, or of the text if the block was cut. */
const PRIVATE_KEY =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g;

/** The password in `scheme://user:password@host`. */
const IN_ADDRESS = /(?<=:\/\/[^\s/:@"'<>]{0,256}:)[^\s/@"'<>]{1,256}(?=@)/g;

const NAMES =
  "passw(?:or)?d|passwort|passphrase|pwd|secret|token|credential|api[ _-]?key|apikey|access[ _-]?key|private[ _-]?key|signing[ _-]?key|encryption[ _-]?key|auth[ _-]?key|account[ _-]?key";
/** Each of the names has one of these. */
const NAME_SIGN = /pass|pwd|secret|token|credential|key/gi;
/** From there to the value, and how many characters that may be. */
const LINK = /^[\w-]+["'`\]]*\s*(?:[:=]|(?:is|was|ist|lautet)\s)/i;
const LINK_CHARS = 64;
/** A name that says what follows: `password=…`, `"api_key": "…"`, `the password is …`. */
const named = lazyPattern(
  `((?:${NAMES})[\\w-]{0,24}["'\`\\]]{0,2}(\\s{0,3}(?:=>|:=|[:=]{1,2})\\s{0,3}|\\s(?:is|was|ist|lautet)\\s))(["'\`]?)([^\\s"'\`,;]{4,512})`,
  "gi",
);
/** The same as a flag: `--token …`. */
const namedFlag = lazyPattern(
  `(\\s--(?:[\\w-]{1,24}-)?(?:${NAMES})[\\w-]{0,24} )([^\\s-][^\\s]{3,512})`,
  "gi",
);
const AUTHORIZATION = /\b((?:Bearer|Basic|Digest|Token)\s{1,3})([A-Za-z0-9._~+/=-]{12,2048})/gi;
/** `curl -u user:password` and `mysql -pPASSWORD`. */
const USER_FLAG = /(\s(?:-u|--user)[ =]["']?[^\s:"']{1,64}:)([^\s"']{3,128})/g;

/** Where a value comes from instead of the value itself: a variable, a placeholder, a call. */
const NOT_A_VALUE =
  /^(?:[$%<{[(*]|\.{2,}|process\.|os\.|env[.([]|getenv|System\.|import\.|self\.|this\.|config\.|settings\.|secrets?\.|vault\.|null\b|none\b|nil\b|undefined\b|true\b|false\b|string\b|number\b|boolean\b|optional\b|required\b|your[-_]|my[-_]|xxx|example|changeme\b|redacted|\[redacted\])|\($|^[A-Za-z_.]+\(/i;

/** Long runs in which only chance mixes small letters, capitals and digits. */
const RUN = /[A-Za-z0-9+/_=-]{24,}/g;
const RANDOM = {
  /** Longer runs are contents, such as an image, and not keys. */
  longest: 160,
  /** The share of neighbours of different kinds: about 0.6 by chance, less than 0.35 in words joined together. */
  changes: 0.42,
  /** Different characters per character of the first 32. */
  variety: 0.45,
} as const;

/**
 * The text without keys, tokens and passwords. What marks them stays, so that the text can still be understood.
 *
 * @example
 * redacted("deploy with password=hunter2!"); // deploy with password=[redacted]
 */
export function redacted(text: string, mark = MARK): string {
  if (text.length < 8) return text;
  // Most texts have no sign of most secrets, and the patterns are slow to compile.
  const isLong = LONG.test(text);
  let kept = text;
  if (kept.includes("-----BEGIN")) kept = kept.replace(PRIVATE_KEY, mark);
  if (isLong && SHAPED.test(kept)) kept = kept.replace(shapes(), mark);
  if (kept.includes("://")) kept = kept.replace(IN_ADDRESS, mark);
  if (isNaming(kept))
    kept = kept.replace(named(), (whole, before: string, link: string, quote: string, value: string) =>
      isValue(value, { link, quote }) ? before + quote + mark : whole,
    );
  if (kept.includes("--"))
    kept = kept.replace(namedFlag(), (whole, before: string, value: string) =>
      NOT_A_VALUE.test(value) ? whole : before + mark,
    );
  if (isLong)
    kept = kept.replace(AUTHORIZATION, (whole, before: string, value: string) =>
      isMixed(value) ? before + mark : whole,
    );
  if (kept.includes("-u")) kept = kept.replace(USER_FLAG, `$1${mark}`);
  if (!isLong) return kept;
  return kept.replace(RUN, (run, at: number, all: string) =>
    isRandom(run, all.slice(Math.max(0, at - 8), at)) ? mark : run,
  );
}

/** Whether `named` may find something: it is slow to compile, and most texts only speak of keys and tokens. */
function isNaming(text: string): boolean {
  for (const { index } of text.matchAll(NAME_SIGN))
    if (LINK.test(text.slice(index, index + LINK_CHARS))) return true;
  return false;
}

/** Behind `=` and in quotes nearly everything is a value; behind a colon or a word it may go on in plain language. */
function isValue(value: string, { link, quote }: { readonly link: string; readonly quote: string }): boolean {
  if (NOT_A_VALUE.test(value)) return false;
  if (quote !== "" || link.includes("=")) return true;
  return isMixed(value);
}

/** Has letters and something that words do not have. */
function isMixed(value: string): boolean {
  return /[0-9]|[!@#$%^&*+=~]./.test(value) || (/[a-z][A-Z]/.test(value) && value.length >= 12);
}

/** Before a digest of a lock file or the content of a `data:` address. */
const CONTENT = /(?:sha\d{1,3}[-:]|base64,)$/i;

function isRandom(run: string, before: string): boolean {
  if (run.length > RANDOM.longest || CONTENT.test(before) || /^sha\d{1,3}-/.test(run)) return false;
  const key = run.replace(/=+$/, "");
  if (/^[0-9a-f-]+$/i.test(key) || key.length < 24) return false;
  if (!/[a-z]/.test(key) || !/[A-Z]/.test(key) || !/[0-9]/.test(key)) return false;
  let changes = 0;
  for (let at = 1; at < key.length; at++) if (kindOf(key, at) !== kindOf(key, at - 1)) changes++;
  const start = key.slice(0, 32);
  return changes / (key.length - 1) >= RANDOM.changes && new Set(start).size / start.length >= RANDOM.variety;
}

function kindOf(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code >= 97) return 0;
  if (code >= 65) return code === 95 ? 3 : 1;
  return code >= 48 && code <= 57 ? 2 : 3;
}
