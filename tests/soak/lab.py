#!/usr/bin/python3
"""The chain of config/osmopcu.md for ten minutes under mixed traffic of Linux, while parts of it go and come back.

    lab.py [--minutes N] [--loss SHARE] [--json FILE]     10, 5%

MSs download, upload and fetch pages, all of it HTTP over Linux's TCP with ends that come and go; two are pinged all the
time. Meanwhile: a flood of UDP at 1.5 times the radio's rate, osmo-pcu killed, a reload, and for the last 40 % of the
time another BTS, which loses blocks both ways. Prints a table and a verdict; exit status 1 if a demand does not hold.
Needs root and what ./run lab needs.
"""

import argparse
import collections
import functools
import http.client
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/interop"), str(ROOT / "tests/e2e")]
os.environ.setdefault("SLUICE", str(ROOT / "build/release/sluice"))

import network  # noqa: E402
from bts_chain import CONFIGS, PORT, SERVER, Chain, address_of, check_books  # noqa: E402
from harness import Failure, Skip, check_sound, new_folder, right  # noqa: E402
from lab_traffic import Quiet, Server, Wire, client, log_errors, read_capture, say  # noqa: E402

PDCHS, RADIO = 4, 6000  # octets/s at CS-2
N201_U = 'n201_u = "1420 octets"', 'n201_u = "1410 octets"'  # of all MSs; a reload turns to the other one
# What each MS does: (kind, octets at least, at most, seconds between two at most).
WORK = (("down", 20000, 80000, 10), ("down", 5000, 30000, 5), ("up", 1000, 8000, 5), ("page", 1000, 12000, 4),
        ("page", 1000, 12000, 4))
OWN, FLOODED, NEIGHBOUR, MSS = 0, 5, 6, 8  # the neighbour is only pinged
STALL_S, REST_S = 120, 180  # the longest wait for an octet; for the last transfers of a BTS
FLOOD, FLOOD_OCTETS, UDP_HEADS = 1.5, 1400, 28
# When what begins, in shares of the whole time.
MIXED, FLOODED_AT, KILLED_AT, RELOAD_AT, LOSSES_AT = 0.04, 0.20, 0.30, 0.42, 0.60
AWAY_S, WITHIN_S = 5, 2
# From that share of its time on a program's own memory grows by no more. Its buffers are of a fixed number, but each
# takes a page when it is first used, so they are judged by how many are held at the end.
WARM, GROWN_KB = 0.2, 256
RELOADS_FIRST = 4  # of the warm-up: the first ones need memory that the later one uses again
RSS = "RssAnon", "RssShmem"
SAID_EACH_S = 10

Transfer = collections.namedtuple("Transfer", "kind fault")
Sample = collections.namedtuple("Sample", "when drops marks discarded")
Phase = collections.namedtuple("Phase", "name wire first_ms start end carried")


# --- Traffic --------------------------------------------------------------------------------------


class Taking(Quiet):
    def do_PUT(self):
        self.server.taken[self.path] = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()


class Files(Server):
    """Keeps also what MSs put there."""

    def __init__(self, chain):
        super().__init__(chain)
        self.folder, self.taken = chain.folder, {}
        self.RequestHandlerClass = functools.partial(Taking, directory=chain.folder)

    def down(self, connection, name, content):
        """Whether it came as it went."""
        path = self.folder / name
        path.write_bytes(content)
        connection.request("GET", f"/{name}")
        came = connection.getresponse().read()
        path.unlink()
        return came == content

    def up(self, connection, name, content):
        connection.request("PUT", f"/{name}", content)
        connection.getresponse().read()
        return self.taken.pop(f"/{name}", b"") == content


