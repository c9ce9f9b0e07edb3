"""What the lint programs share: the files of a tree, and TAP with one case for each rule."""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NOT_OURS = {".git", "build", "out", "__pycache__"}
DATA = {"corpus", "mistakes"}  # inputs of the fuzz targets, configurations that are wrong on purpose
DETAILS = 40
TREE = f"build/{os.environ.get('LINT_TREE', 'release')}"  # whose objects are judged


def root_argument():
    """The tree to judge: the first argument, or the tree that this file is in."""
    return pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT


def files(root, *suffixes, skipped=NOT_OURS | DATA):
    """Paths below the root, as from the root, sorted; with suffixes given, only those."""
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in skipped]
        found += [pathlib.Path(folder, name).relative_to(root) for name in names]
    return sorted(path for path in found if not suffixes or path.suffix in suffixes)


def text_of(root, path):
    return (root / path).read_text(errors="replace")


def table_rows(root, path):
    """(line number, words) of each line of a table; # begins a comment."""
    for number, line in enumerate(text_of(root, path).splitlines(), 1):
        if words := line.partition("#")[0].split():
            yield number, words


def report(rules, question=""):
    """Prints TAP for {name of a rule: list of what offends it}, and a question, which fails nothing;
    gives the exit status."""
    print(f"1..{len(rules)}")
    for number, (name, sins) in enumerate(rules.items(), 1):
        print(f"{'not ok' if sins else 'ok'} {number} - {name}")
        for sin in sins[:DETAILS]:
            print(f"# {sin}")
        if len(sins) > DETAILS:
            print(f"# and {len(sins) - DETAILS} more")
    if question:
        print(f"# asks: {question}")
    return 1 if any(rules.values()) else 0
