#!/usr/bin/python3
"""States and order before `sluice audit`: NS-VCs, cells, MSs that move or are in calls, N(U) and FCS, who may
send what. In captures typed from the formats (audit_capture.py)."""

import copy

import audit_capture as gb  # tests/gb is on the path from here on
import codec
from audit_capture import (CELL, MS, S, TLLI, audited, changed, down, found, nu_talk, place, shown, up,
                           with_more)
from harness import case, main, right, same


# ---- States, cells, MSs ----


@case("NS: user data on a blocked NS-VC; RESET, UNBLOCK and ALIVE without an answer; BLOCK")
def ns():
    talk = gb.good()
    unblock = place(talk, "ns_unblock")
    early, index = with_more(talk, up(talk[unblock].time_ns - 1, gb.signalling("bssgp_bvc_unblock", bvci=CELL)))
    same({one for one in found(audited(early)) if one[0].startswith("ns")},
         {("nsvc_blocked", "BSS", index + 1)}, "blocked")
    for name in ("ns_reset", "ns_unblock", "ns_alive"):
        first = place(talk, name)
        shown(f"{name} twice at once", with_more(talk, talk[first]._replace(time_ns=talk[first].time_ns + 1))[0])
    later = [said._replace(time_ns=said.time_ns + 5 * S) for said in talk]
    shown("NS-RESET 1 s before", [talk[0]._replace(time_ns=4 * S), *later], ("ns_unanswered", "SGSN", 1))
    shown("0.8 s before", [talk[0]._replace(time_ns=4200 * MS), *later])
    late_ns = talk[-1].time_ns
    blocked = talk + [down(late_ns + 1, codec.build("ns_block", cause=1, nsvci=102)),
                      up(late_ns + 2, codec.build("ns_block_ack", nsvci=102)),
                      down(late_ns + S, gb.dl(gb.llc(20, 100)))]
    shown("NS-BLOCK", blocked, ("nsvc_blocked", "SGSN", len(blocked) - 1))
    same(audited(blocked)["nsvcs"][0]["state"], "blocked", "state")
    opened = [up(late_ns + 3, codec.build("ns_unblock")), down(late_ns + 4, gb.dl(gb.llc(20, 100))),
              down(late_ns + 5, codec.build("ns_unblock_ack"))]
    shown("before the SGSN's own NS-UNBLOCK-ACK", blocked[:-1] + opened)
    own = [opened[0], up(late_ns + 4, gb.ul(codec.llc_ui(3, 10, bytes(40)))), opened[2]]
    shown("the BSS before that answer", blocked[:-1] + own, ("nsvc_blocked", "BSS", len(blocked)))
    dead = talk + [down(late_ns + n * S, codec.build("ns_alive")) for n in range(1, 13)]
    report = audited(dead)
    same(report["nsvcs"][0]["state"], "dead", "state after twelve")
    same(len(report["findings"]), 11, "all but the first")
    shown("user data on a dead NS-VC is not held against it", dead + [up(dead[-1].time_ns + 1, gb.ul(codec.llc_ui(3, 10, bytes(9))))],
          *(("alive_unanswered", "BSS", len(talk) + n) for n in range(1, 12)))
    alive = dead + [up(dead[-1].time_ns + 1, codec.build("ns_alive_ack"))]
    same(audited(alive)["nsvcs"][0]["state"], "unknown", "it answers again")


