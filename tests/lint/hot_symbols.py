#!/usr/bin/python3
"""Holds the undefined symbols of the hot object files against tests/lint/hot_symbols.txt.

A packet's way never allocates, logs, locks or reads a clock. What a hot file calls is seen in its
object file, after inlining: only symbols of other hot files and the allow-list's may be left.
"""

import fnmatch
import json
import subprocess
import sys

from tap import report, root_argument, table_rows

TABLE = "tests/lint/hot_symbols.txt"
COMMANDS = "build/release/compile_commands.json"


def table_read(root):
    """{kind: words} for the rows `hot PATTERN`, `setup PATTERN`, `allow SYMBOL...`."""
    table = {"hot": [], "setup": [], "allow": []}
    for number, (kind, *words) in table_rows(root, TABLE):
        if kind not in table:
            sys.exit(f"{TABLE}:{number}: '{kind}' is neither hot, setup nor allow")
        table[kind] += words
    return table


def objects_of(root):
    """{source as from the root: object file} of the release build; what a test compiles once more
    for itself is no part of the program."""
    build = root / "build/release"
    return {str((build / entry["file"]).resolve().relative_to(root)): build / entry["output"]
            for entry in json.loads((root / COMMANDS).read_text())
            if (build / entry["file"]).resolve().is_relative_to(root)
            and not entry["output"].startswith("tests/")}


def symbols(kind, path):
    done = subprocess.run(["nm", kind, "--format=just-symbols", path], capture_output=True,
                          text=True, check=True)
    return set(done.stdout.split())


def judge(root):
    table, objects = table_read(root), objects_of(root)

    def named(path, kind):
        return any(fnmatch.fnmatch(path, pattern) for pattern in table[kind])

    hot = [path for path in objects if named(path, "hot") and not named(path, "setup")]
    unbuilt = [f"no object matches `hot {pattern}`" for pattern in table["hot"]
               if not fnmatch.filter(hot, pattern)]
    allowed = set(table["allow"]).union(*(symbols("--defined-only", objects[p]) for p in hot))
    sins = [f"{path} uses {symbol}" for path in sorted(hot)
            for symbol in sorted(symbols("--undefined-only", objects[path]) - allowed)]
    return unbuilt, sins


def main():
    root = root_argument()
    if not (root / COMMANDS).exists():
        missing = f"{COMMANDS} is missing: ./run build"
        return report({"hot_symbols: there is a release build": [missing]})
    unbuilt, sins = judge(root)
    return report({"hot_symbols: every row names an object file": unbuilt,
                   "hot_symbols: no hot file leaves the allow-list": sins})


if __name__ == "__main__":
    sys.exit(main())
