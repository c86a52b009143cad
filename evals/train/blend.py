"""Blends a checkpoint with the published weights, which keeps more of what they knew: python3 blend.py IN.pt OUT.pt SHARE"""

import sys

import torch

from data import MODEL
from model import load_base, load_checkpoint


def main():
    source, target, share = sys.argv[1], sys.argv[2], float(sys.argv[3])
    base, tuned = load_base(MODEL).state_dict(), load_checkpoint(source).state_dict()
    torch.save({"encoder": {k: (1 - share) * base[k] + share * tuned[k] for k in tuned}}, target)


if __name__ == "__main__":
    main()
