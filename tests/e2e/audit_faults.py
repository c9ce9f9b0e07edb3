#!/usr/bin/python3
"""Every rule of `sluice audit` (lab/captures/audit/audit_rules.def) has a capture here with that fault alone, by each end
that can break it: it is found, with its frame's number, in every form of the report, and nothing else is
reported; the capture without it has nothing to report; beside a second BSS it is the same. A rule without a
capture fails."""

import collections
import csv
import re

import audit_capture as gb  # tests/gb is on the path from here on
import codec
from audit_capture import CELL, MS, OTHER_TLLI, S, TLLI, audited, changed, down, folder, place, up, without
from harness import ROOT, case, main, right, same

RULE = re.compile(r"^AUDIT_RULE\((\w+), (SGSN|BSS|SENDER), (BREACH|REMARK), \"(.*?)\"", re.MULTILINE)
RULES = RULE.findall((ROOT / "lab/captures/audit/audit_rules.def").read_text())
CLAUSES = {name: clause for name, _, _, clause in RULES}
OWN_SAPI = 5  # of LLC PDUs that are put in, so that their numbers are their own
LATE = 25 * S  # behind all of a good talk of 20 s

Fault = collections.namedtuple("Fault", "rule who talk index clean")
faults = []


def fault(rule, who):
    """The function makes the capture, the index of what is wrong in it, and the capture without it."""
    def register(function):
        faults.append((rule, who, function))
        return function
    return register


def extra(n, octets=500, **more):
    return gb.dl(gb.llc(n, octets, OWN_SAPI), **more)


def with_last(*said):
    """A good talk with more of it, the last of which is wrong."""
    talk = gb.sorted_by_time([*gb.good(20), *said])
    index = len(talk) - 1 - talk[::-1].index(said[-1])
    return talk, index, without(talk, index)


# ---- Flow control ----


@fault("bvc_bucket", "SGSN")
def full_cell():
    # 300 octets are in it at 5.2 s; seven more of 500 fit into 4000
    return with_last(*(down(5 * S + 200 * MS + n, extra(0, tlli=TLLI + 10 + n)) for n in range(8)))


@fault("ms_bucket", "SGSN")
def full_ms():
    return with_last(up(5 * S + 100 * MS, gb.on_cell("bssgp_flow_control_ms", tlli=OTHER_TLLI, tag=9, ms_bmax=10, r=8)),
                     down(5 * S + 101 * MS, gb.on_cell("bssgp_flow_control_ms_ack", tlli=OTHER_TLLI, tag=9)),
                     *(down(5 * S + 200 * MS + n, extra(n, tlli=OTHER_TLLI)) for n in range(3)))


@fault("pfc_bucket", "SGSN")
def full_flow():
    flows = [{"pfi": 9, "bmax": 10, "r": 8}]
    return with_last(up(5 * S + 100 * MS, gb.on_cell("bssgp_flow_control_pfc", tlli=TLLI, tag=9, flows=flows)),
                     down(5 * S + 101 * MS, gb.on_cell("bssgp_flow_control_pfc_ack", tlli=TLLI, tag=9)),
                     *(down(5 * S + 200 * MS + n, extra(n, pfi=9)) for n in range(3)))


@fault("before_flow_control", "SGSN")
def too_soon():
    return with_last(down(11 * MS + 1, extra(0, 100)))


@fault("flow_not_acknowledged", "SGSN")
def no_answer():
    talk = gb.good(20)
    ack = place(talk, "bssgp_flow_control_bvc_ack", 3)
    return without(talk, ack), ack - 1, talk


@fault("flow_ack_of_nothing", "SGSN")
def answer_to_nothing():
    return with_last(down(5 * S + 200 * MS, gb.on_cell("bssgp_flow_control_bvc_ack", tag=200)))


@fault("flow_too_often", "BSS")
def impatient():
    talk = gb.good(20)
    asked = place(talk, "bssgp_flow_control_bvc", 4)
    ack, said = place(talk, "bssgp_flow_control_bvc_ack", 4), talk[asked]
    early = said._replace(time_ns=said.time_ns - 600 * MS)
    moved = gb.sorted_by_time([*without(talk, asked, ack), early,
                               talk[ack]._replace(time_ns=talk[ack].time_ns - 600 * MS)])
    return moved, moved.index(early), talk


# ---- States ----


def blocked_cell():
    return (up(LATE, gb.signalling("bssgp_bvc_block", bvci=CELL, cause=8)),
            down(LATE + MS, gb.signalling("bssgp_bvc_block_ack", bvci=CELL)))


@fault("bvc_blocked", "SGSN")
def to_blocked_cell():
    return with_last(*blocked_cell(), down(LATE + 2 * MS, extra(0)))


@fault("bvc_blocked", "BSS")
def from_blocked_cell():
    return with_last(*blocked_cell(), up(LATE + 2 * MS, gb.ul(codec.llc_ui(3, 20, bytes(40)))))


