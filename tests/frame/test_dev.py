"""The script ./dev, as far as it can be asked without building."""

import re
import subprocess


def dev(root, *words, cwd="/"):
    return subprocess.run([str(root / "dev"), *words], cwd=cwd, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60)


def test_help_lists_every_verb_from_any_folder(root):
    done = dev(root, "help")
    assert done.returncode == 0
    verbs = re.findall(r"^verb_(\w+)\(\)", (root / "dev").read_text(), re.MULTILINE)
    assert len(verbs) >= 10
    for verb in verbs:
        assert re.search(rf"^  {verb.replace('_', '-')} +\S", done.stdout, re.MULTILINE), verb


def test_an_unknown_verb_fails_and_shows_the_list(root):
    done = dev(root, "bild")
    assert done.returncode == 1
    assert done.stderr.endswith("dev: there is no verb 'bild'\n")
    assert "  build " in done.stderr


def test_package_lists_have_their_sections(root):
    text = (root / "packaging/debian-packages.txt").read_text()
    assert [line for line in text.splitlines() if line.startswith("[")] == [
        "[build]",
        "[check]",
        "[browser]",
    ]
