#!/usr/bin/python3
"""Runs the quick tests, the lints and the fuzz targets: three programs at a time that compute, and beside them
two in which time passes by itself.

The tests are those that Meson knows, in the trees that tests/trees.txt names for each (build/release,
build/asan, and for those of suite `threads` build/tsan too), with the command, environment, folder and
time limit given there. A program speaks TAP on stdout. It fails as a whole, whatever it printed, when
it crashes, runs out of time, prints no plan or another number of cases than planned, or ends with
another status than its cases say.

    runner.py all [--release | --tree T | --deep] [WORD...]   everything, or what the WORDs name (selection.py),
                                       each in its trees; --tree T: all in build/T alone, release
                                       or asan, and --release is short for that; --deep: each in release and asan, with as many
                                       inputs as `often` and WORLD_CASES have for it
    runner.py lint                     the rules of the house
    runner.py fuzz [--seconds N]       the fuzz targets alone, N seconds in all; from 600 on,
                                       fewer than ten million executions are a failure

For a machine that is busy with other work: --at-once N runs N programs at a time, and N - 1 of suite `realtime`
beside them, and --patience N makes the time limits, which are there for what hangs, N times as long.

The last line is "N passed, M failed", in cases; a fault of a program counts as one more.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import time

import selection

AT_ONCE = 3  # programs, where --at-once does not say otherwise; one less of suite `realtime` beside them
TIMEOUT_S = 300  # for a program that names none
SLOWER = {"asan": 3, "tsan": 4}  # a program's time limit grows by this under the sanitizers
FUZZ_S = 1  # for one target in the quick tests
FUZZ_LONG_S = 600  # from here on a run has to reach FUZZ_LEAST executions in all
FUZZ_LEAST = 10_000_000
# An input of path_fuzz has so many features that libFuzzer's choice by how rare they are takes a fifth of its time.
FUZZ_FLAGS = {"path": ["-entropic=0"]}
PACKETS = {False: 300_000, True: 3_000_000}  # through the whole path, in the quick tests and with --deep
DETAIL_LINES = 25
COSTLIEST = 20  # programs that are shown again at the end, by their processor time
ASKS = "# asks: "  # a line that is shown though nothing failed

SANITIZERS = {
    # CMocka catches signals by itself; handle_* = 2 leaves them to the sanitizer and its stack.
    "ASAN_OPTIONS": "halt_on_error=1:detect_leaks=1:handle_segv=2:handle_sigbus=2:handle_sigfpe=2"
                    ":handle_sigill=2",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
}

# A program ends with 66 when anything was reported; a long history has both stacks in a report.
THREADS = {"TSAN_OPTIONS": "exitcode=66:history_size=4"}
RANDOM_BITS_MOST = 28  # of addresses, with which GCC 12's ThreadSanitizer finds its place in memory

Program = collections.namedtuple("Program", "name build cmd env cwd timeout_s alone waits judge")
SKIP = re.compile(r"^(not )?ok \d+ - ")
Case = collections.namedtuple("Case", "line ok skipped details")
# busy_s: the processor's time, user and system, of the program and of all children that were waited for
Result = collections.namedtuple("Result", "program cases faults seconds busy_s output errors")

running = set()


# --- TAP ------------------------------------------------------------------------------------------

# Text that a program left without a newline may stand before a case; then only the number that is
# due makes it one. CMocka starts again at 1 with each group, and calls a failed group's set-up 0.
CASE = re.compile(r"(not ok|ok)\b ?(\d*)(.*)")


def case_of(line, due):
    match = None if line.startswith("#") else CASE.search(line)
    if match and (match.start() == 0 or match[2] == str(due)):
        skipped = "# SKIP" in match[3].upper()
        return Case(match[0], match[1] == "ok" or skipped, skipped, [])
    return None


def parse_tap(text):
    """The cases, and what is wrong with the whole."""
    cases, plans, faults, due = [], [], [], 1
    for line in text.splitlines():
        if plan := re.match(r"1\.\.(\d+)", line):
            plans.append(int(plan[1]))
            due = 1
        elif line.startswith("Bail out!"):
            faults.append(line)
        elif case := case_of(line, due):
            cases.append(case)
            due += 1
        elif line.startswith("#") and cases and not re.match(r"# (not )?ok - ", line):
            cases[-1].details.append(line)
    if not plans:
        faults.append("it printed no plan")
    elif sum(plans) != len(cases):
        faults.append(f"it planned {sum(plans)} cases and printed {len(cases)}")
    elif not cases:
        faults.append("it has no case at all")
    return cases, faults


def judge_tap(status, text):
    cases, faults = parse_tap(text)
    if status < 0:
        faults.insert(0, f"it was killed by {signal.Signals(-status).name}")
    elif status > 0 and all(case.ok for case in cases):
        faults.insert(0, f"it ended with status {status}")
    return cases, faults


def judge_fuzz(status, _):
    """A fuzz target is one case: libFuzzer ends with 0 when it found nothing."""
    return [Case("replays its corpus and finds nothing new", status == 0, False, [])], []


def executions_of(result):
    """How many inputs a fuzz target ran; none if it did not come to its statistics."""
    if not result.errors.exists():
        return 0
    text = result.errors.read_text(errors="replace")
    return sum(map(int, re.findall(r"^stat::number_of_executed_units:\s*(\d+)$", text, re.M)))


def too_few(executions, seconds):
    """A sentence if a long run of the fuzz targets hardly ran any input."""
    if (seconds or 0) < FUZZ_LONG_S or executions >= FUZZ_LEAST:
        return []
    return [f"{executions} executions in {seconds} s are too few, {FUZZ_LEAST} is the least: "
            "see which target was slow in build/log/tests/fuzz.*.err"]


# --- One program ----------------------------------------------------------------------------------


def kill_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def has_ended(process, timeout_s):
    """Waits for that; the process stays, with what it has used."""
    ended = os.pidfd_open(process.pid)
    try:
        return bool(select.select([ended], [], [], timeout_s)[0])
    finally:
        os.close(ended)


def wait_for(process, timeout_s):
    """The exit status, or None if its time ran out; and the processor time. Nothing of its process
    group is left behind."""
    running.add(process)
    try:
        in_time = has_ended(process, timeout_s)
    finally:
        kill_group(process)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        running.discard(process)
    return process.returncode if in_time else None, used.ru_utime + used.ru_stime


def run_program(program, log_dir):
    start = time.monotonic()
    stem = f"{program.build}.{program.name.replace('/', '.').replace(' ', '_')}"
    out, err = log_dir / f"{stem}.out", log_dir / f"{stem}.err"
    try:
        with out.open("wb") as stdout, err.open("wb") as stderr:
            process = subprocess.Popen(program.cmd, stdin=subprocess.DEVNULL, stdout=stdout,
                                       stderr=stderr, cwd=program.cwd, start_new_session=True,
                                       env={**os.environ, **program.env})
        status, busy_s = wait_for(process, program.timeout_s)
    except OSError as why:
        return Result(program, [], [f"it could not be started: {why}"], 0, 0, out, err)
    cases, faults = program.judge(status or 0, out.read_text(errors="replace"))
    if status is None:
        faults.insert(0, f"it did not end within {program.timeout_s} s and was killed")
    return Result(program, cases, faults, time.monotonic() - start, busy_s, out, err)


def tail_of(path):
    lines = path.read_text(errors="replace").splitlines()
    return lines[-DETAIL_LINES:]


def counts_of(result):
    """Cases passed, skipped, failed. The faults of a program count as one failed case."""
    skipped = sum(case.skipped for case in result.cases)
    failed = sum(not case.ok for case in result.cases)
    return len(result.cases) - skipped - failed, skipped, failed + bool(result.faults)


def skips_of(result):
    """A line for each case that was skipped: which, and why."""
    name = f"{result.program.name} ({result.program.build})"
    return [f"skipped: {name}: {SKIP.sub('', case.line).strip()}" for case in result.cases
            if case.skipped]


def print_result(result):
    passed, _, failed = counts_of(result)
    verdict = "FAILED " if failed else "passed " if passed else "skipped"
    print(f"{verdict} {result.program.name:<36} {result.program.build:<8}"
          f"{passed:>5} passed {failed:>3} failed {result.seconds:7.2f} s {result.busy_s:7.2f} s busy")
    for case in result.cases:
        if case.skipped:
            print(f"        {case.line}")
        if not case.ok:
            shown = [case.line, *case.details[:DETAIL_LINES]]
            print("\n".join(f"        {line}" for line in shown))
        for line in case.details:
            if case.ok and line.startswith(ASKS):
                print(f"        {line}")
    for fault in result.faults:
        print(f"        {fault}")
    if failed:
        for line in tail_of(result.errors):
            print(f"        | {line}")
        print(f"        whole output: {result.output} and .err")
    sys.stdout.flush()


def print_busy(results):
    """Where the processors' time went: by build, and the costliest programs."""
    builds = collections.Counter()
    for result in results:
        builds[result.program.build] += result.busy_s
    costliest = sorted(results, key=lambda result: -result.busy_s)[:COSTLIEST]
    if len(results) > len(costliest):
        print("busy longest: " + ", ".join(
            f"{r.program.name} ({r.program.build}) {r.busy_s:.1f} s" for r in costliest))
    print(f"busy: {builds.total():.1f} s of processor time: " + ", ".join(
        f"{build} {busy_s:.1f} s" for build, busy_s in builds.most_common()))


