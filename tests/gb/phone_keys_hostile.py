#!/usr/bin/python3
"""A hostile phone, which hears all that is in clear and sends what it likes, against one with a key: recorded answers,
answers of another card, the other's P-TMSI, forged updates and detaches, answers in the other's name, noise. The other
keeps its place, its contexts and its key, and gets in whenever it wants."""

import os
import random

import codec
from phone_crowd import attached
from phone_keys_world import Keyed
from phone_message import GMM
from phone_world import S
from harness import has_sanitizers
from world import case, main, right, same

# The sanitizers' million is what a hostile phone is for; it takes minutes.
NOISE = 1000000 if "TEST_DEEP" in os.environ else 20000 if has_sanitizers() else 50000


def victim(net):
    one = attached(net)
    net.active(one)
    net.ping(one)
    return one


def unharmed(net, one, key):
    """It has noticed nothing: its key, its context, its place; a ping gets through, and a detach is heard."""
    net.agree(one)
    same((one.keys[-1], one.llc.resets, one.unexpected, one.refused), (key, 0, [], []), "key, Resets, what it wondered at")
    net.ping(one)


def answers_of(net, name):
    return [said.octets for said in net.air if said.name == name]


@case("a recorded RES, at the next RAND: it is wrong; the phone that it was of keeps its place")
def replayed():
    with Keyed() as net:
        one = victim(net)
        key, recorded = one.keys[-1], answers_of(net, "authentication_response")[0]
        other = net.phone(one.imsi, bvci=3)  # it says the other's IMSI
        other.card = None
        net.do(other, "attach")
        for _ in range(8):
            request = answers_of(net, "authentication_request")[-1]
            other.now_ns = net.world.now_ns
            other.say(recorded[:2] + bytes((request[3] >> 4,)) + recorded[3:])
            net.follow(other, other.done())
            net.world.run(5 * S)
        right(net.world.counted("authentications_failed")[0] >= 5, "wrong answers are counted")
        net.phones.remove(other)
        net.world.run(60 * S)
        unharmed(net, one, key)


@case("another's P-TMSI, with a card of its own: it is asked for its IMSI, and gets in as itself")
def claim():
    with Keyed() as net:
        one = victim(net)
        key, other = one.keys[-1], net.phone(bvci=3)
        other.p_tmsi, other.rai = one.p_tmsi, b"\x62\xf2\x24\x12\x34\x57"  # its TLLI is foreign
        attached(net, other)
        net.world.run(60 * S)
        right("identity_request" in [said.name for said in net.air], "it is asked for its IMSI")
        net.agree(other)
        unharmed(net, one, key)


def forged(net, one, octets, bvci, times=3):
    """In the other's name, in clear, with numbers that may be anything."""
    for number in range(times):
        frame = bytes((1, 0xC0 | number, 0x91)) + octets
        net.bss.uplink_llc(bvci, one.tlli, frame + codec.fcs(frame))
        net.world.run(7 * S)


@case("forged updates with its P-TMSI, here and in another cell, with an empty PDP status: its data go on where it is")
def update():
    for bvci in (2, 3):
        with Keyed() as net:
            one = victim(net)
            key = one.keys[-1]
            for cksn in (one.cksn, (one.cksn + 1) % 7):
                octets = bytes((GMM, 8, cksn << 4)) + one.rai + b"\x00" + b"\x32\x02\x00\x00"
                forged(net, one, octets, bvci)
                net.world.run(60 * S)
            if bvci == 3:  # in its own cell it has answered whatever came for it: a RAND, a P-TMSI
                same((one.keys[-1], one.llc.resets), (key, 0), "key and Resets")
            same((net.of_sluice(one)[4:], list(one.contexts)), (["2", f"5:active:{one.contexts[5].address}"], [5]), "its place")
            net.ping(one)
            net.do(one, "update", kind=3)
            net.until("it is updated", lambda one=one: one.state == "registered")
            net.world.run(60 * S)
            net.agree(one)
            net.ping(one)