class Traffic:
    """MSs that are at work until the end is said, each in a thread of its own."""

    def __init__(self, chain, server, first_ms, transfers):
        self.chain, self.server, self.transfers = chain, server, transfers
        self.ending = threading.Event()
        self.threads = [threading.Thread(target=self.work, args=(first_ms + ms, *work), daemon=True)
                        for ms, work in enumerate(WORK)]
        for thread in self.threads:
            thread.start()

    def work(self, ms, kind, least, most, pause_s):
        rng = random.Random(ms)
        while not self.ending.wait(rng.uniform(0, pause_s)):
            self.transfers.append(Transfer(kind, self.fault_of(ms, kind, rng.randint(least, most))))

    def fault_of(self, ms, kind, octets):
        """What is wrong with a transfer; empty: nothing."""
        way = self.server.up if kind == "up" else self.server.down
        connection = http.client.HTTPConnection(SERVER, PORT, timeout=STALL_S, source_address=(address_of(ms), 0))
        try:
            with network.inside(self.chain.ms):
                connection.connect()
            equal = way(connection, f"{kind}-{ms}", os.urandom(octets))
            return "" if equal else f"{kind} of {octets} octets: they are others"
        except (OSError, http.client.HTTPException) as why:
            return f"{kind} of {octets} octets: {why!r}"
        finally:
            connection.close()

    def end(self):
        """No more begin; those that have begun come to their end."""
        self.ending.set()
        deadline = time.monotonic() + REST_S
        for thread in self.threads:
            thread.join(max(0, deadline - time.monotonic()))
            right(not thread.is_alive(), f"a transfer does not end within {REST_S} s")


def flood(chain, ms, seconds):
    """UDP that nobody reads, to a port that is open, for an answer of ICMP would be traffic too."""
    with network.inside(chain.gi):
        source = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    with network.inside(chain.ms):
        sink = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    with source, sink:
        sink.bind((address_of(ms), 9))
        sent, start = 0, time.monotonic()
        while time.monotonic() < start + seconds:
            source.sendto(bytes(FLOOD_OCTETS - UDP_HEADS), (address_of(ms), 9))
            sent += FLOOD_OCTETS
            time.sleep(max(0, start + sent / (FLOOD * RADIO) - time.monotonic()))


# --- What is watched ------------------------------------------------------------------------------


class Watch(threading.Thread):
    """Once a second the live view, and the memory of the programs."""

    def __init__(self, chain):
        super().__init__(daemon=True)
        self.chain, self.ending = chain, threading.Event()
        self.samples, self.errors, self.memory = [], [], collections.defaultdict(list)
        self.start()

    def run(self):
        while not self.ending.wait(1):
            try:
                self.samples.append(self.sample())
            except (subprocess.SubprocessError, ValueError, LookupError) as why:
                self.errors.append(str(why))
            for name, process in (("sluice", self.chain.sgsn.process), ("ggsn", self.chain.ggsn.process),
                                  ("bts", self.chain.bts.process)):
                self.weigh(name, process.pid)

    def sample(self):
        nse = json.loads(client(self.chain, "stats", "--json"))["nses"][0]
        return Sample(time.monotonic(), nse["dropped_npdus"], nse["marks"], nse["discarded_frames"])

    def weigh(self, name, pid):
        try:
            status = pathlib.Path(f"/proc/{pid}/status").read_text()
        except OSError:  # it has just ended
            return
        lines = dict(line.split(":", 1) for line in status.splitlines())
        if "RssAnon" in lines:  # else it is ending
            self.memory[name, pid].append((time.monotonic(), *(int(lines[one].split()[0]) for one in RSS)))

    def end(self):
        self.ending.set()
        self.join()

    def grown(self, warm_s):
        """(program, kB of its own after it was warm, kB at most later, kB of buffers at the end)"""
        for (name, _), weights in self.memory.items():
            later = [own for when, own, _ in weights if when >= weights[0][0] + warm_s]
            right(later, f"{name} has lived less than {warm_s:.0f} s")
            yield name, later[0], max(later), weights[-1][2]

    def since(self, start, end):
        """(drops, marks, LLC-DISCARDED) in that time."""
        first, *_, last = [one for one in self.samples if start - 2 <= one.when <= end]
        return [after - before for before, after in zip(first[1:], last[1:])]


def back(wire, since):
    """Seconds until the first answer to a ping that was sent after that."""
    answers = [wire.seen["back"].get(one) for one, (_, when) in wire.sent.copy().items() if when >= since]
    return min((when for when in answers if when), default=float("inf")) - since


# --- The course -----------------------------------------------------------------------------------


class Lab(Chain):
    """Its configuration is a copy that may change."""

    def __init__(self, *options, **words):
        super().__init__(*options, **words)
        folder, config = new_folder(), self.config
        for path in config, config.parent / "recommended.lua":
            (folder / path.name).write_text(path.read_text())
        self.config = folder / config.name


