"""The README's JAX program runs and prints what the README shows, up to figures that move with the
compiler."""

import re


def without_figures(text):
    return re.sub(r"[0-9]+(\.[0-9]+)? (us|MFLOP|MB)", r"# \2", text)


def test_the_jax_program_prints_what_the_readme_shows(python, root):
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", (root / "README.md").read_text(),
                        re.MULTILINE | re.DOTALL)
    place, program = next((i, text) for i, (kind, text) in enumerate(blocks) if kind == "python")
    assert without_figures(python(program).stdout) == without_figures(blocks[place + 1][1])
