"""Messages of our own for the tests of products' policies."""

from typing import Any

from inspector.message import Body


def user(text: Any = "go") -> Body:
    return {"role": "user", "content": text}


def says(text: str = "done", **more: Any) -> Body:
    return {"role": "assistant", "content": text, **more}


def calls(*ids: str, name: str = "run", arguments: str = "{}", **more: Any) -> Body:
    function = {"name": name, "arguments": arguments}
    made = [{"id": one, "type": "function", "function": function} for one in ids]
    return {"role": "assistant", "content": None, "tool_calls": made, **more}


def result(call: str, content: Any = "fine", name: str = "run", **more: Any) -> Body:
    return {"role": "tool", "tool_call_id": call, "name": name, "content": content, **more}


def use(call: str, content: Any = "fine", name: str = "run", **more: Any) -> list[Body]:
    """A call and its result."""
    return [calls(call, name=name), result(call, content, name, **more)]
