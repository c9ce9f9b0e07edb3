#!/usr/bin/python3
"""What `./run lab` demands, of invented figures: each demand holds at its limit and fails beyond, and the last sentence says
what that means."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
sys.path.insert(0, str(HERE))

from harness import case, main, right, same  # noqa: E402
from lab_verdict import IN_BSS_S, VARIANTS, Mode, conclusion, load_told, told, verdicts  # noqa: E402

DEFAULT = Mode(pdchs=4, downs=1, up=False)
OWN, NEIGHBOUR, SHARE = "ping beside its own download, p95", "ping beside a neighbour's, p95", "throughput, of tail drop's"
ON_GB = "errors of Gb for osmo-pcu, once it is up"
NS = "DLNS ERROR <0024> gprs_ns2_vc_fsm.c:937 GPRS-NS2-VC(NSE00101){BLOCKED}: Event RX-RESET_ACK not permitted"
BSSGP = "DLBSSGP ERROR <0025> gprs_bssgp_pcu.c:525 Failed to parse BSSGP DL-UNITDATA message"
RADIO = "DTBF ERROR <0007> tbf.cpp:1 poll timeout"
IDLE, BUSY = {"lab": 0.08, "others": 0.1, "host": 0.1}, {"lab": 0.08, "others": 0.11, "host": 0.1}


def run(own_s=0.66, neighbour_s=0.28, carried=43500, **changed):
    return {"own": {"round_trip_p95_s": own_s, "down_p95_s": own_s / 2}, "neighbour": {"round_trip_p95_s": neighbour_s}, "carried_bit_per_s": carried, "up_bit_per_s": 0, "of_radio": 0.9, "equal": True,
            "octets": 357976, "summary": {"conservation": {"balanced": True}}, "flow_control": 17, "acknowledged": 17, "malformed": [],
            "pcu_errors": [], "pcu_errors_early": 0, **changed}


def judged(ours, tail=None, mode=DEFAULT):
    return verdicts({"tail-drop": [tail or run(10.26, 0.28, 44100)], "recommended": [ours]}, mode)


def missed(*args, **words):
    return [(one["of"], one["what"]) for one in judged(*args, **words) if not one["holds"]]


@case("figures of an idle machine miss nothing, and what is not demanded is not judged")
def good():
    same(missed(run()), [], "missed")
    same(missed(run(discarded=20, up_s=9)), [], "missed with LLC-DISCARDED and a slow start")


@case("the ping beside an own download: at most what stands before it, by time slots and MSs that download")
def own():
    for mode, most_s in ((DEFAULT, 1.235), (Mode(1, 1, False), 1.94), (Mode(8, 1, False), 1.835), (Mode(4, 2, False), 2.881),
                         (Mode(4, 16, False), 2.881), (Mode(1, 4, False), 8.525)):
        same((missed(run(most_s), mode=mode), missed(run(most_s + 0.002), mode=mode)), ([], [("recommended", OWN)]), f"{mode}")


@case("the limits are of the cell_delay of config/osmopcu.lua")
def cell_delay():
    text = (HERE.parent.parent / "config/osmopcu.lua").read_text()
    right(f'"gb.cell_delay={1000 * IN_BSS_S:.0f} ms"' in text, "it has another one")


@case("beside an upload the way down to the MS is judged, and the upload counts as throughput")
def upload():
    mode, what = Mode(4, 1, True), OWN.replace(", p95", ", down to the MS, p95")
    same((missed(run(2 * 1.235), mode=mode), missed(run(2 * 1.237), mode=mode)), ([], [("recommended", what)]), "the ping")
    for up, wanted in (70, []), (69, [("recommended", SHARE)]):
        same(missed(run(carried=920, up_bit_per_s=up), run(carried=1000, up_bit_per_s=20), mode), wanted, f"{up} bit/s up")


@case("the ping beside a neighbour's download: at most 0.7 s, in each mode")
def neighbour():
    for mode in DEFAULT, Mode(1, 4, True):
        same((missed(run(neighbour_s=0.7), mode=mode), missed(run(neighbour_s=0.701), mode=mode)), ([], [("recommended", NEIGHBOUR)]), f"{mode}")


@case("throughput: 97 % of tail drop's with one MS that downloads, 90 % with several")
def throughput():
    for downs, least in (1, 970), (2, 900), (3, 900), (16, 900):
        found = [missed(run(carried=carried), run(carried=1000), Mode(4, downs, False)) for carried in (least, least - 1)]
        same(found, [[], [("recommended", SHARE)]], f"{downs} MSs")


@case("neither variant is slow: 80 % of the MSs' time slots, of which each has four at most")
def slots():
    for pdchs, downs, least in (1, 1, 0.8), (4, 1, 0.8), (8, 1, 0.4), (8, 2, 0.8), (4, 4, 0.8):
        both = [[run(of_radio=part)] for part in (least, least - 0.001)]
        for tail, ours, wanted in (both[0], both[0], []), (both[1], both[0], ["tail-drop"]), (both[0], both[1], ["recommended"]):
            found = verdicts({"tail-drop": tail, "recommended": ours}, Mode(pdchs, downs, False))
            same([(one["of"], one["what"]) for one in found if not one["holds"]],
                 [(of, "throughput, of the MSs' time slots'") for of in wanted], f"{pdchs} PDCHs, {downs} MSs")


@case("recommended is correct: octets, the account of packets, Gb", "recommended")
@case("tail drop is correct, too", "tail-drop")
def correct(of):
    for what, changed in (("octets equal", {"equal": False}), ("octets equal", {"octets": 0}),
                          ("sluice accounts for every packet", {"summary": {"conservation": {"balanced": False}}}),
                          ("FLOW-CONTROL-BVC acknowledged", {"acknowledged": 16}),
                          ("FLOW-CONTROL-BVC acknowledged", {"flow_control": 0, "acknowledged": 0}),
                          ("malformed frames for tshark", {"malformed": ["frame 7: sll:ip:udp:gprs-ns:bssgp"]}),
                          (ON_GB, {"pcu_errors": [BSSGP]}), (ON_GB, {"pcu_errors": [NS, NS], "pcu_errors_early": 1})):
        changed = {variant: run(**changed if variant == of else {}) for variant in VARIANTS}
        same(missed(changed["recommended"], changed["tail-drop"]), [(of, what)], f"{changed[of]}")


@case("what osmo-pcu says while it comes up, and about its radio, is told, not judged")
def not_judged():
    ours = run(pcu_errors=[NS, RADIO], pcu_errors_early=1)
    same(missed(ours), [], "missed")
    same(list(told({"tail-drop": [run()], "recommended": [ours]})),
         [f"osmo-pcu, recommended: 2 lines with ERROR, 1 of them while it came up; the first: {NS}"], "told")


@case("of several runs most have to hold")
def several():
    for slow, holds in (1, True), (2, False):
        ours = [run(9)] * slow + [run()] * (3 - slow)
        found = next(one for one in verdicts({"tail-drop": [run()] * 3, "recommended": ours}, DEFAULT) if one["what"] == OWN)
        same((found["holds"], found["runs"], found["figures"], found["limit"]),
             (holds, 3 - slow, ["9.00 s"] * slow + ["0.66 s"] * (3 - slow), "at most 1.24 s"), f"{slow} of 3 slow")


def said(ours, load):
    both = {"tail-drop": [run(10.26, 0.28, 44100)], "recommended": [ours]}
    return conclusion(both, verdicts(both, DEFAULT), load)


@case("the last sentence says whether Sluice is as it should be; if not, what is missed and where to look")
def sentence():
    figures = "95 % of the pings take {} s at most, where tail drop's take 10.26 s, at 99% of its throughput"
    same(said(run(), BUSY), f"Sluice is as it should be: beside a download {figures.format('0.66')}, and every packet is right.", "all hold")
    text = said(run(5, equal=False), IDLE)
    right(f"Sluice is not as it should be, for 2 of 15 demands are missed (recommended: {OWN}; recommended: octets equal): beside "
          f"a download {figures.format('5.00')}" in text and "not busy" in text and "./run lab keep" in text, text)
    right("The machine was busy" in said(run(5), BUSY), "a busy machine")
    both = {"tail-drop": [run(10.26, 0.28, 44100, equal=False)], "recommended": [run()]}
    text = conclusion(both, verdicts(both, DEFAULT), IDLE)
    right("The comparison is not as it should be, for 1 of 15 demands are missed (tail-drop: octets equal)" in text, text)
    same(load_told(BUSY), "processors: 8% of their time was this lab's, 11% other programs', 10% the host's", "load")


if __name__ == "__main__":
    main()
