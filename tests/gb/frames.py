"""Ethernet, ARP, neighbour discovery, IP, UDP and pcap, octet by octet from the RFCs, as far as the
network around the ports needs them. Nothing comes from the program's own codecs."""

import functools
import ipaddress
import pathlib
import struct
import sys
from collections import namedtuple

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
from checksums import checksum  # noqa: E402

ARP, IPV4, IPV6 = 0x0806, 0x0800, 0x86DD
ICMP, UDP, ICMPV6 = 1, 17, 58
NEIGHBOUR_SOLICITATION, NEIGHBOUR_ADVERTISEMENT = 135, 136

Datagram = namedtuple("Datagram", "source port destination destination_port payload")


class Broken(Exception):
    """A frame that came out is not what the formats say."""


def need(condition, what):
    if not condition:
        raise Broken(what)


def mac(text):
    return bytes.fromhex(text.replace(":", ""))


def mac_of(address):
    """The Ethernet address of a station of ours."""
    return b"\x02\x57" + ipaddress.ip_address(address).packed[-4:]


def ether(source, destination, kind, payload):
    """Padded to the least that Ethernet carries."""
    frame = destination + source + struct.pack(">H", kind) + payload
    return frame + bytes(60 - len(frame)) if len(frame) < 60 else frame


@functools.lru_cache(10_000)
def packed(address):
    return ipaddress.ip_address(address).packed


@functools.lru_cache(10_000)
def text_of(octets):
    return str(ipaddress.ip_address(octets))


def pseudo(source, destination, octets, protocol):
    """What a checksum above IP also covers (RFC 768, RFC 8200 clause 8.1)."""
    return packed(source) + packed(destination) + struct.pack(">HHH", octets >> 16, octets & 0xFFFF,
                                                              protocol)


def ip(source, destination, protocol, payload):
    if len(packed(source)) == 16:
        return (struct.pack(">IHBB", 6 << 28, len(payload), protocol, 255) + packed(source)
                + packed(destination) + payload)
    header = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(payload), 0, 0, 64, protocol, 0)
    header += packed(source) + packed(destination)
    return header[:10] + struct.pack(">H", checksum(header)) + header[12:] + payload


def udp(datagram):
    octets = 8 + len(datagram.payload)
    head = struct.pack(">HHH", datagram.port, datagram.destination_port, octets)
    whole = pseudo(datagram.source, datagram.destination, octets, UDP) + head + b"\0\0"
    total = checksum(whole + datagram.payload) or 0xFFFF
    return head + struct.pack(">H", total) + datagram.payload


def in_ether(packet, source_mac, destination_mac):
    return ether(source_mac, destination_mac, IPV6 if packet[0] >> 4 == 6 else IPV4, packet)


def frame_of(datagram, source_mac, destination_mac):
    packet = ip(datagram.source, datagram.destination, UDP, udp(datagram))
    return in_ether(packet, source_mac, destination_mac)


