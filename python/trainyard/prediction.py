"""Predictions of training runs on many chips: the commands `step` and `plan` as functions."""

import json
import subprocess
from typing import Any

from trainyard import _files


class Refused(ValueError):
    """The command refused the question; the text begins with a code of docs/errors."""


def _ask(verb: str, model: str, options: dict[str, Any]) -> dict[str, Any]:
    words = [str(_files.command_path()), verb, "--model", model, "--json"]
    for key, value in options.items():
        flag = "--" + key.replace("_", "-")
        if value is True:
            words.append(flag)
        elif value is not False and value is not None:
            words += [flag, str(value)]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise Refused((done.stderr or done.stdout).strip())
    return json.loads(done.stdout)


def step(model: str, **options: Any) -> dict[str, Any]:
    """Time, memory and throughput of one training step, as `trainyard step --json` tells them.

    Options are those of the command with `_` for `-`: `step("llama-2-7b", instance="trn2.48xlarge",
    tp=8, seq_len=4096)`. A row of `pandas.json_normalize` is one prediction.
    """
    return _ask("step", model, options)


def plan(model: str, **options: Any) -> dict[str, Any]:
    """The best ways to train a model, as `trainyard plan --json` tells them."""
    return _ask("plan", model, options)
