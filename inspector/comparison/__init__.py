"""Several policies, or several settings of one, on the same session: what each would send, and where two part.

Here is what a screen needs at once. `inspector.comparison.outcome` judges a policy with the doctor, the promises and a
replay, `inspector.comparison.listing` makes a table of that; both are imported when they are asked for.
"""

from inspector.comparison.apart import Apart, differing
from inspector.comparison.candidate import Candidate, differences, labels, said, usual

__all__ = ["Apart", "Candidate", "differences", "differing", "labels", "said", "usual"]