@case("cells: user data on a blocked one, procedures without an answer, forgotten values behind a reset")
def cells():
    talk = gb.good()
    late_ns = talk[-1].time_ns
    block = [up(late_ns + 1, gb.signalling("bssgp_bvc_block", bvci=CELL, cause=1)),
             down(late_ns + 2, gb.signalling("bssgp_bvc_block_ack", bvci=CELL))]
    one = down(late_ns + S, gb.dl(gb.llc(20, 100)))
    shown("blocked", talk + block + [one], ("bvc_blocked", "SGSN", len(talk) + 2))
    unblock = [up(late_ns + 3, gb.signalling("bssgp_bvc_unblock", bvci=CELL)),
               down(late_ns + 4, gb.signalling("bssgp_bvc_unblock_ack", bvci=CELL))]
    shown("unblocked again", talk + block + unblock + [one])
    between = [unblock[0], one._replace(time_ns=late_ns + 3), unblock[1]]
    shown("before the SGSN's own answer", talk + block + between)
    heard = up(late_ns + 3, gb.ul(codec.llc_ui(3, 10, bytes(40))))
    shown("the BSS before that answer", talk + block + [unblock[0], heard, unblock[1]],
          ("bvc_blocked", "BSS", len(talk) + 3))
    shown("BVC-BLOCK twice at once", talk + [block[0], block[0]])
    again = block[0]._replace(time_ns=block[0].time_ns + S)
    shown("BVC-BLOCK once more", talk + [block[0], again], ("bvc_unanswered", "SGSN", len(talk) + 1))
    reset = [down(late_ns + 1, gb.signalling("bssgp_bvc_reset", bvci=CELL, cause=8)),
             up(late_ns + 2, gb.signalling("bssgp_bvc_reset_ack", bvci=CELL, cell=codec.cell(7)))]
    shown("reset", talk + reset + [one], ("before_flow_control", "SGSN", len(talk) + 2))
    all_reset = [down(late_ns + 1, gb.signalling("bssgp_bvc_reset", bvci=0, cause=8)),
                 up(late_ns + 2, gb.signalling("bssgp_bvc_reset_ack", bvci=0))]
    shown("reset of all", talk + all_reset + [one], ("before_flow_control", "SGSN", len(talk) + 2))


@case("cells: both ends reset at once; a suspension ends with the reset of all; STATUS on BVCI 0 answers a FLOW-CONTROL")
def resets():
    talk = gb.good()
    late_ns = talk[-1].time_ns
    one = down(late_ns + S, gb.dl(gb.llc(20, 100)))
    both = [down(late_ns + 1, gb.signalling("bssgp_bvc_reset", bvci=CELL, cause=8)),
            up(late_ns + 2, gb.signalling("bssgp_bvc_reset", bvci=CELL, cause=8, cell=codec.cell(7)))]
    shown("each takes the other's for the answer", talk + both + [one], ("before_flow_control", "SGSN", len(talk) + 2))
    same(audited(talk + both)["bvcs"][1]["state"], "reset", "state")
    suspend = [up(late_ns + 1, gb.signalling("bssgp_suspend", tlli=TLLI, rai=codec.RAI)),
               down(late_ns + 2, gb.signalling("bssgp_suspend_ack", tlli=TLLI, rai=codec.RAI, suspend_reference=1))]
    again = [said._replace(time_ns=late_ns + 10 + said.time_ns) for said in gb.bring_up()[6:]]
    shown("reset of all", talk + suspend + again + [one])
    shown("no reset", talk + suspend + [one], ("suspended", "SGSN", len(talk) + 2))
    shown("reset of the cell", talk + suspend + again[2:] + [one])
    fresh = [said for said in gb.bring_up()[:8]] + suspend + again[:2] + [one]
    same(found(audited(fresh)), set(), "reset of all, a cell that was not seen before")
    right(found(audited(fresh[:-3] + [one])), "without it")
    refused = suspend[0]._replace(time_ns=late_ns + 3, datagram=gb.signalling(
        "bssgp_resume", tlli=TLLI, rai=codec.RAI, suspend_reference=1))
    nack = down(late_ns + 4, gb.signalling("bssgp_resume_nack", tlli=TLLI, rai=codec.RAI))
    shown("RESUME", talk + suspend + [refused, one])
    shown("RESUME-NACK", talk + suspend + [refused, nack, one], ("suspended", "SGSN", len(talk) + 4))
    shown("RESUME-NACK of an MS that was never suspended", talk + [refused, nack, one])
    heard = up(late_ns + 3, gb.ul(codec.llc_ui(3, 10, bytes(40))))
    shown("of one that was heard since", talk + suspend + [heard, refused, nack, one])
    shown("RESUME twice", talk + suspend + [refused, refused, nack, one], ("suspended", "SGSN", len(talk) + 5))
    shown("reset of the cell before RESUME", talk + suspend + again[2:] + [
        said._replace(time_ns=said.time_ns + 20 * MS) for said in (refused, nack)] + [one])
    asked = codec.build("bssgp_flow_control_bvc", tag=99, bmax=40, r=80, bmax_default=40, r_default=80)
    status = down(late_ns + 2 * S, gb.signalling("bssgp_status", cause=9, bvci=CELL, pdu=asked))
    later = []
    for tag in (100, 101):
        later += [up(late_ns + (tag - 96) * S, gb.flow_bvc(tag)),
                  down(late_ns + (tag - 96) * S, gb.on_cell("bssgp_flow_control_bvc_ack", tag=tag))]
    silent = talk + [up(late_ns + 2 * S, codec.unitdata(CELL, asked))] + later
    shown("no answer", silent, ("flow_not_acknowledged", "SGSN", len(talk)))
    shown("STATUS", silent[:len(talk) + 1] + [status] + later)


