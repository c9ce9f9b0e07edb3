#!/usr/bin/python3
"""Random configurations through the whole program, one at least, until the time is over. Each run
has to end with 0, be complete, sound and balanced, and hold no buffer.

    random_runs.py [MINUTES] [SEED]      10 minutes; a seed that is printed

The program is build/asan/sluice if that is there, else build/release/sluice, or what SLUICE names.
The configuration of a run that failed is kept in out/soak.
"""

import argparse
import functools
import os
import pathlib
import random
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/e2e")]

import harness  # noqa: E402
import runner  # noqa: E402

CLASSES = ["signalling", "conversational", "streaming", "interactive-1", "interactive-2",
           "interactive-3", "background"]
PACKETS_MOST = 30000  # in one run, so that it takes seconds under the sanitizers
PROGRESS_S = 10
KEPT = ROOT / "out/soak"


def between(rng, least, most):
    """Small numbers are as likely as large ones."""
    return min(most, int(least * (most / least) ** rng.random() * 1.0001))


@functools.cache
def aqms():
    """What the program knows: the name of each, and whether it may mark."""
    keys = subprocess.run([os.environ["SLUICE"], "check", "--keys"], capture_output=True, text=True,
                          check=True).stdout
    parts = re.split(r'aqm \{ name = "([\w-]+)"', re.split(r"^queue \{", keys, flags=re.MULTILINE)[0])
    return [(name, bool(re.search(r"^ +ecn ", body, re.MULTILINE)))
            for name, body in zip(parts[1::2], parts[2::2])]


class Scenario:
    """One random configuration."""

    def __init__(self, rng):
        self.rng = rng
        self.imsi = self.inner = self.contexts = 0
        self.classes = set()
        self.duration_ms = between(rng, 20, 20000)

    def text(self):
        rng = self.rng
        nses = "".join(self.nse(n) for n in range(1, rng.randint(1, 4) + 1))
        limits = (f"queue {{ packets = {between(rng, 1, 20000)}, "
                  f'octets = "{between(rng, 1500, 5000000)} octets", '
                  f"cell_packets = {between(rng, 1, 20000)}, "
                  f"ms_packets = {between(rng, 1, 20000)}, "
                  f"flows = {rng.choice((2, 16, 64))} }}\n")
        limits += "".join(self.of_class(name) for name in CLASSES if rng.random() < 0.6)
        return (f'run {{ name = "soak", duration = "{self.duration_ms} ms", '
                f"seed = {rng.randrange(1 << 53)} }}\n"
                'gn { address = "192.0.2.1", mac = "02:00:00:00:00:01", mtu = "1600 octets" }\n'
                'gb { address = "198.51.100.1", mac = "02:00:00:00:00:02", mtu = "1600 octets"'
                f"{self.maybe('cell_delay', 1, 2000, 'ms')}{self.maybe('ms_delay', 1, 2000, 'ms')}"
                " }\n"
                f"{limits}{nses}{self.lab()}")

    def maybe(self, key, least, most, unit):
        value = f', {key} = "{between(self.rng, least, most)} {unit}"'
        return value if self.rng.random() < .5 else ""

    def bucket(self, prefix="", chance=.5):
        """A rate, with a bucket of its own or its default, or neither."""
        rng = self.rng
        if rng.random() > chance:
            return ""
        rate = f'{prefix}rate = "{between(rng, 10, 10000) * 100} bit/s", '
        size = f'{prefix}bucket = "{between(rng, 100, 100000)} octets", '
        return rate + (size if rng.random() < .7 else "")

    def of_class(self, name):
        rng = self.rng
        (aqm, may_mark), flows = rng.choice(aqms()), rng.random() < .3
        scope = rng.choice(["nse", "cell", "ms"] + ["flow"] * flows)
        ecn = f", ecn = {str(rng.random() < .5).lower()}" if may_mark else ""
        weight = f"weight = {rng.randint(1, 1000)}, " if name != "signalling" else ""
        return (f'class {{ name = "{name}", {weight}flows = {str(flows).lower()}, '
                f'scope = "{scope}", lifetime = "{between(rng, 10, 6000)}0 ms", '
                f'aqm {{ name = "{aqm}"{ecn} }} }}\n')

    def nse(self, number):
        cells = "".join(self.bvc(2 + n) for n in range(self.rng.randint(1, 5)))
        return (f'nse {{\n  nsei = {number}, ns = "manual", {self.bucket(chance=.3)}'
                f"nsvc {{ nsvci = {number}, "
                f'peer = "198.51.100.{10 + number}", peer_mac = "02:00:00:00:00:03" }},\n'
                f"{cells}}}\n")

    def bvc(self, bvci):
        mss = "".join(self.ms() for _ in range(self.rng.randint(1, 4)))
        return f"  bvc {{ bvci = {bvci}, {self.bucket()}{self.bucket('ms_')}\n{mss}  }},\n"

    def ms(self):
        rng, count, imsi = self.rng, between(self.rng, 1, 300), self.imsi
        self.imsi += count
        pdps, first = "", set()
        for nsapi in rng.sample(range(5, 16), rng.randint(1, 3)):
            traffic_class = rng.choice(CLASSES)
            own = self.bucket(chance=.3) if traffic_class not in first else ""
            first.add(traffic_class)
            self.classes.add(traffic_class)
            self.contexts += count
            inner = f"10.{self.inner >> 16}.{self.inner >> 8 & 255}.{self.inner & 255}"
            self.inner += count
            pdps += (f"      pdp {{ nsapi = {nsapi}, sapi = {rng.choice((3, 5, 9, 11))}, "
                     f'class = "{traffic_class}", address = "{inner}", {own}}},\n')
        return (f'    ms {{ imsi = "{262420000000000 + imsi}", count = {count}, '
                f"{self.bucket(chance=.3)}"
                f'n201_u = "{rng.randint(140, 1520)} octets",\n{pdps}    }},\n')

    def lab(self):
        rng, flows = self.rng, self.rng.randint(1, 5)
        gb_rate = rng.choice(["unlimited", f"{between(rng, 1000, 2 * 10**9)} bit/s"])
        traffic = "".join(self.traffic(flows) for _ in range(flows))
        return ('lab {\n  ggsn = "192.0.2.2", ggsn_mac = "02:00:00:00:00:04", '
                f'gb_rate = "{gb_rate}",\n{traffic}}}\n')

    def traffic(self, flows):
        rng = self.rng
        sizes = [rng.randint(36, 1500) for _ in range(rng.randint(1, 8))]
        start_ms = rng.randrange(self.duration_ms)
        # so that all flows to all contexts stay below PACKETS_MOST
        most = PACKETS_MOST * min(sizes) * 8000 // (flows * self.contexts * self.duration_ms)
        return (f'  traffic {{ class = "{rng.choice(sorted(self.classes))}", '
                f'rate = "{between(rng, max(100, most // 20), max(101, most))} bit/s", '
                f'pattern = "{rng.choice(("constant", "poisson"))}", '
                f'start = "{start_ms} ms", stop = "{start_ms + between(rng, 1, 30000)} ms",\n    '
                f'size = {{ {", ".join(f"{chr(34)}{size} octets{chr(34)}" for size in sizes)} }} '
                "},\n")


