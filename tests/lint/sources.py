#!/usr/bin/python3
"""Small rules of the house that a look at the text decides. Each function is one rule."""

import json
import re
import sys

from tap import files, report, root_argument, table_rows, text_of

CODE = (".c", ".h", ".cc", ".def", ".lua", ".py", ".sh", ".build")
C_CODE = (".c", ".h", ".cc", ".def")
SCRIPTS = ("run",)  # code without a suffix, in the root

DROP_FILE = "dataplane/port/packet.h"  # the one place that frees an mbuf, with the reason
LINES = 400
LONGER = {  # path: why it is one file all the same
    "tests/dataplane/port/neighbour_test.c": "one subject, with two fixtures that all of it uses",
    "tests/dataplane/sched/aqm_advice_test.c": "all of it looks at what one AQM was shown",
    "tests/lab/bss/receiver_test.c": "one receiver, in frames that all of it makes",
}
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


def machine_flags(root):
    path = root / "build/release/compile_commands.json"
    if not path.exists():
        return ["build/release/compile_commands.json is missing: ./run build"]
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


def too_long(root):
    sins = []
    for path in code(root):
        lines = text_of(root, path).count("\n")
        if lines >= LINES and str(path) not in LONGER:
            sins.append(f"{path} has {lines} lines; split it, or name it in LONGER with a reason")
    return sins + [f"LONGER names {path}, which is short or gone" for path in LONGER
                   if not (root / path).exists() or text_of(root, path).count("\n") < LINES]


RULES = {
    "sources: lua/ and config/ iterate in order, without pairs": bare_pairs,
    f"sources: an mbuf is freed in {DROP_FILE} alone": mbuf_freed,
    "sources: nothing is left undone": left_undone,
    "sources: compiled for x86-64-v2, or named after its instructions": machine_flags,
    "sources: every folder with sources has a README.md": readme_missing,
    "sources: README.md names every package": package_unnamed,
    f"sources: every file has less than {LINES} lines": too_long,
}


def main():
    root = root_argument()
    return report({name: rule(root) for name, rule in RULES.items()})


if __name__ == "__main__":
    sys.exit(main())
