"""The radio of a cell, as osmo-pcu sees it through its BTS: PDCHs in real time, and MSs that take
downlink RLC blocks (TS 44.060), put LLC PDUs together again and acknowledge. No block is lost."""

import math
import time

import fake_bts
from fake_bts import AGCH, DATA_IND, DATA_REQ, FN_COUNT, PCH, PDTCH, RTS_REQ, block_of

BLOCK_S = 0.02  # 12 blocks in a 52-multiframe of 240 ms
WINDOW, BSNS = 64, 128
DATA_END = {23: 23, 34: 33, 40: 39, 54: 53}  # CS-1 to CS-4: behind it is filler
REPLY_AFTER = (13, 17, 21, 26)  # frames, by RRBP
UPLINK_CONTROL = 0x40  # payload type of an RLC/MAC control block
CONTROL_ACK, DOWNLINK_ACK, DOWNLINK_ASSIGNMENT = 1, 2, 2  # message types


def control_block(*fields):
    """Each a value and its bits; behind them the padding of 2b."""
    value = bits = 0
    for one, width in ((UPLINK_CONTROL, 8), *fields):
        value, bits = value << width | one, bits + width
    padding = int.from_bytes(b"\x2b" * 23) & (1 << 184 - bits) - 1
    return (value << 184 - bits | padding).to_bytes(23)


class Bits:
    """Reads them one field after the other."""

    def __init__(self, octets, at=0):
        self.value, self.left = int.from_bytes(octets), 8 * len(octets) - at

    def take(self, bits):
        self.left -= bits
        return self.value >> self.left & (1 << bits) - 1


def immediate_assignment(octets):
    """TLLI, TFI and slots, where it is one of a downlink TBF (44.018 clause 9.1.18, 10.5.2.16)."""
    rest = Bits(octets, 96)
    if octets[1:3] != b"\x06\x3f" or rest.take(4) != 0b1101:
        return None
    tlli, _, tfi = rest.take(32), rest.take(1), rest.take(5)
    return tlli, tfi, [octets[4] & 7]


def packet_assignment(block, tlli_of):
    """The same of a PACKET DOWNLINK ASSIGNMENT (44.060 clause 11.2.7) whose frequency parameters are a
    TSC and an ARFCN. It is addressed by TLLI, or by the TFI of the TBF before: tlli_of(tfi)."""
    rest = Bits(block, 8)
    if rest.take(6) != DOWNLINK_ASSIGNMENT or rest.take(3) & 1:  # page mode; no persistence level
        return None
    if rest.take(1) == 0:
        tlli = tlli_of(rest.take(6) & 31)
    else:
        tlli = rest.take(33) & 0xFFFFFFFF
    _, slots = rest.take(5), rest.take(8)
    rest.take(6 * rest.take(1)), rest.take(7 * rest.take(1)), rest.take(1)
    rest.take(15 * rest.take(1))
    tfi = rest.take(6)
    return tlli, tfi & 31, [slot for slot in range(8) if slots >> 7 - slot & 1]


def pieces(block):
    """What an RLC data block carries: octets, and whether an LLC PDU ends with them."""
    at, end, last = 3, DATA_END[len(block)], block[2] & 1
    lengths = []
    while not last:
        lengths.append((block[at] >> 2, block[at] >> 1 & 1))
        last = block[at] & 1
        at += 1
    for length, more in lengths:
        if length == 0:  # it would end here, but for the length indicator itself
            break
        yield block[at:at + length], True
        at += length
        if not more:
            return
    if at < end:
        yield block[at:end], block[1] & 1 == 1 and not lengths


