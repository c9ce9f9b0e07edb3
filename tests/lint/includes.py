#!/usr/bin/python3
"""Holds every #include of the tree against tests/lint/includes.txt, the graph of the folders, which
has no circle."""

import fnmatch
import pathlib
import re
import sys

from tap import files, report, root_argument, table_rows, text_of

TABLE = "tests/lint/includes.txt"
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
SUFFIXES = (".c", ".h", ".cc", ".def")


class Table:
    """Rows: a file, a folder, or FOLDER/... for all below it; then what it may include."""

    def __init__(self, root):
        self.rows = {words[0]: words[1:] for _, words in table_rows(root, TABLE)}
        granted = {word for words in self.rows.values() for word in words}
        self.guarded = {word.strip("<>") for word in granted if word.startswith("<")}

    def row_of(self, path):
        """The row that speaks for a file: its own, its folder's, or the nearest FOLDER/..."""
        names = [str(path), str(path.parent)] + [f"{up}/..." for up in path.parents]
        return next((name for name in names if name in self.rows), None)

    def allows(self, row, path, header):
        """May a file of this row include this header of ours? Its own folder's it always may."""
        words = self.rows[row]
        if row.endswith("/..."):
            own = header.startswith(row.removesuffix("..."))
        else:
            own = str(pathlib.Path(header).parent) == str(path.parent)
        return own or "all" in words or header in words or str(pathlib.Path(header).parent) in words

    def grants(self, row, header):
        """System headers are free unless the table names them; then the row must."""
        return all(f"<{guard}>" in self.rows[row] for guard in self.guarded
                   if fnmatch.fnmatch(header, guard))


def includes_of(root, path):
    """(line, bracket, header) of each #include."""
    text = text_of(root, path)
    return [(text.count("\n", 0, m.start(2)) + 1, m[1], m[2]) for m in INCLUDE.finditer(text)]


def folders_below(root, table, paths):
    """{folder: those it includes}, by the files and by the table's rows; `all` says nothing, and
    what FOLDER/... speaks for is one folder."""

    def folder_of(name):
        row = table.row_of(pathlib.Path(name)) or name
        return str(pathlib.Path(row).parent) if row.endswith((*SUFFIXES, "/...")) else row

    pairs = [(row, word) for row, words in table.rows.items() for word in words
             if word != "all" and not word.startswith("<")]
    pairs += [(str(path), header) for path in paths
              for _, bracket, header in includes_of(root, path) if bracket == '"']
    below = {}
    for one, other in pairs:
        below.setdefault(folder_of(one), set()).add(folder_of(other))
    return below


def circles(below):
    """A shortest way round from each folder that reaches itself, each circle once."""
    found = {}
    for start in sorted(below):
        ways, seen = [[start]], set()
        for way in ways:
            for folder in sorted(below.get(way[-1], set()) - seen - {way[-1]}):
                seen.add(folder)
                ways.append([*way, folder])
        round_way = next((way for way in ways[1:] if way[-1] == start), [])
        found.setdefault(frozenset(round_way), round_way)
    return [" -> ".join(way) for way in found.values() if way]


def judge_file(root, table, path):
    """(what leaves the graph, what is written wrongly) for one file."""
    row = table.row_of(path)
    for line, bracket, header in includes_of(root, path):
        where = f"{path}:{line}: "
        if row is None:
            yield "row", f"{where}{path.parent} has no row in {TABLE}; add one"
            return
        if bracket == '"' and not (root / header).is_file():
            yield "path", f"{where}\"{header}\" is no file of ours; write its path from the root"
        elif bracket == '"' and not table.allows(row, path, header):
            yield "graph", f"{where}{row} may not include \"{header}\""
        elif bracket == "<" and not table.grants(row, header):
            yield "graph", f"{where}{row} may not include <{header}>"


def main():
    root = root_argument()
    table = Table(root)
    rules = {"row": [], "path": [], "graph": []}
    paths = files(root, *SUFFIXES)
    for path in paths:
        for rule, sin in judge_file(root, table, path):
            rules[rule].append(sin)
    return report({"includes: every folder has a row in the table": rules["row"],
                   "includes: quotes hold a path from the root": rules["path"],
                   "includes: the graph is that of the table": rules["graph"],
                   "includes: the folders form no circle":
                       circles(folders_below(root, table, paths))})


if __name__ == "__main__":
    sys.exit(main())
