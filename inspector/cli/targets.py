"""`inspector targets`: whom the doctor can check a session for."""

from __future__ import annotations

import click

from inspector.cli.options import as_json, example
from inspector.cli.output import table, write, write_json


@click.command(epilog=example("inspector targets", "inspector doctor session.json --target mistral"))
@as_json
def command(as_json: bool) -> int:
    """List the targets that doctor and repair judge by."""
    from inspector.doctor.targets import TARGETS

    if as_json:
        known = TARGETS.values()
        write_json({"targets": [{"name": one.name, "provider": one.provider, "help": one.help} for one in known]})
    else:
        write(table([(target.name, target.help) for target in TARGETS.values()]))
    return 0
