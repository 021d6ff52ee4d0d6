"""What a policy can be trusted with: promises, checked on one sent view or tried over many settings and sessions."""

from inspector.guarantees.promises import NOWHERE, PROMISES, Broken, Promise, Verdicts, check, promise_named
from inspector.guarantees.trial import MIXES, Counterexample, Report, Smallest, Verdict, try_policy

__all__ = [
    "MIXES", "NOWHERE", "PROMISES", "Broken", "Counterexample", "Promise", "Report", "Smallest", "Verdict", "Verdicts",
    "check", "promise_named", "try_policy",
]  # fmt: skip
