#!/usr/bin/python3
"""The scheduler as it is seen on Gb. The line has no rate here, so a frame's stamp is the instant
at which it was let go; from there the leaky bucket of TS 48.018 8.2.3.2 is replayed, level by
level, and shares are added up. What is right follows from rates, sizes and weights alone."""

import collections
import functools

import pcap
from harness import Failure, case, check_sound, main, new_folder, right, run, same

LLC_OCTETS = 6  # header and FCS around the information field
ETHERNET_OCTETS = 14
S_NS = 10**9

HEAD = """
run {{ name = "flow", duration = "60 s", seed = 3 }}
gn {{ address = "192.0.2.1", mac = "02:00:00:00:00:01", mtu = "1600 octets" }}
gb {{ address = "198.51.100.1", mac = "02:00:00:00:00:02", mtu = "1600 octets"{gb} }}
queue {{ packets = 20000, octets = "20000 kB", cell_packets = 20000, cell_octets = "20000 kB",
    ms_packets = 20000, ms_octets = "20000 kB" }}
{classes}
lab {{ ggsn = "192.0.2.2", ggsn_mac = "02:00:00:00:00:04",
{traffic}
}}
nse {{ nsei = 1, ns = "manual", {nse}
    nsvc {{ nsvci = 1, peer = "198.51.100.11", peer_mac = "02:00:00:00:00:03" }},
{cells}
}}
"""

Level = collections.namedtuple("Level", "name rate bucket")
Sent = collections.namedtuple("Sent", "time_ns bvci tlli nsapi llc_octets frame_octets")


def tail_drop(weights):
    """Classes without an AQM and without a lifetime, so that only the buckets decide."""
    return "\n".join(f'class {{ name = "{name}", weight = {weight}, lifetime = "unlimited", '
                     f'aqm {{ name = "tail-drop" }} }}' for name, weight in weights.items())


def traffic(name, rate, size):
    return (f'    traffic {{ class = "{name}", rate = "{rate}", size = {{ {size} }}, '
            f'pattern = "poisson" }},')


def sent_by(**parts):
    """Runs it; every LLC PDU on Gb, in order, and the summary."""
    path = new_folder() / "flow.lua"
    path.write_text(HEAD.format(**({"gb": "", "nse": ""} | parts)))
    done = run(path, "--pcap")
    check_sound(done.summary)
    found = []
    for frame in pcap.frames_of(done.out / "gb.pcap"):
        pdu = pcap.gb_pdu(frame)
        found.append(Sent(pdu.time_ns, pdu.bvci, pdu.tlli, pdu.nsapi,
                          pdu.info_octets + LLC_OCTETS, len(frame.octets)))
    return found, done.summary


def replay(level, pdus):
    """8.2.3.2 with all quantities in 1/8e9 octets. Raises when a PDU goes that is refused."""
    unit, full, last_ns = 8 * S_NS, 0, 0
    for number, (time_ns, octets) in enumerate(pdus, 1):
        left = full - (time_ns - last_ns) * level.rate
        full, last_ns = max(left, 0) + octets * unit, time_ns
        right(full <= level.bucket * unit or left <= 0,
              f"{level.name}: PDU {number} of {octets} octets at {time_ns} ns: the bucket of "
              f"{level.bucket} octets has {max(left, 0) / unit:.1f}")


def conforms(level, pdus):
    """... and is used up: what goes is its rate, within 2 % and two of the largest PDUs."""
    pdus = list(pdus)
    replay(level, pdus)
    octets = sum(octets for time_ns, octets in pdus if time_ns >= 10 * S_NS)
    wanted, largest = level.rate / 8 * 50, max(octets for _, octets in pdus)
    right(abs(octets - wanted) < 0.02 * wanted + 2 * largest,
          f"{level.name}: {octets} octets, not {wanted:.0f}")


# --- Every level at once --------------------------------------------------------------------------


