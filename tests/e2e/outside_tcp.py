#!/usr/bin/python3
"""TCP as QUIC and in a VPN, WireGuard (tcp { outside = ... }): on Gn all of it is UDP of which nothing can be read, a
connection of QUIC in ports of its own and all of a phone's in a tunnel between the same two. The sizes of its packets
follow from the headers of RFC 9000 and WireGuard's paper; a download gets as many octets as its packets have data;
marks arrive at the sender's end; no packet is lost or taken for another."""

import collections
import csv
import functools
import struct

import pcap
from checksums import ones_complement_sum
from harness import case, check_sound, main, new_folder, right, run, same

CONFIG = """
run {{ name = "outside", duration = "120 s", seed = 7 }}
gn {{ address = "192.0.2.1", mac = "02:00:00:00:00:01", mtu = "1600 octets" }}
gb {{ address = "198.51.100.1", mac = "02:00:00:00:00:02", mtu = "1600 octets" }}
class {{ name = "background", flows = true, scope = "flow", lifetime = "unlimited", {queue} }}
nse {{ nsei = 1, ns = "manual",
    nsvc {{ nsvci = 1, peer = "198.51.100.11", peer_mac = "02:00:00:00:00:03" }},
    bvc {{ bvci = 2, rate = "40 kbit/s", bucket = "4 kB",
        ms {{ imsi = "262420000000001", count = 2, tlli = 0xC0000001, n201_u = "1520 octets",
            pdp {{ nsapi = 5, sapi = 3, class = "background", address = "10.0.0.1" }} }},
    }},
}}
lab {{ ggsn = "192.0.2.2", ggsn_mac = "02:00:00:00:00:04", gi {{ latency = "50 ms" }},
    tcp {{ name = "this", base = "linux", outside = "{outside}", ecn = {ecn}, {more} }},
    {applications}
}}
"""
TCPS = 'class = "background", host_tcp = "this", ms_tcp = "this"'
PAGES_AND_DOWNLOAD = f"ftp {{ {TCPS} }}, http {{ {TCPS} }}"
ONE_DOWNLOAD = f'ftp {{ {TCPS}, imsi = "262420000000001" }}'
# Nothing is lost, and the first round trips, of a window that is 3 s, are no reason to send anything again.
NO_LOSS = 'receive_window = "16384 octets", window_scale = "none", tail_probe = false, rto_min = "5 s", rto_initial = "5 s"'
TAIL_DROP, COBALT = 'aqm { name = "tail-drop" }', 'aqm { name = "cobalt", rtt = "500 ms", overfull = 0, ecn = true }'
TCP, UDP, HOST, BSS = 6, 17, "203.0.113.9", "198.51.100.11"
ECT_0, CE = 2, 3
PACKET = 1500  # the largest: an MSS of 1460 and 40 of IPv4 and TCP
IP_UDP = 20 + 8
IP_TCP = 20 + 20 + 12  # with timestamps
SYN = IP_TCP + 4  # the MSS; SACK permitted is within the 12

Packet = collections.namedtuple("Packet", "protocol src dst ports octets ecn payload")


@functools.cache
def ran(outside, applications, queue, ecn=False, more=""):
    path = new_folder() / "outside.lua"
    path.write_text(CONFIG.format(outside=outside, applications=applications, queue=queue, ecn=str(ecn).lower(), more=more))
    done = run(path, "--pcap")
    check_sound(done.summary)
    return done


def all_of_it(outside, ecn=False):
    return ran(outside, PAGES_AND_DOWNLOAD, COBALT, ecn)


def download(outside, window=""):
    return ran(outside, ONE_DOWNLOAD, window + TAIL_DROP, False, NO_LOSS)


def packets(done):
    """Those on Gn, both ways."""
    found = []
    for frame in pcap.frames_of(done.out / "gn.pcap"):
        ip = pcap.gn_packet(frame).octets
        same(ones_complement_sum(ip[:20]), 0xFFFF, "sum of the inner header")
        src, dst = (".".join(map(str, ip[at:at + 4])) for at in (12, 16))
        found.append(Packet(ip[9], src, dst, struct.unpack_from(">HH", ip, 20), len(ip), ip[1] & 3, ip[28:]))
    right(len(found) > 100, f"only {len(found)} packets on Gn")
    return found


def phones(done):
    """By the phone's address, (host's port, phone's port) of its packets."""
    found = collections.defaultdict(set)
    for p in packets(done):
        down = p.src == HOST
        found[p.dst if down else p.src].add(p.ports if down else p.ports[::-1])
    same(len(found), 2, "phones")
    return found


