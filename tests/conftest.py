"""Settings for all tests: hypothesis gives the same examples each time, and no deadline on a busy machine.

DEPYF_EXAMPLES=N multiplies the examples and makes them random, for a longer search by hand.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

_factor = int(os.environ.get("DEPYF_EXAMPLES", "0"))

settings.register_profile(
    "steady", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "search", deadline=None, max_examples=100 * max(1, _factor), suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("search" if _factor else "steady")