# MS 1 is limited by its cell's default (its bucket outlasts a round of whole N-PDUs over the cell), MS 2 by a rate of its own, MS 3's background by its packet
# flow. MS 4 takes what is left of cell 2, and cell 3 what is left of the pipe.
CELLS = """
    bvc { bvci = 2, rate = "60 kbit/s", bucket = "3 kB", ms_rate = "20 kbit/s", ms_bucket = "3 kB",
        ms { imsi = "262420000000001", tlli = 0xC0000001,
            pdp { nsapi = 5, class = "background", address = "10.0.0.1" },
            pdp { nsapi = 6, class = "streaming", address = "10.0.0.2", sapi = 5 } },
        ms { imsi = "262420000000002", tlli = 0xC0000002, rate = "12 kbit/s", bucket = "2.5 kB",
            pdp { nsapi = 5, class = "background", address = "10.0.1.1" } },
        ms { imsi = "262420000000003", tlli = 0xC0000003,
            pdp { nsapi = 5, class = "background", address = "10.0.2.1", rate = "5 kbit/s",
                bucket = "1 kB" },
            pdp { nsapi = 6, class = "streaming", address = "10.0.2.2", sapi = 5 } },
        ms { imsi = "262420000000004", tlli = 0xC0000004,
            pdp { nsapi = 5, class = "background", address = "10.0.3.1" } },
    },
    bvc { bvci = 3,
        ms { imsi = "262420000000005", tlli = 0xC0000005, count = 3,
            pdp { nsapi = 5, class = "background", address = "10.0.4.1" } },
    },
"""


@functools.cache
def everything():
    return sent_by(classes=tail_drop({"streaming": 20, "background": 5}), cells=CELLS,
                   nse='rate = "125 kbit/s", bucket = "4 kB",',
                   traffic=traffic("background", "30 kbit/s", '"60 octets", "900 octets"')
                   + traffic("streaming", "9 kbit/s", '"400 octets"'))[0]


@case("no bucket of packet flow, MS, cell or pipe ever lets go what 48.018 8.2.3.2 refuses")
def all_conform():
    found = everything()
    right(len(found) > 1000, f"only {len(found)} LLC PDUs")
    llc = [(Level("cell 2", 60000, 3000), lambda s: s.bvci == 2),
           (Level("MS 1, by default", 20000, 3000), lambda s: s.tlli == 0xC0000001),
           (Level("MS 2, its own", 12000, 2500), lambda s: s.tlli == 0xC0000002),
           (Level("packet flow of MS 3", 5000, 1000),
            lambda s: (s.tlli, s.nsapi) == (0xC0000003, 5))]
    for level, belongs in llc:
        conforms(level, [(s.time_ns, s.llc_octets) for s in found if belongs(s)])
    # The pipe counts IP packets: a frame without Ethernet.
    conforms(Level("pipe", 125000, 4000),
             [(s.time_ns, s.frame_octets - ETHERNET_OCTETS) for s in found])


@case("the replay itself finds a bucket that is too large, and a rate that is too high")
def replay_can_fail():
    pdus = [(s.time_ns, s.llc_octets) for s in everything() if s.bvci == 2]
    for level in Level("rate", 59000, 3000), Level("bucket", 60000, 2500):
        refused = False
        try:
            replay(level, pdus)
        except Failure:
            refused = True
        right(refused, f"a smaller {level.name} is found conforming as well")


# --- One bucket that is always in demand ----------------------------------------------------------


ONE_CELL = """
    bvc {{ bvci = 2, rate = "{rate}", bucket = "{bucket} octets",
        ms {{ imsi = "262420000000001", tlli = 0xC0000000, count = 4, n201_u = "{n201_u} octets",
            pdp {{ nsapi = 5, class = "background", address = "10.0.0.1" }},
            pdp {{ nsapi = 6, class = "interactive-1", address = "10.0.1.1", sapi = 5 }} }},
    }},
"""


