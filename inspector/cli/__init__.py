"""The command line: the verbs for scripts and people in a hurry, and the way into the application.

Each verb is a module of its own, imported only when it is asked for: `inspector policies` must not wait for a terminal
interface, nor for a tokenizer.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

VERBS = (
    "info",
    "messages",
    "compact",
    "replay",
    "compare",
    "guarantees",
    "settings",
    "doctor",
    "repair",
    "policies",
    "formats",
    "targets",
    "checkpoint",
    "completion",
)
OPEN = "open"
OWN_OPTIONS = ("-h", "--help", "--version")
PROGRAM = "inspector"

EPILOG = """\b
Examples:
  inspector session.jsonl                         open a recording
  inspector session.jsonl -p head-tail -s keep_recent=20
  inspector info session.jsonl --json             figures for a script
  inspector compact session.jsonl -p cascade -o smaller.json
  inspector doctor session.jsonl                  what is wrong, and who refuses it
"""


def run(arguments: Sequence[str]) -> int:
    """Obey a command line and return the exit status; what a person did wrong is one sentence on stderr, and 2."""
    from inspector.cli.output import lenient_stdout, tell

    lenient_stdout()
    try:
        status = program.main(list(arguments), prog_name=PROGRAM, standalone_mode=False)
    except click.Abort:
        return 130
    except click.ClickException as fault:
        tell(_sentence(fault))
        return fault.exit_code
    return status if isinstance(status, int) else 0


def _sentence(fault: click.ClickException) -> str:
    from inspector.fault import named

    said = named(" ".join(fault.format_message().split()).rstrip("."))
    if isinstance(fault, click.UsageError) and fault.ctx is not None:
        path = fault.ctx.command_path.removesuffix(f" {OPEN}")
        return f"{said}{'' if said.endswith('?') else ';'} {path} --help shows how"
    return said


class Program(click.Group):
    """A group whose first word is a verb or, if it is none, the session to open."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the hidden verb before anything that is no verb."""
        completing_the_first_word = ctx.resilient_parsing and not args
        if not completing_the_first_word and (not args or args[0] not in (*VERBS, *OWN_OPTIONS)):
            args = [OPEN, *args]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The verbs, in the order in which help shows them."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a verb."""
        if cmd_name != OPEN and cmd_name not in VERBS:
            return None
        return cast(click.Command, importlib.import_module(f"inspector.cli.{cmd_name}").command)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Both ways of calling."""
        formatter.write_usage(PROGRAM, "[OPTIONS] [SESSION]")
        formatter.write_usage(PROGRAM, "VERB [OPTIONS] ...", prefix="   or: ")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options of opening a session, then the verbs."""
        opening = self.get_command(ctx, OPEN)
        options = [param for param in opening.params if isinstance(param, click.Option)] if opening else []
        shown = [*options, *self.get_params(ctx)]
        records = [record for param in shown if (record := param.get_help_record(ctx)) is not None]
        with formatter.section("Options"):
            formatter.write_dl(records)
        self.format_commands(ctx, formatter)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Verbs, and files where no verb begins so: a shell that meets the mark of files forgets what came before."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="file"), *super().shell_complete(ctx, incomplete)]


def _version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        from inspector import __version__

        click.echo(f"{PROGRAM} {__version__}")
        ctx.exit()


@click.group(cls=Program, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Show the version.")
def program() -> None:
    """See what context compaction does to a recorded agent session.

    SESSION is a recording, or - for standard input; its format is recognised by its content. Without one, a list of
    samples and of recent recordings opens.
    """
