#!/usr/bin/python3
"""Authentication and ciphering (TS 24.008 4.7.7) judged by the phone of phone.py with a card: USIM and SIM, GEA4, GEA3 and none. Every enciphered frame is deciphered by
libosmogsm, and no two have one key and INPUT."""

import itertools

from gmm_world import COLLECT
from phone_contexts_world import SERVER, T3311_S
from phone_crowd import attached, restarted
from phone_keys_world import CIPHERS, FIRST, OPEN, Keyed, k_of
from phone_world import MS, S
from harness import often
from world import case, main, npdu, right, same

import tshark_json  # which world.py puts into the path

READ_BY_TSHARK = {0x01, 0x02, 0x03, 0x05, 0x06, 0x08, 0x12, 0x13, 0x41, 0x42}
OCTETS_MOST, OCTETS_WITH_CONTEXT_MOST = 3600, 6600
PLAIN_QUEUE = "\n".join(f'class {{ name = "{name}", lifetime = "unlimited", aqm {{ name = "tail-drop" }} }}'
                        for name in ("interactive-1", "interactive-2", "interactive-3", "background"))
PACKETS, WAITING, RESTARTS = 500, 20, often(30, 100)
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
            net.write_opened(path)
            same(tshark_json.complaints(path), [], "complaints of tshark about what was enciphered")
            types = tshark_json.tshark(path, "-T", "fields", "-e", "gsm_a.dtap.msg_gmm_type", "-e", "gsm_a.dtap.msg_sm_type")
            same({int(one, 16) for one in types.replace(",", " ").split()}, READ_BY_TSHARK | ({9, 10} if net.enciphered else {9}),
                 "types of messages that tshark reads")
            proofs = 1 if net.enciphered else 2  # at the update, too
            same(net.world.counted("authentications", "authentications_failed"), (proofs, 0), "counts")


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


# ---- Attached ----


def updated(net, one, **more):
    net.do(one, "update", **more)
    net.until("it is updated", lambda: one.state == "registered")
    net.world.run(S)


@case("update: the CKSN in force needs no authentication, another one does; P-TMSI and signature are new; contexts stay")
def updates():
    for elsewhere in (False, True):
        with Keyed() as net:
            one = attached(net)
            net.active(one)
            net.ping(one)
            for stale in (False, True, False):
                before = one.p_tmsi, one.signature, one.cksn
                if elsewhere:
                    one.bvci = 5 - one.bvci
                if stale:
                    one.cksn = (one.cksn + 3) % 7
                net.air.clear()
                updated(net, one)
                same(names(net), ["update_request", *(PLAIN[1:3] if stale else []), "update_accept", "update_complete"],
                     f"messages, CKSN {'stale' if stale else 'in force'}")
                right(one.p_tmsi != before[0] and one.signature != before[1], "P-TMSI and signature")
                same((one.cksn != before[2], one.llc.resets), (stale, int(stale) if not one.llc.resets else 1), "new key")
                net.agree(one)
                net.ping(one)


@case("update: what the phone has no context of ends at both; but a REQUEST without its signature ends nothing")
def status():
    for is_signed in (True, False):
        with Keyed() as net:
            one = attached(net)
            net.active(one, 5)
            net.active(one, 6)
            one.lose(one.contexts[6])
            if not is_signed:
                one.signature = bytes(3)
            updated(net, one)
            net.world.run(10 * S)
            same(sorted(net.ggsn.contexts), [(one.imsi, nsapi) for nsapi in ((5,) if is_signed else (5, 6))], "contexts")
            net.ping(one, 5)
            net.do(one, "detach")


@case("update whose COMPLETEs are all lost: the next one, under the new P-TMSI, is authenticated and answered there")
def never_complete():
    with Keyed() as net:
        one = attached(net)
        net.active(one)
        net.lose("up", "update_complete", 5)
        updated(net, one)
        net.world.run(60 * S)  # T3350 five times, of 6 s
        same(len(net.times("update_accept")), 5, "ACCEPTs")
        given = one.p_tmsi
        updated(net, one)
        same((len(net.times("authentication_request")), len(net.times("update_accept"))), (2, 6), "asked once more, accepted once more")
        right(one.p_tmsi != given, "the P-TMSI that nobody has confirmed")
        net.agree(one)
        net.ping(one)


