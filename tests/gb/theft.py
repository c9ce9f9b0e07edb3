#!/usr/bin/python3
"""A hostile NSE takes MSs of another: it sends frames with their TLLIs, answers their pages with more of
them, and plays again what it has recorded. Whoever has a key loses nothing to it. An MS without one is
lost while it is out of coverage at most, and has its packets again within 5 s of its first own frame.

FLOOD_S=N: the flood of claims takes N seconds of virtual time in place of 12."""

import os
import random
from collections import Counter

import codec
from bss import Bss
from codec import RAI
from harness import case, main, right, same
from llc_ms import N200, NULL, RESET, XID, Osmocom, named, parameter, u_frame, u_frames
from ms_world import RA2
from world import HEAD, MS, S, World, ms, npdu, nsvc

THIEF, HOME = 101, 102
PEERS = {THIEF: "198.51.100.101", HOME: "198.51.100.102"}
BVCI = 2
PLAIN, KEYED = 0xC0000000, 0xC1000000  # TLLIs, from here on
KEY = Osmocom.KEY.hex()
LISTED = 'areas = { "262-42-4660-86" },'
T3313 = 5 * S
GMM = codec.llc_ui(1, 0, b"\x08\x01")


def config(count=1, nse="", cell="", more_key=f'cipher = "gea3", key = "{KEY}",'):
    plain = ms("001010000000000", PLAIN, count=count, address="10.0.0.0")
    keyed = ms("001020000000000", KEYED, count=count, address="10.1.0.0", ggsn_teid=0x20000, more=more_key)
    return HEAD + f"""
nse {{ nsei = {THIEF}, {nse} {nsvc(THIEF, PEERS[THIEF])}, bvc {{ bvci = {BVCI} }} }}
nse {{ nsei = {HOME}, {nse} {nsvc(HOME, PEERS[HOME])}, {cell}bvc {{ bvci = {BVCI}, {plain}, {keyed} }} }}
"""


class Side(Bss):
    """A BSS that answers pages in its MSs' names, if it does; `answer` is given the TLLI."""

    def __init__(self, world, nsei, cells=None):
        super().__init__(world, nsei, [(nsei, PEERS[nsei])], cells or {BVCI: 800000})
        for cell in self.cells.values():
            cell.ci = codec.cell(nsei)
        self.auto.add("bssgp_paging_ps")
        self.answer = None
        self.up()

    def answer_bssgp_paging_ps(self, _, pdu):
        if self.answer:
            self.answer(pdu["tmsi"])


