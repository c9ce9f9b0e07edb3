#!/usr/bin/python3
"""What `sluice audit` must not hold against anyone: captures in which PDUs are missing, in which each packet is
there twice, in which a stamp is wrong or identities are those of others, in captures typed from the formats
(audit_capture.py). And that what happens to all cells and MSs at once costs no more with more of them."""

import audit_capture as gb  # tests/gb is on the path from here on
import codec
import frames
from audit_capture import (CELL, MS, OTHER_TLLI, S, TLLI, audited, changed, down, folder, found, nu_talk, packets_of,
                           place, shown, up, without)
from harness import blocks_of, case, main, often, right, same


def burst(at_ns, count, nu=0, **more):
    return [down(at_ns + n, gb.dl(gb.llc(nu + n, 500), **more)) for n in range(count)]


def ack_bvc(at_ns, tag):
    return down(at_ns, gb.on_cell("bssgp_flow_control_bvc_ack", tag=tag))


# ---- Values ----


@case("Bucket_Full_Ratio counts if both ends have said CBL; if that was not captured, where it helps the SGSN")
def ratio():
    def talk_of(features, answered, full, begin=0):
        talk = gb.bring_up()
        for index, of in ((6, features), (7, answered)):
            name = "bssgp_bvc_reset" if index == 6 else "bssgp_bvc_reset_ack"
            cause = {"cause": 8} if index == 6 else {}
            changed(talk, index, gb.signalling(name, bvci=0, features=of, **cause))
        talk = talk[begin:] + burst(S, 4) + [up(S + 9, gb.flow_bvc(9, full=full)), ack_bvc(S + 9, 9)]
        return talk + burst(S + 10, 5, nu=4)  # 2000 octets are in it; 4000 fit
    for said, answered, in_force in ((2, 2, True), (3, 6, True), (2, 0, False), (0, 2, False), (2, None, False),
                                     (None, 2, False), (1, 1, False)):
        refused = len(found(audited(talk_of(said, answered, 90))))
        same(refused, 5 if in_force else 1 * 2, f"{said}, {answered}: 90 % full")  # the MS's bucket has no ratio
    same(len(found(audited(talk_of(2, 2, 0, begin=8)))), 1, "not captured, empty: the cell's bucket counts it")
    same(len(found(audited(talk_of(2, 2, 90, begin=8)))), 2, "not captured, full: it counts for nothing")
    same(len(found(audited(talk_of(2, 0, 0, begin=7)))), 2, "of one end, which has not said it")


@case("an answer to a FLOW-CONTROL that was not captured: what was sent since may have been by that one")
def between():
    more = [up(2 * S, gb.flow_bvc(9, bmax=80, bmax_default=80)), ack_bvc(4 * S, 9)]
    talk = gb.sorted_by_time(gb.bring_up() + more + burst(3 * S, 12))
    shown("whole", talk)
    lost = without(talk, talk.index(more[0]))
    shown("not captured", lost, ("flow_ack_of_nothing", "SGSN", lost.index(more[1])))


@case("an MS with values from before the capture: new ones count from their answer on, not from a PDU that needs them")
def from_before():
    def asks(at_ns, tag, bmax):
        return up(at_ns, gb.on_cell("bssgp_flow_control_ms", tlli=TLLI, tag=tag, ms_bmax=bmax, r=240))
    def answer(at_ns, tag):
        return down(at_ns, gb.on_cell("bssgp_flow_control_ms_ack", tlli=TLLI, tag=tag))
    def values(at_ns, tag):
        return [up(at_ns, gb.flow_bvc(tag, bmax=300, r=2400, bmax_default=10)), ack_bvc(at_ns + 1, tag)]
    begin = gb.bring_up() + values(S, 2) + [asks(2 * S, 3, 100), answer(2 * S + 1, 3)]
    by_old = values(3 * S, 4) + [asks(4 * S, 5, 20)] + burst(4 * S + 1, 12) + [answer(4 * S + 50, 5)]
    by_new = burst(7 * S, 5, nu=12)
    for talk in (begin + by_old + by_new, by_old + by_new):
        shown("6000 octets by 10000, then 2500 by 2000", talk, ("ms_bucket", "SGSN", len(talk) - 1))


def asks_pfc(at_ns, tag, bmax, **of_ms):
    flows = [{"pfi": 8, "bmax": 1, "r": 1}, {"pfi": 9, "bmax": bmax, "r": 2400}]
    return up(at_ns, gb.on_cell("bssgp_flow_control_pfc", tlli=TLLI, tag=tag, flows=flows, **of_ms))


def answer_pfc(at_ns, tag):
    return down(at_ns, gb.on_cell("bssgp_flow_control_pfc_ack", tlli=TLLI, tag=tag))


def wide(at_ns, tag):
    return [up(at_ns, gb.flow_bvc(tag, bmax=300, r=2400, bmax_default=150, r_default=2400)), ack_bvc(at_ns + 1, tag)]


