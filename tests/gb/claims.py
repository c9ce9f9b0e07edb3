#!/usr/bin/python3
"""An NSE says that an MS of another is there (a UL-UNITDATA of its TLLI): who is believed, by who answers
a page, and by the routeing areas that the file lists (nse.areas). And cells outside of those areas.
Whatever is said, an MS's packets go on where it was, and come each once and in order. MSs with a key are
in theft.py."""

import codec
from bss import Bss
from ms_world import (ADDRESS2, B, C, IMSI, LISTED, LOST, ORDERED, RA2, SEMANTICALLY, T3313, TLLI,
                      TLLI2, config, flushed, page, place, resume, status, suspended)
from harness import case, main, right, same
from world import MS, S, npdu

SILENCE = 4 * T3313  # a page and its three repetitions
WITHIN = 3 * S  # within an NSE one page has to be answered by then
KEY = 'cipher = "gea3", key = "0102030405060708", '
READY = ("gb.ready=10 s",)
AREA = "262-42-4660-86"


def claim(p, tlli=TLLI, bss=None, bvci=2):
    p.frame(bvci, bss or p.b, tlli)
    p.world.run(0)


def where(p):
    """The NSEI that has the MS."""
    return 101 + [p.lua(f"return require('dp').ms_of({nse}, {TLLI})") for nse in (0, 1)].index("0")


def counts(p, *names):
    return p.world.counted(*(f"claims_{name}" for name in names))


def flows_on(p, bss, bvci=2):
    """Packets come at once, in that cell."""
    p.down(3)
    p.world.run(300 * MS)
    p.all(bvci, ns=0, bss=bss)


def contests(p):
    return int(p.lua("return require('sluice.ms.contest').count()"))


def stays(p):
    """Both cells are paged, and no other; its packets go on where it is."""
    for bss in p.a, p.b:
        page(bss, p.world.now_ns, bvci=2)
        bss.none("bssgp_paging_ps")
    same(where(p), 101, "where it is")
    flows_on(p, p.a)


# ---- A contest ----------------------------------------------------------------------------------

for TITLE, ANSWER in (("user data", "up"), ("a frame of control's", "frame"), ("another of its cells", "moved")):
    @case(f"its own cell answers the page, by {TITLE}: the claim is refused, nothing was held", ANSWER)
    @place()
    def answers(p, answer):
        claim(p)
        stays(p)
        for _ in range(20):  # however often it is said
            claim(p)
            p.world.run(100 * MS)
        same(where(p), 101, "where it is")
        cell = 3 if answer == "moved" else 2
        p.frame() if answer == "frame" else p.up(cell)
        p.world.run(0)
        p.idle()
        for _ in range(20):  # and again: nobody is paged before T3313
            claim(p)
            p.world.run(100 * MS)
        same(counts(p, "paged", "refused", "moved"), (1, 1, 0), "claims paged, refused, moved")
        right(p.world.log_lines(" warn ", f"IMSI {IMSI}", "from NSE 101 and from NSE 102", "in NSE 101 and stays"),
              p.world.log())
        p.world.run(T3313)
        same((where(p), contests(p)), (101, 0), "where it is, contests")
        flows_on(p, p.a, cell)
        claim(p)
        same(counts(p, "paged"), (2,), "claims paged when the first has rested")


@case("its own cell is silent, the other answers: it moves when the pages have run out, its queue with it")
@place()
def silent(p):
    start = p.world.now_ns
    claim(p)
    p.world.run(3 * T3313)
    for bss in p.a, p.b:
        same([one - start for one in bss.times("bssgp_paging_ps")], [n * T3313 for n in range(4)], "pages")
    claim(p)
    p.world.run_until(start + SILENCE - 500 * MS)
    p.a.send(0, "bssgp_bvc_block", bvci=2, cause=8)
    p.world.run(0)
    p.down(20)
    p.world.run(500 * MS - 1)
    same(len(p.a.dl), 0, "DL-UNITDATA in a cell that is blocked")
    same(where(p), 101, "where it is")
    p.world.run(1)
    same(where(p), 102, "where it is")
    flushed(p.a, new_bvci=2, nsei=102)
    p.world.run(S)
    same([(one.nsvc.address, one.pdu.bvci) for one in p.a.dl + p.b.dl], [(B, 2)] * 20, "where they came")
    p.b.dl.clear()
    p.idle()
    same(counts(p, "paged", "refused", "moved"), (1, 0, 1), "claims paged, refused, moved")
    right(p.world.log_lines(" info ", f"IMSI {IMSI} is in NSE 102 now, no longer in NSE 101"), p.world.log())


