"""`inspector settings`: settings as a file for the next call, or as the product of the policy takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from inspector.cli.options import as_json, example, tuning
from inspector.cli.output import Trouble, tell, write, write_json
from inspector.cli.reading import chosen_policy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from inspector.policies import Policy
    from inspector.policies.product import Product


def _products(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from inspector.policies import POLICIES

    chosen = POLICIES.get(ctx.params.get("policy") or "")
    policies = [chosen] if chosen else POLICIES.values()
    products = {policy.product.name: policy.product.title for policy in policies if policy.product}
    return [CompletionItem(name, help=title) for name, title in products.items() if name.startswith(incomplete)]


@click.command(
    epilog=example(
        "inspector settings -p cascade -s target_tokens=16000 > settings.toml",
        "inspector settings -p langchain-clear -s trigger=60000 --for langchain",
        "inspector settings -p anthropic-clear-tools -s @settings.toml --for anthropic",
    )
)
@tuning
@click.option(
    "--for", "product", metavar="PRODUCT", shell_complete=_products,
    help="As the product takes them: its own call, configuration file or part of a request.",
)  # fmt: skip
@as_json
def command(policy: str | None, given: tuple[str, ...], product: str | None, as_json: bool) -> int:
    """Write the settings of a policy, the defaults among them.

    They come as TOML that -s @FILE reads, with the Python call in a comment. With --for they come as the product takes
    them; a parameter for which it has no setting is named in a comment, or on stderr where the format has none.
    """
    if policy is None and product is not None and not any(one.startswith("@") for one in given):
        policy = _policy_of(product)
    chosen, settings = chosen_policy(policy, given)
    full = chosen.settings(settings)
    taken = None if product is None else _taken_by(chosen, product)
    if as_json:
        write_json(_document(chosen, full, taken))
    elif taken is None:
        write(_toml(chosen, full), end="")
    else:
        write(taken.document(full), end="")
        for note in () if taken.has_comments else taken.snippet(full).notes:
            tell(note)
    return 0


def _policy_of(product: str) -> str | None:
    """The policy whose settings a product takes; None where it takes none, which is then said."""
    from inspector.policies import POLICIES

    names = [one.name for one in POLICIES.values() if one.product is not None and one.product.name == product]
    if len(names) > 1:
        raise Trouble(f"{product} takes the settings of {', '.join(names)}: name one with -p")
    return names[0] if names else None


def _taken_by(policy: Policy, name: str) -> Product:
    taken = policy.product
    if taken is None:
        raise Trouble(f"no product has settings for {policy.name}; leave --for out to have them as TOML")
    if name != taken.name:
        raise Trouble(f"{policy.name} is taken by {taken.name}, not by {name[:60]!r}")
    return taken


def _document(policy: Policy, settings: Mapping[str, Any], taken: Product | None) -> dict[str, Any]:
    text, notes = (_toml(policy, settings), ()) if taken is None else taken.snippet(settings)
    return {
        "policy": policy.name,
        "params": dict(settings),
        "product": taken.name if taken else None,
        "language": taken.language if taken else "toml",
        "text": text,
        "notes": list(notes),
    }


def _toml(policy: Policy, settings: Mapping[str, Any]) -> str:
    from inspector.settings import to_python, to_toml

    call = to_python(policy.name, settings).splitlines()
    return "\n".join((_printable(to_toml(policy.name, settings)), *(f"# {line}" for line in call), ""))


def _printable(toml: str) -> str:
    """TOML with an escape for what a terminal would obey or hide; equal as TOML."""
    return "".join(char if char.isprintable() or char == "\n" else _escape(ord(char)) for char in toml)


def _escape(code: int) -> str:
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
