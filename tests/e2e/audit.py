#!/usr/bin/python3
"""`sluice audit` on captures typed from the formats (audit_capture.py): a good one has nothing to report;
each fault that is put into it is found, by its frame and by who did it, and nothing else is."""

import copy
import json
import pathlib
import re
import tempfile

import audit_capture as gb  # tests/gb is on the path from here on
import codec
import frames
from audit_capture import CELL, MS, OTHER_TLLI, S, TLLI, down, found, place, up
from harness import ROOT, case, main, right, same

folder = pathlib.Path(tempfile.mkdtemp(prefix="sluice-audit-"))


def audited(talk, *words, **how):
    return gb.audit("--tolerance", "0", *words, gb.write(folder / "x.pcap", talk, **how))


def shown(what, talk, *wanted):
    """Exactly these findings, each (rule, who, index in the talk)."""
    same(sorted(found(audited(talk))), sorted((rule, who, index + 1) for rule, who, index in wanted), what)


def changed(talk, index, datagram=None, time_ns=None):
    said = talk[index]
    talk[index] = said._replace(datagram=datagram or said.datagram,
                                time_ns=said.time_ns if time_ns is None else time_ns)
    return talk


def without(talk, *indexes):
    return [said for i, said in enumerate(talk) if i not in indexes]


def with_more(talk, *said):
    """The talk with more of it, and where the first of these is."""
    talk = gb.sorted_by_time([*talk, *said])
    return talk, talk.index(said[0])


# ---- A good capture ----


@case("a good capture: nothing to report, and all of it read")
def good():
    report = audited(gb.good())
    same(report["findings"], [], "findings")
    same(report["input"]["frames"], report["input"]["datagrams"], "datagrams of the frames")
    same([row["state"] for row in report["nsvcs"]], ["unblocked"], "NS-VC")
    same([(row["bvci"], row["state"]) for row in report["bvcs"]], [(0, "reset"), (2, "open")], "cells")
    same([event["text"] for event in report["events"] if event["what"] == "ns-vc"],
         ["resetting", "blocked", "unblocked"], "states of the NS-VC")
    same([event["text"] for event in report["events"] if event["what"] == "bvc"],
         ["resetting", "reset", "resetting", "reset", "open"], "states of the cells")


@case("its figures: rate against R, queue, room, delays of acknowledgements, by numbers worked out on paper")
def figures():
    # from 0.013 s to 10.020 s, 20 PDUs of 500 octets, each 0.5 s: the queue is 500 octets and leaks
    # 1000 octets/s: empty after 0.5 s, so its mean is 250 while busy, up to the last 0.02 s of the capture
    report = audited(gb.good())
    bucket, cell = report["bvcs"][1]["bucket"], report["bvcs"][1]
    same((bucket["pdus"], bucket["octets"], bucket["queue_most_octets"]), (20, 10000, 500), "sent")
    covered_s = 10.020 - 0.013
    right(abs(bucket["used_of_r"] - 10000 / (1000 * covered_s)) < 1e-6, f"used of R: {bucket['used_of_r']}")
    area = 19 * 125 + 0.020 * (500 - 10)
    right(abs(bucket["queue_mean_octets"] - area / covered_s) < 1e-3, f"{bucket['queue_mean_octets']}")
    right(abs(bucket["room_mean_octets"] - (4000 - area / covered_s)) < 1e-3, f"{bucket['room_mean_octets']}")
    right(abs(bucket["queue_most_s"] - 0.5) < 1e-9, f"{bucket['queue_most_s']}")
    same((cell["flow_controls"], cell["flow_control_acks"]), (11, 11), "FLOW-CONTROLs")
    flows = report["flow_control"]
    same({row["ack_delay_ns"] for row in flows}, {MS}, "delays")
    same([row["tag"] for row in flows], list(range(1, 12)), "tags")
    same((flows[0]["bmax_octets"], flows[0]["r_bit_per_s"]), (4000, 8000), "values")
    same((cell["lifetimes_ms"]["samples"], cell["lifetimes_ms"]["most"]), (20, 10000), "lifetimes")


