#!/usr/bin/python3
"""All long tests, one after another, unattended: every test in both trees with all its inputs, then the
soaks below.

    all.py [WORD...]    those whose line below holds a word
    all.py --list       the lines, with the minutes that each may take

What a soak prints goes to out/soak/all/NAME.log. A soak that takes twice its minutes is ended, and has
failed. At the end there is a line for each soak, its verdict, its time and its last line.
"""

import argparse
import collections
import pathlib
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LOGS = ROOT / "out/soak/all"

# Not here: `same`, which needs a second program, `pycrate`, which needs a package of PyPI, and `mutants --measure`.
Soak = collections.namedtuple("Soak", "minutes command")
SOAKS = [Soak(minutes, command.split()) for minutes, command in (
    (60, "test --deep"),
    (20, "fuzz 1200"),
    (30, "soak flaky"),
    (15, "soak races"),
    (10, "soak recipes"),
    (5, "soak ends"),
    (12, "soak random_runs 10"),
    (20, "soak moves"),
    (20, "soak audit 1000 100"),
    (15, "soak gi_truth 1..10"),
    (1, "soak gi_scenario"),
    (40, "soak gi_scenario_linux"),
    (10, "soak gi_ring"),
    (15, "soak hostile 10"),
    (2, "soak attaches"),
    (2, "soak attaches --keys"),
    (15, "soak lab"),
    (5, "soak bts"),
    (10, "soak cells --attach"),
    (15, "soak neighbours"),
    (30, "soak restarts"),
    (20, "soak osmopcu"),
    (10, "soak referee"),
    (10, "soak linux"),
    (5, "soak pcu15"),
    (3, "soak prometheus"),
    (30, "soak nic"),
    (15, "soak rivals"),
    (8, "soak page_look"),
    (60, "soak busy"),
    (60, "soak mutants"),
)]


def name_of(soak):
    return " ".join(soak.command)


def run(soak, log):
    """The exit status, or None if its time ran out; what it started ends with it."""
    with log.open("wb") as out:
        process = subprocess.Popen([ROOT / "run", *soak.command], cwd=ROOT, stdin=subprocess.DEVNULL,
                                   stdout=out, stderr=subprocess.STDOUT)
        try:
            return process.wait(2 * 60 * soak.minutes)
        except subprocess.TimeoutExpired:
            return None
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)  # a soak takes back what it made
                try:
                    process.wait(30)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


def judged(soak):
    """Whether it passed, and its line."""
    log = LOGS / f"{name_of(soak).replace(' ', '_').replace('/', '.')}.log"
    start = time.monotonic()
    print(f"{name_of(soak)}: {soak.minutes} minutes at most twice; {log.relative_to(ROOT)}", flush=True)
    status = run(soak, log)
    minutes = (time.monotonic() - start) / 60
    lines = log.read_text(errors="replace").split("\n")
    last = next((line for line in reversed(lines) if line.strip()), "it printed nothing")
    if status is None:
        last = f"ended after {2 * soak.minutes} minutes, twice its time; its last line: {last}"
    return status == 0, f"{'passed' if status == 0 else 'FAILED'}  {name_of(soak):<24} {minutes:6.1f} min  {last}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="choose soaks by a part of their line")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    chosen = [soak for soak in SOAKS if not args.words or any(word in name_of(soak) for word in args.words)]
    if not chosen:
        sys.exit(f"no soak has any of these words; there are: {', '.join(map(name_of, SOAKS))}")
    if args.list:
        print("\n".join(f"{soak.minutes:4} min  ./run {name_of(soak)}" for soak in chosen))
        print(f"{sum(soak.minutes for soak in chosen):4} min  in all")
        return 0
    LOGS.mkdir(parents=True, exist_ok=True)
    results = [judged(soak) for soak in chosen]
    print("\n".join(line for _, line in results))
    passed = sum(good for good, _ in results)
    print(f"{passed} passed, {len(results) - passed} failed")
    return 1 if passed < len(results) else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
