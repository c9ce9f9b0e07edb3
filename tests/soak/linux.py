#!/usr/bin/python3
"""A published experiment through real Linux TCP: config/scenarios/buffer-2004.lua beside the lab's own
TCP, and beside the paper.

    linux.py [CASE...] [--seconds N] [--seeds N] [--out DIR]    the paper's, 300 s, 3 seeds, out/soak/linux
    linux.py links [--seconds N] [--seeds N] [--out DIR]        slow links instead

A case is a variant of the file and a stack: the paper's two buffers on 1 and 3 PDCHs, and `recommended`
with a ping beside the download, with ECN, without, and without but with a class `window` of 2 s. Stacks: `reno`, which is as near to the paper's as a
kernel of today can be set, two segments to begin with; `cubic`, as a kernel of today is. All have the paper's
64 KB of receive window, SACK, timestamps; with a `window` they scale, and offer what a kernel of today does. Each case and seed has two network namespaces with a tun
device each, and `sluice run --tun` is between them in real time, all at once. Then the same files run in
virtual time with the lab's TCP, the profile `linux` with the same settings.

`links` are lines of 50 kbit/s to 1 Mbit/s with 100 ms each way before a network without a queue, and buffers of 0.6
to 3 times what is under way without one: what is sent again there, in how many epochs (times without any, of 0.7 s at
least, part them), how many ACKs a segment has, and the wait. NewReno has no HyStart.

Judged, means over the seeds: Linux against the lab's TCP, and for `reno` against the paper. A round trip is
a sample of the sender's TCP, and both sides' come out of gi.pcap by the same reader, which has to agree
with what the lab's TCP counts itself and with the kernel's count of what it sent again. Needs root,
/dev/net/tun and tshark.
"""

import argparse
import collections
import csv
import json
import os
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/e2e"), str(ROOT / "tests/soak/outside")]

import capture  # noqa: E402
import kernel  # noqa: E402
import network  # noqa: E402
from harness import Failure, Skip, right  # noqa: E402

SCENARIO = ROOT / "config/scenarios/buffer-2004.lua"
MS = "10.0.1.1"
PROFILE = """
    tcp {{
        name = "as-linux", base = "linux", mss = "1460 octets", {offers} congestion = "{profile}", hystart = {hystart},
        initial_window = {window}, ecn = false,
    }},
"""
PAPERS_OFFER = 'receive_window = "65535 octets", window_scale = "none",'  # else as the base has it
PROFILE_BEFORE = "    ftp {\n"
PING_OCTETS, PING_INTERVAL_S, PING_FROM_S = 56, 5, 60  # of the file, and of its variants with a ping
P95_FROM_S = 60  # as SAW_TOOTH_S of tests/scenario/buffer-2004.lua: without the first slow start
LATE_MOST_S = 0.05  # a timer so far behind has moved a block of the radio, by two of its periods
NOT_SEEN_MOST = 3  # segments that the kernel sends while the run ends

LINK = """
run {{ name = "link", clock = "virtual", duration = "60 s", seed = 1 }}
gn {{ device = "net_ring", address = "192.0.2.1", mac = "02:53:4c:00:00:01", mtu = "1600 octets" }}
gb {{ device = "net_ring", address = "198.51.100.1", mac = "02:53:4c:00:00:02", port = 23000, mtu = "1600 octets" }}
class {{ name = "background", lifetime = "unlimited", aqm {{ name = "tail-drop" }} }}
nse {{ nsei = 1, ns = "manual",
    nsvc {{ nsvci = 1, peer = "198.51.100.11", peer_port = 23000, peer_mac = "02:53:4c:00:01:01" }},
    bvc {{ bvci = 2, ms {{ imsi = "001010000000001", tlli = 0xC0000001, n201_u = "1520 octets",
        pdp {{ nsapi = 5, sapi = 3, class = "background", address = "{ms}" }} }} }} }}
lab {{ ggsn = "192.0.2.2", ggsn_mac = "02:53:4c:00:02:01",
    gi {{ rate = "{bit_per_s} bit/s", latency = "100 ms", queue_octets = "{octets} octets" }},
    tcp {{ name = "as-linux", base = "linux", congestion = "{profile}", ecn = false }},
    ftp {{ class = "background", host_tcp = "as-linux", ms_tcp = "as-linux" }} }}
"""
LINKS = {f"{name}-{buffer}": (bit_per_s, round(bit_per_s * 0.2 / 8 * buffer)) for name, bit_per_s, buffers in (
    ("1M", 1000000, (0.6, 1, 2, 3)), ("100k", 100000, (1, 2, 3)), ("50k", 50000, (2, 3))) for buffer in buffers}
