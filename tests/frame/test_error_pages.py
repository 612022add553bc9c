"""The check of error pages must be able to fail."""

import error_pages
import pytest


@pytest.fixture
def tree(tmp_path):
    def write(path, text):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return tmp_path

    write("src/isa/a.cc", 'return error("TY-ISA-001", "no");\n')
    write("docs/errors/TY-ISA-001.md", "# TY-ISA-001: no\n")
    return write


def test_a_code_with_its_page_passes(tree, tmp_path):
    assert error_pages.problems(tmp_path) == []


def test_a_code_without_a_page_fails(tree, tmp_path):
    tree("python/trainyard/a.py", 'raise Refused("TY-NKI-002")\n')
    assert error_pages.problems(tmp_path) == [
        "python/trainyard/a.py: TY-NKI-002 has no page docs/errors/TY-NKI-002.md"]


def test_a_page_that_nothing_reports_fails(tree, tmp_path):
    tree("docs/errors/TY-ISA-009.md", "# TY-ISA-009: old\n")
    [problem] = error_pages.problems(tmp_path)
    assert "nothing in src/ or python/ reports TY-ISA-009" in problem


def test_tests_and_comments_report_nothing(tree, tmp_path):
    tree("src/isa/a_test.cc", 'error("TY-ISA-777", "x");\n')
    tree("src/isa/b.h", '// as in "TY-ISA-778"\n')
    assert error_pages.problems(tmp_path) == []


def test_a_page_must_start_with_its_code(tree, tmp_path):
    tree("docs/errors/TY-ISA-001.md", "# Something\n")
    [problem] = error_pages.problems(tmp_path)
    assert "the first line is not" in problem


def test_a_page_must_be_named_by_a_code(tree, tmp_path):
    tree("docs/errors/notes.md", "# notes\n")
    [problem] = error_pages.problems(tmp_path)
    assert "not an error code" in problem
