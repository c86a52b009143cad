"""Contrastive fine-tuning of the encoder on the processor.

    python3 train.py --out NAME --steps 1000 [--resume] [--tune] [--horizon 1000] [--mined]

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
# First the messages of `queries` only, with two hard negatives each; with --tune more messages with one each.
FIRST = {"messages": 12, "negatives": 2, "families": 4, "single": 28}
SECOND = {"messages": 24, "negatives": 1, "families": 3, "single": 18}
FAMILY = 5  # some pseudo-queries come in families of skills that are alike, with their words unchanged
# Others come alone, with words changed: in a family they could mean any member
ALIKE = 0.3  # ... and skills more alike than this are no negatives for them
DOUBT = 0.15  # nor is a skill that is closer to a pseudo-query than its own skill by this much: it may be right too
GROUP_WEIGHT = {"queries": 1.0, "everyday": 1.6, "paraphrase": 2.0, "foreign": 1.2, "siblings": 1.2, "written": 2.0}
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
        groups = [options.only] if options.only else list(GROUP_WEIGHT) if options.tune else ["queries"]
        self.labelled = [m for m in labelled if m["group"] in groups]
        size = collections.Counter(m["source"] for m in self.labelled)
        self.weights = [GROUP_WEIGHT[m["group"]] * size[m["source"]] ** -0.5 for m in self.labelled]
        self.size = FIRST if groups == ["queries"] else SECOND
        print(len(pairs), "pseudo-queries,", len(self.labelled), "messages", flush=True)

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
        """Texts of messages, documents (the first ones answer the messages) and which pairs must not be told apart."""
        texts, answers, right, documents = [], [], [], []
        extra = []
        for message in self.random.choices(self.labelled, self.weights, k=self.size["messages"]):
            gold = self.random.choice(message["gold"])
            texts.append(self.augmenter.message(message["text"], self.skills[gold]))
            answers.append(gold)
            right.append({self.clusters[g] for g in message["all_gold"]})
            documents.append(document(self.skills[gold]))
            wrong = [n for n in message["negatives"] if self.clusters[n] not in right[-1] and not self.copies(gold, n)]
            extra += self.random.sample(wrong[:12], min(self.size["negatives"], len(wrong[:12])))
        used = {self.clusters[a] for a in answers}
        alike = [DUPLICATE] * len(texts)

        def add(skill, single):
            if self.clusters[skill] in used or skill not in self.pairs:
                return
            used.add(self.clusters[skill])
            options = self.pairs[skill]
            pair = self.random.choices(options, [KIND_WEIGHT[p["kind"]] for p in options])[0]
            change = self.augmenter.pseudo_query if single else self.augmenter.opening
            texts.append(change(pair["text"], self.skills[skill]))
            answers.append(skill)
            right.append({self.clusters[skill]})
            alike.append(ALIKE if single or pair["kind"] in ("heading", "sentence") else DUPLICATE)
            nameless = "" if single and self.random.random() < 0.15 else None
            documents.append(document(self.skills[skill], pair["description"], nameless))

        for first in self.draw(self.size["families"]):
            near = self.neighbours[first]
            for skill in [first] + self.random.sample(near, min(FAMILY - 1, len(near))):
                add(skill, False)
        for skill in self.draw(self.size["single"]):
            add(skill, True)
        documents += [document(self.skills[e]) for e in extra]
        columns = answers + extra
        return texts, documents, self.mask(answers, right, alike, columns)

    def draw(self, count):
        return self.random.choices(self.sources, cum_weights=self.source_weights, k=count)

    def mask(self, answers, right, alike, columns):
        """-10000 where a column's skill is right for the row's message too, or too much like its answer."""
        close = self.likeness[np.array(answers)][:, np.array(columns)] > np.array(alike)[:, None]
        for row, clusters in enumerate(right):
            for column, skill in enumerate(columns):
                if self.clusters[skill] in clusters:
                    close[row, column] = True
            close[row, row] = False
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
    parser.add_argument("--start", help="a checkpoint to take the weights and the step from")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--tune", action="store_true", help="train on the tune sets too")
    parser.add_argument("--only", help="train on the messages of this group alone, for example `written`")
    parser.add_argument("--mined", action="store_true", help="use the hard negatives of mine.py")
    parser.add_argument("--rate", type=float, default=6e-5)
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
    source = path if options.resume and os.path.exists(path) else options.start
    seconds = 0.0
    if source:
        saved = torch.load(source)
        encoder.load_state_dict(saved["encoder"])
        optimizer.load_state_dict(saved["optimizer"])
        step, seconds = saved["step"], saved["seconds"]
    torch.manual_seed(3 + step)
    batches, tokenizer = Batches(options, 3 + step), Tokenizer(MODEL)
    began, log = time.time() - seconds, collections.deque(maxlen=20)
    first = step

    def save():
        state = {"encoder": encoder.state_dict(), "optimizer": optimizer.state_dict(), "step": step, "seconds": time.time() - began}
        torch.save(state, path + ".part")
        os.replace(path + ".part", path)

    while step < options.steps:
        for group in optimizer.param_groups:
            group["lr"] = options.rate * min(1.0, (step - first + 1) / 25) * max(0.02, 1 - step / options.horizon)
        texts, documents, mask = batches.next()
        queries = encode(encoder, tokenizer, texts, QUERY_TOKENS)
        vectors = encode(encoder, tokenizer, documents, DOCUMENT_TOKENS)
        cosines = queries @ vectors.T
        messages = batches.size["messages"]
        with torch.no_grad():
            doubtful = cosines > cosines.diagonal()[:, None] + DOUBT
            doubtful[:messages] = False
        logits = cosines * SCALE + mask + doubtful.float() * -1e4
        losses = F.cross_entropy(logits, torch.arange(len(texts)), reduction="none")
        optimizer.zero_grad()
        losses.mean().backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        step += 1
        correct = (logits.argmax(1) == torch.arange(len(texts))).float().mean().item()
        log.append((losses[messages:].mean().item(), losses[:messages].mean().item(), correct))
        if math.isnan(log[-1][0]):
            raise SystemExit("the loss is not a number")
        if step % 20 == 0 or step - first in (2, 5):
            means = np.mean(log, axis=0)
            print(step, f"{time.time() - began:.0f}s", len(texts), len(documents),
                  "pseudo %.3f messages %.3f right %.3f" % tuple(means), flush=True)
        if step % 50 == 0:
            save()
            if step % 200 == 0:
                torch.save({"encoder": encoder.state_dict()}, f"{WORK}/{options.out}-{step}.pt")
    save()


if __name__ == "__main__":
    main()