def rows(done, table):
    with open(done.out / f"{table}.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@case("all is UDP: a pair of ports for each connection of QUIC, one for all of a phone in a tunnel, which the plain has not")
def ports():
    same({p.protocol for p in packets(all_of_it("plain"))}, {TCP}, "protocols of the plain one")
    for outside in "quic", "tunnel":
        same({p.protocol for p in packets(all_of_it(outside))}, {UDP}, f"protocols of {outside}")
    same(set(map(len, phones(all_of_it("tunnel")).values())), {1}, "pairs of ports of each phone with a tunnel")
    opened = sum(int(row["connections"]) for row in rows(all_of_it("quic"), "applications"))
    right(opened >= 4, f"{opened} connections")
    same(sum(map(len, phones(all_of_it("quic")).values())), opened, "pairs of ports of QUIC, and connections")


@case("UDP's lengths and checksums are right, and no two datagrams in a row have the same octets")
def datagrams():
    for outside in "quic", "tunnel":
        last = b""
        for p in packets(all_of_it(outside)):
            same(IP_UDP + len(p.payload), p.octets, "length")
            right(p.payload[:16] != last, f"{outside}: twice {last.hex()}")
            last = p.payload[:16]
        for frame in pcap.frames_of(all_of_it(outside).out / "gn.pcap"):
            ip = pcap.gn_packet(frame).octets
            pseudo = ip[12:20] + bytes([0, UDP]) + struct.pack(">H", len(ip) - 20)
            same((struct.unpack_from(">H", ip, 24)[0], ones_complement_sum(pseudo + ip[20:])), (len(ip) - 20, 0xFFFF),
                 "UDP's length and sum")


def wireguard(inner):
    """RFC 791, 768, then type, receiver and counter, the packet padded to 16, a tag."""
    return IP_UDP + 4 + 4 + 8 + -(-inner // 16) * 16 + 16


QUIC = IP_UDP + 1 + 8 + 2 + 16  # flags, connection ID, packet number, a tag (RFC 9000 17.3.1, RFC 9001 5.3)
STREAM = 1 + 1 + 4 + 2  # type, stream, offset, length (RFC 9000 19.8)
ACK = 1 + 4 + 2 + 1 + 1  # type, latest, delay, number of ranges, the first (19.3)


@case("sizes are those of the headers: of a download without losses, its handshake, its data and its ACKs")
def sizes():
    wanted = {
        "plain": ({PACKET}, {IP_TCP}),
        "quic": ({PACKET}, {QUIC + ACK}),
        "tunnel": ({wireguard(1440)}, {wireguard(IP_TCP)}),
    }
    same(wireguard(1440), PACKET, "the largest packet in a tunnel")
    for outside, (data, acks) in wanted.items():
        down = [p.octets for p in packets(download(outside)) if p.src == HOST]
        up = [p.octets for p in packets(download(outside)) if p.src != HOST]
        same(set(down[1:]), data, f"{outside}: behind the answer to the SYN, down")
        same(set(up[1:-1]), acks, f"{outside}: behind the SYN and before the reset at the end, up")
        same({down[0], up[0]}, {"plain": {SYN}, "quic": {QUIC + STREAM}, "tunnel": {wireguard(SYN)}}[outside],
             f"{outside}: SYN and its answer")


@case("a download gets what its packets have of data, within 1 % beside the plain one, and none is sent again")
def goodput():
    data = {"plain": PACKET - IP_TCP, "quic": PACKET - QUIC - STREAM, "tunnel": 1440 - IP_TCP}
    got = {}
    for outside in data:
        tcp, = (row for row in rows(download(outside), "tcp") if row["end"] == "host")
        same(int(tcp["retransmitted_segments"]), 0, f"{outside}: sent again")
        got[outside] = int(tcp["acked_octets"])
    for outside, octets in data.items():
        ratio = got[outside] / got["plain"] * data["plain"] / octets
        right(abs(ratio - 1) < 0.01, f"{outside}: {got[outside]} octets, plain {got['plain']}")


@case("the SGSN lowers windows that it can read, and no other")
def windows():
    for outside in "plain", "quic", "tunnel":
        done = download(outside, 'window = "1 s", ')
        lowered = sum(worker["window_lowered"] for worker in counters(done.summary))
        same(lowered > 0, outside == "plain", f"{outside}: whether any of {lowered} windows was lowered")


def counters(value):
    """Each table of the summary that has the count."""
    if isinstance(value, dict):
        if "window_lowered" in value:
            yield value
        for inner in value.values():
            yield from counters(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from counters(inner)


@case("ECN: the outer header says ECT if the profile does, and every mark comes to the phone's TCP, which is slowed")
def ecn():
    for outside in "quic", "tunnel":
        same({p.ecn for p in packets(all_of_it(outside))}, {0}, f"{outside} without ECN")
        done = all_of_it(outside, True)
        marks = done.summary["classes"]["background"]["marks"]
        right(marks > 10, f"{outside}: {marks} marks")
        tcp = rows(done, "tcp")
        data = collections.Counter(p.ecn for p in packets(done) if p.octets == PACKET)
        again = sum(int(row["retransmitted_segments"]) for row in tcp)
        right(set(data) <= {0, ECT_0} and data[0] <= again and data[ECT_0] > 200, f"{outside}: ECN of data {data}, "
              f"{again} sent again, which says no ECT (RFC 3168 6.1.5)")
        arrived = sum(pcap_ce(done))
        same(sum(int(row["ce_received"]) for row in tcp if row["end"] == "ms"), arrived, f"{outside}: CE")
        right(sum(int(row["ecn_reductions"]) for row in tcp if row["end"] == "host") > 5, f"{outside}: slowed")


def pcap_ce(done):
    """Of each N-PDU that came whole over Gb, whether it has CE."""
    frames = (frame for frame in pcap.frames_of(done.out / "gb.pcap") if pcap.datagram_of(frame).dst == BSS)
    for npdu in pcap.npdus_of([pcap.gb_pdu(frame) for frame in frames]):
        yield npdu.octets[1] & 3 == CE


main()
