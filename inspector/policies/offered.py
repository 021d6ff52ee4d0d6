"""The policies that there are, by name. A module of the zoo is imported when one of its policies is first asked for:
thirty products would otherwise be paid for at every start.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from inspector.policies.policy import Policy


class Offered(Mapping[str, Policy]):
    """Policies by name, in the order in which they are offered.

    Args:
        ready: policies that are at hand.
        homes: names of further ones, and the modules whose `POLICIES` hold them.
    """

    def __init__(self, ready: Mapping[str, Policy], homes: Mapping[str, str]) -> None:
        self._ready = dict(ready)
        self._homes = homes
        self._names = dict.fromkeys((*ready, *homes))

    def __getitem__(self, name: str) -> Policy:
        if name not in self._ready:
            found: tuple[Policy, ...] = import_module(self._homes[name]).POLICIES
            self._ready.update((policy.name, policy) for policy in found)
        return self._ready[name]

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
