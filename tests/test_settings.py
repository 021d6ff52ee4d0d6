import ast
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector import settings
from inspector.policies import POLICIES, SettingError, Value
from inspector.settings import (
    RECENT_FILES,
    Remembered,
    fitting,
    from_toml,
    parse_settings,
    policy_of,
    read_given,
    to_python,
    to_toml,
)

HEAD_TAIL, CASCADE, CHECKPOINT = POLICIES["head-tail"], POLICIES["cascade"], POLICIES["checkpoint"]


@pytest.mark.parametrize(
    ("text", "value"),
    [("keep_recent=20", 20), ("keep-recent=20", 20), ("keep_recent=1,000", 1_000), (" keep_recent = 20", 20)],
)
def test_a_number_is_read(text: str, value: int) -> None:
    assert parse_settings(HEAD_TAIL, [text]) == {"keep_recent": value}


def test_a_later_setting_wins() -> None:
    assert parse_settings(HEAD_TAIL, ["keep_recent=1", "keep_recent=2"]) == {"keep_recent": 2}


def test_a_text_keeps_its_equals_signs_and_spaces() -> None:
    assert parse_settings(CHECKPOINT, ["checkpoint= a=b "]) == {"checkpoint": " a=b "}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("keep_recent", "name=value"),
        ("=5", "name=value"),
        ("keep_recent=", "whole number"),
        ("keep_recent=many", "whole number"),
        ("keep_recent=2.5", "whole number"),
        ("keep_recent=-1", "at least 0"),
        ("keep_recent=" + "9" * 5_000, "whole number"),
        ("keep_recnt=5", "did you mean keep_recent"),
        ("colour=5", "it has keep_recent"),
        ("keep_recent=@/no/such/file", "No such file"),
        ("@/no/such/file", "No such file"),
        ("@nul\0", "cannot read"),
    ],
)
def test_a_mistake_is_one_sentence(text: str, says: str) -> None:
    with pytest.raises(SettingError, match=says) as fault:
        parse_settings(HEAD_TAIL, [text])
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize("text", ["0.1", "nan", "inf", "1e999", "101"])
def test_a_float_out_of_range_is_refused(text: str) -> None:
    with pytest.raises(SettingError, match="to 100"):
        parse_settings(CASCADE, [f"chars_per_token={text}"])


def test_a_value_is_read_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "answer").write_text('{"version": 1}\n')
    assert parse_settings(CHECKPOINT, [f"checkpoint=@{tmp_path / 'answer'}"]) == {"checkpoint": '{"version": 1}\n'}
    (tmp_path / "number").write_text("7\n")
    assert parse_settings(HEAD_TAIL, [f"keep_recent=@{tmp_path / 'number'}"]) == {"keep_recent": 7}


@pytest.mark.parametrize(("data", "says"), [(b"\xff\xfe", "UTF-8"), (b" " * (1 << 20) + b" ", "too large")])
def test_a_file_that_is_no_setting_is_refused(tmp_path: Path, data: bytes, says: str) -> None:
    (tmp_path / "file").write_bytes(data)
    for text in (f"@{tmp_path / 'file'}", f"checkpoint=@{tmp_path / 'file'}"):
        with pytest.raises(SettingError, match=says):
            parse_settings(CHECKPOINT, [text])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("policy = ", "not TOML"),
        ("policy = 5", "text as policy"),
        ("settings = 5", "table as settings"),
        ("[setings]\nkeep_recent = 5", "key 'setings'"),
        ("x = " + "[" * 5_000, "not TOML"),
        ("x = " + "9" * 5_000, "not TOML"),
    ],
)
def test_a_damaged_settings_file_is_one_sentence(text: str, says: str) -> None:
    with pytest.raises(SettingError, match=says) as fault:
        from_toml(text, "x.toml")
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ('policy = "cascade"', "for 'cascade'"),
        ("[settings]\nkeep_recent = true", "whole number"),
        ("[settings]\nkeep_recent = [1]", "whole number"),
        ("[settings]\nkeep_recent = -1", "at least 0"),
        ("[settings]\nkeep = 1", "no parameter"),
    ],
)
def test_a_settings_file_is_checked_against_the_policy(tmp_path: Path, table: str, says: str) -> None:
    (tmp_path / "s.toml").write_text(table)
    with pytest.raises(SettingError, match=says):
        parse_settings(HEAD_TAIL, [f"@{tmp_path / 's.toml'}"])


