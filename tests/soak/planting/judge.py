"""Plants a fault in a copy of the tree and runs the tests that contain the file, the nearest and
cheapest first, until a test fails."""

import filecmp
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import namedtuple

from planting import copies, ground, reach
from planting.bytecode import bytecode
from planting.faults import planted

sys.path.append(str(copies.ROOT / "tests"))

import runner  # noqa: E402

BUILDS = {"release": ["--buildtype=release", "-Dtests=true", "-Dbench=false"],
          "asan": ["--buildtype=debugoptimized", "-Db_sanitize=address,undefined",
                   "-Db_lundef=false", "-Dtests=true"]}
PATIENCE = 2  # factor for the time limits inside tests, because the machine is busy
LONGER, LEAST_S = 10, 20  # a test hangs at LONGER times its usual time, and LEAST_S
REAL_TIME = {"e2e", "interop", "threads"}  # may fail by chance: fails twice, passes without fault
PROCESSES = REAL_TIME | {"hostile"}  # start processes, not all lines of which are known to reach.py
NOT_RUN = {"e2e/memory": "it changes the machine's huge pages; a kill leaves them changed"}
UNKNOWN_SHARE = 1 / 6  # of its time limit: the estimate for a script that has not run yet
# A test's processes end with the test; namespaces, taps and sockets are private to the test.
APART = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c",
         'mount -t tmpfs tmpfs /run && ip link set lo up; "$@"; exit $?', "sh"]

CAUGHT, LIVED, SAME, REFUSED = "caught", "lived", "compiles to the same", "does not compile"
# `ran`, `left`: names of tests that have run, and of tests that the budget left no time for.
Verdict = namedtuple("Verdict", "what by ran left seconds")


stopping = threading.Event()  # planted faults are taken back, and no further test begins


class Known:
    """Measurements kept from run to run: each test's seconds, whether the test passes on this tree
    without a fault, and which tests caught faults of which folder."""

    def __init__(self, path, tree):
        self.path, self.lock, self.test_locks = path, threading.Lock(), {}
        kept = json.loads(path.read_text()) if path.exists() else {}
        self.seconds, self.caught = kept.get("seconds", {}), kept.get("caught", {})
        self.sound = kept.get("sound", {}) if kept.get("tree") == tree else {}
        self.tree = tree

    def keep(self):
        self.path.write_text(json.dumps({"tree": self.tree, "seconds": self.seconds,
                                         "sound": self.sound, "caught": self.caught}, indent=1))

    def lock_of(self, name):
        with self.lock:
            return self.test_locks.setdefault(name, threading.Lock())

    def note(self, name, good, seconds):
        with self.lock:
            self.sound[name], self.seconds[name] = good, round(seconds, 2)
            self.keep()

    def note_seconds(self, name, seconds):
        with self.lock:
            self.seconds[name] = round(seconds, 2)

    def note_caught(self, path, name):
        with self.lock:
            of = self.caught.setdefault(os.path.dirname(path), {})
            of[name] = of.get(name, 0) + 1
            self.keep()

    def cost(self, test):
        unknown = test.seconds_most * UNKNOWN_SHARE if any(test.suites) else 1
        return self.seconds.get(test.name, unknown)


def apart():
    return APART if os.geteuid() == 0 and shutil.which("unshare") and shutil.which("ip") else []


def programs_of(copy, build):
    """The tests' programs as tests/runner.py runs them."""
    environment = {"PATIENCE": str(PATIENCE)}
    return {program.name: program._replace(cmd=[*apart(), *program.cmd],
                                           env={**program.env, **environment},
                                           timeout_s=program.timeout_s * PATIENCE)
            for program in runner.meson_tests(copy, build, [], lambda entry: True)}


def run(copy, program):
    """(the first failure, or "" if none; whether any case was not skipped)"""
    logs = copy / "build/log/tests"
    logs.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:  # a killed test leaves files
        os.chmod(folder, 0o1777)
        program = program._replace(env={**program.env, "TMPDIR": folder})
        result = runner.run_program(program, logs)
    passed, _, failed = runner.counts_of(result)
    said = result.faults + [case.line for case in result.cases if not case.ok]
    return said[0] if failed else "", bool(passed or failed)


