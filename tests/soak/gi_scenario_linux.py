#!/usr/bin/python3
"""sluice gi --scenario of real TCP: Linux as a server and as MSs over osmo-pcu (tests/interop/bts_chain.py), captured
at Gn. Its scenario runs with the lab's TCP, and both say what the users got: with a plain queue, which was captured,
and with the recommended one, which the scenario has not seen.

    gi_scenario_linux.py [A..B] [--seconds N] [--pdchs N] [--cell RATE]     seeds 1 to 5 of 200 s, on four time slots

Two MSs download files of 100 kB, four browse: a page is an object of 5 kB and, behind it, one of 3 kB on each of two
connections. Judged: goodput, mean time of a file or page and mean round trip with the captured queue, within 10 % over
the seeds (step 2). Told: what the recommended queue moves, in reality, in the scenario, and in the scenario when it
is told that all share a cell of RATE. Each seed takes seven minutes. Real time, root and osmo-pcu."""

import argparse
import contextlib
import csv
import os
import pathlib
import random
import signal
import socket
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/interop"), str(ROOT / "tests/e2e")]
os.environ.setdefault("SLUICE", str(ROOT / "build/release/sluice"))

import gi_scenario_worlds as worlds  # noqa: E402
import network  # noqa: E402
from bts_chain import PORT, SERVER, Chain, address_of  # noqa: E402
from harness import Failure, Skip, new_folder, right, run, sluice  # noqa: E402

ROLES = {"download": (0, 1), "browse": (2, 3, 4, 5)}
FILE, MAIN, SMALL, REQUEST = 100000, 5000, 3000, 300
NEAR = 0.10
MEASURES = ("goodput", "page", "rtt")


# --- Real users ---------------------------------------------------------------------------------


class Server(threading.Thread):
    """Answers each request of REQUEST octets with as many as it begins with."""

    def __init__(self, chain):
        super().__init__(daemon=True)
        with network.inside(chain.gi):
            self.listener = socket.create_server((SERVER, PORT), backlog=64)

    def run(self):
        while True:
            end, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(end,), daemon=True).start()

    @staticmethod
    def serve(end):
        with end, contextlib.suppress(OSError):
            while True:
                request = b""
                while len(request) < REQUEST:
                    part = end.recv(REQUEST - len(request))
                    if not part:
                        return
                    request += part
                end.sendall(bytes(int(request[:10])))


class User(threading.Thread):
    """What it got: octets, and the seconds of each file or page."""

    def __init__(self, chain, number, role, seed, end_s):
        super().__init__(daemon=True)
        self.chain, self.number, self.act = chain, number, getattr(self, role)
        self.random, self.end_s, self.octets, self.pages = random.Random(seed * 100 + number), end_s, 0, []

    def connect(self):
        with network.inside(self.chain.ms):
            end = socket.socket()
        end.bind((address_of(self.number), 0))
        end.settimeout(120)
        end.connect((SERVER, PORT))
        return end

    def ask(self, end, octets):
        end.sendall(b"%010d" % octets + bytes(REQUEST - 10))

    def take(self, end, octets):
        left = octets
        while left:
            part = len(end.recv(min(left, 65536)))
            right(part, "the server is gone")
            left -= part
            if time.monotonic() < self.end_s:
                self.octets += part

    def download(self):
        with self.connect() as end:
            self.ask(end, FILE)
            self.take(end, FILE)

    def browse(self):
        with self.connect() as first:
            self.ask(first, MAIN)
            self.take(first, MAIN)
            with self.connect() as second:
                self.ask(first, SMALL)
                self.ask(second, SMALL)
                self.take(first, SMALL)
                self.take(second, SMALL)

    def run(self):
        time.sleep(self.random.uniform(0, 10))
        while time.monotonic() < self.end_s:
            begin = time.monotonic()
            try:
                self.act()
            except OSError:
                continue
            if time.monotonic() < self.end_s:
                self.pages.append(time.monotonic() - begin)
            time.sleep(5 if self.act == self.download else 2 + self.random.expovariate(1 / 8))


def real(args, variant, seed):
    """(capture, figures by role) of a chain with that variant."""
    capture = new_folder() / "gn.pcap"
    with Chain("--pdchs", args.pdchs, mss=6, variant=variant, prefix="sluice-scenario") as chain:
        chain.wait_for_ping(0)
        dump = chain.start("dump", "dumpcap", "-q", "-P", "-i", "gn", "-w", capture)
        chain.until(lambda: capture.exists() and capture.stat().st_size, "the capture has begun")
        Server(chain).start()
        end_s = time.monotonic() + args.seconds
        users = {number: User(chain, number, role, seed, end_s) for role, all_of in ROLES.items() for number in all_of}
        for user in users.values():
            user.start()
        time.sleep(args.seconds)
        dump.process.send_signal(signal.SIGINT)
        dump.process.wait(10)
    figures = {}
    for role, all_of in ROLES.items():
        pages = [page for number in all_of for page in users[number].pages]
        right(pages, f"{role}: no page was there in time")
        figures[role] = {"goodput": sum(8 * users[number].octets for number in all_of) / args.seconds,
                         "page": 1000 * sum(pages) / len(pages), "pages": len(pages)}
    of = {address_of(number): role for role, all_of in ROLES.items() for number in all_of}
    add_rtts(figures, capture, of)
    return capture, figures


