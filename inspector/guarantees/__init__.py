"""What a policy can be trusted with: promises, checked on one sent view or tried over many settings and sessions."""

from inspector.guarantees.promises import NOWHERE, PROMISES, Broken, Promise, Verdicts, check, promise_named

__all__ = ["NOWHERE", "PROMISES", "Broken", "Promise", "Verdicts", "check", "promise_named"]