class Whole:
    """The complete copy and build without a fault."""

    def __init__(self, folder, build, first, catcher):
        self.copy, self.build, self.first, self.catcher = folder / "whole", build, set(first), catcher
        copies.copy_tree(self.copy)
        copies.set_up(self.copy, build, BUILDS[build])
        copies.do(self.copy, "ninja", "-C", f"build/{build}")
        self.ground = ground.Ground(self.copy, build)
        self.programs = programs_of(self.copy, build)
        if self.first - set(self.programs):
            sys.exit(f"--first: no test is called {', '.join(self.first - set(self.programs))}")
        tree = copies.digest(self.copy)
        self.known = Known(folder / f"known_{build}.json", tree)
        self.reach = reach.Reach(folder)

    def is_sound(self, test):
        """The test passes without a fault; a test in real time runs again for each question."""
        with self.known.lock_of(test.name):
            if test.name not in self.known.sound or REAL_TIME & set(test.suites):
                start = time.monotonic()
                why, _ = run(self.copy, self.programs[test.name])
                if stopping.is_set():
                    return True
                self.known.note(test.name, why or "good", time.monotonic() - start)
            return self.known.sound[test.name] == "good"

    def order(self, fault):
        """The tests that contain the file and may run the line: first those that were asked for, the one
        that caught it elsewhere, then those known to run it, the nearest, the cheapest."""
        caught = self.known.caught.get(os.path.dirname(fault.path), {})
        tests = [(self.reach.runs(test.name, fault), test)
                 for test in self.ground.reaching(fault.path) if test.name not in NOT_RUN]
        if self.reach.is_current:
            tests = [(runs, test) for runs, test in tests if runs is not False
                     or PROCESSES & set(test.suites) or ground.nearness(fault.path, test) == ground.BESIDE]

        def key(pair):
            runs, test = pair
            return (test.name not in self.first, test.name != self.catcher.get(fault), runs is False, -ground.nearness(fault.path, test),
                    self.known.cost(test) / (1 + caught.get(test.name, 0)), test.name)
        return [test for _, test in sorted(tests, key=key)]


class Bench:
    """A copy for planting faults, one at a time."""

    def __init__(self, folder, name, whole, budget_s, ninjas):
        self.copy, self.whole, self.budget_s, self.ninjas = folder / name, whole, budget_s, ninjas
        copies.copy_tree(self.copy)
        copies.set_up(self.copy, whole.build, BUILDS[whole.build])
        self.folder = self.copy / "build" / whole.build
        self.programs = programs_of(self.copy, whole.build)

    def ninja(self, targets):
        return subprocess.run(["ninja", "-C", self.folder, f"-j{self.ninjas}", *targets],
                              capture_output=True, check=False).returncode == 0

    def is_as_before(self, target):
        """The program or object is unchanged, apart from debugging information (lines, columns)."""
        new, old = self.folder / target, self.whole.ground.folder / target
        if self.whole.build == "release" or target.endswith("_test"):
            return filecmp.cmp(new, old, shallow=False)
        bare = []
        for path in (new, old):
            to = self.copy / f"build/bare_{len(bare)}.o"
            subprocess.run(["strip", "--strip-debug", "-o", to, path], check=True)
            bare.append(to.read_bytes())
        return bare[0] == bare[1]

    def judge(self, fault):
        start = time.monotonic()
        path = self.copy / fault.path
        text = path.read_text()
        path.write_text(planted(text, fault))
        try:
            what, by, ran, left = self.look(fault, text, start)
        finally:
            path.write_text(text)
        if what == CAUGHT:
            self.whole.known.note_caught(fault.path, ran[-1])
        return Verdict(what, by, ran, left, time.monotonic() - start)

    def look(self, fault, text, start):
        if fault.path.endswith(".lua"):
            new = bytecode(planted(text, fault))
            if new is None or new == bytecode(text):
                return (REFUSED if new is None else SAME), "", [], []
        objects = self.whole.ground.own_objects(fault.path)
        if objects and not self.ninja(objects):
            return REFUSED, "", [], []
        if objects and all(map(self.is_as_before, objects)):
            return SAME, "", [], []
        return self.run_tests(self.whole.order(fault), start)

    def run_tests(self, tests, start):
        ran, changed, step = [], False, 1
        while tests:
            now, tests = tests[:step], tests[step:]
            step = min(2 * step, 16)
            if not self.ninja(sorted({p for test in now for p in test.programs})):
                return REFUSED, "", ran, []
            for i, test in enumerate(now):
                if all(map(self.is_as_before, test.programs)):
                    continue
                changed = True
                if time.monotonic() - start > self.budget_s or stopping.is_set():
                    return LIVED, "", ran, [t.name for t in now[i:] + tests]
                why, was_run = self.fails(test)
                ran += [test.name] * was_run
                if why:
                    return CAUGHT, f"{test.name}: {why}", ran, []
        return (LIVED if changed else SAME), "", ran, []

    def fails(self, test):
        """(the test's first failure, or "" if none; whether the test was run at all)"""
        program, start = self.programs[test.name], time.monotonic()
        usual_s = self.whole.known.seconds.get(test.name)
        if usual_s is not None:
            limit_s = max(LEAST_S, LONGER * usual_s)
            program = program._replace(timeout_s=min(program.timeout_s, limit_s))
        why, was_run = run(self.copy, program)
        if not why:
            self.whole.known.note_seconds(test.name, time.monotonic() - start)
        elif not self.whole.is_sound(test):
            return "", False
        elif REAL_TIME & set(test.suites):
            why, _ = run(self.copy, program)
        return why, was_run
