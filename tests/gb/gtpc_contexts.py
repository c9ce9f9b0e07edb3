#!/usr/bin/python3
"""GTP-C's procedures (TS 29.060) with a GGSN that loses, doubles and delays: paths, ECHO and restarts; CREATE and
DELETE; the GGSN's own requests. Who asks for contexts is this test, in Lua, without phones. At the end of each case
no request, context, host or timer of GTP-C is left over, at neither side."""

import itertools
import random
import re

import frames as wire
from ggsn import (ADDRESS, CAUSE, CREATE, CREATE_RESPONSE, DELETE, DELETE_RESPONSE, ECHO, ECHO_RESPONSE, NODE, NOTIFY,
                  NOTIFY_RESPONSE, NSAPI, OTHER_VERSION, PORT, QOS, RECOVERY, TEID_CONTROL, TEID_DATA, UPDATE,
                  UPDATE_RESPONSE, APN, Ggsn, build, first, ipv4, parse)
from world import GGSN, GN, GN_MAC, HEAD, MS, S, World, case, main, nsvc, right, same

BSS = "198.51.100.11"
T3, N3, ECHO_EVERY, LATE = 5 * S, 4, 60 * S, 60 * S
OTHER, THIRD = "192.0.2.77", "192.0.2.78"
IMSI = "001010000000001"
QOS_OCTETS = "021b921f739740407403ffff00"

CONFIG = HEAD.replace("ggsn {", f'ggsn {{ control = "{GGSN}",') + f"""
room {{ ggsns = 4 }}
nse {{ nsei = 101, ns = "manual", {nsvc(1, BSS)}, bvc {{ bvci = 2 }} }}
"""

HELP = """
paths, contexts = require 'sluice.gtpc.path', require 'sluice.gtpc.contexts'
hex, network, timers = require 'sluice.base.hex', require 'sluice.core.network', require 'sluice.core.timers'
said, tunnel, ended = {}, {}, {}
before = network.ids.ggsn:left()
contexts.watch('ended', function(t, why)
    ended[#ended + 1] = t.imsi .. '/' .. t.nsapi .. ' ' .. why .. ' ' .. t.state
end)
function done(t, fault)
    if fault then
        said[#said + 1] = t.teid .. ' refused ' .. (fault.cause or 'none') .. ' ' .. (fault.why or '')
    else
        said[#said + 1] = t.teid .. ' there ' .. t.teid_data .. ' ' .. hex.digits(t.address.address)
    end
end
function create(teid, nsapi, imsi)
    tunnel[teid] = contexts.create({
        path = paths.named 'ggsn', imsi = imsi or 'IMSI', nsapi = nsapi or 5, teid = teid, selection = 1,
        area = { mcc = 1, mnc = 1, mnc_digits = 2, lac = 0x1234, rac = 0x56 }, apn = '\\8internet',
        address = { organisation = 1, type = 33, address = '' }, options = hex.octets '8080211001000010810600000000',
        qos = hex.octets 'QOS',
    }, done)
end
function delete(teid) contexts.delete(tunnel[teid]) end
function take(list) local text = table.concat(list, '|') for i = #list, 1, -1 do list[i] = nil end return text end
function left()
    local open, waiting, flying = 0, 0, 0
    for _, path in ipairs(paths.list) do
        for _ in next, path.open do open = open + 1 end
        waiting, flying = waiting + path.last - path.first + 1, flying + path.flying
    end
    return table.concat({ open, waiting, flying, contexts.count, #paths.list, before - network.ids.ggsn:left() }, ' ')
end
""".replace("\n", " ").replace("IMSI'", f"{IMSI}'").replace("QOS'", f"{QOS_OCTETS}'")


