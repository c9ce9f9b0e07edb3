#!/usr/bin/python3
"""Flow control before `sluice audit`: to the ns what a bucket passes and refuses, which values are in force
when, and which answers count. In captures typed from the formats (audit_capture.py)."""

import copy

import audit_capture as gb  # tests/gb is on the path from here on
import codec
from audit_capture import (CELL, MS, OTHER_TLLI, S, TLLI, audited, changed, down, folder, found, place,
                           shown, up, with_more, without)
from harness import case, main, right, same


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
    full = gb.bring_up(features=2) + [up(S, gb.flow_bvc(9, full=90)), down(S, ack)]
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


@case("Th runs from the FLOW-CONTROL, not from its acknowledgement: an MS's own values, and a packet flow's")
def th_begins():
    flows = [{"pfi": 9, "bmax": 10, "r": 0}]
    for kind, rule, ask in (("ms", "ms_bucket", dict(ms_bmax=10, r=0)), ("pfc", "pfc_bucket", dict(flows=flows))):
        talk = gb.bring_up() + [up(S, gb.on_cell(f"bssgp_flow_control_{kind}", tlli=TLLI, tag=9, **ask)),
                                down(3 * S, gb.on_cell(f"bssgp_flow_control_{kind}_ack", tlli=TLLI, tag=9))]
        def sent(at_ns):
            return talk + [down(at_ns, gb.dl(gb.llc(n, 500), pfi=9)) for n in range(3)]
        shown(f"{kind}: at Th", sent(6 * S), (rule, "SGSN", len(talk) + 2))
        report = audited(sent(6 * S + 1))
        same((found(report), report["input"]["after_th"]), (set(), 3), f"{kind}: behind Th, 3 s after the answer")


@case("FLOW-CONTROL: not acknowledged, of nothing, too often; refused by STATUS is an answer")
def acknowledgements():
    talk = gb.good()
    ack = place(talk, "bssgp_flow_control_bvc_ack", 3)
    shown("no acknowledgement", without(talk, ack), ("flow_not_acknowledged", "SGSN", ack - 1))
    same({one["weight"] for one in audited(without(talk, ack))["findings"]}, {"remark"}, "it may be lost on the way")
    shown("twice", with_more(talk, talk[ack]._replace(time_ns=talk[ack].time_ns + 1))[0])
    late = [said._replace(time_ns=said.time_ns + 400 * MS) if i in (ack - 1, ack) else said for i, said in enumerate(talk)]
    shown("one that a network has delayed", gb.sorted_by_time(late))
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


@case("an answer to a FLOW-CONTROL that was not captured: what hangs on its values is not judged until the next one")
def not_captured():
    def answered(kind, at_ns, tag, **values):
        tlli = {"tlli": TLLI} if kind != "bvc" else {}
        asked = gb.flow_bvc(tag, **values) if kind == "bvc" else gb.on_cell(f"bssgp_flow_control_{kind}", tlli=TLLI, tag=tag, **values)
        return [up(at_ns, asked), down(at_ns + MS, gb.on_cell(f"bssgp_flow_control_{kind}_ack", tag=tag, **tlli))]

    def burst(at_ns, count, nu=0):
        return [down(at_ns, gb.dl(gb.llc(nu + n, 500), pfi=9)) for n in range(count)]
    flows = [{"pfi": 9, "bmax": 10, "r": 8}]
    # more than 4000 octets for the cell, 1000 for the MS or the packet flow
    for kind, rule, room, values in (("bvc", "bvc_bucket", 8, dict(bmax_default=100)), ("ms", "ms_bucket", 2, dict(ms_bmax=10, r=8)),
                                     ("pfc", "pfc_bucket", 2, dict(flows=flows))):
        first, more = answered(kind, S, 9, **values), answered(kind, 5 * S, 10, **values)
        again = answered(kind, 20 * S, 11, **values)
        full = gb.bring_up() + first + more + burst(6 * S, room + 1)
        shown(f"{kind}: whole", full, (rule, "SGSN", len(full) - 1))
        lost = without(full, full.index(more[0])) + again + burst(21 * S, room + 1, nu=room + 1)
        shown(f"{kind}: not captured", lost, ("flow_ack_of_nothing", "SGSN", full.index(more[0])),
              (rule, "SGSN", len(lost) - 1))
        report = audited(lost)
        same(report["input"]["acks_of_unknown"], 1, f"{kind}: counted")
        same({one["weight"] for one in report["findings"][:1]}, {"remark"}, f"{kind}: it may be the capture")
    waits = gb.bring_up() + answered("bvc", S, 9)[:1] + [down(2 * S, gb.on_cell("bssgp_flow_control_bvc_ack", tag=10))]
    shown("one that is asked for by then may be older", waits + burst(3 * S, 20),
          ("flow_ack_of_nothing", "SGSN", len(waits) - 1))


