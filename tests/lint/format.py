#!/usr/bin/python3
"""Holds the C and C++ files against .clang-format, by clang-format 14. Other versions differ."""

import collections
import re
import shutil
import subprocess
import sys

from tap import files, report, root_argument

JUDGE = 14


def clang_format():
    """(program, major version), (None, 0) if there is none."""
    program = shutil.which(f"clang-format-{JUDGE}") or shutil.which("clang-format")
    if not program:
        return None, 0
    text = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    return program, int(re.search(r"version (\d+)", text)[1])


def offences(done):
    """One line a file, whatever the number of places in it."""
    places = collections.Counter(line.split(":")[0] for line in done.stderr.splitlines()
                                 if " error:" in line)
    sins = [f"{path}: {count} places (clang-format-{JUDGE} -i mends them)"
            for path, count in sorted(places.items())]
    return sins if sins or not done.returncode else done.stderr.splitlines()


def main():
    root = root_argument()
    program, version = clang_format()
    if version != JUDGE:
        found = f"clang-format {version}" if version else "no clang-format"
        print(f"1..1\nok 1 - format # SKIP {found} found, {JUDGE} is the judge")
        return 0
    paths = files(root, ".c", ".h", ".cc")
    done = subprocess.run([program, "--dry-run", "-Werror", *paths], cwd=root, capture_output=True,
                          text=True, check=False) if paths else None
    return report({"format": offences(done) if done else ["there is no C file"]})


if __name__ == "__main__":
    sys.exit(main())
