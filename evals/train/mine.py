"""Hard negatives by the encoder itself: python3 mine.py CHECKPOINT.pt, then train.py --mined

For each labelled message the wrong skills that are nearest to it, for each skill the nearest others that are no copies.
"""

import json
import os
import sys

import numpy as np
import torch

from data import MODEL, WORK
from model import DOCUMENT_TOKENS, QUERY_TOKENS, Tokenizer, embed, load_checkpoint
from skills import document
from train import DUPLICATE

MESSAGE_NEGATIVES, NEIGHBOURS = 12, 8


def main():
    torch.set_num_threads(int(os.environ.get("THREADS", "2")))
    read = lambda name: json.load(open(f"{WORK}/{name}.json"))
    skills, pairs, labelled = read("skills"), read("pairs"), read("labelled")
    likeness = np.load(f"{WORK}/likeness.npy", mmap_mode="r")
    encoder, tokenizer = load_checkpoint(sys.argv[1]), Tokenizer(MODEL)
    documents = embed(encoder, tokenizer, [document(s) for s in skills], DOCUMENT_TOKENS)
    messages = embed(encoder, tokenizer, [m["text"] for m in labelled], QUERY_TOKENS)
    clusters = [s["cluster"] for s in skills]
    mined = {"messages": {}, "skills": {}}
    for message, vector in zip(labelled, messages):
        right = {clusters[g] for g in message["all_gold"]}
        wrong = []
        for skill in np.argsort(-(documents @ vector))[:80]:
            copy = any(likeness[skill, g] > DUPLICATE for g in message["all_gold"])
            if clusters[skill] not in right and not copy:
                wrong.append(int(skill))
        mined["messages"][message["id"]] = wrong[:MESSAGE_NEGATIVES]
    sources = np.array(sorted({p["skill"] for p in pairs}))
    for skill in sources:
        near = sources[np.argsort(-(documents[sources] @ documents[skill]))[:40]]
        others = [int(n) for n in near if clusters[n] != clusters[skill] and likeness[n, skill] <= DUPLICATE]
        mined["skills"][str(skill)] = others[:NEIGHBOURS]
    json.dump(mined, open(f"{WORK}/mined.json", "w"))
    print("mined for", len(mined["messages"]), "messages and", len(sources), "skills")


if __name__ == "__main__":
    main()
