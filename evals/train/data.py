"""Reads the evaluation data and says what may be trained on. Nothing here reads a held message's words."""

import hashlib
import json
import os

EVAL = os.environ.get("EVAL", "../eval")  # the folder with queries.jsonl, duplicates.json, ...
SPLIT = os.environ.get("SPLIT", "../split")  # tune/*.jsonl and held/*.jsonl
SKILLS = os.environ.get("SKILLS", "../skills")  # <id>/SKILL.md
MODEL = os.environ.get("MODEL", "../model")  # tokenizer.json, model.fp16.safetensors
WORK = os.environ.get("WORK", ".work")  # everything that is written

HELD_LIBRARIES = ("everyday-dynatrace", "everyday-generalist", "everyday-mac-assistant")
# Libraries whose messages are not trained on either, so that tuning has an honest figure.
DEV_LIBRARIES = 2
DEV_PERCENT = 25


def lines(path):
    return [json.loads(line) for line in open(path, encoding="utf-8")]


def percent(text):
    return int(hashlib.sha1(("x" + text).encode()).hexdigest(), 16) % 100


class Data:
    def __init__(self):
        self.cluster = json.load(open(f"{EVAL}/duplicates.json"))
        self.libraries = json.load(open(f"{EVAL}/everyday-libraries.json"))
        self.queries = lines(f"{EVAL}/queries.jsonl")
        self.tune = {name: lines(f"{SPLIT}/tune/{name}.jsonl") for name in ("everyday", "paraphrase", "foreign", "siblings")}

    def cluster_of(self, skill):
        return self.cluster.get(skill, skill)

    def held_clusters(self):
        """Clusters that may be negatives only: the held sets' right answers and the held libraries' skills."""
        held = {self.cluster_of(s) for library in HELD_LIBRARIES for s in self.libraries[library]}
        for name in ("everyday", "paraphrase", "foreign", "siblings"):
            for message in lines(f"{SPLIT}/held/{name}.jsonl"):
                held.update(self.cluster_of(s) for s in message.get("gold") or [])
        return held

    def dev_queries(self):
        return [q for q in self.queries if percent(self.cluster_of(q["gold"][0])) < DEV_PERCENT]

    def dev_libraries(self):
        names = sorted({m["source"] for m in self.tune["everyday"]}, key=percent)
        return names[:DEV_LIBRARIES]

    def is_dev(self, message):
        """True if a message of a tune set is measured and not trained on."""
        if message["source"].startswith("everyday"):
            return message["source"] in self.dev_libraries()
        return percent(self.cluster_of(message["gold"][0])) < DEV_PERCENT

    def dev_clusters(self):
        """Right answers of messages that are measured while tuning: no positives in training."""
        dev = {self.cluster_of(q["gold"][0]) for q in self.dev_queries()}
        for messages in self.tune.values():
            dev.update(self.cluster_of(m["gold"][0]) for m in messages if m["gold"] and self.is_dev(m))
        for library in self.dev_libraries():
            dev.update(self.cluster_of(s) for s in self.libraries[library])
        return dev
