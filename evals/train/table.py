"""Tunes the rows of the static table (data/embedding/table.bin) to the encoder: python3 table.py STEPS

The sum of a text's rows is trained like the encoder (a message shall be nearest to its skill) and to order skills as
the encoder does. Reads WORK/table (table-rows.mjs) and WORK/int8 (vectors.mjs), writes WORK/table/tuned.f32.
    python3 table.py texts        writes WORK/table-texts.json for table-rows.mjs
"""

import json
import os
import random
import sys

import numpy as np
import torch
import torch.nn.functional as F

from data import WORK
from train import DUPLICATE

BATCH, SCALE, RATE = 384, 20.0, 0.02
PSEUDO_SHARE = 0.5
DROP = 0.15  # share of a message's rows that are left out
HOLD = 0.02  # pull of each used row to where it began


def read(name):
    return json.load(open(f"{WORK}/{name}.json"))


def texts():
    """Full documents, names with descriptions, labelled messages, pseudo-queries, in this order."""
    skills = read("skills")
    return (
        [d["text"] for d in read("documents")]
        + [f"{s['name']}. {s['description']}" for s in skills]
        + [m["text"] for m in read("labelled")]
        + [p["text"] for p in read("pairs")]
    )


def weights_of(rows):
    """The second occurrence of a row counts half, the third a third."""
    seen, weights = {}, []
    for row in rows:
        seen[row] = seen.get(row, 0) + 1
        weights.append(1 / seen[row])
    return weights


def main():
    if sys.argv[1] == "texts":
        json.dump(texts(), open(f"{WORK}/table-texts.json", "w"))
        return
    steps = int(sys.argv[1])
    torch.set_num_threads(int(os.environ.get("THREADS", "1")))
    rng = random.Random(5)
    skills, labelled, pairs = read("skills"), read("labelled"), read("pairs")
    shape = json.load(open(f"{WORK}/table/shape.json"))
    rows = np.fromfile(f"{WORK}/table/rows.i32", np.int32)
    offsets = np.fromfile(f"{WORK}/table/offsets.i32", np.int32)
    start = torch.from_numpy(np.fromfile(f"{WORK}/table/table.f32", np.float32).reshape(shape["rows"], shape["dimensions"]))
    table = start.clone().requires_grad_(True)
    optimizer = torch.optim.Adagrad([table], lr=RATE, initial_accumulator_value=1e-6)
    teacher = torch.from_numpy(np.fromfile(f"{WORK}/int8/documents.f32", np.float32).reshape(-1, 384))
    likeness = np.load(f"{WORK}/likeness.npy", mmap_mode="r")
    clusters = [s["cluster"] for s in skills]
    first_message, first_pair = 2 * len(skills), 2 * len(skills) + len(labelled)
    cut = lambda text: rows[offsets[text] : offsets[text + 1]]
    repository = lambda skill: skills[skill]["id"].split("__")[-2]
    sizes = {}
    for pair in pairs:
        sizes[repository(pair["skill"])] = sizes.get(repository(pair["skill"]), 0) + 1
    pair_weights = np.cumsum([sizes[repository(p["skill"])] ** -0.5 for p in pairs])
    message_weights = np.cumsum([1.0 if m["group"] == "queries" else 2.0 for m in labelled])

    def embed(all_rows):
        flat, at, weights = [], [], []
        for row in all_rows:
            at.append(len(flat))
            flat.extend(row)
            weights.extend(weights_of(row))
        flat = torch.tensor(flat, dtype=torch.long)
        sums = F.embedding_bag(flat, table, torch.tensor(at), mode="sum", per_sample_weights=torch.tensor(weights))
        return F.normalize(sums, dim=-1, eps=1e-6), flat

    for step in range(steps):
        chosen, used = [], set()
        while len(chosen) < BATCH:
            if rng.random() < PSEUDO_SHARE:
                at = int(np.searchsorted(pair_weights, rng.random() * pair_weights[-1]))
                text, skill = first_pair + at, pairs[at]["skill"]
            else:
                at = int(np.searchsorted(message_weights, rng.random() * message_weights[-1]))
                text, skill = first_message + at, rng.choice(labelled[at]["gold"])
            if clusters[skill] not in used and len(cut(text)) > 0:
                used.add(clusters[skill])
                chosen.append((text, skill))
        queries, query_rows = embed([[int(r) for r in cut(t) if rng.random() > DROP] or [int(cut(t)[0])] for t, _ in chosen])
        documents, document_rows = embed([cut(s + len(skills) * rng.randrange(2)).tolist() or [0] for _, s in chosen])
        answers = np.array([s for _, s in chosen])
        close = torch.from_numpy(likeness[answers][:, answers] > DUPLICATE)
        close.fill_diagonal_(False)
        logits = (queries @ documents.T * SCALE).masked_fill(close, -1e4)
        labels = torch.arange(len(chosen))
        # Skills that the encoder finds alike shall be alike here.
        likes = teacher[answers] @ teacher[answers].T * SCALE
        ours = documents @ documents.T * SCALE
        alike = F.kl_div(F.log_softmax(ours, -1), F.softmax(likes, -1), reduction="batchmean")
        touched = torch.cat([query_rows, document_rows]).unique()
        held = ((table[touched] - start[touched]) ** 2).sum(-1).mean()
        loss = F.cross_entropy(logits, labels) + 0.3 * alike + HOLD * held
        for group in optimizer.param_groups:
            group["lr"] = RATE * (1 - step / steps)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 50 == 0 or step == steps - 1:
            right = (logits.argmax(1) == labels).float().mean().item()
            print(step, f"loss {loss.item():.3f} right {right:.3f} held {held.item():.4f}", flush=True)
    table.detach().numpy().tofile(f"{WORK}/table/tuned.f32")


if __name__ == "__main__":
    main()