@fault("left_cell", "SGSN")
def left():
    return with_last(down(LATE, gb.signalling("bssgp_flush_ll", tlli=TLLI, bvci=CELL, new_bvci=3)),
                     up(LATE + MS, gb.signalling("bssgp_flush_ll_ack", tlli=TLLI, flush_action=0, octets=0)),
                     down(LATE + 2 * MS, extra(0)))


@fault("suspended", "SGSN")
def in_a_call():
    return with_last(up(LATE, gb.signalling("bssgp_suspend", tlli=TLLI, rai=codec.RAI)),
                     down(LATE + MS, gb.signalling("bssgp_suspend_ack", tlli=TLLI, rai=codec.RAI, suspend_reference=1)),
                     down(LATE + 2 * MS, extra(0)))


@fault("bvc_unanswered", "SGSN")
def deaf_sgsn():
    block = blocked_cell()[0]
    return with_last(block, block._replace(time_ns=LATE + S))


@fault("bvc_unanswered", "BSS")
def deaf_bss():
    reset = down(LATE, gb.signalling("bssgp_bvc_reset", bvci=CELL, cause=8))
    return with_last(reset, reset._replace(time_ns=LATE + S))


def blocked_nsvc():
    return (down(LATE, codec.build("ns_block", cause=1, nsvci=102)), up(LATE + MS, codec.build("ns_block_ack", nsvci=102)))


@fault("nsvc_blocked", "SGSN")
def on_blocked_down():
    return with_last(*blocked_nsvc(), down(LATE + 2 * MS, extra(0)))


@fault("nsvc_blocked", "BSS")
def on_blocked_up():
    return with_last(*blocked_nsvc(), up(LATE + 2 * MS, gb.ul(codec.llc_ui(3, 20, bytes(40)))))


@fault("ns_unanswered", "SGSN")
def no_unblock_ack():
    unblock = up(LATE + 2 * MS, codec.build("ns_unblock"))
    return with_last(*blocked_nsvc(), unblock, unblock._replace(time_ns=LATE + S))


@fault("ns_unanswered", "BSS")
def no_block_ack():
    return with_last(blocked_nsvc()[0], blocked_nsvc()[0]._replace(time_ns=LATE + S))


@fault("alive_unanswered", "SGSN")
def not_alive_down():
    return with_last(*(up(LATE + n * S, codec.build("ns_alive")) for n in range(2)))


@fault("alive_unanswered", "BSS")
def not_alive_up():
    return with_last(*(down(LATE + n * S, codec.build("ns_alive")) for n in range(2)))


# ---- Who sends what ----


@fault("wrong_sender", "SGSN")
def sgsn_as_bss():
    return with_last(down(LATE, gb.ul(codec.llc_ui(3, 20, bytes(9)))))


@fault("wrong_sender", "BSS")
def bss_as_sgsn():
    return with_last(up(LATE, gb.on_cell("bssgp_flow_control_bvc_ack", tag=21)))


@fault("wrong_bvci", "SGSN")
def data_on_signalling():
    return with_last(down(LATE, codec.unitdata(0, extra(0)[4:])))


@fault("wrong_bvci", "BSS")
def signalling_on_cell():
    return with_last(up(LATE, gb.on_cell("bssgp_suspend", tlli=TLLI, rai=codec.RAI)))


@fault("malformed", "SGSN")
def short_unitdata():
    return with_last(down(LATE, extra(0)[:-1]))


@fault("malformed", "BSS")
def short_reset():
    return with_last(up(LATE, b"\x02\x00"))


def replaced(octets, old, new):
    same(octets.count(old), 1, f"places of {old.hex()}")
    return octets.replace(old, new)


@fault("ill_element", "SGSN")
def wrong_filler():
    imsi = bytes.fromhex("0d88011010000000")  # of 14 digits: behind the last one is 15, not 0
    return with_last(down(LATE, replaced(extra(0, imsi="00101000000001"), imsi + b"\x00\xf1", imsi + b"\x00\x01")))


@fault("ill_element", "BSS")
def long_pfi():
    octets = codec.build("bssgp_ul_unitdata", v_tlli=TLLI, qos=b"\0\0\4", cell=codec.cell(7), pfi=9,
                         llc=codec.llc_ui(3, 10, bytes(9)))
    return with_last(up(LATE, codec.unitdata(gb.CELL, replaced(octets, b"\x28\x81\x09", b"\x28\x82\x09\x09"))))


# ---- LLC ----


@fault("llc_out_of_order", "SGSN")
def overtaken():
    talk = gb.good(20)
    one, next_one = (place(talk, "bssgp_dl_unitdata", 5, which) for which in (0, 1))
    changed(swapped := list(talk), one, talk[next_one].datagram)
    return changed(swapped, next_one, talk[one].datagram), next_one, talk


@fault("llc_repeated", "SGSN")
def twice():
    return with_last(down(LATE, gb.dl(gb.llc(39, 500))))


@fault("nu_gap", "SGSN")
def missing():
    talk = gb.good(20)
    gone = place(talk, "bssgp_dl_unitdata", 5)
    return without(talk, gone), place(talk, "bssgp_dl_unitdata", 5, 1) - 1, talk


@fault("nu_restart", "SGSN")
def from_zero():
    return with_last(down(LATE, gb.dl(gb.llc(0, 500))))


