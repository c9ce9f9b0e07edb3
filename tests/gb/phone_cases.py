#!/usr/bin/python3
"""What phones do besides what they should, judged by those of phone.py: requests again and other ones, procedures
inside others, one TLLI of two phones, elements that are empty, Sluice restarted. And a crowd, of which everything is
lost, doubled or late now and then: when the air is good again both ends agree on everyone."""

from phone import RA_CAPABILITY
from phone_crowd import Crowd, attached, restarted, stranger
from phone_world import ATTACH, S, Phones
from harness import often
from world import NS, case, main, right, same

import tshark_json  # which world.py puts into the path


def names(net, way=None):
    return [said.name for said in net.air if way in (None, said.way)]


@case("the same ATTACH REQUEST again, before and behind the ACCEPT: the last message again, and one phone")
def same_again():
    with Phones(ATTACH) as net:
        one = stranger(net)
        net.lose("up", "identity_response")
        net.lose("up", "attach_complete")
        net.do(one, "attach")
        for step in range(2):
            net.world.run(S)
            if step == 1:  # as one that has not heard the ACCEPT
                one.tlli, one.tlli_before = one.tlli_before, one.tlli
            one.now_ns = net.world.now_ns
            one.say(one.request)
            net.follow(one, one.done())
            net.world.run(0)
        same(names(net), ["attach_request", "identity_request", "identity_response", "attach_request",
                          "identity_request", "identity_response", "attach_accept", "attach_complete",
                          "attach_request", "attach_accept", "attach_complete"], "messages")
        accepts = {said.octets for said in net.air if said.name == "attach_accept"}
        same(len(accepts), 1, "ACCEPTs that differ")
        net.world.run(60 * S)
        net.agree(one)


@case("another ATTACH REQUEST of the same phone starts over, at each step; one phone is left")
def another():
    for lost in ("identity_request", "identity_response", "attach_accept", "attach_complete"):
        with Phones(ATTACH) as net:
            one = stranger(net)
            net.lose("down" if lost in ("identity_request", "attach_accept") else "up", lost)
            net.do(one, "attach")
            net.world.run(2 * S)
            one.ra_capability = bytes.fromhex("1a4b2f06")
            attached(net, one)
            net.world.run(60 * S)
            net.agree(one)


@case("detach inside attach, at each step, with power off or not: nobody is left, and it may attach again")
def detach_inside():
    for power_off in (False, True):
        for lost in ("identity_request", "identity_response", "attach_accept", "attach_complete"):
            with Phones(ATTACH) as net:
                one = stranger(net)
                net.lose("down" if lost in ("identity_request", "attach_accept") else "up", lost)
                net.do(one, "attach")
                net.world.run(2 * S)
                net.do(one, "detach", power_off=power_off)
                net.until("it is detached", lambda: one.state == "deregistered")
                net.agree(one)
                net.world.run(60 * S)
                net.agree(one)
                same(names(net, "down").count("detach_accept"), int(not power_off), "ACCEPTs")
                attached(net, one)
                net.world.run(60 * S)
                net.agree(one)


@case("two phones on TLLI 80000000: who attaches while another one does ends that one's attempt; both get in")
def one_tlli():
    for lost in (None, "identity_request", "identity_response", "attach_accept", "attach_complete"):
        for gap_ns in (0, NS, S, 7 * S, 20 * S):
            with Phones(ATTACH) as net:
                # Were their REQUESTs equal, too, nobody could know them apart before IDENTITY RESPONSE.
                phones = [net.phone(tlli=0x80000000, ra_capability=octets) for octets in (b"", RA_CAPABILITY)]
                for one in phones:
                    one.identity = lambda one=one: b"\xf4" + (one.p_tmsi or bytes(4))
                if lost:
                    net.lose("up" if lost in ("identity_response", "attach_complete") else "down", lost, one=phones[0])
                net.do(phones[0], "attach")
                net.world.run(gap_ns)
                net.do(phones[1], "attach")
                net.until("both are attached", lambda: all(one.state == "registered" for one in phones))
                for one in phones:  # one that took the other's ACCEPT for its own is told to attach
                    net.do(one, "update", kind=3)
                    net.until("it is attached", lambda one=one: one.state == "registered")
                net.world.run(60 * S)
                for one in phones:
                    net.agree(one)
                right(phones[0].p_tmsi != phones[1].p_tmsi, "one P-TMSI for both")


