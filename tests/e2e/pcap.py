"""A plain reader of gn.pcap and gb.pcap, written from the formats alone: pcap, Ethernet, IPv4, UDP,
GTP-U (29.281), NS (48.016), BSSGP (48.018), LLC (44.064), SNDCP (44.065). It knows what the
downlink sends, no more, and takes nothing from our own codecs. Whatever is wrong raises Broken,
with the frame's number.
"""

import collections
import ipaddress
import struct

from checksums import fcs, ones_complement_sum

MAGIC_NS, MAGIC_US = 0xA1B23C4D, 0xA1B2C3D4  # the time stamp's second half in ns or in us
ETHERNET = 1
UDP = 17
GTPU_PORT = 2152

Frame = collections.namedtuple("Frame", "number time_ns octets")
Datagram = collections.namedtuple("Datagram", "to_mac src dst src_port dst_port payload")
Packet = collections.namedtuple("Packet", "time_ns teid dst ip_id octets")  # inner IP, from Gn
# One LLC PDU on Gb; `data` is its part of an N-PDU.
Pdu = collections.namedtuple(
    "Pdu", "number time_ns outer bvci tlli qos lifetime_cs imsi cr sapi nu enciphered protect_all "
           "info_octets nsapi first more compression segment npdu data")
Npdu = collections.namedtuple("Npdu", "time_ns pdus dst ip_id octets")  # put together, from Gb


class Broken(Exception):
    pass


def need(condition, number, what):
    if not condition:
        raise Broken(f"frame {number}: {what}")


def frames_of(path):
    """Nanosecond captures of Ethernet only."""
    octets = path.read_bytes()
    order = "<" if octets[0] in (MAGIC_NS & 255, MAGIC_US & 255) else ">"
    magic, major, minor, _, _, snap, link = struct.unpack_from(order + "IHHiIII", octets)
    need((magic, major, minor, link) == (MAGIC_NS, 2, 4, ETHERNET), 0,
         f"header {magic:#x}, version {major}.{minor}, link type {link}")
    at, frames = 24, []
    while at < len(octets):
        number = len(frames) + 1
        need(at + 16 <= len(octets), number, "the file ends in its header")
        seconds, ns, captured, length = struct.unpack_from(order + "IIII", octets, at)
        at += 16
        need(captured == length <= snap and at + captured <= len(octets), number, "cut short")
        need(ns < 10**9, number, f"{ns} ns in its stamp")
        frames.append(Frame(number, seconds * 10**9 + ns, octets[at:at + captured]))
        at += captured
    return frames


def datagram_of(frame):
    number, octets = frame.number, frame.octets
    need(octets[12:14] == b"\x08\x00", number, "not IPv4")
    ip = octets[14:]
    need(ip[0] == 0x45, number, f"first octet of IPv4 {ip[0]:#x}")
    need(ones_complement_sum(ip[:20]) == 0xFFFF, number, "IPv4 header checksum")
    total, fragment = struct.unpack_from(">H2xH", ip, 2)
    need(total == len(ip), number, f"IPv4 length {total} of {len(ip)}")
    need(fragment & 0x3FFF == 0 and ip[9] == UDP, number, "a fragment, or not UDP")
    src_port, dst_port, length, checksum = struct.unpack_from(">4H", ip, 20)
    need(length == total - 20, number, f"UDP length {length} of {total - 20}")
    need(checksum == 0, number, f"UDP checksum {checksum:#x}, but we send none")
    src, dst = (str(ipaddress.IPv4Address(ip[at:at + 4])) for at in (12, 16))
    return Datagram(octets[:6].hex(":"), src, dst, src_port, dst_port, ip[28:])


def inner_of(number, octets):
    """Destination and identification of an inner IPv4 packet that is whole."""
    need(len(octets) >= 20 and octets[0] == 0x45, number, "no inner IPv4 packet")
    total, ip_id = struct.unpack_from(">HH", octets, 2)
    need(total == len(octets), number, f"inner IPv4 length {total} of {len(octets)}")
    return str(ipaddress.IPv4Address(octets[16:20])), ip_id


def gn_packet(frame):
    udp = datagram_of(frame)
    need(udp.dst_port == GTPU_PORT, frame.number, f"UDP port {udp.dst_port}")
    flags, kind, length, teid = struct.unpack_from(">BBHI", udp.payload)
    need((flags, kind) == (0x30, 255), frame.number, f"GTP-U flags {flags:#x}, type {kind}")
    octets = udp.payload[8:]
    need(length == len(octets), frame.number, f"GTP-U length {length} of {len(octets)}")
    return Packet(frame.time_ns, teid, *inner_of(frame.number, octets), octets)


# --- Gb -------------------------------------------------------------------------------------------


