#!/usr/bin/python3
"""Messages in the name of a phone, by somebody else in its cell or in the one that it has left, and in the name of its
GGSN: an attempt to attach beside the phone, an update while it attaches, answers to no RAND, a restart that was none;
and what comes in between: a REQUEST that is repeated in another cell, a reload. The phone keeps its context, and gets in
whenever it wants."""

import codec
import ggsn
from phone_contexts_world import Net
from phone_crowd import attached
from phone_keys_world import FIRST, Keyed
from phone_message import GMM, lv
from phone_moves_world import MovingCard, MovingKeyed
from phone_world import MS, S
from world import GGSN, case, main, right, same

SOMEBODY = b"\xf4\xc1\x02\x03\x04"
NO_KEY = 7
ALL_TRIES = 31 * S  # of a procedure of the network


def victim(net, **more):
    one = attached(net, **more)
    net.active(one)
    net.ping(one)
    return one


def forged(net, tlli, octets, *, bvci=2, nu=100):
    net.bss.uplink_llc(bvci, tlli, codec.llc_ui(1, nu, octets))


def wrong_answer(net, tlli, number):
    forged(net, tlli, bytes((GMM, 0x13, number & 15)) + b"\x22\1\2\3\4", nu=number % 512)


def attach_request(capability):
    return bytes((GMM, 1)) + lv(capability) + bytes((NO_KEY << 4 | 1, 0, 0)) + lv(SOMEBODY) + codec.RAI + lv(b"\x17\x19")


def update_request(one):
    return bytes((GMM, 8, NO_KEY << 4)) + (one.rai or codec.RAI) + lv(b"\x17\x19")


@case("ATTACH REQUEST and an update under the TLLI of a phone with a key: no Reset but under its key, no REJECT")
def beside():
    with Keyed() as net:
        one = victim(net)
        tlli = one.tlli
        forged(net, tlli, attach_request(one.net_capability))
        forged(net, tlli, update_request(one), nu=101)
        net.world.run(MS)
        right("update_reject" not in [said.name for said in net.air], "no REJECT")
        net.ping(one)
        net.world.run(60 * S)
        net.agree(one)
        net.ping(one)


@case("an update under its TLLI between ACCEPT and COMPLETE: no Reset, and the ACCEPT comes again")
def before_complete():
    with Keyed() as net:
        one = net.phone()
        net.lose("down", "attach_accept")
        net.do(one, "attach")
        forged(net, one.tlli, update_request(one))
        net.world.run(S)
        same((one.llc.resets, [said.name for said in net.air][-1]), (0, "attach_accept"), "Resets, the last word")
        net.until("it is attached", lambda: one.state == "registered", 6 * S)
        net.active(one)
        net.agree(one)
        net.ping(one)


@case("ATTACH REQUEST under the TLLI of a phone without a key, which is switched off then: both are gone")
def switched_off():
    with Net() as net:
        one = victim(net)
        net.lose("up", "identity_response")
        forged(net, one.tlli, attach_request(one.net_capability))
        net.world.run(0)
        net.do(one, "detach", power_off=True)
        same((net.of_sluice(one), net.world.lua("return require('sluice.phones.attempts').n")), (None, "0"), "what is left")


@case("answers to no RAND, all wrong, in the cell that a phone with a key has left: its update is heard, its context stays",
      MovingKeyed)
@case("so it is for one with a card but no cipher", MovingCard)
def answers(kind):
    with kind() as net:
        one = victim(net)
        tlli, until_ns = one.tlli, net.world.now_ns + 120 * S

        def answer(number):
            wrong_answer(net, tlli, number)
            if net.world.now_ns < until_ns:
                net.world.at(net.world.now_ns + 250 * MS, answer, number + 1)

        net.lose("up", "update_request")
        net.enters(one, net.other, 3)
        answer(0)
        net.world.run(ALL_TRIES)
        net.until("it is updated", lambda: one.state == "registered" and one.rai == one.cell_rai, 15 * S)
        same(one.refused, [], "refusals")
        net.world.run(120 * S)
        net.agree(one)
        net.ping(one)