@case("a claim alone moves nobody: neither cell answers")
@place()
def nobody_answers(p):
    claim(p)
    p.world.run(SILENCE)
    same((where(p), contests(p), *counts(p, "paged", "refused", "moved")), (101, 0, 1, 1, 0),
         "where it is, contests, claims paged, refused, moved")
    p.idle()
    flows_on(p, p.a)


@case("away from home, claimed by its home: nothing but an answer there brings it back, at once")
@place()
def back_home(p):
    status(p.a, LOST)
    claim(p)
    same(where(p), 102, "where it is")
    for _ in range(3):  # it is there, and says so
        claim(p, bss=p.a)
        p.frame(2, p.b)
        p.world.run(SILENCE)
        same((where(p), contests(p)), (102, 0), "where it is, contests")
    claim(p, bss=p.a)
    p.frame(2, p.b)
    p.world.run(S)
    same(where(p), 102, "where it is")
    flows_on(p, p.b)
    claim(p, bss=p.a)
    same(where(p), 101, "where it is")
    flows_on(p, p.a)
    p.idle()


@case("away from home and in a call, by what the BSS there says: its home has it back all the same")
@place()
def back_from_call(p):
    status(p.a, LOST)
    claim(p)
    for _ in range(2):
        p.b.send(0, "bssgp_suspend", tlli=TLLI, rai=codec.RAI)
        p.world.run(0)
        claim(p, bss=p.a)
    same(where(p), 101, "where it is")
    flows_on(p, p.a)
    p.idle()


@case("taken by two NSEs that hand it to each other: its home has it back all the same")
@place(third=True, more="")
def handed_over(p):
    other = Bss(p.world, 103, [(103, C)], {2: 80000})
    other.up()
    p.world.run(S)
    status(p.b, LOST, tlli=TLLI2)
    claim(p, TLLI2, p.a)
    for turn in range(20):
        there, then = (p.a, other) if turn % 2 == 0 else (other, p.a)
        claim(p, TLLI2, p.b)
        if p.lua(f"return require('dp').ms_of(1, {TLLI2})") != "nil":
            break
        status(there, LOST, tlli=TLLI2)
        claim(p, TLLI2, then)
        p.world.run(S)
    right(turn == 1, f"its home has it after frame {turn + 1}")


@case("taken by an NSE that then says that its cell is in another area: its home has it back all the same")
@place()
def area_changed(p):
    status(p.a, LOST)
    claim(p)
    same(where(p), 102, "where it is")
    p.b.send(0, "bssgp_bvc_reset", bvci=2, cause=8, cell=codec.cell(7, RA2))
    p.world.run(0)
    p.b.flow(2)
    p.world.run(S)
    for _ in range(2):
        same(where(p), 102, "where it is")
        claim(p, bss=p.a)
    same(where(p), 101, "where it is")
    flows_on(p, p.a)
    p.idle()


@case("a call begins while it is asked where it is: the claim is refused")
@place()
def call_begins(p):
    claim(p)
    claim(p)
    reference = suspended(p)
    for _ in range(3):
        claim(p)
        p.world.run(SILENCE)
    same((where(p), contests(p)), (101, 0), "where it is, contests")
    p.down(3)
    resume(p.a, reference)
    p.all()


@case("it was lost in its own cell: it moves at once, what waited with it")
@place()
def gone(p):
    status(p.a, LOST)
    p.down(9)
    p.none(S)
    claim(p)
    p.world.run(S)
    same([(one.nsvc.address, one.pdu.bvci) for one in p.a.dl + p.b.dl], [(B, 2)] * 9, "where they came")
    p.idle()


