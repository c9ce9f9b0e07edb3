"""Captures for the tests of `sluice gi`, written from the formats alone: TCP segments in IPv4 and IPv6, in
GTP-U, on each kind of link, in pcap and pcapng."""

import ipaddress
import struct

from checksums import checksum

FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
ETHERNET, RAW, SLL, NULL, IPV4_LINK, SLL2 = 1, 101, 113, 0, 228, 276
USER, HOST = "10.0.0.1", "203.0.113.9"


# --- Options --------------------------------------------------------------------------------------


def mss(octets):
    return struct.pack(">BBH", 2, 4, octets)


def scale(shift):
    return struct.pack(">BBBB", 1, 3, 3, shift)


SACK_PERMITTED = bytes((1, 1, 4, 2))


def timestamps(value, echo):
    return struct.pack(">BBBBII", 1, 1, 8, 10, value, echo)


def sack(*blocks):
    return bytes((1, 1, 5, 2 + 8 * len(blocks))) + b"".join(struct.pack(">II", *block) for block in blocks)


# --- Packets --------------------------------------------------------------------------------------


def ip(src, dst, protocol, payload, identification=0, fragment=0):
    src, dst = ipaddress.ip_address(src), ipaddress.ip_address(dst)
    if src.version == 6:
        return struct.pack(">IHBB", 6 << 28, len(payload), protocol, 64) + src.packed + dst.packed + payload
    head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(payload), identification & 0xFFFF, fragment, 64, protocol, 0) \
        + src.packed + dst.packed
    return head[:10] + struct.pack(">H", checksum(head)) + head[12:] + payload


def segment(src, dst, flags, seq, ack=0, octets=0, window=16384, options=b"", identification=0):
    """src and dst are (address, port)."""
    data = bytes(octets)
    head = struct.pack(">HHIIBBHHH", src[1], dst[1], seq & 0xFFFFFFFF, ack & 0xFFFFFFFF,
                       (20 + len(options)) // 4 << 4, flags, window, 0, 0) + options
    a, b = ipaddress.ip_address(src[0]).packed, ipaddress.ip_address(dst[0]).packed
    total = checksum(a + b + struct.pack(">HH", 6, len(head) + len(data)) + head + data)
    return ip(src[0], dst[0], 6, head[:16] + struct.pack(">H", total) + head[18:] + data, identification)


def udp(src, dst, payload):
    return ip(src[0], dst[0], 17, struct.pack(">HHHH", src[1], dst[1], 8 + len(payload), 0) + payload)


def gtp(packet, teid, sequence=None, extension=b"", down=True):
    flags = 0x30 | (2 if sequence is not None else 0) | (4 if extension else 0)
    options = b""
    if flags & 7:
        options = struct.pack(">HBB", sequence or 0, 0, 0x40 if extension else 0) + extension
    head = struct.pack(">BBHI", flags, 255, len(options) + len(packet), teid)
    ends = [("192.0.2.2", 2152), ("192.0.2.1", 2152)]
    return udp(*(ends if down else ends[::-1]), head + options + packet)


class Talk:
    """A connection of a user and a host, segment by segment; numbers count from the SYNs. It collects
    (time in s, packet)."""

    def __init__(self, user=(USER, 40000), host=(HOST, 80), own=1000, other=5000):
        self.ends, self.initial, self.frames = (user, host), (own, other), []

    def add(self, time, side, flags, seq, ack=0, octets=0, **more):
        src, dst = self.ends if side == "up" else self.ends[::-1]
        own, other = self.initial if side == "up" else self.initial[::-1]
        if "blocks" in more:
            more["options"] = more.get("options", b"") + sack(*((l + other, r + other) for l, r in more.pop("blocks")))
        more.setdefault("identification", len(self.frames) + 1)
        self.frames.append((time, segment(src, dst, flags, own + seq, other + ack if flags & ACK else 0, octets,
                                          **more)))
        return self

    def setup(self, time=0.0, internet=0.04, gprs=0.6, **more):
        return self.add(time, "up", SYN, 0, **more).add(time + internet, "down", SYN | ACK, 0, 1, **more) \
            .add(time + internet + gprs, "up", ACK, 1, 1)

    def data(self, time, seq, octets=1000, ack=1, **more):
        return self.add(time, "down", ACK, seq, ack, octets, **more)

    def ack(self, time, ack, seq=1, **more):
        return self.add(time, "up", ACK, seq, ack, **more)


def merged(*talks):
    return sorted((frame for talk in talks for frame in talk.frames), key=lambda frame: frame[0])


# --- Links and files ------------------------------------------------------------------------------


def on_link(link, packet):
    kind = 0x86DD if packet[0] >> 4 == 6 else 0x0800
    heads = {ETHERNET: bytes(12) + struct.pack(">H", kind), RAW: b"", IPV4_LINK: b"",
             SLL: bytes(14) + struct.pack(">H", kind), SLL2: struct.pack(">H", kind) + bytes(18),
             NULL: struct.pack("<I", 2)}
    return heads[link] + packet


def tagged(packet, *tags):
    """Ethernet with VLAN tags, outermost first."""
    kind = 0x86DD if packet[0] >> 4 == 6 else 0x0800
    return bytes(12) + b"".join(struct.pack(">HH", tag, 7) for tag in tags) + struct.pack(">H", kind) + packet


def pcap(frames, link=RAW, snap=262144, order="<", ns=True, raw=False):
    """frames: (time in s, packet); raw: they have their link's header."""
    unit = 10**9 if ns else 10**6
    out = [struct.pack(order + "IHHiIII", 0xA1B23C4D if ns else 0xA1B2C3D4, 2, 4, 0, 0, snap, link)]
    for time, packet in frames:
        octets = packet if raw else on_link(link, packet)
        seconds, part = divmod(round(time * unit), unit)
        out.append(struct.pack(order + "IIII", seconds, part, min(snap, len(octets)), len(octets)) + octets[:snap])
    return b"".join(out)


def pcapng(frames, link=RAW):
    """Section header, one interface with stamps in ns, an enhanced packet block each."""
    def block(kind, body):
        body += bytes(-len(body) % 4)
        return struct.pack("<II", kind, 12 + len(body)) + body + struct.pack("<I", 12 + len(body))

    out = [block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)),
           block(1, struct.pack("<HHI", link, 0, 0) + struct.pack("<HHB3xHH", 9, 1, 9, 0, 0))]
    for time, packet in frames:
        octets, at = on_link(link, packet), round(time * 10**9)
        out.append(block(6, struct.pack("<IIIII", 0, at >> 32, at & 0xFFFFFFFF, len(octets), len(octets)) + octets))
    return b"".join(out)