class Network:
    """The world with one GGSN, and the helpers in Lua."""

    def __init__(self, world, **of_ggsn):
        self.world, self.ggsn = world, Ggsn(world, **of_ggsn)
        world.lua(HELP)
        world.run(0)

    def do(self, chunk):
        """At this time, which control's clock does not show before its next step."""
        self.world.lua(f"require('sluice.core.clock').now_ns = {self.world.now_ns} {chunk}")
        self.world.run(0)

    def create(self, teid=0x100, *more):
        self.do(f"create({', '.join(map(str, [teid, *more]))})")

    def delete(self, teid=0x100):
        self.do(f"delete({teid})")

    def said(self):
        return [one for one in self.world.lua("return take(said)").split("|") if one]

    def ended(self):
        return [one for one in self.world.lua("return take(ended)").split("|") if one]

    def there(self, teid=0x100, number=1):
        return f"{teid} there {0xD0000 + number} {ipv4(f'10.1.0.{number}').hex()}"

    def left(self, there=0):
        """There are so many contexts at both sides, and nothing else but the next ECHO's timer."""
        same((self.world.lua("return left()"), len(self.ggsn.contexts)), (f"0 0 0 {there} 1 0", there), "what is left")

    def round(self):
        """Begins a next round in the same world: nothing is left of the one before, and times count from now."""
        self.settle()
        self.ggsn.faults.clear(), self.ggsn.seen.clear(), self.ggsn.cache.clear(), self.ggsn.inbox.clear()
        self.ggsn.received.clear(), self.world.tpdus.clear()
        self.ggsn.cause, self.ggsn.answer_ies, self.ggsn.numbers = 128, None, itertools.count(1)
        self.before, self.since_ns = self.counts(), self.world.now_ns

    def counts(self):
        return self.world.counted("retries", "timeouts", "gtpc_unanswered")

    def counted(self):
        return tuple(now - then for now, then in zip(self.counts(), self.before))

    def at(self, ns):
        """So long after the round's begin."""
        return self.since_ns + ns

    def settle(self, there=0):
        """After all that may be late; the ECHOs go on."""
        self.world.run(LATE + N3 * T3)
        self.ggsn.inbox.clear()
        self.world.run_until(self.world.now_ns + ECHO_EVERY,
                             lambda: any(one.type == ECHO for one in self.ggsn.inbox))
        self.world.run(S)
        self.left(there)


@case("the path: ECHO from the start on, each minute, and its log")
def echo():
    with World(CONFIG) as world:
        n = Network(world)
        same(n.ggsn.expect(ECHO, at=0).teid, 0, "TEID")
        same(len(world.log_lines(f"GGSN ggsn ({GGSN}): GTP-C is up, restart counter 7")), 1, "lines")
        for i in range(1, 4):
            n.ggsn.expect(ECHO, at=i * ECHO_EVERY)
        world.run(S)
        n.left()
        same(world.log_lines("warn"), [], "warnings")


@case("a CREATE has all elements, and what the GGSN answers is taken; then DELETE")
def both():
    with World(CONFIG) as world:
        n = Network(world)
        n.create()
        message = n.ggsn.expect(CREATE, at=0)
        same([(tag, value.hex()) for tag, value in message.ies], [
            (2, "00010100000000f1"), (3, "00f110123456"), (14, "01"),
            (15, "fd"), (16, "00000100"), (17, "00000100"), (20, "05"), (128, "f121"), (131, "08696e7465726e6574"),
            (132, "8080211001000010810600000000"), (133, ipv4(GN).hex()), (133, ipv4(GN).hex()), (135, QOS_OCTETS),
            (151, "02")], "elements")
        same(n.said(), [n.there()], "what is said")
        n.left(1)
        n.delete()
        same(n.ggsn.expect(DELETE, at=0).teid, 0xC0001, "TEID of DELETE")
        n.left(0)
        same(n.said() + n.ended(), [], "what is said")


