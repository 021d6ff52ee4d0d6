"""`inspector policies`: which policies there are, and what may be set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from inspector.cli.options import FILE, as_json, example
from inspector.cli.output import Trouble, table, write, write_json
from inspector.cli.reading import read_session

if TYPE_CHECKING:
    from inspector.policies import Param, Policy


@click.command(
    epilog=example("inspector policies cascade", "inspector policies --for session.jsonl", "inspector policies --json")
)
@click.argument("name", required=False)
@click.option(
    "--for",
    "session",
    type=FILE,
    metavar="SESSION",
    help="Those of the tool that recorded SESSION first, then the rest.",
)
@as_json
def command(name: str | None, session: str | None, as_json: bool) -> int:
    """List the policies and their parameters.

    With NAME, that policy alone.
    """
    from inspector.policies import POLICIES, UnknownPolicy, offered_for, policy_named

    if name and session:
        raise click.UsageError("NAME and --for exclude each other")
    order = offered_for(read_session(session, None, 0, None).format) if session else tuple(POLICIES)
    try:
        chosen = [policy_named(one) for one in ([name] if name else order)]
    except UnknownPolicy as fault:
        raise Trouble(str(fault)) from None
    if as_json:
        write_json({"policies": [_document(policy) for policy in chosen]})
    else:
        write("\n\n".join(map(_shown, chosen)))
    return 0


def _document(policy: Policy) -> dict[str, Any]:
    return {
        "name": policy.name,
        "mode": policy.mode,
        "help": policy.help,
        "protects": policy.protects,
        "source": policy.source,
        "product": policy.product.name if policy.product else None,
        "params": [_param(param) for param in policy.params],
    }


def _param(param: Param) -> dict[str, Any]:
    """A parameter. `low` to `limit` is the legal range; `high` ends the slider, null where the session decides it."""
    return {
        "name": param.name,
        "unit": param.unit,
        "kind": param.kind,
        "default": param.default,
        "choices": list(param.choices),
        "low": param.low if param.is_number else None,
        "high": None if callable(param.high) or not param.is_number else param.high,
        "limit": param.limit,
        "step": param.step if param.is_number else None,
        "scale": param.scale,
        "only_if_given": param.only_if_given,
        "help": param.help,
    }


def _shown(policy: Policy) -> str:
    rows = [(f"  {p.name}", _default(p), p.unit, _range(p), p.help) for p in policy.params]
    head = f"{policy.name} ({policy.mode})\n  {policy.help}"
    protects = f"\n  Never touches {policy.protects}." if policy.protects else ""
    return f"{head}{protects}{_taken(policy)}\n\n{table(rows, right=(1,))}"


def _taken(policy: Policy) -> str:
    product = policy.product
    return f"\n  {product.title} takes its settings: settings -p {policy.name} --for {product.name}" if product else ""


def _default(param: Param) -> str:
    default = param.default
    if isinstance(default, bool):
        return "yes" if default else "no"
    return f"{default:,}" if isinstance(default, int | float) else default or "none"


def _range(param: Param) -> str:
    if param.kind in ("text", "line"):
        return "a text, or @FILE"
    if param.kind == "choice":
        return param.wanted().removeprefix("one of ")
    return f"{param.low:,} to {param.limit:,}" if param.limit is not None else f"{param.low:,} or more"
