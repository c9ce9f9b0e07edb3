#!/usr/bin/python3
"""Routeing area updates of phones that come into a cell of another area, of their own BSS and of another one, which
another worker serves, under a foreign TLLI (TS 24.008 4.7.5, 23.003 2.6): with a key and without, with contexts and data
both ways, each message lost, doubled and late. Both ends agree at the end, and nothing is left over."""

import itertools

import codec
from phone import SIGNS
from phone_crowd import Sessions, attached
from phone_message import GMM
from phone_moves_world import AREAS, MovingCard, MovingKeyed, MovingNet
from phone_world import MS, S
from harness import often
from world import case, main, npdu, right, same

NETS = {"without a key": MovingNet, "with a key": MovingKeyed, "with a card but no cipher": MovingCard}
FOREIGN, LOCAL = 2, 3  # top bits of a TLLI


def with_context(net, **more):
    one = attached(net, **more)
    net.active(one)
    net.ping(one)
    return one


for WITH, NET in NETS.items():
    @case(f"a phone {WITH} goes through cells of two areas and two BSSs and back: its context follows", NET)
    def journey(kind):
        with kind() as net:
            one = with_context(net)
            address = one.contexts[5].address
            for bss, bvci in ((net.bss, 3), (net.other, 2), (net.other, 3), (net.bss, 2), (net.other, 3), (net.bss, 2)):
                net.air.clear()
                net.goes(one, bss, bvci)
                net.world.run(S)
                net.agree(one)
                net.ping(one)
                same((one.contexts[5].address, one.refused, one.unexpected), (address, [], []), "context, refusals")
            same(net.world.counted("updates_refused"), (0,), "refused")
            net.world.run(60 * S)
            net.agree(one)



for WITH, NET in NETS.items():
    for SIGN in SIGNS:
        @case(f"a phone {WITH}, in READY, says by {SIGN} that it is in another cell of its area: asked to prove it, or paged, it "
              "is there", NET, SIGN)
        def reselects(kind, sign):
            with kind() as net:
                one = with_context(net, sign=sign)
                for bss, bvci in ((net.bss, 4), (net.other, 2), (net.other, 4), (net.bss, 2)):
                    is_same, is_new = bss is one.bss, one.p_tmsi
                    net.enters(one, bss, bvci)
                    if one.gea:
                        same(net.where(one) == f"{bss.nsei} {bvci}", not (is_same and sign != "own"), "whether it is there at once")
                        same(one.p_tmsi != is_new, not is_same and sign != "own", "whether it was asked by a new P-TMSI")
                    net.world.run(21 * S)
                    net.agree(one)
                    net.ping(one)


@case("a phone without a key that says so by an update is there at once, under its local TLLI, too", MovingNet)
@case("one with a card but no cipher, too: it is authenticated there", MovingCard)
def updates_there(kind):
    with kind() as net:
        one = with_context(net)
        for bss, bvci in ((net.other, 2), (net.other, 4), (net.bss, 4), (net.bss, 2)):
            one.bss, one.bvci = bss, bvci
            net.do(one, "update", kind=3)
            same((one.state, one.tlli >> 30), ("registered", LOCAL), "state and TLLI")
            net.agree(one)
            net.ping(one)
            net.world.run(60 * S)  # STANDBY


# ---- What is lost, doubled, late ----

HARMS = ([{"what": "lose", "times": times} for times in range(1, 6)]
         + [{"what": "double", "ns": ns} for ns in (0, 1, 5 * S, 20 * S)]
         + [{"what": "delay", "ns": ns} for ns in (S, 6 * S - 1, 6 * S, 6 * S + 1, 15 * S - 1, 15 * S, 15 * S + 1, 31 * S, 40 * S)])
MESSAGES = {
    MovingNet: (("up", "update_request"), ("down", "update_accept")),
    MovingKeyed: (("up", "update_request"), ("down", "update_accept"), ("up", "update_complete")),
    MovingCard: (("up", "update_request"), ("down", "authentication_request"), ("up", "authentication_response"),
                 ("down", "update_accept")),
}


def at_rest(net, one):
    net.until("both are at rest", lambda: one.state == "registered" and not (set(one.timers) - {"T3312"})
              and net.of_sluice(one)[2:4] == ["0", "-"])


for WITH, NET in NETS.items():
    for WAY, NAME in MESSAGES[NET]:
        @case(f"{NAME} {WITH} lost one to five times, doubled, late around the timers: it stays attached, with its context",
              NET, WAY, NAME)
        def harmed(kind, way, name):
            with kind() as net:
                for harm, to_other in itertools.product(HARMS, (False, True)):
                    one = with_context(net)
                    address = one.contexts[5].address
                    net.harm(way, name, one=one, **harm)
                    net.enters(one, net.other if to_other else net.bss, 3)
                    at_rest(net, one)
                    net.world.run(60 * S)
                    at_rest(net, one)
                    if (name, harm.get("times")) == ("update_complete", 5):  # nobody has heard that it is there
                        net.goes(one, net.other, 2)
                        net.world.run(S)
                    same((one.refused, one.contexts and one.contexts[5].address), ([], address),
                         f"refusals and context, {harm}, {'another BSS' if to_other else 'its own'}; {net.last(12)}")
                    net.agree(one)
                    net.ping(one)
                    net.do(one, "detach", power_off=True)


