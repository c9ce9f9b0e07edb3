#!/usr/bin/python3
"""Real Linux TCP and the lab's own through the same scenario: how far are they apart?

    referee.py [LOAD...] [--seconds N] [--out DIR]      all loads, 200 s each, out/soak/referee

Two network namespaces, one with the hosts and one with the MSs, have a tun device each, and `sluice
run --tun` is between them, in real time; the loads go at the same time. Then the same file runs in
virtual time with the TCP profile `linux`. Throughput has to be the same within 3 %, the 95th
percentile of the delay from send to delivery, by the ledger, and its mean within 5 %. The mean is what
tells stacks apart where many flows keep a buffer full: with newreno-ns2 the cell has the same two other
figures, and a mean that is a third less.

Both have the same windows: the MSs' kernel begins with the receive buffer (6 MiB, of which it offers
half) to which it would grow, as the profile does; congestion control is cubic, ECN and what a kernel
keeps from one connection to the next are off. Needs root and /dev/net/tun.
"""

import argparse
import csv
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/e2e"), str(ROOT / "tests/soak/outside")]

import kernel  # noqa: E402
from harness import Failure, Skip, right  # noqa: E402

RECEIVE_BUFFER = 6 << 20
JUDGED = 3
THROUGHPUT_WITHIN, DELAY_WITHIN = 0.03, 0.05
LATE_MOST = 0.01  # of the delay judged: a timer further behind than that may have moved it
CONGESTION = "cubic"
SYSCTLS = {
    "net/ipv4/tcp_ecn": 0,
    "net/ipv4/tcp_rmem": f"4096 {RECEIVE_BUFFER} {RECEIVE_BUFFER}",
}

SCENARIO = """
run {{ name = "referee-{name}", clock = "virtual", duration = "{seconds} s", seed = 1 }}
gn {{ device = "net_ring", address = "192.0.2.1", mac = "02:53:4c:00:00:01", mtu = "1536 octets" }}
gb {{ device = "net_ring", address = "198.51.100.1", mac = "02:53:4c:00:00:02", port = 23000 }}
queue {{ octets = "40000 kB", cell_packets = 10000, cell_octets = "20000 kB", ms_packets = 2000,
    ms_octets = "{ms_octets} octets", overflow = "tail" }}
class {{ name = "background", lifetime = "unlimited", aqm {{ name = "tail-drop" }} }}
nse {{
    nsei = 101, ns = "reset",
    nsvc {{ nsvci = 101, peer = "198.51.100.2", peer_port = 23000, peer_mac = "02:53:4c:00:01:01" }},
    line {{ latency = "50 ms" }},
    bvc {{ bvci = 2,
        flow {{ rate = "{rate}", bmax_time = "1 s" }}, radio {{ {radio} }},
        ms {{ imsi = "001010000000001", count = {count},
            pdp {{ nsapi = 5, sapi = 5, class = "background", address = "10.0.0.1" }} }} }} }}
lab {{ ggsn = "192.0.2.2", ggsn_mac = "02:53:4c:00:02:01", step = "1 s",
    gi {{ latency = "50 ms" }},
{downloads}
}}
"""

