#!/usr/bin/python3
"""How long traffic stays away when a part of the chain of config/osmopcu.md has been away: sluice, osmo-pcu
1.1.0 and a BTS whose radio is simulated, in real time, while packets flow from the GGSN.

    restarts.py [CASE...] [--runs N] [--away SECONDS] [--jobs N] [--show]

Seconds from the peer's return (its process starts, or goes on) to the first LLC PDU of user data on Gb, and
to the first N-PDU at an MS: 2 s at most. Needs root and Debian's osmo-pcu, iproute2 and ethtool.
"""

import argparse
import atexit
import json
import multiprocessing
import os
import pathlib
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import time
import traceback

TESTS = pathlib.Path(__file__).resolve().parent.parent
ROOT = TESTS.parent
sys.path[:0] = [str(TESTS / "interop"), str(TESTS / "e2e")]
os.environ.setdefault("SLUICE", str(ROOT / "build/release/sluice"))

import network  # noqa: E402
from harness import Failure, Skip, program, right  # noqa: E402
from pcu_chain import Far, gb_frames, packet  # noqa: E402

PDCHS, OCTETS, RATE = 4, 300, 3000  # of the radio's 6000 octets/s
UP_S, BACK_S = 5, 60  # of traffic before a part goes, at least; the longest time until it is back
TNS_TEST_S = 30  # the runs of a case begin at different places of it
WITHIN_S = 2
NEEDS = {"osmo-pcu": "osmo-pcu", "ip": "iproute2", "ethtool": "ethtool"}
NS = {2: "NS-RESET", 3: "NS-RESET-ACK", 4: "NS-BLOCK", 5: "NS-BLOCK-ACK", 6: "NS-UNBLOCK",
      7: "NS-UNBLOCK-ACK", 8: "NS-STATUS", 10: "NS-ALIVE", 11: "NS-ALIVE-ACK"}
BSSGP = {0x00: "DL-UNITDATA", 0x01: "UL-UNITDATA", 0x20: "BVC-BLOCK", 0x21: "BVC-BLOCK-ACK",
         0x22: "BVC-RESET", 0x23: "BVC-RESET-ACK", 0x24: "BVC-UNBLOCK", 0x25: "BVC-UNBLOCK-ACK",
         0x26: "FLOW-CONTROL-BVC", 0x27: "FLOW-CONTROL-BVC-ACK", 0x2C: "LLC-DISCARDED", 0x41: "STATUS"}


class Wire:
    """What passes Gb: (when, from the PCU, what)."""

    def __init__(self, namespace):
        self.socket = gb_frames(namespace)
        self.seen = []

    def read(self):
        try:
            frame = self.socket.recv(2048)
        except OSError:  # the device is down
            return
        if frame[12:14] == b"\x08\x06":
            what = "ARP"
        elif frame[12:14] != b"\x08\x00":
            return
        elif frame[23] == 1:
            what = f"ICMP {frame[34]}/{frame[35]}"
        elif frame[23] != 17:
            return
        elif frame[42]:
            what = NS.get(frame[42], str(frame[42]))
        else:
            what = f"{BSSGP.get(frame[46], hex(frame[46]))} on {int.from_bytes(frame[44:46])}"
        self.seen.append((time.monotonic(), frame[26:30] == socket.inet_aton(network.BSS4), what))

    def first(self, since, what):
        """Seconds from then to the first of that; NaN if there is none."""
        return next((at - since for at, _, one in self.seen if at >= since and one.startswith(what)),
                    float("nan"))


