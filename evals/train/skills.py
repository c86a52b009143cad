"""What of a skill is embedded (`document`), and messages that its own text suggests (`pseudo_queries`)."""

import re

# White space as in the run time, so that both cut the same text.
SPACE = "[\\t\\n\\v\\f\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]"
GENERIC = re.compile(
    r"^(overview|introduction|usage|examples?|references?|notes?|resources|quick start|getting started|instructions"
    r"|workflow|steps?|output( format)?|prerequisites|requirements|installation|setup|see also|related( skills)?"
    r"|summary|table of contents|purpose|when to use.*|when not to.*|best practices|troubleshooting|checklist"
    r"|common (issues|mistakes|pitfalls)|additional resources|core (concepts|principles)|key (concepts|principles)"
    r"|description|how it works|limitations|version|license|inputs?|outputs?|context|goal|rules|guidelines|process"
    r"|tips|commands|configuration|features|important|critical|anti-patterns|success criteria|validation"
    r"|step [0-9]+.*|phase [0-9]+.*|[0-9]+\.?)$",
    re.I,
)
LIMITS = {"description": 700, "headings": 250, "lead": 300, "heading_count": 14, "lead_source": 4000}


ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": " "}


def unescaped(escape):
    return chr(int(escape[1:], 16)) if len(escape) == 5 else escape


def front_matter(text):
    """Name, description and when-to-use of a skill file, and its body. Enough YAML for that."""
    match = re.match(r"^\ufeff?---\s*\n(.*?)\n---\s*\n?(.*)$", text, re.S)
    if not match:
        return {}, text
    block, body = match.groups()
    fields, lines, at = {}, block.split("\n"), 0
    while at < len(lines):
        key = re.match(r"^(name|description|when_to_use|when-to-use)\s*:\s*(.*)$", lines[at])
        at += 1
        if not key:
            continue
        value, more = key[2].strip(), []
        while at < len(lines) and (lines[at].startswith((" ", "\t")) or lines[at].strip() == ""):
            more.append(lines[at].strip())
            at += 1
        if re.match(r"^[>|][+-]?\d*$", value):
            value = ""
        value = " ".join([value] + more).strip()
        if len(value) > 1 and value[0] == value[-1] == "'":
            value = value[1:-1].replace("''", "'")
        elif len(value) > 1 and value[0] == value[-1] == '"':
            # A line that ends in a backslash goes on without a space; a backslash keeps the space behind it.
            value = re.sub(r"\\ (?=\\ )", "", value[1:-1])
            value = re.sub(r"\\(u[0-9a-fA-F]{4}|.)", lambda m: ESCAPES.get(m[1]) or unescaped(m[1]), value)
        fields[key[1].replace("-", "_")] = value
    return fields, body