@case("FLUSH-LL, SUSPEND and RESUME, cell changes, paging, LLC-DISCARDED: listed; LLC PDUs where the MS is not")
def mobility():
    talk = gb.good()
    late_ns = talk[-1].time_ns
    flush = [down(late_ns + 1, gb.signalling("bssgp_flush_ll", tlli=TLLI, bvci=CELL, new_bvci=3)),
             up(late_ns + 2, gb.signalling("bssgp_flush_ll_ack", tlli=TLLI, flush_action=1, bvci=3, octets=70))]
    one = down(late_ns + S, gb.dl(gb.llc(20, 100)))
    shown("left", talk + flush + [one], ("left_cell", "SGSN", len(talk) + 2))
    back = up(late_ns + 3, gb.ul(codec.llc_ui(3, 10, bytes(40))))
    shown("back", talk + flush + [back, one])
    once_more = flush + [back, *(said._replace(time_ns=said.time_ns + 5) for said in flush)]
    shown("left once more", talk + once_more + [one], ("left_cell", "SGSN", len(talk) + 5))
    other = down(late_ns + 3, gb.signalling("bssgp_flush_ll", tlli=TLLI, bvci=3, new_bvci=CELL))
    shown("FLUSH-LL says that it is back", talk + flush + [other, one])
    shown("a repeated FLUSH-LL says nothing new",
          talk + [flush[0], back, down(late_ns + 4, flush[0].datagram), flush[1]._replace(time_ns=late_ns + 5), one])
    suspend = [up(late_ns + 1, gb.signalling("bssgp_suspend", tlli=TLLI, rai=codec.RAI)),
               down(late_ns + 2, gb.signalling("bssgp_suspend_ack", tlli=TLLI, rai=codec.RAI, suspend_reference=1))]
    shown("suspended", talk + suspend + [one], ("suspended", "SGSN", len(talk) + 2))
    resume = [up(late_ns + 3, gb.signalling("bssgp_resume", tlli=TLLI, rai=codec.RAI, suspend_reference=1)),
              down(late_ns + 4, gb.signalling("bssgp_resume_ack", tlli=TLLI, rai=codec.RAI))]
    page = down(late_ns + 5, gb.signalling("bssgp_paging_ps", imsi="001010000000001", bvci=CELL,
                                           qos_ie=b"\0\0\x20"))
    lost = up(late_ns + 6, gb.signalling("bssgp_llc_discarded", tlli=TLLI, frames=2, bvci=CELL, octets=700))
    all_of_it = talk + suspend + resume + [page, lost, one]
    shown("resumed", all_of_it)
    report = audited(all_of_it + flush[:0])
    events = [event["what"] for event in report["events"] if event["what"] not in ("ns-vc", "bvc")]
    same(events, ["suspend", "suspend-ack", "resume", "resume-ack", "paging-ps", "llc-discarded"], "events")
    same(report["bvcs"][1]["discarded_octets"], 700, "LLC-DISCARDED")
    nse = report["nses"][0]
    same((nse["pages_ps"], nse["suspensions"], nse["cell_changes"]), (1, 1, 0), "pages, suspensions, cell changes")
    text = gb.run_audit(gb.folder / "x.pcap").stdout.decode()
    right("NSEI 101: cell changes: 0, suspensions: 1, pages: 1 PS, 0 CS" in text, text)


