"""Contrastive fine-tuning of the encoder on the processor.

    python3 train.py --out NAME --steps 600 [--start CHECKPOINT] [--resume] [--horizon 600] [--mined]

Saves WORK/NAME.pt every 50 steps and can go on from there with --resume, also with another number of steps.
The learning rate falls evenly from the warm-up to --horizon.
"""

import argparse
import collections
import itertools
import json
import math
import os
import random
import time

import numpy as np
import torch
import torch.nn.functional as F

from augment import Augmenter
from data import MODEL, WORK
from model import DOCUMENT_TOKENS, QUERY_TOKENS, Tokenizer, load_base, pad
from skills import document

DUPLICATE = 0.75  # skills more alike than this (TF-IDF) are never each other's negatives
SCALE = 25.0  # cosine to logit
# A step has so many skills with two messages each, as many hard negatives of each, families of pseudo-queries, and single ones.
SIZE = {"skills": 24, "negatives": 1, "families": 1, "single": 8}
# How much it counts that a skill is nearer to its own messages than to other ones, its near message among them.
BACKWARD = 0.5
FAMILY = 5  # some pseudo-queries come in families of skills that are alike, with their words unchanged
# Others come alone, with words changed: in a family they could mean any member
ALIKE = 0.3  # ... and skills more alike than this are no negatives for them
DOUBT = 0.15  # nor is a skill that is closer to a pseudo-query than its own skill by this much: it may be right too
# Near messages are shorter than others. Short pseudo-queries of the same skills keep length from telling them apart.
SHORT = {"quote", "when", "bullet", "clause"}
GROUP_WEIGHT = {"queries": 1.0, "written": 2.0}
KIND_WEIGHT = {"quote": 1.0, "when": 1.2, "clause": 1.0, "claim": 1.0, "bullet": 1.4, "heading": 0.7, "sentence": 0.7}