def keyed_flow_on(p, bvci=2):
    """The same of enciphered packets, which nobody reads here."""
    p.a.dl.clear()
    p.down(3)
    p.world.run(300 * MS)
    same([one.pdu.bvci for one in p.a.dl], [bvci] * 3, "where they came")


def claimed_within(p):
    """An MS with a key is claimed to be in another cell of its NSE: both are paged, and its packets go on."""
    claim(p, bss=p.a, bvci=3)
    for bvci in 2, 3:
        page(p.a, p.world.now_ns, bvci=bvci)
    p.a.none("bssgp_paging_ps")
    keyed_flow_on(p)


@case("claimed to be in another cell of its NSE, and heard in its own: it stays, and no NSE is refused")
@place(more=KEY)
def within(p):
    for turn in range(1, 4):
        claimed_within(p)
        p.frame()
        for _ in range(20):
            claim(p, bss=p.a, bvci=3)
            p.world.run(T3313 // 20 - 15 * MS)
        keyed_flow_on(p)
        p.idle()
        same(counts(p, "paged", "refused", "moved"), (turn, turn, 0), "claims paged, refused, moved")
        p.world.run(T3313)
    same(p.world.log_lines("frames of it came"), [], "what is said")


@case("claimed to be in another cell of its NSE, and heard there alone: it moves after 3 s, and back likewise")
@place(more=KEY)
def moves_within(p):
    for here, there in (2, 3), (3, 2):
        start = p.world.now_ns
        claim(p, bss=p.a, bvci=there)
        claim(p, bss=p.a, bvci=there)
        p.world.run_until(start + WITHIN - 500 * MS)
        keyed_flow_on(p, here)
        p.world.run_until(start + WITHIN)
        flushed(p.a, bvci=here, new_bvci=there)
        keyed_flow_on(p, there)
        p.idle()
    same(counts(p, "paged", "refused"), (2, 0), "claims paged, refused")


@case("claimed to be in another cell of its NSE, and neither answers; or it is lost in its own")
@place(more=KEY)
def lost_within(p):
    claimed_within(p)
    p.world.run(T3313)
    p.idle()
    keyed_flow_on(p)
    claim(p, bss=p.a, bvci=3)
    claim(p, bss=p.a, bvci=3)
    status(p.a, LOST)
    p.world.run(0)
    keyed_flow_on(p, 3)
    p.idle()
    status(p.a, LOST, bvci=3)
    claim(p, bss=p.a, bvci=2)
    keyed_flow_on(p)
    p.idle()


@case("claimed to be in a cell of its NSE, and forged in a third: that one is not paged, and its frames answer for no other")
@place(more=KEY)
def third_cell(p):
    start = p.world.now_ns
    claimed_within(p)
    for _ in range(20):  # the cell that was claimed is silent
        claim(p, bss=p.a, bvci=4)
        p.world.run(100 * MS)
    p.a.none("bssgp_paging_ps")
    p.world.run_until(start + WITHIN)
    keyed_flow_on(p, 2)
    same(counts(p, "paged", "refused", "unheard"), (1, 1, 20), "claims paged, refused, unheard: nobody has answered")
    start = p.world.now_ns
    claimed_within(p)
    claim(p, bss=p.a, bvci=4)
    p.world.run(S)
    claim(p, bss=p.a, bvci=3)  # the MS
    for _ in range(15):
        claim(p, bss=p.a, bvci=4)
        p.world.run(100 * MS)
    p.world.run_until(start + WITHIN)
    flushed(p.a, bvci=2, new_bvci=3)
    keyed_flow_on(p, 3)
    p.idle()
    same(counts(p, "paged", "refused", "unheard"), (2, 1, 36), "claims paged, refused, unheard: the MS has answered")
    claim(p, bss=p.a, bvci=4)  # nothing goes on any more: a claim like others
    page(p.a, p.world.now_ns, bvci=3)
    page(p.a, p.world.now_ns, bvci=4)
    claim(p, bss=p.a, bvci=2)
    p.frame(3)
    p.world.run(T3313)
    keyed_flow_on(p, 3)
    same(counts(p, "paged", "refused", "unheard"), (3, 2, 37), "claims paged, refused, unheard: its own cell has answered")


for CAUSE in LOST, ORDERED:
    @case(f"its own BSS says that it has gone, by radio cause {CAUSE}, while that is asked: it moves then", CAUSE)
    @place()
    def gone_meanwhile(p, cause):
        claim(p)
        p.world.run(S)
        claim(p)
        p.world.run(S)
        status(p.a, cause)
        same(where(p), 102, "where it is")
        flows_on(p, p.b)
        p.idle()


for AFTER, THEN in (S, T3313 + S), (T3313 + S, T3313 + S):
    @case(f"in standby one page without an answer is enough: claimed after {AFTER // S} s", AFTER, THEN)
    @place(sets=READY)
    def standby(p, after, then):
        p.world.run(20 * S)
        start = p.world.now_ns
        p.down(5)
        page(p.a, start, bvci=2)
        p.none(after)
        claim(p)
        if then > after:
            claim(p)
            same(where(p), 101, "where it is")
            p.world.run_until(start + then - 1)
            p.none()
            p.world.run(1)
        same(where(p), 102, "where it is")
        p.all(bss=p.b)
        p.idle()


@case("in standby, and its own cell answers: what waited comes there")
@place(sets=READY)
def standby_answers(p):
    p.world.run(20 * S)
    p.down(5)
    page(p.a, p.world.now_ns, bvci=2)
    claim(p)
    p.none(S)
    p.up()
    p.all()
    same((where(p), *counts(p, "refused", "moved")), (101, 1, 0), "where it is, claims refused, moved")
    p.idle()


@case("in a call nobody pages it: the claim is refused, and the call goes on")
@place()
def in_call(p):
    reference = suspended(p)
    p.down(4)
    claim(p)
    p.none(SILENCE + S)
    for bss in p.a, p.b:
        bss.none("bssgp_paging_ps")
    same(counts(p, "refused", "moved"), (1, 0), "claims refused, moved")
    right(p.world.log_lines(" warn ", f"IMSI {IMSI}", "in a call in NSE 101"), p.world.log())
    resume(p.a, reference)
    p.all()
    p.idle()


@case("the cell that it was claimed to be in has gone when its own is silent: it stays")
@place()
def cell_gone(p):
    claim(p)
    p.world.run(S)
    claim(p)
    p.b.send(0, "bssgp_bvc_reset", bvci=2, cause=8, cell=codec.cell(7, RA2))  # elsewhere, at least
    p.world.run(SILENCE)
    same((where(p), *counts(p, "moved")), (101, 0), "where it is, claims moved")
    p.flows()
    p.idle()


# ---- The area is listed for both ----------------------------------------------------------------


for TITLE, ONE_LISTS, TOOK in (("both list", False, T3313), ("one of both lists", True, SILENCE)):
    @case(f"an area that {TITLE}: it moves {TOOK // S} s after the claim, its own cell being silent", ONE_LISTS, TOOK)
    @place(nse=LISTED)
    def listed(p, one_lists, took):
        if one_lists:
            right(*p.world.reload(config(nse=LISTED).replace(LISTED, "", 1)))
        p.world.run(S)
        start = p.world.now_ns
        claim(p)
        claim(p)
        p.world.run_until(start + took - 1)
        same(where(p), 101, "where it is")
        p.world.run(1)
        same(where(p), 102, "where it is")
        flows_on(p, p.b)


MANY = 3000  # fifty a second are a minute's


@case("an area of both: all MSs of an NSE move within a minute, as many a second")
@place(nse=LISTED, count=MANY)
def minute(p):
    for second in range(60):
        for number in range(50 * second, 50 * second + 50):
            claim(p, TLLI + number)
            claim(p, TLLI + number)
        p.world.run(S)
    p.world.run(T3313)
    same(counts(p, "moved", "paged", "unheard"), (MANY, MANY, 0), "claims moved, paged, unheard")


for COUNT, LIMIT in (120, 20), (MANY, MANY // 60):
    @case(f"{COUNT} MSs: beyond {LIMIT} claims a second none is paged", LIMIT)
    @place(count=COUNT)
    def beyond(p, limit):
        for number in range(5 * limit):
            claim(p, TLLI + number)
        same(counts(p, "moved", "paged", "unheard"), (0, limit, 4 * limit), "claims moved, paged, unheard")
        same([record.pdu.sdu["tmsi"] for record in p.a.received if record.pdu.sdu
              and record.pdu.sdu.name == "bssgp_paging_ps"], [TLLI + n for n in range(limit)], "pages")
        p.world.run(S)
        for number in range(5 * limit):
            claim(p, TLLI + number)
        same(counts(p, "moved", "paged", "unheard"), (0, 2 * limit, 7 * limit), "claims moved, paged, unheard")
        p.world.run(SILENCE)
        same(counts(p, "moved"), (limit,), "claims moved: those that were answered")


@case("ten thousand claims in a second: contests as many as are allowed, and nobody's packets wait")
@place(count=3000)
def flood(p):
    for number in range(10000):
        p.frame(2, p.b, TLLI + 1 + number % 2999)
        if number % 500 == 499:
            p.world.run(50 * MS)
            p.down()
            p.world.down(p.world.teid(TLLI2), npdu(ADDRESS2))
    p.world.run(S)
    same({one.pdu.sdu["v_tlli"] for one in p.b.dl}, {TLLI2}, "whose packets came in NSE 102")
    same(len(p.b.dl), 20, "and how many")
    p.all(bss=p.a)
    moved, paged, unheard = counts(p, "moved", "paged", "unheard")
    right(moved == 0 and paged <= 100, f"{moved} moved, {paged} paged in two seconds")
    right(9000 < paged + unheard <= 10000, f"{unheard} unheard; the others were being paged")
    same(contests(p), paged, "contests")
    p.world.run(SILENCE)
    same(contests(p), 0, "contests")
    p.idle()


@case("an NSE that has begun as many contests as it can leaves room for another's")
@place()
def room_for_contests(p):
    p.lua("require('sluice.core.network').nse[1].contests = 20000 return 0")  # of NSE 102
    claim(p)
    same(counts(p, "paged", "unheard"), (0, 1), "claims paged, unheard")
    claim(p, TLLI2, p.a)
    same(counts(p, "paged", "unheard"), (1, 1), "claims paged, unheard")


@case("an NSE that names as many MSs as it can leaves room for another's, which are paged")
@place(count=22000)
def room_for_another(p):
    for number in range(1, 21000):
        p.a.send(2, "bssgp_radio_status", radio_cause=ORDERED, tlli=TLLI + number)
        if number % 500 == 0:
            p.world.run(50 * MS)
    entries = "return require('sluice.ms.paging').count()"
    same(p.lua(entries), "10000", "MSs that are waited for")
    status(p.b, ORDERED, tlli=TLLI2)
    status(p.a, ORDERED, tlli=TLLI + 21500)
    same(p.lua(entries), "10001", "MSs that are waited for")


# ---- Cells outside of the areas -----------------------------------------------------------------

ONLY = f'areas = {{ "{AREA}" }},'
TRUE, FALSE = codec.cell(9), codec.cell(9, RA2)


def refused(p, name, cell, bvci=2):
    p.b.inbox.clear()
    p.b.send(0, name, bvci=bvci, cell=cell, **({"cause": 8} if name == "bssgp_bvc_reset" else {}))
    p.world.run(0)
    same(p.b.expect("bssgp_status", within=0)["cause"], SEMANTICALLY, "cause")
    p.b.none("bssgp_bvc_reset_ack")


def state(p, bvci=2):
    return p.world.ctl(f"bvc 102 {bvci}")[1]


@case("BVC-RESET of a cell in an area that is not the NSE's: STATUS, counted, told; the cell is down")
@place(nse=LISTED)
def outside(p):
    right(*p.world.reload(config(nse=ONLY)))
    p.world.run(S)
    right("up" in state(p), state(p))
    for _ in range(30):
        refused(p, "bssgp_bvc_reset", FALSE)
        p.world.run(S)
    right("BVCI 2: down" in state(p), state(p))
    same(p.world.counts()["what"]["areas_refused"] >= 30, True, "areas_refused")
    found = p.world.log_lines(
        " warn ", "NSE 102: BVC-RESET of BVCI 2 in routeing area 262-42-4660-87", AREA)
    right(len(found) in (3, 4), found)
    p.b.send(0, "bssgp_bvc_reset", bvci=2, cause=8, cell=TRUE)
    p.b.expect("bssgp_bvc_reset_ack", within=0, bvci=2)
    right("BVCI 2: up" in state(p) and AREA in state(p), state(p))


@case("BVC-RESET of BVCI 0 is no cell's: a cell identifier in it says nothing, in whichever area it is")
@place(nse=LISTED)
def of_signalling(p):
    right(*p.world.reload(config(nse=ONLY)))
    p.b.inbox.clear()
    p.b.send(0, "bssgp_bvc_reset", bvci=0, cause=8, cell=FALSE)
    p.b.expect("bssgp_bvc_reset_ack", within=0, bvci=0)


@case("a cell that its BSS would make in an area that is not the NSE's is not made")
@place(nse='cells = "any", ' + LISTED)
def not_made(p):
    right(*p.world.reload(config(nse='cells = "any", ' + ONLY)))
    refused(p, "bssgp_bvc_reset", FALSE, 77)
    right("no such BVC" in state(p, 77), state(p, 77))
    p.b.send(0, "bssgp_bvc_reset", bvci=77, cause=8, cell=TRUE)
    p.b.expect("bssgp_bvc_reset_ack", within=0, bvci=77)


@case("an answer to our BVC-RESET that names a cell in another area: it does not come up")
@place(nse=LISTED)
def answers_elsewhere(p):
    right(*p.world.reload(config(nse=ONLY)))
    p.b.auto.discard("bssgp_bvc_reset")
    p.world.ctl("bvc 102 2 reset")
    p.world.run(0)
    p.b.expect("bssgp_bvc_reset", within=0, bvci=2)
    refused(p, "bssgp_bvc_reset_ack", FALSE)
    right("BVCI 2: down" in state(p), state(p))


@case("a reload lists other areas: cells outside are reset, those that are down when they may be up, too")
@place()
def relisted(p):
    def reload(nse):
        p.b.inbox.clear()
        right(*p.world.reload(config(nse=nse)))
        p.world.run(S)
        return sorted(one.pdu.sdu["bvci"] for one in p.b.inbox if one.pdu.sdu
                      and one.pdu.sdu.name == "bssgp_bvc_reset")

    same(reload(ONLY), [6], "cells of NSE 102 that we reset")
    right("BVCI 2: up" in state(p), state(p))
    right("BVCI 6: down" in state(p, 6), state(p, 6))
    same(reload(LISTED), [6], "cells of NSE 102 that we reset")
    right("BVCI 6: up" in state(p, 6), state(p, 6))


@case("a third NSE claims, too: who answers first has it when its own cell is silent")
@place(third=True)
def third(p):
    other = Bss(p.world, 103, [(103, C)], {2: 80000})
    other.up()
    p.world.run(S)
    start = p.world.now_ns
    claim(p, TLLI2, p.a)
    p.b.expect("bssgp_paging_ps", at=start, on=0, bvci=2)
    p.world.run(T3313)
    begun = p.world.now_ns
    claim(p, TLLI2, other)
    claim(p, TLLI2, other)
    claim(p, TLLI2, p.a)
    claim(p, TLLI2, p.a)
    p.world.run_until(begun + SILENCE - 1)
    same([p.lua(f"return require('dp').ms_of({nse}, {TLLI2})") for nse in range(3)], ["nil", "1", "nil"],
         "who has it until then")
    p.world.run(1)
    same([p.lua(f"return require('dp').ms_of({nse}, {TLLI2})") for nse in range(3)], ["nil", "nil", "1"],
         "who has it then")


main()
