"""Every case of TAXONOMY.md: the findings that it expects, and no other."""

from pathlib import Path

import pytest

from tests.doctor.case_folders import Case, cases, expanded, found_in, places

CASES = cases()


@pytest.mark.parametrize("case", CASES, ids=[case.folder.name for case in CASES])
def test_a_case_has_the_expected_findings_for_each_target(case: Case, tmp_path: Path) -> None:
    if case.compared is not None:
        pytest.skip("it compares two files; the verb's tests do that")
    path = expanded(case, tmp_path)
    for target, expected in case.targets():
        found, _ = found_in(path, target)
        wanted = [one for one in expected if one["severity"] != "info"]
        remarks = {(one["code"], one["message_index"], one["pointer"]) for one in expected if one["severity"] == "info"}
        assert places(found, case.meta["allowed_findings"]) == sorted(
            ((one["code"], one["message_index"], one["pointer"]) for one in wanted), key=str
        )
        assert remarks <= {(one.code, one.message_index, one.pointer) for one in found}


@pytest.mark.parametrize("case", CASES, ids=[case.folder.name for case in CASES])
def test_a_case_loads_as_many_native_messages_as_it_says(case: Case, tmp_path: Path) -> None:
    wanted = case.meta["expected_behaviour"].get("loaded_messages")
    if wanted is None:
        pytest.skip("the case does not say")
    _, loaded = found_in(expanded(case, tmp_path), case.meta["target"])
    assert loaded == wanted
