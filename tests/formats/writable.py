"""One short session in every format that is written back, with what a careless writer would spoil.

A user asks, the model thinks and calls a tool, the tool answers at length, the model answers, the user thanks. Each
file has unknown keys and entries, numbers and white space of its own, letters beyond ASCII in its own spelling.
"""

import json
from pathlib import Path
from typing import Any

from tests.formats.made import jsonl

OUTPUT = "pier 2: empty \u2014 " + "water " * 40
ASKED = "Which pier is fr\u00e9e?"
SIGNED = {"type": "thinking", "thinking": "I shall look.", "signature": "c2ln"}
PIXEL = "iVBORw0KGgo="


def crlf(*values: Any) -> bytes:
    """JSON Lines of Windows, compact and in UTF-8, without an end of line at the end."""
    lines = (json.dumps(value, ensure_ascii=False, separators=(",", ":")) for value in values)
    return "\r\n".join(lines).encode()


def indented(value: Any) -> bytes:
    return json.dumps(value, indent=2, ensure_ascii=False).encode() + b"\n"


CALLED = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"pier": 2}'}}
CHAT: list[Any] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": ASKED, "x-trace": 7},
    {"role": "assistant", "content": None, "tool_calls": [CALLED]},
    {"role": "tool", "tool_call_id": "c1", "name": "look", "content": OUTPUT},
    {"role": "assistant", "content": "Pier 2."},
    {"role": "user", "content": "Thanks."},
]
OPENAI = b'{"temperature": 1.50e+0, "messages":\n' + json.dumps(CHAT).encode() + b', "top": [1,  2]}\n'
POST = {"method": "POST", "url": "/v1/chat/completions"}
BATCH = jsonl({"custom_id": "a", **POST, "body": {"messages": CHAT}},
              {"custom_id": "b", **POST, "body": {"messages": CHAT[:2]}})  # fmt: skip
OLLAMA = indented({"model": "m", "options": {"num_ctx": 4096.0}, "messages": [
    CHAT[0], {**CHAT[1], "images": [PIXEL]},
    {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "look", "arguments": {"pier": 2}}}]},
    {"role": "tool", "tool_name": "look", "content": OUTPUT}, *CHAT[4:],
]})  # fmt: skip

