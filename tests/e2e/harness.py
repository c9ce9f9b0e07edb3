"""What the end-to-end tests share: cases that come out as TAP, the program, and its summary.

A test file registers functions with @case("what holds") and ends with main(). A case fails by any
exception, is skipped by Skip(why), and passes by returning. SLUICE names the program.
"""

import atexit
import collections
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
UDP_SCENARIO = ROOT / "tests/e2e/udp.lua"  # the tests' own: three classes over UDP
PATIENCE = int(os.environ.get("PATIENCE", "1"))  # the runner's, where it runs more at once
TIMEOUT_S = 600 * PATIENCE  # of one start of the program, for what hangs; at a sixteenth of a processor 120 s were too few
WAIT_S = 30 * PATIENCE  # for anything that a program does in real time; all of it takes some ms
SLOWER = 3  # the sanitized program, which has so much more time from the runner, too
CAPTURES = ("gi.pcap", "gn.pcap", "gb.pcap")
# Of a run in the lab with --pcap, but for run.json; the page is made of them.
TABLES = (*(f"{name}.csv" for name in ("applications", "bss", "cells", "classes", "delays", "drops",
                                       "flows", "mss", "tcp")),
          *(f"series_{name}.csv" for name in ("cells", "classes", "flows")))
RESULTS = ("summary.json", "report.html", *CAPTURES, *TABLES)

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


def aqm_names():
    """Every AQM by the name that a configuration gives it, in the order of their list."""
    listed = (ROOT / "dataplane/aqm/aqm.def").read_text()
    return [name.replace("_", "-") for name in re.findall(r"^AQM\((\w+)\)", listed, re.MULTILINE)]


def ctl_requests():
    """Every request of `sluice ctl`, as their table writes them."""
    return re.findall(r'^REQUEST\("(.*?)"', (ROOT / "control/plane/requests.def").read_text(), re.MULTILINE)


# Every constructor, as a message lists them.
BLOCKS = "run, gn, gb, timers, room, log, policy, class, aqm, queue, ggsn, apn, attach, phone, radio, nse, nsvc, bvc, ms, pdp, " \
    "plan, buffer, codel, flow, bss, endpoint, line, lab, gi, cake, mobile, tcp, move, " \
    "suspend, away, ftp, http, stream, ptt, ping, " \
    "traffic, replay, dialogue, variants, variant, axis, sweep"


def expected(text):
    """An expected message with what it leaves to a list put in."""
    names = ", ".join(f'"{name}"' for name in aqm_names())
    return text.replace("<AQMS>", names).replace("<BLOCKS>", BLOCKS)


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


def run_case(function, arguments):
    """As outcome(); nothing that a failed case has started is left to meet the next one."""
    before = len(started)
    found = outcome(function, arguments)
    if found[0] != "ok":
        for left in started[before:]:
            left.kill()
    return found


def main():
    """Runs every case, prints TAP, ends the process."""
    print(f"1..{len(cases)}")
    failed = 0
    for number, (name, function, arguments) in enumerate(cases, 1):
        verdict, behind, details = run_case(function, arguments)
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


def whole_program():
    """The program with every command, which `sluice` starts for those that need the dataplane."""
    return program() + "-dpdk"


def new_folder():
    """An empty folder that goes away with this process. Whom a run becomes may read there."""
    folder = tempfile.mkdtemp(prefix="sluice-e2e-")
    os.chmod(folder, 0o755)
    atexit.register(shutil.rmtree, folder, True)
    return pathlib.Path(folder)


def terminal():
    """Both ends of a pseudo-terminal, or no test: a minimal root may have none."""
    try:
        return os.openpty()
    except OSError as why:
        raise Skip(f"no pseudo-terminal: {why}") from why


def written(text):
    """A configuration of that text."""
    path = new_folder() / "x.lua"
    path.write_text(text)
    return path


def sluice(*arguments, cwd=None, before=(), descriptors=(), path=None):
    """Runs it and gives status, stdout and stderr; `before` is a command that starts it, descriptors
    are those that stay open in it, path is that of another program."""
    command = [*before, path or program(), *map(str, arguments)]
    return subprocess.run(command, cwd=cwd or new_folder(), stdin=subprocess.DEVNULL,
                          capture_output=True, encoding="utf-8", errors="backslashreplace",
                          timeout=TIMEOUT_S, check=False, pass_fds=descriptors)