class Batches:
    def __init__(self, options, seed):
        self.random = random.Random(seed)
        self.augmenter = Augmenter(self.random)
        read = lambda name: json.load(open(f"{WORK}/{name}.json"))
        self.skills, pairs, labelled = read("skills"), read("pairs"), read("labelled")
        self.likeness = np.load(f"{WORK}/likeness.npy", mmap_mode="r")
        self.clusters = [s["cluster"] for s in self.skills]
        self.pairs = collections.defaultdict(list)
        for pair in pairs:
            self.pairs[pair["skill"]].append(pair)
        self.sources = list(self.pairs)
        # A repository of thousands of skills from one template counts by the root of its size.
        repository = lambda skill: self.skills[skill]["id"].split("__")[-2]
        sizes = collections.Counter(map(repository, self.sources))
        self.source_weights = list(itertools.accumulate(sizes[repository(s)] ** -0.5 for s in self.sources))
        self.neighbours = self.alike()
        if options.mined:
            mined = read("mined")
            for message in labelled:
                message["negatives"] = mined["messages"][message["id"]] + message["negatives"][:4]
            for skill, row in mined["skills"].items():
                self.neighbours[int(skill)] = row + self.neighbours[int(skill)][:4]
        groups = [options.only] if options.only else list(GROUP_WEIGHT)
        self.labelled = [m for m in labelled if m["group"] in groups]
        size = collections.Counter(m["source"] for m in self.labelled)
        self.weights = [GROUP_WEIGHT[m["group"]] * size[m["source"]] ** -0.5 for m in self.labelled]
        self.companions = collections.defaultdict(list)
        for message in self.labelled:
            if message["group"] == "written":
                self.companions[message["gold"][0]].append(message)
        self.near = {int(skill): texts for skill, texts in read("near").items()} if "written" in groups else {}
        print(len(pairs), "pseudo-queries,", len(self.labelled), "messages,", len(self.near), "skills with a near message", flush=True)

    def alike(self):
        """Skill -> the skills with pseudo-queries that are most like it but no copies."""
        neighbours = {}
        open_skills = np.array(self.sources)
        for skill in self.sources:
            row = self.likeness[skill][open_skills]
            near = open_skills[np.argsort(-row)[:25]]
            neighbours[skill] = [int(n) for n in near if n != skill and not self.copies(skill, n)][:12]
        return neighbours

    def copies(self, a, b):
        return self.clusters[a] == self.clusters[b] or self.likeness[a, b] > DUPLICATE

    def next(self):
        """Messages, documents, the column of each message's answer, which pairs must not be told apart; the same backward."""
        texts, answers, right, alike = [], [], [], []  # a row each
        columns, documents, extra, used = [], [], [], set()
        while len(columns) < SIZE["skills"]:
            message = self.random.choices(self.labelled, self.weights)[0]
            gold = self.random.choice(message["gold"])
            if self.clusters[gold] in used:
                continue
            used.add(self.clusters[gold])
            others = [m for m in self.companions[gold] if m is not message] if message["group"] == "written" else []
            wrongs = []
            for one in [message] + self.random.sample(others, min(1, len(others))):
                texts.append(self.augmenter.message(one["text"], self.skills[gold]))
                answers.append(len(columns))
                right.append({self.clusters[g] for g in one["all_gold"]})
                alike.append(DUPLICATE)
                wrong = [n for n in one["negatives"] if self.clusters[n] not in right[-1] and not self.copies(gold, n)]
                wrongs += wrong[:12]
            extra += self.random.sample(wrongs, min(SIZE["negatives"], len(wrongs)))
            short = [p for p in self.pairs[gold] if p["kind"] in SHORT] if gold in self.near else []
            if short:
                texts.append(self.augmenter.opening(self.random.choice(short)["text"], self.skills[gold]))
                answers.append(len(columns))
                right.append({self.clusters[gold]})
                alike.append(ALIKE)
            columns.append(gold)
            documents.append(document(self.skills[gold]))
        labelled = len(texts)

        def add(skill, single):
            if self.clusters[skill] in used or not self.pairs[skill]:
                return
            used.add(self.clusters[skill])
            options = self.pairs[skill]
            pair = self.random.choices(options, [KIND_WEIGHT[p["kind"]] for p in options])[0]
            change = self.augmenter.pseudo_query if single else self.augmenter.opening
            texts.append(change(pair["text"], self.skills[skill]))
            answers.append(len(columns))
            right.append({self.clusters[skill]})
            alike.append(ALIKE if single or pair["kind"] in ("heading", "sentence") else DUPLICATE)
            nameless = "" if single and self.random.random() < 0.15 else None
            columns.append(skill)
            documents.append(document(self.skills[skill], pair["description"], nameless))

        for first in self.draw(SIZE["families"]):
            near = self.neighbours[first]
            for skill in [first] + self.random.sample(near, min(FAMILY - 1, len(near))):
                add(skill, False)
        for skill in self.draw(SIZE["single"]):
            add(skill, True)
        columns += extra
        documents += [document(self.skills[e]) for e in extra]
        mask = self.mask(answers, right, alike, columns)
        owners = [c for c in columns[: SIZE["skills"]] if c in self.near]
        near = [self.random.choice(self.near[skill]) for skill in owners]
        rows = answers[:labelled]
        return texts, documents, near, torch.tensor(answers), mask, self.backward_mask(rows, answers, columns, mask, owners)

    def backward_mask(self, rows, answers, columns, mask, owners):
        """-10000 where a message, or a near message, is no wrong one for the skill of a row."""
        answers, columns = np.array(answers), np.array(columns)
        own = np.array(rows)
        messages = mask.numpy()[:, own].T < -1
        messages |= own[:, None] == answers[None, :]
        messages[np.arange(len(own)), np.arange(len(own))] = False
        near = self.likeness[columns[own]][:, np.array(owners, dtype=int)] > ALIKE
        near &= columns[own][:, None] != np.array(owners, dtype=int)[None, :]
        return torch.from_numpy(np.concatenate([messages, near], 1)).float() * -1e4

    def draw(self, count):
        return self.random.choices(self.sources, cum_weights=self.source_weights, k=count)

    def mask(self, answers, right, alike, columns):
        """-10000 where a column's skill is right for the row's message too, or too much like its answer."""
        close = self.likeness[np.array(columns)[answers]][:, np.array(columns)] > np.array(alike)[:, None]
        for row, clusters in enumerate(right):
            for column, skill in enumerate(columns):
                if self.clusters[skill] in clusters:
                    close[row, column] = True
            close[row, answers[row]] = False
        return torch.from_numpy(close).float() * -1e4


