#!/usr/bin/python3
"""Tests tests/bisecting.py on the history of a small project: ten commits, of which one brings the fault."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MESON = """project('toy', 'c', meson_version: '>=1.0.0')
option_unused = get_option('tests')
test('toy/double', executable('toy_double_test', 'double_test.c'), protocol: 'tap')
"""
DOUBLE = "static int twice(int x) { return 2 * x; }\n"
WRONG = "static int twice(int x) { return x == 3 ? 7 : 2 * x; }\n"
TEST = """#include <stdio.h>
#include "double.h"
int main(void)
{
    int ok = twice(2) == 4 && twice(%d) == 2 * %d;
    printf("1..1\\n%%s 1 - twice\\n", ok ? "ok" : "not ok");
    return !ok;
}
"""


def git(root, *words):
    env = {**{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
           "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    return subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@b", "-c", "init.defaultBranch=main", "-C", root, *words], env=env,
                          capture_output=True, text=True, check=True).stdout.strip()


def history_make(root, number):
    """Ten commits; 6 brings the fault, 3 does not compile, 8 has no test. The test compares twice(number)."""
    (root / "tests").mkdir(parents=True)
    for name in ("bisecting.py", "selection.py", "runner.py"):
        shutil.copy(HERE / name, root / "tests")
    git(root, "init", "-q")
    (root / ".gitignore").write_text("/build/\n")
    (root / "meson_options.txt").write_text("option('tests', type: 'boolean', value: false)\n")
    (root / "double_test.c").write_text(TEST % (number, number))
    (root / "tests/trees.txt").write_text("other release\ntoy/* asan\n")
    for commit in range(1, 11):
        (root / "meson.build").write_text(MESON if commit != 8 else MESON.replace("test('", "# ('"))
        (root / "double.h").write_text("broken\n" if commit == 3 else WRONG if commit >= 6 else DOUBLE)
        (root / "count.txt").write_text(f"{commit}\n")
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", f"toy: change {commit}")


def bisect(root, *words):
    done = subprocess.run([sys.executable, "-B", root / "tests/bisecting.py", *words], capture_output=True, text=True,
                          check=False)
    return done.returncode, done.stdout + done.stderr


def found(root):
    """With what is not committed here left as it is."""
    (root / "count.txt").write_text("mine\n")
    status, text = bisect(root, "main~9", "toy_double")
    clean = not (root / "build/bisect").exists() and (root / "count.txt").read_text() == "mine\n"
    bad = git(root, "rev-parse", "main~4")
    git(root, "checkout", "-q", ".")
    return status == 0 and clean and f"{bad} is the first bad commit" in text, text


def in_asan(root):
    status, text = bisect(root, "main~9", "toy_double", "--asan")
    return status == 0 and f"{git(root, 'rev-parse', 'main~4')} is the first bad commit" in text, text


def steps(root):
    """What `git bisect run` is told of a commit: 125 where it does not build or has no test."""
    text, verdicts = "", []
    for back in (5, 4, 7, 2, 1):  # commits 5, 6, 3, 8, 9
        git(root, "checkout", "-q", "-f", f"main~{back}")
        done = subprocess.run([sys.executable, "-B", root / "tests/bisecting.py", "--step", "release", "toy_double"],
                              cwd=root, capture_output=True, text=True, check=False)
        verdicts.append(done.returncode)
        text += done.stdout + done.stderr
    return verdicts == [0, 1, 125, 125, 1], f"{verdicts}\n{text}"


def wrong_ends(root):
    """Tests that pass at both ends, or fail at both, have no commit to find."""
    status, text = bisect(root, "main~8", "toy_double", "--bad", "main~6")
    other, other_text = bisect(root, "main~4", "toy_double")
    return (status == other == 1 and "toy_double FAILS at" in text and "toy_double passes at" in other_text,
            text + other_text)


def with_ours(root):
    """A test that no commit has sees the fault; the commits' own does not."""
    (root / "double_test.c").write_text(TEST % (3, 3))
    status, text = bisect(root, "main~9", "toy/double", "--with", "double_test.c")
    other, other_text = bisect(root, "main~9", "toy/double")
    bad = git(root, "rev-parse", "main~4")
    return status == 0 and f"{bad} is the first bad commit" in text and other == 1, text + other_text


CASES = [("the commit with the fault is found, and nothing here changes", 3, found),
         ("... and with the sanitizers", 3, in_asan),
         ("a commit that does not build or has no test is passed over", 3, steps),
         ("ends of which both pass or both fail are refused", 3, wrong_ends),
         ("a file of ours takes the place of each commit's", 2, with_ours)]


def main():
    if not shutil.which("git"):
        print("1..1\nok 1 - bisect # SKIP needs git")
        return 0
    print(f"1..{len(CASES)}")
    bad = 0
    for number, (name, argument, case) in enumerate(CASES, 1):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            history_make(root, argument)
            ok, text = case(root)
        print(f"{'ok' if ok else 'not ok'} {number} - bisect: {name}")
        if not ok:
            print("\n".join(f"# {line}" for line in text.splitlines()))
            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
