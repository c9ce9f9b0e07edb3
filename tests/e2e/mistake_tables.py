"""Reads the tables of tests/config/mistakes, whose README says how a row is written: each is a patch
of a configuration that is right, and what the program has to say of the file that comes out."""

from collections import namedtuple

from harness import ROOT, expected

FOLDER = ROOT / "tests/config/mistakes"
FILE = "x.lua"  # what a file is called wherever it is tried
RIGHT, REAL = "right.lua", "real.lua"

# The configuration as one text, arguments of --set, and the lines to expect.
Mistake = namedtuple("Mistake", "name text sets lines")


def patched(start, patch, where):
    """The lines of `start` with a row's patch in them, which is looked for from the top down."""
    lines, at = [], 0
    for mark, line in patch:
        if mark != "+":
            if line not in start[at:]:
                raise SystemExit(f"{where}: what it starts from has no further line {line!r}")
            found = start.index(line, at)
            lines += start[at:found]
            at = found + 1
        if mark != "-":
            lines.append(line)
    return lines + start[at:]


def mistake(name, rows, start, where):
    """The row of that name, of its lines as (mark, rest)."""
    patch = [(mark, rest) for mark, rest in rows if mark in " +-"]
    sets = [rest.removeprefix("--set ") for mark, rest in rows if mark == "$"]
    lines = [expected(rest) for mark, rest in rows if mark == ">"]
    if not lines or not any(mark in "+-$" for mark, _ in rows):
        raise SystemExit(f"{where}: {name} is without a mistake, or without what is said of it")
    return Mistake(name, "\n".join(patched(start, patch, where)) + "\n", sets, lines)


def blocks(path):
    """(number of its first line, lines) of all that stands between empty lines, comments left out."""
    block, first = [], 0
    for number, line in enumerate([*path.read_text().splitlines(), ""], 1):
        if line and not line.startswith("#"):
            first = first if block else number
            block.append(line)
        elif not line and block:
            yield first, block
            block = []


def table(path):
    start = (FOLDER / RIGHT).read_text().splitlines()
    for number, (head, *lines) in blocks(path):
        where = f"{path.name}:{number}"
        if head.startswith("from "):
            start = (FOLDER / head.removeprefix("from ")).read_text().splitlines()
            continue
        odd = [line for line in lines if line[0] not in " +-$>" or line[1:2] != " "]
        if not head.startswith("= ") or odd:
            raise SystemExit(f"{where}: no row of a table: {(odd or [head])[0]!r}")
        rows = [(line[0], line[2:]) for line in lines]
        yield mistake(f"{path.stem}: {head[2:]}", rows, start, where)


def mistakes():
    """Every row of every table."""
    return [row for path in sorted(FOLDER.glob("*.txt")) for row in table(path)]
