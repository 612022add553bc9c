"""The check of source keys must be able to fail."""

import pytest
import source_keys


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/sources.md").write_text("| key | document |\n|---|---|\n| `nki-trn2` | a |\n")
    (tmp_path / "src/hw").mkdir(parents=True)

    def write(text, name="chip.cc"):
        (tmp_path / "src/hw" / name).write_text(text)
        return source_keys.problems(tmp_path)

    return write


def test_a_known_key_passes(tree):
    assert tree('.partitions = {128, Documented, "nki-trn2"},') == []


def test_an_unknown_key_is_named_with_its_file(tree):
    assert tree('{128, Trust::Assumed,\n "nki-trn9"}') == [
        "src/hw/chip.cc: source 'nki-trn9' is not in docs/sources.md"]


def test_each_of_two_keys_is_looked_up(tree):
    assert len(tree('{128, Derived, "nki-trn2, nki-x"}')) == 1


def test_a_citation_in_a_comment_is_looked_up(tree):
    assert len(tree("// Four passes. [nki-trn7 DMA]\n")) == 1
    assert tree("// Four passes. [nki-trn2 DMA]\n") == []


def test_tests_may_invent_keys(tree):
    assert tree('{1, Assumed, "nki-x"}', "chip_test.cc") == []


def test_the_real_tree_names_sources_at_all(root):
    texts = [p.read_text() for p in (root / "src/hw").rglob("*.cc")]
    assert sum(len(source_keys.keys_in(text)) for text in texts) > 100
