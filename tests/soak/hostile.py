#!/usr/bin/python3
"""An honest BSS and GGSN beside hostile neighbours in real time: the program as it ships, over net_tap in
a network namespace, and each attack of tests/hostile in turn, at 20 000 frames a second.

    hostile.py [MINUTES] [--rate FRAMES] [--seed N] [--only WORD]     ten minutes of all attacks

All that the honest one asks or sends has to come within 100 ms, but for one in a thousand, and none of its MSs
may be taken from it. What the kernel dropped at the taps is counted apart; what is lost must not be more than that.
"""

import argparse
import json
import os
import pathlib
import random
import sys
import time
from collections import Counter, defaultdict, deque

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "hostile"))

from arena import H4, HOSTILE, Bss, config  # noqa: E402
from attacks import ATTACKS, MANY_CELLS  # noqa: E402
from harness import ROOT, Skip, new_folder, sluice, unbalanced  # noqa: E402
from honest import Honest  # noqa: E402
from live import Flood, Live  # noqa: E402
from world import MS, S  # noqa: E402

TICK_NS = 20 * MS
LATE_NS, MOST_LATE = 100 * MS, 0.001
GONE_NS = 2 * S  # what has not come by then does not come; tags are used again after 4 s
REAL = config(nse='dynamic = true, cells = "any",', cells=MANY_CELLS).replace(
    'clock = "virtual", duration = "1 s"', 'clock = "real"')


class RealHonest(Honest):
    """It knows when it asked, and how long each answer took."""

    def __init__(self, live, dice):
        self.pending = defaultdict(deque)
        self.took, self.lost, self.unasked = [], Counter(), Counter()
        super().__init__(live, dice)

    def note(self, *key):
        self.pending[key].append(time.time_ns() - self.arena.start_ns)

    def waits_for(self, *key):
        return bool(self.pending.get(key))

    def look(self):
        for key, time_ns in self.heard():
            if self.pending.get(key):
                self.took.append(time_ns - self.pending[key].popleft())
            else:
                self.unasked[key[0]] += 1

    def give_up(self, until_ns):
        for key, asked in list(self.pending.items()):
            while asked and asked[0] < until_ns:
                asked.popleft()
                self.lost[key[0]] += 1
            if not asked:
                del self.pending[key]

    def run(self, seconds):
        live = self.arena
        end_ns = live.now_ns + int(seconds * S)
        next_ns = live.now_ns
        while live.now_ns < end_ns:
            self.tick()
            next_ns = max(next_ns + TICK_NS, live.now_ns)
            live.run_until(next_ns)
            self.look()
            self.give_up(live.now_ns - GONE_NS)


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))] / MS if values else float("nan")


def row(name, took, rate, lost, kernel, late_s):
    figures = " ".join(f"{percentile(took, share):9.3f}" for share in (0.5, 0.99, 0.999, 1))
    print(f"{name[:58]:<58} {rate:7.0f} {len(took):7} {figures} {sum(lost.values()):6} "
          f"{sum(kernel.values()):8} {late_s * 1000:8.1f}", flush=True)


def last_resets(attack):
    """What takes the hostile NSE down comes last: behind it little else of its BSS is heard."""
    return any(word in attack.name for word in ("reset", "RESET", "malformed", "BSS says", "at once"))


def beside(honest, attack, dice, seconds, rate):
    live = honest.arena
    side, frames = attack.frames(live, dice)
    kernel, before, lost = live.lost(), len(honest.took), Counter(honest.lost)
    flood = Flood(live, side, frames, rate)
    honest.run(seconds)
    sent, refused, took_s, late_s = flood.finish()
    row(attack.name, honest.took[before:], sent / took_s, honest.lost - lost, live.lost() - kernel,
        late_s)
    return sent, refused, took_s, late_s


def run(args):
    dice = random.Random(args.seed)
    attacks = sorted((one for one in ATTACKS if args.only in one.name and "workers" not in one.config),
                     key=last_resets)
    seconds = 60 * args.minutes / len(attacks)
    with Live(REAL) as live:
        hostile = Bss(live, HOSTILE, [(102, H4)], {2: 80000, 3: 80000})
        hostile.up()
        honest = RealHonest(live, dice)
        live.only_honest()
        hostile.auto = {"ns_alive"}
        print(f"{'beside, ms from request to answer':<58}  sent/s answers      p50       p99     p99.9"
              "       max   lost   kernel  machine")
        floods = [beside(honest, one, dice, seconds, args.rate) for one in attacks]
        live.run(GONE_NS)
        honest.look()
        honest.give_up(live.now_ns)
        kernel = live.lost()
        shown = sluice("stats", "--json")
        if shown.returncode:
            raise SystemExit(f"hostile: sluice stats: {shown.stderr}")
        stolen = json.loads(shown.stdout)["stats"]["control"]["claims_moved"]
        summary = live.program.finish()
    return judge(args, honest, floods, kernel, summary, stolen)


def judge(args, honest, floods, kernel, summary, stolen):
    *sums, latest = zip(*floods)
    sent, refused, took_s = map(sum, sums)
    row("all", honest.took, sent / took_s, honest.lost, kernel, max(latest))
    print(f"dropped by the kernel: {dict(+kernel)}, of the floods not taken: {refused:.0f}")
    print(f"lost of the honest one's: {dict(honest.lost)}")
    print(f"events that control handled: {summary['events']}")
    offered = (sent + refused) / took_s
    late = sum(took > LATE_NS for took in honest.took) / max(1, len(honest.took))
    cases = {
        f"{offered:.0f} frames a second were offered, of {args.rate}": offered > 0.98 * args.rate,
        f"p99.9 of {len(honest.took)} answers is {percentile(honest.took, 0.999):.1f} ms, at most 100":
            bool(honest.took) and late <= MOST_LATE,
        f"{sum(honest.lost.values())} are lost, the kernel dropped {sum(kernel.values())}":
            sum(honest.lost.values()) <= sum(kernel.values()),
        f"{stolen} MSs were taken from the honest one": stolen == 0,
        f"{sum(honest.unasked.values())} came that nobody asked for": not honest.unasked,
        f"each packet is accounted for {unbalanced(summary)}": not unbalanced(summary),
    }
    for what, good in cases.items():
        print(f"{'passed' if good else 'FAILED'}  {what}")
    failed = sum(not good for good in cases.values())
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("minutes", nargs="?", type=float, default=10)
    parser.add_argument("--rate", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--only", default="", help="attacks whose name has the word")
    args = parser.parse_args()
    os.environ.setdefault("SLUICE", str(ROOT / "build/release/sluice"))
    os.environ["RUNTIME_DIRECTORY"] = str(new_folder())  # `sluice stats` sees this run alone
    print(f"{args.minutes:g} minutes, seed {args.seed}", flush=True)
    try:
        return run(args)
    except Skip as why:
        print(f"it cannot be tried here: {why}\n0 passed, 1 failed")
        return 1


if __name__ == "__main__":
    sys.exit(main())