@case("two FLOW-CONTROL-PFCs without an answer: the older one is in force as long as what is sent goes by it")
def two_of_pfc():
    begin = gb.bring_up() + wide(S, 2) + [asks_pfc(2 * S, 3, 10), answer_pfc(2 * S + 1, 3)]
    for more, rule in (({}, "pfc_bucket"), ({"ms_bmax": 20, "r": 2400}, "ms_bucket")):
        asked = [asks_pfc(3 * S, 4, 150), asks_pfc(3 * S + 300 * MS, 5, 150 if more else 20, **more)]
        answers = [answer_pfc(5 * S, 4), answer_pfc(5 * S + 1, 5)]
        sent = burst(3 * S + 400 * MS, 12, pfi=9)
        shown(f"6000 octets by 15000, {rule}", begin + asked + sent + answers)
        talk = begin + asked + answers + burst(6 * S, 5, pfi=9)
        shown(f"2500 by 2000, {rule}", talk, (rule, "SGSN", len(talk) - 1))


@case("an MS that was in a cell without values meanwhile has none of its own in the first one")
def through_unknown():
    def there(said):
        return said._replace(datagram=codec.unitdata(3, said.datagram[4:]))
    own = [up(4 * S, gb.on_cell("bssgp_flow_control_ms", tlli=TLLI, tag=5, ms_bmax=10, r=8)),
           down(4 * S + 1, gb.on_cell("bssgp_flow_control_ms_ack", tlli=TLLI, tag=5))]
    talk = gb.bring_up() + wide(3 * S, 4) + own + [there(one) for one in burst(5 * S, 1)] + burst(6 * S, 12, nu=1)
    shown("6000 octets by 15000", talk)
    stayed = gb.bring_up() + wide(3 * S, 4) + own + burst(6 * S, 3)
    shown("1500 by 1000", stayed, *[("ms_bucket", "SGSN", len(stayed) - 1)])


@case("a FLOW-CONTROL-BVC on another NS-VC in front of its cell's RESET-ACK counts; one from before the RESET does not")
def crossing():
    other = ("198.51.100.2", 23007)
    again = [up(5 * S, gb.signalling("bssgp_bvc_reset", bvci=CELL, cause=8, cell=codec.cell(7))),
             up(5 * S + 1, gb.flow_bvc(50, bmax=10)),  # on the other NS-VC
             down(5 * S + 2, gb.signalling("bssgp_bvc_reset_ack", bvci=CELL))]
    def report_of(said, elsewhere):
        packets = [(one.time_ns, gb.frame_of(one, bss=other if one in elsewhere else gb.BSS)) for one in said]
        (folder / "x.pcap").write_bytes(gb.pcap(packets))
        report = gb.audit("--tolerance", "0", folder / "x.pcap")
        return [(one["rule"], one["frame"] - 1) for one in report["findings"]]
    ns = [up(14 * MS + n, said.datagram) for n, said in enumerate(gb.bring_up()[:6])]
    ns = [said._replace(down=gb.bring_up()[n].down) for n, said in enumerate(ns)]
    for answer_ns in (1, 3):  # its answer in front of the RESET-ACK, and behind it
        talk = gb.sorted_by_time(gb.bring_up() + ns + again + [ack_bvc(5 * S + answer_ns, 50)])
        talk += burst(6 * S, 3)
        elsewhere = ns + [again[1]]
        same(report_of(talk, elsewhere), [("bvc_bucket", len(talk) - 1)], f"answer {answer_ns}")
    here = gb.sorted_by_time(gb.bring_up() + ns + again) + [ack_bvc(6 * S, 50)]
    same(report_of(here + burst(7 * S, 3), ns), [], "on the same NS-VC: from before, and its answer says nothing")
    early = gb.sorted_by_time(gb.bring_up() + ns + [again[1]._replace(time_ns=4 * S), again[0], again[2]])
    same(report_of(early + burst(6 * S, 1), ns + [early[-3]]), [("before_flow_control", len(early))], "from before the RESET")


# ---- N(U), FLUSH-LL ----


