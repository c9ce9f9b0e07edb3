"""NS (TS 48.016) and BSSGP (TS 48.018) as a BSS knows them, typed from the formats; nothing comes
from the program's own codecs. At the end LLC (TS 44.064) and SNDCP (TS 44.065), as far as frames
have to be made and read.

How to
    build("bssgp_bvc_reset", bvci=2, cause=8, cell=CELL)     a BSSGP PDU as octets
    build("ns_reset", cause=1, nsvci=101, nsei=101)          an NS PDU as octets
    unitdata(bvci, octets)                                   an NS-UNITDATA around a BSSGP PDU
    pdu = parse(datagram)      of NS: pdu.name, pdu["cause"], pdu.fields; of an NS-UNITDATA
                               pdu.bvci and pdu.sdu, the BSSGP PDU inside (a Pdu of its own)
A field that is left out, or None, is not sent, so PDUs without a mandatory element can be made.
Names of PDUs are those of the program's counters. Numbers are as on the wire: sizes in 100 octets
and rates in 100 bit/s (or what the granularity says), lifetimes in centiseconds.
parse() is strict: mandatory elements present, elements in the order of the clause and each once,
known, of the right length; whatever is not raises Broken.
"""

import ipaddress
import struct

from frames import Broken, need
from checksums import fcs

# --- Values ---------------------------------------------------------------------------------------


def integer(octets):
    return (lambda value: value.to_bytes(octets)), (lambda at: (need(len(at) == octets,
            f"{len(at)} octets instead of {octets}"), int.from_bytes(at))[1])


def raw(least=0, most=65535):
    def read(at):
        need(least <= len(at) <= most, f"{len(at)} octets instead of {least} to {most}")
        return bytes(at)
    return bytes, read


def write_imsi(digits):
    """24.008 clause 10.5.1.4; with an even number of digits the last nibble is filler."""
    nibbles = [int(digit) for digit in digits] + [15] * (len(digits) % 2 == 0)
    first = nibbles[0] << 4 | (len(digits) % 2) << 3 | 1
    return bytes([first, *(b << 4 | a for a, b in zip(nibbles[1::2], nibbles[2::2]))])


def read_imsi(at):
    need(at and at[0] & 7 == 1, "not an IMSI")
    nibbles = [at[0] >> 4] + [nibble for octet in at[1:] for nibble in (octet & 15, octet >> 4)]
    if not at[0] & 8:
        need(nibbles.pop() == 15, "no filler behind an even number of digits")
    need(all(nibble < 10 for nibble in nibbles), "a digit beyond 9")
    return "".join(map(str, nibbles))


def write_flows(flows):
    """PFC flow control parameters (11.3.68): dicts of pfi, bmax, r and, with CBL, full."""
    return bytes([len(flows)]) + b"".join(
        struct.pack(">BHH", f["pfi"], f["bmax"], f["r"])
        + (bytes([f["full"]]) if f.get("full") is not None else b"") for f in flows)


def read_flows(at):
    need(at and at[0] and (len(at) - 1) % at[0] == 0, "PFC flow control parameters")
    each = (len(at) - 1) // at[0]
    need(each in (5, 6), f"{each} octets of a PFC's parameters")
    names = ("pfi", "bmax", "r", "full")
    return [dict(zip(names, struct.unpack_from(">BHHB" if each == 6 else ">BHH", at, n)))
            for n in range(1, len(at), each)]


def endpoints(address_octets):
    """A list of (address, UDP port, signalling weight, data weight), 48.016 10.3.2b and c."""
    def write(values):
        return b"".join(ipaddress.ip_address(address).packed + struct.pack(">HBB", *rest)
                        for address, *rest in values)

    def read(at):
        each = address_octets + 4
        need(at and len(at) % each == 0, f"endpoints in {len(at)} octets")
        return [(str(ipaddress.ip_address(bytes(at[n:n + address_octets]))),
                 *struct.unpack_from(">HBB", at, n + address_octets))
                for n in range(0, len(at), each)]
    return write, read


U8, U16, U24, U32, RAW = integer(1), integer(2), integer(3), integer(4), raw()
IMSI, FLOWS = (write_imsi, read_imsi), (write_flows, read_flows)

# --- Elements -------------------------------------------------------------------------------------
# Field: tag, coding, and the octets of a value without a length before it (format TV). A tag of
# None is format V: neither tag nor length.

