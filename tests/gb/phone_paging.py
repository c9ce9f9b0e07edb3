#!/usr/bin/python3
"""Phones in STANDBY (TS 24.008 4.7.9.1, 23.060 6.2.1): what comes for one waits until it has answered a page by its
P-TMSI, in its cell, or in any other cell of its routeing area, be it another BSS's; whatever its LLC answers with."""

import itertools

from phone import SIGNS
from phone_crowd import attached
from phone_moves_world import AREAS, MovingCard, MovingKeyed, MovingNet
from phone_world import S
from world import case, main, npdu, right, same

NETS = {"without a key": MovingNet, "with a key": MovingKeyed}
READY, T3313 = 44 * S, 5 * S
PAGES = 4  # in all


def in_standby(net, **more):
    one = net.phone(**more)
    attached(net, one)
    net.active(one)
    net.ping(one)
    net.world.run(READY + S)
    return one


def packets(net, one, count):
    """Come for it now."""
    context, teid = one.contexts[5], net.ggsn.contexts[one.imsi, 5].teid_sgsn_data
    found = [npdu(context.address, 300, next(net.numbers)) for _ in range(count)]
    for packet in found:
        net.world.down(teid, packet)
    net.world.run(0)
    return found


def there(one):
    return [packet for _, _, packet in one.packets]


def pages(net, since_ns=0):
    """(time, NSEI, BVCI, area) of each."""
    return [(record.time_ns - since_ns, bss.nsei, record.pdu.sdu["bvci"], record.pdu.sdu["rai"])
            for bss in (net.bss, net.other) for record in bss.received
            if record.pdu.sdu and record.pdu.sdu.name == "bssgp_paging_ps" and record.time_ns >= since_ns]


for WITH, NET in NETS.items():
    for SIGN in SIGNS:
        @case(f"a phone {WITH} that answers by {SIGN}: paged in its cell, then in all of its area; its packets come behind "
              "its answer, and it is where it has answered", NET, SIGN)
        def everywhere(kind, sign):
            with kind() as net:
                one = in_standby(net, sign=sign)
                for bss, bvci in ((net.bss, 2), (net.bss, 4), (net.other, 2), (net.bss, 2), (net.other, 4), (net.other, 2)):
                    is_away = (one.bss, one.bvci) != (bss, bvci)
                    before, old = (one.bss, one.bvci), len(one.packets)
                    net.enters(one, bss, bvci)
                    since_ns = net.world.now_ns
                    waiting = packets(net, one, 3)
                    if is_away:
                        net.world.run(T3313 - 1)
                        same(there(one)[old:], [], "packets before it has answered")
                        net.world.run(1)
                    same(there(one)[old:], waiting, f"packets of {net.shown(one)} in {bss.nsei}-{bvci}; {net.last(8)}")
                    first = (0, before[0].nsei, before[1], None)
                    more = [(T3313, nsei, None, AREAS[2]) for nsei in (101, 102)]
                    same(sorted(pages(net, since_ns), key=str), sorted([first] + (more if is_away else []), key=str), "pages")
                    net.agree(one)
                    net.ping(one)
                    net.world.run(READY + S)


def unanswered(net, one, since_ns):
    """What waits is dropped behind the last page, and the next packet pages again."""
    packets(net, one, 2)
    net.world.run(PAGES * T3313)
    same(sorted({ns for ns, *_ in pages(net, since_ns)}), [n * T3313 for n in range(PAGES)], "times of pages")
    before = len(one.packets)
    net.harms.clear()
    waiting = packets(net, one, 1)
    same(there(one)[before:], waiting, "the next packet")


for WITH, NET in NETS.items():
    @case(f"pages to a phone {WITH} lost once to four times, doubled, late: the next one finds it; what waits is dropped "
          "behind the last", NET)
    def harmed(kind):
        with kind() as net:
            one = in_standby(net)
            for harm, after_ns in (({"what": "lose"}, T3313), ({"what": "lose", "times": 2}, 2 * T3313),
                                   ({"what": "lose", "times": 3}, 3 * T3313), ({"what": "double", "ns": S}, 0),
                                   ({"what": "delay", "ns": S}, S), ({"what": "delay", "ns": 6 * S}, T3313)):
                before, since_ns = len(one.packets), net.world.now_ns
                net.harm("down", "page", one=one, nth=net.counts["down", "page", one.imsi] + 1, **harm)
                waiting = packets(net, one, 3)
                net.world.run(30 * S)
                same([(ns - since_ns, packet) for ns, _, packet in one.packets[before:]],
                     [(after_ns, packet) for packet in waiting], f"when packets came, {harm}")
                net.harms.clear()
                net.world.run(READY + S)
            since_ns = net.world.now_ns
            net.lose("down", "page", PAGES, nth=net.counts["down", "page", one.imsi] + 1)
            unanswered(net, one, since_ns)
            net.agree(one)


@case("a phone whose new P-TMSI nobody has confirmed is paged by both, in an update of its area and without one")
def both_names():
    for how in ("reallocate", "update", "authenticated update"):
        for got_it in (False, True):
            with MovingKeyed() as net:
                one = in_standby(net)
                what = "reallocation_c" if how == "reallocate" else "update_"
                net.lose(*(("up", what + "omplete" if how == "reallocate" else what + "complete") if got_it else
                           ("down", what + "ommand" if how == "reallocate" else what + "accept")), 5)
                if how == "reallocate":
                    right(net.world.ctl(f"reallocate {one.imsi}")[0], "ctl")
                    net.world.run(60 * S)
                else:
                    if how == "authenticated update":
                        one.cksn = (one.cksn + 1) % 7
                    net.do(one, "update")
                    net.world.run(14 * S if got_it else 100 * S)
                    net.world.run(60 * S)
                net.world.run(READY + S)
                net.harms.clear()
                refused = list(one.refused)
                before, waiting = len(one.packets), packets(net, one, 3)
                net.world.run(S)
                same((there(one)[before:], one.refused), (waiting, refused), f"{how}, got {got_it}: packets, refusals; {net.shown(one)}")
                net.do(one, "update", kind=3)
                net.world.run(S)
                net.agree(one)
                net.ping(one)


for (WITH, NET), SIGN in itertools.product((("with a key", MovingKeyed), ("with a card but no cipher", MovingCard)), SIGNS):
    @case(f"an operator has a phone {WITH} that answers by {SIGN} authenticated, and given another P-TMSI, wherever it is in "
          "its area", NET, SIGN)
    def asked(kind, sign):
        with kind() as net:
            one, proofs = in_standby(net, sign=sign), 1
            for bss, bvci in ((net.bss, 2), (net.bss, 4), (net.other, 2), (net.bss, 2), (net.other, 4), (net.other, 2)):
                for word in ("authenticate", "reallocate"):
                    net.enters(one, bss, bvci)
                    before = one.p_tmsi
                    same(net.world.ctl(f"{word} {one.imsi}"), (True, "it is asked"), "ctl")
                    net.world.run(45 * S)
                    proofs += word == "authenticate"
                    said = net.last(12)
                    same(net.world.counted("authentications"), (proofs,), f"{word} in {bss.nsei}-{bvci}; {said}")
                    if word == "reallocate":
                        right(one.p_tmsi != before, f"another P-TMSI; {said}")
                    net.agree(one)
                    net.ping(one)
                    net.world.run(READY + S)
            same((one.refused, one.unexpected), ([], []), "refusals, what it wondered at")


main()
