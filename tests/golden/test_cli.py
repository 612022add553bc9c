"""Replays tests/golden/cli/*.txt. To add one, write its `$ trainyard ...` lines and run
`./dev golden`."""

import pathlib

import pytest

import transcript

FOLDER = pathlib.Path(__file__).parent / "cli"
FILES = sorted(FOLDER.glob("*.txt"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_transcript_still_holds(path, golden, trainyard, root, tmp_path):
    golden(path, transcript.replay(path.read_text(), trainyard, root, str(tmp_path)))
