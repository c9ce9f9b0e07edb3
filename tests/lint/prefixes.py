#!/usr/bin/python3
"""Holds the names of C's globals against tests/lint/prefixes.txt: who reads a call knows the folder, or
the file, that has the function."""

import pathlib
import sys

from hot_symbols import COMMANDS, objects_of, symbols
from tap import report, root_argument, table_rows

TABLE = "tests/lint/prefixes.txt"
HALVES = ("dataplane", "control", "lab")


def allowed(root):
    """{folder: words}"""
    table = {}
    for _, (folder, *words) in table_rows(root, TABLE):
        files = {path.stem for path in (root / folder).glob("*.[ch]")} if "*" in words else set()
        table[folder] = files.union(words) - {"*"}
    return table


def begins(name, words):
    return any(name == word or name.startswith(word + "_") for word in words)


def judge(root):
    table = allowed(root)
    sources = {path: at for path, at in objects_of(root).items()
               if path.split("/")[0] in HALVES and path.endswith(".c")}
    folders = {str(pathlib.Path(path).parent) for path in sources}
    rows = [f"{TABLE} has no row for {folder}" for folder in sorted(folders - set(table))]
    rows += [f"{TABLE} names {folder}, which has no C source" for folder in sorted(set(table) - folders)]
    globals_ = symbols(["--extern-only", "--defined-only"], sources.values())
    sins = [f"{path}: {name} begins with none of: {' '.join(sorted(words))}"
            for path, at in sorted(sources.items())
            if (words := table.get(str(pathlib.Path(path).parent)))
            for name in sorted(globals_[str(at)])
            if name != "main" and not begins(name, words)]
    return rows, sins


def main():
    root = root_argument()
    if not (root / COMMANDS).exists():
        missing = f"{COMMANDS} is missing: ./run lint"
        return report({"prefixes: there is a release build": [missing]})
    rows, sins = judge(root)
    return report({"prefixes: every folder with C sources has a row": rows,
                   "prefixes: every global begins with a word of its folder": sins})


if __name__ == "__main__":
    sys.exit(main())
