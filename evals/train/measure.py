"""Cosine order alone: how often the right skill is among the first, with 95% bootstrap intervals.

    python3 measure.py NAME=CHECKPOINT.pt|base|FOLDER ... [--sets dev,public]

FOLDER holds vectors made elsewhere (by the run time): `documents.f32`, `messages.f32` and `messages.json` of vectors.mjs.
`near` says how often a skill is nearer to its own messages than to the near message that must not get it.
"""

import argparse
import json
import os

import numpy as np
import torch

from data import MODEL, WORK, Data
from model import DOCUMENT_TOKENS, QUERY_TOKENS, Tokenizer, embed, load_base, load_checkpoint

SMALL = 300  # skills in the small random library


class Measure:
    def __init__(self):
        self.data = Data()
        self.skills = json.load(open(f"{WORK}/skills.json"))
        self.documents = [d["text"] for d in json.load(open(f"{WORK}/documents.json"))]
        self.at = {s["id"]: i for i, s in enumerate(self.skills)}
        self.clusters = np.array([s["cluster"] for s in self.skills])

    def messages(self, sets):
        """Set -> messages that training never sees: `dev` for choosing, `public` for looking."""
        data = self.data
        if sets == "public":
            return data.measured
        written = [m for m in data.written if data.is_dev(m, "written")]
        kinds = {kind: [m for m in written if m["kind"] == kind] for kind in ("plain", "other", "near")}
        return {"queries": [q for q in data.queries if data.is_dev(q, "queries")], **kinds}

    def ranks(self, cosines, gold, among=None):
        """Ranks (from 0) at which each right cluster is first met; copies count once."""
        order = np.argsort(-cosines, kind="stable") if among is None else among[np.argsort(-cosines[among], kind="stable")]
        right = {self.data.cluster_of(g) for g in gold}
        clusters = self.clusters[order[:400]]
        seen, ranks = [], {}
        for cluster in clusters:
            if cluster in ranks:
                continue
            ranks[cluster] = len(seen)
            seen.append(cluster)
            if len(seen) >= 60:
                break
        return [ranks.get(r, 10**6) for r in right]

    def table(self, name, document_vectors, message_vectors, chosen):
        rng = np.random.default_rng(5)
        rows = []

        def add(label, values):
            values = np.array(values, float)
            means = values[rng.integers(0, len(values), (4000, len(values)))].mean(1)
            low, high = np.quantile(means, [0.025, 0.975])
            rows.append(f"{label:34} {100 * values.mean():5.1f}  [{100 * low:.1f}, {100 * high:.1f}]  n={len(values)}")

        for group, messages in chosen.items():
            if group == "near":
                own = {kind: dict(zip((m["gold"][0] for m in chosen[kind]), message_vectors[kind])) for kind in ("plain", "other")}
                for kind, vectors in own.items():
                    pairs = [(m["not"][0], v) for m, v in zip(messages, message_vectors[group]) if m["not"][0] in vectors]
                    documents = [document_vectors[self.at[skill]] for skill, _ in pairs]
                    add(f"{kind} nearer than near", [d @ vectors[s] > d @ v for d, (s, v) in zip(documents, pairs)])
                continue
            results = {}
            for message, vector in zip(messages, message_vectors[group]):
                cosines = document_vectors @ vector
                gold = [g for g in message["gold"] if g in self.at]
                among = None
                if group == "everyday":
                    among = np.array([self.at[s] for s in self.data.libraries[message["source"]]])
                ranks = self.ranks(cosines, gold, among)
                put = lambda key, value: results.setdefault(key, []).append(value)
                put("Hit@1", min(ranks) < 1)
                if group == "queries":
                    put("Recall@3", np.mean([r < 3 for r in ranks]))
                else:
                    put("Hit@3", min(ranks) < 3)
                if group in ("paraphrase", "foreign", "plain", "other"):
                    # Always the same library for a message: the right skills and 300 others drawn by its id.
                    draw = np.random.default_rng(int.from_bytes(message["id"].encode()[-6:], "little"))
                    others = draw.choice(len(self.skills), SMALL, replace=False)
                    right = {self.data.cluster_of(g) for g in gold}
                    others = [o for o in others if self.clusters[o] not in right][: SMALL - 1]
                    small = self.ranks(cosines, gold[:1], np.array([self.at[gold[0]]] + others))
                    put("Hit@1 of 300", min(small) < 1)
                    put("Hit@3 of 300", min(small) < 3)
            for key, values in results.items():
                add(f"{group} {key}", values)
        print(f"== {name}")
        print("\n".join(rows), flush=True)
        return rows


def load(source, measure, messages):
    """Vectors of all documents, and of the messages by id."""
    if os.path.isdir(source):
        documents = np.fromfile(f"{source}/documents.f32", np.float32).reshape(len(measure.documents), -1)
        rows = np.fromfile(f"{source}/messages.f32", np.float32).reshape(-1, documents.shape[1])
        return documents, dict(zip(json.load(open(f"{source}/messages.json")), rows))
    tokenizer = Tokenizer(MODEL)
    encoder = load_base(MODEL) if source == "base" else load_checkpoint(source)
    documents = embed(encoder, tokenizer, measure.documents, DOCUMENT_TOKENS)
    rows = embed(encoder, tokenizer, [m["query"] for m in messages], QUERY_TOKENS)
    return documents, {m["id"]: row for m, row in zip(messages, rows)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("models", nargs="+")
    parser.add_argument("--sets", default="dev", help="dev, public, or both with a comma")
    options = parser.parse_args()
    torch.set_num_threads(int(os.environ.get("THREADS", "2")))
    measure = Measure()
    chosen = {sets: measure.messages(sets) for sets in options.sets.split(",")}
    for model in options.models:
        name, source = model.split("=")
        every = [m for groups in chosen.values() for messages in groups.values() for m in messages]
        documents, vectors = load(source, measure, every)
        for sets, groups in chosen.items():
            rows = {group: [vectors[m["id"]] for m in messages] for group, messages in groups.items()}
            measure.table(f"{name}, {sets}", documents, rows, groups)


if __name__ == "__main__":
    main()