def clean(text):
    """Without Markdown's signs; links keep their text; white space becomes one space."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"[*_`#|>]+", " ", text)
    return re.sub(SPACE + "+", " ", text).strip(" ")


def parts(name, description, body):
    body = body.replace("\r\n", "\n")
    prose = re.sub(r"```[\s\S]*?(?:```|$)", " ", body)
    headings = [clean(h) for h in re.findall(r"^#{1,3}[ \t]+([^\n]+)$", prose, re.M)]
    lines = [l for l in prose[: LIMITS["lead_source"]].split("\n") if clean(l) and not l.startswith("#")]
    return {
        "name": re.sub(r"[-_/:]+", " ", name),
        "description": clean(description),
        "headings": [h for h in headings if not GENERIC.match(h)][: LIMITS["heading_count"]],
        "lead": clean(" ".join(lines)),
    }


def document(skill, description=None, name=None):
    """The text that stands for a skill; the other arguments replace a part of it in training."""
    description = skill["description"] if description is None else description
    name = skill["name"] if name is None else name
    headings = "; ".join(skill["headings"])[: LIMITS["headings"]]
    return f"{name}. {description[:LIMITS['description']]} {headings}. {skill['lead'][:LIMITS['lead']]}"


OPENINGS = ["how do I ", "I need to ", "help me ", "can you ", "please ", "I want to ", "we need to ", "could you ", "hey, "]
ASKING = re.compile(
    r"^(the )?(user|users|you|someone)( is| are)? (asks?|wants?|needs?|mentions?|says?|requests?)?( to| for| about| you to)?\s*",
    re.I,
)
WHEN = re.compile(
    r"^(?:.*?)\b(?:use (?:this skill |this |it )?(?:when|for|to|whenever)|when (?:the user|users?|you)"
    r"|triggers? (?:on|when|for)|activates? (?:when|on|for)|invoke (?:when|for))\b[:\s]*(.+)$",
    re.I,
)
NOT_FOR = re.compile(r"when (not|to not)|do not use|not to use|don.t use|not for", re.I)
FOR = re.compile(
    r"when to|trigger|use cases?|example (prompts?|queries|requests|questions)|usage examples|when should|activat", re.I
)
# How many of each kind are kept of one skill.
KINDS = {"quote": 6, "when": 5, "clause": 1, "claim": 3, "bullet": 6, "heading": 3, "sentence": 4}


def pseudo_queries(skill, body, random):
    """(kind, message, description without the message's words) of each message that a skill's text suggests."""
    found, description = [], skill["description"]
    without = lambda part: re.sub(r"\s+", " ", description.replace(part, " "))
    for match in re.finditer(r'["“\'‘]([^"”“\'’‘]{6,90})["”\'’]', description):
        text = match[1].strip(" ,.;")
        if 2 <= len(text.split()) <= 14:
            found.append(("quote", text, without(match[0])))
    for sentence in re.split(r"(?<=[.!?;])\s+", description):
        sentence = sentence.strip()
        if NOT_FOR.search(sentence):
            continue
        match = WHEN.match(sentence)
        if match:
            clause = ASKING.sub("", match[1].strip(" ."))
            items = [i.strip(" .") for i in re.split(r",\s+(?:or |and )?|;\s+|\s+or\s+", clause)]
            for item in [i for i in items if 2 <= len(i.split()) <= 16][:8]:
                found.append(("when", re.sub(r"^(to|for|about|asking|asks about|mentions)\s+", "", item), without(item)))
            if 4 <= len(clause.split()) <= 40:
                found.append(("clause", clause, without(sentence)))
        elif 4 <= len(sentence.split()) <= 40:
            found.append(("claim", sentence.strip(" ."), without(sentence)))
    prose = re.sub(r"```[\s\S]*?(?:```|$)", " ", body)
    sections = re.split(r"^(#{1,4}\s+.+)$", prose, flags=re.M)
    for at in range(1, len(sections) - 1, 2):
        heading, content = clean(sections[at]), sections[at + 1]
        if NOT_FOR.search(heading):
            continue
        if FOR.search(heading):
            for bullet in re.findall(r"^\s*[-*+•\d.]+\s+(.{10,160})$", content, re.M)[:10]:
                text = ASKING.sub("", clean(bullet).strip(' ."'))
                if 2 <= len(text.split()) <= 24 and not re.match(r"(do not|don.t|not )", text, re.I):
                    found.append(("bullet", text, None))
            continue
        sentences = [s.strip() for s in re.split(r"(?<=[.!?])\s+|\n+", content)]
        sentences = [clean(s).strip(" -.:") for s in sentences]
        sentences = [s for s in sentences if 6 <= len(s.split()) <= 28 and re.match(r"[A-Za-z]", s)]
        if not GENERIC.match(heading) and 3 <= len(heading.split()) <= 14 and at < 40:
            extra = f". {sentences[0]}" if sentences and random.random() < 0.5 else ""
            found.append(("heading", heading + extra, None))
        if sentences and at > 2:
            found.append(("sentence", random.choice(sentences), None))
    seen, kinds = set(), {}
    for kind, text, rest in found:
        text = text.strip(" \"'.,:;")
        if len(text) >= 8 and text.lower() not in seen:
            seen.add(text.lower())
            kinds.setdefault(kind, []).append((kind, text, rest))
    kept = []
    for kind, most in KINDS.items():
        rows = kinds.get(kind, [])
        random.shuffle(rows)
        kept += rows[:most]
    return kept
