#!/usr/bin/python3
"""Holds the races that tests/soak/races.py plants against the tree: each is planted where there is something. The
soak itself takes too long to be run with every change."""

import ast
import sys

from tap import report, root_argument, text_of

LIST = "tests/soak/races.py"


def races(text):
    """(line, file, text behind which it is, text that changes) of each."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Race":
            yield node.lineno, *(ast.literal_eval(argument) for argument in node.args[1:4])


def has_place(root, path, behind, old):
    if not (root / path).is_file():
        return False
    _, found, rest = text_of(root, path).partition(behind)
    return bool(found) and old in behind + rest


def main():
    root = root_argument()
    is_there = (root / LIST).is_file()
    listed = list(races(text_of(root, LIST))) if is_there else []
    sins = [f"{LIST}:{line}: {path} has no '{old}' behind '{behind}'" for line, path, behind, old in listed
            if not has_place(root, path, behind, old)]
    if is_there and not listed:
        sins.append(f"{LIST} plants none")
    return report({"plants: each race has its place": sins})


if __name__ == "__main__":
    sys.exit(main())
