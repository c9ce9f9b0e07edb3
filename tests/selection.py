#!/usr/bin/python3
"""What the words of `./run test` and `./run debug` name, and what Ninja has to build for it.

    selection.py plan [--release] [--deep] [WORD...]   what packages.txt calls what they need; then a line for each
                                            tree: its name and the targets there
    selection.py target TEST                the target of build/debug that `./run debug` needs
    selection.py debug FOLDER TEST [ARGS]   becomes gdb on it; FOLDER is where `sluice` runs

A word names each test, lint and fuzz target with the word in its name, its suite or its program's name
(`sched_bucket`, `sched/bucket`, `gb`), or the file of a test or of what it tests. Only a word with `fuzz`
in it names fuzz targets, because they need clang's tree. A word that names nothing is an error.

A test runs in the trees of trees.txt: with --release in that one, with --deep in release and asan.
"""

import argparse
import collections
import difflib
import fnmatch
import functools
import json
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
THREADS_SUITE = "threads"
REALTIME_SUITE = "realtime"
TREES = "tests/trees.txt"
LINTS = ("includes", "requires", "prefixes", "hot_symbols", "sources", "luacheck", "plants", "texts", "realtime", "commits",
         "format")
LINTS_OF_OBJECTS = ("prefixes", "hot_symbols", "sources")  # they read what build/release/sluice is made of
SELF_TESTS = ("tests/run_test.py", "tests/runner_test.py", "tests/selection_test.py", "tests/bisecting_test.py",
              "tests/lint/lint_test.py")
FILES = (".c", ".h", ".py")
NEAR = 5  # names that are shown for a word that names nothing
PROGRAM = "sluice-dpdk"  # what `./run debug sluice` means: sluice would only become it


# --- What a word names ----------------------------------------------------------------------------


def suite_names(entry):
    return [suite.partition(":")[2] or suite for suite in entry["suite"]]


def names_of(entry):
    """What a test of Meson is called: itself, its suites, and its program or file."""
    return [entry["name"], *suite_names(entry), pathlib.Path(entry["cmd"][-1]).name]


def word_plain(word):
    """The path of a file as the name of its test begins."""
    return re.sub(r"^(\./)?(tests/((lint|fuzz)/)?(?=.))?", "", word)


def is_file_of(path, names):
    """A file is that of a test, or what the test tests; tests of several seeds have one program."""
    plain = word_plain(path).rpartition(".")[0]
    stem = plain.removesuffix("_test")
    return bool({plain, stem} & set(names)) or names[-1] == "_".join(stem.split("/")[1:]) + "_test"


def is_named(words, names, kind=""):
    words = [word for word in words if kind != "fuzz" or "fuzz" in word]
    return any(is_file_of(word, names) if word.endswith(FILES) else any(word_plain(word) in name for name in names)
               for word in words)


def intro(root, tree, what):
    path = root / "build" / tree / "meson-info" / f"intro-{what}.json"
    return json.loads(path.read_text()) if path.exists() else []


def outputs(root, tree):
    """{id of a target: its file as from the tree}"""
    return {target["id"]: os.path.relpath(target["filename"][0], root / "build" / tree)
            for target in intro(root, tree, "targets")}


def fuzz_targets(root):
    return sorted(path for path in outputs(root, "fuzz").values() if path.endswith("_fuzz"))


def known(root):
    """(kind, names) of all there is."""
    return [*(("test", names_of(entry)) for entry in intro(root, "release", "tests")),
            *(("lint", [name, "lint"]) for name in LINTS),
            *(("self", [pathlib.Path(path).stem, "self"]) for path in SELF_TESTS),
            *(("fuzz", [pathlib.Path(path).name, "fuzz"]) for path in fuzz_targets(root))]


def near(word, names):
    """The names that look most like the word."""
    def likeness(name):
        parts = [name, *re.split("[/_]", name), name.rpartition("/")[2], name.replace("/", "_")]
        return max(difflib.SequenceMatcher(None, word, part).ratio() for part in parts)

    return sorted(dict.fromkeys(names), key=lambda name: -likeness(name))[:NEAR]


def complaint(word, names):
    return f"no test is named '{word}'; near it: {', '.join(near(word_plain(word), names))}"


# --- In which trees -------------------------------------------------------------------------------


Row = collections.namedtuple("Row", "pattern trees")


@functools.cache
def rows(root):
    path = root / TREES
    lines = path.read_text().splitlines() if path.exists() else ["* release asan"]
    return [Row(words[0], words[1:]) for words in map(str.split, lines) if words and words[0] != "#"]


def first_row(root, entry):
    return next(row for row in rows(root) if fnmatch.fnmatchcase(entry["name"], row.pattern))


def trees_of(root, entry, deep=False):
    """In which a test runs: by the first row that fits; deep: in all."""
    trees = ["release", "asan"] if deep else first_row(root, entry).trees
    return [*trees, "tsan"] if THREADS_SUITE in suite_names(entry) else trees


