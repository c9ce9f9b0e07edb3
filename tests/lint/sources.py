#!/usr/bin/python3
"""Small rules of the house that a look at the text decides. Each function is one rule."""

import json
import re
import sys

from tap import TREE, NOT_OURS, files, report, root_argument, table_rows, text_of

CODE = (".c", ".h", ".cc", ".def", ".lua", ".py", ".sh", ".build")
C_CODE = (".c", ".h", ".cc", ".def")
SCRIPTS = ("run",)  # code without a suffix, in the root

DROP_FILE = "dataplane/port/packet.h"  # the one place that frees an mbuf, with the reason
LINES_ASKED = 400  # from here on the lint asks whether a file is of one subject still
LINES_MOST = 1000
FUNCTION_LINES_MOST = 70  # of C, between its braces
# A file with instructions beyond x86-64-v2 says so in its name.
INSTRUCTION_SET_NAME = re.compile(r"_(pclmul|vpclmul|aesni|vaes|gfni|avx2|avx512)\.c$")
X86_64_V2 = {"-march=x86-64-v2", "-mtune=generic", "-msse3", "-mssse3", "-msse4.1", "-msse4.2",
             "-mpopcnt", "-mcx16"}


def hits(root, paths, pattern, comment=None):
    """`path:line: text` of the lines that match, without their comments."""
    for path in paths:
        for number, line in enumerate(text_of(root, path).splitlines(), 1):
            if re.search(pattern, line.split(comment)[0] if comment else line):
                yield f"{path}:{number}: {line.strip()}"


def code(root):
    return [path for path in files(root) if path.suffix in CODE or str(path) in SCRIPTS]


def bare_pairs(root):
    """pairs() has no order of its own, so two runs with one seed could differ. Where the order does
    not matter, `in next, t` says so."""
    lua = [path for path in files(root, ".lua") if path.parts[0] in ("lua", "config")]
    return list(hits(root, lua, r"(?<![\w.:])pairs\b", "--"))


def mbuf_freed(root):
    paths = [path for path in files(root, *C_CODE)
             if path.parts[0] == "dataplane" and str(path) != DROP_FILE]
    return list(hits(root, paths, r"\brte_pktmbuf_free\w*\s*\(", "//"))


def left_undone(root):
    # The words are split so that this file does not offend itself.
    words = [r"\bFIX" + r"ME\b", r"\bTO" + r"DO\b", r"\bX" + r"XX\b", r"^\s*#\s*if\s+" + "0"]
    return list(hits(root, code(root), "|".join(words)))


def conflicts(root):
    """What a merge leaves where both sides changed a line; in data as well."""
    return list(hits(root, files(root, skipped=NOT_OURS), r"^(<{7}|>{7}|\|{7}) |^={7}$"))


def cells(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]


def tables(root):
    """The tables of all texts, each the rows with their places, the head first."""
    for path in files(root, ".md"):
        table = []
        for number, line in enumerate(text_of(root, path).splitlines() + [""], 1):
            if line.startswith("|"):
                table.append((f"{path}:{number}", cells(line)))
            elif table:
                yield table
                table = []


def table_wrong(root):
    """A row that is too short or too long is cut without a word, and one that is there twice is a merge's."""
    sins = []
    for (_, head), *rows in tables(root):
        seen = []
        for place, row in rows:
            if len(row) != len(head):
                sins.append(f"{place}: {len(row)} columns under a head of {len(head)}")
            if row in seen:
                sins.append(f"{place}: this row is there twice: {row[0]}")
            seen.append(row)
    return sins


def machine_flags(root):
    path = root / TREE / "compile_commands.json"
    if not path.exists():
        return [f"{TREE}/compile_commands.json is missing: ./run lint"]
    sins = []
    for entry in json.loads(path.read_text()):
        flags = {flag for flag in entry["command"].split() if re.match(r"-m[a-z]", flag)}
        for flag in sorted(flags - X86_64_V2):
            if not INSTRUCTION_SET_NAME.search(entry["file"]) or flag.startswith("-march="):
                sins.append(f"{entry['file']} is compiled with {flag}")
    return sins


def readme_missing(root):
    """tests/X and bench/X mirror the folder X: the README of X and of tests speak for them."""
    folders = {path.parent for path in code(root)}
    mirrored = {folder for folder in folders if folder.parts[:1] in (("tests",), ("bench",))
                and len(folder.parts) > 1 and (root.joinpath(*folder.parts[1:])).is_dir()}
    return [f"{folder}/README.md is missing" for folder in sorted(folders - mirrored)
            if not (root / folder / "README.md").exists()]


def package_unnamed(root):
    readme = root / "README.md"
    text = readme.read_text() if readme.exists() else ""
    return [f"README.md does not name {words[0]}" for _, words in table_rows(root, "packages.txt")
            if not re.search(rf"(?<![\w.+-]){re.escape(words[0])}(?![\w+-])", text)]


def lengths(root):
    return {path: text_of(root, path).count("\n") for path in code(root)}


def too_long(root):
    return [f"{path} has {lines} lines; divide it by what it is about"
            for path, lines in lengths(root).items() if lines > LINES_MOST]


def function_too_long(root):
    """The body of a function stands between two braces that are alone in the first column."""
    sins = []
    for path in files(root, ".c", ".h", ".cc"):
        begin = 0
        for number, line in enumerate(text_of(root, path).splitlines(), 1):
            if line == "{":
                begin = number
            elif line == "}" and number - begin - 1 > FUNCTION_LINES_MOST:
                sins.append(f"{path}:{begin}: a function of {number - begin - 1} lines; a function does one thing")
    return sins


def question(root):
    """A file of one subject may be long. Who divides one only to be shorter makes two that are hard
    to find one's way in; so this only asks, in one line of a run."""
    long = [(lines, path) for path, lines in lengths(root).items() if lines >= LINES_ASKED]
    files_of = ", ".join(f"{path} ({lines} lines)" for lines, path in sorted(long, reverse=True))
    return f"is it of one subject still? {files_of}" if long else ""


RULES = {
    "sources: lua/ and config/ iterate in order, without pairs": bare_pairs,
    f"sources: an mbuf is freed in {DROP_FILE} alone": mbuf_freed,
    "sources: nothing is left undone": left_undone,
    "sources: no conflict of a merge is left": conflicts,
    "sources: a table's rows have its columns, and each row is there once": table_wrong,
    "sources: compiled for x86-64-v2, or named after its instructions": machine_flags,
    "sources: every folder with sources has a README.md": readme_missing,
    "sources: README.md names every package": package_unnamed,
    f"sources: no file has more than {LINES_MOST} lines": too_long,
    f"sources: no function has more than {FUNCTION_LINES_MOST} lines": function_too_long,
}


def main():
    root = root_argument()
    return report({name: rule(root) for name, rule in RULES.items()}, question(root))


if __name__ == "__main__":
    sys.exit(main())
