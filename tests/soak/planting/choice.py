"""Chooses the faults: a sample by a seed, spread over the top folders by their lines of code, with
one fault a function as long as there are functions."""

import collections
import random

from planting import faults
from planting.copies import ROOT

FOLDERS = ("dataplane", "lua/sluice", "control", "lab")
SUFFIXES = (".c", ".h", ".def", ".lua")
TRIES = 6  # of one function, until a fault compiles and changes its object
EQUIVALENTS = ROOT / "tests/soak/equivalents.txt"


def sources(folder):
    """The source files of a folder, or of all FOLDERS, from the root; or the file itself."""
    tops = [folder] if folder else FOLDERS
    found = {path for top in tops for path in [ROOT / top, *(ROOT / top).rglob("*")]}
    return sorted(str(path.relative_to(ROOT)) for path in found
                  if path.suffix in SUFFIXES and path.is_file())


def texts(paths):
    return [faults.Text(path, (ROOT / path).read_text()) for path in paths]


def shares(lines, n):
    """How many of n faults each top folder (`half`) gets; at least one."""
    whole = sum(lines.values())
    exact = {half: n * count / whole for half, count in lines.items()}
    share = {half: max(1, int(x)) for half, x in exact.items()}
    by_rest = sorted(exact, key=lambda half: share[half] - exact[half])
    for half in by_rest[:max(0, n - sum(share.values()))]:
        share[half] += 1
    return share


def order_in(function, rng):
    """A function's faults in random order; a kind comes again only after all other kinds."""
    by_kind = collections.defaultdict(list)
    for fault in function:
        by_kind[fault.kind].append(fault)
    for kind in by_kind.values():
        rng.shuffle(kind)
    kinds, order = sorted(by_kind), []
    rng.shuffle(kinds)
    while kinds and len(order) < TRIES:
        order += [by_kind[kind].pop() for kind in kinds]
        kinds = [kind for kind in kinds if by_kind[kind]]
    return order[:TRIES]


def places(folder, seed, n):
    """n lists of faults. Of each list the first judgeable fault counts: runs are repeatable."""
    functions, weight = collections.defaultdict(dict), collections.Counter()
    for text in texts(sources(folder)):
        half = text.path.split("/")[0]
        for fault in text.faults():
            functions[half].setdefault((text.path, fault.function), []).append(fault)
        for name, lines in text.weights().items():
            weight[text.path, name] += lines
    lines = {half: sum(weight[key] for key in functions[half]) for half in sorted(functions)}
    found = []
    for half, share in shares(lines, n).items():
        rng = random.Random(f"{seed} {half}")
        keyed = {key: rng.random() ** (1 / weight[key]) for key in sorted(functions[half])}
        order = sorted(keyed, key=keyed.get, reverse=True)
        share = min(share, len(order))
        for i in range(share):
            found.append([fault for key in order[i::share] for fault in
                          order_in(functions[half][key], random.Random(f"{seed} {key}"))])
    random.Random(seed).shuffle(found)
    return found


def at_line(place):
    """FILE:LINE or FILE:LINE:N: one list for each fault at that line."""
    path, line, *which = place.split(":")
    there = [fault for fault in texts([path])[0].faults() if fault.line == int(line)]
    return [[fault] for fault in (there[int(which[0]) - 1:int(which[0])] if which else there)]


def name_of(fault, known={}):
    """FILE:LINE:N; at_line finds the fault by this name."""
    if fault.path not in known:
        by_line = known[fault.path] = collections.defaultdict(list)
        for one in texts([fault.path])[0].faults():
            by_line[one.line].append(one)
    there = known[fault.path][fault.line]
    return f"{fault.path}:{fault.line}:{there.index(fault) + 1 if fault in there else 0}"


def planted(fault):
    return f"{fault.old_line} => {fault.new_line}"


def equivalents():
    """{(file, function, planted): why}"""
    rows = {}
    for line in EQUIVALENTS.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            path, function, rest = line.split(" | ", 2)
            what, why = rest.rsplit(" | ", 1)
            rows[path, function, what] = why
    return rows


def stale(rows):
    """A sentence for each row that fits no line of the source any more."""
    for path, function, what in rows:
        file = ROOT / path
        known = faults.Text(path, file.read_text()).faults() if file.exists() else []
        if not any((f.function, planted(f)) == (function, what) for f in known):
            yield f"equivalents.txt: {path} {function}: no line fits {what}"