def add_rtts(figures, capture, role_of):
    """The mean round trip from Gn to the user and back, in ms: the same measure of both captures."""
    table = new_folder() / "flows.csv"
    done = sluice("gi", capture, "--csv", table)
    right(done.returncode == 0, done.stderr)
    sums = {role: [0, 0] for role in ROLES}
    for row in csv.DictReader(table.open(encoding="ascii")):
        samples = int(row["rtt_gprs_samples"] or 0)
        if samples and row["user"] in role_of:
            sums[role_of[row["user"]]][0] += samples * float(row["rtt_gprs_mean_s"])
            sums[role_of[row["user"]]][1] += samples
    for role, (seconds, samples) in sums.items():
        figures[role]["rtt"] = 1000 * seconds / max(samples, 1)


# --- The scenario -------------------------------------------------------------------------------


def scenario(capture):
    path = new_folder() / "scenario.lua"
    done = sluice("gi", capture, "--mobiles", "10.0.0.0/8", "--scenario", path)
    right(done.returncode == 0, done.stderr)
    numbers = {address: number for number, address in enumerate(worlds.users(capture), 1)}
    return path, {numbers[address_of(number)]: role for role, all_of in ROLES.items() for number in all_of}


def replayed(path, role_of, variant, seed):
    done = run(path, "--variant", variant, "--pcap", "--no-page", "--set", f"run.seed={seed}")
    figures = {role: {"goodput": 0, "page": 0, "pages": 0} for role in ROLES}
    begin_s, end_s = int(worlds.knob(path, "begin")), int(worlds.knob(path, "duration"))
    for row in csv.DictReader((done.out / "applications.csv").open(encoding="ascii")):
        of = figures[role_of[int(row["ms"][-6:])]]
        of["goodput"] += 8 * int(row["ms_arrived_octets"]) / (end_s - begin_s)
        if int(row["pages"]):
            of["pages"] += int(row["pages"])
            of["page"] += int(row["pages"]) * float(row["page_mean_ms"])
    for of in figures.values():
        of["page"] /= max(of["pages"], 1)
    add_rtts(figures, done.out / "gn.pcap",
             {f"10.0.{user // 250}.{user % 250 + 1}": role for user, role in role_of.items()})
    return figures


def share(path, rate):
    """The scenario with all users in one cell."""
    shared = path.with_name("shared.lua")
    shared.write_text(path.read_text())
    worlds.share(shared, f'rate = "{rate}"')
    return shared


def mean(numbers):
    numbers = list(numbers)
    return sum(numbers) / len(numbers)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("seeds", nargs="?", default="1..5")
    parser.add_argument("--seconds", type=int, default=200)
    parser.add_argument("--pdchs", type=int, default=4)
    parser.add_argument("--cell", default="46 kbit/s")
    args = parser.parse_args()
    first, _, last = args.seeds.partition("..")
    runs = []
    for seed in range(int(first), int(last or first) + 1):
        capture, before = real(args, "tail-drop", seed)
        _, after = real(args, "recommended", seed)
        path, role_of = scenario(capture)
        runs.append((before, after, *(replayed(one, role_of, variant, seed)
                                      for one in (path, share(path, args.cell))
                                      for variant in ("captured", "recommended"))))
        for role in ROLES:
            for measure in (*MEASURES, "pages"):
                print(f"# seed {seed}, {role}, {measure}: " + ", ".join(f"{one[role][measure]:.0f}" for one in runs[-1]),
                      flush=True)
    verdicts = []
    print("\nwith tail drop; by how much the scenario is off, mean and most; what the recommended queue moves in reality, "
          "in the scenario, in one with a shared cell\n")
    for role in ROLES:
        for measure in MEASURES:
            rows = [[one[role][measure] for one in each] for each in runs]
            off = [row[2] / row[0] - 1 for row in rows]
            moves = [mean(row[b] / row[a] - 1 for row in rows) for a, b in ((0, 1), (2, 3), (4, 5))]
            text = f"{role}, {measure}: {mean(row[0] for row in rows):.0f}; {mean(off):+.1%}, {max(off, key=abs):+.1%}; " \
                + ", ".join(f"{move:+.1%}" for move in moves)
            verdicts.append(abs(mean(off)) <= NEAR)
            print(f"{'ok' if verdicts[-1] else 'not ok'} {len(verdicts)} - {text}")
    print(f"\n{sum(verdicts)} passed, {len(verdicts) - sum(verdicts)} failed")
    return not all(verdicts)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failure, Skip) as error:
        print(f"not ok - {error}\n\n0 passed, 1 failed")
        sys.exit(1)
