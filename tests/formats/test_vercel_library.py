"""The real AI SDK against our reading: UI messages, and what the library makes of them, give the same rows.

INSPECTOR_AI_SDK names a folder in which `npm install ai` was run (compared: ai 5.0.277, 6.0.326, 7.0.173).
"""

import json
import os
import shutil
import subprocess
from typing import Any

import pytest

from inspector.formats.vercel_ui import FORMAT
from inspector.message import Body
from tests.formats.made import document, only

FOLDER, NODE = os.environ.get("INSPECTOR_AI_SDK", ""), shutil.which("node")
pytestmark = pytest.mark.skipif(
    not (NODE and os.path.isdir(os.path.join(FOLDER, "node_modules", "ai"))),
    reason="no node, or INSPECTOR_AI_SDK names no folder with the package ai in its node_modules",
)
CONVERT = """
import {createRequire} from "node:module"; import {pathToFileURL} from "node:url"; import {readFileSync} from "node:fs";
const near = createRequire(pathToFileURL(process.argv[1] + "/here.js"));
const {convertToModelMessages} = await import(pathToFileURL(near.resolve("ai")));
console.log(JSON.stringify(await convertToModelMessages(JSON.parse(readFileSync(0)))));
"""


def tool(state: str, call: str, **more: Any) -> Body:
    return {"type": "tool-look", "toolCallId": call, "state": state, "input": {"pier": 2}, **more}


CHAT: list[Any] = [
    {"role": "system", "parts": [{"type": "text", "text": "Be "}, {"type": "text", "text": "brief."}]},
    {"role": "user", "parts": [
        {"type": "text", "text": "Which pier?"}, {"type": "data-wind", "data": 3}, {"type": "text", "text": ""},
        {"type": "file", "mediaType": "image/png", "url": "data:image/png;base64,iVBORw0KGgo="}]},
    {"role": "assistant", "parts": [
        {"type": "step-start"}, {"type": "reasoning", "text": "hm"}, {"type": "text", "text": "I look."},
        tool("output-available", "c1", output={"boats": [None]}), tool("output-available", "c2", output=None),
        tool("output-available", "c3", output="far", providerExecuted=True),
        tool("output-error", "c4", input=None, rawInput="{bad", errorText="no JSON"),
        tool("output-available", "c5", output="half", preliminary=True), tool("input-streaming", "c6"),
        {"type": "dynamic-tool", "dynamic": False, "toolName": "old", "toolCallId": "c7", "input": {},
         "state": "output-available", "output": "secret"},
        {"type": "step-start"}, {"type": "source-url", "sourceId": "s", "url": "https://x.example"},
        {"type": "text", "text": "Two."}, tool("input-available", "c8")]},
    {"role": "assistant", "parts": []},
    {"role": "user", "parts": [{"type": "text", "text": "Thanks."}]},
]  # fmt: skip


def test_ui_messages_read_as_the_model_messages_that_the_library_makes_of_them() -> None:
    assert NODE
    command = [NODE, "--input-type=module", "-e", CONVERT, FOLDER]
    made = subprocess.run(command, input=json.dumps(CHAT).encode(), capture_output=True, timeout=60, check=True)
    ours, theirs = only(FORMAT, document(CHAT)), only(FORMAT, document(json.loads(made.stdout)))
    assert ours.messages == theirs.messages