# count: MSs, each with one download. ms_octets: what may wait for an MS; beyond it a tail drop.
# Starts are a quarter of a second apart.
LOADS = {
    # The buffer of 63 s of buffer-2004, on three slots.
    "buffer": {"rate": "30 kbit/s", "radio": "slots = 3, up_slots = 1", "count": 1,
               "ms_octets": 30000 * 63 // 8},
    # 12 kbit/s for each MS, with a buffer of 16 s; the radio of aqm-2006.
    "cell": {"rate": "240 kbit/s", "radio": "carriers = 3, slots = 24, down_slots = 4, up_slots = 2",
             "count": 20, "ms_octets": 24000},
}


def start_s(number):
    return 1 + 0.25 * number


def address(number):
    return f"10.0.0.{1 + number}"


def scenario(name, seconds):
    load = LOADS[name]
    downloads = "\n".join(
        f'    ftp {{ class = "background", imsi = "00101{1 + n:010}", start = "{start_s(n):g} s" }},'
        for n in range(load["count"]))
    return SCENARIO.format(name=name, seconds=seconds, downloads=downloads, **load)


# ---- The kernel's side ----

class Real(kernel.Outside):
    """A load through real TCP; ends with the program."""

    def __init__(self, name, file, out):
        count = LOADS[name]["count"]
        hosts, mss = kernel.namespace(), kernel.namespace()
        tuns = (kernel.device(hosts, [kernel.HOST], SYSCTLS),
                kernel.device(mss, [address(n) for n in range(count)], SYSCTLS))
        self.server = kernel.Server(hosts, count, CONGESTION)
        self.downloads = [kernel.Download(mss, address(n), CONGESTION) for n in range(count)]
        super().__init__([file, "--out", out], tuns)

    def begin(self, now_s):
        kernel.background(self.server.serve)
        for number, download in enumerate(self.downloads):
            kernel.at(start_s(number) - now_s, download.run)


# ---- Judging ----

def virtual(file, out):
    done = subprocess.run([kernel.sluice(), "run", file, "--out", out, "--pcap", "--no-page", "--no-huge"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    right(done.returncode == 0, done.stderr)


def figures(out):
    """Throughput in kbit/s and the 95th percentile of the delay in s, down; and what was lost."""
    with open(out / "classes.csv", encoding="utf-8") as table:
        row = next(row for row in csv.DictReader(table)
                   if (row["class"], row["direction"]) == ("background", "down"))
    return {"kbit/s": float(row["goodput_bit_per_s"]) / 1e3, "p95 s": float(row["delay_p95_ms"]) / 1e3,
            "mean s": float(row["delay_mean_ms"]) / 1e3, "sent": int(row["sent_packets"]),
            "lost": int(row["lost_packets"])}


def judge(name, out, late_s):
    """Prints a load's rows; returns how many of its JUDGED figures are too far apart."""
    real, own = figures(out / "real"), figures(out / "virtual")
    wrong = 0
    for figure, within in (("kbit/s", THROUGHPUT_WITHIN), ("p95 s", DELAY_WITHIN), ("mean s", DELAY_WITHIN),
                           ("sent", None), ("lost", None)):
        apart = own[figure] / real[figure] - 1 if real[figure] else 0
        good = within is None or abs(apart) <= within
        wrong += not good
        verdict = "" if within is None else f"{'within' if good else 'NOT WITHIN'} {within:.0%}"
        print(f"{name:10}{figure:8}{real[figure]:10.2f}{own[figure]:10.2f}{apart:+9.1%}  {verdict}")
    busy = late_s > LATE_MOST * real["p95 s"]
    print(f"{name:10}{'late s':8}{late_s:10.2f}" + busy * "  the machine was busy: try again")
    return wrong


def main():
    words = argparse.ArgumentParser(description=__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("load", nargs="*", help=", ".join(LOADS))
    words.add_argument("--seconds", type=int, default=200)
    words.add_argument("--out", type=pathlib.Path, default=ROOT / "out/soak/referee")
    args = words.parse_args()
    names = args.load or list(LOADS)
    for name in names:
        if name not in LOADS:
            words.error(f"no load {name}; there are {', '.join(LOADS)}")
    kernel.needs()
    runs = {}
    for name in names:
        out = args.out / name
        out.mkdir(parents=True, exist_ok=True)
        (out / "scenario.lua").write_text(scenario(name, args.seconds), encoding="utf-8")
        runs[name] = Real(name, out / "scenario.lua", out / "real")
    print(f"{args.seconds} s of real time", flush=True)
    wrong = 0
    print(f"{'load':10}{'figure':8}{'Linux':>10}{'built in':>10}{'apart':>9}")
    for name, run in runs.items():
        run.ended()
        virtual(args.out / name / "scenario.lua", args.out / name / "virtual")
        wrong += judge(name, args.out / name, run.late_s)
    print(f"{JUDGED * len(runs) - wrong} passed, {wrong} failed")
    return wrong > 0


if __name__ == "__main__":
    try:
        code = main()
    except (Failure, Skip, KeyboardInterrupt) as why:
        print(f"referee: {str(why) or 'interrupted'}", file=sys.stderr)
        code = 1
    sys.exit(code)
