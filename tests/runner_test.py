#!/usr/bin/python3
"""Tests tests/runner.py on a tree of fake programs, one for each way in which one can fail."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent

# name: (shell text, how the one result line begins, what else must be shown, last line)
FAKES = {
    "passes": ("echo 1..2; echo ok 1 - a; echo ok 2 - b", "passed", "", "2 passed, 0 failed"),
    "fails": ("echo 1..2; echo ok 1 - a; echo not ok 2 - b; echo '# 1 != 2'; exit 1",
              "FAILED", "# 1 != 2", "1 passed, 1 failed"),
    "fails_but_ends_with_0": ("echo 1..1; echo not ok 1 - a", "FAILED", "not ok 1 - a",
                              "0 passed, 1 failed"),
    "crashes": ("echo 1..1; echo ok 1 - a; kill -SEGV $$", "FAILED", "killed by SIGSEGV",
                "1 passed, 1 failed"),
    "ends_with_3": ("echo 1..1; echo ok 1 - a; echo words >&2; exit 3", "FAILED", "| words",
                    "1 passed, 1 failed"),
    "short_plan": ("echo 1..3; echo ok 1 - a", "FAILED", "planned 3 cases and printed 1",
                   "1 passed, 1 failed"),
    "more_than_plan": ("echo 1..1; echo ok 1 - a; echo ok 2 - b", "FAILED",
                       "planned 1 cases and printed 2", "2 passed, 1 failed"),
    "no_plan": ("echo ok 1 - a", "FAILED", "no plan", "1 passed, 1 failed"),
    "empty": ("true", "FAILED", "no plan", "0 passed, 1 failed"),
    "no_case": ("echo 1..0", "FAILED", "no case at all", "0 passed, 1 failed"),
    "bails_out": ("echo 1..1; echo ok 1 - a; echo Bail out! no port", "FAILED", "Bail out! no port",
                  "1 passed, 1 failed"),
    "hangs": ("echo 1..1; echo ok 1 - a; sleep 60 & wait", "FAILED", "within 1 s",
              "1 passed, 1 failed"),
    "is_not_there": (None, "FAILED", "could not be started", "0 passed, 1 failed"),
    "skips": ("echo 1..2; echo ok 1 - a; echo 'not ok 2 # SKIP b'", "passed", "# SKIP b",
              "1 passed, 0 failed"),
    "says at the end": ("echo 1..2; echo ok 1 - a; echo 'ok 2 - c # SKIP needs d'", "passed",
                        "skipped: says at the end (release): c # SKIP needs d",
                        "1 passed, 0 failed"),
    "asks": ("echo 1..1; echo ok 1 - a; echo '# asks: is it so?'; echo '# other words'", "passed",
             "# asks: is it so?", "1 passed, 0 failed"),
    # As CMocka prints: two groups, a line broken by other output, a failed group in the middle.
    "two_groups": ("echo 1..2; printf words; echo ok 1 - a; echo ok 2 - b; echo '# ok - one';"
                   "echo 1..1; echo ok 1 - c; echo '# ok - two'", "passed", "",
                   "3 passed, 0 failed"),
    "group_set_up_fails": ("echo 1..2; echo 'not ok 0 - one [  FAILED  ] GROUP SETUP'; echo 1..1;"
                           "echo ok 1 - c; exit 1", "FAILED", "GROUP SETUP", "1 passed, 2 failed"),
    "sees_its_environment": ('[ "$A" = b ] && [ $CMOCKA_MESSAGE_OUTPUT = TAP ] && '
                             '[ "$PWD" = / ] && echo 1..1 && echo ok 1 - a', "passed", "",
                             "1 passed, 0 failed"),
}


def tree_make(root, build, name, shell, suite="fake", alone=False):
    """A tree as Meson would leave it, that knows the one test NAME."""
    info = root / "build" / build / "meson-info"
    info.mkdir(parents=True)
    cmd = ["/bin/bash", "-c", shell] if shell is not None else ["/nothing/here"]
    entry = {"name": name, "cmd": cmd, "env": {"A": "b"}, "workdir": "/", "timeout": 1,
             "suite": [f"sluice:{suite}"], "is_parallel": not alone}
    (info / "intro-tests.json").write_text(json.dumps([entry]))


def run(root, *words):
    done = subprocess.run([sys.executable, "-B", HERE / "runner.py", "--root", root, *words],
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def fake_case(name):
    shell, begins, shows, last = FAKES[name]
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        tree_make(root, "release", name, shell, alone=name == "crashes")
        status, text = run(root, "all", name)
    as_wanted = (text.startswith(f"{begins}  {name} ") and shows in text
                 and text.splitlines()[-1] == last and (status == 0) == last.endswith(" 0 failed"))
    return as_wanted, f"status {status}\n{text}"


def hang_is_killed():
    """Nothing of a killed program's process group lives on."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        mark = root / "late"
        tree_make(root, "release", "hangs", f"(sleep 2; touch {mark}) & sleep 60")
        run(root, "all", "hangs")
        time.sleep(1.5)
        return not mark.exists(), "a child of the killed program went on"


