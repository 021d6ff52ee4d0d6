"""One small recording or more of every format, made by the makers of its own tests: what the tests of all spoil."""

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.formats import claude_lines as claude
from tests.formats import test_aider_md as aider
from tests.formats import test_atif as atif
from tests.formats import test_branches as branches
from tests.formats import test_claude_stream_json as stream
from tests.formats import test_cli_logs as logs
from tests.formats import test_cline as cline
from tests.formats import test_codex as codex
from tests.formats import test_datasets as datasets
from tests.formats import test_gemini as gemini
from tests.formats import test_goose as goose
from tests.formats import test_inspect_log as inspected
from tests.formats import test_langchain as langchain
from tests.formats import test_ollama as ollama
from tests.formats import test_openai_batch as batch
from tests.formats import test_openai_chat as chat
from tests.formats import test_openai_responses as responses
from tests.formats import test_opencode as opencode
from tests.formats import test_openhands as openhands
from tests.formats import test_pi as pi
from tests.formats import test_swe_agents as swe
from tests.formats import test_traces as traces
from tests.formats import test_vercel_ui as vercel
from tests.formats import test_web_exports as web
from tests.formats.made import jsonl
from tests.formats.test_archive import zipped


@dataclass(frozen=True)
class Seed:
    """A recording as values: one, printed as a JSON document, or several, printed as lines."""

    values: tuple[Any, ...]
    lines: bool = False

    def printed(self, values: Any = None, indent: int | None = None) -> bytes:
        """The bytes of the recording, or of other values in its shape."""
        values = self.values if values is None else values
        if self.lines:
            return jsonl(*values)
        return json.dumps(values[0] if len(values) == 1 else list(values), indent=indent).encode()


def _one(value: Any) -> Seed:
    return Seed((value,))


def _lines(*values: Any) -> Seed:
    return Seed(values, lines=True)


def _loaded(raw: bytes | str) -> Seed:
    return _lines(*map(json.loads, raw.splitlines()))