@case("N(U): what comes late is out of order and no gap, up to 128 numbers behind; numbers that began anew are neither")
def late_numbers():
    first = len(gb.bring_up())
    for far in (33, 60, 127):
        shown(f"{far} behind", nu_talk(0, *range(2, 2 + far), 1), ("llc_out_of_order", "SGSN", first + 1 + far))
    gaps = (0, 2, 4, 6, 8, 10, 12)
    shown("the first of six", nu_talk(*gaps, 1, 13), ("llc_out_of_order", "SGSN", first + len(gaps)),
          *(("nu_gap", "SGSN", first + n) for n in range(2, len(gaps))))
    shown("a Reset that was not captured", nu_talk(4, 5, 6, 7, 8, 0, 1, 2, 3), ("nu_restart", "SGSN", first + 6))
    shown("numbers of which some were missing", nu_talk(0, 1, 3, 4, 0, 1, 2, 3), ("nu_gap", "SGSN", first + 2),
          ("llc_repeated", "SGSN", first + 4), ("nu_restart", "SGSN", first + 5))
    for before, anew in (((0, 3, 4, 5, 6, 7), (0, 2, 4, 5)), ((0, 3, 4, 5, 6, 7), (2, 4, 5)),
                         ((0, 1, 4, 5, 6, 7), (2, 3, 4, 5)), ((0, 1, 7, 8, 9, 10), (2, 3, 4, 5, 6, 7, 8))):  # a Reset and some behind it were not captured
        rules = [one["rule"] for one in audited(nu_talk(*before, *anew))["findings"]]
        right("nu_restart" in rules and "llc_out_of_order" not in rules, f"{before}, {anew}: {rules}")
    near = nu_talk(4, 5, 7, 6, 8)
    near[first + 3] = near[first + 3]._replace(time_ns=near[first + 2].time_ns + MS)
    same(found(audited(near)), {("llc_out_of_order", "SGSN", first + 4)}, "1 ms behind")
    report = gb.audit("--tolerance", "0.001", gb.write(folder / "x.pcap", near))
    same((report["findings"], report["input"]["findings_unsure"]), ([], 1), "within the tolerance")


@case("a second FLUSH-LL while the first has no answer counts, if the MS was heard elsewhere meanwhile")
def flushed_twice():
    talk = gb.good()
    late_ns = talk[-1].time_ns
    flush = [down(late_ns + n, gb.signalling("bssgp_flush_ll", tlli=TLLI, bvci=CELL, new_bvci=3)) for n in (1, 4)]
    back = up(late_ns + 2, gb.ul(codec.llc_ui(3, 10, bytes(40))))
    gone = up(late_ns + 3, gb.ul(codec.llc_ui(3, 11, bytes(40)), bvci=3))
    one = down(late_ns + S, gb.dl(gb.llc(20, 100)))
    shown("heard in the new cell", talk + [flush[0], back, gone, flush[1], one], ("left_cell", "SGSN", len(talk) + 4))
    shown("heard in the old one only", talk + [flush[0], back, flush[1], one])


# ---- What is missing ----


@case("a FLOW-CONTROL-BVC that the SGSN has refused is in force for nobody; before its first answer in a capture older values may be")
def not_in_force():
    asked = codec.build("bssgp_flow_control_bvc", tag=1, bmax=10, r=8, bmax_default=10, r_default=8)
    status = down(2, gb.signalling("bssgp_status", cause=9, bvci=CELL, pdu=asked))
    begins = [up(0, codec.build("ns_alive")), down(1, codec.build("ns_alive_ack")), up(1, codec.unitdata(CELL, asked))]
    report = audited(begins + [status] + burst(S, 3))
    same((found(report), report["input"]["before_values"]), (set(), 3), "refused")
    waits = begins + burst(3, 3) + [ack_bvc(9, 1)]
    report = audited(waits)
    same((found(report), report["input"]["before_values"]), (set(), 3), "not yet answered")
    talk = waits + burst(S, 3, nu=3)
    shown("answered", talk, ("bvc_bucket", "SGSN", len(talk) - 1))


@case("answers to procedures that were not captured: their states and values are not guessed")
def lost_requests():
    late = 25 * S
    block = [up(late, gb.signalling("bssgp_bvc_block", bvci=CELL, cause=8)), down(late + 1, gb.signalling("bssgp_bvc_block_ack", bvci=CELL))]
    ns_block = [down(late, codec.build("ns_block", cause=1, nsvci=102)), up(late + 1, codec.build("ns_block_ack", nsvci=102))]
    one = [down(late + 20 * S, gb.dl(gb.llc(40, 100)))]
    good = gb.good(20)
    for what, before, ask, answer, rule in (
            ("BVC-UNBLOCK", block, up(late + S, gb.signalling("bssgp_bvc_unblock", bvci=CELL)),
             down(late + 15 * S, gb.signalling("bssgp_bvc_unblock_ack", bvci=CELL)), "bvc_blocked"),
            ("NS-UNBLOCK", ns_block, up(late + S, codec.build("ns_unblock")),
             down(late + 15 * S, codec.build("ns_unblock_ack")), "nsvc_blocked")):
        shown(f"{what}: none", good + before + one, (rule, "SGSN", len(good) + 2))
        shown(f"{what} not captured", good + before + [answer] + one)
        shown(f"{what} has no answer", good + before + [ask] + one)
        own = [up(late + 2 * S, gb.ul(codec.llc_ui(3, 20, bytes(40))))]
        shown(f"the answer to {what} not captured, and the BSS goes on", good + before + [ask] + own)
    # with its values forgotten nobody knows what its buckets hold
    reset = down(late, gb.signalling("bssgp_bvc_reset_ack", bvci=CELL))
    shown("a BVC-RESET that was not captured", good + [reset] + burst(late + 1, 20, nu=40))