class Chain(Far):
    def __init__(self):
        super().__init__()
        self.ours, theirs, self.gn, self.gb = network.veth()
        self.configure(theirs)
        self.wire = Wire(theirs)
        self.came = []  # when each N-PDU was at its MS
        self.program = None
        self.number, self.due, self.contexts, self.begin_at = 0, 0, [], float("inf")

    # ---- Parts that come and go ----

    def start_sluice(self):
        out = self.folder / "out"
        shutil.rmtree(out, True)
        self.contexts = []
        self.program = subprocess.Popen(
            [*network.within(self.ours), program(), "run", ROOT / "config/osmopcu.lua", "--out", out,
             "--set", f"gn.device={self.gn}", "--set", f"gb.device={self.gb}"], cwd=self.folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=(self.folder / "sluice.log").open("ab"))
        atexit.register(self.program.kill)

    def start_pcu(self, codel="off"):
        super().start_pcu(codel)
        self.radio.unanswered = 0
        self.radio.due, self.begin_at = float("inf"), time.monotonic() + 0.5

    def stop_pcu(self):
        self.pcu.kill()
        self.pcu.wait()
        self.radio.socket.close()
        self.radio.due, self.radio.tbf_of, self.radio.tbf_at, self.radio.replies = float("inf"), {}, {}, {}
        self.begin_at = float("inf")

    def stop_bts(self):
        """osmo-pcu ends with it."""
        self.radio.socket.close()
        self.radio.listener.close()
        self.radio.due = self.begin_at = float("inf")
        self.pcu.wait(10)
        self.radio = None

    def end(self):
        for one in self.pcu, self.program:
            if one:
                one.kill()
                one.wait()

    # ---- Time ----

    def arrived(self, _, parts):
        llc = b"".join(octets for _, octets in parts)
        if llc[0] & 15 == 3 and len(llc) > OCTETS:
            self.came.append(time.monotonic())

    def send_next(self):
        if not self.contexts:
            path = self.folder / "out/contexts.json"
            try:
                self.contexts = json.loads(path.read_text())
            except (OSError, ValueError):
                return
        context = self.contexts[self.number % len(self.contexts)]
        self.send(context["teid"], packet(self.number, context["address"], OCTETS))
        self.number += 1

    def radio_is_on(self):
        return self.radio and self.radio.due < float("inf")

    def run(self, seconds, until=lambda: False):
        end = time.monotonic() + seconds
        while time.monotonic() < end and not until():
            now = time.monotonic()
            if now >= self.begin_at:
                self.radio.begin()
                self.begin_at = float("inf")
            if now >= self.due:
                self.due = max(self.due + OCTETS / RATE, now - 1)
                self.send_next()
            wait, ends = min(self.due - now, 0.02), [self.wire]
            if self.radio and self.pcu and self.pcu.poll() is None and self.radio.socket.fileno() >= 0:
                ends.append(self.radio)
                wait = min(wait, self.radio.tick_if_due() if self.radio_is_on() else wait)
            self.read(wait, *ends)

    def back(self, since):
        self.run(BACK_S, lambda: self.came and self.came[-1] >= since
                 and self.wire.first(since, "DL-UNITDATA") >= 0)
        air = next((at - since for at in self.came if at >= since), float("nan"))
        return self.wire.first(since, "DL-UNITDATA"), air

    def up(self, up_s):
        self.start_sluice()
        self.start_radio(PDCHS)
        self.start_pcu()
        self.run(BACK_S, lambda: self.came)
        right(self.came, "no traffic at the start\n" + (self.folder / "sluice.log").read_text())
        self.run(up_s)

    def said(self, since):
        lines = [f"{at - since:8.3f} {'<' if up else '>'} {what}" for at, up, what in self.wire.seen
                 if at >= since - 1 and "UNITDATA" not in what]
        return "\n".join(lines) + "\n" + (self.folder / "sluice.log").read_text()


# ---- Cases: each gives the time of the return ----


def pcu_killed(chain, away):
    chain.stop_pcu()
    chain.run(away)
    since = time.monotonic()
    chain.start_pcu()
    return since


def pcu_stopped(chain, away):
    chain.pcu.send_signal(signal.SIGSTOP)
    due = chain.radio.due
    chain.radio.due = float("inf")
    chain.run(away)
    chain.radio.due = max(due, time.monotonic())
    since = time.monotonic()
    chain.pcu.send_signal(signal.SIGCONT)
    return since


def sluice_killed(chain, away):
    chain.program.kill()
    chain.program.wait()
    chain.run(away)
    since = time.monotonic()
    chain.start_sluice()
    return since


def bts_killed(chain, away):
    chain.stop_bts()
    chain.run(away)
    since = time.monotonic()
    chain.start_radio(PDCHS)
    chain.start_pcu()
    return since


def line_cut(chain, away):
    """The PCU's device is down, and up again."""
    network.must("ip", "-n", chain.namespace, "link", "set", "gb", "down")
    chain.run(away)
    since = time.monotonic()
    network.must("ip", "-n", chain.namespace, "link", "set", "gb", "up")
    return since


CASES = {"pcu-killed": pcu_killed, "pcu-stopped": pcu_stopped, "sluice-killed": sluice_killed,
         "bts-killed": bts_killed, "line-cut": line_cut}


def measured(what):
    """In a process of its own, which has the namespaces, the programs and the folders."""
    name, away, up_s = what
    chain = None
    try:
        chain = Chain()
        chain.up(up_s)
        since = CASES[name](chain, away)
        gb, air = chain.back(since)
        return name, away, gb, air, chain.said(since)
    except (Failure, Skip) as why:
        return name, away, None, None, str(why)
    except Exception:
        return name, away, None, None, traceback.format_exc()
    finally:
        if chain:
            chain.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("cases", nargs="*", help=", ".join(CASES))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--away", type=float, nargs="*", default=[5, 20], help="seconds")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="what passed on Gb, and the log")
    args = parser.parse_args()
    missing = [package for name, package in NEEDS.items() if not shutil.which(name)]
    if missing or os.geteuid() != 0:
        sys.exit(f"restarts.py needs root and these packages: apt-get install {' '.join(NEEDS.values())}")
    work = [(name, away, UP_S + run * TNS_TEST_S / args.runs)
            for name in args.cases or CASES for away in args.away for run in range(args.runs)]
    found, failed = {}, 0
    with multiprocessing.get_context("spawn").Pool(args.jobs, maxtasksperchild=1) as pool:
        for name, away, gb, air, said in pool.imap(measured, work, chunksize=1):
            if gb is None:
                failed += 1
                print(f"FAILED  {name}: {said}", flush=True)
                continue
            print(f"{name:>14}  away {away:4.0f} s   Gb {gb:6.2f} s   MS {air:6.2f} s", flush=True)
            if args.show:
                print(said, flush=True)
            found.setdefault((name, away), []).append((gb, air))
            failed += not air <= WITHIN_S
        pool.close()
        pool.join()
    for (name, away), times in found.items():
        gbs, airs = zip(*times)
        print(f"{name:>14} {away:4.0f} s: Gb {min(gbs):.2f} {statistics.median(gbs):.2f} {max(gbs):.2f}, "
              f"MS {min(airs):.2f} {statistics.median(airs):.2f} {max(airs):.2f}")
    print(f"{len(work) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