_CLAUDE = [
    claude.says("u1", None, "Look."),
    claude.answers("a1", "u1", "m1", claude.call("t1", "Task"), claude.text("I look."), usage={"input_tokens": 3}),
    claude.says("r1", "a1", claude.result("t1", "found")),
    claude.says("v1", None, "Search.", isSidechain=True, agentId="a1"),
    claude.boundary("b", "r1", trigger="auto", preTokens=100),
    claude.says("s", "b", "So far: looked.", isCompactSummary=True),
    claude.answers("a2", "s", "m2", claude.text("Done.")),
    {"type": "summary", "summary": "A boat", "leafUuid": "a2"},
]
_ANTHROPIC = {"model": "m", "system": "Be brief.", "tools": [{"name": "ls", "input_schema": {}}], "messages": [
    {"role": "user", "content": "Which pier?"},
    {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "s"},
                                      {"type": "tool_use", "id": "t1", "name": "ls", "input": {"path": "."}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [
        {"type": "text", "text": "a.py"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}]}]},
    {"role": "assistant", "content": [{"type": "compaction", "content": "So far."}, {"type": "text", "text": "2."}]},
]}  # fmt: skip
_BEDROCK = {"modelId": "m", "system": [{"text": "Be brief."}], "messages": [
    {"role": "user", "content": [{"text": "Which pier?"}, {"image": {"format": "png", "source": {"bytes": "AA=="}}}]},
    {"role": "assistant", "content": [{"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}},
                                      {"toolUse": {"toolUseId": "t1", "name": "ls", "input": {"path": "."}}}]},
    {"role": "user", "content": [{"toolResult": {"toolUseId": "t1", "content": [{"json": {"a": 1}}, {"text": "b"}],
                                                 "status": "error"}}]},
    {"role": "assistant", "content": [{"text": "Two."}, {"cachePoint": {"type": "default"}}]},
]}  # fmt: skip
_LITELLM = {"id": "r", "call_type": "completion", "model": "m", "messages": chat.TALK[:3], "response": chat.RESPONSE,
            "startTime": "t", "litellm_call_id": "x", "proxy_server_request": {"body": {}},
            "standard_logging_object": {"id": "r", "messages": chat.TALK[:3], "response": chat.RESPONSE,
                                        "call_type": "acompletion"}}  # fmt: skip
_OBSERVED = {"trace": {"id": "t1"}, "observations": [
    traces.observation("a", {"messages": [traces.ASK]}, traces.OWN_CALLS, "1"),
    traces.observation("b", [traces.ASK, traces.OWN_CALLS, traces.TOLD, traces.DEFINITION], traces.DONE, "2"),
]}  # fmt: skip

SEEDS: Mapping[str, tuple[Seed, ...]] = {
    "codex": (_lines(*codex.WHOLE),),
    "pi": (_lines(*pi.WHOLE), _loaded(branches.PI)),
    "copilot_cli": (_lines(*logs.COPILOT),),
    "kimi_cli": (_lines(*logs.MORE),),
    "droid_cli": (_lines(*logs.DROID), _loaded(branches.DROID)),
    "qwen_cli": (_lines(*gemini.QWEN), _loaded(branches.QWEN)),
    "claude_code": (_lines(*_CLAUDE), _loaded(branches.CLAUDE), _one({"loglines": _CLAUDE[:3]})),
    "claude_stream_json": (_lines(*stream.LINES),),
    "cursor_cli": (_lines(*logs.CURSOR),),
    "gemini_cli": (_one({**gemini.HEAD, "messages": gemini.SESSION}), _lines(gemini.HEAD, *gemini.SESSION),
                   _loaded(branches.GEMINI)),
    "opencode_storage": (),
    "opencode_events": (_lines(*opencode.LINES),),
    "opencode_export": (_one(opencode.export()), _one(opencode.export(opencode.COMPACTED))),
    "open_webui": (_one(web.MADE[2]), _one(json.loads(branches.WEBUI))),
    "chatgpt_export": (_one(web.MADE[0]), _one(json.loads(branches.CHATGPT))),
    "claude_ai_export": (_one(web.MADE[1]), _one(json.loads(branches.CLAUDE_AI))),
    "atif": (_one(atif.RUN),),
    "swe_agent": (_one(swe.RUN), _one({"trajectory": swe.STEPS, "info": {}})),
    "mini_swe_agent": (_one(swe.MINI),),
    "openhands_v1": (_lines(*openhands.V1), _one(openhands.V1)),
    "openhands_v0": (_one(openhands.V0), _lines({"instance_id": "a", "history": openhands.V0})),
    "inspect": (_one(inspected.LOG),),
    "langchain": (_one(langchain.DUMP), _one(langchain.TYPED), _one(langchain.STATE), _lines(*langchain.FLAT)),
    "otel_genai": (
        _one(traces.export(traces.span(1, traces.otlp(traces.FIRST)), traces.span(2, traces.otlp(traces.CURRENT)))),
        _lines(traces.span(1, traces.SPREAD)), _one([traces.span(1, traces.OPENINFERENCE)]),
    ),
    "langsmith_runs": (_one({"post": [traces.run("r1", [traces.ASK], {})],
                             "patch": [{"id": "r1", "dotted_order": "r1", "outputs": traces.CHOICE}]}),
                       _one([traces.run("r2", [[traces.ASK]], traces.CHOICE)])),
    "langfuse": (_one(_OBSERVED),),
    "gemini_contents": (_one(gemini.BODY), _one(gemini.CONTENTS)),
    "vercel_ui": (_one(vercel.UI), _one(vercel.V4), _one(vercel.MODEL)),
    "sharegpt": (_one([datasets.SHARED_TURNS]), _lines(datasets.SHARED_TURNS, datasets.SHARED_TURNS)),
    "messages_jsonl_dataset": (_lines(datasets.TYPED, datasets.PAIR),),
    "openai_batch": (_lines(*batch.ASKED), _lines(*batch.CAME)),
    "litellm_log": (_one(_LITELLM), _lines(batch.LOG)),
    "openai_responses": (_one(responses.BODY), _one(responses.BODY["input"])),
    "cline": (_one(cline.TASK), _one(cline.SDK)),
    "goose": (_lines(goose.HEADER, *goose.MESSAGES), _one({"id": "1", **goose.HEADER, "conversation": goose.MESSAGES})),
    "bedrock_converse": (_one(_BEDROCK),),
    "anthropic": (_one(_ANTHROPIC),),
    "ollama": (_one({"model": "m", "messages": ollama.TALK}), _lines(*ollama.PIECES)),
    "openai_chat": (_one({"model": "m", "tools": chat.TOOLS, "messages": chat.TALK}), _one(chat.TALK),
                    _lines(*chat.TALK), _one([{"traj": chat.TALK}, {"traj": chat.TALK}])),
    "aider_md": (),
}  # fmt: skip
"""By the short name of the format."""


@cache
def packed() -> Mapping[str, bytes]:
    """The recordings that are no JSON: archives, databases, transcripts."""
    with tempfile.TemporaryDirectory() as place:
        first = goose.database(Path(place, "a.db"), ({"id": "A", "updated": "1"}, goose.MESSAGES)).read_bytes()
        second = opencode.database(Path(place, "b.db"), opencode.export()).read_bytes()
    return {"goose": first, "opencode_storage": second, "inspect": zipped(inspected.ARCHIVED),
            "aider_md": aider.RUN.encode()}  # fmt: skip


def folders(root: Path) -> Mapping[str, Path]:
    """The recordings that are folders, made under `root`."""
    made = {name: root / name for name in ("opencode_storage", "openhands_v1", "claude_code", "cline")}
    for path in made.values():
        path.mkdir(parents=True)
    opencode.folder(made["opencode_storage"], opencode.export())
    openhands.folder(made["openhands_v1"])
    (made["claude_code"] / "s1.jsonl").write_bytes(jsonl(*_CLAUDE))
    (made["claude_code"] / "s1" / "subagents").mkdir(parents=True)
    (made["claude_code"] / "s1" / "subagents" / "agent-a1.jsonl").write_bytes(jsonl(*_CLAUDE[3:4]))
    (made["cline"] / "api_conversation_history.json").write_text(json.dumps(cline.TASK))
    return made