EPOCH_S = 0.7
RECEIVE_BUFFER = 6 << 20  # of which Linux offers half, as the profile

# Chosen before the first run; those of links behind it: a window of some segments has more than one epoch in which it
# may settle, and which one is a matter of a ms. The paper's values have one digit or two.
LINUX_WITHIN = {"kbit/s": 0.05, "longest RTT s": 0.10, "p95 RTT s": 0.10, "ping p95 s": 0.10}
LINK_WITHIN = {"kbit/s": 0.10, "p95 RTT s": 0.10, "ACKs a segment": 0.10, "epochs": 0.35}
AGAIN_WITHIN = 0.02  # "again": the part of the segments that were sent again; the difference, not a ratio
PUBLISHED_WITHIN = 0.10
FIGURES = (*LINUX_WITHIN, "ACKs a segment", "epochs", "again")

# HyStart is a part of the kernel's CUBIC.
Stack = collections.namedtuple("Stack", "kernel profile hystart window")
STACKS = {"reno": Stack("reno", "newreno", "false", 2), "cubic": Stack("cubic", "cubic", "true", 10)}
LINKS_WINDOW = 10
PAPERS = "reno"

PUBLISHED = {  # Fig. 1 and 2
    "63s-1pdch": {"kbit/s": 10, "longest RTT s": 48},
    "63s-3pdch": {"kbit/s": 30, "longest RTT s": 17},
    "5s-1pdch": {"kbit/s": 10, "longest RTT s": 9},
    "5s-3pdch": {"kbit/s": 30, "longest RTT s": 8},
}
WINDOW, ITS_VARIANT, WINDOW_SETTING = "window", "recommended-no-ecn", "class[*].window=2 s"
WITH_PING = {"recommended": 1, "recommended-no-ecn": 0, WINDOW: 0}  # hosts' tcp_ecn; the others have none
CASES = [f"{variant}/{stack}" for variant in (*PUBLISHED, *WITH_PING) for stack in STACKS]
LINK_CASES = [f"{variant}/{stack}" for variant in LINKS for stack in STACKS]


# ---- One run ----

def scenario(variant, stack):
    """The file with one more TCP profile; where the file is, another file's name has to be absolute."""
    if variant in LINKS:
        bit_per_s, octets = LINKS[variant]
        return LINK.format(bit_per_s=bit_per_s, octets=octets, ms=MS, profile=stack.profile)
    text = SCENARIO.read_text(encoding="utf-8")
    right(text.count(PROFILE_BEFORE) == 1, f"{SCENARIO}: not one {PROFILE_BEFORE!r}")
    profile = PROFILE.format(offers="" if variant == WINDOW else PAPERS_OFFER, **stack._asdict())
    return text.replace(PROFILE_BEFORE, profile + PROFILE_BEFORE).replace('"../', f'"{ROOT}/config/')


def words(variant, file, seed, seconds, out):
    """Where no ping begins, the file's has to stand within the run."""
    if variant in LINKS:
        return [file, "--set", f"run.duration={seconds} s", "--seed", str(seed), "--out", out]
    settings = [f"run.duration={seconds} s", "ftp.host_tcp=as-linux", "ftp.ms_tcp=as-linux"]
    if variant not in WITH_PING:
        settings.append(f"ping.start={seconds * 1000 - 1} ms")
    if variant == WINDOW:
        settings.append(WINDOW_SETTING)
    return [file, "--variant", ITS_VARIANT if variant == WINDOW else variant, "--seed", str(seed), "--out", out,
            *(word for setting in settings for word in ("--set", setting))]


def table_row(out, table, **wanted):
    with open(out / f"{table}.csv", encoding="utf-8") as rows:
        return next(row for row in csv.DictReader(rows)
                    if all(row[name.strip("_")] == value for name, value in wanted.items()))


def epochs(again_s):
    return sum(time_s - before_s > EPOCH_S for before_s, time_s in zip([-EPOCH_S * 2, *again_s], again_s))


def link_figures(download, octets, seconds):
    return {"kbit/s": octets * 8 / seconds / 1e3, "p95 RTT s": download.quantile_s(0.95, 10, seconds),
            "ACKs a segment": download.acks / download.segments, "epochs": epochs(download.again_s),
            "again": download.again / download.segments}