@case("answers to no RAND, all wrong, in the name of a phone that hears nothing: it stays attached")
def deaf():
    with Keyed() as net:
        one = victim(net)
        net.lose("down", "authentication_request", 5, nth=2)
        for number in range(160):
            wrong_answer(net, one.tlli, number)
            net.world.run(200 * MS)
        right(net.world.counted("authentications_failed")[0] > 0, "wrong answers are counted")
        net.world.run(60 * S)
        right("authentication_reject" not in [said.name for said in net.air], "no REJECT")
        net.ping(one)
        one.unexpected.clear()
        net.agree(one)


@case("a forged update between a phone's ACCEPT and its COMPLETE, from where it was: it is known in the next area")
def inside():
    with MovingKeyed() as net:
        one = victim(net)
        tlli, area = one.tlli, bytes.fromhex("62f224777777")
        net.delay("up", "update_complete", ns=S)
        net.enters(one, net.other, 3)
        octets = bytes((GMM, 8, one.cksn << 4)) + area + lv(b"\x17\x19")
        forged(net, tlli, octets)
        net.world.run(60 * S)
        net.agree(one)
        net.goes(one, net.bss, 2)
        same(one.refused, [], "refusals")
        net.world.run(60 * S)
        net.agree(one)
        net.ping(one)


@case("a REQUEST for an update that is repeated in another cell, octet for octet, is answered there", MovingKeyed,
      "update_accept")
@case("so it is for a phone with a card but no cipher", MovingCard, "authentication_request")
def repeated(kind, answer):
    with kind() as net:
        one = victim(net, is_impatient=True)
        net.lose("down", answer, nth=net.counts["down", answer, one.imsi] + 1)
        net.enters(one, net.other, 3)
        one.bss = net.bss  # its cell 3 is of the same area
        net.world.run(15 * S + MS)
        same((one.state, one.tries), ("registered", 2), "state, and how often it has asked")
        net.world.run(60 * S)
        net.agree(one)
        net.ping(one)


@case("a reload that takes a phone { } away between RAND and RES: the phone is not let in")
def reload_meanwhile():
    with Keyed() as net:
        one = net.phone()
        net.lose("up", "authentication_response")
        net.do(one, "attach")
        text = net.world.config.read_text()
        good, said = net.world.reload(text.replace(f'"{FIRST}"', '"001010000000500"'))
        right(good, said)
        net.world.run(7 * S)
        same((one.state, [cause for _, _, cause in one.refused], net.of_sluice(one)), ("deregistered", [7], None),
             "state, causes, and what Sluice has of it")
        net.do(one, "detach", power_off=True)


def updated(net, recovery):
    return net.ggsn.ask(ggsn.UPDATE, None, (ggsn.RECOVERY, bytes([recovery])), (ggsn.NSAPI, b"\5"),
                        (ggsn.NODE, ggsn.ipv4(GGSN)), (ggsn.NODE, ggsn.ipv4(GGSN)), teid=0x12345678)


@case("UPDATE in the GGSN's name with another restart counter: the GGSN is asked by ECHO, once, and contexts go on")
def restart():
    with Net() as net:
        one = victim(net)
        before = len(net.ggsn.times(ggsn.ECHO))
        net.ggsn.auto.discard(ggsn.ECHO)
        for recovery in (8, 99, 8):
            updated(net, recovery)
            net.world.run(MS)
        echo = [message for message in net.ggsn.received if message.type == ggsn.ECHO][-1]
        same(len(net.ggsn.times(ggsn.ECHO)) - before, 1, "ECHOs")
        net.ggsn.auto.add(ggsn.ECHO)
        net.ggsn.transmit(net.ggsn.echo(echo))
        net.world.run(S)
        same(one.refused, [], "what the phone was told")
        net.agree(one)
        net.ping(one)
        updated(net, net.ggsn.recovery)
        net.world.run(S)
        same(len(net.ggsn.times(ggsn.ECHO)) - before, 1, "ECHOs after the counter that is known")


@case("a GGSN that has restarted and says so by UPDATE: its contexts end with the answer to ECHO, not a minute later")
def restarted():
    with Net() as net:
        one = victim(net)
        net.ggsn.restart()
        updated(net, net.ggsn.recovery)
        net.world.run(S)
        same([cause for _, _, cause in one.refused], [39], "what the phone was told")
        net.active(one)
        net.ping(one)


main()
