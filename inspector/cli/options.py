"""Options that several verbs share, and the completion of their values."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from inspector.policies import Mode

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[F], F]

FILE = click.Path(allow_dash=True)


def example(*lines: str) -> str:
    """The end of a verb's help."""
    return "\n".join(("\b", "Example:" if len(lines) == 1 else "Examples:", *(f"  {line}" for line in lines)))


def _together(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def reading(function: F) -> F:
    """SESSION, and how to read it: `session`, `form` and `index`."""
    return _together(
        click.argument("session", type=FILE),
        click.option(
            "--format", "form", metavar="NAME", shell_complete=_formats, help="Read it as this format (see formats)."
        ),
        click.option(
            "--index", type=click.IntRange(min=0), default=0, metavar="N",
            help="Which of several conversations in the file, from 0.",
        ),
    )(function)  # fmt: skip


def counting(function: F) -> F:
    """What the counts are measured with: `model`."""
    return click.option("--model", metavar="NAME", help="Count and measure for this model, not the recorded one.")(
        function
    )


def measuring(function: F) -> F:
    """What the counts are measured with and against: `model` and `window`."""
    return _together(
        counting,
        click.option(
            "--window", type=click.IntRange(min=1), metavar="N", help="Context window in tokens, not the model's own."
        ),
    )(function)


def tuning(function: F) -> F:
    """The policy and its settings: `policy` and `given`."""
    return _together(
        click.option(
            "-p", "--policy", metavar="POLICY", shell_complete=policy_names, help="The policy (see policies)."
        ),
        click.option(
            "-s", "--set", "given", multiple=True, metavar="NAME=VALUE", shell_complete=_settings,
            help="A parameter of it; NAME=@FILE reads the value from a file, @FILE reads all from TOML.",
        ),
    )(function)  # fmt: skip


def running(function: F) -> F:
    """How a policy goes through a run: `mode`, None for its own way."""
    return _together(
        click.option("--carried", "mode", flag_value="carried", help="Let each request go on from what the last sent."),
        click.option("--stateless", "mode", flag_value="stateless", help="Start from the recording for each request."),
    )(function)


def want_request(mode: Mode | None, at: int | None) -> None:
    """Raise `UsageError` where a mode is given for a view that is of no request."""
    if mode and at is None:
        raise click.UsageError(f"--{mode} says how a run comes to one request: name it with --at")


def paying(function: F) -> F:
    """By what a run is paid: `provider` and `prices`."""
    return _together(
        click.option(
            "--provider", metavar="NAME", shell_complete=_providers,
            help="Whose cache: openai, anthropic, anthropic-1h, deepseek, gemini, none ...",
        ),
        click.option(
            "--prices", type=FILE, metavar="FILE",
            help="A price table of your own, not the published prices: TOML with a table [models.\"NAME\"] for each "
            "model, in it input, read, write, write_1h and output in dollars for a million tokens.",
        ),
    )(function)  # fmt: skip


def as_json(function: F) -> F:
    """The flag `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="One JSON document instead of a table.")(function)


def _formats(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from inspector.formats import FORMATS

    return [CompletionItem(form.name, help=form.title) for form in FORMATS if form.name.startswith(incomplete)]


def _providers(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from inspector.replay import PROVIDERS

    return [CompletionItem(one.name, help=one.title) for one in PROVIDERS.values() if one.name.startswith(incomplete)]


def policy_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The policies that begin so."""
    from inspector.policies import POLICIES

    return [CompletionItem(p.name, help=p.help) for p in POLICIES.values() if p.name.startswith(incomplete)]


def _settings(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from inspector.policies import POLICIES

    chosen = POLICIES.get(ctx.params.get("policy") or "")
    params = [param for policy in ([chosen] if chosen else POLICIES.values()) for param in policy.params]
    return [CompletionItem(f"{p.name}=", help=p.help) for p in params if p.name.startswith(incomplete)]
