#!/usr/bin/python3
"""Authentication and ciphering (TS 24.008 4.7.7) judged by the phone of phone.py with a card: USIM and SIM, GEA4, GEA3 and none. Every enciphered frame is deciphered by
libosmogsm, and no two have one key and INPUT."""

import itertools

from phone_crowd import attached
from phone_keys_world import Keyed, k_of
from phone_world import S
from world import case, main, right, same

import tshark_json  # which world.py puts into the path

NAMES = {"gea4": 4, "gea3": 3, "none": 0}


def names(net, way=None):
    return [said.name for said in net.air if way in (None, said.way)]


PLAIN = ["attach_request", "authentication_request", "authentication_response", "attach_accept", "attach_complete"]

for KIND, CIPHER in itertools.product(("usim", "sim"), NAMES):
    @case(f"{KIND}, {CIPHER} first: attach, context, pings, update, detach; enciphered from the ACCEPT on", KIND, CIPHER)
    def life(kind, cipher):
        with Keyed((cipher, *(name for name in NAMES if name != cipher))) as net:
            one = attached(net, kind=kind)
            again = PLAIN[1:3] if (kind, cipher) == ("sim", "gea4") else []
            same(names(net), PLAIN[:3] + again + PLAIN[3:], "messages")
            same(one.gea, NAMES["gea3" if again else cipher], "the phone's cipher")
            same([bool(llc[2] & 2) for _, _, llc in net.enciphered], [True, True] if one.gea else [], "enciphered")
            same(one.imeisv in net.world.ctl(f"phone {one.imsi}")[1], True, "IMEISV")
            net.active(one, 5)
            net.active(one, 6, sapi=11)
            for nsapi in (5, 6):
                net.ping(one, nsapi)
            net.agree(one)
            net.do(one, "update", kind=3)
            net.until("it is updated", lambda: one.state == "registered")
            net.agree(one)
            net.ping(one, 5)
            net.do(one, "detach")
            net.world.run(S)
            same((one.state, one.unexpected, dict(one.llc.dropped)), ("deregistered", [], {}), "the phone")
            path = net.world.folder / "gb.pcap"
            net.world.write_pcap(path)
            same(tshark_json.complaints(path), [], "complaints of tshark")
            same(net.world.counted("authentications", "authentications_failed"), (1, 0), "counts")


@case("it comes back, by its P-TMSI, with a detach before and without: a new key each time, and a ping gets through")
def comes_back():
    for keeps in (False, True):
        with Keyed() as net:
            one = net.phone(keeps_numbers=keeps)
            for step in range(6):
                attached(net, one)
                net.active(one)
                net.ping(one)
                net.world.run(60 * S)
                net.agree(one)
                if step % 2:
                    net.do(one, "detach", power_off=step == 3)
            right(len(set(one.keys)) == 6, f"keys {one.keys}")


@case("a card with another K: it refuses our network, is asked for its IMSI if it has said a P-TMSI, and is not let in")
def wrong_k():
    for kind in ("usim", "sim"):
        with Keyed() as net:
            one = net.phone(kind=kind, k=bytes(16))
            net.do(one, "attach")
            net.until("it gives up", lambda: one.is_barred or one.refused, 120 * S)
            same((one.state, one.is_barred), ("deregistered", kind == "usim"), "state, and whether it bars the cell")
            net.world.run(60 * S)
            same(net.of_sluice(one), None, "what Sluice has of it")
            right("another K or OPc than phone { }" in net.world.log(), "the log says why")
            right(k_of(one.imsi).hex() not in net.world.log(), "a key is in the log")


@case("a card whose SQN is ahead, or far behind: one resynchronisation, then it is in, and the next time without")
def wrong_sqn():
    for seq in (10**9, 2**42, 0):
        with Keyed() as net:
            net.world.run(S)
            one = net.phone(seq=seq)
            for times in (1, 2):
                attached(net, one)
                net.active(one)
                net.ping(one)
                net.world.run(10 * S)
                net.agree(one)
                same(net.world.counted("resynchronisations", "authentications"), (int(seq > 0), times), "counts")
                net.do(one, "detach")


main()