def encode(encoder, tokenizer, texts, limit):
    """In two batches by length, so that short texts are not padded to the longest."""
    rows = [tokenizer.encode(text, limit) for text in texts]
    order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
    cut = len(order) * (3 if limit == QUERY_TOKENS else 2) // 5
    vectors = [None] * len(rows)
    for group in (order[:cut], order[cut:]):
        for i, vector in zip(group, encoder(*pad([rows[i] for i in group]), dropout=0.05)):
            vectors[i] = vector
    return torch.stack(vectors)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--start", help="a checkpoint to take the weights from; the published weights by default")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--only", help="train on the messages of this group alone, for example `written`")
    parser.add_argument("--mined", action="store_true", help="use the hard negatives of mine.py")
    parser.add_argument("--rate", type=float, default=5e-5)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--horizon", type=int, help="the step at which the learning rate is nothing; --steps by default")
    options = parser.parse_args()
    options.horizon = options.horizon or options.steps
    torch.set_num_threads(int(os.environ.get("THREADS", "2")))
    path = f"{WORK}/{options.out}.pt"
    encoder, step = load_base(MODEL), 0
    encoder.half = True
    for table in (encoder.words, encoder.positions, encoder.types):
        table.weight.requires_grad_(False)
    trained = [p for p in encoder.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, options.rate, weight_decay=0.01)
    seconds = 0.0
    if options.resume and os.path.exists(path):
        saved = torch.load(path)
        encoder.load_state_dict(saved["encoder"])
        optimizer.load_state_dict(saved["optimizer"])
        step, seconds = saved["step"], saved["seconds"]
    elif options.start:
        encoder.load_state_dict(torch.load(options.start)["encoder"])
    torch.manual_seed(options.seed + step)
    batches, tokenizer = Batches(options, options.seed + step), Tokenizer(MODEL)
    began, log = time.time() - seconds, collections.deque(maxlen=20)
    first = step

    def save():
        state = {"encoder": encoder.state_dict(), "optimizer": optimizer.state_dict(), "step": step, "seconds": time.time() - began}
        torch.save(state, path + ".part")
        os.replace(path + ".part", path)

    while step < options.steps:
        for group in optimizer.param_groups:
            group["lr"] = options.rate * min(1.0, (step - first + 1) / 25) * max(0.02, 1 - step / options.horizon)
        texts, documents, near, answers, mask, backward_mask = batches.next()
        queries = encode(encoder, tokenizer, texts + near, QUERY_TOKENS)
        answered = 1 + int(answers.max())
        vectors = encode(encoder, tokenizer, documents[:answered], DOCUMENT_TOKENS)
        with torch.no_grad():  # the gradient of wrong answers through their messages is enough, and half the price
            vectors = torch.cat([vectors, encode(encoder, tokenizer, documents[answered:], DOCUMENT_TOKENS)])
        cosines = queries[: len(texts)] @ vectors.T
        messages = len(backward_mask)
        with torch.no_grad():
            doubtful = cosines > cosines.gather(1, answers[:, None]) + DOUBT
            doubtful[:messages] = False
        logits = cosines * SCALE + mask + doubtful.float() * -1e4
        losses = F.cross_entropy(logits, answers, reduction="none")
        backward = vectors[answers[:messages]] @ queries.T * SCALE + backward_mask
        backward_losses = F.cross_entropy(backward, torch.arange(messages), reduction="none")
        optimizer.zero_grad()
        (losses.mean() + BACKWARD * backward_losses.mean()).backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        step += 1
        correct = (logits.argmax(1) == answers).float().mean().item()
        log.append((losses[messages:].mean().item(), losses[:messages].mean().item(), correct, backward_losses.mean().item()))
        if math.isnan(log[-1][0]):
            raise SystemExit("the loss is not a number")
        if step % 20 == 0 or step - first in (2, 5):
            means = np.mean(log, axis=0)
            print(step, f"{time.time() - began:.0f}s", len(texts), len(documents),
                  "pseudo %.3f messages %.3f right %.3f backward %.3f" % tuple(means), flush=True)
        if step % 50 == 0:
            save()
            if step % 100 == 0:
                torch.save({"encoder": encoder.state_dict()}, f"{WORK}/{options.out}-{step}.pt")
    save()


if __name__ == "__main__":
    main()
