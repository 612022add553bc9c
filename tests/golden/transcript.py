"""Transcripts of the command line: what a user types and sees.

A transcript is a text file. Lines before the first `$ ` are prose. `$ trainyard ...` is a command,
run in the root of the tree without a shell; what follows is its output, then its errors with
`! ` before each line, then `[exit N]` when N is not 0. The word TMP stands for an empty folder that
the commands of one transcript share. Times of the host are written as HOST.
"""

import re
import shlex
import subprocess


# What depends on the host and the moment, not on the program.
HOST_TIMES = [(re.compile(r"(instructions? in )[\d.]+ (ns|us|ms|s)( on )"), r"\1HOST\3"),
              (re.compile(r'("host_seconds": )[-+.\de]+'), r"\1HOST")]


def without_host_times(text: str) -> str:
    for pattern, words in HOST_TIMES:
        text = pattern.sub(words, text)
    return text


def commands_of(transcript: str) -> list[str]:
    return [line[2:] for line in transcript.splitlines() if line.startswith("$ ")]


def prose_of(transcript: str) -> str:
    if transcript.startswith("$ "):
        return ""
    return transcript.partition("\n$ ")[0] + "\n"


def play(command: str, trainyard: str, cwd, scratch: str) -> str:
    """The piece of transcript that one command makes."""
    words = shlex.split(command.replace("TMP", scratch))
    if words[0] != "trainyard":
        raise ValueError(f"a transcript runs only trainyard, not '{words[0]}'")
    done = subprocess.run([trainyard, *words[1:]], cwd=cwd, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60)
    errors = "".join(f"! {line}\n" for line in done.stderr.splitlines())
    code = f"[exit {done.returncode}]\n" if done.returncode else ""
    output = done.stdout if done.stdout.endswith("\n") or not done.stdout else done.stdout + "\n"
    return without_host_times((f"$ {command}\n" + output + errors + code).replace(scratch, "TMP"))


def replay(transcript: str, trainyard: str, cwd, scratch: str) -> str:
    """The transcript as the program writes it today."""
    pieces = [play(c, trainyard, cwd, scratch) for c in commands_of(transcript)]
    if not pieces:
        raise ValueError("a transcript without a command tests nothing")
    return prose_of(transcript) + "".join(pieces)
