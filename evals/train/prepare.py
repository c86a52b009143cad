"""Makes what training reads: the skills' parts, pseudo-queries, labelled messages with BM25's wrong answers, likeness of skills."""

import collections
import json
import os
import random

import numpy as np
import scipy.sparse as sparse

from data import MODEL, SKILLS, WORK, Data, skill_of
from model import VOCABULARY, Tokenizer
from skills import document, front_matter, parts, pseudo_queries

NEGATIVES = 16
REQUESTS_OF_ONE = 150


def counts(tokenizer, texts, limit):
    rows, columns, values = [], [], []
    for row, text in enumerate(texts):
        for token, count in collections.Counter(tokenizer.raw(text, limit)).items():
            rows.append(row)
            columns.append(token)
            values.append(count)
    return sparse.csr_matrix((values, (rows, columns)), shape=(len(texts), VOCABULARY), dtype=np.float32)


def likeness(matrix):
    """Cosine of TF-IDF vectors between all documents."""
    idf = np.log(matrix.shape[0] / np.maximum(1, (matrix > 0).sum(0).A1))
    weighted = matrix.copy()
    weighted.data = 1 + np.log(weighted.data)
    weighted = weighted @ sparse.diags(idf)
    weighted = sparse.diags(1 / np.sqrt(weighted.multiply(weighted).sum(1).A1 + 1e-9)) @ weighted
    return (weighted @ weighted.T).toarray().astype(np.float32)


def bm25(matrix, questions, k1=1.2, b=0.75):
    """Scores of all documents (rows of `matrix`) for each question (rows of counts)."""
    total = matrix.shape[0]
    frequency = (matrix > 0).sum(0).A1
    idf = np.log(1 + (total - frequency + 0.5) / (frequency + 0.5))
    length = matrix.sum(1).A1
    norm = k1 * (1 - b + b * length / length.mean())
    weights = matrix.tocoo()
    values = idf[weights.col] * weights.data * (k1 + 1) / (weights.data + norm[weights.row])
    weights = sparse.csr_matrix((values, (weights.row, weights.col)), shape=matrix.shape)
    return ((questions > 0).astype(np.float32) @ weights.T).toarray()


def requests(pairs, skills):
    """Short orders as authors of skills put them, for the intent model: one a skill, and few of a repository."""
    taken, counts, found = set(), collections.Counter(), []
    short = [p for p in pairs if p["kind"] in ("quote", "when", "claim") and 3 <= len(p["text"].split()) <= 9]
    for pair in random.Random(3).sample(short, len(short)):
        repository = skills[pair["skill"]]["id"].split("__")[-2]
        if pair["skill"] not in taken and counts[repository] < REQUESTS_OF_ONE:
            taken.add(pair["skill"])
            counts[repository] += 1
            found.append({**pair, "text": pair["text"][0].lower() + pair["text"][1:]})
    return found


def main():
    random.seed(7)
    os.makedirs(WORK, exist_ok=True)
    data, tokenizer = Data(), Tokenizer(MODEL)
    closed = data.closed_clusters()
    skills, bodies, pairs, seen, kinds = [], [], [], set(), collections.Counter()
    for name in sorted(os.listdir(SKILLS)):
        path = f"{SKILLS}/{name}/SKILL.md"
        if not os.path.exists(path):
            continue
        fields, body = front_matter(open(path, encoding="utf-8", errors="replace").read())
        description = f"{fields.get('description', '')} {fields.get('when_to_use', '')}".strip()
        skill = parts(fields.get("name") or name.split("__")[-1], description, body)
        skill["id"], skill["cluster"] = name, data.cluster_of(name)
        skills.append(skill)
        bodies.append(body)
        if skill["cluster"] in seen or skill["cluster"] in closed:
            continue
        seen.add(skill["cluster"])
        for kind, text, rest in pseudo_queries(skill, body, random):
            kinds[kind] += 1
            pairs.append({"kind": kind, "text": text, "skill": len(skills) - 1, "description": rest})
    clusters = collections.defaultdict(set)
    for pair in pairs:
        clusters[pair["text"].lower()].add(skills[pair["skill"]]["cluster"])
    pairs = [p for p in pairs if len(clusters[p["text"].lower()]) == 1]  # said by one skill only

    at = {skill["id"]: i for i, skill in enumerate(skills)}
    labelled, near, dev = [], {}, collections.Counter()
    for group, messages in (("queries", data.queries), ("written", data.written)):
        for message in messages:
            if data.is_dev(message, group):
                dev[group] += 1
                continue
            if not message.get("gold"):
                near.setdefault(at[skill_of(message)], []).append(message["query"])
                continue
            gold = [g for g in message["gold"] if g in at]
            open_gold = [at[g] for g in gold if data.cluster_of(g) not in closed]
            if open_gold:
                labelled.append({"group": group, "source": message["source"], "text": message["query"], "id": message["id"],
                                 "gold": open_gold, "all_gold": [at[g] for g in gold]})
    with_body = counts(tokenizer, [f"{document(s)} {b[:6000]}" for s, b in zip(skills, bodies)], 600)
    scores = bm25(with_body, counts(tokenizer, [m["text"] for m in labelled], 200))
    for message, row in zip(labelled, scores):
        right = {skills[g]["cluster"] for g in message["all_gold"]}
        best = [int(i) for i in np.argsort(-row)[: 4 * NEGATIVES] if skills[i]["cluster"] not in right]
        message["negatives"] = best[:NEGATIVES]
    np.save(f"{WORK}/likeness.npy", likeness(counts(tokenizer, [document(s) for s in skills], 400)))
    documents = [{"id": s["id"], "text": document(s)} for s in skills]
    for name, value in (("skills", skills), ("documents", documents), ("pairs", pairs), ("labelled", labelled),
                        ("near", near)):
        json.dump(value, open(f"{WORK}/{name}.json", "w"))
    with open(f"{WORK}/requests.jsonl", "w", encoding="utf-8") as file:
        for pair in requests(pairs, skills):
            row = {"query": pair["text"], "gold": [skills[pair["skill"]]["id"]], "source": f"request {pair['skill'] % 5}"}
            file.write(f"{json.dumps(row, ensure_ascii=False)}\n")
    print(len(skills), "skills,", len(pairs), "pseudo-queries of", len({p["skill"] for p in pairs}), "skills", dict(kinds))
    print(len(labelled), "messages", dict(collections.Counter(m["group"] for m in labelled)), sum(map(len, near.values())), "near,",
          "dev", dict(dev))
    print(len(closed), "clusters closed,", sum(not s["description"] for s in skills), "without description")


if __name__ == "__main__":
    main()
