"""LLC and SNDCP of a GPRS phone, from TS 44.064 and TS 44.065: UI frames with N(U), window, OC and FCS on each SAPI,
XID and Reset, SN-UNITDATA. It is the lower half of phone.py and, as that file, shares nothing with any codec of the
program or of its other tests.

    llc = Llc()
    octets = llc.ui(1, message)            a UI frame to be sent
    llc.null()                             a U frame that says nothing
    llc.take(octets)                       Ui(sapi, info, enciphered), or None; llc.answers are to be sent then
    llc.rekey(function)                    of (llc, iov_ui, direction, oc): the frame with its key stream over all
                                           behind the header, direction 0 up, 1 down; None: no cipher from now on
    llc.iov_uis                            the IOV-UIs that it has had
    sndcp.segments(nsapi, packet, room)    the informations of UI frames;  sndcp.take(info): a whole packet, or None

What a phone drops without a word is counted: llc.dropped["fcs" | "double" | "no key" | "odd"].
"""

import collections

NUMBERS, WINDOW, N202 = 512, 32, 4
USER_SAPIS = (3, 5, 9, 11)
N201_U = {1: 400, 2: 270, 3: 500, 5: 500, 7: 270, 8: 270, 9: 500, 11: 500}  # 44.064 table 9
XID, XID_IOV_UI, XID_N201_U, XID_LAYER3, XID_RESET = 11, 1, 5, 11, 12

Ui = collections.namedtuple("Ui", "sapi info enciphered")


class Fault(Exception):
    """The network has sent what no network may send."""


def need(condition, what):
    if not condition:
        raise Fault(what)


def rows():
    """What the bits of an octet leave of a register: the lowest bit comes first, x^23 is the register's lowest."""
    for register in range(256):
        for _ in range(8):
            register = register >> 1 ^ 0xAD85DD * (register & 1)
        yield register


ROWS = tuple(rows())


def fcs(octets):
    """CRC-24 of clause 5.5."""
    register = 0xFFFFFF
    for octet in octets:
        register = register >> 8 ^ ROWS[(register ^ octet) & 255]
    register ^= 0xFFFFFF
    return bytes((register & 255, register >> 8 & 255, register >> 16))


class Entity:
    """A SAPI. Numbers count on over 511, so that they are OC and N(U) in one."""

    def __init__(self, sapi):
        self.sapi, self.n201_u = sapi, N201_U[sapi]
        self.reset()

    def reset(self):
        self.to_send, self.awaited, self.seen = 0, 0, set()

    def clear_oc(self):
        """N(U) goes on."""
        self.to_send %= NUMBERS
        base = self.awaited // NUMBERS * NUMBERS
        self.awaited, self.seen = self.awaited - base, {number - base for number in self.seen}

    def place(self, nu):
        """The number that is meant: among the last 32, else from V(UR) on (clause 8.4.2)."""
        late = (self.awaited - nu) % NUMBERS
        if 1 <= late <= WINDOW:
            return self.awaited - late
        return self.awaited + (nu - self.awaited) % NUMBERS

    def is_double(self, number):
        return number < self.awaited and number in self.seen

    def received(self, number):
        self.seen.add(number)
        self.awaited = max(self.awaited, number + 1)
        if len(self.seen) > 2 * WINDOW:
            self.seen = {one for one in self.seen if one >= self.awaited - WINDOW}


