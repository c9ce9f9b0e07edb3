#!/usr/bin/python3
"""Holds suite `realtime`, which `./run soak flaky` runs on a busy machine, against the tests: whichever lets time
pass by itself is in it. That is who uses a module or a name of SIGNS, in its own file or in one that it imports; the
modules of SIGNS themselves have such names for all. Of a program in C: who has a thread, a process or a clock."""

import json
import pathlib
import re
import sys

from tap import TREE, report, root_argument

SUITE = "realtime"
INFO = pathlib.Path(TREE) / "meson-info"
HELPERS = {"harness", "network", "instance", "owner", "real"}
SIGNS = re.compile(r"^\s*(?:import|from) (?:network|instance|owner|bts_chain)\b|\breal\.(?:World|cases)\b"
                   r"|\b(?:Running|WAIT_S|time\.monotonic|time\.sleep)\b", re.MULTILINE)
SIGNS_OF_C = re.compile(r"\b(?:pthread_create|fork|nanosleep|clock_gettime|alarm) ?\(|\bSO_RCVTIMEO\b")
IMPORT = re.compile(r"^\s*(?:import|from) (\w+)", re.MULTILINE)


def imported(path, folders, found):
    """A file and all of the project's that it imports, but the helpers."""
    if path not in found and path.stem not in HELPERS:
        found.add(path)
        for name in IMPORT.findall(path.read_text()):
            for one in (folder / f"{name}.py" for folder in (path.parent, *folders)):
                if one.is_file():
                    imported(one, folders, found)
                    break
    return found


def sources_of(targets):
    """{program: its own sources}"""
    return {program: [pathlib.Path(path) for group in target["target_sources"] for path in group.get("sources", [])]
            for target in targets for program in target["filename"]}


def sign_of(test, sources, folders):
    """The file with a sign of real time, or nothing."""
    scripts = [pathlib.Path(word) for word in test["cmd"] if word.endswith(".py")]
    files = [one for script in scripts for one in imported(script, folders, set())]
    signs = SIGNS if scripts else SIGNS_OF_C
    for path in sorted(files) or sources.get(test["cmd"][0], []):
        if found := signs.search(path.read_text(errors="replace")):
            return f"{path.name}: {found[0].strip()}"
    return None


def main():
    root = root_argument()
    if not (root / INFO / "intro-tests.json").is_file():
        return report({f"{SUITE}: its list": [f"{INFO}/intro-tests.json is missing: ./run lint"]})
    tests, targets = (json.loads((root / INFO / f"intro-{name}.json").read_text()) for name in ("tests", "targets"))
    folders = sorted(path for path in (root / "tests").iterdir() if path.is_dir())
    sources = sources_of(targets)
    sins = [f"{test['name']} is not in suite {SUITE}, and has {sign}" for test in tests
            if not any(suite.endswith(SUITE) for suite in test["suite"]) and (sign := sign_of(test, sources, folders))]
    return report({f"{SUITE}: whichever test lets time pass is in the suite": sins})


if __name__ == "__main__":
    sys.exit(main())
