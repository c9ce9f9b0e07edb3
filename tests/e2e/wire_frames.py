"""Frames around a PDU of `require "wire"`, by the PDU's name, so that tshark gets to it; and the file."""

import struct

import pcap
from checksums import checksum, fcs
from harness import right

ADDRESS6 = bytes.fromhex("20010db8000000000000000000000001")


def ethernet(kind, octets):
    return bytes.fromhex("020000000001020000000002") + struct.pack(">H", kind) + octets


def ipv4(protocol, octets):
    head = bytearray(struct.pack(">BBHIBBH", 0x45, 0, 20 + len(octets), 0, 64, protocol, 0)
                     + bytes([192, 0, 2, 1, 192, 0, 2, 2]))
    struct.pack_into(">H", head, 10, checksum(bytes(head)))
    return ethernet(0x0800, bytes(head) + octets)


def icmpv6(octets):
    """The checksum of a sample is any number; it becomes the right one, which the test knows by
    itself."""
    octets = octets[:2] + bytes(2) + octets[4:]
    pseudo = ADDRESS6 * 2 + struct.pack(">II", len(octets), 58)
    octets = octets[:2] + struct.pack(">H", checksum(pseudo + octets)) + octets[4:]
    return ethernet(0x86DD, struct.pack(">IHBB", 6 << 28, len(octets), 58, 255) + ADDRESS6 * 2
                    + octets)


def udp(port, octets):
    return ipv4(17, struct.pack(">4H", port, port, 8 + len(octets), 0) + octets)


def gtpu(kind):
    return lambda octets: udp(2152, struct.pack(">BBHIHBB", 0x32, kind, 4 + len(octets), 0, 7, 0, 0)
                              + octets)


def ns(octets):
    return udp(23000, octets)


def bssgp(octets):
    return ns(b"\0\0\0\2" + octets)


def llc(octets):
    return bssgp(bytes.fromhex("00c000000100503116820064 0e") + struct.pack(">H", len(octets))
                 + octets)


def llc_ui(info):
    frame = b"\x43\xc0\x01" + info
    return llc(frame + fcs(frame))


def layer3(name, octets):
    """In a UI frame of SAPI 1; up or down is what tshark has to know."""
    up = name in UPLINK or name.endswith("_up")
    frame = (b"\x01" if up else b"\x41") + b"\xc0\x01" + octets
    frame += fcs(frame)
    if not up:
        return llc(frame)
    return ns(b"\0\0\0\2" + bytes.fromhex("01c0000001000008 08 88 62f224123456 0001 0e")
              + struct.pack(">H", len(frame)) + frame)


def llc_xid(block):
    frame = b"\x4b\xfb" + bytes([0x80 | 11 << 2 | len(block) >> 6, len(block) << 2 & 255]) + block
    return llc(frame + fcs(frame))


def abqp(octets):
    return bssgp(bytes.fromhex("541f84c00000012881083a") + bytes([0x80 | len(octets)]) + octets)


# Messages of layer 3 from an MS, beside those that are called so.
UPLINK = set("gmm_attach_request gmm_attach_complete gmm_update_request gmm_update_complete "
             "gmm_reallocation_complete gmm_authentication_response gmm_authentication_failure "
             "gmm_identity_response sm_activate_request sm_request_activation_reject "
             "sm_activate_secondary_request".split())

AROUND = {
    "ether": lambda octets: octets, "arp": lambda octets: ethernet(0x0806, octets),
    "ipv4": lambda octets: ethernet(0x0800, octets),
    "ipv6": lambda octets: ethernet(0x86DD, octets),
    "icmp_echo": lambda octets: ipv4(1, octets), "icmpv6": icmpv6,
    "tcp": lambda octets: ipv4(6, octets), "udp": lambda octets: ipv4(17, octets), "gtpu": lambda octets: udp(2152, octets),
    "gtpc": lambda octets: udp(2123, octets),
    "gtpu_echo_response": gtpu(2), "gtpu_error_indication": gtpu(26),
    "gtpu_supported_extensions": gtpu(31), "ns": ns, "sns": ns, "bssgp": bssgp, "llc": llc,
    "sndcp_unitdata": llc_ui, "sndcp_xid": llc_xid, "abqp": abqp,
}


def frame_of(name, octets):
    if name.startswith(("gmm_", "sm_")):
        return layer3(name, octets)
    around = AROUND.get(name) or AROUND.get(name.split("_")[0])
    right(around, f"{name}: no word here of how it travels; add it to AROUND")
    return around(octets)


def write_pcap(path, frames):
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", pcap.MAGIC_US, 2, 4, 0, 0, 262144, pcap.ETHERNET))
        for number_, frame in enumerate(frames):
            file.write(struct.pack("<IIII", number_, 0, len(frame), len(frame)) + frame)
