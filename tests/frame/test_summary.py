"""The sum at the end of `./dev test` must not hide a failure."""

import summary

PASS = '<testcase name="base" status="run"/>'
FAIL = '<testcase name="base" status="fail"><failure message=""/></testcase>'


def results(tmp_path, ctest, gtest="", pytest=""):
    (tmp_path / "gtest").mkdir()
    (tmp_path / "ctest.xml").write_text(f"<testsuite>{ctest}</testsuite>")
    if gtest:
        (tmp_path / "gtest/base.xml").write_text(f"<testsuites><testsuite>{gtest}</testsuite></testsuites>")
    if pytest:
        (tmp_path / "pytest.xml").write_text(f"<testsuites><testsuite>{pytest}</testsuite></testsuites>")
    return tmp_path


def last_line(capsys):
    return capsys.readouterr().out.splitlines()[-1]


def test_googletest_cases_are_counted_one_by_one(tmp_path, capsys):
    case = '<testcase name="a" classname="A" status="run"/>'
    assert summary.main([results(tmp_path, PASS, gtest=3 * case, pytest=2 * case)]) == 0
    assert last_line(capsys) == "5 passed, 0 failed"


def test_a_failed_case_fails_the_run_and_is_named(tmp_path, capsys):
    cases = ('<testcase name="good" classname="A" status="run"/>'
             '<testcase name="bad" classname="A" status="run"><failure/></testcase>')
    assert summary.main([results(tmp_path, FAIL, gtest=cases)]) == 1
    output = capsys.readouterr().out
    assert "base: A.bad" in output
    assert output.endswith("1 passed, 1 failed\n")


def test_a_program_that_crashes_counts_as_one_failure(tmp_path, capsys):
    assert summary.main([results(tmp_path, FAIL)]) == 1
    assert last_line(capsys) == "0 passed, 1 failed"


def test_a_program_that_fails_after_its_cases_is_a_failure(tmp_path, capsys):
    case = '<testcase name="a" classname="A" status="run"/>'
    assert summary.main([results(tmp_path, FAIL, gtest=case)]) == 1
    assert last_line(capsys) == "1 passed, 1 failed"


def test_a_skipped_case_is_neither(tmp_path, capsys):
    case = '<testcase name="a" classname="A" status="run" result="skipped"><skipped/></testcase>'
    assert summary.main([results(tmp_path, PASS, gtest=case)]) == 0
    assert capsys.readouterr().out.splitlines() == ["1 skipped", "0 passed, 0 failed"]


def test_an_error_of_pytest_is_a_failure(tmp_path, capsys):
    assert summary.main([results(tmp_path, PASS, pytest='<testcase name="t"><error/></testcase>')]) == 1
    assert last_line(capsys) == "1 passed, 1 failed"