def figures(download, octets, seconds, ping_p95_s):
    found = {"kbit/s": octets * 8 / seconds / 1e3, "longest RTT s": download.longest_s(),
             "p95 RTT s": download.quantile_s(0.95, P95_FROM_S, seconds),
             "ping p95 s": ping_p95_s, "again": download.again / download.segments}
    return {name: value for name, value in found.items() if value is not None}


class Real(kernel.Outside):
    def __init__(self, case, file, seed, seconds, out):
        self.variant, stack = case.split("/")
        self.out, self.seconds = out, seconds
        congestion, window = STACKS[stack].kernel, STACKS[stack].window
        if self.variant in LINKS:
            window = LINKS_WINDOW
        hosts, mss = kernel.namespace(), kernel.namespace()
        sysctls = {"net/ipv4/tcp_ecn": WITH_PING.get(self.variant, 0), "net/ipv4/tcp_window_scaling": int(self.variant == WINDOW or self.variant in LINKS)}
        if self.variant in LINKS:
            sysctls["net/ipv4/tcp_rmem"] = f"4096 {RECEIVE_BUFFER} {RECEIVE_BUFFER}"
        tuns = (kernel.device(hosts, [kernel.HOST], sysctls, window), kernel.device(mss, [MS], sysctls))
        self.server = kernel.Server(hosts, 1, congestion)
        self.download = kernel.Download(mss, MS, congestion)
        self.ping = None
        if self.variant in WITH_PING:
            self.ping = kernel.Ping(mss, MS, PING_OCTETS, PING_INTERVAL_S)
        super().__init__(words(self.variant, file, seed, seconds, out), tuns)

    def begin(self, now_s):
        kernel.background(self.server.serve)
        kernel.background(self.download.run)
        if self.ping:
            kernel.at(PING_FROM_S - now_s, self.ping.run)

    def figures(self):
        self.ended()
        trace = capture.Download(self.out / "gi.pcap", kernel.HOST)
        told = self.server.retransmitted_segments()
        right(0 <= told - trace.again <= NOT_SEEN_MOST,
              f"{self.out}: the kernel sent {told} segments again, the capture has {trace.again}")
        if self.variant in LINKS:
            return link_figures(trace, self.download.octets, self.seconds)
        ping_s = capture.quantile(self.ping.round_trip_s.values(), 0.95) if self.ping else None
        return figures(trace, self.download.octets, self.seconds, ping_s)


