"""The transcript runner itself, on a program whose output we choose."""

import stat

import pytest

import transcript


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program"
    path.write_text('#!/bin/sh\necho "out $1"\necho "err $2" >&2\nexit ${3:-0}\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def replay(text, program, tmp_path):
    return transcript.replay(text, program, tmp_path, str(tmp_path / "scratch"))


def test_output_errors_and_exit_code_are_written(program, tmp_path):
    assert replay("$ trainyard a b 3\n", program, tmp_path) == (
        "$ trainyard a b 3\nout a\n! err b\n[exit 3]\n")


def test_prose_is_kept_and_old_output_is_replaced(program, tmp_path):
    text = "Why this is here.\n\n$ trainyard a b\nstale\n$ trainyard 'c d' e\n"
    assert replay(text, program, tmp_path) == (
        "Why this is here.\n\n$ trainyard a b\nout a\n! err b\n$ trainyard 'c d' e\nout c d\n! err e\n")


def test_a_transcript_that_holds_replays_to_itself(program, tmp_path):
    once = replay("$ trainyard a b 1\n$ trainyard c d\n", program, tmp_path)
    assert replay(once, program, tmp_path) == once


def test_the_scratch_folder_is_called_tmp(program, tmp_path):
    assert replay("$ trainyard TMP/f x\n", program, tmp_path) == (
        "$ trainyard TMP/f x\nout TMP/f\n! err x\n")


def test_a_transcript_without_a_command_is_refused(program, tmp_path):
    with pytest.raises(ValueError, match="without a command"):
        replay("only prose\n", program, tmp_path)


def test_only_trainyard_may_run(program, tmp_path):
    with pytest.raises(ValueError, match="not 'rm'"):
        replay("$ rm -r x\n", program, tmp_path)


def test_times_of_the_host_are_left_out():
    text = "values   ok       1 instruction in 91.3 us on 2 host threads\n\"host_seconds\": 3.2e-05,\n"
    assert transcript.without_host_times(text) == (
        "values   ok       1 instruction in HOST on 2 host threads\n\"host_seconds\": HOST,\n")
    assert transcript.without_host_times("time     2.9 us   bound by DMA\n") == "time     2.9 us   bound by DMA\n"
