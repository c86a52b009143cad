"""Makes small libraries of the skills that messages were written for, to fit the order and the score on.

    python3 libraries.py TARGET train|dev|all      then: npm run evals -- fit TARGET SKILLS, fit-confidence TARGET SKILLS

Each skill is in a library of random skills and in one of skills that are alike, so that neighbours compete. `plain` and `other`
messages need a skill, `near` messages must not get theirs. `dev` has the skills that training leaves out.
"""

import collections
import json
import os
import random
import shutil
import sys

import numpy as np

from data import EVAL, WORK, Data, skill_of

SMALLEST, LARGEST = 15, 45
RANDOM_SKILLS = 300  # in the libraries in which `other` messages are asked among skills of all kinds


def main():
    target, part = sys.argv[1:]
    rng, data = random.Random(11), Data()
    skills = json.load(open(f"{WORK}/skills.json"))
    at = {skill["id"]: i for i, skill in enumerate(skills)}
    likeness = np.load(f"{WORK}/likeness.npy", mmap_mode="r")
    messages = collections.defaultdict(list)
    for message in data.written:
        if "kind" in message and part in ("all", "dev" if data.is_dev(message, "written") else "train"):
            messages[skill_of(message)].append(message)
    written = sorted(messages)
    libraries = {}

    order = rng.sample(written, len(written))
    while order:
        size = rng.randint(SMALLEST, LARGEST)
        libraries[f"random-{len(libraries)}"], order = order[:size], order[size:]
    rest = set(written)
    while rest:
        first, size = rng.choice(sorted(rest)), rng.randint(SMALLEST, LARGEST)
        others = sorted(rest - {first})
        near = np.argsort(-likeness[at[first]][[at[o] for o in others]])[: size - 1] if others else []
        chosen = [first] + [others[i] for i in near]
        libraries[f"alike-{len(libraries)}"] = chosen
        rest -= set(chosen)

    everyday, forbidden, paraphrases, large = [], [], [], {}
    for library, ids in libraries.items():
        for message in (m for skill in ids for m in messages[skill]):
            row = {**message, "id": f"{library}/{message['id']}", "source": library}
            (everyday if message.get("gold") else forbidden).append(row)
    order = rng.sample(written, len(written))
    while len(order) > 20:
        library, some, order = f"large-{len(large)}", order[:100], order[100:]
        chosen = set(some)
        while len(chosen) < RANDOM_SKILLS:
            chosen.add(rng.choice(skills)["id"])
        large[library] = sorted(chosen)
        for message in (m for skill in some for m in messages[skill] if m["kind"] == "other"):
            paraphrases.append({**message, "id": f"{library}/{message['id']}", "source": library})

    os.makedirs(target, exist_ok=True)
    put = lambda name, rows: open(f"{target}/{name}", "w").write("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))
    put("everyday.jsonl", everyday)
    put("negatives.jsonl", forbidden)
    put("queries.jsonl", paraphrases)
    json.dump(libraries, open(f"{target}/everyday-libraries.json", "w"))
    json.dump(large, open(f"{target}/libraries.json", "w"))
    for name in ("duplicates.json", "nothing.jsonl", "smalltalk.jsonl"):
        shutil.copy(f"{EVAL}/{name}", f"{target}/{name}")
    print(len(written), "skills,", len(libraries), "libraries,", len(everyday), "messages,", len(forbidden), "forbidden,",
          len(paraphrases), "among", RANDOM_SKILLS)


if __name__ == "__main__":
    main()