class Roamers(Sessions):
    """A crowd that moves between all cells."""

    HARMED = (*Sessions.HARMED, ("down", "authentication_request"), ("up", "authentication_response"),
              ("up", "update_complete"))
    GTPC_HARMED = 0

    def roam(self, one):
        one.bss, one.bvci = self.chance.choice((self.net.bss, self.net.other)), self.chance.choice((2, 3))
        one.cell_rai = AREAS[one.bvci]

    def settled(self):
        for one in self.phones:
            one.is_barred = False
        super().settled()


for WITH, NET in NETS.items():
    for SEED in range(often(1, 12)):
        @case(f"a crowd {WITH} and contexts moves over bad air, and agrees with Sluice once that is good, seed {SEED}", NET, SEED)
        def crowd(kind, seed):
            with kind() as net:
                Roamers(net, seed, 8).run(often(200, 2000))
                refused = [cause for one in net.phones for _, what, cause in one.refused if what == "update"]
                print(f"# {len(net.air)} messages; {net.world.counted('updates')[0]} updates, {len(refused)} refused")


# ---- What goes on meanwhile ----

# What a worker is told of an MS, in order: it may poll between any two.
SPY = ("local dp, told = require 'dp', '' package.loaded.told = function() return told end "
       "for name in ('ms_tlli ms_move'):gmatch('%S+') do local tell = dp[name] "
       "dp[name] = function(what) told = told .. name .. (what.down_old and ' to come, ' or ', ') return tell(what) end end "
       "return ''")


@case("data under way: under the old TLLI to the old cell until COMPLETE, then under the new one to the new cell; none more is lost")
def download():
    with MovingKeyed() as net:
        one = with_context(net)
        context, teid = one.contexts[5], net.ggsn.contexts[one.imsi, 5].teid_sgsn_data
        old, packets = one.tlli, [npdu(context.address, 576, number) for number in range(60)]
        net.delay("up", "update_complete", ns=S)
        for number, packet in enumerate(packets):
            if number == 20:
                net.world.lua(SPY)
                net.enters(one, net.other, 3)
                began_ns = net.world.now_ns
            net.world.down(teid, packet)
            net.world.run(100 * MS)
        net.world.run(5 * S)
        there = [packet for _, _, packet in one.packets if packet in packets]
        same(there, packets[:20] + packets[30:], "N-PDUs that have arrived: none of the second in which nobody knew where")
        user = [(record.time_ns, bss, record.pdu.sdu["v_tlli"]) for bss in (net.bss, net.other) for record in bss.dl
                if record.pdu.sdu["llc"][0] & 15 == 3 and record.time_ns >= began_ns]
        same({(bss, tlli) for time_ns, bss, tlli in user if time_ns < began_ns + S}, {(net.bss, old)}, "before COMPLETE")
        same({(bss, tlli) for time_ns, bss, tlli in user if time_ns > began_ns + S}, {(net.other, one.tlli)}, "behind it")
        right(old != one.tlli, "a new TLLI")
        same(net.world.lua("return package.loaded.told()"), "ms_tlli to come, ms_tlli, ms_move, ", "the TLLI before the cell")
        net.agree(one)


# ---- A thief: somebody with the P-TMSI and the area of another, in another cell ----

def forged(net, one, bss, octets, number):
    """Under the phone's foreign TLLI."""
    frame = bytes((1, 0xC0 | number >> 6, (number & 63) << 2 | 1)) + octets
    bss.uplink_llc(3, int.from_bytes(one.p_tmsi) & 0x3FFFFFFF | FOREIGN << 30, frame + codec.fcs(frame))
    net.world.run(0)


def forged_update(one, cksn=None):
    cksn = one.cksn if cksn is None else cksn
    return bytes((GMM, 8, cksn << 4)) + one.rai + b"\x00" + b"\x32\x02\x00\x00"