@case("an answer may take 10 s, unless two later ones have theirs; of one tag the first answer is the first's")
def slow_answers():
    for delay_s, late in ((3.5, 0), (9.9, 0), (11.5, 1)):
        # each second one of R = 8000 bit/s, and its answer that much later, as by a queue on the line
        talk = gb.bring_up()
        for n in range(20):
            at_ns = S + n * S
            talk += [up(at_ns, gb.flow_bvc(n + 2)), down(at_ns + int(delay_s * S), gb.on_cell(
                "bssgp_flow_control_bvc_ack", tag=n + 2))]
        found_ = {rule for rule, _, _ in found(audited(gb.sorted_by_time(talk)))}
        same("flow_not_acknowledged" in found_, bool(late), f"answers after {delay_s} s")
    talk = gb.bring_up()
    for n in range(3):
        talk += [up(S + n * S, gb.flow_bvc(7)), down(S + n * S + 1200 * MS, gb.on_cell("bssgp_flow_control_bvc_ack", tag=7))]
    report = audited(gb.sorted_by_time(talk))
    same((found(report), {row["ack_delay_ns"] for row in report["flow_control"][1:]}), (set(), {1200 * MS}), "one tag")
    talk = gb.good(20)
    acks = [place(talk, "bssgp_flow_control_bvc_ack", 3, n) for n in range(3)]
    shown("the next answer but one", without(talk, *acks[:2]),
          *(("flow_not_acknowledged", "SGSN", ack - 1 - n) for n, ack in enumerate(acks[:2])))


@case("what leaks before an acknowledgement may have leaked at the new R: to the ns; a later one takes its place")
def before_answer():
    # 4000 octets at 1000 octets/s, full at 1 s; at 1 s 8000 octets/s are asked for, which the SGSN says at 1.1 s
    def talk_of(at_ns, r=640):
        talk = gb.bring_up() + [down(S, gb.dl(gb.llc(n, 500))) for n in range(8)]
        talk += [up(S, gb.flow_bvc(9, r=r, r_default=r)), down(S + 100 * MS, gb.on_cell("bssgp_flow_control_bvc_ack", tag=9))]
        return talk + [down(at_ns, gb.dl(gb.llc(8, 500))), down(at_ns, gb.dl(gb.llc(9, 500)))]
    # 800 octets at 1.1 s, 1000 at 1.125 s
    shown("at 8000 octets/s since 1 s", talk_of(S + 125 * MS))
    early = talk_of(S + 125 * MS - 1)
    shown("1 ns before", early, *((rule, "SGSN", len(early) - 1) for rule in ("bvc_bucket", "ms_bucket")))
    less = talk_of(S + 1099 * MS + 1, r=8)  # the old R until then: 100 octets and 100 octets/s
    shown("less, from its acknowledgement on", less, *(
        (rule, "SGSN", len(less) - 2 + n) for rule in ("bvc_bucket", "ms_bucket") for n in range(2)))
    two = gb.bring_up() + [up(S, gb.flow_bvc(9, bmax=80, bmax_default=80)), up(2 * S, gb.flow_bvc(10, bmax=10))]
    acks = [down(3 * S, gb.on_cell("bssgp_flow_control_bvc_ack", tag=tag)) for tag in (9, 10)]
    burst = [down(2 * S + n, gb.dl(gb.llc(n, 500))) for n in range(16)]
    shown("either of two that wait", two + burst + acks)
    shown("and no more", two + burst + [down(2 * S + 99, gb.dl(gb.llc(16, 500)))] + acks,
          *((rule, "SGSN", len(two) + 16) for rule in ("bvc_bucket", "ms_bucket")))
    late = two + [acks[1], acks[0]] + [down(4 * S, gb.dl(gb.llc(n, 500))) for n in range(3)]
    shown("an earlier one's answer behind a later one's changes nothing", late, ("bvc_bucket", "SGSN", len(late) - 1))