# ---- LLC ----


@case("N(U): overtaken, missing, repeated, around 511, restarted with and without XID Reset")
def order():
    first = len(gb.bring_up())
    shown("in order, around 511", nu_talk(509, 510, 511, 0, 1))
    shown("5 is overtaken by 6", nu_talk(4, 6, 5, 7), ("llc_out_of_order", "SGSN", first + 2))
    shown("one is overtaken by three", nu_talk(4, 6, 7, 8, 5, 9), ("llc_out_of_order", "SGSN", first + 4))
    shown("5 and 6 are missing", nu_talk(4, 7, 8), ("nu_gap", "SGSN", first + 1))
    shown("missing, and the LLE is far on", nu_talk(4, *range(6, 60)), ("nu_gap", "SGSN", first + 1))
    text = audited(nu_talk(4, 7, 5, 6, 8))["findings"]
    same([(f["rule"], f["frame"], f["text"].split("by ")[-1]) for f in text],
         [("llc_out_of_order", first + n, f"frame {first + 2}") for n in (3, 4)], "of two missing both come")
    shown("32 behind", nu_talk(0, *range(2, 33), 1), ("llc_out_of_order", "SGSN", first + 32))
    shown("a gap is one when the LLE is 33 further", nu_talk(4, *range(6, 39)), ("nu_gap", "SGSN", first + 1))
    shown("of two missing one comes", nu_talk(4, 7, 5, 8), ("llc_out_of_order", "SGSN", first + 2),
          ("nu_gap", "SGSN", first + 1))
    shown("twice", nu_talk(4, 5, 5, 6), ("llc_repeated", "SGSN", first + 2))
    shown("511 is missing", nu_talk(509, 510, 0, 1), ("nu_gap", "SGSN", first + 2))
    shown("twelve are missing up to 0", nu_talk(498, 499, 0, 1), ("nu_gap", "SGSN", first + 2))
    around = nu_talk(509, 510, 0, 511, 1)
    shown("511 is overtaken by 0", around, ("llc_out_of_order", "SGSN", first + 3))
    same(audited(around)["findings"][0]["text"], f"SAPI 3, N(U) 511: overtaken by frame {first + 3}", "by which")
    texts = [one["text"] for one in audited(nu_talk(5, 4, 6, 7))["findings"] if one["rule"] == "llc_out_of_order"]
    same(texts, ["SAPI 3, N(U) 4"], "in front of the first: by one that is not known")
    shown("from 0 again", nu_talk(100, 101, 0, 1), ("nu_restart", "SGSN", first + 2))
    body = bytes([0x41, 0xFB, 12 << 2])  # XID, P, Reset
    xid = down(2 * S + 1, gb.dl(body + codec.fcs(body)))
    shown("from 0 with XID Reset", gb.sorted_by_time(nu_talk(100, 101, 0, 1) + [xid]))
    two = nu_talk(4, 5) + [said._replace(time_ns=said.time_ns + MS) for said in nu_talk(9, 10, sapi=5)[first:]]
    shown("two LLEs", gb.sorted_by_time(two))


@case("FCS: wrong on the way down and up; enciphered frames are not judged")
def fcs():
    talk = gb.good()
    at = place(talk, "bssgp_dl_unitdata", 3)
    shown("down", changed(copy.copy(talk), at, talk[at].datagram[:-1] + b"\xff"), ("fcs_down", "SGSN", at))
    at = place(talk, "bssgp_ul_unitdata", 3)
    shown("up", changed(copy.copy(talk), at, talk[at].datagram[:-1] + b"\xff"), ("fcs_up", "BSS", at))
    secret = gb.bring_up() + [down(S + n * S, gb.dl(gb.llc(n, 100, enciphered=True))) for n in range(4)]
    report = audited(secret)
    same((found(report), report["input"]["enciphered"]), (set(), 4), "enciphered")


