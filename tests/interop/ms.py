"""An MS behind a BSS, as osmo-sgsn sees both: the BSS brings its NS-VC and cell up and answers, the
MS attaches, activates a PDP context and pings. Each DL-UNITDATA is answered as far as its layer-3
message needs it (24.008 clause 9). Octets are written from the formats, not by our codecs."""

import struct

import gb
from checksums import checksum

FOREIGN_TLLI = 0x78000001
IDENTITY_REQUEST, ATTACH_ACCEPT, PDP_ACCEPT = b"\x08\x15", b"\x08\x02", b"\x8a\x42"
RA_CAPABILITY = bytes.fromhex("1a4b2f0600")


def lv(value):
    return bytes([len(value)]) + value


def identity(kind, digits):
    """1 IMSI, 2 IMEI, 3 IMEISV; with an even number of digits the last nibble is filler."""
    nibbles = [int(digit) for digit in digits] + [15] * (len(digits) % 2 == 0)
    first = nibbles[0] << 4 | (len(digits) % 2) << 3 | kind
    return bytes([first, *(b << 4 | a for a, b in zip(nibbles[1::2], nibbles[2::2]))])


def ping(source, destination, number, octets):
    """An IPv4 packet with an ICMP echo request."""
    icmp = struct.pack(">BBHHH", 8, 0, 0, 1, number) + bytes(octets)
    icmp = icmp[:2] + checksum(icmp).to_bytes(2) + icmp[4:]
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(icmp), number, 0, 64, 1, 0, source,
                     destination)
    return ip[:10] + checksum(ip).to_bytes(2) + ip[12:] + icmp


class Ms:
    def __init__(self, imsi):
        self.imsi, self.tlli = imsi, FOREIGN_TLLI
        self.sent = {1: 0, 3: 0}  # UI frames by SAPI
        self.npdus = 0
        self.attached, self.address, self.received = False, None, 0
        self.end = None

    def ui(self, sapi, info):
        frame = gb.llc_ui(False, sapi, self.sent[sapi], info)
        self.sent[sapi] += 1
        return gb.unitdata(gb.BVCI, gb.ul_unitdata(self.tlli, frame))

    def answer(self, datagram):
        if datagram[0] != 0 or datagram[4] != 0:
            return gb.bss_answer(datagram)
        llc = self.llc_of(datagram[4:])
        sapi, info = llc[0] & 15, llc[3:-3]
        if sapi == 3 and llc[1] & 0xE0 == 0xC0:
            self.received += 1
        return list(self.layer3(info)) if sapi == 1 else []

    @staticmethod
    def llc_of(pdu):
        """Behind TLLI and QoS come elements, the LLC PDU last."""
        at = 8
        while pdu[at] != 0x0E:
            at += 2 + (pdu[at + 1] & 0x7F)
        return pdu[at + (2 if pdu[at + 1] & 0x80 else 3):]

    def layer3(self, info):
        if info[:2] == IDENTITY_REQUEST:
            kind = info[2] & 7
            digits = self.imsi if kind == 1 else "490154203237518"
            yield self.ui(1, b"\x08\x16" + lv(identity(kind, digits)))
        elif info[:2] == ATTACH_ACCEPT:
            at = info.index(b"\x18\x05\xf4")  # the P-TMSI; the local TLLI comes from it
            self.tlli = int.from_bytes(info[at + 3:at + 7]) | 0xC0000000
            yield self.ui(1, b"\x08\x03")
            self.attached = True
        elif info[:2] == PDP_ACCEPT:
            at = info.index(b"\x2b\x06\x01\x21")
            self.address = info[at + 4:at + 8]

    @staticmethod
    def flow_control(tag, rates):
        """FLOW-CONTROL-BVC: values by tag, in 100 octets and 100 bit/s."""
        elements = b"".join(gb.ie(each, struct.pack(">H", value)) for each, value in rates.items())
        return gb.unitdata(gb.BVCI, b"\x26" + gb.ie(0x1E, bytes([tag])) + elements)

    def bring_up(self, rates=None):
        """The BSS: NS, then both BVCs, then flow control."""
        yield b"\x02" + gb.ie(0, b"\x01") + gb.NSVCI_IE + gb.NSEI_IE
        yield b"\x0a"
        yield b"\x06"
        cause = gb.ie(7, b"\x08")
        yield gb.unitdata(0, b"\x22" + gb.SIGNALLING_IE + cause + gb.ie(0x3B, b"\0"))
        yield gb.unitdata(0, b"\x22" + gb.BVCI_IE + cause + gb.ie(8, gb.CELL))
        yield gb.unitdata(0, b"\x24" + gb.BVCI_IE)
        yield self.flow_control(1, rates or {5: 600, 3: 480, 1: 300, 0x1C: 240})

    def attach(self):
        return self.ui(1, b"\x08\x01" + lv(b"\xe5\xe0") + b"\x71\0\0" + lv(identity(1, self.imsi)) +
                       gb.RAI + lv(RA_CAPABILITY))

    def activate(self):
        apn = lv(b"internet")
        return self.ui(1, b"\x0a\x41\x05\x03" + lv(b"\x0b\x92\x1f") + lv(b"\x01\x21") + b"\x28" +
                       lv(apn))

    def npdu(self, packet, segment_octets):
        """SN-UNITDATA on NSAPI 5."""
        parts = [packet[at:at + segment_octets] for at in range(0, len(packet), segment_octets)]
        for number, part in enumerate(parts):
            more = 0x10 if number < len(parts) - 1 else 0
            header = bytes([0x65 | more, 0]) if number == 0 else bytes([0x25 | more])
            yield self.ui(3, header + struct.pack(">H", number << 12 | self.npdus) + part)
        self.npdus += 1

    def about(self):
        """What a BSS says about an MS or its cell."""
        tlli = gb.ie(0x1F, struct.pack(">I", self.tlli))
        rates = gb.ie(0x12, b"\0\x64") + gb.ie(3, b"\0\x50")
        yield gb.unitdata(gb.BVCI, b"\x28" + tlli + gb.ie(0x1E, b"\x02") + rates)
        yield gb.unitdata(0, b"\x0b" + tlli + gb.ie(0x1B, gb.RAI))
        yield gb.unitdata(0, b"\x0e" + tlli + gb.ie(0x1B, gb.RAI) + gb.ie(0x1D, b"\0"))
        yield gb.unitdata(gb.BVCI, b"\x0a" + tlli + gb.ie(0x19, b"\x01"))
        yield gb.unitdata(0, b"\x2c" + tlli + gb.ie(0x0F, b"\x01") + gb.BVCI_IE +
                          gb.ie(0x25, b"\0\0\x40"))
        yield gb.unitdata(0, b"\x20" + gb.BVCI_IE + gb.ie(7, b"\x01"))
        yield gb.unitdata(0, b"\x24" + gb.BVCI_IE)
        yield gb.unitdata(999, b"\x26" + gb.ie(0x1E, b"\x03"))  # a BVCI that is not there
        yield b"\x04" + gb.ie(0, b"\x01") + gb.NSVCI_IE
        yield b"\x06"