@case("its forged updates in a cell of another BSS move nobody, end no context, and keep no message from the phone")
def thief():
    with MovingKeyed() as net:
        one = with_context(net)
        key = one.keys[-1]
        for number in range(40):
            forged(net, one, net.other, forged_update(one, number // 2 % 7), number)
            if number % 10 == 5:
                net.do(one, "activate", nsapi=6 + number // 10)
                same(one.contexts[6 + number // 10].state, "active", f"its context, with forged update {number} under way")
            net.world.run(3 * S)
            net.ping(one)
        same((net.where(one), one.keys[-1], one.llc.resets, one.refused), ("101 2", key, 0, []), "place, key, Resets, refusals")
        net.world.run(60 * S)
        same(one.state, "registered", "the phone")
        for nsapi in (5, 6, 9):
            net.ping(one, nsapi)
        net.goes(one, net.other, 3)
        net.world.run(S)
        net.agree(one)


@case("its forged updates, DETACH and COMPLETE in a cell of another BSS do nothing to a phone with a card but no cipher")
def thief_of_a_card():
    with MovingCard() as net:
        one = with_context(net)
        reference = 0
        for number in range(24):
            said = (forged_update(one, number // 2 % 7), b"\x08\x05\x01", b"\x08\x05\x09", b"\x08\x03", b"\x08\x0a",
                    bytes((GMM, 0x13, reference)) + b"\x22\x01\x02\x03\x04")[number % 6]
            forged(net, one, net.other, said, number)
            reference = next((pdu[3] >> 4 for pdu in asked_there(net)), reference)
            net.world.run(3 * S)
            same((net.where(one), one.llc.resets, one.refused, one.unexpected), ("101 2", 0, [], []), "place, Resets, refusals")
            same(cell_shown(net, one), "101-2", "where Sluice says that it is")
            net.ping(one)
        right(asked_there(net), "whoever says that he is the phone is asked there to prove it")
        net.world.run(60 * S)
        same((one.refused, net.world.counted("updates", "authentications")), ([], (0, 1)), "refusals, updates and authentications")
        net.goes(one, net.other, 3)
        net.world.run(S)
        net.agree(one)
        net.ping(one)


def asked_there(net):
    """AUTHENTICATION AND CIPHERING REQUESTs in the other BSS, the last one first."""
    found = [record.pdu.sdu["llc"][3:-3] for record in net.other.dl]
    return [octets for octets in reversed(found) if octets[:2] == bytes((GMM, 0x12))]


def cell_shown(net, one):
    return net.world.lua(f"local p = require('sluice.phones.store').by_imsi('{one.imsi}') "
                         "return p.nse.nsei .. '-' .. p.bvc.bvci")


@case("its NULL frames in a cell of another BSS move nobody, and hold up no update and no page of the phone")
def thief_says_nothing():
    with MovingKeyed() as net:
        one = with_context(net)
        frame = one.llc.null()
        for number in range(12):
            net.other.uplink_llc(2 if one.bvci == 2 else 3, one.tlli, frame)
            net.world.run(0)
            if number % 4 == 3:
                since_ns = net.world.now_ns
                net.goes(one, net.bss, 5 - one.bvci)
                same(net.world.now_ns, since_ns, "when its update is answered")
            elif number % 4 == 1:
                net.world.run(60 * S)  # STANDBY
                before = len(one.packets)
                net.world.down(net.ggsn.contexts[one.imsi, 5].teid_sgsn_data, npdu(one.contexts[5].address, 300, number))
                net.world.run(0)
                same(len(one.packets), before + 1, "its packet, at once")
            net.world.run(3 * S)
            net.ping(one)
            same((net.where(one), one.llc.resets, one.refused), (f"101 {one.bvci}", 0, []), "place, Resets, refusals")
        right(net.world.counted("claims_unproven")[0] >= 10, "claims")
        net.world.run(60 * S)
        updated_ns = net.world.now_ns
        net.do(one, "update", kind=3)
        net.world.run(0)
        same((one.state, net.world.now_ns), ("registered", updated_ns), "its update")
        net.agree(one)


@case("its NULL frames keep an operator from no authentication of the phone")
def thief_of_time():
    with MovingKeyed() as net:
        one = with_context(net)
        for number in range(4):
            net.lose("down", "authentication_request", 2, nth=net.counts["down", "authentication_request", one.imsi] + 1)
            right(net.world.ctl(f"authenticate {one.imsi}")[0], "ctl")
            for _ in range(20):
                net.other.uplink_llc(2, one.tlli, one.llc.null())
                net.world.run(2 * S)
            net.world.run(6 * S)
            same(net.world.counted("authentications"), (2 + number,), f"authentications; {net.last(12)}")
            same(net.where(one), "101 2", "its place")
            net.ping(one)
        net.world.run(60 * S)
        net.do(one, "update", kind=3)
        net.world.run(S)
        net.agree(one)


@case("a forged one inside the phone's own update: that comes to its end, and the phone is known in the next area")
def thief_inside():
    with MovingKeyed() as net:
        one = with_context(net)
        for bss, bvci in ((net.other, 3), (net.bss, 2), (net.bss, 3), (net.other, 2)):
            net.delay("up", "update_complete", ns=S, nth=net.counts["up", "update_complete", one.imsi] + 1)
            net.enters(one, bss, bvci)
            forged(net, one, net.bss if bss is net.other else net.other, forged_update(one), 7)
            net.world.run(60 * S)
            same((one.state, one.refused), ("registered", []), "the phone")
            net.ping(one)
            net.agree(one)


main()