# ---- Flow control ----


@case("one PDU an instant too early: the cell's and the MS's bucket, by how much; on time: nothing")
def too_early():
    # Bmax 4000 octets: eight of 500 at once fill it; the ninth conforms 0.5 s later, not 1 ns before
    for early_ns, wanted in ((0, 0), (1, 1)):
        talk = gb.bring_up() + [down(S, gb.dl(gb.llc(n, 500))) for n in range(8)]
        talk.append(down(S + S // 2 - early_ns, gb.dl(gb.llc(8, 500))))
        last = len(talk) - 1
        shown(f"{early_ns} ns early", talk,
              *((rule, "SGSN", last) for rule in ("bvc_bucket", "ms_bucket") if wanted))
    text = audited(changed(talk, last, time_ns=S + S // 4))["findings"][0]["text"]
    right("500 octets, 250.0 over Bmax 4000" in text and "250.000 ms too early" in text, text)


@case("an empty bucket takes a PDU larger than Bmax, one that is not empty does not")
def larger():
    small = gb.flow_bvc(1, bmax=4)
    talk = gb.bring_up()[:-2] + [up(12 * MS, small), gb.bring_up()[-1]]
    talk += [down(S, gb.dl(gb.llc(0, 600))), down(2 * S, gb.dl(gb.llc(1, 600)))]
    shown("each when it is empty", talk)
    shown("one before", changed(talk, len(talk) - 1, time_ns=S + S // 2),
          ("bvc_bucket", "SGSN", len(talk) - 1))


@case("what is refused is not charged: a sender that is right otherwise has one finding")
def one_each():
    # the cell is full from 1 s on and R is used up to the last octet
    talk = gb.bring_up() + [down(S, gb.dl(gb.llc(n, 500), TLLI + 1 + n)) for n in range(8)]
    talk += [down(S + n * S // 2, gb.dl(gb.llc(7 + n, 500), TLLI + 8)) for n in range(1, 20)]
    shown("full", talk)
    talk, index = with_more(talk, down(5 * S + 1, gb.dl(gb.llc(0, 500), TLLI + 9)))
    shown("one more", talk, ("bvc_bucket", "SGSN", index))


@case("an MS's own values, a packet flow's, and the defaults")
def levels():
    def talk_of(ask, answer, *pdus):
        return gb.bring_up() + [up(S, ask), down(S + MS, answer), *pdus]

    ms = talk_of(gb.on_cell("bssgp_flow_control_ms", tlli=TLLI, tag=9, ms_bmax=10, r=8),
                 gb.on_cell("bssgp_flow_control_ms_ack", tlli=TLLI, tag=9),
                 *(down(2 * S, gb.dl(gb.llc(n, 500))) for n in range(3)),
                 *(down(2 * S, gb.dl(gb.llc(n, 500), OTHER_TLLI)) for n in range(3)))
    shown("MS", ms, ("ms_bucket", "SGSN", len(ms) - 4))
    flows = [{"pfi": 9, "bmax": 10, "r": 8}]
    pfc = talk_of(gb.on_cell("bssgp_flow_control_pfc", tlli=TLLI, tag=9, flows=flows),
                  gb.on_cell("bssgp_flow_control_pfc_ack", tlli=TLLI, tag=9),
                  *(down(2 * S, gb.dl(gb.llc(n, 500), pfi=9 if n != 2 else 10)) for n in range(4)))
    shown("packet flow", pfc, ("pfc_bucket", "SGSN", len(pfc) - 1))
    poor = gb.bring_up()[:-2] + [up(12 * MS, gb.flow_bvc(1, bmax_default=10)), gb.bring_up()[-1]]
    poor += [down(2 * S, gb.dl(gb.llc(n, 500))) for n in range(3)]
    shown("defaults", poor, ("ms_bucket", "SGSN", len(poor) - 1))


@case("values hold from their acknowledgement; between, a PDU that needs the new ones may have them")
def in_force():
    less = [up(S, gb.flow_bvc(9, bmax=10)), down(S + 3 * MS, gb.on_cell("bssgp_flow_control_bvc_ack", tag=9))]
    burst = [down(S + 2 * MS, gb.dl(gb.llc(n, 500))) for n in range(8)]
    talk = gb.sorted_by_time(gb.bring_up() + less + burst)
    shown("the old values until the acknowledgement", talk)
    late = gb.sorted_by_time(gb.bring_up() + less + [s._replace(time_ns=S + 4 * MS) for s in burst])
    shown("the new ones behind it", late, *(("bvc_bucket", "SGSN", len(late) - 6 + n) for n in range(6)))
    more = [up(S, gb.flow_bvc(9, bmax=80, bmax_default=80)), less[1]]
    burst = [down(S + 2 * MS, gb.dl(gb.llc(n, 500))) for n in range(12)]
    shown("the new ones before it, where they are needed", gb.sorted_by_time(gb.bring_up() + more + burst))


@case("CBL: B is what the BSS says; R = 0 stops; LLC-DISCARDED gives back; granularity")
def bucket_changes():
    ack = gb.on_cell("bssgp_flow_control_bvc_ack", tag=9)
    full = gb.bring_up() + [up(S, gb.flow_bvc(9, full=90)), down(S, ack)]
    pdus = [down(S, gb.dl(gb.llc(0, 400))), down(S, gb.dl(gb.llc(1, 100)))]
    shown("90 % full: 400 octets fit, 100 more do not", full + pdus, ("bvc_bucket", "SGSN", len(full) + 1))
    back = up(S, gb.signalling("bssgp_llc_discarded", tlli=TLLI, frames=1, bvci=CELL, octets=100))
    shown("given back behind the ratio", full[:-1] + [back, full[-1]] + pdus)
    shown("before it", full[:-2] + [back] + full[-2:] + pdus, ("bvc_bucket", "SGSN", len(full) + 2))
    stop = gb.bring_up() + [down(S, gb.dl(gb.llc(n, 500))) for n in range(8)]
    stop += [up(S, gb.flow_bvc(9, r=0)), down(S, ack), down(60 * S, gb.dl(gb.llc(8, 500)))]
    report = audited(stop)
    same(found(report), {("bvc_bucket", "SGSN", len(stop))}, "R = 0")
    right(report["findings"][0]["text"].endswith("R is 0"), report["findings"][0]["text"])
    lost = stop[:-3] + [up(S + 1, gb.signalling("bssgp_llc_discarded", tlli=TLLI, frames=1, bvci=CELL,
                                                 octets=500)), down(S + 2, gb.dl(gb.llc(8, 500)))]
    shown("500 octets are back", lost)
    large = gb.bring_up() + [up(S, gb.flow_bvc(9, granularity=1, bmax_default=1, r_default=1)), down(S, ack)]
    large += [down(S, gb.dl(gb.llc(n, 500), TLLI + n)) for n in range(80)]
    shown("40000 octets", large)
    large.append(down(S, gb.dl(gb.llc(99, 500), TLLI + 99)))
    shown("and no more", large, ("bvc_bucket", "SGSN", len(large) - 1))


@case("tolerance, and Th behind which an MS's own values are not held against the SGSN")
def tolerances():
    talk = gb.bring_up() + [down(S, gb.dl(gb.llc(n, 500))) for n in range(8)]
    talk.append(down(S + S // 2 - 900_000, gb.dl(gb.llc(8, 500))))
    path = gb.write(folder / "x.pcap", talk)
    same(found(gb.audit(path)), set(), "0.9 ms early, 1 ms by default")
    same(len(found(gb.audit("--tolerance", "0.0008", path))), 2, "0.9 ms early, 0.8 ms allowed")
    own = [up(S, gb.on_cell("bssgp_flow_control_ms", tlli=TLLI, tag=9, ms_bmax=10, r=0)),
           down(S, gb.on_cell("bssgp_flow_control_ms_ack", tlli=TLLI, tag=9))]
    later = gb.bring_up() + own + [down(7 * S, gb.dl(gb.llc(n, 500))) for n in range(3)]
    report = audited(later)
    same((found(report), report["input"]["after_th"]), (set(), 3), "6 s old, Th 5 s")
    same(found(audited(later, "--th", "10")), {("ms_bucket", "SGSN", len(later))}, "Th 10 s")


@case("FLOW-CONTROL: not acknowledged, of nothing, too often; refused by STATUS is an answer")
def acknowledgements():
    talk = gb.good()
    ack = place(talk, "bssgp_flow_control_bvc_ack", 3)
    shown("no acknowledgement", without(talk, ack), ("flow_not_acknowledged", "SGSN", ack - 1))
    other = changed(copy.copy(talk), ack, gb.on_cell("bssgp_flow_control_bvc_ack", tag=77))
    shown("another tag", other, ("flow_not_acknowledged", "SGSN", ack - 1), ("flow_ack_of_nothing", "SGSN", ack))
    extra, index = with_more(talk, up(talk[ack].time_ns + 300 * MS, gb.flow_bvc(88)),
                             down(talk[ack].time_ns + 301 * MS, gb.on_cell("bssgp_flow_control_bvc_ack", tag=88)))
    following = place(extra, "bssgp_flow_control_bvc", extra[index].time_ns / S, 1)
    shown("too often", extra, ("flow_too_often", "BSS", index), ("flow_too_often", "BSS", following))
    asked = codec.build("bssgp_flow_control_ms", tlli=OTHER_TLLI, tag=5, ms_bmax=10, r=8)
    status = gb.on_cell("bssgp_status", cause=4, pdu=asked)
    at_ns = talk[ack].time_ns + MS
    refused = [up(at_ns, codec.unitdata(CELL, asked)), down(at_ns + MS, status)]
    shown("STATUS", with_more(gb.good(20), *refused)[0])
    silent, index = with_more(gb.good(20), refused[0])
    shown("neither", silent, ("flow_not_acknowledged", "SGSN", index))


@case("before the first FLOW-CONTROL-BVC: a finding behind a reset, not judged where the capture begins later")
def before_values():
    talk = gb.good()  # from 3 s on: an LLC PDU at 3 s, the next values at 3.010 s
    shown("first", *(lambda t, i: (t, ("before_flow_control", "SGSN", i)))(
        *with_more(talk, down(11 * MS + 1, gb.dl(gb.llc(511, 100))))))
    middle = gb.good()[place(gb.good(), "bssgp_dl_unitdata", 3):]
    report = audited(middle)
    same((found(report), report["input"]["before_values"]), (set(), 1), "a capture from the middle on")


# ---- States, cells, MSs ----


@case("NS: user data on a blocked NS-VC; RESET, UNBLOCK and ALIVE without an answer; BLOCK")
def ns():
    talk = gb.good()
    unblock = place(talk, "ns_unblock")
    early, index = with_more(talk, up(talk[unblock].time_ns - 1, gb.signalling("bssgp_bvc_unblock", bvci=CELL)))
    same({one for one in found(audited(early)) if one[0].startswith("ns")},
         {("nsvc_blocked", "BSS", index + 1)}, "blocked")
    for name in ("ns_reset", "ns_unblock", "ns_alive"):
        rule = "alive_unanswered" if name == "ns_alive" else "ns_unanswered"
        first = place(talk, name)
        again, index = with_more(talk, talk[first]._replace(time_ns=talk[first].time_ns + 1))
        shown(f"{name} twice", again, (rule, "SGSN", index if again[index] != again[first] else first + 1))
    late_ns = talk[-1].time_ns
    blocked = talk + [down(late_ns + 1, codec.build("ns_block", cause=1, nsvci=102)),
                      up(late_ns + 2, codec.build("ns_block_ack", nsvci=102)),
                      down(late_ns + S, gb.dl(gb.llc(20, 100)))]
    shown("NS-BLOCK", blocked, ("nsvc_blocked", "SGSN", len(blocked) - 1))
    same(audited(blocked)["nsvcs"][0]["state"], "blocked", "state")
    dead = talk + [down(late_ns + n * S, codec.build("ns_alive")) for n in range(1, 13)]
    report = audited(dead)
    same(report["nsvcs"][0]["state"], "dead", "state after twelve")
    same(len(report["findings"]), 11, "all but the first")


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
    shown("BVC-BLOCK twice", talk + [block[0], block[0]], ("bvc_unanswered", "SGSN", len(talk) + 1))
    reset = [down(late_ns + 1, gb.signalling("bssgp_bvc_reset", bvci=CELL, cause=8)),
             up(late_ns + 2, gb.signalling("bssgp_bvc_reset_ack", bvci=CELL, cell=codec.cell(7)))]
    shown("reset", talk + reset + [one], ("before_flow_control", "SGSN", len(talk) + 2))
    all_reset = [down(late_ns + 1, gb.signalling("bssgp_bvc_reset", bvci=0, cause=8)),
                 up(late_ns + 2, gb.signalling("bssgp_bvc_reset_ack", bvci=0))]
    shown("reset of all", talk + all_reset + [one], ("before_flow_control", "SGSN", len(talk) + 2))


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
    same(report["nses"][0]["pages_ps"], 1, "pages")


# ---- LLC ----


def nu_talk(*numbers, sapi=3):
    return gb.bring_up() + [down((1 + n) * S, gb.dl(gb.llc(nu, 100, sapi))) for n, nu in enumerate(numbers)]


@case("N(U): overtaken, missing, repeated, around 511, restarted with and without XID Reset")
def order():
    first = len(gb.bring_up())
    shown("in order, around 511", nu_talk(509, 510, 511, 0, 1))
    shown("5 is overtaken by 6", nu_talk(4, 6, 5, 7), ("llc_out_of_order", "SGSN", first + 2))
    shown("one is overtaken by three", nu_talk(4, 6, 7, 8, 5, 9), ("llc_out_of_order", "SGSN", first + 4))
    shown("5 and 6 are missing", nu_talk(4, 7, 8), ("nu_gap", "SGSN", first + 1))
    shown("missing, and the LLE is far on", nu_talk(4, *range(6, 60)), ("nu_gap", "SGSN", first + 1))
    shown("of two missing one comes", nu_talk(4, 7, 5, 8), ("llc_out_of_order", "SGSN", first + 2),
          ("nu_gap", "SGSN", first + 1))
    shown("twice", nu_talk(4, 5, 5, 6), ("llc_repeated", "SGSN", first + 2))
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
    report = audited(talk + [up(at_ns, codec.unitdata(CELL, b"\x99")), up(at_ns, b"\x77")])
    same((found(report), report["input"]["unknown_pdu"]), (set(), 2), "of unknown types")


# ---- Links and networks ----


@case("link types, VLANs, IPv6, Frame Relay over GRE, µs stamps, two files: the same findings")
def links():
    talk = gb.good()
    at = place(talk, "bssgp_dl_unitdata", 3)
    changed(talk, at, talk[at].datagram[:-1] + b"\xff")
    wanted = {("fcs_down", "SGSN", at + 1)}
    ip_packets = [(said.time_ns, gb.frame_of(said)[14:]) for said in talk]
    macs = [gb.frame_of(said)[:12] for said in talk]
    in_six = [(said.time_ns, gb.frame_of(said, ("2001:db8::1", 23000), ("2001:db8::2", 23001))) for said in talk]

    def relayed(said):
        ends = ("192.0.2.1", "192.0.2.2") if said.down else ("192.0.2.2", "192.0.2.1")
        dlci = 300
        head = b"\0\0\x65\x59" + bytes([dlci >> 4 << 2, (dlci & 15) << 4 | 1])
        return said.time_ns, frames.ip(*ends, 47, head + said.datagram)

    kinds = {
        "Ethernet": gb.pcap([(said.time_ns, gb.frame_of(said)) for said in talk]),
        "raw": gb.pcap(ip_packets, gb.RAW),
        "loopback": gb.pcap([(t, b"\2\0\0\0" + p) for t, p in ip_packets], gb.NULL),
        "SLL": gb.pcap([(t, bytes(14) + b"\x08\0" + p) for t, p in ip_packets], gb.SLL),
        "SLL2": gb.pcap([(t, b"\x08\0" + bytes(18) + p) for t, p in ip_packets], gb.SLL2),
        "VLAN": gb.pcap([(t, mac + b"\x81\0\0\5\x08\0" + p) for (t, p), mac in zip(ip_packets, macs)]),
        "two VLANs": gb.pcap([(t, mac + b"\x88\xa8\0\1\x81\0\0\5\x08\0" + p)
                              for (t, p), mac in zip(ip_packets, macs)]),
        "IPv6": gb.pcap(in_six),
        "GRE": gb.pcap([relayed(said) for said in talk], gb.RAW),
        "us": gb.pcap(ip_packets, gb.RAW, in_ns=False),
    }
    for name, octets in kinds.items():
        (folder / "x.pcap").write_bytes(octets)
        report = gb.audit(folder / "x.pcap")
        same(found(report), wanted, name)
        same(report["bvcs"][1]["pdus_down"], 20, f"{name}: LLC PDUs")
    half = len(talk) // 2
    halves = [gb.write(folder / f"{n}.pcap", part) for n, part in enumerate((talk[:half], talk[half:]))]
    same(found(gb.audit(*halves)), wanted, "two files")


@case("two NSEs and several NS-VCs; an NS-VC without an NSEI belongs to its BSS; other UDP is left out")
def places():
    second = ("198.51.100.3", 23001)
    frames_ = [(said.time_ns, gb.frame_of(said)) for said in gb.good()]
    other = [said._replace(datagram=said.datagram.replace(b"\x04\x82\x00\x65", b"\x04\x82\x00\xc9"))
             for said in gb.good()]
    frames_ += [(said.time_ns + 1, gb.frame_of(said, bss=second)) for said in other]
    dns = frames.Datagram("198.51.100.1", 40000, "198.51.100.53", 53, b"\x12\x34\x01\0\0\1")
    frames_.append((S, frames.frame_of(dns, bytes(6), bytes(6))))
    frames_.sort()
    (folder / "x.pcap").write_bytes(gb.pcap(frames_))
    report = gb.audit(folder / "x.pcap")
    same(report["findings"], [], "findings")
    same([row["nse"] for row in report["nses"]], ["NSEI 101", "NSEI 201"], "NSEs")
    same([(row["nse"], row["bvci"]) for row in report["bvcs"] if row["bvci"]],
         [("NSEI 101", 2), ("NSEI 201", 2)], "cells")
    same(report["input"]["not_gb"], 1, "DNS")
    bare = [said for said in gb.good() if not gb.name_of(said).startswith("ns_reset")]
    same(audited(bare)["nses"][0]["nse"], "BSS 198.51.100.2", "without NS-RESET")


# ---- osmo-sgsn ----


@case("osmo-sgsn 1.9.0 with a queue: LLC PDUs overtake each other, and 1350 of 1500 octets/s at most")
def osmo_sgsn():
    report = gb.audit(ROOT / "tests/interop/captures/sgsn_load.pcap")
    rules = {(one["rule"], one["who"]) for one in report["findings"]}
    # what its queue drops has its number already
    same(rules, {("llc_out_of_order", "SGSN"), ("nu_gap", "SGSN"), ("paced_below", "SGSN")}, "rules")
    for one in report["findings"]:
        if one["rule"] == "paced_below":
            pdus, rate = int(one["text"].split()[0]), int(re.search(r"(\d+) octets/s, R is 1500", one["text"])[1])
            right(pdus >= 25 and 1150 <= rate <= 1400, one["text"])
    same(report["input"]["cut_llc"], 229, "LLC PDUs cut by the snap length and judged")


# ---- Outputs ----


@case("the page: on its own, with the findings, the notes and the figures of the JSON")
def page():
    talk = gb.good()
    at = place(talk, "bssgp_dl_unitdata", 3)
    path = gb.write(folder / "x.pcap", changed(talk, at, talk[at].datagram[:-1] + b"\xff"))
    same(gb.run_audit("--page", folder / "page.html", path).returncode, 0, "exit status")
    html = (folder / "page.html").read_text()
    for part in (f'<td class="n">{at + 1}</td>', "fcs_down", "Clauses broken: 1 times", "44.064 5.5", "c0000001",
                 "198.51.100.1:23000 - 198.51.100.2:23001", "unblocked"):
        right(part in html, f"{part} is not on the page")
    for part in ("<script", "http://", "https://", "src="):
        right(part not in html, f"{part} is on the page")
    same(html.count("<tr>"), html.count("</tr>"), "rows")
    same(html.count("<td"), html.count("</td>"), "cells")
    same(gb.run_audit("--page", "/proc/none/x.html", path).returncode, 1, "a folder that is none")


@case("text, CSV and JSON say the same; usage")
def outputs():
    talk = gb.good()
    at = place(talk, "bssgp_dl_unitdata", 3)
    path = gb.write(folder / "x.pcap", changed(talk, at, talk[at].datagram[:-1] + b"\xff"))
    done = gb.run_audit("--csv", folder / "csv", path)
    text = done.stdout.decode()
    for part in ("Clauses broken: 1 times", f"frame {at + 1}, ", "44.064 5.5", "TLLI c0000001",
                 "What was read, and what was not judged"):
        right(part in text, f"{part} is not in:\n{text}")
    rows = (folder / "csv/findings.csv").read_text().splitlines()
    same((len(rows), rows[1].split(",")[:5]), (2, [str(at + 1), "3.000000000", "SGSN", "breach", "fcs_down"]), "CSV")
    same(len((folder / "csv/flow_control.csv").read_text().splitlines()), 12, "rows of flow_control.csv")
    for name in ("findings", "flow_control", "events", "cells", "mss"):
        table = [line.count(",") for line in (folder / f"csv/{name}.csv").read_text().splitlines()]
        right(name == "findings" or len(set(table)) == 1, f"{name}.csv has rows of {set(table)} commas")
    same(gb.run_audit().returncode, 2, "no file")
    same(gb.run_audit("--tolerance", "x", path).returncode, 2, "tolerance")
    same(gb.run_audit(folder / "none.pcap").returncode, 1, "no such file")
    same(gb.run_audit("--csv", "/proc/none", path).returncode, 1, "a folder that cannot be")


@case("captures of osmo-pcu and osmo-sgsn: what make_captures.py did wrong on purpose, and their faults")
def osmocom():
    captures = ROOT / "tests/interop/captures"
    # a DL-UNITDATA cut short, and one on an NS-VC that it had blocked with an N(U) that was there before
    same({(one["rule"], one["who"]) for one in gb.audit(captures / "pcu.pcap")["findings"]},
         {("malformed", "SGSN"), ("nsvc_blocked", "SGSN"), ("llc_repeated", "SGSN")}, "pcu.pcap")
    same(found(gb.audit(captures / "pcu_sns.pcap")), set(), "pcu_sns.pcap")
    # a FLOW-CONTROL-BVC without its values, by the simulated BSS
    same({(one["rule"], one["who"]) for one in gb.audit(captures / "sgsn.pcap")["findings"]},
         {("malformed", "BSS")}, "sgsn.pcap")
    report = gb.audit(captures / "ggsn.pcap")
    right(any("no Gb" in note for note in report["notes"]), json.dumps(report["notes"]))


main()