def asan_gets_options():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        tree_make(root, "asan", "asan", "[[ $ASAN_OPTIONS = *detect_leaks=1* && $UBSAN_OPTIONS = "
                  "*halt_on_error=1* ]] && sleep 1.5 && echo 1..1 && echo ok 1 - a")
        status, text = run(root, "all", "fake")
        return status == 0, text


def tsan_gets_options():
    """And of its tests none runs that is not of two threads, even if it is named."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        shell = "[[ $TSAN_OPTIONS = *exitcode=66:* ]] && echo 1..1 && echo ok 1 - a"
        tree_make(root, "tsan", "two", shell, "threads")
        status, text = run(root, "all", "two")
        tree_make(root / "other", "tsan", "one", FAKES["passes"][0])
        other, other_text = run(root / "other", "all", "one")
        return status == 0 and other == 1 and "0 programs" in other_text, text + other_text


def more_at_once():
    """Three programs, each of which waits until all three run; 1 s is not enough for their end."""
    waits = ("mkdir -p {0}/here; touch {0}/here/{1}; for i in `seq 200`; do"
             " [ `ls {0}/here | wc -l` = 3 ] && sleep 1.2 && echo 1..1 && echo ok 1 - a && exit;"
             " sleep 0.1; done")
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for build in ("release", "asan"):
            tree_make(root, build, build, waits.format(root, build))
        tree_make(root, "tsan", "tsan", waits.format(root, "tsan"), "threads")
        status, text = run(root, "all", "fake", "threads", "--at-once", "3", "--patience", "30")
    return status == 0 and "3 passed, 0 failed" in text, f"status {status}\n{text}"


def waiting_beside():
    """With two at once, two that compute and one of suite `realtime`, each of which waits until all three run; with one
    at once none runs beside another."""
    waits = ("mkdir -p {0}/here; touch {0}/here/{1}; for i in `seq 200`; do"
             " [ `ls {0}/here | wc -l` = 3 ] && echo 1..1 && echo ok 1 - a && exit; sleep 0.1; done")
    alone = "mkdir {0}/one || exit 1; sleep 0.2; rmdir {0}/one; echo 1..1; echo ok 1 - a"
    found = []
    for at_once, shell in ("2", waits), ("1", alone):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for build, suite in ("release", "realtime"), ("asan", "fake"), ("tsan", "threads"):
                tree_make(root, build, build, shell.format(root, build), suite)
            found.append(run(root, "all", "release", "asan", "tsan", "--at-once", at_once, "--patience", "30"))
    return all(status == 0 and "3 passed, 0 failed" in text for status, text in found), str(found)


def alone_beside_fuzz():
    """A program that runs alone begins when the other test has ended, and waits for the fuzz target, which waits for it."""
    waits = "touch {0}/{1}; for i in `seq 200`; do [ -e {0}/{2} ] && break; sleep 0.1; done; [ $i -lt 200 ] || exit 1"
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        tree_make(root, "asan", "asan", f"sleep 0.5; [ ! -e {root}/alone ] && touch {root}/over && echo 1..1 && echo ok 1 - a")
        tree_make(root, "release", "alone", f"[ -e {root}/over ] && {waits.format(root, 'alone', 'target')}; echo 1..1; echo ok 1 - a",
                  alone=True)
        target = root / "build/fuzz/tests/fuzz/llc_fuzz"
        target.parent.mkdir(parents=True)
        target.write_text(f"#!/bin/bash\n{waits.format(root, 'target', 'alone')}\n")
        target.chmod(0o755)
        status, text = run(root, "all", "asan", "alone", "llc_fuzz", "--patience", "30")
    return status == 0 and "3 passed, 0 failed" in text, f"status {status}\n{text}"


def busy_is_counted():
    """0.4 s of work in a child of the program, and 0.6 s in which nobody works."""
    shell = ("python3 -c 'import time\nwhile time.process_time() < 0.4: pass'; sleep 0.6;"
             " echo 1..1; echo ok 1 - a")
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        tree_make(root, "release", "works", shell)
        status, text = run(root, "all", "works", "--patience", "30")
    seconds, busy = map(float, re.search(r" ([\d.]+) s +([\d.]+) s busy$", text, re.M).groups())
    whole = re.search(r"^busy: ([\d.]+) s of processor time: release ([\d.]+) s$", text, re.M).groups()
    return (status == 0 and 0.4 <= busy <= seconds - 0.59
            and all(abs(float(one) - busy) < 0.06 for one in whole)), text


def longest_begins():
    """What may take longest, which a sanitizer's build may, runs first."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for build in ("release", "tsan", "asan"):
            tree_make(root, build, build, f"echo {build} >> {root}/order; echo 1..1; echo ok 1 - a",
                      "threads")
        _, text = run(root, "all", "threads", "--at-once", "1", "--patience", "30")
        return (root / "order").read_text().split() == ["tsan", "asan", "release"], text