@case("a forged DETACH REQUEST, DEACTIVATE, ATTACH COMPLETE in clear: dropped and counted")
def clear():
    with Keyed() as net:
        one = victim(net)
        key = one.keys[-1]
        for octets in (b"\x08\x05\x09", b"\x08\x05\x01", b"\x0a\x46\x24", b"\x08\x03", b"\x08\x06", b"\x08\x0a"):
            before = net.world.counted("signalling_clear")[0]
            forged(net, one, octets, 2)
            same(net.world.counted("signalling_clear")[0] - before, 3, f"{octets.hex()} dropped")
        unharmed(net, one, key)


@case("a forged AUTS in its name while it attaches moves no SQN: its own card is let in without one")
def forged_auts():
    with Keyed() as net:
        one = net.phone()
        net.lose("up", "authentication_response")
        net.do(one, "attach")
        for number in range(4):
            frame = bytes((1, 0xC1 + number, 0x01)) + bytes((GMM, 0x1C, 21, 0x30, 14)) + bytes(range(number, number + 14))
            net.bss.uplink_llc(2, one.tlli, frame + codec.fcs(frame))
            net.world.run(S)
        net.until("it is attached", lambda: one.state == "registered")
        same((net.world.counted("resynchronisations", "authentications"), one.refused), ((0, 1), []), "counts")


@case("wrong answers in its name while it attaches: it gets in, and is not told that it has failed")
def drowned():
    with Keyed() as net:
        one = net.phone()
        net.lose("up", "authentication_response", 2)
        net.do(one, "attach")
        for _ in range(4):
            for reference in range(16):
                frame = bytes((1, 0xC1, 0x01)) + bytes((GMM, 0x13, reference)) + b"\x22\x01\x02\x03\x04"
                net.bss.uplink_llc(2, one.tlli, frame + codec.fcs(frame))
            net.world.run(4 * S)
        net.until("it is attached", lambda: one.state == "registered")
        net.world.run(60 * S)
        right("authentication_reject" not in [said.name for said in net.air], "no REJECT")
        net.active(one)
        net.agree(one)
        net.ping(one)


@case(f"{NOISE} frames of noise on SAPI 1, under TLLIs of phones and of nobody: no error, nothing is left, all go on", NOISE)
@case(f"{NOISE // 10} of them, for phones with a card but no cipher, of GMM", NOISE // 10, ("none",))
def noise(count, *ciphers):
    chance = random.Random(7)
    with Keyed(*ciphers, keeps=False) as net:
        phones = [victim(net) for _ in range(3)]
        before = net.world.counted("authentications")
        for number in range(count):
            one = chance.choice(phones)
            tlli = chance.choice((one.tlli, one.tlli ^ 0x40000000, chance.getrandbits(32)))
            info = chance.randbytes(chance.randrange(2, 60))
            if chance.random() < 0.7:
                info = bytes((chance.choice((8, 10)), chance.choice((1, 3, 5, 8, 10, 0x11, 0x13, 0x16, 0x1C, 0x20, 0x41)))) + info
            if ciphers:  # GMM alone: a STATUS to SM that it has not sent is no message to a phone
                info = bytes((info[0] & 0xF0 | GMM,)) + info[1:]
            frame = bytes((1, 0xC0 | chance.randrange(8), chance.getrandbits(8))) + info
            frame += codec.fcs(frame) if chance.random() < 0.8 else chance.randbytes(3)
            net.bss.uplink_llc(chance.choice((2, 3)), tlli, frame)
            if number % 50 == 0:
                net.world.run(S // 10)
        net.world.run(120 * S)
        print(f"# authentications in between: {net.world.counted('authentications')[0] - before[0]}")
        for one in phones:  # what noise has asked of them they have answered
            attached(net, one)
            net.active(one)
            net.world.run(S)
            net.agree(one)
            net.ping(one)


main()