@case("each message lost 1 to 3 times: repeated each T3, octet for octet, and both sides agree")
def lost():
    with World(CONFIG) as world:
        n = Network(world)
        for (kind, way, what), times in itertools.product(
                ((CREATE, "up", CREATE), (CREATE, "down", CREATE_RESPONSE), (DELETE, "up", DELETE),
                 (DELETE, "down", DELETE_RESPONSE)), range(1, N3)):
            n.round()
            n.ggsn.lose(way, what, times=times)
            n.create()
            world.run(times * T3 if kind == CREATE else 0)
            same(n.said(), [n.there()], f"{what} lost {times} times {way}")
            same(len(n.ggsn.contexts), 1, "contexts")
            n.delete()
            if kind == DELETE:
                world.run(times * T3 - 1)
                same(world.lua("return contexts.count"), "1", "it is kept until the answer")
                world.run(1)
            n.left(0)
            sent = [(t, d.payload) for t, d in world.tpdus if d.payload[1] == kind]
            same([t for t, _ in sent], [n.at(i * T3) for i in range(times + 1)], "when it is sent")
            same(len({octets for _, octets in sent}), 1, "different octets")
            same(n.counted(), (times, 0, 0), "counted")
        n.settle()


@case("lost 4 times: given up after 20 s, and an ECHO asks whether anybody is there")
def lost_for_good():
    with World(CONFIG) as world:
        n = Network(world)
        for way, what in (("up", CREATE), ("down", CREATE_RESPONSE), ("up", DELETE), ("down", DELETE_RESPONSE)):
            n.round()
            n.ggsn.lose(way, what, times=N3)
            n.create()
            if what in (DELETE, DELETE_RESPONSE):
                n.delete()
            n.ggsn.inbox.clear()
            world.run(N3 * T3 - 1)
            same([one for one in n.said() if "refused" in one], [], "a nanosecond before")
            world.run(1)
            same(n.said(), ["256 refused none "] if what in (CREATE, CREATE_RESPONSE) else [], "what is said")
            n.ggsn.expect(ECHO, at=n.at(N3 * T3))
            same(len(n.ggsn.contexts), 1 if what in (DELETE, CREATE_RESPONSE) else 0, "contexts of the GGSN")
            same(n.counted(), (3, 1, 1), "counted")
            if n.ggsn.contexts:  # the next one with the same names takes its place
                world.run(LATE)
                n.create(0x200)
                same(n.said(), [n.there(0x200)], "the next one")
                n.delete(0x200)
        same(len(world.log_lines("no answer to DELETE")), 2, "lines")
        n.settle()


@case("doubled: the answer counts once, and a double request gets the same answer")
def doubled():
    with World(CONFIG) as world:
        n = Network(world)
        for way, what, ns in itertools.product(("up", "down"), (CREATE, CREATE_RESPONSE, DELETE, DELETE_RESPONSE),
                                               (0, 10 * MS, 7 * S)):
            n.round()
            n.ggsn.double(way, what, ns=ns)
            n.create()
            world.run(8 * S)
            same(n.said(), [n.there()], "what is said")
            n.left(1)
            n.delete()
            world.run(8 * S)
            n.left(0)
            same(n.said() + n.ended(), [], "what is said")
        n.settle()


@case("an answer that comes after we have given up is followed by DELETE")
def late():
    with World(CONFIG) as world:
        n = Network(world)
        for cause in (128, 129, 199):
            n.round()
            n.ggsn.cause = cause
            n.ggsn.delay("down", CREATE_RESPONSE, 21 * S, times=N3)
            n.create()
            world.run(N3 * T3)
            same(n.said(), ["256 refused none "], "given up")
            if cause != 199:
                same(n.ggsn.expect(DELETE, at=n.at(21 * S)).teid, 0xC0001, "TEID")
            else:
                n.ggsn.none(DELETE, 30 * S)
            world.run(S)
            same(n.said() + n.ended(), [], "what is said")
            same(len(n.ggsn.contexts), 0, "contexts of the GGSN")
        same(len(world.log_lines("too late")), 2, "lines")
        n.settle()


