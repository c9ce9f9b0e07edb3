"""A GGSN that speaks GTP-C (TS 29.060) on World's network, by struct alone: it answers, or leaves answers to the
test, and loses, doubles or delays messages. It does what libgtp does where that is hard on an SGSN: a sequence number
that comes again within 15 s gets the answer that it got before, and a CREATE of a context that is there gets the same
TEIDs and address again.

How to
    ggsn = Ggsn(world)                          at GGSN's address, with restart counter 7
    ggsn.lose("up", CREATE, nth=1, times=2)     up: to the GGSN, down: to the SGSN; also double(), delay(ns=)
    ggsn.auto.discard(CREATE); ggsn.cause = 199 leaves CREATE to the test; refuses with 199
    ggsn.ask(DELETE, context, port=40000)       a request of the GGSN, repeated by nobody
    message = ggsn.expect(ECHO, at=T)           the next such message that came, exactly then; or within=
    ggsn.contexts                               by (IMSI, NSAPI): Context
    ggsn.unheard()                              those of them whose CREATE has had no answer that got through
Every message is judged on arrival: one that no GGSN should get raises.
"""

import itertools
import struct
from collections import defaultdict, namedtuple

import frames as wire
from world import GGSN, GN, GN_MAC, S, Failure, right, same

PORT = 2123
ECHO, ECHO_RESPONSE, OTHER_VERSION = 1, 2, 3
CREATE, CREATE_RESPONSE, UPDATE, UPDATE_RESPONSE, DELETE, DELETE_RESPONSE = 16, 17, 18, 19, 20, 21
NOTIFY, NOTIFY_RESPONSE = 27, 28
CAUSE, IMSI, RAI, REORDER, RECOVERY, SELECTION, TEID_DATA, TEID_CONTROL, TEAR_DOWN, NSAPI, CHARGING = \
    1, 2, 3, 8, 14, 15, 16, 17, 19, 20, 127
ADDRESS, APN, OPTIONS, NODE, QOS, RAT = 128, 131, 132, 133, 135, 151
FIXED = {CAUSE: 1, IMSI: 8, RAI: 6, REORDER: 1, RECOVERY: 1, SELECTION: 1, TEID_DATA: 4, TEID_CONTROL: 4,
         TEAR_DOWN: 1, NSAPI: 1, CHARGING: 4}
# What a strict GGSN wants of an SGSN without HLR (table 5 of 7.3.1), in ascending order.
OF_CREATE = [IMSI, RAI, RECOVERY, SELECTION, TEID_DATA, TEID_CONTROL, NSAPI, ADDRESS, APN, NODE, NODE, QOS, RAT]
CACHE_S = 15

Message = namedtuple("Message", "time_ns type teid sequence ies port octets")


class Context:
    """What the GGSN knows of one: the SGSN's side, and its own."""

    def __init__(self, number, address):
        self.teid_control, self.teid_data, self.address = 0xC0000 + number, 0xD0000 + number, address


def put(tag, value):
    return bytes([tag]) + (value if tag < 128 else len(value).to_bytes(2) + value)


def build(kind, teid, sequence, *ies):
    body = b"".join(put(tag, value) for tag, value in ies)
    return struct.pack(">BBHIHH", 0x32, kind, 4 + len(body), teid, sequence, 0) + body


def parse(octets):
    """(type, TEID, sequence number, [(tag, value), ...]); what follows from broken octets is the caller's fault."""
    first, kind, length, teid, sequence, rest = struct.unpack(">BBHIHH", octets[:12])
    same((first, rest, length), (0x32, 0, len(octets) - 8), f"header of {octets.hex()}")
    at, ies = 12, []
    while at < len(octets):
        tag = octets[at]
        n, head = (FIXED[tag], 1) if tag < 128 else (int.from_bytes(octets[at + 1:at + 3]), 3)
        right(at + head + n <= len(octets), f"an element {tag} beyond the end of {octets.hex()}")
        ies.append((tag, octets[at + head:at + head + n]))
        at += head + n
    same([tag for tag, _ in ies], sorted(tag for tag, _ in ies), f"order of the elements of {octets.hex()}")
    return kind, teid, sequence, ies


def first(ies, tag):
    return next((value for one, value in ies if one == tag), None)


def ipv4(address):
    return bytes(map(int, address.split(".")))