class Course:
    def __init__(self, chain, args):
        self.chain, self.args, self.whole_s = chain, args, 60 * args.minutes
        self.server, self.watch = Files(chain), Watch(chain)
        self.transfers, self.phases, self.restarts, self.pcu_errors, self.books = [], [], {}, [], []
        self.begin = time.monotonic()
        self.wire, self.first_ms = None, 0

    def end_wire(self):
        self.wire.ended = True
        self.wire.join()

    def new_wire(self):
        self.wire = Wire(self.chain, (self.first_ms + OWN, self.first_ms + NEIGHBOUR))
        self.wire.start()

    def until(self, share):
        """Sleeps until that share of the time has gone, and says how it goes."""
        end = self.begin + share * self.whole_s
        while time.monotonic() < end:
            time.sleep(max(0, min(SAID_EACH_S, end - time.monotonic())))
            say(f"{time.monotonic() - self.begin:4.0f} s: {len(self.transfers)} transfers, "
                f"{self.wire.carried} octets of IP came to MSs, {len(self.wire.sent)} pings, "
                f"{len(self.wire.seen['back'])} answers")

    def phase(self, name, share):
        """What goes on until then has that name in the table."""
        carried, start = self.wire.carried, time.monotonic()
        self.until(share)
        end = time.monotonic()
        self.phases.append(Phase(name, self.wire, self.first_ms, start, end, self.wire.carried - carried))

    def restarted(self, name, since):
        """When pings are answered again; judged at the end."""
        self.restarts[name] = self.wire, since
        say(f"{name}")

    def end_bts(self):
        """The PCU first, for it calls the end of its BTS an error."""
        self.pcu_errors += log_errors(self.chain.pcus[0])
        self.chain.pcus[0].kill()
        report = self.chain.bts.finish()
        try:
            check_books(report)
            self.books.append(None)
        except Failure as why:
            self.books.append(str(why))
        return report

    def reload(self):
        """Each time all MSs get the other N201-U."""
        text = self.chain.config.read_text()
        there, other = N201_U if N201_U[0] in text else N201_U[::-1]
        right(text.count(there) == 1, f"{there} in {CONFIGS[0]}")
        self.chain.config.write_text(text.replace(there, other))
        said = client(self.chain, "ctl", "reload").strip()
        right(said == f"{2 * MSS} MSs changed", f"a reload answers {said}")

    def without_losses(self):
        self.new_wire()
        self.phase("idle", MIXED)
        traffic = Traffic(self.chain, self.server, self.first_ms, self.transfers)
        for _ in range(RELOADS_FIRST):
            self.reload()
        self.phase("mixed", FLOODED_AT)
        seconds = (KILLED_AT - FLOODED_AT) * self.whole_s
        threading.Thread(target=flood, args=(self.chain, self.first_ms + FLOODED, seconds), daemon=True).start()
        self.phase("and a flood", KILLED_AT)
        self.pcu_errors += log_errors(self.chain.pcus[0])
        self.chain.pcus[0].kill()
        time.sleep(AWAY_S)
        since = time.monotonic()
        self.chain.start_pcu()
        self.restarted("osmo-pcu killed and started", since)
        self.phase("osmo-pcu is back", RELOAD_AT)
        since = time.monotonic()
        self.reload()
        self.restarted("a reload", since)
        self.phase("reloaded", LOSSES_AT)
        traffic.end()
        self.end_wire()

    def with_losses(self):
        """The next BTS has other MSs, for it begins at N(U) 0."""
        self.first_ms = MSS
        self.chain.options += "--loss-down", self.args.loss, "--loss-up", self.args.loss
        self.chain.start_bts()
        self.new_wire()
        since = time.monotonic()
        self.chain.start_pcu()
        self.restarted("another BTS, and osmo-pcu", since)
        traffic = Traffic(self.chain, self.server, self.first_ms, self.transfers)
        self.phase(f"{self.args.loss} of blocks lost", 1)
        traffic.end()
        self.end_wire()

    def run(self):
        chain = self.chain
        capture = chain.folder / "gb.pcap"
        dump = chain.start("dump", "dumpcap", "-q", "-i", "gb", "-w", capture)
        self.without_losses()
        self.end_bts()
        self.with_losses()
        self.watch.end()
        report = self.end_bts()
        dump.process.send_signal(signal.SIGINT)
        dump.process.wait(10)
        self.capture, self.lost = read_capture(capture), report["down_data_lost"]
        self.summary = chain.sgsn.finish()
        self.held = json.loads((chain.sgsn.out / "run.json").read_text())["buffers_held_at_exit"]
        return self


# --- The verdict ----------------------------------------------------------------------------------