class Phone:
    """The MS itself. Its frames are of user data, enciphered if it has a key."""

    def __init__(self, home, tlli):
        self.home, self.tlli, self.number = home, tlli, 0
        self.cipher = Osmocom() if tlli >= KEYED else None
        self.sent = []

    def frame(self):
        number, self.number = self.number, self.number + 1
        info, = codec.sndcp(5, number, npdu("203.0.113.9", 60, number, source="10.0.0.1"))
        llc = codec.llc_ui(3, number % 512, info)
        if self.cipher:
            llc = llc[:2] + bytes([llc[2] | 2]) + llc[3:-3]
            llc = self.cipher(llc + codec.fcs(llc), 0, 0, number // 512 * 512)
        self.sent.append(llc)
        return llc

    def speak(self, bss=None):
        (bss or self.home).uplink_llc(BVCI, self.tlli, self.frame())


class Theft:
    """The two NSEs and the MSs; N-PDUs for each, by number; what the thief can make."""

    def __init__(self, world, count=1, cells=None):
        self.world, self.dice = world, random.Random(1)
        self.thief, self.home = Side(world, THIEF), Side(world, HOME, cells)
        self.tllis = [first + i for first in (PLAIN, KEYED) for i in range(count)]
        self.phones = {tlli: Phone(self.home, tlli) for tlli in self.tllis[::count]}
        world.run(S)
        self.teids = {one.tlli: one.teid for one in world.tunnels()}
        self.thief.answer = self.forge
        self.down_ns = {}  # by TLLI and number

    def forged(self, tlli):
        if tlli < KEYED:
            return self.dice.choice((GMM, u_frame(1, NULL), codec.llc_ui(3, self.dice.randrange(512), bytes(40))))
        head = bytes([self.dice.choice((3, 5, 9, 11)), 0xC0 | self.dice.randrange(8), self.dice.randrange(64) << 2 | 3])
        return head + self.dice.randbytes(self.dice.randrange(3, 200))

    def forge(self, tlli):
        """One of its own making, and all that it has recorded lately."""
        self.thief.uplink_llc(BVCI, tlli, self.forged(tlli))
        phone = self.phones.get(tlli)
        if phone and phone.cipher and phone.sent:
            for llc in (*phone.sent[-8:], self.dice.choice(phone.sent)):
                self.thief.uplink_llc(BVCI, tlli, llc)

    def relay(self, elsewhere):
        """The thief plays a frame of the MS with a key that nobody has received. `elsewhere`: then it says that its cell
        is in another area."""
        self.thief.uplink_llc(BVCI, KEYED, self.phones[KEYED].frame())
        self.world.run(0)
        same(self.nse_of(KEYED), THIEF, "where it is")
        if elsewhere:
            self.thief.send(0, "bssgp_bvc_reset", bvci=BVCI, cause=8, cell=codec.cell(7, RA2))
            self.world.run(S)

    def down(self, tlli, number):
        self.down_ns[tlli, number] = self.world.now_ns
        address = f"10.{int(tlli >= KEYED)}.0.{tlli & 255}"
        self.world.down(self.teids[tlli], npdu(address, 100, number))

    def got(self, bss, tlli):
        """When each DL-UNITDATA of user data for it came to that BSS."""
        return [one.time_ns for one in bss.dl if one.pdu.sdu["v_tlli"] == tlli
                and one.pdu.sdu["llc"][1] & 0xE0 == 0xC0]

    def nse_of(self, tlli):
        return next(nsei for nse, nsei in enumerate((THIEF, HOME))
                    if self.world.lua(f"return require('dp').ms_of({nse}, {tlli})") != "nil")

    def lua_counts(self):
        return [int(self.world.lua(f"return require('sluice.ms.{module}').count()"))
                for module in ("contest", "paging")]


# ---- One of each, for 120 s ---------------------------------------------------------------------

A_SECOND = 10  # claims, each with all that is answered to a page
AWAY = 30  # s for which the phones are out of coverage
SECONDS, PACKETS = 120, 900  # packets for each of both
WITHIN = 5  # s from its own first frame


def rob(p):
    """The phones are away, and silent, for AWAY seconds; then each speaks once a second."""
    every = SECONDS * S // PACKETS
    for number in range(PACKETS):
        p.world.at(p.world.now_ns + number * every, lambda number=number: [p.down(t, number) for t in p.tllis])
    for second in range(SECONDS):
        for _ in range(1 if second == 0 else A_SECOND):
            for tlli in p.tllis:
                p.forge(tlli)
            p.world.run(S if second == 0 else S // A_SECOND)
        for phone in p.phones.values() if second >= AWAY else ():
            phone.speak()


for TITLE, NSE in ("no area is listed", ""), ("both list the area", LISTED):
    for ANSWERS in False, True:
        @case(f"two MSs are claimed and robbed for 120 s, away for 30 s of them; {TITLE}; their BSS "
              f"answers {'pages' if ANSWERS else 'no page'}", NSE, ANSWERS)
        def robbed(nse, answers):
            with World(config(nse=nse)) as world:
                p = Theft(world)
                start_ns = world.now_ns
                if answers:
                    world.at(start_ns + AWAY * S, lambda: setattr(
                        p.home, "answer", lambda tlli: p.phones[tlli].speak()))
                rob(p)
                world.run(2 * S)
                same([len(p.got(bss, KEYED)) for bss in (p.home, p.thief)], [PACKETS, 0],
                     "packets of the MS with a key, at home and at the thief's")
                stolen = p.got(p.thief, PLAIN)
                print(f"# the MS without a key: {len(stolen)} of {PACKETS} came to the thief, the last "
                      f"{max(stolen, default=start_ns) - start_ns - AWAY * S} ns after it was back")
                right(len(stolen) > 10, "the thief got some while it was away, or nothing is tried here")
                right(max(stolen) <= start_ns + (AWAY + WITHIN) * S, f"the thief got one at {max(stolen)} ns")
                same(len(p.got(p.home, PLAIN)) + len(stolen), PACKETS, "packets of the MS without a key")
                same((p.nse_of(PLAIN), p.nse_of(KEYED)), (HOME, HOME), "where they are")
                same(world.log_lines("wrongly"), [], "accusations")
                print("#", *world.log_lines("IMSI")[:6], sep="\n# ")


# ---- A key is proof, and nothing else is --------------------------------------------------------


@case("an MS with a key moves with its first own frame in another NSE, and back with the next at home; "
      "neither is a proof twice")
def moves():
    with World(config()) as world:
        p = Theft(world)
        p.thief.answer = None
        phone = p.phones[KEYED]
        for turn in range(600):
            there, here = (p.thief, p.home) if turn % 2 == 0 else (p.home, p.thief)
            phone.speak(there)
            world.run(0)
            same(p.nse_of(KEYED), there.nsei, f"where it is after move {turn}")
            here.uplink_llc(BVCI, KEYED, phone.sent[-1])
            here.uplink_llc(BVCI, KEYED, phone.sent[turn // 3])
            world.run(S // 3)
            same(p.nse_of(KEYED), there.nsei, f"where it is after a copy of its frame, move {turn}")
        same(world.counted("claims_moved"), (600,), "claims moved")


@case("a frame that nobody has received is a proof for whoever plays it, until the MS's next one: even if the "
      "thief's cell is said to be in another area then")
def relayed():
    with World(config()) as world:
        p = Theft(world)
        phone = p.phones[KEYED]
        for turn in range(4):
            p.relay(turn % 2 == 1)
            phone.speak()
            world.run(0)
            same(p.nse_of(KEYED), HOME, "where it is after its own frame")
            p.thief.reset_bvc(BVCI)
            world.run(S)


@case("an MS that is kept by a relayed frame, in a cell that is said to be in another area, comes home by the TLLI that a "
      "reload has given it")
def renamed():
    with World(config()) as world:
        p = Theft(world)
        phone = p.phones[KEYED]
        p.relay(True)
        same(world.reload(config().replace(f"{KEYED:#x}", f"{KEYED + 7:#x}").replace(str(KEYED), str(KEYED + 7)))[0], True, "reload")
        phone.tlli = KEYED + 7
        phone.speak()
        world.run(S)
        same(p.nse_of(KEYED + 7), HOME, "where it is after its own frame")


def forged_by_all_means(p, tlli):
    for llc in GMM, u_frame(1, NULL), codec.llc_ui(3, 0, bytes(40)), b"", b"\3", bytes(1400):
        p.thief.uplink_llc(BVCI, tlli, llc)
    p.forge(tlli)


@case("silence, RADIO-STATUS, standby and an answered page move no MS with a key", "")
@case("the same where both list the area", LISTED)
def by_no_other_means(nse):
    with World(config(nse=nse), "gb.ready=10 s") as world:
        p = Theft(world)
        world.run(20 * S)
        p.down(KEYED, 0)  # it is paged, and the thief alone answers
        for _ in range(30):
            forged_by_all_means(p, KEYED)
            world.run(S)
        p.home.send(BVCI, "bssgp_radio_status", radio_cause=0, tlli=KEYED)
        p.down(KEYED, 1)
        for _ in range(30):
            forged_by_all_means(p, KEYED)
            world.run(S)
        same((p.nse_of(KEYED), p.got(p.thief, KEYED)), (HOME, []), "where it is, and what the thief got")
        p.down(KEYED, 2)
        p.phones[KEYED].speak()
        world.run(S)
        same(len(p.got(p.home, KEYED)), 1, "what waited when it spoke")
        same(world.counted("claims_moved"), (0,), "claims moved")


@case("an MS that was proven elsewhere and then loses its key is at home there")
def proven_home():
    with World(config()) as world:
        p = Theft(world)
        p.thief.answer = None
        p.phones[KEYED].speak(p.thief)
        world.run(0)
        same(p.nse_of(KEYED), THIEF, "where it has proven to be")
        right(*world.reload(config(more_key="")))
        phone = p.phones[KEYED]
        phone.cipher = None
        for _ in range(2 * 30):
            p.home.uplink_llc(BVCI, KEYED, GMM)
            p.home.uplink_llc(BVCI, KEYED, GMM)
            world.run(S // 2)
            phone.speak(p.thief)
        same(p.nse_of(KEYED), THIEF, "where it is: each claim was refused")


@case("30 forged frames at the begin of each second, in its own cell, do not keep an MS away that a relayed one has taken")
def crowded():
    with World(config()) as world:
        p = Theft(world)
        p.thief.answer = None
        phone = p.phones[KEYED]
        for turn in range(20):
            p.relay(False)
            for _ in range(30):
                p.home.uplink_llc(BVCI, KEYED, p.forged(KEYED))
            world.run(100 * MS)
            same(p.nse_of(KEYED), THIEF, "where it is")
            phone.speak()
            world.run(0)
            same(p.nse_of(KEYED), HOME, f"where it is after its own frame, turn {turn}")
            world.run(900 * MS)


@case("XID commands with Reset in the name of an MS with a key do not silence it, nor keep it from another NSE")
def resets():
    with World(config()) as world:
        p = Theft(world)
        p.thief.answer = None
        phone = p.phones[KEYED]
        for turn in range(20):
            for sapi in 1, 3:
                p.home.uplink_llc(BVCI, KEYED, u_frame(sapi, XID, parameter(RESET)))
            world.run(S)
            phone.speak()
            world.run(0)
            same(len(world.tpdus), turn + 1, "N-PDUs up")
        phone.speak(p.thief)
        world.run(0)
        same(p.nse_of(KEYED), THIEF, "where it is after its own frame there")


OTHER_CELL = 3

for SAYS, EVERY in (("it speaks each second", 1), ("it answers pages", None)):
    @case(f"frames for control in another cell of its NSE take no packet of an MS with a key; {SAYS}", EVERY)
    def within(every):
        with World(config(cell=f"bvc {{ bvci = {OTHER_CELL} }}, ")) as world:
            p = Theft(world, cells={BVCI: 800000, OTHER_CELL: 800000})
            phone = p.phones[KEYED]
            if not every:
                p.home.answer = lambda tlli: phone.speak() if tlli == KEYED else None
            for second in range(60):
                if every:
                    phone.speak()
                for _ in range(2):
                    p.home.uplink_llc(OTHER_CELL, KEYED, u_frame(1, NULL))
                for number in range(8):
                    p.down(KEYED, 8 * second + number)
                    world.run(S // 8)
            world.run(S)
            same(Counter(one.pdu.bvci for one in p.home.dl if one.pdu.sdu["llc"][1] & 0xE0 == 0xC0),
                 {BVCI: 8 * 60}, "packets by cell")
            same(len(world.tpdus) >= 60 // 6, True, "it has spoken")


@case("an XID in the name of an MS with a key, from another cell of its NSE, neither begins an exchange with it nor ends one")
def xid_elsewhere():
    with World(config(cell=f"bvc {{ bvci = {OTHER_CELL} }}, ",
                      more_key=f'cipher = "gea3", key = "{KEY}", iov_ui = 1, ')) as world:
        p = Theft(world, cells={BVCI: 800000, OTHER_CELL: 800000})

        def forge(*frame, **more):
            p.home.uplink_llc(OTHER_CELL, KEYED, u_frame(*frame, **more))
            world.run(S // 2)
        forge(1, NULL)
        forge(3, XID, named(n201_u=140))
        forge(1, XID, response=True)
        same(u_frames(p.home), [], "XID frames to it")
        p.phones[KEYED].speak()
        world.run(S)
        same((len(world.tpdus), len(u_frames(p.home))), (1, 1), "its first frame; the Reset that follows")
        forge(1, XID, response=True)
        world.run(60 * S)
        same(len(u_frames(p.home)), N200, "the Reset again, for it was not answered in its cell")


CROWD, THIRD_CELL = 200, 4


@case("20 claims a second in one cell of an NSE, of other MSs, do not keep one with a key from a third cell")
def crowded_cell():
    cells = "".join(f"bvc {{ bvci = {bvci} }}, " for bvci in (OTHER_CELL, THIRD_CELL))
    with World(config(count=CROWD, cell=cells)) as world:
        p = Theft(world, CROWD, {bvci: 800000 for bvci in (BVCI, OTHER_CELL, THIRD_CELL)})
        it = KEYED + CROWD - 1
        p.home.answer = lambda tlli: p.home.uplink_llc(THIRD_CELL, tlli, u_frame(1, NULL)) if tlli == it else None
        for second in range(12):
            for i in range(20):
                p.home.uplink_llc(OTHER_CELL, KEYED + (20 * second + i) % (CROWD - 1), u_frame(1, NULL))
            world.run(S // 2)
            p.home.uplink_llc(THIRD_CELL, it, u_frame(1, NULL))
            p.down(it, second)
            world.run(S // 2)
        came = [one.pdu.bvci for one in p.home.dl if one.pdu.sdu["v_tlli"] == it]
        same(came, [BVCI] * 3 + [THIRD_CELL] * 9, "where its packets came")
        same(world.counted("claims_unheard"), (0,), "claims unheard")


@case("a call of an MS with a key goes on, whoever sends frames for control in another cell of its NSE")
def in_call():
    with World(config(cell=f"bvc {{ bvci = {OTHER_CELL} }}, ")) as world:
        p = Theft(world, cells={BVCI: 800000, OTHER_CELL: 800000})
        p.phones[KEYED].speak()
        world.run(S)
        p.home.answer = lambda tlli: p.home.uplink_llc(OTHER_CELL, tlli, u_frame(1, NULL))
        p.home.send(0, "bssgp_suspend", tlli=KEYED, rai=RAI)
        number = p.home.expect("bssgp_suspend_ack", within=0)["suspend_reference"]
        for _ in range(20):
            p.home.uplink_llc(OTHER_CELL, KEYED, u_frame(1, NULL))
            world.run(S)
        p.down(KEYED, 0)
        p.home.none("bssgp_paging_ps", S)
        same(p.home.dl, [], "packets in the call")
        p.home.send(0, "bssgp_resume", tlli=KEYED, rai=RAI, suspend_reference=number)
        world.run(S)
        same([one.pdu.bvci for one in p.home.dl], [BVCI], "where the packet came")


# ---- Many ---------------------------------------------------------------------------------------

HUNDRED = 100


@case("200 forged claims a second for 120 s take none of a hundred MSs with a key, whose BSS answers no page")
def hundred():
    with World(config(HUNDRED)) as world:
        p = Theft(world, HUNDRED)
        for tick in range(120 * 10):
            frames = [p.forged(KEYED + (20 * tick + i) % HUNDRED) for i in range(20)]
            for i, llc in enumerate(frames):
                p.thief.uplink_llc(BVCI, KEYED + (20 * tick + i) % HUNDRED, llc)
            world.run(100 * MS)
        moved, tried = world.counted("claims_moved", "claims_unproven")
        same((moved, tried), (0, 120 * 200), "claims moved; keys tried")
        same({p.nse_of(KEYED + i) for i in range(HUNDRED)}, {HOME}, "where they are")
        same(p.lua_counts(), [0, 0], "contests, pages")


TICK, EVENTS, CLAIMS = 20 * MS, 50, 100  # control can handle 2500 events a second, and 5000 claims come
TICKS = int(os.environ.get("FLOOD_S", 12)) * S // TICK
BUDGET = ("local events = require('events') local take = events.take left = 0 "
          "events.take = function() if left > 0 then left = left - 1 return take() end end")


@case("5000 claims a second of two hundred MSs, with a control that has time for half of them: flow control "
      "of both BSSs is answered within 100 ms, packets come at once, and contests have an end")
def flood():
    with World(config(HUNDRED)) as world:
        p = Theft(world, HUNDRED)
        p.home.answer = lambda tlli: p.home.uplink_llc(BVCI, tlli, GMM)
        frames = [world.gb_frame(PEERS[THIEF], codec.unitdata(BVCI, codec.ul_unitdata(
            tlli, p.forged(tlli), codec.cell(THIEF)))) for tlli in p.tllis for _ in range(6)]
        p.dice.shuffle(frames)
        world.lua(BUDGET)
        asked, most, contests = {}, 0, 0
        for tick in range(TICKS):
            burst = [frames[(CLAIMS * tick + i) % len(frames)] for i in range(CLAIMS)]
            world.put_all("gb", burst[:50])
            for bss in (p.thief, p.home) if tick % 10 == 0 else ():
                asked[bss.nsei, bss.flow(BVCI)] = world.now_ns
            world.put_all("gb", burst[50:])
            p.down(p.tllis[tick % len(p.tllis)], tick)
            world.run(0)
            world.lua(f"left = {EVENTS}")
            world.run(TICK)
            for bss in p.thief, p.home:
                for record in bss.inbox:
                    if record.pdu.sdu and record.pdu.sdu.name == "bssgp_flow_control_bvc_ack":
                        asked_ns = asked.pop((bss.nsei, record.pdu.sdu["tag"]))
                        most = max(most, record.time_ns - asked_ns)
                bss.inbox.clear()
            contests = max(contests, sum(p.lua_counts()))
        world.lua("left = 10^6")
        world.run(S)
        same(asked, {}, "flow control that was not answered")
        print(f"# flow control was answered after {most // MS} ms at most; {contests} contests at once")
        right(most <= 100 * MS, f"an answer came after {most} ns")
        right(contests <= 25 * 20, f"{contests} contests: 20 a second for four pages, and a rest")
        came = sorted((one.time_ns, one.pdu.sdu["v_tlli"]) for one in p.home.dl)
        right(len(came) == TICKS and not p.thief.dl, f"{len(came)} came, {len(p.thief.dl)} to the thief")
        same(world.counted("claims_moved"), (0,), "claims moved")


main()
