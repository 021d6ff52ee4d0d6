"""`inspector formats`: which recordings can be read."""

from __future__ import annotations

import click

from inspector.cli.options import as_json, example
from inspector.cli.output import table, write, write_json


@click.command(epilog=example("inspector formats", "inspector info dump.json --format openai_chat"))
@as_json
def command(as_json: bool) -> int:
    """List the formats that can be read.

    The first column is the name that --format takes.
    """
    from inspector.formats import FORMATS

    if as_json:
        write_json({"formats": [{"name": form.name, "title": form.title, "help": form.help} for form in FORMATS]})
    else:
        write(table([(form.name, form.title, form.help) for form in FORMATS]))
    return 0
