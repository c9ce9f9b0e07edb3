"""What the end-to-end tests share: cases that come out as TAP, the program, and its summary.

A test file registers functions with @case("what holds") and ends with main(). A case fails by any
exception, is skipped by Skip(why), and passes by returning. SLUICE names the program.
"""

import atexit
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import traceback

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
QUICKSTART = ROOT / "config/quickstart.lua"
TIMEOUT_S = 120  # of one start of the program; none of them should take more than a few

Run = collections.namedtuple("Run", "out summary info stdout stderr")

cases = []


class Failure(Exception):
    """What was found is not what is right."""


class Skip(Exception):
    """The case cannot be tried here; says why."""


def case(name, *arguments):
    """Registers the function under this name; arguments are handed to it."""
    def register(function):
        cases.append((name, function, arguments))
        return function
    return register


def right(condition, otherwise):
    if not condition:
        raise Failure(otherwise)


def same(found, wanted, what):
    right(found == wanted, f"{what}: found {short(found)}, right is {short(wanted)}")


def same_rows(found, wanted, what):
    """Names the first row that differs."""
    for number, pair in enumerate(zip(found, wanted), 1):
        same(*pair, f"{what}, row {number}")
    same(len(found), len(wanted), f"{what}, rows")


def short(value):
    text = repr(value)
    return text if len(text) <= 600 else f"{text[:600]}... ({len(text)} characters)"


def outcome(function, arguments):
    """('ok' or 'not ok', what stands behind the name, detail lines)."""
    try:
        function(*arguments)
    except Skip as why:
        return "ok", f" # SKIP {why}", []
    except Failure as why:
        return "not ok", "", str(why).splitlines()
    except Exception:  # a fault of the test or of a tool: its place is worth more than its text
        return "not ok", "", traceback.format_exc().splitlines()
    return "ok", "", []


def main():
    """Runs every case, prints TAP, ends the process."""
    print(f"1..{len(cases)}")
    failed = 0
    for number, (name, function, arguments) in enumerate(cases, 1):
        verdict, behind, details = outcome(function, arguments)
        failed += verdict != "ok"
        print(f"{verdict} {number} - {name}{behind}")
        for line in details:
            print(f"# {line}")
        sys.stdout.flush()
    sys.exit(1 if failed else 0)


# --- The program ----------------------------------------------------------------------------------


def program():
    path = os.environ.get("SLUICE")
    if not path:
        sys.exit("SLUICE is not set: it names the program, such as SLUICE=build/release/sluice")
    return os.path.abspath(path)


def new_folder():
    """An empty folder that goes away with this process."""
    folder = tempfile.mkdtemp(prefix="sluice-e2e-")
    atexit.register(shutil.rmtree, folder, True)
    return pathlib.Path(folder)


def sluice(*arguments, cwd=None, before=()):
    """Runs it and gives status, stdout and stderr; `before` is a command that starts it."""
    command = [*before, program(), *map(str, arguments)]
    return subprocess.run(command, cwd=cwd or new_folder(), stdin=subprocess.DEVNULL,
                          capture_output=True, encoding="utf-8", errors="backslashreplace",
                          timeout=TIMEOUT_S, check=False)


def run(config, *arguments, before=()):
    """`sluice run` that has to succeed; its results are in a folder of their own."""
    out = new_folder() / "out"
    done = sluice("run", config, "--out", out, *arguments, before=before)
    right(done.returncode == 0,
          f"sluice run {config} {' '.join(map(str, arguments))}: exit {done.returncode}\n"
          f"{done.stderr}{done.stdout}")
    summary, info = (json.loads((out / name).read_text()) for name in ("summary.json", "run.json"))
    return Run(out, summary, info, done.stdout, done.stderr)


# --- The summary ----------------------------------------------------------------------------------


def drops_of(part):
    """Packets and octets of all drops of a class, or of the worker."""
    rows = part["drops"].values()
    return sum(row["packets"] for row in rows), sum(row["octets"] for row in rows)


def unbalanced(summary):
    """Adds the figures of a summary up by hand; a sentence for each sum that does not come out."""
    packets, octets = summary["conservation"], summary["conservation"]["octets"]
    worker, lines = summary["worker"], summary["lines"]
    classes = list(summary["classes"].values())
    frames_dropped, frames_dropped_octets = drops_of(worker)
    npdus_dropped = sum(drops_of(of_class)[0] for of_class in classes)
    npdus_dropped_octets = sum(drops_of(of_class)[1] for of_class in classes)

    def total(key):
        return sum(of_class[key] for of_class in classes)

    sums = [
        ("packets: in = out + dropped + queued", packets["in"],
         packets["out"] + packets["dropped"] + packets["queued"]),
        ("octets: in = headers + out + dropped + queued", octets["in"],
         octets["headers"] + octets["out"] + octets["dropped"] + octets["queued"]),
        ("packets in = those of the classes + those dropped before", packets["in"],
         total("in_packets") + frames_dropped),
        ("octets in = headers + those of the classes + those dropped before", octets["in"],
         octets["headers"] + total("in_octets") + frames_dropped_octets),
        ("packets out = those of the classes", packets["out"], total("out_packets")),
        ("octets out = those of the classes", octets["out"], total("out_octets")),
        ("packets dropped = those by reason", packets["dropped"], npdus_dropped + frames_dropped),
        ("octets dropped = those by reason", octets["dropped"],
         npdus_dropped_octets + frames_dropped_octets),
        ("packets in = frames from Gn", packets["in"], worker["gn_rx_packets"]),
        ("octets in = octets from Gn", octets["in"], worker["gn_rx_octets"]),
        ("headers = those taken off", octets["headers"], worker["gn_header_octets"]),
        ("frames from Gn = sent there - lost there", worker["gn_rx_packets"],
         lines["gn_sent_frames"] - lines["gn_lost_frames"]),
        ("frames to Gb = delivered + under way", worker["gb_tx_packets"],
         lines["gb_delivered_frames"] + lines["gb_frames_under_way"]),
        ("frames received = delivered", summary["receiver"]["frames"],
         lines["gb_delivered_frames"]),
    ]
    return [f"{what}: {left} = {right}" for what, left, right in sums if left != right]


def check_sound(summary):
    """A run that came to its end, lost nothing, and whose own sums are right."""
    for key in ("complete", "sound"):
        same(summary[key], True, key)
    same(summary["conservation"]["balanced"], True, "conservation.balanced")
    same(summary["receiver"]["faults"], 0, f"faults: {summary['receiver']['first_fault']}")
    same(unbalanced(summary), [], "sums")