def fuzz_case(shell, wanted, seconds="7"):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        target = root / "build/fuzz/tests/fuzz/llc_fuzz"
        target.parent.mkdir(parents=True)
        target.write_text(f"#!/bin/bash\n{shell}\n")
        target.chmod(0o755)
        status, text = run(root, "fuzz", "--seconds", seconds)
        as_wanted = (status == 0) == wanted.endswith(" 0 failed")
        return text.splitlines()[-1] == wanted and as_wanted, text


def words_of_a_target():
    """A dictionary is handed on where there is one, before the folders of inputs."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        words = root / "tests/fuzz/dict/llc"
        words.parent.mkdir(parents=True)
        words.touch()
        for name, has in (("llc", 1), ("ns", 0)):
            target = root / f"build/fuzz/tests/fuzz/{name}_fuzz"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(f'#!/bin/bash\n[ $(grep -c -x -e -dict={words} <(printf "%s\\n" "$@")) = {has} ]\n')
            target.chmod(0o755)
        status, text = run(root, "fuzz", "--seconds", "2")
        return status == 0 and text.endswith("\n2 passed, 0 failed\n"), text


def packets_are_counted():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        target = root / "build/fuzz/tests/fuzz/path_fuzz"
        target.parent.mkdir(parents=True)
        target.write_text("#!/bin/bash\n[ $1 = --packets=300000 ] || exit 0\n"
                          "echo 1..2; echo ok 1 - a; echo not ok 2 - b; exit 1\n")
        target.chmod(0o755)
        status, text = run(root, "all", "path_fuzz")
        return status == 1 and text.endswith("\n2 passed, 1 failed\n"), text


def nothing_to_run():
    with tempfile.TemporaryDirectory() as folder:
        status, text = run(pathlib.Path(folder), "fuzz")
        return status == 1 and text.endswith("there is no fuzz target\n0 programs, 0 s, 0 cases "
                                             "skipped\n0 passed, 1 failed\n"), text


def word_without_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        tree_make(root, "release", "passes", FAKES["passes"][0])
        status, text = run(root, "all", "other")
        return status == 1 and text.endswith("0 passed, 1 failed\n"), text


def release_alone():
    """--release runs neither the tests that other trees have, nor fuzz targets; words name those by `fuzz` alone."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        shell = FAKES["passes"][0]
        tree_make(root, "release", "llc", shell, "threads")
        for build in ("asan", "tsan"):
            tree_make(root, build, "llc", shell, "threads")
        target = root / "build/fuzz/tests/fuzz/llc_fuzz"
        target.parent.mkdir(parents=True)
        target.write_text("#!/bin/bash\n")
        target.chmod(0o755)
        texts = [run(root, "all", *words)[1] for words in (["llc", "--release"], ["llc"], ["llc_fuzz"])]
        ran = [sorted(re.findall(r"^passed  llc\w* +(\w+)", text, re.M)) for text in texts]
        return ran == [["release"], ["asan", "release", "tsan"], ["fuzz"]], "\n".join(texts)


CASES = [(name.replace("_", " "), lambda name=name: fake_case(name)) for name in FAKES] + [
    ("a hanging program dies with its children", hang_is_killed),
    ("the asan build gets its options and more time", asan_gets_options),
    ("the tsan build gets its options, and its tests of threads alone run", tsan_gets_options),
    ("as many run at once as --at-once says, and have as much time as --patience says", more_at_once),
    ("those alone run beside fuzz targets, and no other test", alone_beside_fuzz),
    ("one less of suite realtime run beside them", waiting_beside),
    ("the processor time of a program and its children is shown, and the sum", busy_is_counted),
    ("--release leaves the other trees out, and a word names fuzz targets by `fuzz` alone", release_alone),
    ("what may take longest begins", longest_begins),
    ("a fuzz target that finds nothing passes",
     lambda: fuzz_case('[[ $1 = -max_total_time=7 && "$*" = *tests/fuzz/corpus/llc ]]',
                       "1 passed, 0 failed")),
    ("a fuzz target has the words of its dictionary", words_of_a_target),
    ("a fuzz target that crashes fails", lambda: fuzz_case("kill -ABRT $$", "0 passed, 1 failed")),
    ("a long run of the fuzz targets that tries little fails",
     lambda: fuzz_case("echo stat::number_of_executed_units: 9999999 >&2", "1 passed, 1 failed",
                       "600")),
    ("a long run that tries enough passes",
     lambda: fuzz_case("echo stat::number_of_executed_units: 10000000 >&2", "1 passed, 0 failed",
                       "600")),
    ("packets through the path are counted, case by case", packets_are_counted),
    ("no target at all is a failure", nothing_to_run),
    ("a word that names no test is a failure", word_without_test),
]


def main():
    print(f"1..{len(CASES)}")
    bad = 0
    for number, (name, case) in enumerate(CASES, 1):
        ok, text = case()
        print(f"{'ok' if ok else 'not ok'} {number} - runner: {name}")
        if not ok:
            print("\n".join(f"# {line}" for line in text.splitlines()))
            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