@fault("fcs_down", "SGSN")
def wrong_down():
    talk = gb.good(20)
    at = place(talk, "bssgp_dl_unitdata", 5)
    return changed(list(talk), at, talk[at].datagram[:-1] + b"\xff"), at, talk


@fault("fcs_up", "BSS")
def wrong_up():
    talk = gb.good(20)
    at = place(talk, "bssgp_ul_unitdata", 5)
    return changed(list(talk), at, talk[at].datagram[:-1] + b"\xff"), at, talk


@fault("paced_below", "SGSN")
def slow():
    def drained(rate):
        """A queue of 60 LLC PDUs of many sizes, in turn, at that rate in octets/s."""
        at_ns, talk = S, gb.bring_up()
        for n in range(60):
            octets = 100 + 70 * (n * 7 % 9)
            at_ns += octets * S // rate
            talk.append(down(at_ns, gb.dl(gb.llc(n, octets))))
        return talk
    return drained(830), len(gb.bring_up()), drained(1000)


# ---- All of them ----


def beside(talk):
    """Its packets among those of a second BSS, and where each of them is."""
    def elsewhere(datagram):
        """NSEI 201, and another MS."""
        return datagram.replace(b"\x04\x82\x00\x65", b"\x04\x82\x00\xc9").replace(
            TLLI.to_bytes(4), (TLLI + 99).to_bytes(4))
    other = [said._replace(time_ns=said.time_ns + MS // 2, datagram=elsewhere(said.datagram)) for said in gb.good(20)]
    both = sorted([(said.time_ns, 0, i, said) for i, said in enumerate(talk)]
                  + [(said.time_ns, 1, i, said) for i, said in enumerate(other)])
    ends = gb.BSS, ("198.51.100.3", 23001)
    packets = [(time_ns, gb.frame_of(said, bss=ends[of])) for time_ns, of, _, said in both]
    return packets, {i: frame for frame, (_, of, i, _) in enumerate(both, 1) if of == 0}


def check_forms(rule, who, frame, path):
    """Text and CSV name the rule, the clause and the frame as the JSON does."""
    done = gb.run_audit("--tolerance", "0", "--csv", folder / "csv", path)
    text = done.stdout.decode()
    right(f"{who}, {CLAUSES[rule]}: " in text and f", {rule}: 1\n" in text and f"  frame {frame}, " in text, text)
    with open(folder / "csv/findings.csv", newline="") as rows:
        row, = csv.DictReader(rows)
    same((row["rule"], row["who"], row["frame"], row["clause"]), (rule, who, str(frame), CLAUSES[rule]), "CSV")


def check(rule, who, made):
    talk, index, clean = made
    gb.shown(f"without {rule}", clean)
    gb.shown(f"{rule} of the {who}", talk, (rule, who, index))
    check_forms(rule, who, index + 1, folder / "x.pcap")
    packets, frames = beside(talk)
    (folder / "two.pcap").write_bytes(gb.pcap(packets))
    same(gb.listed(gb.audit("--tolerance", "0", folder / "two.pcap")), [(rule, who, frames[index])],
         f"{rule} beside a second BSS")


@case("several rules broken in one capture: the text lists each frame under its rule")
def together():
    talk = gb.good(20)
    for name, numbers in (("bssgp_dl_unitdata", (5, 7)), ("bssgp_ul_unitdata", (4, 6, 8))):
        for at in [place(talk, name, number) for number in numbers]:
            changed(talk, at, talk[at].datagram[:-1] + bytes((talk[at].datagram[-1] ^ 1,)))
    report = audited(talk)
    wanted = collections.defaultdict(list)
    for one in report["findings"]:
        wanted[one["rule"], one["who"]].append(one["frame"])
    same({rule: len(frames) for rule, frames in wanted.items()}, {("fcs_down", "SGSN"): 2, ("fcs_up", "BSS"): 3}, "findings")
    text = gb.run_audit("--tolerance", "0", folder / "x.pcap").stdout.decode()
    shown = {(rule, who): [int(frame) for frame in re.findall(r"^    frame (\d+), ", below, re.MULTILINE)]
             for who, rule, below in re.findall(r"^  (\w+), [^\n]*, (\w+): \d+\n((?:    [^\n]*\n)*)", text, re.MULTILINE)}
    same(shown, dict(wanted), f"frames in the text:\n{text}")


for rule_, who_, function_ in faults:
    case(f"{rule_} by the {who_}: found at its frame, and nothing else", rule_, who_, function_)(
        lambda rule, who, function: check(rule, who, function()))


@case("every rule has its capture, of each end that can break it")
def complete():
    right(len(RULES) > 20, f"{len(RULES)} rules were read")
    wanted = {(name, end) for name, who, _, _ in RULES for end in (("SGSN", "BSS") if who == "SENDER" else (who,))}
    same({(rule, who) for rule, who, _ in faults}, wanted, "captures")
    same(len(RULES), (ROOT / "lab/captures/audit/audit_rules.def").read_text().count("\nAUDIT_RULE("), "lines of the list")


main()
