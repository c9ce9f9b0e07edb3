"""Small stand-ins for both ends of Gb: a UDP socket, answers by PDU type, and PDUs written octet by
octet from the formats (TS 48.016, TS 48.018). Nothing here comes from our own codecs, since what is
recorded here judges them."""

import pathlib
import socket
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
from checksums import fcs  # noqa: E402

NSEI, NSVCI, BVCI = 101, 102, 103
MCC, MNC, LAC, RAC, CI = 262, 42, 0x1234, 0x56, 0x789A
CELL = bytes.fromhex("62f224 1234 56 789a")
RAI = CELL[:6]
NSEI_IE = bytes.fromhex("0482") + NSEI.to_bytes(2)
NSVCI_IE = bytes.fromhex("0182") + NSVCI.to_bytes(2)
BVCI_IE = bytes.fromhex("0482") + BVCI.to_bytes(2)
SIGNALLING_IE = bytes.fromhex("04820000")


def ie(tag, value):
    """Tag, length, value; a length has one octet with the high bit set, or two."""
    length = bytes([0x80 | len(value)]) if len(value) < 128 else struct.pack(">H", len(value))
    return bytes([tag]) + length + value


def imsi_ie(digits):
    """An odd number of digits, 24.008 clause 10.5.1.4."""
    pairs = zip(digits[1::2], digits[2::2])
    return ie(0x0D, bytes([int(digits[0]) << 4 | 9, *(int(b) << 4 | int(a) for a, b in pairs)]))


def unitdata(bvci, pdu):
    return struct.pack(">BBH", 0, 0, bvci) + pdu


def llc_ui(command, sapi, nu, info):
    """With PM, not enciphered."""
    frame = bytes([command << 6 | sapi, 0xC0 | nu >> 6, (nu & 63) << 2 | 1]) + info
    return frame + fcs(frame)


def dl_unitdata(tlli, llc, lifetime_cs=1000, more=b""):
    return (struct.pack(">BI3s", 0x00, tlli, b"\0\0\x20") + ie(0x16, struct.pack(">H", lifetime_cs))
            + more + ie(0x0E, llc))


def ul_unitdata(tlli, llc):
    return struct.pack(">BI3s", 0x01, tlli, b"\0\0\x04") + ie(8, CELL) + ie(0x0E, llc)


class End:
    """One end of Gb. `answer(datagram)` gives the datagrams to send back."""

    def __init__(self, own, peer, answer):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(own)
        self.peer, self.answer = peer, answer
        self.received = []

    def send(self, datagram):
        self.socket.sendto(datagram, self.peer)

    def read(self):
        datagram = self.socket.recv(65536)
        self.received.append(datagram)
        for reply in self.answer(datagram):
            self.send(reply)


def sgsn_answer(datagram):
    """What an SGSN says to a BSS."""
    kind, rest = datagram[0], datagram[1:]
    if kind == 0x00:
        return [unitdata(int.from_bytes(datagram[2:4]), pdu) for pdu in sgsn_bssgp(datagram[4:])]
    return {
        0x02: [b"\x03" + rest[3:]],  # RESET: cause, NS-VCI, NSEI
        0x04: [b"\x05" + rest[3:]],  # BLOCK: cause, NS-VCI
        0x06: [b"\x07"],
        0x0A: [b"\x0b"],
        0x0F: [b"\x10" + rest[1:5], sns_config()],  # CONFIG: end flag, NSEI, endpoints
        0x12: [b"\x13" + rest[:4]],  # SIZE: NSEI and numbers
    }.get(kind, [])


def sgsn_bssgp(pdu):
    kind, rest = pdu[0], pdu[1:]
    return {
        0x0B: [b"\x0c" + rest[:14] + ie(0x1D, b"\x07")],  # SUSPEND: TLLI, RAI
        0x0E: [b"\x0f" + rest[:14]],  # RESUME
        0x20: [b"\x21" + rest[:4]],  # BVC-BLOCK, -RESET, -UNBLOCK: the BVCI comes first
        0x22: [b"\x23" + rest[:4]],
        0x24: [b"\x25" + rest[:4]],
        0x26: [b"\x27" + rest[:3]],  # FLOW-CONTROL-BVC: the tag comes first
    }.get(kind, [])


def endpoint(address, port, signalling, data):
    return socket.inet_aton(address) + struct.pack(">HBB", port, signalling, data)


def sns_config(*more):
    """Our endpoints, in one PDU."""
    return b"\x0f\x01" + NSEI_IE + ie(5, endpoint("127.0.0.2", 23000, 2, 2) + b"".join(more))


def bss_answer(datagram):
    """What a BSS says to an SGSN."""
    kind = datagram[0]
    if kind == 0x00 and datagram[4] == 0x22:  # BVC-RESET, the BVCI comes first
        return [unitdata(0, b"\x23" + datagram[5:9])]
    return {0x02: [b"\x03" + datagram[4:]], 0x06: [b"\x07"], 0x0A: [b"\x0b"]}.get(kind, [])
