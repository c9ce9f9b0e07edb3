#!/usr/bin/python3
"""Finds the commit that made a test fail: `./run bisect GOOD TEST...`.

    bisecting.py GOOD TEST... [--bad COMMIT] [--asan] [--with FILE]...
    bisecting.py --step TREE TEST... [--with FILE]...     what `git bisect run` runs in each commit

The commits from GOOD, where the tests pass, to --bad (HEAD), where they fail, are looked for in a worktree of
their own, build/bisect, so nothing here changes. Each step builds only what the tests need; a commit that does
not build, or does not have the tests, is passed over (125). --with FILE puts a file of this tree, such as a
test with a new case, in the place of each commit's.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys

import selection

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORKTREE = ROOT / "build/bisect"
LOG = ROOT / "build/log/bisect.log"
PASSES, FAILS, CANNOT_SAY = 0, 1, 125
SAID = {PASSES: "passes", FAILS: "FAILS", CANNOT_SAY: "does not build, or does not have the test"}
TREES = {"release": ["--buildtype=release", "-Dtests=true"],
         "asan": ["--buildtype=debugoptimized", "-Dc_args=-g1", "-Db_sanitize=address,undefined", "-Db_lundef=false",
                  "-Dtests=true"]}


def git(folder, *words):
    done = subprocess.run(["git", "-C", folder, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"bisect: git {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout.strip()


# --- One commit -----------------------------------------------------------------------------------


def does(folder, *command):
    with LOG.open("a") as log:
        return subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                              check=False).returncode == 0


def verdict_of(folder, tree, words):
    build = f"build/{tree}"
    if not (folder / build / "build.ninja").exists() and not does(folder, "meson", "setup", build, *TREES[tree]):
        shutil.rmtree(folder / build, ignore_errors=True)
        return CANNOT_SAY
    if not does(folder, "ninja", "-C", build, "build.ninja"):
        return CANNOT_SAY
    tests = [entry for entry in selection.intro(folder, tree, "tests")
             if selection.is_named(words, selection.names_of(entry))]
    if not tests or not does(folder, "ninja", "-C", build, *selection.needed(tests, selection.outputs(folder, tree))):
        return CANNOT_SAY
    return PASSES if does(folder, sys.executable, "-B", ROOT / "tests/runner.py", "all", "--tree", tree,
                          "--root", folder, *words) else FAILS


def step(folder, tree, words, files):
    """With our files in the place of the commit's, which come back."""
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    verdict = verdict_of(folder, tree, words)
    if files:
        git(folder, "checkout", "-q", "-f", "--", ".")
        git(folder, "clean", "-q", "-f", "--", *files)
    print(f"{SAID[verdict]}: {git(folder, 'log', '-1', '--format=%h %s')}", flush=True)
    return verdict


# --- All ------------------------------------------------------------------------------------------


def end_of(commit, wanted, args):
    """The search has no sense unless the tests pass at its one end and fail at the other."""
    git(WORKTREE, "checkout", "-q", "--detach", commit)
    if step(WORKTREE, args.tree, args.words, args.files) != wanted:
        sys.exit(f"bisect: it has to be that {' '.join(args.words)} {SAID[wanted]} at {commit}; see {LOG}")


def search(good, args):
    end_of(args.bad, FAILS, args)
    end_of(good, PASSES, args)
    git(WORKTREE, "bisect", "start", args.bad, good)
    own = [sys.executable, "-B", pathlib.Path(__file__).resolve(), "--step", args.tree, *args.words]
    done = subprocess.run(["git", "-C", WORKTREE, "bisect", "run", *own,
                           *(word for name in args.files for word in ("--with", name))], check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    print("\n".join(line for line in done.stdout.splitlines() if not line.startswith(("Bisecting", "running", "["))))
    return done.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="+", metavar="WORD")
    parser.add_argument("--bad", default="HEAD")
    parser.add_argument("--asan", dest="tree", action="store_const", const="asan", default="release")
    parser.add_argument("--with", dest="files", action="append", default=[], metavar="FILE")
    parser.add_argument("--step", metavar="TREE")
    args = parser.parse_intermixed_args()
    LOG.parent.mkdir(parents=True, exist_ok=True)
    if args.step:
        return step(pathlib.Path.cwd(), args.step, args.words, args.files)
    good, *args.words = args.words
    if not args.words:
        parser.error("name a commit where the test passes, and the test")
    good, args.bad = (git(ROOT, "rev-parse", "--verify", f"{commit}^{{commit}}") for commit in (good, args.bad))
    LOG.write_text("")
    git(ROOT, "worktree", "prune")
    git(ROOT, "worktree", "add", "-f", "--detach", str(WORKTREE), good)
    try:
        return search(good, args)
    finally:
        git(ROOT, "worktree", "remove", "--force", str(WORKTREE))


if __name__ == "__main__":
    sys.exit(main())