@case("an answer that is late when a newer context has its place says nothing")
def late_and_newer():
    with World(CONFIG) as world:
        n = Network(world)
        n.ggsn.delay("down", CREATE_RESPONSE, 30 * S, times=N3)
        n.create()
        world.run(N3 * T3)
        n.create(0x200)
        same(n.said(), ["256 refused none ", n.there(0x200)], "what is said")
        world.run(30 * S)
        same(n.ggsn.times(DELETE), [], "DELETE REQUESTs")
        n.left(1)
        n.delete(0x200)
        n.settle()


@case("a CREATE that nobody wants any more, before its answer: DELETE follows the answer")
def unwanted():
    with World(CONFIG) as world:
        n = Network(world)
        for cause, lose in ((128, 0), (128, 2), (199, 0), (128, N3)):
            n.round()
            n.ggsn.cause = cause
            n.ggsn.delay("down", CREATE_RESPONSE, 2 * S)
            n.ggsn.lose("up", CREATE, times=lose)
            n.create()
            world.run(S)
            n.delete()
            world.run(N3 * T3 + S)
            same(n.said() + n.ended(), [], "nobody is told")
            same(n.ggsn.times(DELETE), [n.at(lose * T3 + 2 * S)] if cause == 128 and lose < N3 else [],
                 "DELETE REQUESTs")
        n.settle()


@case("the same IMSI and NSAPI again waits for the DELETE before it")
def waits():
    with World(CONFIG) as world:
        n = Network(world)
        n.create()
        n.ggsn.lose("up", DELETE, times=2)
        n.delete()
        n.create(0x200)
        n.create(0x300)  # who asks anew: 0x200 is nobody's
        world.run(2 * T3 - 1)
        same(n.ggsn.times(CREATE), [0], "CREATE REQUESTs")
        world.run(1)
        same((n.ggsn.times(DELETE), n.ggsn.times(CREATE)), ([2 * T3], [0, 2 * T3]), "messages")
        same(n.said(), [n.there(), n.there(0x300, 2)], "what is said")
        n.create(0x400, 6)
        same(n.said(), [n.there(0x400, 3)], "another NSAPI waits for nothing")
        n.delete(0x300)
        n.create(0x500)
        n.delete(0x500)  # it waits, and is not wanted any more
        world.run(S)
        n.said()
        n.ggsn.delay("down", CREATE_RESPONSE, 2 * S, nth=n.ggsn.seen["down", CREATE_RESPONSE] + 1)
        came = len(n.ggsn.times(CREATE))
        n.create(0x600)
        n.delete(0x600)
        n.create(0x700)  # it waits for the end of one that is asked for in vain
        world.run(2 * S - 1)
        same(len(n.ggsn.times(CREATE)) - came, 1, "CREATE REQUESTs")
        world.run(1)
        same((len(n.ggsn.times(CREATE)) - came, len(n.said())), (2, 1), "CREATE REQUESTs, and what is said")
        n.delete(0x700)
        world.run(S)
        n.delete(0x400)
        n.settle()


@case("a context that waits for the one before it, and is not wanted any more then, never begins")
def waiting_in_vain():
    with World(CONFIG) as world:
        n = Network(world)
        n.create()
        n.ggsn.auto.discard(DELETE)
        n.delete()
        n.create(0x101)
        n.delete(0x101)
        n.ggsn.auto.add(DELETE)
        world.run(T3)
        same((n.ggsn.times(CREATE), len(n.ggsn.times(DELETE))), ([0], 2), "CREATEs and DELETEs")
        n.settle()
        n.create(0x102)
        same(n.said()[-1], n.there(0x102, 2), "the next one")
        n.settle(1)


