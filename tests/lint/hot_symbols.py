#!/usr/bin/python3
"""Holds the hot object files against tests/lint/hot_symbols.txt: what they call, and `rep stos`.

A packet's way never allocates, logs, locks or reads a clock. What a hot file calls is seen in its
object file, after inlining: only symbols of other hot files and the allow-list's may be left.

A structure that an initialiser clears becomes `rep stos`, which costs more than the few fields that
are needed: a hot file assigns those instead, unless a row `clears` says why not.
"""

import fnmatch
import json
import subprocess
import sys

from tap import TREE, report, root_argument, table_rows

TABLE = "tests/lint/hot_symbols.txt"
COMMANDS = f"{TREE}/compile_commands.json"


def table_read(root):
    """{kind: words} for the rows `hot PATTERN`, `setup PATTERN`, `allow SYMBOL...`, `clears PATTERN`."""
    table = {"hot": [], "setup": [], "allow": [], "clears": []}
    for number, (kind, *words) in table_rows(root, TABLE):
        if kind not in table:
            sys.exit(f"{TABLE}:{number}: '{kind}' is neither hot, setup, allow nor clears")
        table[kind] += words
    return table


def objects_of(root):
    """{source as from the root: object file} of the release build; what a test compiles once more
    for itself is no part of the program."""
    build = root / TREE
    return {str((build / entry["file"]).resolve().relative_to(root)): build / entry["output"]
            for entry in json.loads((root / COMMANDS).read_text())
            if (build / entry["file"]).resolve().is_relative_to(root)
            and not entry["output"].startswith("tests/")}


def symbols(kinds, paths):
    """{object file: its symbols of these kinds}; one nm reads them all."""
    found = {str(path): set() for path in paths}
    done = subprocess.run(["nm", *kinds, "--print-file-name", "--format=posix", *found], capture_output=True,
                          text=True, check=True)
    for line in done.stdout.splitlines():
        path, _, rest = line.partition(": ")
        found[path].add(rest.split()[0])
    return found


def functions_that_clear(path):
    done = subprocess.run(["objdump", "--disassemble", "--no-show-raw-insn", path],
                          capture_output=True, text=True, check=True)
    function, found = "", []
    for line in done.stdout.splitlines():
        if line.endswith(">:"):
            function = line.split("<")[1][:-2]
        elif "rep stos" in line and function not in found:
            found.append(function)
    return found


def judge(root):
    table, objects = table_read(root), objects_of(root)

    def named(path, kind):
        return any(fnmatch.fnmatch(path, pattern) for pattern in table[kind])

    hot = [path for path in objects if named(path, "hot") and not named(path, "setup")]
    unbuilt = [f"no object matches `hot {pattern}`" for pattern in table["hot"]
               if not fnmatch.filter(hot, pattern)]
    allowed = set(table["allow"]).union(*symbols(["--defined-only"], (objects[p] for p in hot)).values())
    used = symbols(["--undefined-only"], (objects[p] for p in hot))
    sins = [f"{path} uses {symbol}" for path in sorted(hot)
            for symbol in sorted(used[str(objects[path])] - allowed)]
    clearing = [f"{path}: {function} clears memory by rep stos" for path in sorted(hot)
                if not named(path, "clears") for function in functions_that_clear(objects[path])]
    return unbuilt, sins, clearing


def main():
    root = root_argument()
    if not (root / COMMANDS).exists():
        missing = f"{COMMANDS} is missing: ./run lint"
        return report({"hot_symbols: there is a release build": [missing]})
    unbuilt, sins, clearing = judge(root)
    return report({"hot_symbols: every row names an object file": unbuilt,
                   "hot_symbols: no hot file leaves the allow-list": sins,
                   "hot_symbols: no hot file clears memory by rep stos": clearing})


if __name__ == "__main__":
    sys.exit(main())
