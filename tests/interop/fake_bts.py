"""A BTS without radio for osmo-pcu: it listens on the PCU socket, describes one cell with one PDCH
(or more), and gives the clock: every 20 ms a block, received as nothing and asked for to be sent. What a
peer has to see on the air (an access burst, an uplink block) it makes up when asked; radio.py has MSs."""

import os
import socket
import struct

import gb

DATA_REQ, DATA_CNF, DATA_IND, SUSP_REQ, RTS_REQ, RACH_IND, INFO_IND, TXT_IND = (
    0, 1, 2, 3, 0x10, 0x22, 0x32, 0x70)
RACH, AGCH, PCH, PDTCH = 1, 2, 3, 5
ARFCN, SLOT = 871, 7
FN_COUNT = 2715648
LENGTH = 1006  # of every message
ACTIVE_CS1_CS2 = 1 | 1 << 16 | 1 << 17


def info_ind(sgsn, local_port, slots):
    """Version 10 of the interface."""
    slot = struct.pack("<5B8s", 7, 0, 0, 0, 0, bytes(8))
    carrier = struct.pack("<HBBI", ARFCN, sum(1 << slot for slot in slots), 0, 0) + slot * 8
    cell = struct.pack("<BHHBHHH", 63, gb.MCC, gb.MNC, 0, gb.LAC, gb.RAC, gb.NSEI)
    cell += bytes([3, 3, 3, 3, 30, 3, 10, 3, 3, 3, 3, 3, 10, 3, 10, 3, 10, 3])  # NS, BSSGP timers
    timers = struct.pack("<HHBH9BHHBB", gb.CI, 50, 1, gb.BVCI, 20, 5, 5, 160, 5, 10, 4, 8, 15, 250,
                         250, 2, 1)
    address, port = sgsn
    vc = struct.pack("<6H2B4s28x", gb.NSVCI, 0, local_port, 0, port, 0, 4, 0,
                     socket.inet_aton(address))
    return (struct.pack("<II", 10, ACTIVE_CS1_CS2) + carrier + bytes(7 * len(carrier)) + cell +
            timers + vc)


def block_of(fn):
    """The number of the block, 0 to 11, that begins with this frame: three blocks are 13 frames."""
    return fn % 52 // 13 * 3 + fn % 13 // 4


class Bts:
    def __init__(self, folder, sgsn, local_port, slots=(SLOT,)):
        self.path = os.path.join(folder, "pcu_bts")
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(self.path)
        self.listener.listen()
        self.sgsn, self.local_port, self.slots = sgsn, local_port, slots
        self.fn, self.uplink = 0, []  # blocks that wait for their turn
        self.assignments = []  # on AGCH and PCH

    def accept(self):
        self.listener.settimeout(10)
        self.socket, _ = self.listener.accept()

    def send(self, kind, body):
        self.socket.send((struct.pack("<BB2x", kind, 0) + body).ljust(LENGTH, b"\0"))

    def data(self, kind, sapi, octets, block=0, slot=SLOT):
        body = struct.pack("<BB162sIHBBBbHhh", sapi, len(octets), octets, self.fn, ARFCN, 0, slot,
                           block, -60, 0, 0, 200)
        self.send(kind, body)

    def read(self):
        message = self.socket.recv(4096)
        kind = message[0]
        if kind == TXT_IND:
            self.send(INFO_IND, info_ind(self.sgsn, self.local_port, self.slots))
        elif kind == DATA_REQ:
            sapi, length = message[4:6]
            octets = message[6:6 + length]
            if sapi in (AGCH, PCH):
                self.assignments.append(octets)
            if sapi == PCH:  # behind three digits of the paging group
                self.data(DATA_CNF, PCH, octets[-23:])
        return message

    def ask(self, kind, block, slot=SLOT):
        self.send(kind, struct.pack("<B3xIHBBB", PDTCH, self.fn, ARFCN, 0, slot, block))

    def tick(self):
        """One block, up and down."""
        block = block_of(self.fn)
        self.data(DATA_IND, PDTCH, self.uplink.pop(0) if self.uplink else b"", block)
        self.fn = (self.fn + (5 if self.fn % 13 == 8 else 4)) % FN_COUNT
        self.ask(RTS_REQ, block)

    def access(self):
        """A burst that asks for one-phase packet access."""
        self.send(RACH_IND, struct.pack("<BHhIHBBBB", RACH, 0x78, 0, self.fn, ARFCN, 0, 0, 0, 0))

    def suspend(self, tlli):
        self.send(SUSP_REQ, struct.pack("<I6sB", tlli, gb.RAI, 0))


def uplink_block(tlli, llc, tfi=0):
    """One CS-1 block with a whole LLC PDU of at most 14 octets, the last of its TBF."""
    block = bytes([0, tfi << 1 | 1, 0, len(llc) << 2 | 1]) + struct.pack(">I", tlli) + llc
    return block.ljust(23, b"\x2b")