def built_in(case, file, seed, seconds, out):
    variant = case.split("/")[0]
    done = subprocess.run([kernel.sluice(), "run", *words(variant, file, seed, seconds, out), "--pcap",
                           "--no-page", "--no-huge"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=False)
    right(done.returncode == 0, done.stderr)
    trace = capture.Download(out / "gi.pcap", kernel.HOST)
    row = table_row(out, "tcp", application="ftp", end="host")
    right((trace.segments, trace.again, len(trace.samples)) ==
          (int(row["segments"]), int(row["retransmitted_segments"]), int(row["rtt_samples"]))
          and (variant in LINKS or f"{trace.longest_s():.3f}" == f"{float(row['rtt_max_ms']) / 1e3:.3f}"),
          f"{out}: gi.pcap and tcp.csv disagree")  # TCP's samples are of ticks, which are not whole on a link
    octets = int(table_row(out, "applications", application="ftp")["ms_arrived_octets"])
    if variant in LINKS:
        return link_figures(trace, octets, seconds)
    ping_s = None
    if variant in WITH_PING:
        summary = json.loads((out / "summary.json").read_text())
        ping_s = summary["applications"]["ping"]["round_trip_ms"]["p95"] / 1e3
    return figures(trace, octets, seconds, ping_s)


# ---- Judging ----

def apart(ours, other):
    return ours / other - 1 if other else 0


def within_linux(variant, figure, own, real):
    if figure == "again":
        return abs(own - real) <= AGAIN_WITHIN
    return abs(apart(own, real)) <= (LINK_WITHIN if variant in LINKS else LINUX_WITHIN)[figure]


def judged(case, figure, real, own):
    """A row of the result: lists of each seed's figure, their means, and the two verdicts."""
    variant, stack = case.split("/")
    published = PUBLISHED.get(variant, {}).get(figure)
    row = {"case": case, "figure": figure, "published": published, "built_in": own, "linux": real,
           "built_in_mean": statistics.fmean(own), "linux_mean": statistics.fmean(real)}
    row["alike"] = within_linux(variant, figure, row["built_in_mean"], row["linux_mean"])
    row["as_published"] = None
    if published and stack == PAPERS:
        row["as_published"] = abs(apart(row["linux_mean"], published)) <= PUBLISHED_WITHIN
    return row


def spread(numbers):
    return f"{statistics.fmean(numbers):7.3f} {min(numbers):7.3f}..{max(numbers):.3f}"


def line(row):
    real, own, published = row["linux_mean"], row["built_in_mean"], row["published"]
    difference = f"{own - real:+7.3f}" if row["figure"] == "again" else f"{apart(own, real):+7.1%}"
    beside = f"{apart(real, published):+7.1%}" if published else ""
    wrong = (not row["alike"]) * "  NOT ALIKE" + (row["as_published"] is False) * "  NOT AS PUBLISHED"
    return (f"{row['case']:25}{row['figure']:15}{published or '':>9}  {spread(row['built_in']):24}"
            f"{spread(row['linux']):24}{difference:>9}{beside:>10}{wrong}")


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", nargs="*", help=", ".join(("links", *CASES, *LINK_CASES)))
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "out/soak/linux")
    args = parser.parse_args()
    args.case = [case for word in args.case for case in (LINK_CASES if word == "links" else [word])]
    for case in args.case:
        if case not in (*CASES, *LINK_CASES):
            parser.error(f"no case {case}; there are links, {', '.join((*CASES, *LINK_CASES))}")
    if args.seconds <= P95_FROM_S + PING_INTERVAL_S:
        parser.error(f"--seconds: more than {P95_FROM_S + PING_INTERVAL_S}, for a p95")
    args.case = args.case or CASES
    return args


def measure(args):
    """(rows, how far the latest timer of all runs was behind)."""
    runs, files = {}, {}
    for case in args.case:
        folder = args.out / case
        folder.mkdir(parents=True, exist_ok=True)
        files[case] = folder / "scenario.lua"
        files[case].write_text(scenario(case.split("/")[0], STACKS[case.split("/")[1]]), encoding="utf-8")
        runs[case] = [Real(case, files[case], seed, args.seconds, folder / f"linux-{seed}")
                      for seed in range(1, args.seeds + 1)]
    print(f"{args.seconds} s of real time, {len(args.case) * args.seeds} runs at once", flush=True)
    rows = []
    print(f"{'case':25}{'figure':15}{'published':>9}  {'built in: mean, seeds':24}{'Linux: mean, seeds':24}"
          f"{'apart':>9}{'published':>10}")
    for case, each in runs.items():
        real = [run.figures() for run in each]
        own = [built_in(case, files[case], seed, args.seconds, files[case].parent / f"built-in-{seed}")
               for seed in range(1, args.seeds + 1)]
        for figure in (figure for figure in FIGURES if figure in real[0]):
            rows.append(judged(case, figure, [one[figure] for one in real], [one[figure] for one in own]))
            print(line(rows[-1]), flush=True)
    return rows, max(run.late_s for each in runs.values() for run in each)


def main():
    args = read_arguments()
    kernel.needs()
    network.needs("tshark")
    rows, late_s = measure(args)
    verdicts = [verdict for row in rows for verdict in (row["alike"], row["as_published"])
                if verdict is not None]
    (args.out / "linux.json").write_text(json.dumps(
        {"kernel": os.uname().release, "seconds": args.seconds, "late_s": late_s, "within": {
            **LINUX_WITHIN, "links": LINK_WITHIN, "again": AGAIN_WITHIN, "published": PUBLISHED_WITHIN}, "rows": rows}, indent=1))
    busy = (late_s > LATE_MOST_S) * ", the machine was busy: try again"
    print(f"the latest timer was {late_s * 1e3:.0f} ms behind{busy}; {args.out / 'linux.json'}")
    print(f"{sum(verdicts)} passed, {len(verdicts) - sum(verdicts)} failed")
    return not all(verdicts)


if __name__ == "__main__":
    try:
        code = main()
    except (Failure, Skip, KeyboardInterrupt) as why:
        print(f"linux: {str(why) or 'interrupted'}", file=sys.stderr)
        code = 1
    sys.exit(code)
