#!/usr/bin/python3
"""Contexts of phones that attach, update, move their numbers and come back, with a GGSN (ggsn.py): what is lost to
the end, restarts of Sluice, of the GGSN and of the phone, each with a ping that gets through again in time; and a
crowd over bad air, at whose end phones, Sluice and GGSN know the same contexts."""

import itertools

from ggsn import CREATE, DELETE
from phone_contexts_world import SERVER, T3311_S, Net
from phone_crowd import Sessions, attached, restarted
from phone_world import S
from harness import often
from world import case, main, npdu, right, same

import tshark_json  # which world.py puts into the path

@case("attach, two contexts, pings, an update, one context less, detach: both ends agree at each step, and the GGSN")
def life():
    with Net() as net:
        one = attached(net)
        net.active(one, 5)
        net.active(one, 6, sapi=11)
        for nsapi in (5, 6):
            net.ping(one, nsapi)
        net.agree(one)
        net.do(one, "update", kind=3)
        net.until("it is updated", lambda: one.state == "registered")
        net.agree(one)
        net.do(one, "deactivate", 5)
        net.until("it is gone", lambda: 5 not in one.contexts)
        net.world.run(S)
        net.agree(one)
        net.ping(one, 6)
        net.do(one, "detach")
        net.world.run(S)
        same((one.state, one.unexpected, dict(one.llc.dropped)), ("deregistered", [], {}), "the phone")
        net.agree(one)
        for side in ("gb", "gn"):
            path = net.world.folder / f"{side}.pcap"
            net.world.write_pcap(path, side)
            same(tshark_json.complaints(path), [], f"complaints of tshark about {side}")


@case("ACTIVATE unanswered to its fifth expiry: at 0, 30, 60, 90, 120 s, and at 150 s the phone gives up; nothing stays")
def activate_in_vain():
    for way, name in (("up", "activate_request"), ("down", "activate_accept")):
        with Net() as net:
            one = attached(net)
            net.lose(way, name, 5)
            since_ns = net.world.now_ns
            net.do(one, "activate")
            net.until("it gives up", lambda: not one.contexts)
            same(one.now_ns - since_ns, 150 * S, "when it gives up")
            same([ns - since_ns for ns in net.times(name)], [n * 30 * S for n in range(5)], f"times of {name}")
            net.do(one, "update", kind=3)  # its PDP status says that it has none
            net.until("it is updated", lambda: one.state == "registered")
            net.world.run(30 * S)
            net.agree(one)


@case("DEACTIVATE unanswered to its fifth expiry: at 0, 8, 16, 24, 32 s, and at 40 s the phone forgets; nothing stays")
def deactivate_in_vain():
    for way, name in (("up", "deactivate_request"), ("down", "deactivate_accept")):
        with Net() as net:
            one = attached(net)
            net.active(one)
            net.lose(way, name, 5)
            since_ns = net.world.now_ns
            net.do(one, "deactivate", 5)
            net.until("it gives up", lambda: not one.contexts)
            same(one.now_ns - since_ns, 40 * S, "when it gives up")
            same([ns - since_ns for ns in net.times(name)], [n * 8 * S for n in range(5)], f"times of {name}")
            net.do(one, "update", kind=3)
            net.until("it is updated", lambda: one.state == "registered")
            net.world.run(30 * S)
            net.agree(one)


@case("the phone is switched off without a word, and on: at each N(U) a ping gets through within T3311 + 5 s")
def phone_restarts():
    for frames in (0, 1, 5, 40):
        with Net() as net:
            one = net.phone()
            one.wants(0)
            attached(net, one)
            net.until("it has a context", lambda one=one: 5 in one.contexts and one.contexts[5].state == "active")
            for _ in range(frames):
                net.do(one, "update", kind=3)
            net.ping(one)
            one.ended()
            since_ns = net.world.now_ns
            net.do(one, "attach")
            net.until("a ping gets through", lambda one=one: net.gets_through(one), (T3311_S + 5) * S)
            net.world.run(60 * S)
            net.agree(one)
            right(since_ns > 0 or not frames, "time")


@case("Sluice restarts: the phone's next packet tells it to attach; a ping gets through within T3311 + 5 s")
def sluice_restarts():
    for frames, keeps in itertools.product((0, 5, 31, 40, 500), (False, True)):
        with Net() as before, Net() as after:
            one = before.phone(keeps_numbers=keeps)
            one.wants(0)
            attached(before, one)
            before.until("it has a context", lambda one=one: 5 in one.contexts and one.contexts[5].state == "active")
            before.ping(one)
            for entity in one.llc.entities.values():
                entity.to_send += frames
                entity.awaited += frames
            restarted(before, after, one)
            since_ns = after.world.now_ns
            after.do(one, "send", 5, npdu(SERVER, source=one.contexts[5].address))
            after.until("a ping gets through", lambda one=one: after.gets_through(one), (T3311_S + 5) * S)
            print(f"# N(U) + {frames}, {'kept' if keeps else 'anew'} behind a detach: {(after.world.now_ns - since_ns) / S} s")
            after.world.run(60 * S)
            after.agree(one)


@case("the GGSN restarts: who has a context is told, and a ping gets through again")
def ggsn_restarts():
    with Net() as net:
        phones = [net.phone() for _ in range(3)]
        for one in phones:
            attached(net, one)
            net.active(one)
            net.ping(one)
        net.ggsn.restart()
        net.until("all are told", lambda: not any(one.contexts for one in phones), 300 * S)
        for one in phones:
            net.active(one)
            net.ping(one)
        net.world.run(60 * S)
        for one in phones:
            net.agree(one)


@case("detach inside activate, attach inside activate, at each step: nothing of the context stays")
def inside():
    for what, lost in itertools.product(("detach", "off", "attach"), ("create", "activate_accept", "deactivate_accept")):
        with Net() as net:
            one = attached(net)
            if lost == "create":
                net.ggsn.lose("up", CREATE)
            else:
                net.lose("down", lost)
            net.do(one, "activate")
            net.world.run(2 * S)
            if lost == "deactivate_accept":
                net.do(one, "deactivate", 5)
                net.world.run(2 * S)
            net.do(one, "attach" if what == "attach" else "detach", **({"power_off": True} if what == "off" else {}))
            net.world.run(60 * S)
            net.agree(one)
            if one.state == "deregistered":
                attached(net, one)
            net.active(one)
            net.ping(one)
            net.world.run(60 * S)
            net.agree(one)


for SEED in range(often(2, 20)):
    @case(f"a crowd with contexts over bad air agrees with Sluice and GGSN once all is good, seed {SEED}", SEED)
    def crowd(seed):
        with Net() as net:
            Sessions(net, seed, 12).run(often(400, 2000))
            print(f"# {len(net.air)} messages, {sum(said.is_lost for said in net.air)} lost; "
                  f"{len(net.ggsn.contexts)} contexts at the end")

main()
