"""What the tests of LLC share: tables 6 and 9 of TS 44.064, U frames made and read here,
libosmocore as a cipher that is not ours, and a world with one MS."""

import ctypes
import ctypes.util

import codec
from bss import Bss
from codec import need
from harness import Skip
from world import HEAD, S, as_offered, ms, npdu, nsvc, same

BSS, TLLI, IMSI = "198.51.100.2", 0xC0000001, "001010000000001"
T200_NS, N200 = 5 * S, 3
USER = (3, 5, 9, 11)
NULL, DM, DISC, UA, SABM, FRMR, XID = 0, 1, 4, 6, 7, 8, 11

# 44.064 table 6: type, octets, least, most (0 besides, for mD and mU), sense of negotiation.
TABLE_6 = {
    "version": (0, 1, 0, 15, "down"), "t200": (3, 2, 1, 4095, "up"), "n200": (4, 1, 1, 15, "up"),
    "n201_u": (5, 2, 140, 1520, "down"), "n201_i": (6, 2, 140, 1520, "down"),
    "md": (7, 2, 9, 24320, "down"), "mu": (8, 2, 9, 24320, "down"),
    "kd": (9, 1, 1, 255, "down"), "ku": (10, 1, 1, 255, "down"),
}
IOV_UI, IOV_I, LAYER3, RESET = 1, 2, 11, 12

# 44.064 table 9, in the units of table 6.
TABLE_9 = {
    1: {"t200": 50, "n200": 3, "n201_u": 400}, 2: {"t200": 50, "n200": 3, "n201_u": 270},
    3: {"t200": 50, "n200": 3, "n201_u": 500, "n201_i": 1503, "md": 1520, "mu": 1520, "kd": 16,
        "ku": 16},
    5: {"t200": 100, "n200": 3, "n201_u": 500, "n201_i": 1503, "md": 760, "mu": 760, "kd": 8,
        "ku": 8},
    7: {"t200": 200, "n200": 3, "n201_u": 270}, 8: {"t200": 200, "n200": 3, "n201_u": 270},
    9: {"t200": 200, "n200": 3, "n201_u": 500, "n201_i": 1503, "md": 380, "mu": 380, "kd": 4,
        "ku": 4},
    11: {"t200": 400, "n200": 3, "n201_u": 500, "n201_i": 1503, "md": 190, "mu": 190, "kd": 2,
         "ku": 2},
}


def parameter(kind, value=b""):
    """The short form where it does (6.4.1.6)."""
    if len(value) <= 3:
        return bytes([kind << 2 | len(value)]) + value
    return bytes([0x80 | kind << 2 | len(value) >> 6, (len(value) & 63) << 2]) + value


def named(**values):
    return b"".join(parameter(TABLE_6[name][0], value.to_bytes(TABLE_6[name][1]))
                    for name, value in values.items())


def u_frame(sapi, command, info=b"", *, response=False, pf=True):
    """Of an MS, whose responses have C/R set."""
    frame = bytes([response << 6 | sapi, 0xE0 | pf << 4 | command]) + info
    return frame + codec.fcs(frame)


def read_parameters(info):
    at, found = 0, {}
    while at < len(info):
        kind, octets, begin = info[at] >> 2 & 31, info[at] & 3, at + 1
        if info[at] & 0x80:
            octets, begin = octets << 6 | info[begin] >> 2, begin + 1
        need(begin + octets <= len(info) and kind not in found, f"parameters {info.hex()}")
        found[kind], at = info[begin:begin + octets], begin + octets
    return found


# An SNDCP entity that proposes V.44: P and number, algorithm, length, value, NSAPIs.
V44 = bytes([0x81, 1, 4, 0x20, 0, 0x20, 0])


def block(version=None, data=None, protocol=None):
    """44.065 clause 8: type, length, value."""
    out = b"" if version is None else bytes([0, 1, version])
    for kind, value in ((1, data), (2, protocol)):
        if value is not None:
            out += bytes([kind, len(value)]) + value
    return out


