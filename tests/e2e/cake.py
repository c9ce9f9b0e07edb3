#!/usr/bin/python3
"""CAKE before the GGSN, at 90 % of a cell, and a plain SGSN: its queue stays empty, and what waits, is marked or dropped,
does so in CAKE. The rate and the marks are read from Gn's capture, the waits from Gn's and Gb's."""

import collections
import csv
import functools

import pcap
from harness import case, check_sound, main, new_folder, right, run, same

CONFIG = """
run {{ name = "cake", duration = "120 s", seed = 3 }}
gn {{ address = "192.0.2.1", mac = "02:00:00:00:00:01", mtu = "1600 octets" }}
gb {{ address = "198.51.100.1", mac = "02:00:00:00:00:02", mtu = "1600 octets" }}
queue {{ ms_packets = 20000, ms_octets = "20000 kB", packets = 20000, octets = "20000 kB",
    cell_packets = 20000, cell_octets = "20000 kB" }}
class {{ name = "background", lifetime = "unlimited", aqm {{ name = "tail-drop" }} }}
nse {{ nsei = 1, ns = "manual",
    nsvc {{ nsvci = 1, peer = "198.51.100.11", peer_mac = "02:00:00:00:00:03" }},
    bvc {{ bvci = 2, rate = "40 kbit/s", bucket = "4 kB",
        ms {{ imsi = "262420000000001", count = 2, tlli = 0xC0000001, n201_u = "1520 octets",
            pdp {{ nsapi = 5, sapi = 3, class = "background", address = "10.0.0.1" }} }},
    }},
}}
lab {{ ggsn = "192.0.2.2", ggsn_mac = "02:00:00:00:00:04", gi {{ latency = "50 ms" }}, {cake}
    tcp {{ name = "this", base = "linux", ecn = {ecn} }},
    ftp {{ class = "background", host_tcp = "this", ms_tcp = "this" }},
    ftp {{ class = "background", imsi = "262420000000001", host_tcp = "this", ms_tcp = "this" }},
    ping {{ class = "background", interval = "1 s" }},
}}
"""
HOST, BSS = "203.0.113.9", "198.51.100.11"
RATE, MS_RATE, CELL = 36000, 12000, 40000
CELL_CAKE = f'cake {{ rate = "{RATE} bit/s" }},'
MS_CAKE = f'cake {{ rate = "{MS_RATE} bit/s", per = "ms", rtt = "200 ms" }},'
LARGEST = 1500
LLC = 30  # of an N-PDU: SNDCP, LLC and more
CE = 3


@functools.cache
def ran(cake, ecn=False):
    path = new_folder() / "cake.lua"
    path.write_text(CONFIG.format(cake=cake, ecn=str(ecn).lower()))
    done = run(path, "--pcap")
    check_sound(done.summary)
    return done


def down(done):
    """(time, address, id, octets, whether it has CE) of each packet to an MS on Gn."""
    packets = map(pcap.gn_packet, pcap.frames_of(done.out / "gn.pcap"))
    return [(p.time_ns, p.dst, p.ip_id, len(p.octets), p.octets[1] & 3 == CE) for p in packets if p.dst != HOST]


def waits_s(done):
    """From Gn to the last octet on Gb, of each N-PDU that left."""
    came = {(dst, ip_id): time_ns for time_ns, dst, ip_id, *_ in down(done)}
    left = pcap.npdus_of([pcap.gb_pdu(frame) for frame in pcap.frames_of(done.out / "gb.pcap")
                          if pcap.datagram_of(frame).dst == BSS])
    right(len(left) > 200, f"only {len(left)} N-PDUs on Gb")
    return [(npdu.time_ns - came[npdu.dst, npdu.ip_id]) / 1e9 for npdu in left]


def lost(done, reason):
    with open(done.out / "drops.csv", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if reason in row.values()]
    return sum(int(row["packets"]) for row in rows)


@case("the SGSN's queue stays empty: nothing waits for longer than the packet before it takes")
def empty():
    with_cake, without = waits_s(ran(CELL_CAKE)), waits_s(ran(""))
    most = (LARGEST + LLC) * 8 / CELL
    right(max(with_cake) <= most, f"{max(with_cake)} s, {most} at most")
    right(max(without) > 10 * most, f"without CAKE {max(without)} s: nothing was tested")
    ping = {name: done.summary["applications"]["ping"]["round_trip_ms"]["p95"]
            for name, done in (("with", ran(CELL_CAKE)), ("without", ran("")))}
    right(ping["with"] < ping["without"] / 4, f"pings' p95: {ping}")


@case("in no time more passes than the rate lets through, in all of it not much less; for each MS with per = \"ms\"")
def rate():
    for cake, bit_per_s in (CELL_CAKE, RATE), (MS_CAKE, MS_RATE):
        passed = collections.defaultdict(list)
        for time_ns, dst, _, octets, _ in down(ran(cake)):
            passed[cake == MS_CAKE and dst].append((time_ns, octets))
        same(len(passed), 2 if cake == MS_CAKE else 1, "shapers")
        for of, packets in passed.items():
            total = behind = 0
            for (time_ns, octets), (next_ns, _) in zip(packets, packets[1:]):
                total += octets
                same(next_ns - time_ns >= octets * 8 * 1e9 / bit_per_s - 1, True, f"{of}: octets in {next_ns - time_ns} ns")
                behind = next_ns - packets[0][0]
            right(total * 8e9 / behind > 0.93 * bit_per_s, f"{of}: {total * 8e9 / behind} bit/s of {bit_per_s}")


@case("COBALT drops without ECN and marks with it, as the drops' table and TCP count; both MSs get as much")
def signals():
    dropped, marked = ran(CELL_CAKE), ran(CELL_CAKE, True)
    right(lost(dropped, "cake_aqm") > 10, f"{lost(dropped, 'cake_aqm')} drops")
    same(sum(ce for *_, ce in down(dropped)), 0, "CE without ECN")
    marks = sum(ce for *_, ce in down(marked))
    right(marks > 20, f"{marks} packets with CE on Gn")
    with open(marked.out / "tcp.csv", encoding="utf-8") as file:
        received = sum(int(row["ce_received"]) for row in csv.DictReader(file) if row["end"] == "ms")
    right(marks - 5 <= received <= marks, f"{received} marks came to TCP, {marks} on Gn")
    for done in dropped, marked:
        of = collections.Counter()
        for _, dst, _, octets, _ in down(done):
            of[dst] += octets
        one, other = of.values()
        right(abs(one / other - 1) < 0.1, f"octets of the MSs: {of}")


main()
