// Owns finding what a message turns down ("not X", "without X", "instead of X") or only asks about ("what does /x do").
// Does not own what that costs a skill (rank.ts). English only: elsewhere nothing is found, and nothing is lost.

/** Words that one refusal reaches. */
const REACH_WORDS = 5;

// "not sure", "no longer", "not working" tell of a state and turn nothing down.
const STATES =
  "sure|only|just|longer|yet|able|found|matter|idea|problem|enough|many|much|more|less|than|one|need|know|want|being|been|running|be|to|so|too|very|really|quite|if|when|what|why|how|where|all|every|any";
const STATE_STEMS =
  "work|show|seem|get|appear|load|start|respond|compil|build|return|find|match|render|updat|pass";
const REFUSAL = new RegExp(
  `\\b(?:not|no|without|isn['\\u2019]t|aren['\\u2019]t|instead of|rather than|other than|except for|excluding)\\s+` +
    `(?!(?:${STATES})\\b|(?:${STATE_STEMS})\\w*)`,
  "gi",
);
const REACH_ENDS = ",;:!?()\n\u2014";

// A skill as it is called (`/plan`, `/sdd:plan --loop`, `the card-maker skill`), and a name as it is typed.
const CALLED =
  "(?:the\\s+)?(?:(/[\\w.:-]{1,96})(?:\\s+(?:skill|command))?(?:\\s+--\\w+)?|[`\"']?([\\w.:-]{2,96})[`\"']?\\s+skill)";
const TYPED = "[`\"']?([\\w.]{1,64}(?:[:-][\\w.]{1,64}){1,12})[`\"']?";
// A question about a skill is no call for it.
const ABOUT = new RegExp(
  [
    `\\bwhat\\s+does\\s+${CALLED}\\s+(?:actually\\s+)?(?:do|output|mean|cover|return|produce|offer)\\b`,
    `\\b(?:explain|describe|tell me|understand)\\s+(?:what|how)\\s+${CALLED}\\s+(?:actually\\s+)?(?:does|works|is|differs)\\b`,
    `\\bhow\\s+does\\s+${CALLED}\\s+(?:work|differ)\\b`,
    `\\bwhat(?:['\u2019]s|\\s+is)\\s+${CALLED}\\s*\\?`,
    `\\bcompare\\s+${TYPED}\\s+(?:with|and|to)\\b[^.?!\\n]{0,40}\\bskills?\\b`,
    `\\bis\\s+${TYPED}\\s+the\\s+(?:right|correct|best|proper)\\s+(?:skill|workflow|tool|one|choice)\\b`,
  ].join("|"),
  "gi",
);

/** Where the message turns something down: [start, end) of each reach, in order, never overlapping. */
export function refusals(text: string): Array<[start: number, end: number]> {
  const found: Array<[number, number]> = [];
  // Most messages call nothing by its name, and the pattern is slow to compile.
  for (const hit of /[/:-]|\sskill/i.test(text) ? text.matchAll(ABOUT) : []) {
    const name = hit.slice(1).find((part) => part !== undefined) ?? "";
    const start = hit.index + hit[0].indexOf(name);
    found.push([start, start + name.length]);
  }
  REFUSAL.lastIndex = 0;
  for (let hit = REFUSAL.exec(text); hit !== null; hit = REFUSAL.exec(text)) {
    const start = hit.index + hit[0].length;
    const end = reachEnd(text, start);
    if (end > start) found.push([start, end]);
    REFUSAL.lastIndex = Math.max(end, start);
  }
  return found.sort((a, b) => a[0] - b[0]).filter(([start], i, all) => i === 0 || start >= all[i - 1]![1]);
}

function reachEnd(text: string, start: number): number {
  let words = 0;
  for (let i = start; i < text.length; i++) {
    const char = text[i]!;
    if (REACH_ENDS.includes(char)) return i;
    if (char === "." && !/\w/u.test(text[i + 1] ?? "")) return i;
    if (char !== " ") continue;
    words++;
    if (words === REACH_WORDS || /^ (?:but|because|so|and)\b/u.test(text.slice(i, i + 9))) return i;
  }
  return text.length;
}