class Ggsn:
    def __init__(self, world, address=GGSN, *, recovery=7, data=None, control=None):
        self.world, self.address, self.recovery = world, address, recovery
        self.data, self.control = data or address, control or address
        self.auto = {ECHO, CREATE, DELETE, UPDATE}
        self.cause = self.cause_of_update = 128
        self.update_ies = []  # behind the cause of UPDATE RESPONSE
        self.answer_ies = None  # function of the elements of a CREATE RESPONSE, to spoil them
        self.contexts, self.by_teid = {}, {}
        self.numbers, self.sequences = itertools.count(1), itertools.count(0x4000)
        self.received, self.inbox, self.sent = [], [], []
        self.faults = []  # (direction, type, what, numbers of the messages that it hits, ns)
        self.seen = defaultdict(int)
        self.heard = set()  # sequence numbers of CREATE RESPONSEs that got through
        self.cache = {}
        self.alive = True
        for host in {self.address, self.control}:
            world.attach(host, PORT, lambda datagram, host=host: self.arrive(datagram, host))

    # ---- The network between ----

    def lose(self, direction, kind, nth=1, times=1):
        self.faults.append((direction, kind, "lose", range(nth, nth + times), 0))

    def double(self, direction, kind, nth=1, times=1, ns=0):
        self.faults.append((direction, kind, "double", range(nth, nth + times), ns))

    def delay(self, direction, kind, ns, nth=1, times=1):
        self.faults.append((direction, kind, "delay", range(nth, nth + times), ns))

    def through(self, direction, kind, go):
        self.seen[direction, kind] += 1
        hit = [(what, ns) for way, of, what, which, ns in self.faults
               if (way, of) == (direction, kind) and self.seen[direction, kind] in which]
        what, ns = hit[0] if hit else (None, 0)
        if what in (None, "double"):
            go()
        if what in ("delay", "double"):
            self.world.at(self.world.now_ns + ns, go)

    def arrive(self, datagram, host):
        same((datagram.source, datagram.port), (GN, PORT), "who sends")
        octets = datagram.payload
        kind, teid, sequence, ies = parse(octets)
        if self.alive:
            self.through("up", kind, lambda: self.take(Message(self.world.now_ns, kind, teid, sequence, ies,
                                                               datagram.destination_port, octets), host))

    def transmit(self, octets, port=PORT, source=None, to=PORT):
        source = source or self.address

        def go():
            self.sent.append((self.world.now_ns, octets))
            if octets[1:2] == bytes([CREATE_RESPONSE]):
                self.heard.add(octets[8:10])
            self.world.put("gn", wire.frame_of(wire.Datagram(source, port, GN, to, octets), wire.mac_of(source),
                                               wire.mac(GN_MAC)))
        self.through("down", octets[1] if len(octets) > 1 else None, go)

    # ---- What comes ----

    def take(self, message, host):
        self.received.append(message)
        self.inbox.append(message)
        if not self.alive:
            return
        before = self.cache.get(message.sequence)
        if before and message.type in (CREATE, DELETE, UPDATE) and message.time_ns - before[0] < CACHE_S * S:
            self.transmit(before[1], source=host)
            return
        handler = {ECHO: self.echo, CREATE: self.create, DELETE: self.delete, UPDATE: self.update}.get(message.type)
        if handler and message.type in self.auto:
            answer = handler(message)
            if message.type != ECHO:
                self.cache[message.sequence] = message.time_ns, answer
            self.transmit(answer, source=host)

    def echo(self, message):
        same((message.teid, message.ies), (0, []), "an ECHO REQUEST")
        return build(ECHO_RESPONSE, 0, message.sequence, (RECOVERY, bytes([self.recovery])))

    def create(self, message):
        tags = [tag for tag, _ in message.ies if tag != OPTIONS]
        same((message.teid, tags), (0, OF_CREATE), "elements of a CREATE REQUEST")
        of = dict(message.ies)
        imsi = "".join(f"{octet & 15:x}{octet >> 4:x}" for octet in of[IMSI]).rstrip("f")
        key = imsi, of[NSAPI][0]
        right(5 <= key[1] <= 15 and of[SELECTION][0] & 0xFC == 0xFC, "NSAPI and selection mode")
        same([value for tag, value in message.ies if tag == NODE], [ipv4(GN), ipv4(GN)], "the SGSN's addresses")
        same((of[ADDRESS][0] & 0xF0, of[RAT]), (0xF0, b"\2"), "spare bits of the address, and GERAN")
        teid = int.from_bytes(of[TEID_CONTROL])
        if not 128 <= self.cause < 192:
            return build(CREATE_RESPONSE, teid, message.sequence, (CAUSE, bytes([self.cause])))
        if key not in self.contexts:
            number = next(self.numbers)
            self.contexts[key] = Context(number, f"10.1.{number >> 8}.{number & 255}")
        context = self.contexts[key]
        context.teid_sgsn, context.teid_sgsn_data, context.key = teid, int.from_bytes(of[TEID_DATA]), key
        context.apn, context.qos, context.since_ns = of[APN], of[QOS], message.time_ns
        context.sequence = message.sequence.to_bytes(2)
        self.by_teid[context.teid_control] = context
        ies = [(CAUSE, bytes([self.cause])), (REORDER, b"\xfe"), (RECOVERY, bytes([self.recovery])),
               (TEID_DATA, context.teid_data.to_bytes(4)), (TEID_CONTROL, context.teid_control.to_bytes(4)),
               (CHARGING, bytes(4)), (ADDRESS, b"\xf1\x21" + ipv4(context.address)),
               *([(OPTIONS, of[OPTIONS])] if OPTIONS in of else []),
               (NODE, ipv4(self.control)), (NODE, ipv4(self.data)), (QOS, of[QOS])]
        if self.answer_ies:
            ies = self.answer_ies(ies)
        return build(CREATE_RESPONSE, teid, message.sequence, *ies)

    def update(self, message):
        """One that changes nothing, which a strict GGSN takes (table 7 of 7.3.3)."""
        context = self.by_teid.get(message.teid)
        if not context:
            return build(UPDATE_RESPONSE, 0, message.sequence, (CAUSE, b"\xc0"), *self.update_ies)
        same(message.ies, [(TEID_DATA, context.teid_sgsn_data.to_bytes(4)), (TEID_CONTROL, context.teid_sgsn.to_bytes(4)),
                           (NSAPI, bytes([context.key[1]])), (NODE, ipv4(GN)), (NODE, ipv4(GN)), (QOS, context.qos)],
             "elements of an UPDATE REQUEST")
        return build(UPDATE_RESPONSE, context.teid_sgsn, message.sequence, (CAUSE, bytes([self.cause_of_update])),
                     *self.update_ies)

    def delete(self, message):
        context = self.by_teid.pop(message.teid, None)
        if not context:
            return build(DELETE_RESPONSE, 0, message.sequence, (CAUSE, b"\xc0"))
        same(message.ies, [(TEAR_DOWN, b"\xff"), (NSAPI, bytes([context.key[1]]))], "elements of a DELETE REQUEST")
        del self.contexts[context.key]
        return build(DELETE_RESPONSE, context.teid_sgsn, message.sequence, (CAUSE, b"\x80"))

    # ---- What the GGSN begins ----

    def ask(self, kind, context=None, *ies, port=PORT, sequence=None, teid=None, source=None):
        """Returns the sequence number. DELETE and UPDATE name the context's NSAPI."""
        sequence = next(self.sequences) if sequence is None else sequence
        if context and not ies:
            ies = [(NSAPI, bytes([context.key[1]]))]
            if kind == DELETE:
                ies.insert(0, (TEAR_DOWN, b"\xff"))
        if teid is None:
            teid = context.teid_sgsn if context else 0
        self.world.attach(source or self.address, port,
                          lambda datagram: self.arrive(datagram, source or self.address))
        self.transmit(build(kind, teid, sequence, *ies), port, source)
        return sequence

    def unheard(self):
        return [context for context in self.contexts.values() if context.sequence not in self.heard]

    def forget(self, context):
        del self.contexts[context.key], self.by_teid[context.teid_control]

    def restart(self, recovery=None):
        """It has lost all contexts, and its counter is another one."""
        self.recovery = (self.recovery + 1) % 256 if recovery is None else recovery
        self.contexts, self.by_teid, self.cache = {}, {}, {}

    # ---- Asking what came ----

    def expect(self, kind, *, at=None, within=None):
        """The next message of that type that nobody has asked for yet."""
        end_ns = self.world.now_ns + (within or 0) if at is None else at
        found = []

        def done():
            found[:] = [one for one in self.inbox if one.type == kind]
            return bool(found)
        if not done():
            self.world.run_until(end_ns, done)
        if not found:
            raise Failure(f"no message of type {kind} by {end_ns} ns, but {self.inbox}\n{self.world.log()[-2000:]}")
        message = found[0]
        self.inbox.remove(message)
        if at is not None:
            same(message.time_ns, at, f"when a message of type {kind} came")
        return message

    def none(self, kind, ns):
        """No such message comes in that time."""
        self.world.run(ns)
        same([one for one in self.inbox if one.type == kind], [], f"messages of type {kind}")

    def times(self, kind):
        return [one.time_ns for one in self.received if one.type == kind]
