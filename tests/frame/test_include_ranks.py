"""The check of includes must be able to fail."""

import include_ranks


def problems(path, *includes):
    return include_ranks.problems_of(path, "".join(f'#include "{i}"\n' for i in includes))


def test_own_folder_and_lower_ranks_pass():
    assert problems("sim/timing/stream.cc", "sim/timing/stream.h", "isa/cost.h", "base/status.h") == []


def test_an_upward_include_is_named_with_both_ranks():
    [problem] = problems("isa/cost.cc", "base/status.h", "sim/device.h")
    assert 'src/isa/cost.cc:2: #include "sim/device.h"' in problem
    assert "isa (rank 2) may not include sim (rank 3)" in problem


def test_a_sideways_include_is_refused():
    assert len(problems("sim/device.cc", "place/liveness.h")) == 1
    assert len(problems("hw/chips/trn2.cc", "numerics/bf16.h")) == 1


def test_a_relative_include_is_refused():
    [problem] = problems("isa/cost.cc", "cost.h")
    assert "write the path from src/" in problem


def test_an_unknown_folder_is_refused():
    [problem] = problems("misc/a.cc")
    assert "has no rank" in problem


def test_system_headers_and_odd_spacing_are_read():
    assert include_ranks.problems_of("base/a.h", "#include <sim/b.h>\n") == []
    assert len(include_ranks.problems_of("base/a.h", '  #  include  "sim/b.h"\n')) == 1


def test_a_bad_tree_fails_and_a_good_one_passes(tmp_path, capsys):
    file = tmp_path / "src/base/a.cc"
    file.parent.mkdir(parents=True)
    file.write_text('#include "base/a.h"\n')
    assert include_ranks.main(tmp_path) == 0
    file.write_text('#include "isa/a.h"\n')
    assert include_ranks.main(tmp_path) == 1
    assert "1 forbidden" in capsys.readouterr().out


def test_an_empty_tree_is_a_failure(tmp_path):
    assert include_ranks.main(tmp_path) == 1
