"""No test is timed: properties have no deadline, since the first count of a run loads ranks and machines are shared.

In CI the examples are the same in every run, so that a run tells about the change and not about its luck; elsewhere
they are new ones each time, which is how faults are found.
"""

import os

from hypothesis import settings

settings.register_profile("untimed", deadline=None, max_examples=70, derandomize=bool(os.environ.get("CI")))
settings.load_profile("untimed")