@case("another IMSI on the TLLI of an attached phone: it gets a place of its own, and the first one's way back is open")
def other_imsi():
    with Phones(ATTACH) as net:
        one = attached(net)
        net.world.run(60 * S)
        other = stranger(net)
        other.p_tmsi = one.p_tmsi
        other.rai = b"\x62\xf2\x24\x12\x34\x57"  # of another area: its TLLI is foreign
        attached(net, other)
        net.world.run(60 * S)
        net.agree(other)
        net.do(one, "update", kind=3)
        net.until("the first one is in", lambda: one.state == "registered")
        net.world.run(60 * S)
        net.agree(one)


@case("what libosmo-gprs sends: TLLI 80000000, P-TMSI 0, an RA capability of no octets, REQUEST again without T3311")
def libosmo():
    with Phones(ATTACH) as net:
        one = net.phone(tlli=0x80000000, ra_capability=b"", is_impatient=True)
        one.identity = lambda: b"\xf4\0\0\0\0" if not one.p_tmsi else b"\xf4" + one.p_tmsi
        net.delay("down", "identity_request", ns=16 * S)
        net.delay("down", "attach_accept", ns=5 * S)
        attached(net, one)
        net.world.run(60 * S)
        net.agree(one)


@case("a phone that comes back with its P-TMSI is not asked; in another cell, and by a foreign TLLI, too")
def comes_back():
    with Phones(ATTACH) as net:
        one = attached(net)
        for step in range(3):
            net.air.clear()
            one.bvci = 3 - step % 2
            attached(net, one)
            same(names(net), ["attach_request", "attach_accept", "attach_complete"], "messages")
            net.world.run(60 * S)
            net.agree(one)


@case("a phone whose N(U) goes on over a detach, its own and ours, gets in again", False)
@case("so does one whose N(U) begins anew", True)
def numbers(anew):
    with Phones(ATTACH) as net:
        one = net.phone(keeps_numbers=not anew)
        for step in range(20):
            attached(net, one)
            if step % 3 == 0:
                net.do(one, "update", kind=3)
            net.world.run(10 * S)
            net.agree(one)
            if step % 2:
                net.do(one, "detach")
            else:
                right(net.world.ctl(f"detach {one.imsi} again")[0], "ctl detach")
                net.until("it is detached and back", lambda: not net.world.run(0) and one.state == "registered")
                net.world.run(60 * S)
                net.agree(one)
        same(one.llc.dropped["double"], 0, "frames that the phone took for doubled")


@case("Sluice restarts: a phone that updates is told to attach, at any N(U); one in an attach gets in", "idle")
@case("at each step of an attach, too", "identity_response", "attach_complete")
def restart(*steps):
    for step in steps:
        for frames in (0, 5, 31, 40, 500):
            for keeps in (False, True):
                with Phones(ATTACH) as before, Phones(ATTACH) as after:
                    one = stranger(before, keeps_numbers=keeps)
                    if step != "idle":
                        before.lose("up", step)
                        before.do(one, "attach")
                        before.world.run(S)
                    else:
                        attached(before, one)
                        before.world.run(S)
                    for entity in one.llc.entities.values():
                        entity.to_send += frames
                        entity.awaited += frames
                    restarted(before, after, one)
                    if step == "idle" or one.state == "registered":
                        after.do(one, "update", kind=3)
                    after.until("it is back", lambda: one.state == "registered", 120 * S)
                    after.world.run(60 * S)
                    after.agree(one)
                    right(after.world.now_ns < 240 * S, "it took long")


@case("tshark reads each frame of a life without a complaint")
def second_opinion():
    with Phones(ATTACH) as net:
        one = stranger(net, keeps_numbers=True)
        attached(net, one)
        net.do(one, "update", kind=3)
        net.world.ctl(f"detach {one.imsi} again")
        net.until("it is back", lambda: one.state == "registered")
        net.do(one, "detach")
        refused = net.phone("262420000000001")
        net.do(refused, "attach")
        net.world.run(60 * S)
        path = net.world.folder / "gb.pcap"
        net.world.write_pcap(path)
        same(tshark_json.complaints(path), [], "complaints")
        seen = {said.name for said in net.air if said.way == "down"}
        same({"identity_request", "attach_accept", "update_accept", "detach_request", "detach_accept",
              "attach_reject"} - seen, set(), "messages that did not come")
        same((refused.refused, refused.state), ([(refused.refused[0][0], "attach", 7)], "deregistered"), "refused")


for SEED in range(often(2, 20)):
    @case(f"a crowd over bad air agrees with Sluice once the air is good, seed {SEED}", SEED)
    def crowd(seed):
        with Phones(ATTACH) as net:
            crowd_of = Crowd(net, seed, 12)
            crowd_of.run(often(300, 2000))
            print(f"# {len(net.air)} messages, {sum(said.is_lost for said in net.air)} lost")

main()