NS_IES = {
    "cause": (0x00, U8, None), "nsvci": (0x01, U16, None), "pdu": (0x02, RAW, None),
    "bvci": (0x03, U16, None), "nsei": (0x04, U16, None),
    "ip4": (0x05, endpoints(4), None), "ip6": (0x06, endpoints(16), None),
    "nsvcs": (0x07, U16, 2), "ip4_endpoints": (0x08, U16, 2), "ip6_endpoints": (0x09, U16, 2),
    "reset_flag": (0x0A, U8, 1),
    "end_flag": (None, U8, 1), "transaction": (None, U8, 1),
}

BSSGP_IES = {
    "alignment": (0x00, RAW, None), "bmax_default": (0x01, U16, None), "area": (0x02, U8, None),
    "r": (0x03, U16, None), "bvci": (0x04, U16, None), "bmax": (0x05, U16, None),
    "measurement": (0x06, U16, None), "cause": (0x07, U8, None), "cell": (0x08, raw(8, 8), None),
    "drx": (0x0A, U16, None), "flush_action": (0x0C, U8, None), "imsi": (0x0D, IMSI, None),
    "llc": (0x0E, RAW, None), "frames": (0x0F, U8, None), "lac": (0x10, raw(5, 5), None),
    "ms_bmax": (0x12, U16, None), "ra_capability": (0x13, RAW, None), "pdu": (0x15, RAW, None),
    "lifetime": (0x16, U16, None), "priority": (0x17, U8, None), "qos_ie": (0x18, raw(3, 3), None),
    "radio_cause": (0x19, U8, None), "update_cause": (0x1A, U8, None),
    "rai": (0x1B, raw(6, 6), None), "r_default": (0x1C, U16, None),
    "suspend_reference": (0x1D, U8, None), "tag": (0x1E, U8, None),
    "tlli": (0x1F, U32, None), "old_tlli": (0x1F, U32, None), "tmsi": (0x20, U32, None),
    "octets": (0x25, U24, None), "pfi": (0x28, U8, None), "pft": (0x29, U8, None),
    "t10": (0x29, U8, None), "abqp": (0x3A, RAW, None), "features": (0x3B, U8, None),
    "full": (0x3C, U8, None), "cco": (0x3D, U8, None), "nsei": (0x3E, U16, None),
    "flows": (0x52, FLOWS, None), "extended_features": (0x69, U8, None),
    "granularity": (0x7E, U8, None),
    "new_bvci": (0x04, U16, None),
    "v_tlli": (None, U32, 4), "qos": (None, raw(3, 3), 3),
}

# --- PDUs: type, then the fields in the order of the clause; those with ? may be left out --------

NS_PDUS = {
    "ns_reset": (0x02, "cause nsvci nsei"), "ns_reset_ack": (0x03, "nsvci nsei"),
    "ns_block": (0x04, "cause nsvci"), "ns_block_ack": (0x05, "nsvci"),
    "ns_unblock": (0x06, ""), "ns_unblock_ack": (0x07, ""),
    "ns_status": (0x08, "cause nsvci? pdu? bvci?"),
    "ns_alive": (0x0A, ""), "ns_alive_ack": (0x0B, ""),
    "sns_ack": (0x0C, "nsei transaction cause? ip4? ip6?"),
    "sns_add": (0x0D, "nsei transaction ip4? ip6?"),
    "sns_changeweight": (0x0E, "nsei transaction ip4? ip6?"),
    "sns_config": (0x0F, "end_flag nsei ip4? ip6?"),
    "sns_config_ack": (0x10, "nsei cause?"),
    "sns_delete": (0x11, "nsei transaction ip4? ip6?"),
    "sns_size": (0x12, "nsei reset_flag nsvcs ip4_endpoints? ip6_endpoints?"),
    "sns_size_ack": (0x13, "nsei cause?"),
}

