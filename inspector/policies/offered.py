"""The policies that there are, by name. A module is imported when one of its policies is first asked for.

Thirty products would otherwise be paid for at every start.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from inspector.policies.policy import Policy


class Offered(Mapping[str, Policy]):
    """Policies by name, in the order in which they are offered.

    Args:
        homes: the name of each policy, and the module that holds it as its `POLICY` or among its `POLICIES`.
    """

    def __init__(self, homes: Mapping[str, str]) -> None:
        self._homes = homes
        self._ready: dict[str, Policy] = {}

    def __getitem__(self, name: str) -> Policy:
        if name not in self._ready:
            module = import_module(self._homes[name])
            found: tuple[Policy, ...] = getattr(module, "POLICIES", ()) or (module.POLICY,)
            self._ready.update((policy.name, policy) for policy in found)
        return self._ready[name]

    def __contains__(self, name: object) -> bool:
        return name in self._homes

    def __iter__(self) -> Iterator[str]:
        return iter(self._homes)

    def __len__(self) -> int:
        return len(self._homes)
