"""How one JSON value becomes another, as patches: only what differs is written anew, the rest keeps its bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from inspector.change import Doing, Patch, Site, removed, replaced
from inspector.formats.lenient import step


def differences(site: Site, before: Any, after: Any) -> Iterator[Patch]:
    """The patches that make `after` of the value `before` that stands at a site."""
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _of_objects(site, before, after)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _of_lists(site, before, after)
    elif not same(before, after):
        yield replaced(site, after)


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same in JSON: 1, 1.0 and true are not."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one is other or (one.keys() == other.keys() and all(same(held, other[key]) for key, held in one.items()))
    if isinstance(one, list):
        return one is other or (len(one) == len(other) and all(map(same, one, other)))
    return bool(one == other or (one != one and other != other))


def _of_objects(site: Site, before: dict[str, Any], after: dict[str, Any]) -> Iterator[Patch]:
    for key, held in before.items():
        if key not in after:
            yield removed(site.under(step(key)))
        elif held is not after[key]:
            yield from differences(site.under(step(key)), held, after[key])
    for key, held in after.items():
        if key not in before:
            yield replaced(site.under(step(key)), held)


def _of_lists(site: Site, before: list[Any], after: list[Any]) -> Iterator[Patch]:
    """Elements alike at both ends stay; between them one takes the place of another as far as both go."""
    short = min(len(before), len(after))
    start = next((place for place in range(short) if not same(before[place], after[place])), short)
    rest = short - start
    tail = next((place for place in range(rest) if not same(before[-1 - place], after[-1 - place])), rest)
    old, new = before[start : len(before) - tail], after[start : len(after) - tail]
    for place, (was, now) in enumerate(zip(old, new, strict=False), start):
        here = site.under(f"/{place}")
        if _alike(was, now):
            yield from differences(here, was, now)
        else:
            yield replaced(here, now)
    both = min(len(old), len(new))
    for place in range(start + both, start + len(old)):
        yield removed(site.under(f"/{place}"))
    if len(new) > both:
        yield Patch(site.under(f"/{start + len(old)}"), Doing.BEFORE, tuple(new[both:]))


def _alike(one: Any, other: Any) -> bool:
    """Whether one element may be turned into another, rather than be written anew."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.get("type") == other.get("type") and not one.keys().isdisjoint(other)
    return isinstance(one, list) and isinstance(other, list)