@case("an MS that was there before the capture may have its own values: counted, not reported; from a reset on it has none")
def own_from_before():
    # the cell bears 8000 octets, an MS by default 1000
    def talk_of(begin):
        talk = begin + [up(12 * MS, gb.flow_bvc(1, bmax=80, bmax_default=10)), down(13 * MS, gb.on_cell("bssgp_flow_control_bvc_ack", tag=1))]
        return talk + [down(S, gb.dl(gb.llc(n, 500))) for n in range(4)]
    whole = talk_of(gb.bring_up()[:-2])
    shown("reset", whole, *(("ms_bucket", "SGSN", len(whole) - n) for n in (2, 1)))
    report = audited(talk_of(gb.bring_up()[:6]))
    same((found(report), report["input"]["before_own"]), (set(), 2), "no reset")
    right(any("values of their own from before" in note for note in report["notes"]), report["notes"])
    own = [up(2 * S, gb.on_cell("bssgp_flow_control_ms", tlli=TLLI, tag=9, ms_bmax=10, r=80)),
           down(2 * S, gb.on_cell("bssgp_flow_control_ms_ack", tlli=TLLI, tag=9)),
           *(down(6 * S, gb.dl(gb.llc(n, 500))) for n in (4, 5, 6))]
    later = talk_of(gb.bring_up()[:6]) + own
    shown("values of its own", later, ("ms_bucket", "SGSN", len(later) - 1))
    moved = talk_of(gb.bring_up()[:6])  # 4 PDUs, of which 2 are refused
    for said in (up(2 * S, gb.flow_bvc(7, bmax=80, bmax_default=10)), down(2 * S, gb.on_cell("bssgp_flow_control_bvc_ack", tag=7)),
                 *(down(3 * S, gb.dl(gb.llc(n, 500))) for n in range(4, 8))):
        other = said.datagram[:2] + b"\0\3" + said.datagram[4:]  # BVCI 3
        moved.append(said._replace(datagram=other))
    shown("in the cell that it has moved to", moved, *(("ms_bucket", "SGSN", len(moved) - n) for n in (2, 1)))
    back = moved + [said._replace(time_ns=4 * S) for said in own[:2]] + [*(down(9 * S, gb.dl(gb.llc(n, 500))) for n in (4, 5, 6)),
                              *(s._replace(time_ns=s.time_ns + 20 * S) for s in moved[-4:])]
    same(sum(f["rule"] == "ms_bucket" and f["at_ns"] > 20 * S for f in audited(back)["findings"]), 2,
         "its own values stay behind")
    first = gb.bring_up()[:6] + own[:2]  # the MS's values before the cell's
    first += [up(3 * S, gb.flow_bvc(1, bmax=80, bmax_default=5)), down(3 * S, gb.on_cell("bssgp_flow_control_bvc_ack", tag=1))]
    first += [down(4 * S, gb.dl(gb.llc(n, 500))) for n in range(3)]
    shown("its own before the cell's", first, ("ms_bucket", "SGSN", len(first) - 1))


@case("an adopted later one stays in force behind the earlier one's answer; defaults are adopted as well; the tolerance is that of the old R")
def adopted():
    less, more = up(S, gb.flow_bvc(9, bmax=10, bmax_default=10)), up(2 * S, gb.flow_bvc(10, bmax=80, bmax_default=80))
    burst = [down(2 * S + 1 + n, gb.dl(gb.llc(n, 500))) for n in range(12)]
    acks = [down(2 * S + 99, gb.on_cell("bssgp_flow_control_bvc_ack", tag=tag)) for tag in (9, 10)]
    behind = [down(2 * S + 99, gb.dl(gb.llc(n, 500))) for n in range(12, 16)]
    shown("the later one", gb.bring_up() + [less, more, *burst, acks[0], *behind, acks[1]])
    poor = gb.bring_up()[:-2] + [up(12 * MS, gb.flow_bvc(1, bmax=80, bmax_default=10)), gb.bring_up()[-1]]
    shown("defaults", poor + [up(S, gb.flow_bvc(9, bmax=80, bmax_default=40)),
                              *(down(S + n, gb.dl(gb.llc(n, 500))) for n in range(8)),
                              down(S + 99, gb.on_cell("bssgp_flow_control_bvc_ack", tag=9))])
    # full at 8000 octets/s, 0.05 s later 3600 octets; what is stamped 0.1 s late leaked 800 of them before
    fast = gb.bring_up()[:-2] + [up(12 * MS, gb.flow_bvc(1, r=640, r_default=640)), gb.bring_up()[-1]]
    fast += [down(S, gb.dl(gb.llc(n, 500))) for n in range(8)]
    fast += [up(S + 50 * MS, gb.flow_bvc(9, r=8, r_default=8)),
             down(S + 50 * MS, gb.on_cell("bssgp_flow_control_bvc_ack", tag=9)),
             down(S + 50 * MS, gb.dl(gb.llc(8, 1200)))]
    same(found(audited(fast, "--tolerance", "0.1")), set(), "0.1 s late on the line")
    same(len(found(audited(fast, "--tolerance", "0.09"))), 2, "0.09 s")