@case("refused, and answers that are of no use: told once, and what the GGSN has made is deleted")
def useless():
    def without(tag):
        return lambda ies: [one for one in ies if one[0] != tag]

    def replaced(tag, value):
        return lambda ies: [(one, value if one == tag else old) for one, old in ies]

    with World(CONFIG) as world:
        n = Network(world)
        for cause in (192, 199, 255, 64):
            n.round()
            n.ggsn.cause = cause
            n.create()
            same(n.said(), [f"256 refused {cause} "], "what is said")
        for spoil, why, deletes in (
                (without(TEID_DATA), "its answer has no teid data", 1),
                (without(ADDRESS), "its answer has no address", 1),
                (without(NODE), "its answer has no control address", 1), (without(QOS), "its answer has no qos", 1),
                (replaced(NODE, bytes(16)), "its answer has no control address", 1), (replaced(QOS, b"\2"), "its answer has no qos", 1),
                (replaced(ADDRESS, b"\xf1\x57" + bytes(16)), "its answer has no IPv4 address for the phone", 1),
                (replaced(ADDRESS, b"\xf1\x21"), "its answer has no IPv4 address for the phone", 1),
                (replaced(NODE, ipv4("224.0.0.1")), "its addresses cannot be used, see the line before", 1),
                (without(TEID_CONTROL), "its answer has no teid control", 0),
                (without(CAUSE), "its answer cannot be read", 0)):
            n.round()
            n.ggsn.answer_ies = spoil
            n.create()
            same(n.said(), [f"256 refused none {why}"], "what is said")
            same(len(n.ggsn.times(DELETE)), deletes, "DELETE REQUESTs")
            if not deletes:
                n.ggsn.forget(n.ggsn.contexts[IMSI, 5])
        n.settle()


@case("other addresses in the GGSN's answer: messages and tunnels go there, and the hosts end with the context")
def hosts():
    with World(CONFIG) as world:
        n = Network(world, data=OTHER, control=THIRD)
        n.create()
        n.create(0x200, 6)
        same(n.said(), [n.there(), n.there(0x200, 2)], "what is said")
        same(world.lua("return left()"), "0 0 0 2 2 2", "paths and hosts")
        same(world.lua("return tunnel[256].data == tunnel[512].data and tunnel[256].data.address"),
             f"::ffff:{OTHER}", "the host of G-PDUs")
        world.tpdus.clear()
        n.delete()
        same({d.destination for t, d in world.tpdus}, {THIRD}, "where DELETE goes")
        same(world.lua("return left()"), "0 0 0 1 2 2", "paths and hosts")
        n.ggsn.ask(DELETE, n.ggsn.contexts[IMSI, 6], source=THIRD)
        world.run(0)
        same(n.ended(), [f"{IMSI}/6 deleted gone"], "what is told")
        n.ggsn.forget(n.ggsn.contexts[IMSI, 6])
        n.settle()


@case("at most 64 requests are on their way; the rest follows in its order")
def many():
    with World(CONFIG) as world:
        n = Network(world)
        n.ggsn.auto.discard(CREATE)
        for i in range(100):
            n.create(0x1000 + i, 5, f"'{IMSI[:-3]}{i:03}'")
        came = [one for one in n.ggsn.received if one.type == CREATE]
        same(len(came), 64, "CREATE REQUESTs")
        n.ggsn.auto.add(CREATE)
        for one in came[:10]:
            n.ggsn.transmit(n.ggsn.create(one))
            world.run(0)
        n.ggsn.auto.add(CREATE)
        same(len(n.said()), 10 + 36, "those that follow are answered at once")
        world.run(T3)
        same(len(n.said()), 54, "and the others when they are repeated")
        imsis = [first(one.ies, 2) for one in n.ggsn.received if one.type == CREATE]
        same(imsis[:100], sorted(set(imsis)), "their order")
        n.left(100)
        for i in range(100):
            n.delete(0x1000 + i)
        n.settle()