USE = {"type": "tool_use", "id": "c1", "name": "look", "input": {"pier": 2}}
RESULT = {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": OUTPUT}]}
PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
TURNS: list[Any] = [
    {"role": "user", "content": [{"type": "text", "text": ASKED, "cache_control": {"type": "ephemeral"}}, PICTURE]},
    {"role": "assistant", "content": [SIGNED, {"type": "text", "text": "I look."}, USE]},
    {"role": "user", "content": [RESULT, {"type": "text", "text": "Mind the tide."}]},
    {"role": "assistant", "content": "Pier 2."},
    {"role": "user", "content": "Thanks."},
]
ANTHROPIC = b"\xef\xbb\xbf" + indented({"model": "claude", "max_tokens": 1e3, "system": "Be brief.", "messages": TURNS})
CLINE = indented({"version": 1, "sessionId": "s", "updated_at": "", "messages": [
    {"id": f"m{place}", "ts": 10 + place, **turn} for place, turn in enumerate(TURNS)
]})  # fmt: skip


def _claude(kind: str, uuid: str, parent: str | None, message: Any, **more: Any) -> Any:
    return {"parentUuid": parent, "isSidechain": False, "sessionId": "s", "type": kind, "message": message,
            "uuid": uuid, "timestamp": "2026-01-01T00:00:00Z", **more}  # fmt: skip


def _says(*blocks: Any) -> Any:
    return {"id": "m1", "type": "message", "role": "assistant", "model": "claude-x", "content": list(blocks),
            "usage": {"input_tokens": 10, "output_tokens": 1}}  # fmt: skip


CLAUDE_CODE = crlf(
    {"type": "mode", "mode": "normal", "unheard-of": [1.0]},
    _claude("user", "u1", None, TURNS[0]),
    {"type": "attachment", "uuid": "x1", "parentUuid": "u1", "sessionId": "s", "attachment": {}},
    _claude("assistant", "a1", "x1", _says(SIGNED), requestId="r"),
    _claude("assistant", "a2", "a1", _says({"type": "text", "text": "I look."}), requestId="r"),
    _claude("assistant", "a3", "a2", _says(USE), requestId="r"),
    _claude("user", "u2", "a3", {"role": "user", "content": [RESULT]}, toolUseResult={"stdout": "the screen's copy"}),
    _claude("assistant", "a4", "u2", {**_says({"type": "text", "text": "Pier 2."}), "id": "m2"}),
    _claude("user", "u3", "a4", {"role": "user", "content": "Thanks."}),
    {"type": "last-prompt", "leafUuid": "u3"},
)
EXPORTED = indented({"loglines": [json.loads(line) for line in CLAUDE_CODE.splitlines()]})

ITEMS: list[Any] = [
    {"type": "message", "role": "user", "content": [
        {"type": "input_text", "text": ASKED}, {"type": "input_image", "image_url": "data:image/png;base64,AA=="}]},
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"},
    {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "look", "arguments": '{"pier": 2}'},
    {"type": "function_call_output", "call_id": "c1", "output": OUTPUT},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Pier 2."}]},
    {"type": "message", "role": "user", "content": "Thanks."},
]  # fmt: skip
RESPONSES = indented({"model": "gpt-5", "instructions": "Be brief.", "input": ITEMS, "store": False})


def _rollout(kind: str, payload: Any) -> Any:
    return {"timestamp": "2026-01-01T00:00:00.000Z", "type": kind, "payload": payload}


CODEX = jsonl(
    _rollout("session_meta", {"id": "s", "cwd": "/", "base_instructions": {"text": "Be brief."}}),
    _rollout("event_msg", {"type": "user_message", "message": ASKED}),
    *(_rollout("response_item", item) for item in ITEMS),
    _rollout("world_state", {"sails": 2.50}),
)

PARTS: list[Any] = [
    {"role": "user", "parts": [{"text": ASKED}, {"inlineData": {"mimeType": "image/png", "data": PIXEL}}]},
    {"role": "model", "parts": [{"text": "I look."}, {"functionCall": {"id": "c1", "name": "look", "args": {"pier": 2}},
                                                      "thoughtSignature": "Eg=="}]},
    {"role": "user", "parts": [{"functionResponse": {"id": "c1", "name": "look", "response": {"output": OUTPUT}}}]},
    {"role": "model", "parts": [{"text": "Pier 2."}]},
    {"role": "user", "parts": [{"text": "Thanks."}]},
]  # fmt: skip
GEMINI_CONTENTS = indented({"systemInstruction": {"parts": [{"text": "Be brief."}]}, "contents": PARTS})
ANSWERED = {"functionResponse": {"id": "c1", "name": "look", "response": {"output": OUTPUT}}}
RECORDS: list[Any] = [
    {"id": "1", "timestamp": "t1", "type": "user", "content": [{"text": ASKED}]},
    {"id": "2", "timestamp": "t2", "type": "gemini", "content": "I look.", "model": "gemini-3",
     "thoughts": [{"subject": "Looking", "description": "at the pier"}], "toolCalls": [
         {"id": "c1", "name": "look", "args": {"pier": 2}, "result": [ANSWERED], "status": "success"}]},
    {"id": "3", "timestamp": "t3", "type": "info", "content": "The screen only."},
    {"id": "4", "timestamp": "t4", "type": "gemini", "content": "Pier 2."},
    {"id": "5", "timestamp": "t5", "type": "user", "content": "Thanks."},
]  # fmt: skip
GEMINI_HEAD = {"sessionId": "s", "projectHash": "h", "startTime": "t0", "lastUpdated": "t5"}
GEMINI_CLI = indented({**GEMINI_HEAD, "messages": RECORDS})
EARLIER = {key: value for key, value in RECORDS[1].items() if key != "toolCalls"}
GEMINI_LINES = jsonl(GEMINI_HEAD, RECORDS[0], EARLIER, *RECORDS[1:], {"$set": {"lastUpdated": "t6"}})

FLAT: list[Any] = [
    {"type": "system", "content": "Be brief."},
    {"type": "human", "content": ASKED, "id": "h1"},
    {"type": "ai", "content": "I look.", "id": "a1", "tool_calls": [
        {"name": "look", "args": {"pier": 2}, "id": "c1", "type": "tool_call"}]},
    {"type": "tool", "content": OUTPUT, "tool_call_id": "c1", "name": "look", "status": "success"},
    {"type": "ai", "content": [{"type": "text", "text": "Pier 2."}]},
    {"type": "human", "content": "Thanks."},
]  # fmt: skip
CLASSES = {"system": "SystemMessage", "human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}
LANGCHAIN = {
    "flat": indented(FLAT),
    "typed": jsonl(*({"type": one["type"], "data": one} for one in FLAT)),
    "dumped": indented({"values": {"messages": [
        {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", CLASSES[one["type"]]], "kwargs": one}
        for one in FLAT
    ]}}),
}  # fmt: skip


def _pi(name: str, parent: str | None, **message: Any) -> Any:
    return {"type": "message", "id": name, "parentId": parent, "timestamp": "t", "message": {**message, "timestamp": 1}}


PI_CALL = {"type": "toolCall", "id": "c1", "name": "look", "arguments": {"pier": 2}}
PI = jsonl(
    {"type": "session", "version": 3, "id": "s", "cwd": "/"},
    _pi("e1", None, role="user", content=[{"type": "text", "text": ASKED}]),
    {"type": "model_change", "id": "e2", "parentId": "e1", "modelId": "m"},
    _pi("e3", "e2", role="assistant", content=[{"type": "text", "text": "I look."}, PI_CALL], stopReason="toolUse"),
    _pi("e4", "e3", role="toolResult", toolCallId="c1", toolName="look", content=[{"type": "text", "text": OUTPUT}],
        isError=False),
    _pi("e5", "e4", role="assistant", content=[{"type": "text", "text": "Pier 2."}]),
    _pi("e6", "e5", role="user", content="Thanks."),
)  # fmt: skip
PI_1 = jsonl(*({key: value for key, value in json.loads(line).items() if key not in ("id", "parentId")} | {"id": "s"}
               if place == 0 else
               {key: value for key, value in json.loads(line).items() if key not in ("id", "parentId")}
               for place, line in enumerate(PI.splitlines())))  # fmt: skip


def _info(name: str, role: str, created: int) -> Any:
    spoken = {"parentID": "msg_1", "modelID": "m", "providerID": "p", "mode": "build"} if role == "assistant" else {}
    return {"id": name, "sessionID": "ses_1", "role": role, "time": {"created": created}, **spoken}


def _part(name: str, message: str, **held: Any) -> Any:
    return {"id": name, "sessionID": "ses_1", "messageID": message, **held}


SESSION = {"id": "ses_1", "title": "Piers", "projectID": "p", "time": {"created": 1, "updated": 9.50}}
DONE = {"status": "completed", "input": {"pier": 2}, "output": OUTPUT, "title": "look", "time": {"start": 3, "end": 4}}
OPENCODE: list[Any] = [
    {"info": _info("msg_1", "user", 1), "parts": [_part("prt_1", "msg_1", type="text", text=ASKED)]},
    {"info": _info("msg_2", "assistant", 2), "parts": [
        _part("prt_2", "msg_2", type="step-start"),
        _part("prt_3", "msg_2", type="text", text="I look."),
        _part("prt_4", "msg_2", type="tool", callID="c1", tool="look", state=DONE),
        _part("prt_5", "msg_2", type="step-finish", cost=0.50),
    ]},
    {"info": _info("msg_3", "assistant", 5), "parts": [_part("prt_6", "msg_3", type="text", text="Pier 2.")]},
    {"info": _info("msg_4", "user", 6), "parts": [_part("prt_7", "msg_4", type="text", text="Thanks.")]},
]  # fmt: skip
OPENCODE_EXPORT = indented({"info": SESSION, "messages": OPENCODE})

FILES = {
    "openai_chat": OPENAI, "openai_chat lines": crlf(*CHAT), "openai_chat list": indented(CHAT), "openai_batch": BATCH,
    "ollama": OLLAMA, "anthropic": ANTHROPIC, "cline": CLINE, "claude_code": CLAUDE_CODE,
    "claude_code export": EXPORTED, "openai_responses": RESPONSES, "openai_responses list": indented(ITEMS),
    "openai_responses lines": crlf(*ITEMS), "codex": CODEX, "gemini_contents": GEMINI_CONTENTS,
    "gemini_cli": GEMINI_CLI, "gemini_cli lines": GEMINI_LINES, "pi": PI, "pi 1": PI_1,
    "opencode_export": OPENCODE_EXPORT, **{f"langchain {form}": raw for form, raw in LANGCHAIN.items()},
}  # fmt: skip
"""Sessions of one file; the name begins with that of the format."""


def opencode_folder(folder: Path) -> Path:
    """The session as the storage folder of opencode."""
    files = {"session/p/ses_1.json": SESSION, "notes.txt": None}
    for message in OPENCODE:
        files[f"message/ses_1/{message['info']['id']}.json"] = message["info"]
        files |= {f"part/{part['messageID']}/{part['id']}.json": part for part in message["parts"]}
    for path, value in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(json.dumps(value, indent=2).encode() if value else b"not ours")
    return folder