class Frame:
    """A U frame from the SGSN, whose commands have C/R set."""

    def __init__(self, record):
        llc = record.pdu.sdu["llc"]
        need(codec.fcs(llc[:-3]) == llc[-3:], "FCS")
        self.time_ns, self.tlli = record.time_ns, record.pdu.sdu["v_tlli"]
        self.response, self.sapi = not llc[0] & 0x40, llc[0] & 15
        self.pf, self.command = bool(llc[1] & 16), llc[1] & 15
        self.info = llc[2:-3]
        self.parameters = read_parameters(self.info) if self.command == XID else None

    def number(self, kind):
        return int.from_bytes(self.parameters[kind]) if kind in self.parameters else None

    @property
    def head(self):
        return self.response, self.sapi, self.pf, self.command


def u_frames(bss):
    """Those that have come since the last look."""
    found = [r for r in bss.dl if r.pdu.sdu["llc"][1] & 0xE0 == 0xE0]
    bss.dl = [r for r in bss.dl if r not in found]
    return [Frame(record) for record in found]


def put(bss, frame, bvci=2):
    bss.uplink_llc(bvci, TLLI, frame)
    bss.world.run(0)


def ask(bss, sapi, info, *, pf=True):
    """A command of the MS; the one answer to it, at its instant."""
    now_ns = bss.world.now_ns
    put(bss, u_frame(sapi, XID, info, pf=pf))
    frames = u_frames(bss)
    same([(f.head, f.time_ns) for f in frames], [((True, sapi, pf, XID), now_ns)], "answer")
    return frames[0]


def answer(bss, sapi, info=b"", **more):
    put(bss, u_frame(sapi, XID, info, response=True, **more))


class Osmocom:
    """GEA3 or GEA4 by libosmocore, for the frames of one MS."""

    KEY = bytes(range(8))

    def __init__(self, gea=3, key=KEY):
        self.gea, self.key = gea, key
        path = ctypes.util.find_library("osmogsm")
        if not path:
            raise Skip("libosmogsm is not there")
        self.gsm = ctypes.CDLL(path)
        self.gsm.gprs_cipher_gen_input_ui.restype = ctypes.c_uint32

    def __call__(self, llc, iov_ui, direction, oc=0):
        nu = (llc[1] & 7) << 6 | llc[2] >> 2
        value = self.gsm.gprs_cipher_gen_input_ui(
            ctypes.c_uint32(iov_ui), ctypes.c_uint8(llc[0] & 15), ctypes.c_uint32(nu),
            ctypes.c_uint32(oc))
        stream = ctypes.create_string_buffer(len(llc) - 3)
        same(self.gsm.gprs_cipher_run(stream, ctypes.c_uint16(len(llc) - 3), self.gea, self.key,
                                      ctypes.c_uint32(value), direction), 0, "gprs_cipher_run")
        return llc[:3] + bytes(a ^ b for a, b in zip(llc[3:], stream.raw))


def config(more=""):
    return as_offered(HEAD).replace("gb {", 'gb { mtu = "1600 octets",') + f"""
nse {{
    nsei = 101, {nsvc(101, BSS)},
    bvc {{ bvci = 2, {ms(IMSI, TLLI, more=more)} }}, bvc {{ bvci = 3 }},
}}
"""


def begin(world):
    bss = Bss(world, 101, [(101, BSS)], {2: 800000, 3: 800000})
    bss.up()
    return bss


def down(world, bss, octets=1500, number=0):
    """(N(U), octets of the information) of each segment of an N-PDU, which has to be whole."""
    packet = npdu("10.0.0.1", octets, number)
    world.down(world.teid(TLLI), packet)
    world.run(S)
    return reassemble(bss, packet)


def reassemble(bss, packet, decipher=lambda llc: llc):
    segments, data = [], b""
    for record in bss.dl:
        sapi, nu, info = codec.read_llc_ui(decipher(record.pdu.sdu["llc"]))
        head = 4 if info[0] & 0x40 else 3
        need(bool(info[0] & 0x40) == (not segments), "F of SNDCP")
        same((sapi, info[0] & 0x2F, info[head - 2] >> 4), (3, 0x25, len(segments) & 15), "segment")
        segments.append((nu, len(info)))
        data += info[head:]
    same(data, packet, "the N-PDU")
    bss.dl.clear()
    return segments


def ctl(world, text):
    return world.ctl(text)[0]


WANTS = 'n201_u = "1520 octets",'
PROPOSAL = (False, 3, True, XID)


def proposals(bss):
    return [(f.time_ns, f.head, f.number(5)) for f in u_frames(bss)]
