"""Saves what a ranker is fitted on: the 50 nearest skills of each message, and all vectors.

    python3 answers.py VECTORS TARGET SET.jsonl ...      VECTORS: the folder that vectors.mjs wrote
"""

import json
import os
import sys

import numpy as np

from data import lines

NEAREST = 50


def main():
    folder, target, *files = sys.argv[1:]
    documents = np.fromfile(f"{folder}/documents.f32", np.float32).reshape(-1, 384)
    messages = np.fromfile(f"{folder}/messages.f32", np.float32).reshape(-1, 384)
    skills = json.load(open(f"{folder}/documents.json"))
    rows = {m: i for i, m in enumerate(json.load(open(f"{folder}/messages.json")))}
    messages = messages[list(rows.values())]  # a message that is in two sets once
    rows = {m: i for i, m in enumerate(rows)}
    os.makedirs(target, exist_ok=True)
    np.save(f"{target}/documents.npy", documents)
    np.save(f"{target}/messages.npy", messages)
    json.dump(skills, open(f"{target}/documents.json", "w"))
    json.dump(list(rows), open(f"{target}/messages.json", "w"))
    for file in files:
        answers = {}
        for message in lines(file):
            cosines = documents @ messages[rows[message["id"]]]
            best = np.argsort(-cosines, kind="stable")[:NEAREST]
            answers[message["id"]] = [[skills[i], round(float(cosines[i]), 5)] for i in best]
        name = "-".join(file.removesuffix(".jsonl").split("/")[-2:])
        json.dump(answers, open(f"{target}/{name}.json", "w"))
        print(name, len(answers))


if __name__ == "__main__":
    main()