BSSGP_PDUS = {
    "bssgp_dl_unitdata": (0x00, "v_tlli qos lifetime ra_capability? priority? drx? imsi? old_tlli?"
                                " pfi? alignment? llc"),
    "bssgp_ul_unitdata": (0x01, "v_tlli qos cell pfi? alignment? llc"),
    "bssgp_ra_capability": (0x02, "tlli ra_capability"),
    "bssgp_paging_ps": (0x06, "imsi drx? bvci? lac? rai? area? pfi? abqp? qos_ie tmsi?"),
    "bssgp_ra_capability_update": (0x08, "tlli tag"),
    "bssgp_ra_capability_update_ack": (0x09, "tlli tag imsi? update_cause ra_capability?"),
    "bssgp_radio_status": (0x0A, "tlli? tmsi? imsi? radio_cause"),
    "bssgp_suspend": (0x0B, "tlli rai"), "bssgp_suspend_ack": (0x0C, "tlli rai suspend_reference"),
    "bssgp_suspend_nack": (0x0D, "tlli rai cause?"),
    "bssgp_resume": (0x0E, "tlli rai suspend_reference"), "bssgp_resume_ack": (0x0F, "tlli rai"),
    "bssgp_resume_nack": (0x10, "tlli rai cause?"),
    "bssgp_bvc_block": (0x20, "bvci cause"), "bssgp_bvc_block_ack": (0x21, "bvci"),
    "bssgp_bvc_reset": (0x22, "bvci cause cell? features? extended_features?"),
    "bssgp_bvc_reset_ack": (0x23, "bvci cell? features? extended_features?"),
    "bssgp_bvc_unblock": (0x24, "bvci"), "bssgp_bvc_unblock_ack": (0x25, "bvci"),
    "bssgp_flow_control_bvc": (0x26, "tag bmax r bmax_default r_default full? measurement?"
                                     " granularity?"),
    "bssgp_flow_control_bvc_ack": (0x27, "tag"),
    "bssgp_flow_control_ms": (0x28, "tlli tag ms_bmax r full? granularity?"),
    "bssgp_flow_control_ms_ack": (0x29, "tlli tag"),
    "bssgp_flush_ll": (0x2A, "tlli bvci new_bvci? nsei?"),
    "bssgp_flush_ll_ack": (0x2B, "tlli flush_action bvci? octets nsei?"),
    "bssgp_llc_discarded": (0x2C, "tlli frames bvci octets pfi?"),
    "bssgp_flow_control_pfc": (0x2D, "tlli tag ms_bmax? r? full? flows granularity?"),
    "bssgp_flow_control_pfc_ack": (0x2E, "tlli tag"),
    "bssgp_status": (0x41, "cause bvci? pdu?"),
    "bssgp_download_bss_pfc": (0x50, "tlli pfi"),
    "bssgp_create_bss_pfc": (0x51, "tlli imsi? pfi pft abqp cco? ra_capability? priority? t10?"),
    "bssgp_create_bss_pfc_ack": (0x52, "tlli pfi abqp cause?"),
    "bssgp_create_bss_pfc_nack": (0x53, "tlli pfi cause"),
    "bssgp_modify_bss_pfc": (0x54, "tlli pfi abqp"),
    "bssgp_modify_bss_pfc_ack": (0x55, "tlli pfi pft abqp"),
    "bssgp_delete_bss_pfc": (0x56, "tlli pfi"), "bssgp_delete_bss_pfc_ack": (0x57, "tlli pfi"),
    "bssgp_delete_bss_pfc_req": (0x58, "tlli pfi cause"),
}


def fields_of(pdus, ies):
    """{name: (type, [(field, tag, coding, fixed octets, mandatory)])}"""
    return {name: (kind, [(word.rstrip("?"), *ies[word.rstrip("?")], not word.endswith("?"))
                          for word in words.split()]) for name, (kind, words) in pdus.items()}


NS, BSSGP = fields_of(NS_PDUS, NS_IES), fields_of(BSSGP_PDUS, BSSGP_IES)
ALL = NS | BSSGP
NAMES = {group: {kind: name for name, (kind, _) in pdus.items()}
         for group, pdus in (("ns", NS), ("bssgp", BSSGP))}

# --- Building -------------------------------------------------------------------------------------


def length(octets):
    """One octet with the high bit set, or two."""
    return bytes([0x80 | octets]) if octets < 128 else struct.pack(">H", octets)


def tlv(tag, value):
    return bytes([tag]) + length(len(value)) + value


def build(name, more=b"", /, **values):
    """The PDU's octets; `more` goes behind all elements."""
    kind, fields = ALL[name]
    octets = bytes([kind])
    for field, tag, (write, _), fixed, _ in fields:
        value = values.pop(field, None)
        if value is None:
            continue
        value = write(value)
        if tag is None:
            octets += value
        else:
            octets += bytes([tag]) + value if fixed else tlv(tag, value)
    need(not values, f"{name} has no {' '.join(values)}")
    return octets + more


def unitdata(bvci, sdu, control=0):
    """NS-UNITDATA, 48.016 clause 9.2.10."""
    return struct.pack(">BBH", 0, control, bvci) + sdu


# --- Parsing --------------------------------------------------------------------------------------