def fault_of(path):
    """None, or what is wrong with a run of this configuration; and how many packets went in."""
    try:
        done = harness.run(path)
        harness.check_sound(done.summary)
        harness.same(done.info["buffers_held_at_exit"], 0, "buffers_held_at_exit")
    except (harness.Failure, subprocess.TimeoutExpired, OSError, ValueError, KeyError) as why:
        return f"{type(why).__name__}: {why}", 0
    return None, done.summary["conservation"]["in"]


def choose_program():
    if "SLUICE" not in os.environ:
        found = [path for path in (ROOT / "build/asan/sluice", ROOT / "build/release/sluice")
                 if path.exists()]
        if not found:
            sys.exit("there is no build/asan/sluice and no build/release/sluice: ./run test")
        os.environ["SLUICE"] = str(found[0])
    for name, value in runner.SANITIZERS.items():
        os.environ.setdefault(name, value)
    return os.environ["SLUICE"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("minutes", nargs="?", type=float, default=10)
    parser.add_argument("seed", nargs="?", type=int,
                        default=random.SystemRandom().randrange(1 << 32))
    args = parser.parse_args()
    print(f"{choose_program()}, {args.minutes:g} minutes, seed {args.seed}", flush=True)

    end_s = time.monotonic() + 60 * args.minutes
    said_s, number, failed, packets = time.monotonic(), 0, 0, 0
    path = harness.new_folder() / "soak.lua"
    while number == 0 or time.monotonic() < end_s:
        number += 1
        path.write_text(Scenario(random.Random(f"{args.seed}/{number}")).text())
        fault, entered = fault_of(path)
        packets += entered
        if fault:
            failed += 1
            KEPT.mkdir(parents=True, exist_ok=True)
            kept = KEPT / f"random_runs-{args.seed}-{number}.lua"
            kept.write_bytes(path.read_bytes())
            print(f"FAILED  run {number}, kept as {kept}\n{fault}", flush=True)
        if time.monotonic() - said_s >= PROGRESS_S:
            said_s = time.monotonic()
            print(f"{number} runs, {packets} packets, {failed} failed, "
                  f"{max(0, end_s - said_s):.0f} s to go", flush=True)
    print(f"{packets} packets")
    print(f"{number - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
