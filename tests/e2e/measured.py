"""For the tests of what of a run is measured (warmup.py, batches.py): the quickstart with captures and packets.csv,
and its packets, read without the program."""

import collections
import json
from fractions import Fraction

from books import table
from harness import ROOT, right, run, same, settings, sluice

QUICKSTART = ROOT / "config/quickstart.lua"
SECOND_NS = 10**9
# Nothing happens at the first; at the second the pings of the background begin.
QUIET, ROUND = "20123456789 ns", "20 s"
SETTINGS = ["lab.ping[1].start=20 s", "lab.ftp[1].stop=1000 s", "lab.ftp[2].stop=1000 s", "lab.ftp[3].stop=1000 s",
            "lab.http[1].stop=1000 s", "lab.ping[1].stop=1000 s", "lab.ping[2].stop=1000 s"]
def ns_of(text):
    """A time in ns, or in s with or without its unit."""
    number, unit = (*text.split(), "s")[:2]
    return int(Fraction(number) * (1 if unit == "ns" else SECOND_NS))


RUNS = {}


def quickstart(**keys):
    """A run with these keys of run { }, with captures and packets.csv; each once."""
    of = tuple(f"run.{key}={value}" for key, value in keys.items())
    if of not in RUNS:
        RUNS[of] = run(QUICKSTART, "--packets", "--pcap", *settings([*SETTINGS, *of]))
    return RUNS[of]


def check_whole(done):
    """harness.check_sound adds up classes, which are not of the whole run."""
    same([done.summary[key] for key in ("complete", "sound")], [True, True], "complete and sound")
    right(done.summary["conservation"]["balanced"], "not balanced")


# ---- packets.csv ----

Packet = collections.namedtuple("Packet", "context way address octets sent_ns ended_ns fate")


def packets_of(done):
    """Each packet; its fate is "arrived", (place, reason), or None: it is under way."""
    under_way, packets, address = {}, [], {}
    for row in table(done, "packets"):
        key, now_ns = (row["context"], row["direction"], row["ip_id"]), ns_of(row["time_s"])
        if row["event"] == "sent":
            address[row["context"]] = row["ms_address"]
            under_way[key] = now_ns, int(row["octets"])
        elif row["event"] != "gn":
            sent_ns, octets = under_way.pop(key)
            fate = "arrived" if row["event"] == "arrived" else (row["place"], row["reason"])
            packets.append(Packet(*key[:2], address[key[0]], octets, sent_ns, now_ns, fate))
    packets += [Packet(*key[:2], address[key[0]], octets, sent_ns, None, None)
                for key, (sent_ns, octets) in under_way.items()]
    return packets


def owners(config, *arguments):
    """{address: (class, IMSI, cell)} of the MSs of a configuration."""
    done = sluice("check", config, *arguments)
    found = {}
    for nse in json.loads(done.stdout)["nse"]:
        for bvc in nse["bvc"]:
            for ms in bvc["ms"]:
                for pdp in ms["pdp"]:
                    net, last = pdp["address"].rsplit(".", 1)
                    for i in range(ms["count"]):
                        imsi = str(int(ms["imsi"]) + i).zfill(len(ms["imsi"]))
                        found[f"{net}.{int(last) + i}"] = pdp["class"], imsi, f"{nse['nsei']}-{bvc['bvci']}"
    return found


def amount(packets):
    packets = list(packets)
    return len(packets), sum(packet.octets for packet in packets)


def quantile_right(found, sorted_ns, per_mille, what):
    """At most 0.8 % above the sample of that rank, and no more than the longest."""
    wanted = sorted_ns[-(-len(sorted_ns) * per_mille // 1000) - 1]
    right(wanted // 1000 <= found <= min(wanted * 1.008, sorted_ns[-1]) / 1000 + 1,
          f"{what}: {found} us, the sample {wanted} ns")


def us_of(cell):
    return round(Fraction(cell) * 1000)


def round_trips(done):
    """(address of the MS, begin, end) of each ping that was answered. What is not TCP here is of one, and those of an
    MS are answered in order, or a test finds other times."""
    waiting, under_way = collections.defaultdict(collections.deque), {}
    for row in table(done, "packets"):
        key = row["context"], row["direction"], row["ip_id"]
        if row["event"] == "sent":
            under_way[key] = row["ms_address"], row["flags"] == ""
            if under_way[key][1] and row["direction"] == "up":
                waiting[row["ms_address"]].append(ns_of(row["time_s"]))
        elif row["event"] in ("arrived", "lost"):
            address, is_ping = under_way.pop(key)
            if is_ping and (row["event"] == "lost" or row["direction"] == "down"):
                begin_ns = waiting[address].popleft()
                if row["event"] == "arrived":
                    yield address, begin_ns, ns_of(row["time_s"])