# --- What there is to run -------------------------------------------------------------------------


def same_addresses():
    """What starts a program whose addresses are not random, where they are too much so."""
    bits = pathlib.Path("/proc/sys/vm/mmap_rnd_bits")
    try:
        return ["setarch", "-R"] if int(bits.read_text()) > RANDOM_BITS_MOST else []
    except (OSError, ValueError):
        return []


def sanitizer_of(build):
    """Its environment, and what stands before the command."""
    if build == "asan":
        return SANITIZERS, []
    if build == "tsan":
        return THREADS, same_addresses()
    return {}, []


def meson_tests(root, build, words, is_there):
    """The tests of build/BUILD that a word names, or all, as far as they run there."""
    path = root / "build" / build / "meson-info" / "intro-tests.json"
    sanitizer, before = sanitizer_of(build)
    env = {"CMOCKA_MESSAGE_OUTPUT": "TAP", **sanitizer}
    for entry in json.loads(path.read_text()) if path.exists() else []:
        if not is_there(entry) or words and not selection.is_named(words, selection.names_of(entry)):
            continue
        limit_s = (entry["timeout"] if entry["timeout"] > 0 else TIMEOUT_S) * SLOWER.get(build, 1)
        yield Program(entry["name"], build, [*before, *entry["cmd"]], {**env, **entry["env"]},
                      entry["workdir"] or root / "build" / build, limit_s,
                      not entry["is_parallel"], selection.REALTIME_SUITE in selection.suite_names(entry), judge_tap)