def fragments_of(frame, identity, octets):
    """The frame's IP packet in pieces of so many octets, a multiple of 8 (RFC 791, RFC 8200 4.5)."""
    ipv6 = frame[14] >> 4 == 6
    head = frame[14:14 + (40 if ipv6 else 20)]
    total = int.from_bytes(head[4:6]) + 40 if ipv6 else int.from_bytes(head[2:4])
    body = frame[14 + len(head):14 + total]
    pieces = []
    for at in range(0, len(body), octets):
        part, more = body[at:at + octets], at + octets < len(body)
        if ipv6:
            part = struct.pack(">BxHI", head[6], at | more, identity) + part
            new = head[:4] + struct.pack(">HB", len(part), 44) + head[7:]
        else:
            new = head[:2] + struct.pack(">HHH", 20 + len(part), identity & 0xFFFF,
                                         more << 13 | at // 8) + head[8:10] + b"\0\0" + head[12:]
            new = new[:10] + struct.pack(">H", checksum(new)) + new[12:]
        pieces.append(ether(frame[6:12], frame[:6], int.from_bytes(frame[12:14]), new + part))
    return pieces


def icmp(source, destination, kind, code, rest):
    """An IP packet with an ICMP or ICMPv6 message: its type, code, and what is behind the checksum."""
    ipv6 = ":" in source
    body = bytes([kind, code, 0, 0]) + rest
    covered = pseudo(source, destination, len(body), ICMPV6) if ipv6 else b""
    body = body[:2] + struct.pack(">H", checksum(covered + body)) + body[4:]
    return ip(source, destination, ICMPV6 if ipv6 else ICMP, body)


def arp(operation, sender_mac, sender, target_mac, target, to_mac=b"\xff" * 6):
    """Operation 1 asks, 2 answers (RFC 826)."""
    return ether(sender_mac, to_mac, ARP, struct.pack(">HHBBH", 1, IPV4, 6, 4, operation)
                 + sender_mac + packed(sender) + target_mac + packed(target))


def advertisement(source, destination, target, target_mac, destination_mac, flags=0x60):
    """A neighbour advertisement, solicited and overriding if nothing else is said (RFC 4861 4.4)."""
    rest = bytes([flags, 0, 0, 0]) + packed(target) + b"\2\1" + target_mac
    return in_ether(icmp(source, destination, NEIGHBOUR_ADVERTISEMENT, 0, rest), target_mac,
                    destination_mac)


def read_ip(frame):
    """(source, destination, protocol, payload)"""
    kind, = struct.unpack_from(">H", frame, 12)
    at = frame[14:]
    if kind == IPV4:
        need(at[0] == 0x45 and checksum(at[:20]) == 0, "IPv4 header")
        total, fragment = struct.unpack_from(">H2xH", at, 2)
        need(fragment & 0x3FFF == 0, "a fragment; the worlds of these tests have none")
        need(20 <= total <= len(at), "IPv4 length")
        addresses = (text_of(at[n:n + 4]) for n in (12, 16))
        return *addresses, at[9], at[20:total]
    need(kind == IPV6 and at[0] >> 4 == 6, f"EtherType {kind:#x}")
    octets, = struct.unpack_from(">H", at, 4)
    need(40 + octets <= len(at), "IPv6 length")
    addresses = (text_of(at[n:n + 16]) for n in (8, 24))
    return *addresses, at[6], at[40:40 + octets]


def read_udp(frame):
    """The datagram in it; None: it is something else."""
    if struct.unpack_from(">H", frame, 12)[0] == ARP:
        return None
    source, destination, protocol, payload = read_ip(frame)
    if protocol != UDP:
        return None
    port, destination_port, octets, total = struct.unpack_from(">4H", payload)
    need(octets == len(payload), f"UDP length {octets} of {len(payload)}")
    need(total or ":" not in source, "UDP over IPv6 without a checksum")
    need(not total or checksum(pseudo(source, destination, octets, UDP) + payload) == 0,
         "UDP checksum")
    return Datagram(source, port, destination, destination_port, payload[8:])


def answer_arp(frame):
    """To an ARP request for anybody but its sender (RFC 826); None: it is none."""
    kind, = struct.unpack_from(">H", frame, 12)
    if kind != ARP or struct.unpack_from(">H", frame, 20)[0] != 1:
        return None
    asker_mac, asker, wanted = frame[22:28], frame[28:32], frame[38:42]
    if asker == wanted:
        return None
    own = mac_of(ipaddress.IPv4Address(wanted))
    return arp(2, own, ipaddress.IPv4Address(wanted), asker_mac, ipaddress.IPv4Address(asker),
               asker_mac)


def answer_solicitation(frame):
    """To a neighbour solicitation (RFC 4861 clauses 4.3 and 4.4); None: it is none."""
    if frame[12:14] != b"\x86\xdd" or frame[20] != ICMPV6 or frame[54] != NEIGHBOUR_SOLICITATION:
        return None
    asker, wanted = (text_of(frame[n:n + 16]) for n in (22, 62))
    return advertisement(wanted, asker, wanted, mac_of(wanted), frame[6:12])


def asked_for(frame):
    """The address that such a question is about."""
    return text_of(frame[38:42] if frame[12:14] == b"\x08\x06" else frame[62:78])


def write_pcap(path, timed_frames):
    """[(time_ns, frame)] as a capture of Ethernet with stamps in nanoseconds."""
    with open(path, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1))
        for time_ns, frame in timed_frames:
            out.write(struct.pack("<IIII", *divmod(time_ns, 10**9), len(frame), len(frame)))
            out.write(frame)
