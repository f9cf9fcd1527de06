"""A small function that torch.compile cannot take in one piece: it branches on the value of a tensor.

python examples/toy.py [FOLDER [BACKEND]]
"""

import sys

import torch

import depyf


def toy_example(a, b):
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b


def main(folder="./dump_src_dir", backend="inductor"):
    torch.manual_seed(0)
    compiled = torch.compile(toy_example, backend=backend)
    with depyf.prepare_debug(folder):
        for _ in range(100):
            compiled(torch.randn(10), torch.randn(10))


if __name__ == "__main__":
    main(*sys.argv[1:])