class Tbf:
    """A downlink TBF at the MS. `pdu` is called with the TLLI and an LLC PDU: [(when, octets), ...]; what
    has come of the next one is in `parts`."""

    def __init__(self, pdu, tlli):
        self.pdu, self.tlli, self.tfi = pdu, tlli, 0
        self.next, self.told = 0, 0  # BSN to be taken to pieces next; behind the latest received
        self.blocks, self.recent = {}, set()
        self.parts, self.over = [], False

    def take(self, block, now):
        bsn = block[2] >> 1
        if (bsn - self.told) % BSNS < WINDOW:
            self.told = (bsn + 1) % BSNS
            self.recent = {one for one in self.recent if (self.told - one) % BSNS <= WINDOW}
        if bsn not in self.recent and (bsn - self.next) % BSNS < WINDOW:
            self.recent.add(bsn)
            self.blocks[bsn] = block, now
        while self.next in self.blocks:
            block, when = self.blocks.pop(self.next)
            self.next = (self.next + 1) % BSNS
            self.over = block[1] & 1 == 1
            for octets, ends in pieces(block):
                self.parts.append((when, octets))
                if ends:
                    self.pdu(self.tlli, self.parts)
                    self.parts = []

    def ack(self):
        """PACKET DOWNLINK ACK/NACK, 44.060 clause 11.2.6."""
        bitmap = 0
        for back in range(WINDOW, 0, -1):
            bitmap = bitmap << 1 | ((self.told - back) % BSNS in self.recent)
        return control_block((DOWNLINK_ACK, 6), (self.tfi, 5), (self.over, 1), (self.told, 7),
                             (bitmap, WINDOW), (0, 1), (40, 6), (0, 3), (0, 6), (0, 8))


class Radio(fake_bts.Bts):
    def __init__(self, folder, sgsn, local_port, pdchs, pdu):
        super().__init__(folder, sgsn, local_port, range(8 - pdchs, 8))
        self.pdu, self.replies = pdu, {}
        self.tbf_of, self.tbf_at = {}, {}  # by TLLI; by TFI and slot
        self.unanswered = 0  # blocks that were asked for
        self.latest_s = 0.0  # by how much a block came late at worst
        self.due = math.inf

    def begin(self):
        """The PCU has had INFO.ind, and answers."""
        self.due = time.monotonic()

    def tick_if_due(self):
        """Seconds until the next block. A machine that is late makes the radio late, but takes no turn
        from the PCU: each block that was asked for has come first."""
        now = time.monotonic()
        if now < self.due or self.unanswered:
            return max(self.due - now, BLOCK_S)
        self.latest_s = max(self.latest_s, now - self.due)
        self.due += BLOCK_S
        block = block_of(self.fn)
        for slot in self.slots:
            octets = self.replies.pop((self.fn, slot), b"")
            self.data(DATA_IND, PDTCH, octets, block, slot)
        self.fn = self.later(5 if self.fn % 13 == 8 else 4)
        for slot in self.slots:
            self.ask(RTS_REQ, block_of(self.fn), slot)
        self.unanswered = len(self.slots)
        return 0

    def later(self, frames, fn=None):
        return ((self.fn if fn is None else fn) + frames) % FN_COUNT

    def read(self):
        message = super().read()
        if not message or message[0] != DATA_REQ:
            return
        sapi, octets = message[4], message[6:6 + message[5]]
        self.unanswered -= sapi == PDTCH
        if sapi == PDTCH and octets:
            self.down(octets, int.from_bytes(message[168:172], "little"), message[175])
        elif sapi in (AGCH, PCH):
            self.assign(immediate_assignment(octets[-23:]))

    def assign(self, terms):
        """Where an MS listens now; a TBF that goes on keeps its blocks."""
        if terms is None:
            return
        tlli, tfi, slots = terms
        tbf = self.tbf_of.get(tlli)
        if tbf is None or tbf.over:
            tbf = self.tbf_of[tlli] = Tbf(self.pdu, tlli)
        tbf.tfi = tfi
        for slot in slots:
            self.tbf_at[tfi, slot] = tbf

    def down(self, block, fn, slot):
        if block[0] >> 6:
            terms = packet_assignment(block, lambda tfi: self.tbf_at[tfi, slot].tlli)
            self.assign(terms)
            reply = control_block((CONTROL_ACK, 6), (terms[0] if terms else 0, 32), (3, 2))
        else:
            tbf = self.tbf_at.get((block[1] >> 1 & 31, slot))
            if tbf is None:  # an MS that did not hear its assignment
                return
            tbf.take(block, time.monotonic())
            reply = tbf.ack()
        if block[0] & 8:  # S/P: it is to answer
            self.replies[self.later(REPLY_AFTER[block[0] >> 4 & 3], fn), slot] = reply
