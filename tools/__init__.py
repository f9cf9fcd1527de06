"""Developer tools: what the Makefile calls, and what tests and benchmarks share. Not installed."""