@case("a queue that is drained at 1250 of 1500 octets a second, of PDUs of many sizes; a source of one size is none")
def paced():
    def talk_of(sizes, rate):
        talk = gb.bring_up()[:-2] + [up(12 * MS, gb.flow_bvc(1, r=120, r_default=120, bmax=150, bmax_default=150)),
                                     gb.bring_up()[-1]]
        at_ns = S
        for n, octets in enumerate(sizes):
            at_ns += octets * S // rate
            talk.append(down(at_ns, gb.dl(gb.llc(n, octets))))
        return talk
    sizes = [100 + 70 * (n * 7 % 9) for n in range(60)]
    report = audited(talk_of(sizes, 1250))
    same([(one["rule"], one["weight"]) for one in report["findings"]], [("paced_below", "remark")], "1250")
    right("1250 octets/s, R is 1500 octets/s" in report["findings"][0]["text"], report["findings"][0]["text"])
    same(audited(talk_of(sizes, 1500))["findings"], [], "1500")
    same(audited(talk_of([500] * 60, 1250))["findings"], [], "one size")
    own = [up(20 * MS, gb.on_cell("bssgp_flow_control_ms", tlli=TLLI, tag=9, ms_bmax=150, r=100)),
           down(20 * MS, gb.on_cell("bssgp_flow_control_ms_ack", tlli=TLLI, tag=9))]
    own = gb.sorted_by_time(talk_of(sizes, 1210) + own)  # of the MS's 1250, of the cell's 1500
    same(audited(own, "--th", "1000")["findings"], [], "the MS's own R")


# ---- Who sends what ----


@case("PDUs of the other end, on a BVCI where they have no place, and malformed ones")
def senders():
    talk = gb.good()
    at_ns = talk[-1].time_ns + 1
    last = len(talk)
    shown("UL-UNITDATA of the SGSN", talk + [down(at_ns, gb.ul(codec.llc_ui(3, 10, bytes(9))))],
          ("wrong_sender", "SGSN", last))
    shown("FLOW-CONTROL-BVC-ACK of the BSS", talk + [up(at_ns, gb.on_cell("bssgp_flow_control_bvc_ack", tag=11))],
          ("wrong_sender", "BSS", last))
    shown("UL-UNITDATA on BVCI 0", talk + [up(at_ns, gb.ul(codec.llc_ui(3, 10, bytes(9)), bvci=0))],
          ("wrong_bvci", "BSS", last))
    shown("SUSPEND on a cell", talk + [up(at_ns, gb.on_cell("bssgp_suspend", tlli=TLLI, rai=codec.RAI))],
          ("wrong_bvci", "BSS", last))
    shown("cut short", talk + [down(at_ns, gb.dl(gb.llc(20, 100))[:-1])], ("malformed", "SGSN", last))
    shown("NS", talk + [up(at_ns, b"\x02\x00")], ("malformed", "BSS", last))
    # What hangs on a PDU with an ill optional element is judged: a bucket refuses it, an MS has left the cell.
    ill = [down(at_ns + n, gb.dl(gb.llc(20 + n, 1000), imsi="00101000000001").replace(b"\xf1\x0e", b"\x01\x0e"))
           for n in range(6)]
    report = audited(talk + ill)
    same({(one["rule"], one["weight"]) for one in report["findings"]},
         {("ill_element", "remark"), ("bvc_bucket", "breach"), ("ms_bucket", "breach")}, "of six with a wrong filler, beyond a full bucket")
    same(sum(one["rule"] == "ill_element" for one in report["findings"]), 6, "remarks")
    must = codec.unitdata(0, codec.build("bssgp_bvc_reset", bvci=CELL, cause=8, cell=codec.cell(7)))
    shown("an element that must be there", talk + [up(at_ns, must.replace(b"\x07\x81\x08", b"\x07\x82\x08\x08"))],
          ("malformed", "BSS", last))
    report = audited(talk + [up(at_ns, codec.unitdata(CELL, b"\x99")), up(at_ns, b"\x77")])
    same((found(report), report["input"]["unknown_pdu"]), (set(), 2), "of unknown types")


main()
