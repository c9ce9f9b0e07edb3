#!/usr/bin/python3
"""sluice gi on TCP segments in IP fragments: joined where all pieces are there, without figures of loss where not."""

import struct

from gi_capture import HOST, USER, Talk, gtp, pcap, udp
from gi_report import begun, figures, frames_of_some, read
from checksums import checksum
from harness import case, main, right, same

OF_OCTETS = ("down_octets", "up_octets", "mss", "throughput_bit_per_s", "channel_rate_bit_per_s", "share")
ID = iter(range(1, 10**6))


def header(packet, octets, at, more, number):
    head = packet[:2] + struct.pack(">HHH", 20 + octets, number, (0x2000 if more else 0) | at // 8) + packet[8:10] + bytes(2) + packet[12:20]
    return head[:10] + struct.pack(">H", checksum(head)) + head[12:]


def cut(packet, *places):
    """An IPv4 packet in fragments, cut at these octets behind its header, which are multiples of 8."""
    ends, data, number = [*places, len(packet) - 20], packet[20:], next(ID) & 0xFFFF
    return [header(packet, end - at, at, end != ends[-1], number) + data[at:end] for at, end in zip([0, *places], ends)]


def cut6(packet, *places):
    """The same of IPv6."""
    ends, data, number = [*places, len(packet) - 40], packet[40:], next(ID)
    return [packet[:4] + struct.pack(">H", 8 + end - at) + bytes([44]) + packet[7:40]
            + struct.pack(">BBHI", 6, 0, at | (end != ends[-1]), number) + data[at:end] for at, end in zip([0, *places], ends)]


def cut_all(frames, how=cut, order=lambda pieces: pieces, into=lambda packet: packet, places=(240, 480)):
    out = []
    for time, packet in frames:
        one = order(how(packet, *places)) if len(packet) > 600 else [packet]
        out += [(time + i / 1e6, into(piece)) for i, piece in enumerate(one)]
    return out


def but_octets(report):
    return [{name: value for name, value in flow.items() if name not in OF_OCTETS} for flow in figures(report)]


def fates(report):
    return tuple(report["counts"][name] for name in ("segments", "joined", "fragments", "in_pieces"))


def rounded(flows):
    """Times to 10 us: pieces are 1 us apart."""
    return [{name: round(value, 5) if isinstance(value, float) else value for name, value in flow.items()} for flow in flows]


@case("segments in three pieces, in any order, some of them twice, in a tunnel, of IPv6, cut by a snap length: as whole ones")
def whole():
    frames = frames_of_some()
    wanted, n = read(pcap(frames)), len(frames)
    for what, order in (("in order", lambda p: p), ("last first", lambda p: p[::-1]), ("middle first", lambda p: [p[1], p[0], p[2]])):
        report = read(pcap(cut_all(frames, order=order)))
        same(rounded(but_octets(report)), rounded(but_octets(wanted)), what)
        same((fates(report), report["flows"][0]["down_octets"]), ((n, 8, 0, 0), wanted["flows"][0]["down_octets"] + 8 * 20), what)
    report = read(pcap(cut_all(frames, order=lambda p: [p[0], p[0], p[1], p[2]])))
    same((rounded(but_octets(report)), fates(report)), (rounded(but_octets(wanted)), (n, 12, 0, 0)), "a piece twice")
    report = read(pcap(cut_all(frames, into=lambda packet: gtp(packet, 7))))
    same((rounded(but_octets(report)), fates(report)), (rounded(but_octets(wanted)), (n, 8, 0, 0)), "in a tunnel")
    report = read(pcap(cut_all(frames), snap=80))
    same((rounded(but_octets(report)), fates(report)), (rounded(but_octets(wanted)), (n, 8, 0, 0)), "a snap length")
    six = Talk(user=("2001:db8::1", 40000), host=("2001:db8::2", 80)).setup(0, 0.1, 0.4).data(1, 1).ack(1.6, 1001).data(2, 1).ack(2.5, 1001).frames
    report = read(pcap(cut_all(six, how=cut6)))
    same((rounded(but_octets(report)), fates(report)), (rounded(but_octets(read(pcap(six)))), (len(six), 4, 0, 0)), "IPv6")


@case("pieces of several segments between each other's")
def interleaved():
    talk = begun()
    for i in range(64):
        talk.data(1 + i / 1000, 1 + 1000 * i)
    frames = talk.ack(2, 64001).frames
    parts = [cut(packet, 240, 480) for _, packet in frames[3:-1]]
    mixed = [*frames[:3], *((1 + (64 * k + i) / 1e5, part[k]) for k in range(3) for i, part in enumerate(parts)), frames[-1]]
    report = read(pcap(mixed))
    same((fates(report), report["flows"][0]["down_lost_gprs"], report["flows"][0]["down_data_octets"]), ((68, 128, 0, 0), 0, 64000), "64 at once")


@case("a piece that is missing, overlaps, goes on behind the end, or has no header: not joined, and its flow has no figures of loss")
def broken():
    frames = begun().data(1, 1).ack(1.6, 1001).data(2, 1001).ack(2.5, 2001).frames
    one, two, three = cut(frames[3][1], 240, 480)
    number = struct.unpack(">H", one[4:6])[0]
    overlap = header(frames[3][1], 240, 232, True, number) + bytes(240)
    behind = header(frames[3][1], 240, 1400, True, number) + bytes(240)  # as long as the one that is missing
    tiny = cut(frames[3][1], 8, 480)
    for what, pieces in (("the last is missing", [one, two]), ("the middle is missing", [one, three]), ("the first is missing", [two, three]),
                         ("an overlap", [one, overlap, three]), ("behind the end", [three, behind, one]), ("behind it, before the last", [behind, three, one]), ("no header", tiny)):
        report = read(pcap([*frames[:3], *((1 + i / 1e6, piece) for i, piece in enumerate(pieces)), *frames[4:]]))
        counts, flow = report["counts"], report["flows"][0]
        same((counts["segments"], counts["joined"], counts["fragments"]), (6, 0, len(pieces)), what)
        shown = what not in ("the first is missing",)  # nobody knows of which flow the others are
        right(not shown or (counts["in_pieces"] == 1 and flow["down_lost_gprs"] is None), f"{what}: {counts}, {flow}")


@case("pieces further apart than the frames that wait: not joined")
def apart():
    frames = begun().data(1, 1).ack(1.6, 1001).frames
    first, last = cut(frames[3][1], 240)
    for n, wanted in ((1022, (5, 1, 0, 0)), (1023, (4, 0, 2, 1))):
        between = [(1 + i / 1e6, udp(("10.1.1.1", 53), (HOST, 53), bytes(9))) for i in range(1, n + 1)]
        report = read(pcap([*frames[:3], (1, first), *between, (1 + (n + 1) / 1e6, last), *frames[4:]]))
        same(fates(report), wanted, f"{n} frames between")


@case("a step of the clock between pieces: what has left is not joined")
def step_between():
    frames = begun().data(1, 1).frames
    first, last = cut(frames[3][1], 240)
    report = read(pcap([*((time + 10, packet) for time, packet in frames[:3]), (11, first), (5, udp(("10.1.1.1", 53), (HOST, 53), bytes(9))), (5.1, last)]))
    same(fates(report), (3, 0, 2, 1), "fates")


@case("the pieces of UDP are background, as ever")
def of_udp():
    pieces = cut(udp((USER, 53), (HOST, 53), bytes(1000)), 240)
    report = read(pcap([*begun().frames, *((1 + i / 1e6, piece) for i, piece in enumerate(pieces))]))
    same(fates(report), (3, 0, 2, 0), "fates")


main()
