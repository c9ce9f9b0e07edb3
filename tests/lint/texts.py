#!/usr/bin/python3
"""Holds the names in texts against the tree: a file that moves, or a function that leaves its file, takes
the texts along. In each text the files and folders in backticks. In ARCHITECTURE.md, whose reader
follows every name, also those in drawings, FILE:NAME, and each name with an underscore."""

import fnmatch
import re
import sys

from tap import NOT_OURS, files, report, root_argument, text_of

GUIDE = "ARCHITECTURE.md"
COLUMNS_MOST = 100
CODE = (".c", ".h", ".cc", ".def", ".lua", ".py", ".build")
MIRRORS = ("tests/", "bench/")  # of the other folders: a short name means theirs last
FILE = re.compile(r"(?<![\w/])(?P<path>[\w.*][\w.*/-]*(?:\.(?:c|h|cc|def|lua|py|md|txt|build|sh)\b|/(?![\w*.])))"
                  r"(?::(?P<name>\w+))?")
NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")
# Stands for any file (FOLDER/NAME_test.c, foo.c), is a library's, or is made by a program.
NO_FILE = re.compile(r"(?!README|CONTRIBUTING|GLOSSARY|ARCHITECTURE|MANUAL)\b\w*[A-Z]|\b(foo(_\w+)?|x)\."
                     r"|^(lua|rte_\w+)\.[ch]$|^(\.\./)?(build|out)/")


class Tree:
    def __init__(self, root):
        self.root = root
        paths = [str(path) for path in files(root, skipped=NOT_OURS)]
        folders = {f"{path[:at.start()]}/" for path in paths for at in re.finditer("/", path)}
        self.paths = paths + sorted(folders)

    def at(self, named, folder):
        """The paths that a text in that folder means: from the root, from the folder, or by their end."""
        exact = [path for path in (named, f"{folder}/{named}") if path in self.paths]
        end = "*/" + named.replace("../", "")
        found = exact or [path for path in self.paths if fnmatch.fnmatchcase("/" + path, end)]
        return [path for path in found if not path.startswith(MIRRORS)] or found

    def words(self, paths):
        return {word for path in paths if not path.endswith("/")
                for word in re.findall(r"\w+", text_of(self.root, path))}

    def texts(self):
        return [str(path) for path in files(self.root, ".md")]


def spans(tree, text):
    """(line number, text) of what is in backticks, and of the lines of the guide's drawings."""
    for number, line in enumerate(text_of(tree.root, text).splitlines(), 1):
        drawn = text == GUIDE and line.startswith("    ")
        for span in [line] if drawn else re.findall(r"`([^`]+)`", line):
            yield number, span


def files_missing(tree):
    """In other texts than the guide a file is alone between its backticks; a command may have any name."""
    sins = []
    for text in tree.texts():
        folder = text.rpartition("/")[0]
        for number, span in spans(tree, text):
            found = FILE.finditer(span) if text == GUIDE else filter(None, [FILE.fullmatch(span)])
            sins += [f"{text}:{number}: there is no {at['path']}" for at in found
                     if not tree.at(at["path"], folder) and not NO_FILE.search(at["path"])]
    return sins


def guide_wrong(tree):
    """A name of a file means one file, which has the name behind it; and all other names are of code."""
    if GUIDE not in tree.paths:
        return [f"{GUIDE} is missing"]
    sins, code = [], tree.words(path for path in tree.paths if path.endswith(CODE))
    for number, span in spans(tree, GUIDE):
        for file in FILE.finditer(span):
            at = tree.at(file["path"], "")
            if len(at) > 1 and "*" not in file["path"]:
                sins.append(f"{GUIDE}:{number}: {file['path']} may be {' or '.join(at)}")
            elif at and file["name"] and file["name"] not in tree.words(at):
                sins.append(f"{GUIDE}:{number}: {file['path']} has no {file['name']}")
        sins += [f"{GUIDE}:{number}: nothing is called {name}"
                 for name in re.findall(r"\w+", FILE.sub(" ", span)) if NAME.fullmatch(name) and name not in code]
    return sins


def too_wide(tree):
    return [f"{GUIDE}:{number}: {len(span)} columns" for number, span in spans(tree, GUIDE)
            if len(span) > COLUMNS_MOST] if GUIDE in tree.paths else []


def main():
    tree = Tree(root_argument())
    return report({"texts: the files that a text names are there": files_missing(tree),
                   f"texts: {GUIDE} names one file at a time, and what is in it": guide_wrong(tree),
                   f"texts: a drawing of {GUIDE} has at most {COLUMNS_MOST} columns": too_wide(tree)})


if __name__ == "__main__":
    sys.exit(main())