def element(number, bssgp, at):
    """Tag and value of the element there, and where the next one is. Its length is one octet with the
    high bit set, or two."""
    need(len(bssgp) > at + 2, number, f"no element at octet {at}")
    short = bssgp[at + 1] & 0x80
    length = bssgp[at + 1] & 0x7F if short else struct.unpack_from(">H", bssgp, at + 1)[0]
    begin = at + (2 if short else 3)
    need(begin + length <= len(bssgp), number, f"an element of {length} octets at octet {at}")
    return bssgp[at], bssgp[begin:begin + length], begin + length


def imsi_of(number, value):
    """Digits in nibbles behind the type, which is 1 (24.008 clause 10.5.1.4); if they are even in
    number, a filler ends them."""
    need(value and value[0] & 7 == 1, number, f"no IMSI: {value.hex()}")
    nibbles = "".join(f"{octet & 15:x}{octet >> 4:x}" for octet in value)[1:]
    digits = nibbles if value[0] & 8 else nibbles.removesuffix("f")
    need(digits.isdecimal() and len(digits) % 2 == value[0] >> 3 & 1, number, f"IMSI {nibbles}")
    return digits


def llc_pdu_of(number, bssgp):
    """What the elements behind the lifetime say: the IMSI (0x0d), which may be missing, and the
    LLC-PDU (0x0e), which ends the PDU. The others are none that these configurations have."""
    imsi, (tag, value, end) = None, element(number, bssgp, 12)
    if tag == 0x0D:
        imsi, (tag, value, end) = imsi_of(number, value), element(number, bssgp, end)
    need(tag == 0x0E and end == len(bssgp), number,
         f"element {tag:#x} to octet {end} of {len(bssgp)}, where the LLC-PDU is to end the PDU")
    return imsi, value


def sndcp_of(number, info):
    """first, more, NSAPI, compression, segment, N-PDU number, data."""
    need(len(info) >= 3 and info[0] & 0xA0 == 0x20, number, "no SN-UNITDATA")
    first = bool(info[0] & 0x40)
    header = 4 if first else 3
    need(len(info) > header, number, "a segment without data")
    numbers, = struct.unpack_from(">H", info, header - 2)
    return (info[0] & 15, first, bool(info[0] & 0x10), info[1] if first else 0, numbers >> 12,
            numbers & 0xFFF, info[header:])


def gb_pdu(frame, decipher=None):
    """`decipher(number, tlli, llc)` gives an LLC frame back in the clear, its header as it was."""
    return pdu_of(frame.number, frame.time_ns, datagram_of(frame), decipher)


def pdu_of(number, time_ns, udp, decipher=None):
    """Of a datagram, wherever it was read."""
    ns, bssgp = udp.payload[:4], udp.payload[4:]
    need(ns[:2] == b"\0\0", number, f"NS-UNITDATA begins with {ns[:2].hex()}")
    need(bssgp[:1] == b"\0" and bssgp[8:10] == b"\x16\x82", number, "no DL-UNITDATA")
    tlli, = struct.unpack_from(">I", bssgp, 1)
    lifetime_cs, = struct.unpack_from(">H", bssgp, 10)
    imsi, llc = llc_pdu_of(number, bssgp)
    need(len(llc) > 6 and llc[0] & 0xB0 == 0 and llc[1] & 0xF8 == 0xC0, number, "no LLC UI frame")
    llc = decipher(number, tlli, llc) if decipher else llc
    need(fcs(llc[:-3]) == llc[-3:], number, "wrong FCS")
    info = llc[3:-3]
    return Pdu(number, time_ns, udp, int.from_bytes(ns[2:], "big"), tlli, bssgp[5:8],
               lifetime_cs, imsi, bool(llc[0] & 0x40), llc[0] & 15, (llc[1] & 7) << 6 | llc[2] >> 2,
               bool(llc[2] & 2), bool(llc[2] & 1), len(info), *sndcp_of(number, info))


def npdus_of(pdus):
    """The N-PDUs that came whole, in the order of their last segments; each (TLLI, NSAPI) sends one
    after the other. Those left open at the end are not there."""
    opened, npdus = {}, []
    for pdu in pdus:
        key = (pdu.outer.dst, pdu.tlli, pdu.nsapi)
        parts = opened.setdefault(key, [])
        need(pdu.first == (not parts), pdu.number, f"F is {pdu.first} after {len(parts)} segments")
        need(pdu.segment == len(parts) % 16, pdu.number,
             f"segment {pdu.segment} after {len(parts)}")
        need(not parts or parts[0].npdu == pdu.npdu, pdu.number, "N-PDU number changes inside")
        parts.append(pdu)
        if not pdu.more:
            octets = b"".join(part.data for part in parts)
            npdus.append(Npdu(pdu.time_ns, parts, *inner_of(pdu.number, octets), octets))
            del opened[key]
    return npdus