@case("the GGSN deletes a context; the same request again gets the same answer, to its own port")
def ggsn_deletes():
    with World(CONFIG) as world:
        n = Network(world)
        n.create()
        n.said()
        context = n.ggsn.contexts[IMSI, 5]
        for port in (40000, 2123):
            for teid, ies, cause in ((0x101, None, 192), (0x100, [(NSAPI, b"\6")], 192), (0, None, 192)):
                n.ggsn.ask(DELETE, context, *(ies or []), port=port, teid=teid)
                answer = n.ggsn.expect(DELETE_RESPONSE, at=world.now_ns)
                same((answer.ies, answer.port, answer.teid), ([(CAUSE, bytes([cause]))], port, 0), "the answer")
        same(n.ended(), [], "what is told")
        sequence = n.ggsn.ask(DELETE, context, port=40000)
        answer = n.ggsn.expect(DELETE_RESPONSE, at=world.now_ns)
        same((answer.ies, answer.port, answer.teid, answer.sequence),
             ([(CAUSE, b"\x80")], 40000, 0xC0001, sequence), "the answer")
        same(n.ended(), [f"{IMSI}/5 deleted gone"], "what is told")
        n.ggsn.forget(context)
        world.run(10 * S)
        n.ggsn.ask(DELETE, context, port=40000, sequence=sequence)
        same(n.ggsn.expect(DELETE_RESPONSE, at=world.now_ns).octets, answer.octets, "the same again")
        n.ggsn.ask(DELETE, context, port=40001, sequence=sequence)
        same(n.ggsn.expect(DELETE_RESPONSE, at=world.now_ns).ies, [(CAUSE, b"\xc0")], "of another port")
        world.run(61 * S)
        n.ggsn.ask(DELETE, context, port=40000, sequence=sequence)
        same(n.ggsn.expect(DELETE_RESPONSE, at=world.now_ns).ies, [(CAUSE, b"\xc0")], "after a minute")
        same(n.ended(), [], "what is told")
        n.settle()


@case("the GGSN's ECHO is answered always, UPDATE and notification are refused, nonsense is not answered")
def ggsn_asks():
    with World(CONFIG, "run.seed=300") as world:
        n = Network(world)
        n.create()
        context = n.ggsn.contexts[IMSI, 5]
        for port in (2123, 50000):
            n.ggsn.ask(ECHO, port=port)
            answer = n.ggsn.expect(ECHO_RESPONSE, at=0)
            same((answer.ies, answer.port), ([(RECOVERY, bytes([300 % 256]))], port), "our restart counter")
            n.ggsn.ask(UPDATE, context, port=port)
            answer = n.ggsn.expect(UPDATE_RESPONSE, at=0)
            same((answer.ies, answer.port, answer.teid), ([(CAUSE, b"\xc8")], port, 0xC0001), "UPDATE")
            n.ggsn.ask(UPDATE, context, port=port, teid=0x999)
            same(n.ggsn.expect(UPDATE_RESPONSE, at=0).ies, [(CAUSE, b"\xc0")], "UPDATE of an unknown one")
            n.ggsn.ask(NOTIFY, None, (2, bytes.fromhex("00010100000000f1")), (TEID_CONTROL, b"\0\1\2\3"),
                       (ADDRESS, b"\xf1\x21\1\2\3\4"), (APN, b"\1a"), (NODE, ipv4(GGSN)), port=port)
            answer = n.ggsn.expect(NOTIFY_RESPONSE, at=0)
            same((answer.ies, answer.port, answer.teid), ([(CAUSE, b"\xc8")], port, 0x10203), "notification")
            n.ggsn.ask(DELETE, None, (TEID_CONTROL, bytes(4)), teid=0x100, port=port)
            same(n.ggsn.expect(DELETE_RESPONSE, at=0).ies, [(CAUSE, b"\xca")], "without its NSAPI")
        n.ggsn.inbox.clear()
        came = len(n.ggsn.received)
        n.ggsn.transmit(b"\x52" + build(ECHO, 0, 1)[1:])
        world.run(0)
        same(n.ggsn.expect(OTHER_VERSION, at=0).sequence, 1, "of a later version")
        for octets in (b"", b"\x32", build(ECHO, 0, 1)[:11], b"\x12" + build(ECHO, 0, 1)[1:],
                       b"\x30" + build(ECHO, 0, 1)[1:], b"\x22" + build(ECHO, 0, 1)[1:], build(200, 0, 1),
                       build(CREATE, 0, 1), build(26, 0, 1), build(OTHER_VERSION, 0, 1),
                       build(CREATE_RESPONSE, 0x100, 1, (CAUSE, b"\x80")), build(ECHO_RESPONSE, 0, 77, (RECOVERY, b"\9"))):
            n.ggsn.transmit(octets)
            world.run(0)
        same(len(n.ggsn.received), came + 1, "answers")
        n.left(1)
        n.delete()
        n.settle()


