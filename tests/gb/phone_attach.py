#!/usr/bin/python3
"""Attach, update and detach (TS 24.008 4.7.3 to 4.7.5) judged by a phone that shares nothing with our codecs and has
attached to osmo-sgsn before (tests/interop/phone_sgsn.py). Each message of either side is lost one to five times,
doubled, late behind the timer: both ends agree at the end, repetitions come to the ns, and nothing is left over."""

from phone_world import ATTACH, MS, S, Phones
from world import NS, case, main, right, same

NETWORK_S = {"attach_accept": 6, "identity_request": 6}  # T3350, T3370
TRIES = 5
LONG = (54 * 60 + 44 + 8 * 60) * S  # T3312, READY, mobile reachable, implicit detach


def of_before(net, **more):
    """A phone with a P-TMSI of somebody else's, who is asked for its IMSI therefore."""
    one = net.phone(**more)
    one.p_tmsi, one.rai = (0xC0000000 + len(net.phones)).to_bytes(4), one.cell_rai
    return one


def attached(net, one=None):
    one = one or net.phone()
    net.do(one, "attach")
    net.until("it is attached", lambda: one.state == "registered")
    return one


def at_rest(net, one):
    """Nobody waits for anybody."""
    net.until("both are at rest", lambda: one.state in ("registered", "deregistered") and not (
        set(one.timers) - {"T3312"}) and (net.of_sluice(one) or ["", "-", "0", "-"])[1:4] == ["-", "0", "-"])


@case("attach, update, detach; each message is there once, at once, and by tables 9.4 of 24.008")
def plain():
    with Phones(ATTACH) as net:
        one = attached(net)
        at_rest(net, one)
        net.agree(one)
        net.do(one, "update", kind=3)
        net.until("it is updated", lambda: one.state == "registered")
        net.agree(one)
        net.do(one, "detach")
        same((one.state, one.timers), ("deregistered", {}), "behind the ACCEPT")
        net.agree(one)
        same([(said.way, said.name) for said in net.air],
             [("up", "attach_request"), ("down", "attach_accept"), ("up", "attach_complete"), ("up", "update_request"),
              ("down", "update_accept"), ("up", "detach_request"), ("down", "detach_accept")], "messages")
        same({said.time_ns for said in net.air}, {net.world.now_ns}, "all at one instant")


# The messages of each procedure, in their order.
OF = {
    "attach": (("up", "attach_request"), ("down", "identity_request"), ("up", "identity_response"),
               ("down", "attach_accept"), ("up", "attach_complete")),
    "update": (("up", "update_request"), ("down", "update_accept")),
    "detach": (("up", "detach_request"), ("down", "detach_accept")),
}


def repeated_in_time(net):
    """Whatever the network repeats without having heard anything comes when its timer expires, at most five times."""
    count, before = {}, None
    for said in net.air:
        if said.way == "up":
            if not said.is_lost:
                count, before = {}, None
            continue
        if before and said.octets == before.octets and said.name in NETWORK_S:
            same(said.time_ns - before.time_ns, NETWORK_S[said.name] * S, f"{said.name} again, behind ns")
        count[said.name] = count.get(said.name, 0) + 1
        right(count[said.name] <= TRIES, f"{said.name} has come {count[said.name]} times without an answer")
        before = said


def harmed(way, name, procedure, harms, is_impatient):
    """A phone for each harm, one behind the other."""
    with Phones(ATTACH) as net:
        for harm in harms:
            one = of_before(net, is_impatient=is_impatient)
            if procedure != "attach":
                attached(net, one)
                at_rest(net, one)
            net.air.clear()
            net.harm(way, name, one=one, **harm)
            net.do(one, procedure, **({"kind": 3} if procedure == "update" else {}))
            wanted = "deregistered" if procedure == "detach" else "registered"
            net.until(f"it is {wanted}, {harm}",
                      lambda one=one: one.state == wanted and not set(one.timers) - {"T3312"})
            net.world.run(LONG)  # a phone whose detach was never heard is detached then
            at_rest(net, one)
            net.agree(one)
            repeated_in_time(net)
            same([said for said in net.air if said.way == "down" and said.name == "detach_request"], [],
                 "a phone that the network wants to detach")


def lost(way, name, procedure, is_impatient):
    harms = [{"what": "lose", "times": times} for times in range(1, 6)]
    harmed(way, name, procedure, harms, is_impatient)


def doubled(way, name, procedure, is_impatient):
    harms = [{"what": "double", "ns": ns} for ns in (0, NS, 5 * S, 20 * S)]
    harmed(way, name, procedure, harms, is_impatient)


def late(way, name, procedure, is_impatient):
    harms = [{"what": "delay", "ns": ns}
             for ns in (MS, 6 * S - NS, 6 * S, 6 * S + NS, 15 * S - NS, 15 * S, 15 * S + NS, 31 * S, 40 * S)]
    harmed(way, name, procedure, harms, is_impatient)


for PROCEDURE, MESSAGES in OF.items():
    for WAY, NAME in MESSAGES:
        for IMPATIENT in (False, True):
            KIND = "that repeats at once" if IMPATIENT else "by 24.008"
            for WHAT, FUNCTION in (("lost one to five times", lost), ("doubled, at once and later", doubled),
                                   ("late, around the timers", late)):
                case(f"{PROCEDURE}: {NAME} {WHAT}, of a phone {KIND}", WAY, NAME, PROCEDURE, IMPATIENT)(FUNCTION)

main()
