"""Questions that every sub-command must answer well."""

import json
import re
import subprocess


def run(trainyard, *words):
    return subprocess.run([trainyard, *words], capture_output=True, text=True, timeout=60)


def command_names(trainyard):
    text = run(trainyard, "--help").stdout.partition("Subcommands:\n")[2]
    return re.findall(r"^  (\S+)", text, re.MULTILINE)


def test_bare_trainyard_shows_its_help(trainyard):
    bare = run(trainyard)
    assert bare.returncode == 0
    assert bare.stdout == run(trainyard, "--help").stdout


def test_every_command_has_help_with_examples_of_itself(trainyard):
    names = command_names(trainyard)
    assert {"doctor", "explain"} <= set(names)
    for name in names:
        done = run(trainyard, name, "--help")
        assert done.returncode == 0
        examples = done.stdout.partition("Examples:\n")[2].splitlines()
        assert examples, f"trainyard {name} --help shows no example"
        for example in examples:
            assert f"trainyard {name}" in example


def test_every_command_refuses_an_unknown_option(trainyard):
    for name in command_names(trainyard):
        done = run(trainyard, name, "--no-such-option")
        assert done.returncode == 2, name
        assert "there is no option '--no-such-option'" in done.stderr, name
        assert done.stdout == "", name


def test_version_is_that_of_the_build(trainyard, root):
    version = re.search(r"VERSION (\d+\.\d+\.\d+)", (root / "CMakeLists.txt").read_text()
                        .partition("project(")[2])[1]
    assert run(trainyard, "--version").stdout == f"trainyard {version}\n"


def test_doctor_tells_a_machine_what_it_tells_a_person(trainyard):
    report = json.loads(run(trainyard, "doctor", "--json").stdout)
    text = run(trainyard, "doctor").stdout
    assert report["processor"]["cores"] >= 1
    assert report["memory"]["bytes"] >= report["memory"]["available_bytes"] > 0
    for name, unit in report["units"].items():
        row = re.search(rf"^{name} +(yes|no) +(yes|no)$", text, re.MULTILINE)
        assert row.groups() == tuple("yes" if unit[k] else "no" for k in ("present", "usable"))
    for reason in report["slow"]:
        assert f"slow       {reason}\n" in text


def test_doctor_finds_the_units_that_the_kernel_lists(trainyard):
    with open("/proc/cpuinfo") as cpuinfo:
        row = re.search(r"^flags\s*:(.*)$", cpuinfo.read(), re.MULTILINE)
    flags = set(row[1].split()) if row else set()  # other processors have none of the units
    units = json.loads(run(trainyard, "doctor", "--json").stdout)["units"]
    for name, flag in [("AVX2", "avx2"), ("AVX-512", "avx512bw"), ("AVX-512 BF16", "avx512_bf16"),
                       ("AMX", "amx_bf16")]:
        assert units[name]["present"] == (flag in flags), name


def test_explain_carries_every_page_of_the_tree(trainyard, root):
    listed = run(trainyard, "explain", "--list", "error").stdout
    pages = sorted((root / "docs/errors").glob("TY-*.md"))
    assert pages
    for page in pages:
        assert f"\n  {page.stem} " in listed
        assert run(trainyard, "explain", page.stem).stdout == page.read_text()


def test_explain_refuses_an_unknown_kind_by_code(trainyard):
    done = run(trainyard, "explain", "eror", "TY-TOOL-001")
    assert done.returncode == 1
    assert done.stderr.startswith("TY-TOOL-002  'eror' is not a kind")
    assert "did you mean 'error'?" in done.stderr


def test_run_tells_a_machine_what_it_tells_a_person(trainyard, root):
    program = str(root / "tests/golden/cli/programs/small.tya")
    for mode, parts in [("values", {"values"}), ("time", {"time"}), ("both", {"values", "time"}),
                        ("check", {"values", "time", "check"})]:
        words = ["run", program, "--mode", mode, "--random", "1", "--strict"]
        report = json.loads(run(trainyard, *words, "--json").stdout)
        text = run(trainyard, *words).stdout
        assert report["mode"] == mode
        assert parts == report.keys() & {"values", "time", "check"}
        if "values" in parts:
            assert f"y  xxh3 {report['values']['xxh3']['y']}\n" in text
        if "time" in parts:
            assert f"time     {report['time']['seconds'] * 1e6:.1f} us" in text
            for row in report["time"]["instructions"]:
                waits = sum(w["seconds"] for w in row.get("waits", []))
                assert abs(waits - row["waited_seconds"]) < 1e-12
        if mode == "check":
            assert report["check"]["findings"] == []


def test_check_fails_exactly_when_it_finds_something(trainyard, root):
    folder = root / "tests/golden/cli/programs"
    for name, code in [("small", 0), ("race", 1)]:
        done = run(trainyard, "run", str(folder / f"{name}.tya"), "--mode", "check", "--json")
        assert done.returncode == code
        assert bool(json.loads(done.stdout)["check"]["findings"]) == bool(code)
