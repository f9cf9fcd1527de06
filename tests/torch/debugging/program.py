"""What the real debuggers step through: compiled inside prepare_debug, then run inside debug().

    python program.py BACKEND DUMP_DIRECTORY [debugpy]

With `debugpy`, it listens on a free port, prints it, and waits for a client.
"""

import sys

import torch

import depyf

backend, dump = sys.argv[1:3]


@torch.compile(backend=backend)
def toy(a, b):
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b


def main(size):
    for sign in (1, -1):
        a = torch.randn(size, requires_grad=True)
        toy(a, torch.ones(size) * sign).sum().backward()


if sys.argv[3:] == ["debugpy"]:
    import debugpy

    debugpy.configure(subProcess=False)  # Inductor asks subprocesses what the processor can do
    print("port", debugpy.listen(("127.0.0.1", 0))[1], flush=True)
    debugpy.wait_for_client()

with depyf.prepare_debug(dump):
    main(10)
with depyf.debug():
    main(10)
    main(7)  # no entry fits: it runs uncompiled
print("finished", flush=True)
