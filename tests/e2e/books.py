"""Adds up the tables of a run in the lab (lab/report/README.md): whatever a host or an MS sent was
delivered, is lost for a reason, or is under way. gi.pcap has what the hosts sent and got, and gn.pcap
what passed between GGSN and SGSN; both are read here without the program."""

import collections
import csv
import ipaddress
import struct

import pcap
from harness import right, same

GROUPS = {"classes": "class", "cells": "cell", "mss": "ms", "flows": "flow"}  # table: its first column
RAW_IP = 101

Packet = collections.namedtuple("Packet", "time_ns src dst ip_id octets")  # octets: how many


def table(run, name):
    with (run.out / f"{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def amounts(row, what):
    return int(row[f"{what}_packets"]), int(row[f"{what}_octets"])


def added(pairs):
    pairs = list(pairs)
    return sum(packets for packets, _ in pairs), sum(octets for _, octets in pairs)


def lost_by_reason(run):
    """{(kind, name, direction): (packets, octets)}, reasons added up."""
    found = collections.defaultdict(list)
    for row in table(run, "drops"):
        right(int(row["packets"]) > 0, f"a reason without packets: {row}")
        found[row["by"], row["name"], row["direction"]].append((int(row["packets"]), int(row["octets"])))
    return {key: added(pairs) for key, pairs in found.items()}


def check_groups(run):
    """Each group: sent = delivered + lost + under way, and lost is what drops.csv has. All kinds of
    groups have the same packets."""
    lost, sums = lost_by_reason(run), {}
    for name, column in GROUPS.items():
        for row in table(run, name):
            key = column, row[column], row["direction"]
            same(amounts(row, "sent"),
                 added(amounts(row, what) for what in ("delivered", "lost", "under_way")),
                 f"{key}: sent, and delivered + lost + under way")
            same(amounts(row, "lost"), lost.pop(key, (0, 0)), f"{key}: lost, and by reason")
            for what in "sent", "delivered", "lost", "under_way":
                sum_of = sums.setdefault((what, row["direction"]), collections.defaultdict(list))
                sum_of[name].append(amounts(row, what))
    same(lost, {}, "losses of no group")
    for key, of_name in sums.items():
        same(len({added(pairs) for pairs in of_name.values()}), 1, f"different sums, {key}: {of_name}")
    return {key: added(of_name["classes"]) for key, of_name in sums.items()}


def inner_packet(time_ns, octets):
    src, dst = (str(ipaddress.IPv4Address(octets[at:at + 4])) for at in (12, 16))
    return Packet(time_ns, src, dst, int.from_bytes(octets[4:6]), len(octets))


def gi_packets(run):
    """Of a raw IP capture in ns."""
    octets = (run.out / "gi.pcap").read_bytes()
    magic, link = struct.unpack_from("<I16xI", octets)
    same((magic, link), (pcap.MAGIC_NS, RAW_IP), "magic and link type of gi.pcap")
    at, packets = 24, []
    while at < len(octets):
        seconds, ns, length = struct.unpack_from("<III", octets, at)
        packets.append(inner_packet(seconds * 10**9 + ns, octets[at + 16:at + 16 + length]))
        at += 16 + length
    return packets


def datagrams_of(path):
    """(time, UDP payload) of each IPv4 datagram, its fragments put together."""
    parts = {}
    for frame in pcap.frames_of(path):
        ip = frame.octets[14:]
        total, ip_id, where = struct.unpack_from(">HHH", ip, 2)
        key, offset = (ip[12:20], ip_id), (where & 0x1FFF) * 8
        whole = parts.setdefault(key, bytearray())
        same(len(whole), offset, f"frame {frame.number}: the place of a fragment")
        whole += ip[20:total]
        if not where & 0x2000:
            yield frame.time_ns, bytes(parts.pop(key)[8:])


def gn_packets(run):
    """What is in the G-PDUs."""
    found = []
    for time_ns, gtpu in datagrams_of(run.out / "gn.pcap"):
        if gtpu[1] == 255:
            more = gtpu[0] & 7  # E, S, PN: four octets more
            found.append(inner_packet(time_ns, gtpu[12 if more else 8:]))
    return found


def of_ms(packets, end):
    """{IMSI's key: (packets, octets)} by that end's address."""
    found = collections.defaultdict(list)
    for packet in packets:
        found[getattr(packet, end)].append((1, packet.octets))
    return {address: added(pairs) for address, pairs in found.items()}


def check_hosts(run, imsi_of):
    """gi.pcap has, MS by MS, what the tables say that the hosts sent and got, and nothing twice."""
    packets = gi_packets(run)
    for direction, end, what in ("down", "dst", "sent"), ("up", "src", "delivered"):
        found = collections.defaultdict(list)
        mine = [packet for packet in packets if getattr(packet, end) in imsi_of]
        for address, amount in of_ms(mine, end).items():
            found[imsi_of[address]].append(amount)
        wanted = {row["ms"]: amounts(row, what) for row in table(run, "mss")
                  if row["direction"] == direction and amounts(row, what)[0]}
        same({imsi: added(pairs) for imsi, pairs in found.items()}, wanted, f"{direction}: {what}")
        twice = [key for key, n in collections.Counter(
            (getattr(packet, end), packet.ip_id) for packet in mine).items() if n > 1]
        right(len(mine) > 65536 or not twice, f"{direction}: packets that are there twice: {twice[:5]}")


def check_lines(run, imsi_of):
    """What entered the GGSN and did not leave it is lost on Gi's line, or still there."""
    gi, gn = gi_packets(run), gn_packets(run)
    drops = collections.Counter()
    for row in table(run, "drops"):
        if row["by"] == "class" and row["place"] == "net":
            drops[row["direction"]] += int(row["packets"])
    under_way = collections.Counter()
    for row in table(run, "classes"):
        under_way[row["direction"]] += int(row["under_way_packets"])
    for direction, end, first, last in ("down", "dst", gi, gn), ("up", "src", gn, gi):
        entered, left = ({(getattr(packet, end), packet.ip_id) for packet in packets
                          if getattr(packet, end) in imsi_of} for packets in (first, last))
        same(left - entered, set(), f"{direction}: packets that left the line and did not enter")
        missing = len(entered - left)
        right(missing <= drops[direction] + under_way[direction],
              f"{direction}: {missing} packets did not leave Gi's line, {drops[direction]} are said to"
              f" be lost on lines, and {under_way[direction]} to be under way")


def check_books(run, imsi_of):
    """All of that; the sums of the classes by (what, direction)."""
    sums = check_groups(run)
    check_hosts(run, imsi_of)
    check_lines(run, imsi_of)
    for name, of_class in run.summary["classes"].items():
        rows = [row for row in table(run, "classes") if (row["class"], row["direction"]) == (name, "down")]
        found = [amounts(row, "delivered") for row in rows] or [(0, 0)]
        same(found, [(of_class["packets"], of_class["octets"])],
             f"{name}: delivered, in the table and in the summary")
    for row in table(run, "drops"):
        if row["place"] == "bss":
            same("up" if row["reason"].startswith("up_") else "down", row["direction"],
                 f"{row['name']}: the direction of what the BSS lost for {row['reason']}")
    return sums


def check_series(run):
    """The steps of each series add up to the run."""
    for name, column in ("classes", "class"), ("cells", "cell"), ("flows", "flow"):
        found = collections.Counter()
        for row in table(run, f"series_{name}"):
            for what in "sent_octets", "delivered_octets", "lost_packets", "marked_packets":
                found[row[column], row["direction"], what] += int(row[what] or 0)
        whole = {(row[column], row["direction"], what): int(row[what])
                 for row in table(run, name) for what in ("sent_octets", "delivered_octets",
                                                          "lost_packets", "marked_packets")}
        same({key: n for key, n in found.items() if n}, {key: n for key, n in whole.items() if n},
             f"{name}: the steps' sums, and the run's")
