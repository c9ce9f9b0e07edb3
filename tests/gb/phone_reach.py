#!/usr/bin/python3
"""How long a phone may be silent (TS 24.008 4.7.2.2): READY, T3312, the mobile reachable timer's four minutes and four
more. It is there to the last nanosecond of that, and gone at the next, wherever it was last heard and whatever it said;
what comes for it, and what Sluice sends it, keeps nobody."""

from phone_crowd import attached
from phone_moves_world import MovingKeyed, MovingNet
from phone_contexts_world import SERVER
from phone_world import S
from world import case, main, npdu, same

NETS = {"without a key": MovingNet, "with a key": MovingKeyed}
TICK_NS = 1 << 24  # the dataplane knows in which of these a phone was last heard
READY_S, T3312_S, MORE_S = 44, 54 * 60, 2 * 4 * 60
LIMIT = (READY_S + T3312_S + MORE_S) * S


def said_nothing(net, one):
    """From now on."""
    one.timers.pop("T3312", None)
    net.follow(one, [])
    return net.world.now_ns


def data(net, one):
    net.do(one, "send", 5, npdu(SERVER, source=one.contexts[5].address))


def elsewhere(net, one):
    net.goes(one, net.other, 3)


# What it says last.
LAST = {
    "data": data, "data in another cell": lambda net, one: (setattr(one, "bvci", 4), data(net, one)),
    "a periodic update": lambda net, one: net.do(one, "update", kind=3), "an update in another BSS": elsewhere,
    "a page's answer": lambda net, one: net.do(one, "page", b"\xf4" + one.p_tmsi),
    "an activation": lambda net, one: net.do(one, "activate", nsapi=6),
}


def gone(net, one):
    return net.of_sluice(one) is None


for WITH, NET in NETS.items():
    @case(f"a phone {WITH} that has said nothing since that is gone at one nanosecond, with its context", NET)
    def silent(kind):
        with kind() as net:
            for what, function in LAST.items():
                one = attached(net)
                net.active(one)
                net.world.run(97 * S + 12345)
                function(net, one)
                heard_ns = said_nothing(net, one)
                net.world.run(0)
                same(net.world.now_ns, heard_ns, "time")
                last_ns = (heard_ns // TICK_NS + 1) * TICK_NS + LIMIT
                net.world.run_until(last_ns - 1)
                same((gone(net, one), (one.imsi, 5) in net.ggsn.contexts), (False, True), f"a nanosecond before, behind {what}")
                net.world.run(1)
                same((gone(net, one), (one.imsi, 5) in net.ggsn.contexts), (True, False), f"at the nanosecond, behind {what}")
                net.do(one, "detach", power_off=True)
            same(net.world.counted("detaches_implicit"), (len(LAST),), "counted")


@case("at attach the time runs from COMPLETE; without one from the last ACCEPT's expiry")
def at_attach():
    with MovingNet() as net:
        for lost in (0, 5):
            one = net.phone()
            net.lose("up", "attach_complete", lost, one=one)
            net.do(one, "attach")
            heard_ns = net.world.now_ns
            net.world.run(lost * 6 * S)
            said_nothing(net, one)
            last_ns = (heard_ns + lost * 6 * S if lost else (heard_ns // TICK_NS + 1) * TICK_NS) + LIMIT
            net.world.run_until(last_ns - 1)
            same(gone(net, one), False, f"a nanosecond before, {lost} lost")
            net.world.run(1)
            same(gone(net, one), True, f"at the nanosecond, {lost} lost")
            net.do(one, "detach", power_off=True)


@case("what comes for a phone, pages, and what an operator has it asked, keep nobody that does not answer")
def spoken_to():
    with MovingNet() as net:
        one = attached(net)
        net.active(one)
        net.ping(one)
        heard_ns = said_nothing(net, one) - S  # the ping let a second pass
        net.lose("down", "page", 10**6)
        net.lose("down", "reallocation_command", 10**6)
        teid = net.ggsn.contexts[one.imsi, 5].teid_sgsn_data
        last_ns = (heard_ns // TICK_NS + 1) * TICK_NS + LIMIT
        while net.world.now_ns < last_ns - 60 * S:
            net.world.down(teid, npdu(one.contexts[5].address, 300))
            net.world.run(50 * S)
            net.world.ctl(f"reallocate {one.imsi}")
        net.world.run_until(last_ns - 1)
        same(gone(net, one), False, "a nanosecond before")
        net.world.run(1)
        same(gone(net, one), True, "at the nanosecond")


for WITH, NET in NETS.items():
    @case(f"a phone {WITH} that is heard by data alone, or by its periodic updates alone, stays for a day", NET)
    def heard(kind):
        with kind() as net:
            talks, updates = attached(net), attached(net)
            net.active(talks)
            for _ in range(24):
                said_nothing(net, talks)
                net.world.run(LIMIT - 2 * S)
                data(net, talks)
            same((gone(net, talks), gone(net, updates)), (False, False), "whether they are gone")
            times = [said.time_ns for said in net.air if said.name == "update_request" and said.imsi == updates.imsi]
            same({b - a for a, b in zip(times, times[1:])}, {(READY_S + T3312_S) * S}, "between its updates")
            same((talks.refused, updates.refused, net.world.counted("detaches_implicit")), ([], [], (0,)), "refusals")
            net.ping(talks)


main()