@case("behind Th new values begin with an empty bucket; packet flows age as well; LLC-DISCARDED to them; another cell's FLOW-CONTROL-MS")
def aged():
    def values(at_ns, tag, **more):
        return [up(at_ns, gb.on_cell("bssgp_flow_control_ms", tlli=TLLI, tag=tag, ms_bmax=10, r=0, **more)),
                down(at_ns, gb.on_cell("bssgp_flow_control_ms_ack", tlli=TLLI, tag=tag))]
    full = gb.bring_up() + values(2 * S, 9) + [down(3 * S, gb.dl(gb.llc(n, 500))) for n in range(2)]
    shown("within Th", full + values(6 * S, 10) + [down(6 * S, gb.dl(gb.llc(2, 500)))],
          ("ms_bucket", "SGSN", len(full) + 2))
    shown("behind Th", full + values(8 * S, 10) + [down(8 * S, gb.dl(gb.llc(2, 500)))])
    flows = [up(2 * S, gb.on_cell("bssgp_flow_control_pfc", tlli=TLLI, tag=9, flows=[{"pfi": pfi, "bmax": 10, "r": 0}
                                                                                  for pfi in (9, 10)])),
             down(2 * S, gb.on_cell("bssgp_flow_control_pfc_ack", tlli=TLLI, tag=9))]
    full = gb.bring_up() + flows + [down(3 * S, gb.dl(gb.llc(n, 500), pfi=9)) for n in range(2)]
    one = down(4 * S, gb.dl(gb.llc(2, 500), pfi=9))
    shown("a packet flow within Th", full + [one], ("pfc_bucket", "SGSN", len(full)))
    report = audited(full + [one._replace(time_ns=8 * S)])
    same((found(report), report["input"]["after_th"]), (set(), 1), "a packet flow behind Th")
    same([row["pfi"] for row in report["mss"][0]["pfcs"]], [10, 9], "packet flows of the report")
    for pfi, refused in ((9, 0), (None, 0), (10, 1)):
        lost = up(4 * S - 1, gb.signalling("bssgp_llc_discarded", tlli=TLLI, frames=1, bvci=CELL, octets=500, pfi=pfi))
        same(len(found(audited(full + [lost, one]))), refused, f"LLC-DISCARDED of PFI {pfi}")
    lost = up(S, gb.signalling("bssgp_llc_discarded", tlli=TLLI, frames=1, bvci=CELL, octets=500))
    first = [down(S, gb.dl(gb.llc(n, 500))) for n in range(9)]
    shown("what is given back before the first PDU of its instant", gb.bring_up() + [lost] + first)

    def in_cell(bvci, at_ns, tag):
        return [up(at_ns, codec.unitdata(bvci, codec.build("bssgp_flow_control_ms", tlli=TLLI, tag=tag, ms_bmax=10, r=8))),
                down(at_ns, codec.unitdata(bvci, codec.build("bssgp_flow_control_ms_ack", tlli=TLLI, tag=tag)))]
    shown("C is of one cell's bucket", gb.bring_up() + in_cell(CELL, S, 5) + in_cell(CELL, 2 * S, 6)
          + in_cell(3, 2 * S + 400 * MS, 7))
    quick = gb.bring_up() + in_cell(CELL, S, 5) + in_cell(CELL, 2 * S, 6) + in_cell(CELL, 2 * S + 400 * MS, 7)
    shown("C", quick, ("flow_too_often", "BSS", len(quick) - 2))


@case("the oldest values that will do are taken; what one level refuses the others do not hold")
def least_taken():
    poor = gb.bring_up()[:-2] + [up(12 * MS, gb.flow_bvc(1, bmax=10, bmax_default=100)), gb.bring_up()[-1]]
    two = [up(S, gb.flow_bvc(9, bmax=80, bmax_default=100)), up(2 * S, gb.flow_bvc(10, bmax=40, bmax_default=100))]
    shown("8000 octets, though 4000 would do at first",
          poor + two + [down(2 * S + 1 + n, gb.dl(gb.llc(n, 500))) for n in range(16)])
    own = [up(S, gb.on_cell("bssgp_flow_control_ms", tlli=OTHER_TLLI, tag=9, ms_bmax=10, r=80)),
           down(S, gb.on_cell("bssgp_flow_control_ms_ack", tlli=OTHER_TLLI, tag=9))]
    talk = gb.bring_up() + own + [down(2 * S, gb.dl(gb.llc(n, 500), OTHER_TLLI)) for n in range(3)]
    talk += [down(2 * S, gb.dl(gb.llc(0, 500), TLLI + 10 + n)) for n in range(6)]
    shown("the cell has 500 octets more for others", talk, ("ms_bucket", "SGSN", len(talk) - 7))


@case("before the first FLOW-CONTROL-BVC: a finding behind a reset, not judged where the capture begins later")
def before_values():
    talk = gb.good()  # from 3 s on: an LLC PDU at 3 s, the next values at 3.010 s
    shown("first", *(lambda t, i: (t, ("before_flow_control", "SGSN", i)))(
        *with_more(talk, down(11 * MS + 1, gb.dl(gb.llc(511, 100))))))
    middle = gb.good()[place(gb.good(), "bssgp_dl_unitdata", 3):]
    report = audited(middle)
    same((found(report), report["input"]["before_values"]), (set(), 1), "a capture from the middle on")


main()
