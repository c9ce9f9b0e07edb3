#!/usr/bin/python3
"""Runs of one command that are interrupted, fail or are killed; whose results may be replaced; what
summary.json says of where results come from."""

import atexit
import fcntl
import hashlib
import json
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import time

from harness import UDP_SCENARIO, WAIT_S, Skip, case, each_of, main, new_folder, program, right, same, settings, sluice, terminal, written
from several import ENDLESS, VARIANTS, config, many, results, scenario, six, summary_of


# --- Runs that end badly --------------------------------------------------------------------------


def children_of(pid):
    text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(word) for word in text.split()]


def wait_for(what, condition):
    deadline = time.monotonic() + WAIT_S
    while not (found := condition()):
        right(time.monotonic() < deadline, f"{what}: not within {WAIT_S} s")
        time.sleep(0.01)
    return found


def simulates(pid):
    """The child has its handlers of SIGINT and SIGTERM, which it takes when it begins to simulate."""
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False
    caught = int(status.split("SigCgt:")[1].split()[0], 16)
    return caught >> (signal.SIGTERM - 1) & 1 and caught >> (signal.SIGINT - 1) & 1


def started(path, out, *words):
    process = subprocess.Popen([program(), "run", path, "--out", out, *words], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8")
    atexit.register(process.kill)
    return process


def is_gone(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] == "Z"
    except FileNotFoundError:
        return True


@case("all variants with the first seed are done before the next seed; SIGINT and SIGTERM: what is complete stays, the rest is marked")
def interrupted():
    path = scenario(ENDLESS)
    words = "--variant", "short", "--variant", "endless", "--seeds", "1..2"
    for number in signal.SIGINT, signal.SIGTERM:
        out = new_folder() / "out"
        process = started(path, out, *words, "--jobs", "1")
        wait_for("the endless run", lambda: (out / "endless/1/run.log").exists() and any(
            map(simulates, children_of(process.pid))))
        child, = children_of(process.pid)
        process.send_signal(number)
        said = process.communicate(timeout=WAIT_S)[1]
        same(process.returncode, 1, f"exit status\n{said}")
        right("sluice run: interrupted; with --resume the same command goes on" in said, said)
        right(is_gone(child), "its child is left")
        found = summary_of(out)
        same([(run["folder"], run["state"], run["complete"]) for run in found["runs"]],
             [("short/1", "complete", True), ("short/2", "absent", False),
              ("endless/1", "incomplete", False), ("endless/2", "absent", False)], "states")
        same((found["complete"], found["missing"]), (False, ["short/2", "endless/1", "endless/2"]),
             "the summary")
        same([group["runs_complete"] for group in found["variants"]], [1, 0], "runs_complete")
        same(found["variants"][1]["classes"], {}, "figures of what is not complete")
        of_run = summary_of(out / "endless/1")
        same(of_run["complete"], False, "complete of the run")
        right(of_run["sound"] and 0 < of_run["virtual_s"] < 86400, "it is sound up to where it came")


@case("--resume does what is missing or incomplete, nothing else, and the result is that of one go")
def resumed():
    out = new_folder() / "out"
    shutil.copytree(six()[0], out)
    for name in "summary.json", "runs.csv":
        (out / name).unlink()
    shutil.rmtree(out / "red/1")
    cut = out / "cobalt/2/summary.json"
    cut.write_text(cut.read_text().replace('"complete": true', '"complete": false'))
    kept = {name: (out / name / "run.json").stat().st_mtime_ns for name in ("red/2", "cobalt/1")}
    words = "--variant", "all", "--seeds", "1..3", "--pcap"
    done = many(config(), out, *words, "--resume")
    right("2 runs, 2 at a time" in done.stderr or "2 runs, 1 at a time" in done.stderr, done.stderr)
    same(results(out), results(six()[0]), "results")
    same({name: (out / name / "run.json").stat().st_mtime_ns for name in kept}, kept, "runs done again")
    same(many(config(), out, *words, "--resume").stderr, "", "said when nothing is missing")
    same(results(out), results(six()[0]), "results")


def has_open(pid, path):
    return str(path) in each_of(pid, "fd", os.readlink).values()


def two_at_work(*words):
    process = started(*words, "--variant", "endless", "--seeds", "1..2", "--jobs", "2")
    wait_for("two children", lambda: sum(map(simulates, children_of(process.pid))) == 2 or process.poll() is not None)
    same(process.poll(), None, "exit status of the command")
    return process, children_of(process.pid)


@case("a killed parent takes its children with it, even those that cannot act on a signal, and --resume goes on at once")
def killed():
    path, out = scenario(ENDLESS), new_folder() / "out"
    process, children = two_at_work(path, out)
    try:
        for child in children:
            right(has_open(child, out), "the lock of the folder does not last as long as a child")
            os.kill(child, signal.SIGSTOP)
        process.kill()
        process.wait(WAIT_S)
        again, _ = two_at_work(path, out, "--resume")
        wait_for("the end of the first children", lambda: all(map(is_gone, children)))
        again.send_signal(signal.SIGINT)
        right("sluice run: interrupted" in again.communicate(timeout=WAIT_S)[1], "what the second says at its end")
    finally:
        for child in filter(lambda one: not is_gone(one), children):
            os.kill(child, signal.SIGKILL)


@case("a folder that another command has just left is waited for")
def waited_for():
    out = new_folder()
    folder = os.open(out, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    process = started(scenario(ENDLESS), out, "--variant", "short", "--seeds", "1..2")
    said = process.stderr.readline()
    os.close(folder)
    same(said, f"sluice run: {out}: another run writes into this folder; waiting for its end\n", "said")
    rest = process.communicate(timeout=WAIT_S)[1]
    same((process.returncode, summary_of(out)["complete"]), (0, True), f"exit status and the summary\n{rest}")


FAILED = "failed with exit status 1: "


@case("a run that fails is named with its folder and the cause, there and at the end; the others go on, exit status 1")
def failed():
    out = new_folder() / "out"
    (out / "red/2/run.json").mkdir(parents=True)  # cannot be written
    (out / "red/3").mkdir()
    (out / "red/3/run.log").symlink_to("elsewhere")
    done = many(config(), out, "--seeds", "1..3", status=1)
    causes = {"red/2": f"{FAILED}run.json: Is a directory", "red/3": "not started: run.log: Too many levels of symbolic links"}
    for run, cause in causes.items():
        right(f"sluice run: {out}/{run}: {cause}\n" in done.stderr, done.stderr)
    right(done.stdout.endswith("".join(f"  FAILED          {run}: {cause}\n" for run, cause in causes.items())
                               + "  --resume does what is missing\n"), done.stdout)
    right((out / "red/2/run.log").read_text().endswith("\nthis run: failed with exit status 1\n"), "the end of its log")
    same([run["state"] for run in summary_of(out)["runs"]], ["complete", "absent", "absent"], "states")


@case("a message that refers to what is above it comes with that")
def not_up():
    words = "run.duration=1 ms", "nse.ns=reset", "nse.flow_control=open", "lab.gb_rate=1 kbit/s"
    done = many(UDP_SCENARIO, new_folder() / "out", "--seeds", "1..2", *settings(words), status=1)
    right(re.search(rf"/2: {FAILED}the configuration did not come up: see the message above\n"
                    r"(    .*\n)*    sluice run: control: the configuration did not come up before", done.stderr), done.stderr)


@case("a run that ends by a signal says so, with the last lines of its log")
def crashed():
    out = new_folder() / "out"
    process = started(scenario(ENDLESS), out, "--variant", "endless", "--seeds", "1..2", "--jobs", "1")
    for seed, number in (1, signal.SIGKILL), (2, signal.SIGSEGV):
        log = out / f"endless/{seed}/run.log"
        wait_for("the endless run", lambda it=log: it.exists() and "memory: " in it.read_text())
        child, = children_of(process.pid)
        os.kill(child, number)
    said = process.communicate(timeout=WAIT_S)[1]
    for seed, how in (1, r"9 \(out of memory\? try --jobs 1\)"), (2, "11"):
        right(re.search(rf"/{seed}: ended by signal {how}; the last lines of run.log:\n    memory: 4 KiB pages", said), said)


def in_room(size, *words):
    """Several runs with a folder of their own that has so much room."""
    disk = new_folder()
    before = "unshare", "-m", "sh", "-ec", f'mount -t tmpfs -o size={size} none {disk}; exec "$@"', "sh"
    if subprocess.run([*before, "true"], check=False, stderr=subprocess.DEVNULL).returncode:
        raise Skip("a small disk takes a mount namespace")
    done = sluice("run", UDP_SCENARIO, "--seeds", "1..2", "--out", disk / "out", *words, before=before)
    same(done.returncode, 1, f"exit status, {done.stderr}")
    return done, disk / "out"


@case("a disk that is full is the cause of each run that it ends, also where run.log has no room; so is what is not summarized")
def disk_full():
    for size, file in ("4k", "run.log"), ("28k", r"\w+\.(csv|json)"):
        done, out = in_room(size)
        for seed in 1, 2:
            cause = rf"{seed}: {FAILED}{file}: No space left on device\n"
            right(re.search(rf"^sluice run: {out}/{cause}", done.stderr, re.M), f"{size}: {done.stderr}")
            right(re.search(rf"^  FAILED          {cause}", done.stdout, re.M), f"{size}: {done.stdout}")
        right(f"sluice run: {out}/results.csv: No space left on device\n" in done.stderr, f"{size}: {done.stderr}")
    done, out = in_room("4k", "--pcap")
    right(re.search(rf"^sluice run: {out}/runs.csv: No space left on device\n", done.stderr, re.M)
          and "  results    " not in done.stdout, f"{done.stderr}{done.stdout}")


@case("a capture that a full disk cuts off: what the disk says, and the file's name")
def capture_cut():
    out = new_folder() / "out"
    done = subprocess.run(["sh", "-c", 'trap "" XFSZ; ulimit -f 40; exec "$@"', "sh", program(), "run", UDP_SCENARIO,
                           "--pcap", "--no-huge", "--out", out], capture_output=True, text=True, check=False)
    right(f"sluice run: {out}/gb.pcap: File too large\n" in done.stderr, done.stderr)


@case("on a terminal a line of progress, with an estimate, that is gone at the end")
def progress():
    out = new_folder() / "out"
    ours, its = terminal()
    process = subprocess.Popen(
        [program(), "run", scenario(ENDLESS), "--out", out, "--variant", "short", "--variant", "endless",
         "--jobs", "1"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=its)
    os.close(its)
    said = ""
    while not (line := re.search(r"\r\x1b\[K1 of 2 runs done, 1 at work, about \d+ (?:s|min) left", said)):
        right(select.select([ours], [], [], WAIT_S)[0], f"no line of progress in {said!r}")
        said += os.read(ours, 4096).decode()
    process.send_signal(signal.SIGINT)
    process.wait(WAIT_S)
    while select.select([ours], [], [], 0)[0]:
        try:
            said += os.read(ours, 4096).decode()
        except OSError:  # the other end is closed
            break
    os.close(ours)
    after = said[line.end():]
    right(after.endswith("\r\x1b[Ksluice run: interrupted; with --resume the same command goes on\r\n"),
          f"the end of {after!r}")


@case("check of a sweep with thousands of points shows on a terminal how far it is")
def check_progress():
    packets = ", ".join(str(packets) for packets in range(500, 570))
    rates = ", ".join(f'"{rate} kbit/s"' for rate in range(20, 90))
    axes = f'axis {{ key = "queue.packets", values = {{ {packets} }} }}, axis {{ key = "nse.bvc.rate", values = {{ {rates} }} }}'
    path = scenario(f"sweep {{ {axes} }}\n")
    ours, its = terminal()
    process = subprocess.Popen([program(), "check", path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=its)
    atexit.register(process.kill)
    os.close(its)
    said = ""
    while not re.search(r"\r\x1b\[K\d+ of 4900 variants at points checked", said):
        right(select.select([ours], [], [], WAIT_S)[0], f"no line of progress in {said!r}")
        said += os.read(ours, 4096).decode()
    process.kill()
    process.wait(WAIT_S)
    os.close(ours)


@case("a single run that is interrupted leaves what it has, marked, and exit status 1")
def interrupted_alone():
    for number in signal.SIGINT, signal.SIGTERM:
        out = new_folder() / "out"
        process = started(scenario(ENDLESS), out, "--variant", "endless", "--pcap")
        wait_for("the simulation", lambda: simulates(process.pid))
        wait_for("a packet", lambda: (out / "gb.pcap").exists() and (out / "gb.pcap").stat().st_size > 24)
        process.send_signal(number)
        said = process.communicate(timeout=WAIT_S)[1]
        same(process.returncode, 1, f"exit status\n{said}")
        right("sluice run: interrupted at " in said and f"results up to there are in {out}" in said, said)
        found = summary_of(out)
        same((found["complete"], found["sound"], found["conservation"]["balanced"]), (False, True, True),
             "complete, sound, balanced")
        right(0 < found["virtual_s"] < 86400, f"virtual_s {found['virtual_s']}")
        tables = {"classes", "cells", "mss", "flows", "drops", "delays", "applications", "tcp", "bss"}
        same({name for name in tables if not (out / f"{name}.csv").exists()}, set(), "tables not there")


@case("interrupted in its first batch it has none, and in its warm-up it has measured nothing")
def interrupted_early():
    for warmup in "0 s", "1000 min":
        out = new_folder() / "out"
        process = started(scenario(ENDLESS), out, "--variant", "endless", "--pcap", "--set", "run.batches=5",
                          "--set", f"run.warmup={warmup}")
        wait_for("the simulation", lambda: simulates(process.pid))
        wait_for("a packet", lambda: (out / "gb.pcap").exists() and (out / "gb.pcap").stat().st_size > 24)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=WAIT_S)[1]
        same(process.returncode, 1, f"exit status\n{said}")
        found = summary_of(out)
        right(found["sound"] and 0 < found["virtual_s"] < 288 * 60, f"it came to {found['virtual_s']} s")
        same((found["batches"]["count"], found["batches"]["classes"]), (0, {}), "batches")
        same(len((out / "batches.csv").read_text().splitlines()), 1, "lines of batches.csv")
        measured = any(of_class["in_packets"] or of_class["packets"] for of_class in found["classes"].values())
        same((measured, found.get("warmup_s")), (True, None) if warmup == "0 s" else (False, found["virtual_s"]),
             "whether something was measured, and what is left out")


# --- Whose results --------------------------------------------------------------------------------


@case("results of another single run are replaced with a word that says how it differs; the same run without")
def replaced():
    out = new_folder() / "out"
    path = written(config().read_text())

    def said(*words):
        lines = many(path, out, *words).stderr.splitlines()
        return [line for line in lines if not line.startswith("memory: ")]

    def replaces(how):
        return [f"results: {out} has those of another run ({how}), now replaced"]
    same(said(), [], "of the first")
    same(said(), [], "of the same run")
    same(said("--seed", "2"), replaces("another seed"), "seed")
    same(said("--seed", "2", "--set", "nse.bvc.rate=20 kbit/s"), replaces("other overrides"), "--set")
    same(said("--variant", "cobalt", "--seed", "2"), replaces("another variant"), "variant")
    path.write_text(path.read_text() + "-- a comment\n")
    same(said("--variant", "cobalt", "--seed", "2"), replaces("another configuration file"), "file")
    found = summary_of(out)
    (out / "summary.json").write_text(json.dumps(found | {"version": "0.0.0"}))
    same(said("--variant", "cobalt", "--seed", "2"), replaces("another version of Sluice"), "version")


@case("several runs, or one in their folder: without --resume or --force nothing is touched")
def protected():
    out = new_folder() / "out"
    shutil.copytree(six()[0], out)
    before = results(out)
    words = "--variant", "all", "--seeds", "1..3"
    for command, said in (
            (words, f"sluice run: {out}/red/1: has results; --resume does what is missing, --force does"
             " all again, or give another --out"),
            *(((*words, *resume, "--set", "nse.bvc.rate=20 kbit/s"), f"sluice run: {out}/red/1: has the"
               " results of another run (other overrides); give another --out, or --force to do it again")
              for resume in ((), ("--resume",))),
            ((*words, "--commands", "--set", "nse.bvc.rate=20 kbit/s"), f"sluice run: {out}/red/1: has the results of"
             " another run (other overrides); give another --out"),
            ((), f"sluice run: {out}: has the results of several runs; give another --out, or --force to"
             " replace their summary")):
        done = many(config(), out, *command, status=1)
        same((done.stderr, done.stdout), (said + "\n", ""), command)
        same(results(out), before, "results")
    many(config(), out, *words, "--force", "--pcap")
    same(results(out), before, "results of the same again")
    many(config(), out, *words, "--resume", "--force", "--set", "nse.bvc.rate=20 kbit/s")
    same([group["overrides"][-1] for group in summary_of(out)["variants"]],
         ["nse.bvc.rate=20 kbit/s"] * 2, "overrides of another go")
    alone_ = new_folder() / "out"
    many(config(), alone_)
    done = many(config(), alone_, *words, status=1)
    same(done.stderr, f"sluice run: {alone_}: has the results of a single run; give another --out, or"
         " --force to replace its summary\n", "several runs in the folder of one")


@case("a link in the place of a run or of a folder of runs is refused: nothing is written or read where it leads")
def linked():
    words = "--variant", "all", "--seeds", "1..2"
    for name in "red", "red/1", "cobalt/2":
        for option in "--resume", "--force":
            out, outside = new_folder() / "out", new_folder()
            (outside / "kept").write_text("kept")
            (out / name).parent.mkdir(parents=True)
            (out / name).symlink_to(outside)
            done = many(config(), out, *words, option, status=1)
            path = out / (name if "/" in name else name + "/1")
            same((done.stderr, done.stdout),
                 (f"sluice run: {path}: leads out of its folder, or is a symbolic link, which is not followed; give "
                  "another --out\n", ""), f"{name} {option}")
            same([path.name for path in outside.iterdir()], ["kept"], f"{name} {option}: where it leads")


@case("--resume: a link in the place of a run's summary is no summary: the run is done, and the link replaced")
def linked_summary():
    words, out, outside = ("--variant", "red", "--seeds", "1..2"), new_folder() / "out", new_folder()
    many(config(), out, *words)
    file = out / "red/2/summary.json"
    text = file.read_bytes()
    file.rename(outside / "summary.json")
    file.symlink_to(outside / "summary.json")
    many(config(), out, *words, "--resume")
    same((file.is_symlink(), file.read_bytes()), (False, text), "summary of the second run")
    same((outside / "summary.json").read_bytes(), text, "what the link named")


@case("summary.json says what the run was made of: version, digests of all files, overrides in order")
def provenance():
    folder, out = new_folder(), new_folder() / "out"
    text = UDP_SCENARIO.read_text() + VARIANTS + 'policy { script = "p.lua", every = "1 s" }\n'
    script = "function timer() log('tick') end\n"
    (folder / "x.lua").write_text(text)
    (folder / "p.lua").write_text(script)
    version = sluice("version").stdout.split()[1]
    key = "nse.bvc.ms[1].key=0011223344556677"
    sets = ("nse.bvc.ms[1].cipher=gea3", key, "nse.bvc.rate=30 kbit/s")
    done = many(folder / "x.lua", out, "--variant", "cobalt", "--seed", "5",
                *[word for one in sets for word in ("--set", one)])
    found = summary_of(out)
    same({name: found.get(name) for name in ("version", "config_sha256", "files", "variant", "point",
                                             "overrides", "seed")},
         {"version": version, "config_sha256": hashlib.sha256(text.encode()).hexdigest(),
          "files": [{"path": "p.lua", "sha256": hashlib.sha256(script.encode()).hexdigest()}],
          "variant": "cobalt", "point": None, "seed": 5,
          "overrides": ["class.aqm.name=cobalt", "class.aqm.target=20 ms", "nse.bvc.ms[1].cipher=gea3",
                        "nse.bvc.ms[1].key=hidden", "nse.bvc.rate=30 kbit/s"]}, "what it was made of")
    same([path.name for path in out.iterdir() if b"0011223344556677" in path.read_bytes()], [],
         f"files with the key of an MS\n{done.stderr}")


@case("digests of texts of every length around the block's, as Python's")
def digests():
    folder = new_folder()
    lengths = [0, 1, *range(54, 66), *range(118, 130), 1000, 1 << 20]
    for octets in lengths:
        (folder / str(octets)).write_bytes(bytes(i * 7 % 256 for i in range(octets)))
    (folder / "digests.lua").write_text(
        'for _, name in ipairs(arg) do print(require "sha256"(io.open(name, "rb"):read("a"))) end\n')
    found = sluice("lua", "digests.lua", *lengths, cwd=folder).stdout.split()
    same(found, [hashlib.sha256((folder / str(octets)).read_bytes()).hexdigest() for octets in lengths],
         "digests")


main()
