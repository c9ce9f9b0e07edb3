#!/usr/bin/python3
"""What `sluice audit` must find although packets are missing in the capture, or look so: an SGSN that breaks a clause
for minutes and drops numbered LLC PDUs in its own queue, or of which the capture lacks one packet. Beside each of
them, in captures typed from the formats (audit_capture.py), one that keeps to the clause and must not be named."""

import audit_capture as gb  # tests/gb is on the path from here on
import codec
from audit_capture import CELL, MS, S, TLLI, audited, down, up, without
from harness import case, main, right, same

WIDE = dict(bmax_default=4000, r_default=8000)  # of MSs: no limit here
SECONDS = 120


def breaches(talk):
    return [(one["rule"], one["frame"] - 1) for one in audited(talk)["findings"] if one["weight"] == "breach"]


def flow_bvc(at_ns, tag, **more):
    return [up(at_ns, gb.flow_bvc(tag, **WIDE, **more)), down(at_ns + MS, gb.on_cell("bssgp_flow_control_bvc_ack", tag=tag))]


def flow_ms(at_ns, tag, r=40):
    return [up(at_ns, gb.on_cell("bssgp_flow_control_ms", tlli=TLLI, tag=tag, ms_bmax=20, r=r)),
            down(at_ns + MS, gb.on_cell("bssgp_flow_control_ms_ack", tlli=TLLI, tag=tag))]


def loaded(per_s, seconds=SECONDS, own=False, **first):
    """Each second so many LLC PDUs of 500 octets, and FLOW-CONTROL of 1000 octets/s for the cell, or 500 for the MS."""
    talk, nu = [*gb.bring_up()[:12], *flow_bvc(20 * MS, 0, **first)], 0
    for second in range(1, seconds):
        talk += (flow_ms if own else flow_bvc)(second * S + 10 * MS, second % 256)
        for n in range(per_s):
            talk.append(down(second * S + 20 * MS + n * (900 * MS // per_s), gb.dl(gb.llc(nu % 512, 500))))
            nu += 1
    return gb.sorted_by_time(talk)


def dls(talk):
    return [i for i, said in enumerate(talk) if gb.name_of(said) == "bssgp_dl_unitdata"]


def thinned(talk, every):
    """Without each so-manieth LLC PDU, as an SGSN that drops them behind the numbering."""
    return without(talk, *dls(talk)[every - 1::every])


@case("three times R for minutes, one LLC PDU of the capture missing at its beginning, or each tenth never sent: found")
def cell():
    whole = loaded(6)
    right(len(breaches(whole)) > 300, "whole")
    for what, talk in (("one at the beginning", without(whole, dls(whole)[9])), ("each tenth", thinned(whole, 10))):
        found = breaches(talk)
        right(len(found) > 200 and {rule for rule, _ in found} == {"bvc_bucket"}, f"{what}: {len(found)} breaches")
        report = audited(talk)
        right(report["input"]["findings_unsure"] > 0, f"{what}: before that it may be what is missing")


@case("an MS's FLOW-CONTROL that is ignored for minutes: the same")
def one_ms():
    whole = loaded(2, own=True, bmax=400, r=800)
    for what, talk in (("one at the beginning", without(whole, dls(whole)[5])), ("each tenth", thinned(whole, 10))):
        found = breaches(talk)
        right(len(found) > 50 and {rule for rule, _ in found} == {"ms_bucket"}, f"{what}: {len(found)} breaches")


@case("an SGSN that keeps to R, as its values change and some FLOW-CONTROLs and LLC PDUs are not captured: not named")
def innocent():
    raised = {second: flow_bvc(second * S + 10 * MS, second, r=240) for second in (30, 40, 50)}
    whole = [said for said in loaded(2) if said.time_ns // S not in raised]
    for second, values in raised.items():
        whole += values + [down(second * S + 20 * MS + n * 150 * MS, gb.dl(b"")) for n in range(6)]
    whole = gb.sorted_by_time(whole)
    for nu, i in enumerate(dls(whole)):
        whole[i] = down(whole[i].time_ns, gb.dl(gb.llc(nu % 512, 500)))
    same(breaches(whole), [], "whole")
    lost = [i for i, said in enumerate(whole) if any(said in values for values in raised.values())]
    right(breaches(without(whole, *lost)), "nothing shows that they are missing")
    same(breaches(without(whole, *lost, dls(whole)[40])), [], "one LLC PDU is missing as well")


def blocked(at_ns):
    return [up(at_ns, gb.signalling("bssgp_bvc_block", bvci=CELL, cause=8)), down(at_ns + MS, gb.signalling("bssgp_bvc_block_ack", bvci=CELL))]


@case("what hangs on PDUs behind a minute without a sign is found: blocked cells, NS-VCs, MSs that have left or are suspended")
def later():
    late = 200 * S
    starts = {
        "bvc_blocked": blocked(late),
        "nsvc_blocked": [down(late, codec.build("ns_block", cause=1, nsvci=102)), up(late + MS, codec.build("ns_block_ack", nsvci=102))],
        "left_cell": [down(late, gb.signalling("bssgp_flush_ll", tlli=TLLI, bvci=CELL)),
                      up(late + MS, gb.signalling("bssgp_flush_ll_ack", tlli=TLLI, flush_action=0, octets=0))],
        "suspended": [up(late, gb.signalling("bssgp_suspend", tlli=TLLI, rai=codec.RAI)),
                      down(late + MS, gb.signalling("bssgp_suspend_ack", tlli=TLLI, rai=codec.RAI, suspend_reference=1))],
        "bvc_bucket": []}
    whole = loaded(1, 200)
    numbered = len(dls(whole))
    for rule, begin in starts.items():
        more = [down(late + S + n, gb.dl(gb.llc((numbered + n) % 512, 500))) for n in range(12 if rule == "bvc_bucket" else 1)]
        for what, gone, found in (("early", 20, True), ("just before", 190, False)):
            talk = without(whole, dls(whole)[gone]) + begin + more
            same(rule in {name for name, _ in breaches(talk)}, found, f"{rule}, {what}")


main()
