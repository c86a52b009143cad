"""Weighted mean of checkpoints, which keeps more of what each knew: python3 blend.py OUT.pt SHARE IN.pt [SHARE IN.pt ...]"""

import sys

import torch

from model import load_checkpoint


def main():
    target, *rest = sys.argv[1:]
    total = {}
    for share, source in zip(rest[::2], rest[1::2]):
        for name, values in load_checkpoint(source).state_dict().items():
            total[name] = total.get(name, 0) + float(share) * values
    torch.save({"encoder": total}, target)


if __name__ == "__main__":
    main()