def scripts(root, build, paths):
    for path in paths:
        yield Program(pathlib.Path(path).stem, build, [sys.executable, "-B", root / path, root], {},
                      root, TIMEOUT_S, False, False, judge_tap)


def lints(root):
    return scripts(root, "lint", [f"tests/lint/{name}.py" for name in selection.LINTS])


def fuzz_targets(root, total_s=None):
    """Each target replays its kept corpus, then looks for more. New inputs stay under build/."""
    paths = sorted((root / "build/fuzz/tests/fuzz").glob("*_fuzz"))
    seconds = FUZZ_S
    if total_s and paths:
        seconds = max(1, total_s * min(AT_ONCE, len(paths)) // len(paths))
    for path in paths:
        name = path.name.removesuffix("_fuzz")
        kept = root / "tests/fuzz/corpus" / name
        found = root / "build/fuzz/found" / name
        found.mkdir(parents=True, exist_ok=True)
        words = root / "tests/fuzz/dict" / name
        cmd = [path, f"-max_total_time={seconds}", "-timeout=10", "-print_final_stats=1",
               f"-artifact_prefix={found}.", *FUZZ_FLAGS.get(name, []), *([f"-dict={words}"] if words.exists() else []),
               found, kept]
        yield Program(path.name, "fuzz", cmd, dict(SANITIZERS), root, seconds + 120, False, False,
                      judge_fuzz)


def packets(root, deep):
    """A fuzz target that makes its own inputs, counted in packets, and says what they reached."""
    path = root / "build/fuzz/tests/fuzz/path_fuzz"
    if path.exists():
        yield Program("path_fuzz packets", "fuzz", [path, f"--packets={PACKETS[deep]}"], dict(SANITIZERS),
                      root, TIMEOUT_S, False, False, judge_tap)


def named(kinds, words):
    """Of all kinds what the words name; Meson's tests are chosen already."""
    return [p for kind, programs in kinds.items() for p in programs
            if kind.startswith("test in ") or selection.is_named(words, [p.name, p.build], p.build)]


def chosen(root, args):
    """The programs, and a sentence for each kind of which there should be some and is none."""
    if args.what == "lint":
        kinds = {"lint": lints(root)}
    elif args.what == "fuzz":
        kinds = {"fuzz target": fuzz_targets(root, args.seconds)}
    else:
        def tests(build):
            return meson_tests(root, build, args.words, lambda entry: args.tree
                               or build in selection.trees_of(root, entry, args.deep))

        builds = [args.tree] if args.tree else ["release", "asan", "tsan"]
        kinds = {"self-test": scripts(root, "self", selection.SELF_TESTS), "lint": lints(root),
                 **{f"test in build/{build}": tests(build) for build in builds}}
        if not args.tree:
            kinds |= {"fuzz target": fuzz_targets(root), "packet fuzzer": packets(root, args.deep)}
        if args.words:
            kinds = {"test of these words": named(kinds, args.words)}
    kinds = {kind: list(programs) for kind, programs in kinds.items()}
    return (sum(kinds.values(), []),
            [f"there is no {kind}" for kind, programs in kinds.items() if not programs]
            + ([] if args.tree else selection.stale_rows(root)))


# --- All of them ----------------------------------------------------------------------------------


def run_all(programs, log_dir, at_once, patience):
    """The results as they come: those that share the machine some at once, then the others. Who may
    take longest begins, so that none is left over at the end while a processor has nothing to do. Those that wait
    for real time leave the processors to others meanwhile. Nothing that all of the machine sees concerns a fuzz target,
    or is changed by it, so the last of these run beside those that are alone."""
    programs = [p._replace(timeout_s=p.timeout_s * patience,
                           env={**p.env, "PATIENCE": str(patience)}) for p in programs]
    together = sorted((p for p in programs if not p.alone), key=lambda p: (p.build == "fuzz", -p.timeout_s))
    alone = [p for p in programs if p.alone]
    waiting = at_once - 1
    with contextlib.ExitStack() as stack:
        computes, waits, one = (stack.enter_context(concurrent.futures.ThreadPoolExecutor(n))
                                for n in (at_once, waiting or 1, 1))
        futures = {(waits if p.waits and waiting else computes).submit(run_program, p, log_dir): p for p in together}
        try:
            while futures or alone:
                if alone and all(p.build == "fuzz" for p in futures.values()):
                    futures |= {one.submit(run_program, p, log_dir): p for p in alone}
                    alone = []
                for future in concurrent.futures.wait(futures, return_when=concurrent.futures.FIRST_COMPLETED).done:
                    del futures[future]
                    yield future.result()
        except BaseException:
            for pool in computes, waits, one:
                pool.shutdown(wait=False, cancel_futures=True)
            for process in list(running):
                kill_group(process)
            raise


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("all", "lint", "fuzz"))
    parser.add_argument("words", nargs="*", help="choose tests by a part of their name or suite")
    parser.add_argument("--release", dest="tree", action="store_const", const="release",
                        help="without the sanitizers' trees")
    parser.add_argument("--tree", choices=("release", "asan"), help="all tests in that tree, and nothing else")
    parser.add_argument("--deep", action="store_true", help="all tests in all trees, with all their inputs")
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--seconds", type=int, help="for all fuzz targets together")
    parser.add_argument("--at-once", type=int, default=AT_ONCE, help="programs at a time")
    parser.add_argument("--patience", type=int, default=1, help="times every time limit")
    args = parser.parse_intermixed_args()  # words after options too

    start = time.monotonic()
    root = args.root.resolve()
    log_dir = root / "build/log/tests"
    log_dir.mkdir(parents=True, exist_ok=True)
    if args.deep:
        os.environ["TEST_DEEP"] = "1"
    programs, missing = chosen(root, args)
    results, totals, broken, skips, executions = [], [], [], [], 0
    for result in run_all(programs, log_dir, args.at_once, args.patience):
        print_result(result)
        results.append(result)
        executions += executions_of(result) if args.what == "fuzz" else 0
        totals.append(counts_of(result))
        skips += skips_of(result)
        if totals[-1][2]:
            broken.append(f"{result.program.name} ({result.program.build})")
    if args.what == "fuzz" and programs:
        missing += too_few(executions, args.seconds)
    for sentence in missing:
        print(f"FAILED  {sentence}")
    totals.append((0, 0, len(missing)))
    passed, skipped, failed = map(sum, zip(*totals))
    for line in skips:
        print(line)
    if results:
        print_busy(results)
    if broken:
        print("failed: " + ", ".join(broken))
    if args.what == "fuzz" and programs:
        print(f"{executions} executions in all")
    print(f"{len(programs)} programs, {time.monotonic() - start:.0f} s, {skipped} cases skipped")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