class Pdu:
    """What was read. pdu["field"] is None for what is not there."""

    def __init__(self, name, octets, fields, bvci=None, sdu=None):
        self.name, self.octets, self.fields = name, octets, fields
        self.bvci, self.sdu = bvci, sdu

    def __getitem__(self, field):
        return self.fields.get(field)

    def __repr__(self):
        inside = f" [BVCI {self.bvci}] {self.sdu}" if self.sdu else ""
        return f"{self.name} {self.fields}{inside}"


def take_tlv(octets, at):
    """The value and where the next element begins."""
    need(at + 2 <= len(octets), "cut short before a length")
    if octets[at + 1] & 0x80:
        n, at = octets[at + 1] & 0x7F, at + 2
    else:
        need(at + 3 <= len(octets), "cut short inside a length")
        n, at = struct.unpack_from(">H", octets, at + 1)[0], at + 3
    need(at + n <= len(octets), "an element longer than the PDU")
    return octets[at:at + n], at + n


def take_field(octets, at, tag, fixed):
    if fixed:
        at += tag is not None
        need(at + fixed <= len(octets), "cut short")
        return octets[at:at + fixed], at + fixed
    return take_tlv(octets, at)


def parse_one(group, octets):
    need(octets, "an empty PDU")
    need(octets[0] in NAMES[group], f"type {octets[0]:#x} of {group}")
    name = NAMES[group][octets[0]]
    at, values = 1, {}
    for field, tag, (_, read), fixed, mandatory in ALL[name][1]:
        if tag is not None and not (at < len(octets) and octets[at] == tag):
            need(not mandatory, f"{name}: {field} is missing, or not at its place")
            continue
        value, at = take_field(octets, at, tag, fixed)
        values[field] = read(value)
    need(at == len(octets), f"{name}: {octets[at:].hex()} behind its elements")
    return Pdu(name, bytes(octets), values)


def parse_bssgp(octets):
    return parse_one("bssgp", octets)


def parse(datagram):
    """A datagram on Gb: an NS PDU, and what an NS-UNITDATA carries."""
    if datagram[:1] != b"\0":
        return parse_one("ns", datagram)
    need(len(datagram) > 4, "an NS-UNITDATA without an SDU")
    control, bvci = datagram[1], int.from_bytes(datagram[2:4])
    need(control == 0, f"NS SDU control bits {control:#x}")
    return Pdu("ns_unitdata", bytes(datagram), {}, bvci, parse_bssgp(datagram[4:]))


def name_of(datagram):
    """The name of an NS PDU, or of the BSSGP PDU in it, however broken it is behind its type."""
    group, kind = ("bssgp", datagram[4]) if datagram[:1] == b"\0" and len(datagram) > 4 else \
                  ("ns", datagram[0] if datagram else None)
    return NAMES[group].get(kind, f"{group} {kind}")


# --- Cells, LLC -----------------------------------------------------------------------------------

RAI = bytes.fromhex("62f2241234" "56")  # 262-42, LAC 0x1234, RAC 0x56


def cell(ci, rai=None):
    """A cell identifier (11.3.9)."""
    return (rai or RAI) + ci.to_bytes(2)


def llc_ui(sapi, nu, info, command=False):
    """A UI frame of an MS (C/R 0 is a command there), all of it protected, in the clear."""
    frame = bytes([command << 6 | sapi, 0xC0 | nu >> 6, (nu & 63) << 2 | 1]) + info
    return frame + fcs(frame)


def read_llc_ui(llc):
    """(SAPI, N(U), information) of a UI frame in the clear, whose FCS is right."""
    need(len(llc) >= 6 and llc[1] & 0xE0 == 0xC0, "no UI frame")
    need(fcs(llc[:-3]) == llc[-3:], "FCS")
    return llc[0] & 15, (llc[1] & 7) << 6 | llc[2] >> 2, llc[3:-3]


def sndcp(nsapi, number, npdu, segment_octets=400):
    """An N-PDU in SN-UNITDATA PDUs, 44.065 clause 7.2."""
    parts = [npdu[at:at + segment_octets] for at in range(0, len(npdu), segment_octets)]
    for segment, part in enumerate(parts):
        flags = 0x20 | nsapi | (0x10 if segment < len(parts) - 1 else 0)
        head = bytes([flags | 0x40, 0]) if segment == 0 else bytes([flags])
        yield head + struct.pack(">H", (segment & 15) << 12 | number & 0xFFF) + part


def ul_unitdata(tlli, llc, where, qos=b"\0\0\x04", **more):
    return build("bssgp_ul_unitdata", v_tlli=tlli, qos=qos, cell=where, llc=llc, **more)