class Llc:
    def __init__(self):
        self.entities = {sapi: Entity(sapi) for sapi in N201_U}
        self.iov_ui, self.cipher = 0, None
        self.dropped, self.answers, self.resets = collections.Counter(), [], 0
        self.iov_uis = [0]

    def rekey(self, cipher):
        self.cipher = cipher
        for entity in self.entities.values():
            entity.clear_oc()

    def ui(self, sapi, info, clear=False):
        """All of it is protected. A phone's commands have C/R 0."""
        entity = self.entities[sapi]
        need(len(info) <= entity.n201_u, f"{len(info)} octets on SAPI {sapi}")
        number, entity.to_send = entity.to_send, entity.to_send + 1
        nu, enciphered = number % NUMBERS, bool(self.cipher) and not clear
        frame = bytes((sapi, 0xC0 | nu >> 6, (nu & 63) << 2 | enciphered << 1 | 1)) + info
        frame += fcs(frame)
        return self.cipher(frame, self.iov_ui, 0, number // NUMBERS * NUMBERS) if enciphered else frame

    @staticmethod
    def null():
        """It says that the phone is there, and nothing else (6.4.1)."""
        frame = bytes((1, 0xE0))
        return frame + fcs(frame)

    def drop(self, why):
        self.dropped[why] += 1

    def take(self, frame):
        if len(frame) < 5 or frame[0] & 0xB0 or frame[0] & 15 not in self.entities:
            return self.drop("odd")
        if frame[1] & 0xE0 == 0xC0 and len(frame) >= 6:
            return self.take_ui(self.entities[frame[0] & 15], frame)
        if frame[1] & 0xE0 == 0xE0:
            return self.take_u(self.entities[frame[0] & 15], frame)
        return self.drop("odd")

    def take_ui(self, entity, frame):
        enciphered, protected = bool(frame[2] & 2), bool(frame[2] & 1)
        number = entity.place((frame[1] & 7) << 6 | frame[2] >> 2)
        if enciphered:
            if not self.cipher:
                return self.drop("no key")
            frame = self.cipher(frame, self.iov_ui, 1, number // NUMBERS * NUMBERS)
        covered = frame[:-3] if protected else frame[:-3][:3 + N202]
        if fcs(covered) != frame[-3:]:
            return self.drop("fcs")
        if entity.is_double(number):
            return self.drop("double")
        entity.received(number)
        return Ui(entity.sapi, frame[3:-3], enciphered)

    def take_u(self, entity, frame):
        """XID, whose values are all taken as proposed; what else there is a phone in ADM refuses to itself."""
        if fcs(frame[:-3]) != frame[-3:]:
            return self.drop("fcs")
        if frame[1] & 15 != XID or not frame[0] & 0x40:  # of the network C/R 1 is a command
            return self.drop("odd")
        values = parameters(frame[2:-3])
        answer = b""
        for kind, value in values:
            if kind == XID_RESET:
                need(entity.sapi == 1 and value == b"", f"XID Reset on SAPI {entity.sapi}: {frame.hex()}")
                self.reset()
            elif kind == XID_IOV_UI:
                self.iov_ui = int.from_bytes(value, "big")
                self.iov_uis.append(self.iov_ui)
            elif kind == XID_N201_U:
                entity.n201_u = int.from_bytes(value, "big")
            if kind not in (XID_RESET, XID_LAYER3):
                answer += parameter(kind, value)
        head = bytes((0x40 | entity.sapi, frame[1]))
        self.answers.append(head + answer + fcs(head + answer))
        return None

    def reset(self):
        """Clause 8.5.3.1."""
        self.resets += 1
        self.forget()

    def forget(self):
        """All numbers and parameters are as at the beginning."""
        self.iov_ui = 0
        for entity in self.entities.values():
            entity.reset()
            entity.n201_u = N201_U[entity.sapi]


def parameters(octets):
    """Of an XID (6.4.1.6): one octet XL 0, type, length; or two with XL 1."""
    at, found = 0, []
    while at < len(octets):
        head, kind = octets[at], octets[at] >> 2 & 31
        length, at = head & 3, at + 1
        if head & 0x80:
            need(at < len(octets), f"XID cut short: {octets.hex()}")
            length, at = length << 6 | octets[at] >> 2, at + 1
        need(at + length <= len(octets), f"XID cut short: {octets.hex()}")
        found.append((kind, octets[at:at + length]))
        at += length
    return found


def parameter(kind, value):
    if len(value) < 4:
        return bytes((kind << 2 | len(value),)) + value
    return bytes((0x80 | kind << 2 | len(value) >> 6, len(value) << 2 & 255)) + value


class Sndcp:
    """One context's SN-UNITDATA both ways, without compression (44.065 7.2)."""

    def __init__(self, nsapi):
        self.nsapi, self.to_send = nsapi, 0
        self.number, self.next_segment, self.parts = None, 0, b""

    def segments(self, packet, room):
        number, self.to_send = self.to_send, (self.to_send + 1) % 4096
        at, segment = 0, 0
        while True:
            head = 4 if at == 0 else 3
            part = packet[at:at + room - head]
            more = at + len(part) < len(packet)
            first = bytes((0x60 | more << 4 | self.nsapi, 0)) if at == 0 else bytes((0x20 | more << 4 | self.nsapi,))
            yield first + bytes((segment << 4 | number >> 8, number & 255)) + part
            at, segment = at + len(part), (segment + 1) % 16
            if not more:
                return

    def take(self, info):
        """A gap ends the packet that it is in."""
        first, more = info[0] & 0x40, info[0] & 0x10
        need(info[0] & 0x20, f"SN-DATA: {info[:4].hex()}")
        head = 4 if first else 3
        need(len(info) > head, f"SN-UNITDATA cut short: {info.hex()}")
        need(not first or info[1] == 0, f"compressed: {info[:4].hex()}")
        segment, number = info[head - 2] >> 4, (info[head - 2] & 15) << 8 | info[head - 1]
        if first:
            need(segment == 0, f"the first segment has number {segment}")
            self.number, self.next_segment, self.parts = number, 0, b""
        if (number, segment) != (self.number, self.next_segment):
            self.number = None
            return None
        self.parts, self.next_segment = self.parts + info[head:], (segment + 1) % 16
        if more:
            return None
        self.number = None
        return self.parts
