"""Reads the evaluation data and the written messages, and says what may be trained on."""

import hashlib
import json
import os

EVAL = os.environ.get("EVAL", "../eval")  # the folder with queries.jsonl, duplicates.json, ...
SKILLS = os.environ.get("SKILLS", "../skills")  # <id>/SKILL.md
MODEL = os.environ.get("MODEL", "../model")  # tokenizer.json, model.fp16.safetensors
WORK = os.environ.get("WORK", ".work")  # everything that is written
WRITTEN = os.environ.get("WRITTEN") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "messages.jsonl")

# Public sets that are measured and never trained on.
MEASURED = ("everyday", "paraphrase", "foreign", "siblings")
# The shares of skills, by the hash of their cluster, that are for choosing: of those that `queries` asks for, and of all.
QUERIES_DEV_PERCENT, DEV_PERCENT = 25, 15


def lines(path):
    return [json.loads(line) for line in open(path, encoding="utf-8")]


def percent(text):
    return int(hashlib.sha1(("x" + text).encode()).hexdigest(), 16) % 100


class Data:
    def __init__(self):
        self.cluster = json.load(open(f"{EVAL}/duplicates.json"))
        self.libraries = json.load(open(f"{EVAL}/everyday-libraries.json"))
        self.queries = lines(f"{EVAL}/queries.jsonl")
        self.measured = {name: [m for m in lines(f"{EVAL}/{name}.jsonl") if m.get("gold")] for name in MEASURED}
        self.written = lines(WRITTEN)

    def cluster_of(self, skill):
        return self.cluster.get(skill, skill)

    def closed_clusters(self):
        """Clusters that may be negatives only: right answers of measured sets, everyday libraries, and dev skills."""
        closed = {self.cluster_of(s) for library in self.libraries.values() for s in library}
        for messages in self.measured.values():
            closed.update(self.cluster_of(s) for m in messages for s in m["gold"])
        closed.update(self.cluster_of(q["gold"][0]) for q in self.queries if self.is_dev(q, "queries"))
        skills = {self.cluster_of(s) for s in os.listdir(SKILLS)}
        return closed | {s for s in skills if percent(s) < DEV_PERCENT}

    def is_dev(self, message, group):
        """True if a message is for choosing; a skill's messages stay together, and so do copies."""
        share = QUERIES_DEV_PERCENT if group == "queries" else DEV_PERCENT
        # The first written messages have no kind. The encoder was trained on them before, so they choose nothing.
        return (group == "queries" or "kind" in message) and percent(self.cluster_of(skill_of(message))) < share


def skill_of(message):
    """The skill that a message is for, or that must not answer it."""
    return (message.get("gold") or message["not"])[0]