def facts(course):
    """(what, whether it holds, the figure)"""
    faults = [one.fault for one in course.transfers if one.fault]
    kinds = collections.Counter(one.kind for one in course.transfers)
    yield ("octets of each transfer equal", not faults and len(kinds) == 3,
           "; ".join(faults[:3]) or ", ".join(f"{n} {kind}" for kind, n in kinds.items()))
    asked, acked = course.capture["flow_control"], course.capture["acknowledged"]
    yield "each FLOW-CONTROL-BVC acknowledged", 0 < asked == acked, f"{acked} of {asked}"
    malformed = course.capture["malformed"]
    yield "no malformed frame for tshark", not malformed, "; ".join(malformed[:3]) or "none"
    yield "osmo-pcu logs no error", not course.pcu_errors, "; ".join(course.pcu_errors[:3]) or "none"
    for name, warm_kb, most_kb, buffers_kb in course.watch.grown(WARM * course.whole_s):
        yield (f"memory of {name} flat", most_kb <= warm_kb + GROWN_KB,
               f"{warm_kb} kB, later {most_kb} at most; buffers {buffers_kb} kB")
    yield "sluice gives every buffer back", course.held == 0, f"{course.held} held"
    try:
        check_sound(course.summary)
        yield "sluice accounts for every packet", True, "balanced"
    except Failure as why:
        yield "sluice accounts for every packet", False, str(why)
    yield "both BTSs' books, and blocks were lost", course.books == [None, None] and course.lost > 0, \
        "; ".join(filter(None, course.books)) or f"{course.lost} data blocks lost"
    for name, (wire, since) in course.restarts.items():
        yield f"pings answered in {WITHIN_S} s: {name}", back(wire, since) <= WITHIN_S, f"{back(wire, since):.2f} s"
    watch = course.watch
    yield "sluice stats each second", not watch.errors and len(watch.samples) >= 0.8 * course.whole_s, \
        "; ".join(watch.errors[:3]) or f"{len(watch.samples)} times"


def rows(course):
    """The table: a row for each phase."""
    for name, wire, first_ms, start, end, carried in course.phases:
        own, neighbour = (wire.of((first_ms + ms,), start, end - 2) for ms in (OWN, NEIGHBOUR))
        drops, marks, discarded = course.watch.since(start, end)
        yield {"phase": name, "own_p50_s": own["round_trip_p50_s"], "own_p95_s": own["round_trip_p95_s"],
               "own_sluice_p95_s": own["in_sluice_p95_s"], "own_pcu_p95_s": own["in_pcu_p95_s"],
               "own_up_p95_s": own["uplink_p95_s"],
               "other_p50_s": neighbour["round_trip_p50_s"], "other_p95_s": neighbour["round_trip_p95_s"],
               "unanswered": own["unanswered"] + neighbour["unanswered"], "drops": drops, "marks": marks,
               "discarded": discarded, "bit_per_s": carried * 8 / (end - start)}


def show(table, verdict):
    columns = list(table[0])
    print(" ".join(f"{one:>15}" for one in columns))
    for row in table:
        print(" ".join(f"{row[one]:15.2f}" if isinstance(row[one], float) else f"{row[one]:>15}" for one in columns))
    print()
    for one in verdict:
        print(f"{'yes' if one['holds'] else 'NO ':3}  {one['what']}: {one['figure']}")


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--loss", default="5%", help="of blocks, each way, from 60 %% of the time on (5%%)")
    parser.add_argument("--json", help="a file for all figures")
    return parser.parse_args()


def main():
    args = read_arguments()
    for number in signal.SIGINT, signal.SIGHUP:
        signal.signal(number, network.end)
    try:
        network.needs("dumpcap", "tshark")
        with Lab("--pdchs", PDCHS, mss=2 * MSS, prefix="sluice-soak") as chain:
            chain.wait_for_ping(NEIGHBOUR)
            course = Course(chain, args).run()
        table = list(rows(course))
    except (Failure, Skip) as why:
        sys.exit(f"lab.py: {why}")
    verdict = [{"what": what, "holds": holds, "figure": figure} for what, holds, figure in facts(course)]
    show(table, verdict)
    if args.json:
        memory = list(course.watch.memory.values())  # (seconds, kB of its own, kB of buffers) of each program
        pathlib.Path(args.json).write_text(json.dumps({"phases": table, "verdict": verdict, "memory": memory}))
    failed = sum(not one["holds"] for one in verdict)
    print(f"{len(verdict) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