@case("in a capture that lacks packets nothing is held against anyone that hangs on what was said before; the order of two is")
def lacking():
    late = 25 * S
    block = [up(late, gb.signalling("bssgp_bvc_block", bvci=CELL, cause=8)), down(late + 1, gb.signalling("bssgp_bvc_block_ack", bvci=CELL))]
    good, one = gb.good(20), [down(late + S, gb.dl(gb.llc(40, 100)))]
    shown("whole", good + block + one, ("bvc_blocked", "SGSN", len(good) + 2))
    gone = place(good, "bssgp_dl_unitdata", 5)
    report = audited(without(good, gone) + block + one)
    same([each["rule"] for each in report["findings"]], ["nu_gap"], "an LLC PDU is missing")
    same(report["input"]["findings_unsure"], 1, "counted")
    order = [down(late + (2 + n) * S, gb.dl(gb.llc(nu, 100))) for n, nu in enumerate((42, 41))]
    talk = without(good, gone) + block + one + order
    same({each["rule"] for each in audited(talk)["findings"]}, {"nu_gap", "llc_out_of_order"}, "the order of two")
    # by which one it was overtaken nobody has seen: it may be one behind a Reset
    other = [down(late + (5 + n) * S, gb.dl(gb.llc(nu, 100, 9))) for n, nu in enumerate((5, 4, 6))]
    shown("by one not captured, of a whole capture", good + other, ("llc_out_of_order", "SGSN", len(good) + 1))
    same([each["rule"] for each in audited(without(good, gone) + other)["findings"]], ["nu_gap"], "of one that lacks packets")


@case("signs that packets are missing, an hour apart: what is near one is held against nobody, what is far from all is")
def long_ago():
    def gap_at(at_ns, sapi):
        return [down(at_ns, gb.dl(gb.llc(40, 100, sapi))), down(at_ns + S, gb.dl(gb.llc(42, 100, sapi)))]
    def block_at(at_ns, sapi):
        return [up(at_ns, gb.signalling("bssgp_bvc_block", bvci=CELL, cause=8)),
                down(at_ns + 1, gb.signalling("bssgp_bvc_block_ack", bvci=CELL)), down(at_ns + S, gb.dl(gb.llc(0, 100, sapi))),
                up(at_ns + 2 * S, gb.signalling("bssgp_bvc_unblock", bvci=CELL)),
                down(at_ns + 2 * S + 1, gb.signalling("bssgp_bvc_unblock_ack", bvci=CELL))]
    alive = [said for n in range(1, 200) for said in (up(n * 25 * S, codec.build("ns_alive")),
                                                      down(n * 25 * S + 1, codec.build("ns_alive_ack")))]
    # The first hangs on a state of shortly before the sign; the second on nothing near one; the third, too, until
    # there is a sign near to it.
    blocks = block_at(150 * S, 5), block_at(2000 * S, 7), block_at(3650 * S, 9)
    talk = gb.sorted_by_time(gb.bring_up() + alive + gap_at(200 * S, 3) + [said for block in blocks for said in block])
    for more, wanted in (([], [1, 2]), (gap_at(3700 * S, 11), [1])):
        said = gb.sorted_by_time(talk + more)
        report = audited(said)
        same([one["frame"] - 1 for one in report["findings"] if one["rule"] == "bvc_blocked"],
             [said.index(blocks[n][2]) for n in wanted], f"{len(more)} more")
        same(report["input"]["findings_unsure"], 3 - len(wanted), "unsure")
    # As long as the signs last, and a minute.
    blocks = block_at(780 * S, 5), block_at(900 * S, 7)
    said = gb.sorted_by_time(gb.bring_up() + alive + gap_at(200 * S, 3) + gap_at(500 * S, 11) + [*blocks[0], *blocks[1]])
    report = audited(said)
    same([one["frame"] - 1 for one in report["findings"] if one["rule"] == "bvc_blocked"], [said.index(blocks[1][2])], "five minutes of signs")


# ---- Packets and identities that are there twice ----


def with_id(octets, identity):
    """The frame with that IP identification and no header checksum, as one that hardware is to fill in."""
    return octets[:18] + identity.to_bytes(2) + octets[20:24] + b"\0\0" + octets[26:]


def judged(packets, *words):
    (folder / "x.pcap").write_bytes(gb.pcap(packets))
    return gb.audit("--tolerance", "0", *words, folder / "x.pcap")


