#!/usr/bin/python3
"""The GGSN changes a context (UPDATE, TS 29.060 7.3.3): the phone is asked (MODIFY, TS 24.008 6.1.3.3.1), and the GGSN
answered when the phone has. Each message lost, doubled, late; what ends it; and what else the network says to a phone in
STANDBY, which may be in any cell of its area."""

from ggsn import ADDRESS, CAUSE, DELETE, NSAPI, OPTIONS, QOS, RECOVERY, TEID_DATA, UPDATE, UPDATE_RESPONSE, first, ipv4
from phone_contexts_world import Net
from phone_crowd import attached
from phone_moves_world import MovingKeyed, MovingNet
from phone_world import S
from world import case, main, right, same

import tshark_json  # which world.py puts into the path

T3386, T3_RESPONSE, TRIES = 8 * S, 5 * S, 5
ACCEPTED, NOT_FOUND, NOT_SUPPORTED, SYSTEM_FAILURE = 128, 192, 200, 204
ARP = b"\x02"
# Background and interactive, of other rates than Sluice gives; the second has LLC acknowledged, which it cannot do.
SLOW, ACKNOWLEDGED = bytes.fromhex("1b131f7396404074030000 00"), bytes.fromhex("19131f7396404074030000 00")


def begun(net, **more):
    one = net.phone()
    attached(net, one)
    net.do(one, "activate", qos=SLOW[:12], **more)
    net.ping(one)
    return one


class Asked:
    """An UPDATE of the GGSN, which it repeats until it is answered."""

    def __init__(self, net, one, *ies, sequence=None, times=12):
        self.net, self.context, self.ies = net, net.ggsn.contexts[one.imsi, 5], ies
        self.since_ns, self.first = net.world.now_ns, len(net.ggsn.received)
        self.sequence = sequence
        self.ask(times)
        net.world.run(0)

    def ask(self, left):
        if left and not self.answers():
            self.sequence = self.net.ggsn.ask(UPDATE, self.context, (NSAPI, b"\5"), *self.ies, sequence=self.sequence)
            self.net.world.at(self.net.world.now_ns + T3_RESPONSE, self.ask, left - 1)

    def answers(self):
        """(ns since the first, cause, elements) of each."""
        return [(one.time_ns - self.since_ns, first(one.ies, CAUSE)[0], one.ies) for one in self.net.ggsn.received[self.first:]
                if (one.type, one.sequence) == (UPDATE_RESPONSE, self.sequence)]

    def cause(self):
        found = self.answers()
        same(len({tuple(ies) for _, _, ies in found}), 1, f"answers {found}")
        return found[0][1]


@case("a new QoS: the phone is asked, takes it, and the GGSN has TEID and QoS in the answer; the context goes on")
def plain():
    with Net() as net:
        one = begun(net)
        before = one.contexts[5].qos
        asked = Asked(net, one, (QOS, ARP + SLOW))
        context = net.ggsn.contexts[one.imsi, 5]
        same(asked.answers(), [(0, ACCEPTED, [(CAUSE, b"\x80"), (TEID_DATA, context.teid_sgsn_data.to_bytes(4)),
                                              (QOS, ARP + SLOW)])], "answers")
        right(before != SLOW, "another QoS")
        same((one.contexts[5].qos, net.times("modify_request"), net.times("modify_accept")),
             (SLOW, [asked.since_ns], [asked.since_ns]), "the phone's QoS")
        net.ping(one)
        net.agree(one)
        for side in ("gb", "gn"):
            path = net.world.folder / f"{side}.pcap"
            net.world.write_pcap(path, side)
            same(tshark_json.complaints(path), [], f"complaints of tshark about {side}")


@case("what the phone is not asked for: no QoS and no options is granted, another address is not; a QoS that Sluice has not "
      "becomes one that it has")
def others():
    with Net() as net:
        one = begun(net)
        own = ipv4(one.contexts[5].address)
        for ies, cause, is_asked in (((), ACCEPTED, False), (((ADDRESS, b"\xf1\x21" + own),), ACCEPTED, False),
                                     (((ADDRESS, b"\xf1\x21\x0a\x09\x09\x09"),), NOT_SUPPORTED, False),
                                     (((OPTIONS, b"\x80\x00\x0d\x04\x08\x08\x08\x08"),), ACCEPTED, True),
                                     (((QOS, ARP + ACKNOWLEDGED),), ACCEPTED, True), (((QOS, ARP + b"\0\0\0"),), ACCEPTED, True)):
            times = len(net.times("modify_request"))
            asked = Asked(net, one, *ies)
            same((asked.cause(), len(net.times("modify_request")) > times), (cause, is_asked), f"cause, and whether it is asked, {ies}")
            if cause == ACCEPTED and is_asked:
                given = first(asked.answers()[0][2], QOS)
                same((given[:1], given[1:]), (ARP, one.contexts[5].qos), "QoS of both")
                right(given[1] & 7 >= 3, "LLC unacknowledged")
            net.ping(one)
        same(Asked(net, one, (RECOVERY, bytes([net.ggsn.recovery]))).cause(), ACCEPTED, "with the restart counter that it has")


HARMS = ([{"what": "lose", "times": times} for times in range(1, 6)]
         + [{"what": "double", "ns": ns} for ns in (0, S, T3386, 40 * S)]
         + [{"what": "delay", "ns": ns} for ns in (S, T3386 - 1, T3386, T3386 + 1, 20 * S)])