@case("P-TMSI reallocation: command lost, completion lost, doubled, late; the former one is valid until the new one is used")
def reallocation():
    for keyed in (True, False):
        for way, name in (("down", "reallocation_command"), ("up", "reallocation_complete")):
            for what in ("none", "lose", "double", "delay"):
                with Keyed() as net:
                    one = attached(net, imsi=None if keyed else OPEN)
                    net.active(one)
                    before = one.p_tmsi
                    if what != "none":
                        net.harm(way, name, what, ns=7 * S)
                    same(net.world.ctl(f"reallocate {one.imsi}"), (True, "it is asked"), "ctl")
                    net.world.run(30 * S)
                    right(one.p_tmsi != before, "the same P-TMSI")
                    net.agree(one)
                    net.ping(one)
                    at_ns = net.times("reallocation_command")
                    same([ns - at_ns[0] for ns in at_ns], [0, 6 * S] if what in ("lose", "delay") else [0], "T3350")


@case("authentication again, with contexts: a new key, an XID Reset in the same turn, and pings get through", "usim")
@case("so it is with a SIM", "sim")
def again(kind):
    with Keyed() as net:
        one = attached(net, kind=kind)
        for nsapi, sapi in ((5, 3), (6, 11)):
            net.active(one, nsapi, sapi=sapi)
        for times in range(1, 5):
            for nsapi in (5, 6):
                net.ping(one, nsapi)
            since = net.world.now_ns
            same(net.world.ctl(f"authenticate {one.imsi}"), (True, "it is asked"), "ctl")
            net.world.run(0)
            same((one.llc.resets, len(one.keys), net.world.now_ns), (times, times + 1, since), "Resets, keys")
            net.agree(one)
        for nsapi in (5, 6):
            net.ping(one, nsapi)
        net.do(one, "update", kind=3)
        net.world.run(S)
        net.agree(one)


@case("the Reset after it is late: packets up in between are lost, later ones not, and no INPUT comes twice")
def late_reset():
    with Keyed() as net:
        one = attached(net)
        net.active(one)
        for times in range(1, 4):
            for _ in range(4):
                net.ping(one)
            net.delay("down", "other", ns=S, nth=net.counts["down", "other", one.imsi] + 1, one=one)
            right(net.world.ctl(f"authenticate {one.imsi}")[0], "ctl")
            for _ in range(3):
                net.do(one, "send", 5, npdu(SERVER, source=one.contexts[5].address))
            net.world.run(3 * S)
            same(one.llc.resets, times, "Resets")
            for _ in range(12 * times):  # beyond the numbers that it had before
                net.ping(one)


@case("authentication again, each message lost one to five times, late, doubled: the old key stays, or the new one is in")
def again_harmed():
    for way, name in (("down", "authentication_request"), ("up", "authentication_response")):
        for harm in ([{"what": "lose", "times": times} for times in range(1, 6)] + [
                {"what": what, "ns": ns} for what in ("delay", "double") for ns in (0, S, 6 * S - 1, 6 * S, 6 * S + 1, 40 * S)]):
            with Keyed() as net:
                one = attached(net)
                net.active(one)
                net.air.clear()
                net.harm(way, name, nth=2, **harm)
                right(net.world.ctl(f"authenticate {one.imsi}")[0], "ctl")
                net.world.run(60 * S)
                same(one.state, "registered", f"state after {name} {harm}")
                if (way, harm.get("times")) == ("up", 5):  # it has the new key, and Sluice has not heard of it
                    attached(net, one)
                    net.active(one)
                net.agree(one)
                net.ping(one)