@case("each packet captured twice, as by a mirror of two ports, at once or 5 ms later, with identifications and without: judged once")
def twice():
    talk = gb.good(20)
    talk = gb.sorted_by_time(talk + burst(6 * S, 8, tlli=OTHER_TLLI))
    once = judged([(said.time_ns, gb.frame_of(said)) for said in talk])
    for late_ns in (0, 1000, 5 * MS):
        for counts in (False, True):
            both = sorted(((said.time_ns + n * late_ns, i, with_id(gb.frame_of(said), i + 1 if counts else 0))
                           for i, said in enumerate(talk) for n in (0, 1)), key=lambda one: one[0])
            report = judged([(time_ns, octets) for time_ns, _, octets in both])
            same(sorted((one["rule"], one["tlli"], one["text"]) for one in report["findings"]),
                 sorted((one["rule"], one["tlli"], one["text"]) for one in once["findings"]), f"{late_ns} ns, {counts}")
            same(report["input"]["copies"], len(talk), "copies")
            right(any("mirror" in note for note in report["notes"]), "no note")
    alive = [up(25 * S, codec.build("ns_alive")), down(25 * S + 1, codec.build("ns_alive_ack"))] * 2
    few = judged([(said.time_ns, gb.frame_of(said, bss=("198.51.100.2", 23009))) for said in alive + [
        said._replace(time_ns=30 * S) for said in alive[:1]] + [down(30 * S + 1, alive[1].datagram)]])
    same((few["findings"], few["input"]["copies"]), ([], 0), "two tests at once on an NS-VC with little else")
    one = place(talk, "bssgp_dl_unitdata", 4)
    again = [(said.time_ns, gb.frame_of(said)) for said in talk]
    again.insert(one + 1, again[one])
    same([each["rule"] for each in judged(again)["findings"]][:1], ["llc_repeated"], "one that is sent twice is no copy")
    again[one], again[one + 1] = ((t, with_id(octets, 7)) for t, octets in again[one:one + 2])
    same(judged(again)["input"]["copies"], 1, "one with the same identification is")


def other_ends(talk, *ends):
    return [(said.time_ns + 1000, gb.frame_of(said, *ends)) for said in talk]


@case("one NSEI and one TLLI at two SGSNs, each with its BSS: two NSEs, and a note; at one SGSN: nothing is judged, and a note")
def one_nsei():
    good = gb.good(20)
    third = gb.sorted_by_time(without(good, place(good, "bssgp_flow_control_bvc_ack", 4)) + burst(6 * S, 8, tlli=OTHER_TLLI))
    there = ("198.51.101.1", 23000), ("198.51.101.2", 23001)
    wanted = sorted((one["rule"], one["text"]) for one in judged(packets_of(third))["findings"])
    report = judged(sorted(packets_of(good) + other_ends(third, *there)))
    same(sorted((one["rule"], one["text"]) for one in report["findings"]), wanted, "two SGSNs")
    same([nse["nse"] for nse in report["nses"]], ["NSEI 101", "NSEI 101"], "NSEs")
    right(any("no address in common" in note for note in report["notes"]), report["notes"])
    another = [said._replace(datagram=said.datagram.replace(codec.cell(7), codec.cell(9))) for said in third]
    report = judged(sorted(packets_of(good) + other_ends(another, gb.SGSN, there[1])))
    same(report["findings"], [], "one SGSN")
    right(any("more than one BSS" in note for note in report["notes"]), report["notes"])
    report = judged(sorted(packets_of(good[:14]) + other_ends(good[:14], gb.SGSN, there[1])))
    right(not any("more than one BSS" in note for note in report["notes"]), "two ends of one BSS name the same cell")


@case("one MS's TLLI at two SGSNs: its numbers are of two LLEs")
def one_tlli():
    first = gb.bring_up() + [down(S + n * S, gb.dl(gb.llc(n, 100))) for n in range(8)]
    second = gb.bring_up() + [down(S + n * S, gb.dl(gb.llc(100 + n * 3, 100))) for n in range(8)]
    second = [said._replace(datagram=said.datagram.replace(b"\x04\x82\0\x65", b"\x04\x82\0\xc9")) for said in second]
    there = ("198.51.101.1", 23000), ("198.51.101.2", 23001)
    report = judged(sorted(packets_of(first) + other_ends(second, *there)))
    same({(one["rule"], one["nse"]) for one in report["findings"]}, {("nu_gap", "NSEI 201")}, "findings")
    same(sum(one["rule"] == "nu_gap" for one in report["findings"]), 7, "gaps")


