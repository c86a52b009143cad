"""Makes a checkpoint of the encoder in the package, to train on from there: python3 start.py data/encoder/encoder.bin OUT.pt"""

import struct
import sys

import numpy as np
import torch

from data import MODEL
from model import POSITIONS, load_base

# As in src/embedders/encoder/weights.ts and kernels.ts.
HEADER_BYTES, ALIGNMENT, STEP, TILE_ROWS = 128, 16, 8, 2


def parts_of(width, inner, layers, pieces, positions):
    """(name, kind, rows, columns) of all parts in the file's order."""
    parts = [("words", "table", pieces, width), ("positions", "floats", positions, width)]
    parts += [("norm.gain", "floats", 1, width), ("norm.bias", "floats", 1, width)]
    for layer in range(layers):
        for name, rows, columns in (("attention", 3 * width, width), ("out", width, width), ("norm1", 0, width),
                                    ("up", inner, width), ("down", width, inner), ("norm2", 0, width)):
            name = f"{layer}.{name}"
            if rows:
                parts += [(name, "matrix", rows, columns), (f"{name}.bias", "floats", 1, rows)]
            else:
                parts += [(f"{name}.gain", "floats", 1, columns), (f"{name}.bias", "floats", 1, columns)]
    return parts


def read_parts(path):
    raw = open(path, "rb").read()
    width, inner, layers, pieces, positions, vocabulary_bytes = struct.unpack("<6I", raw[16:40])
    at = HEADER_BYTES

    def take(count, kind):
        nonlocal at
        values = np.frombuffer(raw, kind, count, at).astype(np.float32)
        at = -(-(at + values.size * np.dtype(kind).itemsize) // ALIGNMENT) * ALIGNMENT
        return values

    take(vocabulary_bytes, np.int8)
    parts = {}
    for name, kind, rows, columns in parts_of(width, inner, layers, pieces, positions):
        if kind == "floats":
            parts[name] = take(rows * columns, np.float32).reshape(rows, columns)
            continue
        scales, values = take(rows, np.float32), take(rows * columns, np.int8)
        if kind == "matrix":  # rows in pairs, eight values of each in turn
            values = values.reshape(rows // TILE_ROWS, columns // STEP, TILE_ROWS, STEP).transpose(0, 2, 1, 3)
        parts[name] = values.reshape(rows, columns) * scales[:, None]
    return parts, layers


def main():
    source, target = sys.argv[1:]
    parts, layers = read_parts(source)
    state = load_base(MODEL).state_dict()
    put = lambda name, values: state.__setitem__(name, torch.tensor(np.ascontiguousarray(values)).reshape(state[name].shape))
    put("words.weight", parts["words"])
    known = parts["positions"]  # with the vector of type 0, which every token has
    put("positions.weight", np.concatenate([known, np.zeros((POSITIONS - len(known), known.shape[1]), np.float32)]))
    put("types.weight", np.zeros((2, known.shape[1]), np.float32))
    put("norm.weight", parts["norm.gain"])
    put("norm.bias", parts["norm.bias"])
    for layer in range(layers):
        for part, end in (("weight", ""), ("bias", ".bias")):
            joined = parts[f"{layer}.attention{end}"].reshape(3, -1)
            for name, values in zip(("query", "key", "value"), joined):
                put(f"layers.{layer}.{name}.{part}", values)
            for name in ("out", "up", "down"):
                put(f"layers.{layer}.{name}.{part}", parts[f"{layer}.{name}{end}"])
        for norm in ("norm1", "norm2"):
            put(f"layers.{layer}.{norm}.weight", parts[f"{layer}.{norm}.gain"])
            put(f"layers.{layer}.{norm}.bias", parts[f"{layer}.{norm}.bias"])
    torch.save({"encoder": state}, target)


if __name__ == "__main__":
    main()