def one_cell(rate, bucket, n201_u=500):
    return ONE_CELL.format(rate=rate, bucket=bucket, n201_u=n201_u)


def after(found, start_s):
    return [s for s in found if s.time_ns >= start_s * S_NS]


@case("a backlogged cell sends R t / 8 octets, less than one LLC PDU off, between any two instants")
def exact():
    found, _ = sent_by(classes=tail_drop({"background": 5, "interactive-1": 15}),
                       cells=one_cell(rate="48.1 kbit/s", bucket=2000),
                       traffic=traffic("background", "40 kbit/s", '"100 octets", "1400 octets"'))
    found = after(found, 10)
    right(len(found) > 500, f"only {len(found)} LLC PDUs")
    sent, least, most = 0, 0, 0
    for pdu in found:  # before and behind each PDU: how far the sum is from the line R t / 8
        line = (pdu.time_ns - found[0].time_ns) * 48100 / 8 / S_NS
        least = min(least, sent - line)
        sent += pdu.llc_octets
        most = max(most, sent - line)
    largest = max(s.llc_octets for s in found)
    right(most - least < largest + 1, f"off by {least:.0f} to {most:.0f} octets, the largest PDU "
                                      f"has {largest}")


@case("classes share a congested cell by their weights, and their MSs have equal parts")
def shares():
    weights = {"background": 5, "interactive-1": 15}
    found, summary = sent_by(classes=tail_drop(weights),
                             cells=one_cell(rate="80 kbit/s", bucket=4000),
                             traffic=traffic("background", "40 kbit/s", '"300 octets"')
                             + traffic("interactive-1", "40 kbit/s", '"1300 octets"'))
    found = after(found, 10)
    octets = collections.Counter()
    for pdu in found:
        octets[pdu.nsapi] += pdu.llc_octets
        octets[pdu.nsapi, pdu.tlli] += pdu.llc_octets
    total = 80000 / 8 * 50  # from 10 s to 60 s
    for nsapi, weight in (5, 5), (6, 15):
        wanted = total * weight / 20
        right(abs(octets[nsapi] - wanted) < wanted * 0.02 + 2 * 506,
              f"NSAPI {nsapi}: {octets[nsapi]} octets of {wanted:.0f}")
        for member in range(4):
            got = octets[nsapi, 0xC0000000 + member]
            right(abs(got - wanted / 4) < wanted / 4 * 0.02 + 2 * 506,
                  f"NSAPI {nsapi}, MS {member}: {got} octets of {wanted / 4:.0f}")
    right(summary["conservation"]["queued"] > 100, "there was no congestion")


@case("cell_delay keeps what the BSS holds to what it sends in that time, and one LLC PDU")
def effective_bucket():
    found, _ = sent_by(classes=tail_drop({"background": 5}), gb=', cell_delay = "200 ms"',
                       cells=one_cell(rate="40 kbit/s", bucket=50000),
                       traffic=traffic("background", "30 kbit/s", '"500 octets"'))
    # 40 kbit/s for 200 ms are 1000 octets; the largest LLC PDU that there may be has 1526.
    conforms(Level("cell", 40000, 2526), [(s.time_ns, s.llc_octets) for s in found])


@case("a lifetime: no N-PDU goes out with less than the BSS's least, the others are expired")
def lifetime():
    classes = ('class { name = "background", lifetime = "2 s", bss_lifetime_least = "500 ms", '
               'aqm { name = "tail-drop" } }')
    _, summary = sent_by(classes=classes, cells=one_cell("40 kbit/s", 2000, n201_u=1444),
                         traffic=traffic("background", "30 kbit/s", '"500 octets"'))
    background = summary["classes"]["background"]
    same(set(background["drops"]), {"expired"}, "drops")
    # All of it in one LLC PDU, which goes after 1.5 s at most.
    right(1400 < background["delay_ms"]["max"] <= 1500, f"delay {background['delay_ms']}")


main()