def blocks_of(*arguments):
    """How many basic blocks of what judges packets such a `sluice audit` or `sluice gi` runs through: its work."""
    done = sluice(*arguments, path=os.environ["CAPTURES_COUNTED"])
    same(done.returncode, 0, f"exit status: {done.stderr}")
    return int(done.stderr.split()[-1])


def settings(sets):
    """The words of the command line for them."""
    return [word for one in sets for word in ("--set", one)]


def has_sanitizers():
    return b"__asan_init" in pathlib.Path(program()).read_bytes()


def often(few, many):
    """How many of a kind a test has: few in the quick suite, many in `./run soak all` without sanitizers."""
    return many if "TEST_DEEP" in os.environ and not has_sanitizers() else few


def run(config, *arguments, before=(), path=None):
    """`sluice run` that has to succeed; its results are in a folder of their own."""
    out = new_folder() / "out"
    done = sluice("run", config, "--out", out, *arguments, before=before, path=path)
    right(done.returncode == 0,
          f"sluice run {config} {' '.join(map(str, arguments))}: exit {done.returncode}\n"
          f"{done.stderr}{done.stdout}")
    summary, info = (json.loads((out / name).read_text()) for name in ("summary.json", "run.json"))
    return Run(out, summary, info, done.stdout, done.stderr)


def differing(one, other):
    """Which results two runs with --pcap have not left byte for byte the same, or not at all."""
    names = {path.name for run in (one, other) for path in run.out.iterdir()} | set(RESULTS)
    return [name for name in sorted(names - {"run.json"})
            if not octets_of(one.out / name) == octets_of(other.out / name) != b""]


def octets_of(path):
    return path.read_bytes() if path.exists() else b""


def until(what, condition, seen=lambda: "", wait_s=WAIT_S):
    """What condition() returns, once it is true; a failure says what was waited for, and what is seen then."""
    deadline = time.monotonic() + wait_s
    while not (found := condition()):
        right(time.monotonic() < deadline, f"not within {wait_s} s: {what}\n{seen()}")
        time.sleep(0.02)
    return found


def each_of(process, kind, read):
    """{path: what read(path) gives} of each thread ("task") or open file ("fd") of a process by its number, without those
    that end meanwhile."""
    found = {}
    for path in pathlib.Path(f"/proc/{process}/{kind}").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found[path] = read(path)
    return found


started = []  # all that has kill(), such as each Running


def has_started(process):
    """Who may be left when a case fails, or all ends."""
    started.append(process)
    atexit.register(process.kill)


