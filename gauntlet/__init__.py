"""The gauntlet: hundreds of real model architectures, tiny and random, run plain and under `prepare_debug`.

`python -m gauntlet --help` says what it can do; `make gauntlet` sets up an environment and runs all of it.
"""