@case("another restart counter ends the GGSN's contexts, and no other")
def restarts():
    for how in ("echo", "create"):
        with World(CONFIG) as world:
            n = Network(world)
            n.create()
            n.create(0x200, 6)
            n.said()
            world.run(S)
            n.ggsn.restart()
            if how == "create":
                n.create(0x300, 7)
                same(n.said(), [n.there(0x300, 3)], "what is said")
            else:
                n.ggsn.inbox.clear()
                n.ggsn.expect(ECHO, at=ECHO_EVERY)
                world.run(0)
            same(n.ended(), [f"{IMSI}/{nsapi} restarted gone" for nsapi in (5, 6)], "what is told")
            same(len(world.log_lines("has restarted (its counter was 7 and is 8)")), 1, "lines")
            same(n.ggsn.times(DELETE), [], "DELETE REQUESTs")
            n.left(1 if how == "create" else 0)
            if how == "create":
                n.delete(0x300)
            n.settle()


def many(world):
    n = Network(world)
    for number in range(200):
        n.create(0x1000 + number, 5, f"'0010100001{number:05}'")
    n.said()
    world.run(S)
    return n


@case("a GGSN with 200 contexts restarts: 64 end at once, and in each ms; the others are as lost, and what is new stays")
def many_lost():
    with World(CONFIG) as world:
        n = many(world)
        n.ggsn.restart()
        n.ggsn.numbers = itertools.count(191)  # it gives TEIDs of its former life
        n.create(0x300, 7)
        same((n.said(), len(n.ended())), ([n.there(0x300, 191)], 64), "what is said, and ends at once")
        n.do(f"contexts.ask_for(tunnel[{0x1000 + 150}])")
        n.delete(0x1000 + 190)  # which had the TEIDs that the new one has
        n.create(0x400, 5, "'001010000100199'")  # instead of one whose turn has not come
        for more in (64, 63, 8):
            world.run(MS - 1)
            same(n.ended(), [], "a nanosecond before the next turn")
            world.run(1)
            same([one.split()[1] for one in n.ended()], ["restarted"] * more, "in the turn")
        same(len(n.said()), 1, "what is created in between")
        same((n.ggsn.times(DELETE), n.ggsn.times(UPDATE)), ([], []), "what the GGSN is asked about lost ones")
        n.left(2)
        for teid in 0x300, 0x400:
            n.delete(teid)
        n.settle()


@case("the restart of a GGSN with 200 contexts stands in an answer about one of them: that one is lost as all are")
def many_asked():
    with World(CONFIG) as world:
        n = many(world)
        n.ggsn.update_ies.append((RECOVERY, b"\x09"))
        n.do(f"contexts.ask_for(tunnel[{0x1000 + 150}])")
        world.run(3 * MS)
        same([one.split()[1] for one in n.ended()], ["restarted"] * 200, "why they end")
        same(world.counted("indications_refuted", "contexts_lost"), (0, 200), "counted")