@case("a change of TLLI: FLOW-CONTROL under the old one is that MS's, for a minute; its numbers go on; so where it was heard first")
def new_tlli():
    new = TLLI + 77
    def values(at_ns, tlli, ack_tlli, **more):
        return [up(at_ns, gb.on_cell("bssgp_flow_control_ms", tlli=tlli, tag=9, ms_bmax=10, r=8, **more)),
                down(at_ns + 1, gb.on_cell("bssgp_flow_control_ms_ack", tlli=ack_tlli, tag=9))]
    first = down(2 * S, gb.dl(gb.llc(0, 100), tlli=new, old_tlli=TLLI))
    for heard in ([], [up(2 * S - 9, gb.ul(codec.llc_ui(3, 0, bytes(40)), tlli=new))]):
        begin = gb.bring_up() + [down(S, gb.dl(gb.llc(n, 100))) for n in (510, 511)] + heard + [first]
        for ack_tlli in (TLLI, new):
            talk = begin + values(3 * S, TLLI, ack_tlli) + burst(4 * S, 3, nu=1, tlli=new)
            shown(f"answer to {ack_tlli:x}, {len(heard)}", talk, ("ms_bucket", "SGSN", len(talk) - 1))
            same([ms["tlli"] for ms in audited(talk)["mss"]], [new], "MSs")
        before = gb.bring_up() + [down(S, gb.dl(gb.llc(511, 100)))] + values(S + 1, TLLI, TLLI) + heard + [first]
        before += burst(3 * S, 3, nu=1, tlli=new)
        shown("values from before", before, ("ms_bucket", "SGSN", len(before) - 1))
        gap = begin + [down(4 * S, gb.dl(gb.llc(3, 100), tlli=new))]
        shown("its numbers go on", gap, ("nu_gap", "SGSN", len(gap) - 1))
    late = begin + [up(n * 30 * S, codec.build("ns_alive_ack")) for n in (1, 2)] + values(63 * S, TLLI, TLLI)
    shown("a minute later it is another MS's", late + burst(64 * S, 3, nu=1, tlli=new))
    both = begin[:-1] + values(S + 9, new, new) + [first] + burst(3 * S, 3, nu=1, tlli=new)
    shown("values of its own under the new one", both, ("ms_bucket", "SGSN", len(both) - 1))


@case("the IP sub-network service: its endpoints are of one NSE, its procedures are listed, one without an answer is a remark")
def sub_network():
    ends = [("198.51.100.2", 23001), ("198.51.100.9", 23002)]
    ip4 = [(address, port, 1, 1) for address, port in ends]
    begin = [up(0, codec.build("sns_size", nsei=101, reset_flag=1, nsvcs=2, ip4_endpoints=2)),
             down(1, codec.build("sns_size_ack", nsei=101)),
             up(2, codec.build("sns_config", end_flag=1, nsei=101, ip4=ip4)), down(3, codec.build("sns_config_ack", nsei=101)),
             down(4, codec.build("sns_config", end_flag=1, nsei=101, ip4=[(*gb.SGSN, 1, 1)])),
             up(5, codec.build("sns_config_ack", nsei=101))]
    talk = begin + gb.good(20)[2:]
    # what concerns user data on the other NS-VC
    packets = [(said.time_ns, gb.frame_of(said, bss=ends["unitdata" in gb.name_of(said) or i % 3 == 0 and i > 20]))
               for i, said in enumerate(talk)]
    report = judged(packets)
    same((report["findings"], [nse["nse"] for nse in report["nses"]]), ([], ["NSEI 101"]), "NSE")
    same([event["text"] for event in report["events"] if event["what"] == "sns"],
         ["size", "size-ack", "config", "config-ack", "config", "config-ack"], "events")
    same(report["bvcs"][1]["bucket"]["pdus"], 40, "LLC PDUs judged")
    late = [up(25 * S + n * 3 * S, codec.build("sns_add", nsei=101, transaction=n, ip4=[("198.51.100.9", 23002, 1, 1)])) for n in (0, 1)]
    shown("SNS-ADD without an answer", talk + late, ("ns_unanswered", "SGSN", len(talk) + 1))
    answer = down(26 * S, codec.build("sns_ack", nsei=101, transaction=0))
    shown("SNS-ACK", talk + [late[0], answer, late[1]])


@case("UDP of 70 000 other pairs of ends in front of Gb: it is found, and all of it judged")
def foreign():
    octets = bytearray(gb.frame_of(up(0, b"\x05none")))
    octets[40:42], made = b"\0\0", []
    for n in range(often(5000, 70_000)):
        octets[34:38] = (0x10000000 + n * 7).to_bytes(4)
        made.append((n, bytes(octets)))
    report = judged(made + [(said.time_ns + S, gb.frame_of(said)) for said in gb.good()])
    same((report["findings"], report["input"]["datagrams"], len(report["nsvcs"])), ([], 64, 1), "Gb")
    same(report["input"]["not_gb"], len(made), "others")


# ---- Fragments ----

SIX = ("2001:db8::1", 23000), ("2001:db8::2", 23001)