for WAY, NAME in (("down", "modify_request"), ("up", "modify_accept")):
    @case(f"{NAME} lost one to five times, doubled, late: one answer, each T3386 a REQUEST, and both have one QoS", WAY, NAME)
    def harmed(way, name):
        with Net() as net:
            for harm in HARMS:
                one = begun(net)
                old = one.contexts[5].qos
                net.air.clear()
                net.harm(way, name, one=one, **harm)
                asked = Asked(net, one, (QOS, ARP + SLOW))
                net.world.run(60 * S)
                gave_up = harm.get("times") == TRIES
                same(asked.cause(), SYSTEM_FAILURE if gave_up else ACCEPTED, f"cause, {harm}")
                if gave_up:
                    same(asked.answers()[0][0], TRIES * T3386, "when it is given up")
                times = net.times("modify_request")
                same([ns - times[0] for ns in times], [n * T3386 for n in range(len(times))], f"times of REQUESTs, {harm}")
                took_it = not gave_up or way == "up"
                same(one.contexts[5].qos, SLOW if took_it else old, f"the phone's QoS, {harm}")
                net.ping(one)
                net.agree(one)
                net.do(one, "detach", power_off=True)


@case("UPDATE lost, doubled, late; and its answer: the same answer each time, and the phone is asked once")
def gtpc_harmed():
    for way, kind in (("down", UPDATE), ("up", UPDATE_RESPONSE)):
        for what, more in (("lose", {"times": 2}), ("double", {"ns": 7 * S}), ("delay", {"ns": 7 * S})):
            with Net() as net:
                one = begun(net)
                getattr(net.ggsn, what)(way, kind, **more)
                asked = Asked(net, one, (QOS, ARP + SLOW))
                net.world.run(60 * S)
                same((asked.cause(), len(net.times("modify_request")), one.contexts[5].qos), (ACCEPTED, 1, SLOW), f"{what} {kind}")
                net.ping(one)


@case("another UPDATE meanwhile is refused; DELETE, the phone's DEACTIVATE, ATTACH, detach or STATUS ends it; the GGSN is told")
def ended():
    for how in ("update", "delete", "deactivate", "attach", "detach", "status", "restart"):
        with Net() as net:
            one = begun(net)
            net.lose("down", "modify_request")
            asked = Asked(net, one, (QOS, ARP + SLOW), times=1)
            same(asked.answers(), [], "before the phone has answered")
            net.world.run(S)
            context = net.ggsn.contexts[one.imsi, 5]
            if how == "update":
                same(Asked(net, one, (QOS, ARP + ACKNOWLEDGED)).cause(), SYSTEM_FAILURE, "the second one")
            elif how == "delete":
                net.ggsn.ask(DELETE, context)
                net.ggsn.forget(context)
            elif how == "status":
                one.now_ns = net.world.now_ns
                one.say(bytes((0x0A, 0x55, 97)))
                net.follow(one, one.done())
            elif how == "restart":
                net.ggsn.restart()
                net.ggsn.ask(UPDATE, context, (NSAPI, b"\5"), (RECOVERY, bytes([net.ggsn.recovery])))
            else:
                net.do(one, how, *((5,) if how == "deactivate" else ()))
            net.world.run(60 * S)
            same(asked.cause(), ACCEPTED if how == "update" else SYSTEM_FAILURE, f"cause behind {how}")
            stays = how in ("update", "status")
            same((len(one.contexts), len(net.ggsn.contexts)), (stays, stays), f"contexts behind {how}")
            net.agree(one)
            if stays:
                net.ping(one)


for WITH, NET in {"without a key": MovingNet, "with a key": MovingKeyed}.items():
    @case(f"a phone {WITH} in STANDBY, wherever it is in its area: MODIFY, DEACTIVATE and DETACH find it", NET)
    def standby(kind):
        with kind() as net:
            for how in ("modify", "deactivate", "reallocate", "authenticate", "detach", "restart"):
                for place in ((net.bss, 2), (net.bss, 4), (net.other, 2)):
                    if how == "authenticate" and (kind is MovingNet or place[0] is net.other):
                        continue  # it has no card; or its RES in clear does not move it to another BSS
                    one = begun(net)
                    net.world.run(60 * S)
                    net.enters(one, *place)
                    if how == "modify":
                        asked = Asked(net, one, (QOS, ARP + SLOW))
                        net.world.run(30 * S)
                        same((asked.cause(), one.contexts[5].qos), (ACCEPTED, SLOW), f"QoS in {place[0].nsei}-{place[1]}")
                    elif how == "restart":
                        net.ggsn.restart()
                        net.until("it is told", lambda one=one: not one.contexts, 200 * S)
                    else:
                        before = one.p_tmsi, len(one.keys), one.state
                        words = {"deactivate": f"deactivate {one.imsi} 5"}.get(how, f"{how} {one.imsi}")
                        right(net.world.ctl(words)[0], words)
                        net.world.run(30 * S)
                        now = one.p_tmsi, len(one.keys), one.state
                        right(before != now or not one.contexts, f"{how} in {place[0].nsei}-{place[1]}: {net.shown(one)} {net.last(9)}")
                    net.world.run(30 * S)
                    if one.state == "registered":
                        net.agree(one)
                        net.do(one, "detach", power_off=True)


main()
