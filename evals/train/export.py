"""Writes a checkpoint as plain floats for pack.ts, which quantises it: python3 export.py CHECKPOINT.pt|base FOLDER"""

import json
import os
import sys

import numpy as np

from data import MODEL
from model import DOCUMENT_TOKENS, INNER, QUERY_TOKENS, WIDTH, Tokenizer, load_base, load_checkpoint

POSITIONS = 128  # no text is longer


def main():
    source, folder = sys.argv[1:]
    encoder = load_base(MODEL) if source == "base" else load_checkpoint(source)
    state = {name: tensor.float().numpy() for name, tensor in encoder.state_dict().items()}
    parts = {
        "words": state["words.weight"],
        # Every token is of type 0, so its vector is part of the positions.
        "positions": state["positions.weight"][:POSITIONS] + state["types.weight"][0],
        "norm.gain": state["norm.weight"],
        "norm.bias": state["norm.bias"],
    }
    layers = len(encoder.layers)
    for layer in range(layers):
        of = lambda name: state[f"layers.{layer}.{name}"]
        for ours, theirs in (("attention", None), ("out", "out"), ("up", "up"), ("down", "down")):
            for part, end in (("weight", ""), ("bias", ".bias")):
                joined = [of(f"{n}.{part}") for n in ("query", "key", "value")] if theirs is None else [of(f"{theirs}.{part}")]
                parts[f"{layer}.{ours}{end}"] = np.concatenate(joined)
        for norm in ("norm1", "norm2"):
            parts[f"{layer}.{norm}.gain"], parts[f"{layer}.{norm}.bias"] = of(f"{norm}.weight"), of(f"{norm}.bias")
    vocabulary = Tokenizer(MODEL).vocabulary
    pieces = sorted(vocabulary, key=vocabulary.get)
    os.makedirs(folder, exist_ok=True)
    index, at = {}, 0
    with open(f"{folder}/floats.bin", "wb") as file:
        for name, values in parts.items():
            file.write(np.ascontiguousarray(values, np.float32).tobytes())
            index[name] = [at, values.size]
            at += values.size
    shape = {"width": WIDTH, "inner": INNER, "layers": layers, "pieces": len(pieces), "positions": POSITIONS,
             "messageTokens": QUERY_TOKENS, "documentTokens": DOCUMENT_TOKENS}
    json.dump({"shape": shape, "vocabulary": pieces, "parts": index}, open(f"{folder}/floats.json", "w"))


if __name__ == "__main__":
    main()