def relayed(said):
    """As Frame Relay over GRE, in Ethernet."""
    ends = ("192.0.2.1", "192.0.2.2") if said.down else ("192.0.2.2", "192.0.2.1")
    packet = frames.ip(*ends, 47, b"\0\0\x65\x59" + bytes([300 >> 4 << 2, (300 & 15) << 4 | 1]) + said.datagram)
    return frames.in_ether(packet, bytes(6), bytes(6))


LINKS = {"IPv4": gb.frame_of, "IPv6": lambda said: gb.frame_of(said, *SIX), "GRE": relayed}


def in_pieces(talk, frame_of, change=lambda pieces, number: pieces, octets=304):
    made = []
    for number, said in enumerate(talk):
        whole = frame_of(said)
        pieces = change(frames.fragments_of(whole, number + 1, octets), number) if len(whole) > 400 else [whole]
        made += [(said.time_ns + n, piece) for n, piece in enumerate(pieces)]
    return sorted(made, key=lambda one: one[0])


@case("IP fragments, also of GRE: put together in any order, judged as of the first; a wrong FCS in them is found, no number is missing")
def joined():
    talk = gb.good()
    changes = {"in order": lambda pieces, _: pieces, "the last first": lambda pieces, _: pieces[::-1],
               "each twice": lambda pieces, _: [piece for piece in pieces for _ in (0, 1)]}
    at = place(talk, "bssgp_dl_unitdata", 3)
    wrong = changed(list(talk), at, talk[at].datagram[:-1] + b"\xff")
    for link, frame_of in LINKS.items():
        for what, change in changes.items():
            report = judged(in_pieces(talk, frame_of, change))
            same((report["findings"], report["input"]["joined"], report["input"]["cut_llc"]), ([], 20, 0), f"{link}, {what}")
            same((report["bvcs"][1]["bucket"]["pdus"], report["bvcs"][1]["bucket"]["octets"]), (20, 10000), f"{link}, {what}")
        same([one["rule"] for one in judged(in_pieces(wrong, frame_of))["findings"]], ["fcs_down"], f"{link}: FCS")
    near = [said._replace(time_ns=5 * S) if i == place(talk, "bssgp_dl_unitdata", 5, 1) else said for i, said in enumerate(talk)]
    near = gb.sorted_by_time([said for said in near if said.time_ns <= 5 * S])
    packets = in_pieces(near, gb.frame_of)
    mixed = packets[:-4] + [packets[-4], packets[-2], packets[-1], packets[-3]]  # the second is whole first
    same(judged([(t, octets) for (t, _), (_, octets) in zip(packets, mixed)])["findings"], [], "interleaved")


@case("fragments that are missing: UDP counts as its first one announces it; GRE makes the NSE blind; nothing is taken for missing numbers")
def not_joined():
    talk = gb.good()
    at = place(talk, "bssgp_dl_unitdata", 3)
    for link, frame_of in LINKS.items():
        report = judged(in_pieces(talk, frame_of, lambda pieces, number: pieces[:1] if number == at else pieces))
        same((report["findings"], report["input"]["joined"]), ([], 19), f"{link}: the second")
        if link == "GRE":
            same((report["input"]["cut_pdu"], report["input"]["findings_unsure"]), (1, 1), "GRE: counted")
        else:
            same((report["bvcs"][1]["bucket"]["octets"], report["input"]["cut_llc"]), (10000, 1), f"{link}: as announced")
        lost = judged(in_pieces(talk, frame_of, lambda pieces, number: pieces[1:] if number == at else pieces))
        same([one["rule"] for one in lost["findings"]], ["nu_gap"], f"{link}: the first: that number was not captured")


@case("first fragments of which no others come, overlapping ones and ones behind the end: bounded, and Gb behind them is judged")
def bad_pieces():
    whole, made = gb.frame_of(down(0, gb.dl(gb.llc(0, 1400)))), []
    for n in range(often(500, 5000)):
        first, second, third = frames.fragments_of(whole, n, 504)
        octets = bytearray(second)
        octets[20:22] = (0x2000 | n % 200).to_bytes(2)  # anywhere
        octets[24:26] = b"\0\0"
        made += [(n * 3, first), (n * 3 + 1, bytes(octets)), (n * 3 + 2, third if n % 2 else second)][:n % 3 + 1]
    report = judged(made + [(said.time_ns + S, gb.frame_of(said)) for said in gb.good()])
    same([one for one in report["findings"] if one["weight"] == "breach"], [], "breaches")
    same([cell["flow_control_acks"] for cell in report["bvcs"] if cell["bvci"] == CELL], [11], "what is behind them")


# ---- The clock ----


