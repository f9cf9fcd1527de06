"""A program with a graph break, two shapes, and training; its argument is the dump directory."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import torch

import depyf

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))


@torch.compile
def step(x):
    y = model(x)
    torch._dynamo.graph_break()
    return (y**2).mean()


with depyf.prepare_debug(sys.argv[1]):
    step(torch.ones(3, 4)).backward()
    step(torch.ones(5, 4)).backward()