@case("a GGSN with 200 contexts does not answer: a CREATE that waits for the end of any of them is refused at once")
def many_down():
    with World(CONFIG) as world:
        n = many(world)
        n.ggsn.alive = False
        world.run(ECHO_EVERY - S + N3 * T3 - 1)
        for number in 0, 190:
            n.create(0x2000 + number, 5, f"'0010100001{number:05}'")
        same((n.ended(), n.said()), ([], []), "a nanosecond before")
        world.run(1 + 3 * MS)
        same((len(n.ended()), sorted(n.said())), (200, [f"{0x2000 + number} refused none " for number in (0, 190)]), "what is told")


@case("a GGSN that does not answer: down after four ECHOs, asked each 5 s, and up again")
def down():
    with World(CONFIG) as world:
        n = Network(world)
        n.create()
        n.said()
        n.ggsn.inbox.clear()
        n.ggsn.alive = False
        world.run(ECHO_EVERY)
        n.create(0x200, 6)
        n.create(0x300, 7)
        n.delete(0x300)
        world.run(N3 * T3 - 1)
        same((n.ended(), n.said()), ([], []), "a nanosecond before")
        world.run(1)
        same(n.ended(), [f"{IMSI}/5 down gone"], "what is told")
        same(n.said(), ["512 refused none "], "what is said")
        same(len(world.log_lines(f"GGSN ggsn ({GGSN}) answers no GTP-C on UDP 2123")), 1, "lines")
        same(world.counted("paths_down", "paths_back", "contexts_lost"), (1, 0, 1), "counted")
        same(world.ctl("ggsns"), (True, f"GGSN ggsn ({GGSN}): down for 0 s, restart counter 7, contexts: 0"), "ggsns")
        came = len(world.tpdus)
        world.run(10 * 60 * S)
        same(len(world.tpdus) - came, 120, "ECHOs")
        same(len(world.log_lines("answers no GTP-C")), 1, "lines")
        n.ggsn.alive = True
        n.ggsn.contexts, n.ggsn.by_teid = {}, {}
        world.run(5 * S)
        same(len(world.log_lines("GTP-C is up")), 2, "lines")
        same(world.counted("paths_down", "paths_back"), (1, 1), "counted")
        n.create(0x400, 8)
        right(n.said()[0].startswith("1024 there"), "the next one")
        world.run(5 * S)
        right(re.fullmatch(rf"GGSN ggsn \({GGSN}\): up for 5 s, restart counter 7, echo 0.0 ms, contexts: 1",
                           world.ctl("ggsns")[1]), world.ctl("ggsns"))
        n.delete(0x400)
        n.settle()


@case("garbage and answers that nobody asked for, from the GGSN itself, leave nothing")
def garbage():
    chance = random.Random(5)
    with World(CONFIG) as world:
        n = Network(world)
        n.create()
        n.said()
        good = [octets for _, octets in n.ggsn.sent] + [
            build(kind, 0x100, 9, (NSAPI, b"\5")) for kind in (UPDATE, NOTIFY, ECHO)]
        n.ggsn.arrive = lambda *_: None
        for _ in range(2000):
            octets = bytearray(chance.choice(good))
            for _ in range(chance.randrange(1, 4)):
                at = chance.randrange(len(octets))
                octets[at:at + chance.randrange(2)] = chance.randbytes(chance.randrange(3))
            if octets[1:2] in (b"\x14", b"\x01\x0e"):
                continue
            world.put("gn", wire.frame_of(wire.Datagram(GGSN, PORT, GN, PORT, bytes(octets)), wire.mac_of(GGSN),
                                          wire.mac(GN_MAC)))
            world.run(0)
        same(world.lua("return contexts.count .. ' ' .. tunnel[256].state"), "1 there", "contexts")
        same(n.ended() + n.said(), [], "what is told")


main()
