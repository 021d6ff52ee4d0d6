"""`inspector completion`: the script that teaches a shell to complete verbs, options, policies and files."""

from __future__ import annotations

from typing import cast

import click

from inspector.cli.options import example
from inspector.cli.output import write

VARIABLE = "_INSPECTOR_COMPLETE"


@click.command(
    epilog=example(
        'eval "$(inspector completion bash)"',
        'eval "$(inspector completion zsh)"',
        "inspector completion fish > ~/.config/fish/completions/inspector.fish",
    )
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> int:
    """Write the completion script for SHELL."""
    from click.shell_completion import ShellComplete, get_completion_class

    from inspector.cli import PROGRAM, program

    kind = cast("type[ShellComplete]", get_completion_class(shell))
    # The script itself: bash's own class would first run bash to ask for its version.
    write(ShellComplete.source(kind(program, {}, PROGRAM, VARIABLE)), end="")
    return 0
