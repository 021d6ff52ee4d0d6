"""Error texts of providers: recognised whatever ids and positions they hold, and led to their place."""

import re

import pytest

from inspector.doctor.errors import KNOWN, diagnosed, recognised
from inspector.doctor.rulebook import RULES
from inspector.finding import Finding
from tests.doctor.case_folders import cases

QUOTED = [
    (text, {one["code"] for one in case.meta["expected_findings"]})
    for case in cases()
    for text in (case.meta.get("provider_error_text"), *case.meta.get("provider_error_variants", ()))
    if text and case.meta["expected_findings"]
]
BOOK = [
    (words, code) for code, entry in RULES.items() for words in entry.refusals.values()
]  # fmt: skip


@pytest.mark.parametrize(("text", "codes"), QUOTED)
def test_the_quoted_text_of_a_case_names_its_rule(text: str, codes: set[str]) -> None:
    known = recognised(text)
    assert known is not None
    assert codes & set(known.codes)


@pytest.mark.parametrize(("text", "codes"), QUOTED)
def test_other_ids_and_positions_make_no_difference(text: str, codes: set[str]) -> None:
    numbered = re.sub(r"(?<!base)(?<!base\d)\d+", "77", text)
    other = numbered.replace("toolu_", "tooluse_Qx-").replace("call_", "chatcmpl-")
    known = recognised(f"Error code: 400 - {{'message': '{other}'}}")
    assert known is not None
    assert codes & set(known.codes)


@pytest.mark.parametrize(("words", "code"), BOOK, ids=[code for _, code in BOOK])
def test_the_words_in_the_rule_book_are_recognised(words: str, code: str) -> None:
    known = recognised(words.replace("ID", "abc").replace("TYPE", "web_search_tool_result"))
    assert known is not None
    assert code in known.codes


def test_every_known_text_names_rules_of_the_book() -> None:
    assert {code for known in KNOWN for code in known.codes} <= set(RULES)


def test_a_greeting_is_no_error_text() -> None:
    assert recognised("Hello, how are you?") is None


def finding(code: str, index: int, pointer: str) -> Finding:
    return Finding(code, "error", "", index, pointer)


def test_an_id_is_believed_before_a_position_and_a_position_before_order() -> None:
    found = [finding("dangling-tool-call", 1, "/messages/1/content/0"),
             finding("dangling-tool-call", 3, "/messages/3/content/0"),
             finding("dangling-tool-call", 5, "/messages/5/content/0")]  # fmt: skip
    ids = dict(zip((one.pointer for one in found), ("toolu_a", "toolu_b", "toolu_c"), strict=True))
    text = "messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: {}"
    known = recognised(text)
    assert known is not None
    by_id = diagnosed(text.format("toolu_c"), known, found, lambda one: ids[one.pointer])
    assert by_id.finding == found[2]
    assert by_id.others == 2
    by_place = diagnosed(text.format("toolu_x"), known, found, lambda one: ids[one.pointer])
    assert by_place.finding == found[1]
    first = diagnosed(text.replace("3", "9").format("toolu_x"), known, found, lambda one: ids[one.pointer])
    assert first.finding == found[0]
