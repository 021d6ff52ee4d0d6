"""No test is timed: properties have no deadline, since the first count of a run loads ranks and machines are shared."""

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
