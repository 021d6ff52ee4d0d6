"""What each rule is called, who refuses the fault with which words, and what a repair does: TAXONOMY.md as a table.

The words of providers are quoted from public reports; ID, N and the like stand for what differs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from inspector.doctor.targets import Provider
from inspector.finding import Finding, Severity


class Family(StrEnum):
    """What a rule is about."""

    CALLS = "calls and results"
    IDS = "ids"
    CONTENT = "shape of the content"
    REASONING = "reasoning"
    ROLES = "order of roles"
    SIZES = "pictures, sizes, cache"
    MARKERS = "leaks and markers"
    FILE = "file and JSON"
    GRAPH = "transcript graph and compaction"
    PLAN = "what a policy broke"


class Fix(StrEnum):
    """Who may repair a fault."""

    YES = "yes"
    CONSENT = "consent"
    """Only with `--consent CODE`."""
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class Entry:
    """A rule of the book."""

    code: str
    family: Family
    severity: Severity
    title: str
    """What is wrong, in general."""
    repair: str
    """What a repair does, or why there is none."""
    fix: Fix = Fix.YES
    refusals: Mapping[Provider, str] = field(default_factory=dict)
    """The words of those who refuse it."""

    def refusal(self, provider: Provider) -> tuple[Provider, str] | None:
        """Who would refuse it with which words: the given provider, else the first one known."""
        if provider in self.refusals:
            return provider, self.refusals[provider]
        return next(iter(self.refusals.items()), None)


_OPENAI, _ANTHROPIC, _BEDROCK = Provider.OPENAI, Provider.ANTHROPIC, Provider.BEDROCK
_MISTRAL, _DEEPSEEK, _GEMINI, _OLLAMA = Provider.MISTRAL, Provider.DEEPSEEK, Provider.GEMINI, Provider.OLLAMA
_TEMPLATE = Provider.TEMPLATE
_ROLE_TOOL = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
_UNFOLLOWED = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
)
_COUNT = (
    "Please ensure that the number of function response parts is equal to the number of function call parts of the "
    "function call turn."
)
_AFTER = "messages.N: `tool_use` ids were found without `tool_result` blocks immediately after: ID."
_UNEXPECTED = "messages.N.content.M: unexpected `tool_use_id` found in `tool_result` blocks: ID."

_ENTRIES = (
    Entry(
        "dangling-tool-call", Family.CALLS, "error", "a call has no result",
        "Put in a result that says that none was recorded.", refusals={
            _OPENAI: f"{_UNFOLLOWED} The following tool_call_ids did not have response messages: ID",
            _DEEPSEEK: f"{_UNFOLLOWED} (insufficient tool messages following tool_calls message)",
            _ANTHROPIC: _AFTER, _BEDROCK: _AFTER, _GEMINI: _COUNT,
            _MISTRAL: "Not the same number of function calls and responses",
        }),
    Entry(
        "orphan-tool-result", Family.CALLS, "error", "a result has no call", "Remove the result.", refusals={
            _OPENAI: _ROLE_TOOL, _ANTHROPIC: _UNEXPECTED,
            _BEDROCK: "The number of toolResult blocks at messages.N.content exceeds the number of toolUse blocks of "
                      "previous turn.",
            _GEMINI: "Please ensure that function response turn comes immediately after a function call turn.",
            _DEEPSEEK: _ROLE_TOOL, _MISTRAL: "Unexpected role 'tool' after role 'user'",
        }),
    Entry(
        "misplaced-tool-result", Family.CALLS, "error", "a result stands away from its call",
        "Move the result to directly after its call.", refusals={
            _OPENAI: f"{_UNFOLLOWED} The following tool_call_ids did not have response messages: ID",
            _ANTHROPIC: _AFTER, _BEDROCK: _AFTER,
            _GEMINI: "Please ensure that function response turn comes immediately after a function call turn.",
        }),
    Entry(
        "tool-result-not-first", Family.CALLS, "error", "a result stands after other content of its message",
        "Put the results of that message first.", refusals={_ANTHROPIC: _AFTER, _BEDROCK: _AFTER}),
    Entry(
        "split-tool-results", Family.CALLS, "error", "the results of one turn stand in several",
        "Merge the turns into the first one.", refusals={_GEMINI: _COUNT}),
    Entry(
        "duplicate-tool-result", Family.CALLS, "error", "a call is answered more than once",
        "Keep one result: a real one rather than a placeholder, else the first.", refusals={
            _ANTHROPIC: "each tool_use must have a single result. Found multiple `tool_result` blocks with id: ID",
            _OPENAI: _ROLE_TOOL, _GEMINI: _COUNT,
            _BEDROCK: "The number of toolResult blocks at messages.N.content exceeds the number of toolUse blocks of "
                      "previous turn.",
        }),
    Entry(
        "duplicate-tool-call-id", Family.IDS, "error", "two calls of one message share an id",
        "Delete the later call where both are equal, else rename it and its result.", refusals={
            _ANTHROPIC: "messages.N.content.M: `tool_use` ids must be unique",
            _BEDROCK: "The toolUse blocks at messages.N.content contain duplicate Ids: ID",
        }),
    Entry(
        "reused-tool-call-id", Family.IDS, "info", "an id of an earlier turn is used again",
        "Rename the later call and its result, for Anthropic only.",
        refusals={_ANTHROPIC: "messages.N.content.M: `tool_use` ids must be unique"}),
    Entry(
        "orphan-server-tool-result", Family.CALLS, "error", "a server tool's result has no call in its message",
        "Remove the block.", refusals={
            _ANTHROPIC: "messages.N.content.M: unexpected `tool_use_id` found in `TYPE` blocks: ID. Each `TYPE` block "
                        "must have a corresponding `server_tool_use` block before it.",
        }),
    Entry(
        "mixed-tool-call-encodings", Family.CALLS, "error", "one call is there in two encodings",
        "Remove the one that is foreign to the format.",
        refusals={_ANTHROPIC: "messages.N.content.M: `tool_use` ids must be unique"}),
    Entry(
        "call-not-after-user", Family.CALLS, "error", "a turn with calls follows no user's turn",
        "Put a short user turn before it.", refusals={
            _GEMINI: "Please ensure that function call turn comes immediately after a user turn or after a function "
                     "response turn.",
        }),
    Entry(
        "tool-call-id-format", Family.IDS, "error", "an id is not of the form that the target takes",
        "Rewrite the ids of call and result together, for that target only.", refusals={
            _ANTHROPIC: "messages.N.content.M.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
            _MISTRAL: "Tool call id was ID but must be a-z, A-Z, 0-9, with a length of 9.",
        }),
    Entry(
        "duplicate-item-id", Family.IDS, "error", "two items have the same id", "Delete the later of equal items.",
        refusals={_OPENAI: "Duplicate item found with id ID. Remove duplicate items from your input and try again."}),
    Entry("duplicate-record", Family.IDS, "warning", "a record is written once more", "Delete the later copy."),
    Entry(
        "empty-text-block", Family.CONTENT, "error", "a text block is empty", "Remove the block.",
        refusals={_ANTHROPIC: "messages: text content blocks must be non-empty",
                  _BEDROCK: "The text field in the ContentBlock object at messages.N.content.M is blank."}),
    Entry(
        "whitespace-only-text", Family.CONTENT, "error", "a text block holds nothing but white space",
        "Remove the block.",
        refusals={_ANTHROPIC: "messages: text content blocks must contain non-whitespace text"}),
    Entry(
        "empty-message", Family.CONTENT, "error", "a message has no content", "Remove the message.", refusals={
            _ANTHROPIC: "messages.N: all messages must have non-empty content except for the optional final assistant "
                        "message",
            _GEMINI: "Unable to submit request because it must include at least one parts field, which describes the "
                     "prompt input.",
            _BEDROCK: "The content field in the Message object at messages.N is empty.",
        }),
    Entry(
        "null-content", Family.CONTENT, "error", "the content is null and nothing else is said",
        "Remove the message; of a result, put an empty string.",
        refusals={_OPENAI: "Invalid value for 'content': expected a string, got null."}),
    Entry(
        "empty-error-result", Family.CONTENT, "error", "an error's result says nothing", "Add a text block.",
        refusals={_BEDROCK: "The content field at messages.N.content.M.toolResult cannot be empty when status value is "
                            "error"}),
    Entry(
        "invalid-tool-arguments", Family.CONTENT, "error", "the arguments are no JSON object",
        "Put {} in their place; cut arguments are never completed.", refusals={
            _OPENAI: "messages.N.tool_calls.M.function.arguments: arguments must be a valid JSON object string",
        }),
    Entry(
        "tool-input-not-object", Family.CONTENT, "error", "the input of a call is no object",
        "Parse the string where it is a JSON object, else wrap it.",
        refusals={_ANTHROPIC: "messages.N.content.M.tool_use.input: Input should be a valid dictionary"}),
    Entry(
        "missing-thinking-block", Family.REASONING, "error", "thinking is on, and the open turn begins without it",
        "None: thinking cannot be made up. Turn thinking off for the next request.", Fix.NEVER, {
            _ANTHROPIC: "messages.N.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.",
        }),
    Entry(
        "thinking-without-signature", Family.REASONING, "error", "a thinking block has no signature",
        "Remove the block where its turn is finished; in an open turn, turn thinking off.", refusals={
            _ANTHROPIC: "messages.N.content.M: Invalid `signature` in `thinking` block",
        }),
    Entry(
        "thinking-text-empty", Family.REASONING, "info", "a thinking block holds its signature only",
        "None: it must go back unchanged.", Fix.NEVER, {
            _ANTHROPIC: "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified",
        }),
    Entry(
        "missing-reasoning-content", Family.REASONING, "error", "a call goes back without its reasoning",
        "With consent, an empty string; or send without thinking.", Fix.CONSENT, {
            _DEEPSEEK: "Missing `reasoning_content` field in the assistant message at message index N.",
        }),
    Entry(
        "missing-thought-signature", Family.REASONING, "error", "a call of the current turn has no thought signature",
        "With consent, the stand-in that Google documents.", Fix.CONSENT,
        {_GEMINI: "Function call is missing a thought_signature in functionCall parts."}),
    Entry(
        "reasoning-without-follower", Family.REASONING, "error", "a reasoning item is not followed by what it led to",
        "Remove the reasoning item.",
        refusals={_OPENAI: "Item 'ID' of type 'reasoning' was provided without its required following item."}),
    Entry(
        "call-without-reasoning", Family.REASONING, "warning", "a call's item goes back without its reasoning item",
        "Remove the item's id and keep its call_id.",
        refusals={_OPENAI: "Item 'ID' of type 'function_call' was provided without its required 'reasoning' item"}),
    Entry(
        "user-after-tool", Family.ROLES, "error", "a user speaks directly after a result",
        "Put a short assistant message between, for that target only.",
        refusals={_MISTRAL: "Unexpected role 'user' after role 'tool'"}),
    Entry(
        "consecutive-same-role", Family.ROLES, "error", "two messages of one role follow each other",
        "Merge the texts, for that target only.",
        refusals={_TEMPLATE: "Conversation roles must alternate user/assistant/user/assistant/..."}),
    Entry(
        "ends-with-assistant", Family.ROLES, "warning", "the last message is the assistant's",
        "None in the recording: the next request needs a user message at its end.", Fix.NEVER, {
            _MISTRAL: "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
            _ANTHROPIC: "This model does not support assistant message prefill. The conversation must end with a user "
                        "message.",
        }),
    Entry(
        "image-too-large-for-many", Family.SIZES, "error", "a picture is too large for a request with so many",
        "Put a note with its size in its place.", refusals={
            _ANTHROPIC: "messages.N.content.M.image.source.base64.data: At least one of the image dimensions exceed "
                        "max allowed size for many-image requests: 2000 pixels",
        }),
    Entry(
        "image-in-tool-message", Family.SIZES, "error", "a tool's message holds a picture",
        "Move the picture to a new user message after the results.", refusals={
            _OPENAI: "Image URLs are only allowed for messages with role 'user', but this message with role 'tool' "
                     "contains an image URL.",
        }),
    Entry(
        "image-not-bare-base64", Family.SIZES, "error", "a picture is no bare base64", "Strip the data: prefix.",
        refusals={_OLLAMA: "illegal base64 data at input byte 4"}),
    Entry(
        "too-many-cache-breakpoints", Family.SIZES, "error", "more than four cache markers",
        "Remove the oldest marker among the messages.", refusals={
            _ANTHROPIC: "A maximum of 4 blocks with cache_control may be provided. Found N.",
            _BEDROCK: "A maximum of 4 blocks with cache_control may be provided. Found N.",
        }),
    Entry(
        "string-too-long", Family.SIZES, "error", "a string is longer than may be sent",
        "Cut its middle and say how much.",
        refusals={_OPENAI: "string too long. Expected a string with maximum length 10485760"}),
    Entry(
        "over-context-limit", Family.SIZES, "warning", "the session does not fit into the model's window",
        "None: compact the session.", Fix.NEVER, {_ANTHROPIC: "prompt is too long: N tokens > M maximum"}),
    Entry("huge-tool-result", Family.SIZES, "warning", "a result is very large", "None: compact this result.",
          Fix.NEVER),
    Entry("marker-in-tool-arguments", Family.MARKERS, "warning", "a call's argument ends in the marker of a cut",
          "None: the lost text is not in the file. Compare with what the result says.", Fix.NEVER),
    Entry("marker-in-tool-name", Family.MARKERS, "error", "a tool's name holds a template's token",
          "Cut the name before the token.",
          refusals={_OPENAI: "Invalid 'messages[N].tool_calls[M].function.name': string does not match pattern."}),
    Entry("tool-call-as-text", Family.MARKERS, "warning", "a call is written as text, and nothing ran",
          "None: a text is not turned into a call.", Fix.NEVER),
    Entry("markup-in-tool-arguments", Family.MARKERS, "warning", "a call's argument holds the markup of a call",
          "None: what was meant is not in the file.", Fix.NEVER),
    Entry("truncated-record", Family.FILE, "warning", "the file ends inside a record",
          "Set the partial record aside."),
    Entry("nul-bytes", Family.FILE, "warning", "NUL bytes stand in the file", "Leave the NUL bytes out."),
    Entry("glued-records", Family.FILE, "warning", "several records stand on one line",
          "Keep every whole record, each on its own line."),
    Entry("split-record", Family.FILE, "warning", "one record stands on several lines",
          "Join the lines, each break as \\n."),
    Entry("unparseable-record", Family.FILE, "warning", "a record is no JSON, or no message", "Set the record aside."),
    Entry("bom", Family.FILE, "info", "the file begins with a byte order mark", "Leave the mark out."),
    Entry("invalid-utf8", Family.FILE, "warning", "bytes are no UTF-8", "Put U+FFFD for each such byte."),
    Entry("empty-file", Family.FILE, "error", "the file is empty", "None.", Fix.NEVER),
    Entry("lone-surrogate", Family.FILE, "error", "half of a surrogate pair stands alone",
          "Put U+FFFD for the half.",
          refusals={_ANTHROPIC: "The request body is not valid JSON: no low surrogate in string"}),
    Entry("duplicate-json-key", Family.FILE, "warning", "a key stands twice in one object",
          "Keep the value that is not null, else the last."),
    Entry("nonstandard-json-constant", Family.FILE, "warning", "NaN or an infinity is no JSON", "Put null."),
    Entry("big-integer", Family.FILE, "info", "an integer is beyond 64 bits", "None: the digits are kept.",
          Fix.NEVER),
    Entry("too-deep", Family.FILE, "warning", "a value is nested too deep", "None: the raw text is kept.", Fix.NEVER),
    Entry("broken-parent-link", Family.GRAPH, "warning", "a record names a parent that is not there",
          "Link it to the record before it."),
    Entry("abandoned-branch", Family.GRAPH, "info", "a branch was left", "None.", Fix.NEVER),
    Entry("system-prompt-dropped", Family.GRAPH, "error", "the system prompt is gone", "Put it back."),
    Entry("summary-as-user-message", Family.GRAPH, "info", "a summary stands as a user's message",
          "None: the next compaction should replace it.", Fix.NEVER),
    Entry("special-token-text", Family.GRAPH, "info", "a special token's name stands in a text",
          "None: it is text, and counted as such.", Fix.NEVER),
    Entry("control-sequence-text", Family.GRAPH, "info", "a text holds control sequences of terminals",
          "None: they are made visible on display.", Fix.NEVER),
    Entry("first-user-message-dropped", Family.PLAN, "warning", "the first user message is not sent", "None.",
          Fix.NEVER),
    Entry("result-grew", Family.PLAN, "warning", "shortening made a result longer", "None.", Fix.NEVER),
)  # fmt: skip

RULES: dict[str, Entry] = {entry.code: entry for entry in _ENTRIES}
"""Every rule by its code."""


def refusal(finding: Finding, provider: Provider, call_id: str) -> tuple[str, str] | None:
    """Who refuses a fault with which words, the call's id filled in; None: a remark, or nobody is known to."""
    found = RULES[finding.code].refusal(provider) if finding.code in RULES and finding.severity != "info" else None
    if found is None:
        return None
    return found[0].value, _NAMED.sub(lambda _: call_id, found[1]) if call_id else found[1]


_NAMED = re.compile(r"(?<=: )ID\b|(?<=call id was )ID\b")
"""Where a refusal names a call by its id; other ids in such texts are those of items."""