@case("one stamp that is far off, ahead or back, is that packet's alone: no pause, no step of the clock")
def stamps():
    talk = gb.good(20)
    full = gb.sorted_by_time(talk + burst(6 * S, 8, nu=0, tlli=OTHER_TLLI))
    at = place(full, "bssgp_dl_unitdata", 6.0)
    wanted = gb.listed(audited(full))
    same({rule for rule, _, _ in wanted}, {"bvc_bucket"}, "what is found")
    for off in (2 * S, 100 * S, 5000 * S, -3 * S, -1000 * S):
        for index in (at, at + 3, place(full, "bssgp_flow_control_bvc_ack", 4), len(full) - 1):
            report = audited(changed(list(full), index, time_ns=full[index].time_ns + off))
            same(gb.listed(report), wanted, f"{off} at {index}")
            counts = [report["input"][name] for name in ("stamp_alone", "pauses", "clock_jumps", "clock_back")]
            last = index == len(full) - 1
            right(last or counts == [1, 0, 0, 0], f"{off} at {index}: {counts}")
    for off, name in ((100 * S, "pauses"), (-100 * S, "clock_jumps")):
        steps = [said._replace(time_ns=said.time_ns + (off if i > at else 0)) for i, said in enumerate(full)]
        counts = audited(steps)["input"]
        same((counts["stamp_alone"], counts[name]), (0, 1), f"from there on by {off}")


@case("a host that counts its packets: one that is missing is a sign, in whatever it was; late ones, copies and other counts are none")
def counted():
    block = [up(25 * S, gb.signalling("bssgp_bvc_block", bvci=CELL, cause=8)), down(25 * S + 1, gb.signalling("bssgp_bvc_block_ack", bvci=CELL))]
    talk = gb.good(20) + block + [down(26 * S, gb.dl(gb.llc(40, 100)))]
    def rules(identities):
        ids = {True: iter(identities), False: iter(identities)}
        packets = [(said.time_ns, with_id(gb.frame_of(said), next(ids[said.down]) % 65536)) for said in talk]
        return [one["rule"] for one in judged(packets)["findings"]]
    count = len(talk)
    same(rules(range(65500, 65500 + count)), ["bvc_blocked"], "all there")
    same(rules([n + (n > 20) for n in range(count)]), [], "one is missing")
    same(rules([n + (n == 20) - (n == 21) for n in range(count)]), ["bvc_blocked"], "one is late")
    same(rules([n * 3 for n in range(count)]), ["bvc_blocked"], "a host that counts for others as well")
    same(rules([7] * count), ["bvc_blocked"], "always the same")
    same(rules([n + 5000 * (n > 20) for n in range(count)]), ["bvc_blocked"], "another beginning")


# ---- What happens to all at once ----


def many(said, count, at, values):
    """Frames like this one with other octets there, without a UDP checksum."""
    octets = bytearray(gb.frame_of(said))
    octets[40:42] = b"\0\0"
    for n in range(count):
        octets[at:at + 4] = values(n).to_bytes(4)
        yield bytes(octets)


APART = S // 40  # an equal frame that comes sooner is a copy


def of_defaults(n):
    """FLOW-CONTROL-BVC with other defaults each time, and its answer."""
    tag = n // 2 % 2
    return 9 * S + n * APART, gb.frame_of(ack_bvc(0, tag) if n % 2 else up(0, gb.flow_bvc(tag, r_default=80 + tag)))


ALIVE = gb.frame_of(up(0, codec.build("ns_alive_ack")))
RESETS = [gb.frame_of(said) for said in gb.bring_up()[6:8]]
# A step back is one that the next packet confirms: each fourth packet is one.
EVENTS = {"clock_jumps": lambda n: (9 * S - n // 2 % 2 * 3 * S + n % 2 * APART, ALIVE),
          "pauses": lambda n: (10 * S + n * 61 * S, ALIVE),
          "resets of BVCI 0": lambda n: (9 * S + n * APART, RESETS[n % 2]),
          "changes of the defaults": of_defaults}


@case("four times as many of what happens to all MSs or cells, with as many of these, is four times the work, not sixteen")
def growth():
    for name, event in EVENTS.items():
        used = []
        for count in (2500, 10_000):
            packets = [(said.time_ns, gb.frame_of(said)) for said in gb.bring_up()]
            if name == "resets of BVCI 0":
                packets += [(S + n, octets) for n, octets in enumerate(
                    many(up(0, gb.flow_bvc(1)), count, 42 + 1, lambda n: n % 60000 + 3 << 8 | 0x26))]
            else:
                packets += [(S + n, octets) for n, octets in enumerate(
                    many(down(0, gb.dl(b"\x41\xe0\0")), count, 42 + 5, lambda n: 0xC0000100 + n))]
            packets += [event(n) for n in range(count)]
            (folder / "x.pcap").write_bytes(gb.pcap(packets))
            counts = gb.audit(folder / "x.pcap")["input"]
            right(counts.get(name, count) >= count // 4 - 1 and counts["copies"] == 0, f"{name}: {counts}")
            used.append(blocks_of("audit", "--csv", folder / "csv", folder / "x.pcap"))
        right(used[1] < 5 * used[0], f"{name}: {used} blocks")


main()