@case("authentication again in a download, five times: the queue goes on under the new key, and no N-PDU is lost")
def download():
    with Keyed(more=PLAIN_QUEUE, r=40000) as net:
        one = attached(net)
        net.active(one)
        context, teid = one.contexts[5], net.ggsn.contexts[one.imsi, 5].teid_sgsn_data
        packets = [npdu(context.address, 576, number) for number in range(PACKETS)]
        for number, packet in enumerate(packets):
            net.world.down(teid, packet)
            net.world.run(0 if number < WAITING else 119 * MS)  # 576 octets and their headers at R
            if number % (PACKETS // 5) == 60:
                right(len(one.packets) < number - 2, f"packets wait: {len(one.packets)} of {number} are there")
                right(net.world.ctl(f"authenticate {one.imsi}")[0], "ctl")
        net.world.run(60 * S)
        same((one.llc.resets, len(one.keys)), (5, 6), "Resets and keys")
        there = [packet for _, _, packet in one.packets]
        same((len(there), there == packets), (PACKETS, True), "N-PDUs, and whether all are there in their order")
        same(dict(one.llc.dropped), {}, "frames that the phone dropped")


@case(f"{RESTARTS} restarts of Sluice, at any N(U): a packet or an update lets it in again; no RAND, no INPUT comes twice")
def restarts():
    seen, used, net = set(), set(), Keyed()
    net.__enter__()
    try:
        one = net.phone()
        one.wants(0)
        attached(net, one)
        for number in range(RESTARTS):
            net.until("a ping gets through", lambda: net.gets_through(one), (T3311_S + 5) * S)
            if number % 4 == 3:
                net.world.ctl(f"authenticate {one.imsi}")
                net.world.run(S)
            net.world.run(60 * S)
            net.agree(one)
            seen, used = net.rands(seen), net.check_inputs(used)
            before, net = net, Keyed(CIPHERS, f"run.seed={number + 2}")
            net.__enter__()
            restarted(before, net, one)
            before.__exit__(None, None, None)
            if number % 3 == 2:
                net.do(one, "update", kind=3)
            else:
                net.do(one, "send", 5, npdu(SERVER, source=one.contexts[5].address))
    except BaseException:
        net.world.__exit__(RuntimeError, None, None)
        raise
    net.__exit__(None, None, None)
    print(f"# {len(seen)} RANDs, {len(used)} INPUTs")


@case("octets of Lua that a phone with a key and a context takes, and what is left of those that have gone")
def memory():
    with Keyed(keeps=False) as net:
        def octets():
            net.world.lua(COLLECT)
            return net.world.lua_octets()

        def come_and_go(first, contexts):
            phones = [net.phone(f"{int(FIRST) + number:015}") for number in range(first, first + 30)]
            for one in phones:
                attached(net, one)
                if contexts:
                    net.active(one)
            net.world.run(120 * S)
            there = octets()
            for one in phones:
                net.do(one, "detach", power_off=True)
            net.world.run(120 * S)
            return there

        come_and_go(0, True)
        before = octets()
        each = [(come_and_go(30, contexts) - before) / 30 for contexts in (False, True)]
        left = octets() - before
        print(f"# {each[0]:.0f} octets a phone, {each[1]:.0f} with a context; {left} left of 60 phones")
        right(each[0] < OCTETS_MOST and each[1] < OCTETS_WITH_CONTEXT_MOST and left < 4096, f"{each}, {left} left")


# ---- Attach, harmed ----

HARMS = ([{"what": "lose", "times": times} for times in range(1, 6)] + [
    {"what": "double", "ns": ns} for ns in (0, 1, 5 * S, 20 * S)] + [
    {"what": "delay", "ns": ns} for ns in (S, 6 * S - 1, 6 * S, 6 * S + 1, 15 * S - 1, 15 * S, 15 * S + 1, 31 * S, 40 * S)])
OF_ATTACH = (("up", "attach_request"), ("down", "authentication_request"), ("up", "authentication_response"),
             ("up", "authentication_failure"), ("down", "attach_accept"), ("up", "attach_complete"))

for WAY, NAME in OF_ATTACH:
    for KIND in ("usim", "sim"):
        @case(f"attach of a {KIND}: {NAME} lost one to five times, doubled, late around the timers", WAY, NAME, KIND)
        def harmed(way, name, kind):
            with Keyed() as net:
                for harm in HARMS:
                    one = net.phone(kind=kind, seq=2**41 if name == "authentication_failure" else 0)
                    net.air.clear()
                    net.harm(way, name, one=one, **harm)
                    net.do(one, "attach")
                    net.until(f"it is attached, {harm}", lambda one=one: one.is_barred or one.state == "registered"
                              and not set(one.timers) - {"T3312"})
                    if one.is_barred:  # its card has refused the same RAND three times, as nobody heard of it
                        one.is_barred = False
                        attached(net, one)
                    net.world.run(60 * S)
                    net.agree(one)
                    net.active(one)
                    net.ping(one)
                    net.do(one, "detach", power_off=True)


main()