def test_a_settings_file_names_its_policy_and_single_settings_refine_it(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_bytes(b"\xef\xbb\xbf" + to_toml("head-tail", {"keep_recent": 3, "old_tool_chars": 9}).encode())
    given_settings = [f"@{path}", "keep_recent=4"]
    assert policy_of(read_given(given_settings)) == "head-tail"
    assert parse_settings(HEAD_TAIL, given_settings) == {"keep_recent": 4, "old_tool_chars": 9}


def test_toml_says_the_policy_and_leaves_out_what_is_not_set() -> None:
    text = to_toml("cascade", CASCADE.settings({"chars_per_token": 2.5}))
    assert text.startswith('policy = "cascade"\n')
    assert "\n[settings]\n" in text
    assert "max_result_chars" not in text


texts = st.text(st.characters(), max_size=60)
values = st.one_of(st.integers(-(10**12), 10**12), st.floats(allow_nan=False), texts)


@given(st.dictionaries(st.sampled_from(["a", "b_c", "checkpoint"]), values))
def test_toml_comes_back_as_it_was(chosen: dict[str, Value]) -> None:
    back = from_toml(to_toml("head-tail", chosen))
    assert back.policy == "head-tail"
    plain = {k: _without_surrogates(v) if isinstance(v, str) else v for k, v in chosen.items()}
    assert back.settings == plain


def _without_surrogates(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@given(st.dictionaries(st.sampled_from(["a", "b_c", "checkpoint"]), values), texts)
def test_the_python_call_says_exactly_the_settings(chosen: dict[str, Value], path: str) -> None:
    text = to_python("head-tail", chosen, path)
    assert all(char.isprintable() or char == "\n" for char in text)
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    load, compact = (_called(calls, name) for name in ("load", "compact"))
    assert ast.literal_eval(load.args[0]) == path
    assert ast.literal_eval(compact.args[1]) == "head-tail"
    assert {word.arg: _literal(word.value) for word in compact.keywords} == chosen


def _called(calls: list[ast.Call], name: str) -> ast.Call:
    return next(call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == name)


def _literal(node: ast.expr) -> Any:
    if isinstance(node, ast.Call):
        return float(ast.literal_eval(node.args[0]))
    return ast.literal_eval(node)


def test_the_call_alone_is_one_line_where_it_fits() -> None:
    call = to_python("head-tail", {"keep_recent": 12, "old_tool_chars": 2_000, "unset": None})
    assert call == 'inspector.compact(session, "head-tail", keep_recent=12, old_tool_chars=2000)'


def test_remembered_values_that_no_longer_fit_are_left_out() -> None:
    assert fitting(HEAD_TAIL, {"keep_recent": 5, "old_tool_chars": -5, "gone": 1}) == {"keep_recent": 5}


def test_the_first_run_remembers_nothing_and_complains_of_nothing(tmp_path: Path) -> None:
    assert settings.load(tmp_path / "none") == (Remembered(), "")


FULL = Remembered(
    theme="nord",
    policy="cascade",
    settings={"cascade": {"target_tokens": 5, "chars_per_token": 2.5}, "checkpoint": {"checkpoint": "\ud83d ☃"}},
    recent=("/a", "/b\udcff"),
    panes={"controls": 30},
    counter="o200k_base",
)


def test_what_is_saved_comes_back(tmp_path: Path) -> None:
    assert settings.save(FULL, tmp_path / "deep" / "folder") == ""
    assert settings.load(tmp_path / "deep" / "folder") == (FULL, "")
    assert [path.name for path in (tmp_path / "deep" / "folder").iterdir()] == [settings.FILE_NAME]


@pytest.mark.parametrize("data", [b"", b"{", b"[1]", b"5", b"\xff", b"[" * 100_000, b'{"theme": "x"', b"\0"])
def test_a_damaged_file_gives_defaults_and_a_sentence(tmp_path: Path, data: bytes) -> None:
    (tmp_path / settings.FILE_NAME).write_bytes(data)
    remembered, sentence = settings.load(tmp_path)
    assert remembered == Remembered()
    assert "damaged" in sentence
    assert settings.save(FULL, tmp_path) == ""
    assert settings.load(tmp_path)[0] == FULL


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("theme", 5),
        ("policy", None),
        ("settings", [1]),
        ("settings", {"cascade": 5}),
        ("recent", ["/a", 5]),
        ("recent", "/a"),
        ("panes", {"controls": "wide"}),
        ("panes", {"controls": -1}),
        ("counter", {}),
    ],
)
def test_one_damaged_value_costs_only_itself(tmp_path: Path, name: str, value: object) -> None:
    document = {"theme": "nord", "recent": ["/a"], "later": 1, name: value}
    (tmp_path / settings.FILE_NAME).write_text(json.dumps(document))
    remembered, sentence = settings.load(tmp_path)
    assert name in sentence
    assert getattr(remembered, name) == getattr(Remembered(), name)
    assert remembered.theme == ("" if name == "theme" else "nord")


@given(
    st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | texts, lambda inner: st.lists(inner)),
    st.sampled_from(["theme", "policy", "settings", "recent", "panes", "counter"]),
)
def test_no_content_makes_loading_raise(value: object, name: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / settings.FILE_NAME).write_text(json.dumps({name: value}))
        remembered, _ = settings.load(Path(folder))
        assert settings.save(remembered, Path(folder)) == ""


def test_a_place_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    assert "cannot be remembered" in settings.save(FULL, tmp_path / "file")
    assert "cannot be read" in settings.load(tmp_path / "file")[1]
    (tmp_path / settings.FILE_NAME).mkdir()
    assert "cannot be remembered" in settings.save(FULL, tmp_path)
    assert "cannot be read" in settings.load(tmp_path)[1]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_a_sentence(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert "cannot be remembered" in settings.save(FULL, tmp_path)


def test_the_folder_can_be_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(settings.FOLDER_VARIABLE, str(tmp_path))
    assert settings.save(FULL) == ""
    assert settings.load() == (FULL, "")


def test_an_opened_file_comes_first_once_and_the_list_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    remembered = Remembered()
    for number in range(RECENT_FILES + 5):
        remembered = remembered.opened(f"{number}.json")
    remembered = remembered.opened("10.json")
    assert remembered.recent[:2] == (str(tmp_path / "10.json"), str(tmp_path / f"{RECENT_FILES + 4}.json"))
    assert len(remembered.recent) == RECENT_FILES == len(set(remembered.recent))


def test_tuning_one_policy_keeps_the_settings_of_the_others() -> None:
    remembered = Remembered().tuned("head-tail", {"keep_recent": 3}).tuned("cascade", {"protect": 1, "unset": None})
    assert remembered.policy == "cascade"
    assert remembered.settings == {"head-tail": {"keep_recent": 3}, "cascade": {"protect": 1}}