def stale_rows(root):
    """A sentence for each pattern that is no test's first."""
    if not (root / TREES).exists():
        return []
    used = {first_row(root, entry).pattern for entry in intro(root, "release", "tests")}
    return [f"{TREES}: '{row.pattern}' is the first that fits for no test" for row in rows(root)
            if row.pattern not in used]


# --- What Ninja builds for it ---------------------------------------------------------------------


def needed(entries, files):
    return sorted({files[target] for entry in entries for target in entry["depends"]})


def benches(root):
    """So that benchmarks are built with the tests, though none runs."""
    return [path for path in outputs(root, "release").values() if re.match("bench/.*_bench$", path)]


def plan(root, words, release, deep):
    """What needs packages, by the names of packages.txt: suites, trees, lint; and {tree: targets}."""
    everything = known(root)
    for word in words:
        if not any(is_named([word], names, kind) for kind, names in everything):
            sys.exit("run: " + complaint(word, [names[0] for _, names in everything]))
    files = outputs(root, "release")
    tests = [entry for entry in intro(root, "release", "tests") if not words or is_named(words, names_of(entry))]
    trees = {tree: needed([t for t in tests if release or tree in trees_of(root, t, deep)], files)
             for tree in (["release"] if release else ["release", "asan", "tsan"])}
    if not words or any(is_named(words, [name, "lint"]) for name in LINTS_OF_OBJECTS):
        trees["release"] += ["sluice"] * ("sluice" not in trees["release"])
    if not words:
        trees["release"] += benches(root)
    if not release:
        trees["fuzz"] = [path for path in fuzz_targets(root)
                         if not words or is_named(words, [pathlib.Path(path).name, "fuzz"], "fuzz")]
    trees = {tree: targets for tree, targets in trees.items() if targets}
    needs = {suite for entry in tests for suite in suite_names(entry) if suite != "sluice"} | set(trees)
    if any(is_named(words, names) for kind, names in everything if kind in ("lint", "self")):
        needs.add("lint")
    return sorted(needs), trees


# --- Debugging ------------------------------------------------------------------------------------


def only(word, entries):
    """The test that the word names, whole before part."""
    for is_it in (lambda names: word in (names[0], names[-1], names[-1].removesuffix("_test")),
                  lambda names: is_named([word], names)):
        found = [entry for entry in entries if is_it(names_of(entry))]
        if len(found) == 1:
            return found[0]
        if found:
            sys.exit(f"run: '{word}' names several tests, say which: "
                     + ", ".join(entry["name"] for entry in found))
    sys.exit("run: " + complaint(word, [entry["name"] for entry in entries]))


def debugged(root, word, folder="."):
    """The file as from build/debug, the environment, and the folder."""
    files = outputs(root, "debug")
    programs = {pathlib.Path(path).name: path for path in files.values()}
    word = PROGRAM if word == "sluice" else word
    if word in programs and not word.endswith("_test"):
        return programs[word], {}, folder
    entry = only(word, intro(root, "debug", "tests"))
    target, = needed([entry], files)[:1]
    if not entry["cmd"][0].endswith(target):
        sys.exit(f"run: {entry['name']} is a Python program, which starts "
                 f"{' and '.join(needed([entry], files))} of a tree; `./run debug sluice ARGS` starts that in gdb.")
    return target, entry["env"], entry["workdir"] or root / "build/debug"


def debug(root, folder, word, args):
    """CMocka turns a failed assertion into abort(), where gdb stops, instead of the next case."""
    target, env, folder = debugged(root, word, folder)
    env = {**env, "CMOCKA_TEST_ABORT": "1", "CMOCKA_MESSAGE_OUTPUT": "STDOUT"}
    os.chdir(root)
    os.execvpe("gdb", ["gdb", "-q", "-iex", f"add-auto-load-safe-path {root}/.gdbinit",
                       "-ex", f"set cwd {folder}", "--args", f"build/debug/{target}", *args], {**os.environ, **env})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    commands = parser.add_subparsers(dest="command", required=True)
    planning = commands.add_parser("plan")
    planning.add_argument("words", nargs="*")
    planning.add_argument("--release", action="store_true")
    planning.add_argument("--deep", action="store_true")
    commands.add_parser("target").add_argument("word")
    debugging = commands.add_parser("debug")
    debugging.add_argument("folder")
    debugging.add_argument("word")
    debugging.add_argument("args", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    root = args.root.resolve()
    if args.command == "plan":
        needs, trees = plan(root, args.words, args.release, args.deep)
        print(*needs)
        for tree, targets in trees.items():
            print(tree, *targets)
    elif args.command == "target":
        print(debugged(root, args.word)[0])
    else:
        debug(root, args.folder, args.word, args.args)


if __name__ == "__main__":
    main()