class Running:
    """`sluice run` in real time, up, until it is told to end, of a configuration's text or of its file;
    `before` is a command that starts it; `folder`, the one of a run before."""

    def __init__(self, config, *sets, before=(), variant=None, folder=None):
        self.folder = folder or new_folder()
        self.config, self.out = self.folder / "x.lua", self.folder / "out"
        if isinstance(config, pathlib.Path):
            self.config = config
        else:
            self.config.write_text(config)
        words = ["--variant", variant] if variant else []
        self.process = subprocess.Popen(
            [*before, program(), "run", os.path.relpath(self.config, self.folder), "--out", "out", *words,
             *settings(sets)], cwd=self.folder,
            stdin=subprocess.DEVNULL, stdout=(self.folder / "stdout").open("wb"),
            stderr=(self.folder / "stderr").open("wb"))
        has_started(self)
        until("the run is up", lambda: "\nup: " in self.said() or self.process.poll() is not None, self.said)
        right("\nup: " in self.said(), f"it does not come up (exit {self.process.poll()}):\n{self.said()}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def said(self):
        return (self.folder / "stderr").read_text(errors="backslashreplace")

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def contexts(self):
        return json.loads((self.out / "contexts.json").read_text())

    def finish(self, number=signal.SIGINT):
        """Its summary, when it has ended as it should."""
        self.process.send_signal(number)
        until("the run's end after its signal", lambda: self.process.poll() is not None, self.said)
        same(self.process.returncode, 0, f"exit status of the run; it said:\n{self.said()}")
        return json.loads((self.out / "summary.json").read_text())


# --- The summary ----------------------------------------------------------------------------------


def drops_of(part):
    """Packets and octets of all drops of a class, a port or the uplink."""
    rows = part["drops"].values()
    return sum(row["packets"] for row in rows), sum(row["octets"] for row in rows)


def ledger_sums(way, ledger, port, parts):
    """The sums of one direction: its ledger, the port that its frames come to, and what they carry:
    the classes' N-PDUs, or the uplink's segments."""
    packets, octets = ledger, ledger["octets"]
    frames_dropped, frames_dropped_octets = drops_of(port)
    inner_dropped = sum(drops_of(part)[0] for part in parts)
    inner_dropped_octets = sum(drops_of(part)[1] for part in parts)

    def total(key):
        return sum(part[key] for part in parts)

    sums = [
        ("packets: in = aside + out + dropped + queued", packets["in"],
         packets["aside"] + packets["out"] + packets["dropped"] + packets["queued"]),
        ("octets: in = headers + aside + out + dropped + queued", octets["in"],
         octets["headers"] + octets["aside"] + octets["out"] + octets["dropped"] +
         octets["queued"]),
        ("packets aside = for the host, control, another worker, or joined", packets["aside"],
         port["host_packets"] + port["control_packets"] + port["strays_out_packets"]
         + port["joined_packets"]),
        ("octets aside = for the host, control, or another worker", octets["aside"],
         port["host_octets"] + port["control_octets"] + port["strays_out_octets"]),
        ("packets out = those of the parts", packets["out"], total("out_packets")),
        ("octets out = those of the parts", octets["out"], total("out_octets")),
        ("packets dropped = those by reason", packets["dropped"], inner_dropped + frames_dropped),
        ("octets dropped = those by reason", octets["dropped"],
         inner_dropped_octets + frames_dropped_octets),
        ("packets in = frames from the port and from other workers", packets["in"],
         port["rx_packets"] + port["strays_in_packets"]),
        ("octets in = octets from the port and from other workers", octets["in"],
         port["rx_octets"] + port["strays_in_octets"]),
        ("headers = those taken off", octets["headers"], port["header_octets"]),
    ]
    return [(f"{way} {what}", left, right) for what, left, right in sums]


def lab_sums(summary):
    """In the lab nothing waits between a port and its classes at the end, and all frames are known."""
    gn, gb = (summary["worker"]["ports"][side] for side in ("gn", "gb"))
    lines, ledger = summary["lines"], summary["conservation"]
    # of those in fragments, the number of frames under way is not that of the missing ones
    under_way = lines["gb_frames_under_way"]
    missing = gb["tx_packets"] - summary["from_gb"]["frames"] + summary["from_gb"]["fragments"]
    if gb["tx_fragmented"] and 0 <= missing <= under_way + lines["gb_frames_in_pieces"]:
        under_way = missing
    inner = sum(of_class["in_packets"] for of_class in summary["classes"].values())
    inner_octets = sum(of_class["in_octets"] for of_class in summary["classes"].values())
    return [
        ("packets in = aside + those of the classes + those dropped before", ledger["in"],
         ledger["aside"] + inner + drops_of(gn)[0]),
        ("octets in = headers + aside + those of the classes + those dropped before",
         ledger["octets"]["in"],
         ledger["octets"]["headers"] + ledger["octets"]["aside"] + inner_octets + drops_of(gn)[1]),
        ("frames from Gn = sent there - lost there", gn["rx_packets"],
         lines["gn_sent_frames"] - lines["gn_lost_frames"]),
        ("frames to Gb = received whole + under way", gb["tx_packets"],
         summary["from_gb"]["frames"] - summary["from_gb"]["fragments"] + under_way),
        ("frames received = delivered", summary["from_gb"]["frames"],
         lines["gb_delivered_frames"]),
        ("frames from Gb = sent there - lost there", gb["rx_packets"],
         lines["gb_sent_frames"] - lines["gb_lost_frames"]),
    ] + ([] if gn["tx_fragmented"] else [
        ("frames to Gn = delivered + under way", gn["tx_packets"],
         lines["gn_delivered_frames"] + lines["gn_frames_under_way"]),
    ])


def unbalanced(summary):
    """Adds the figures of a summary up by hand; a sentence for each sum that does not come out."""
    worker, ledger = summary["worker"], summary["conservation"]
    sums = ledger_sums("down", ledger, worker["ports"]["gn"], list(summary["classes"].values()))
    sums += ledger_sums("up", ledger["up"], worker["ports"]["gb"], [worker["up"]])
    if "lines" in summary:
        sums += lab_sums(summary)
    return [f"{what}: {left} = {right}" for what, left, right in sums if left != right]


def check_sound(summary):
    """A run that came to its end, lost nothing, and whose own sums are right."""
    for key in ("complete", "sound"):
        same(summary[key], True, key)
    same(summary["conservation"]["balanced"], True, "conservation.balanced")
    if "from_gb" in summary:
        same(summary["from_gb"]["faults"], 0, f"faults: {summary['from_gb']['first_fault']}")
    same(unbalanced(summary), [], "sums")
