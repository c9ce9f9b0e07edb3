#!/usr/bin/python3
"""What some order of events explains is held against nobody: PDUs that cross, on one NS-VC or on two, for one MS in
two cells, under two TLLIs. And what a place of the capture brings with it: both sides of a NAT, pings between
the hosts, BSSs behind one address. Beside each the same with a fault, which is found."""

import random
import re
import subprocess

import audit_capture as gb  # tests/gb is on the path from here on
import codec
from audit_capture import CELL, MS, S, TLLI, audited, changed, down, folder, place, shown, up
from harness import case, main, program, right, same

OTHER = ("198.51.100.2", 23007)
LOCAL, FOREIGN = TLLI, TLLI ^ 0x40000000
THERE = 3  # another cell


def burst(at_ns, count, nu=0, octets=500, **more):
    return [down(at_ns + n, gb.dl(gb.llc(nu + n, octets), **more)) for n in range(count)]


def signalling_down(at_ns, name, **values):
    return down(at_ns, gb.signalling(name, **values))


def signalling_up(at_ns, name, **values):
    return up(at_ns, gb.signalling(name, **values))


def in_cell(said, bvci):
    """The same on another cell's BVCI."""
    return said._replace(datagram=codec.unitdata(bvci, said.datagram[4:]))


def second_nsvc(at_ns=14 * MS):
    reset = dict(nsvci=103, nsei=101)
    said = [up(0, codec.build("ns_reset", cause=1, **reset)), down(0, codec.build("ns_reset_ack", **reset)),
            up(0, codec.build("ns_unblock")), down(0, codec.build("ns_unblock_ack"))]
    return [one._replace(time_ns=at_ns + n) for n, one in enumerate(said)]


def judged(packets, *words):
    (folder / "x.pcap").write_bytes(gb.pcap(sorted(packets, key=lambda one: one[0])))
    return gb.audit(*words, folder / "x.pcap")


def on_two(talk, elsewhere, tolerance="0.001"):
    """What is found; `elsewhere` is what goes on the second NS-VC."""
    report = judged([(said.time_ns, gb.frame_of(said, bss=OTHER if said in elsewhere else gb.BSS)) for said in talk],
                    "--tolerance", tolerance)
    return [(one["rule"], one["frame"] - 1) for one in report["findings"]]


def two_cells():
    other = [in_cell(said, THERE) for said in gb.bring_up()[12:]]
    reset = [signalling_up(20 * MS, "bssgp_bvc_reset", bvci=THERE, cause=8, cell=codec.cell(8)),
             signalling_down(21 * MS, "bssgp_bvc_reset_ack", bvci=THERE)]
    return gb.bring_up() + reset + [said._replace(time_ns=said.time_ns + 10 * MS) for said in other]


# ---- One MS, two cells ----


@case("FLOW-CONTROL-MS in two cells, of which the first is answered when the MS has gone: its values count in the second")
def two_answers():
    def asks(at_ns, bvci):
        return in_cell(up(at_ns, gb.on_cell("bssgp_flow_control_ms", tlli=TLLI, tag=9, ms_bmax=20, r=80)), bvci)
    def answer(at_ns, bvci):
        return in_cell(down(at_ns, gb.on_cell("bssgp_flow_control_ms_ack", tlli=TLLI, tag=9)), bvci)
    def sends(at_ns, count):
        return [in_cell(said, THERE) for said in burst(at_ns, count)]
    heard = in_cell(up(2 * S, gb.ul(codec.llc_ui(3, 1, bytes(40)), bvci=THERE)), THERE)
    talk = two_cells() + [asks(S, CELL), heard, asks(2 * S + 1, THERE), answer(2 * S + 2, CELL), answer(2 * S + 3, THERE)]
    shown("2000 octets of Bmax", talk + sends(3 * S, 4))
    full = talk + sends(3 * S, 5)
    shown("and 500 more", full, ("ms_bucket", "SGSN", len(full) - 1))
    same(audited(talk)["input"]["acks_of_unknown"], 0, "answers to what was not captured")
    again = talk + [answer(2 * S + 4, CELL)] + sends(3 * S, 5)
    shown("answered twice", again, ("flow_ack_of_nothing", "SGSN", len(talk)), ("ms_bucket", "SGSN", len(again) - 1))
    late = talk[:-2] + [talk[-1], answer(20 * S, CELL)] + [in_cell(said, THERE) for said in burst(21 * S, 5)]
    right(("flow_ack_of_nothing", "SGSN", len(talk)) in gb.listed(audited(late)), "17 s later it answers nothing")


@case("SUSPEND that crosses an uplink PDU; FLUSH-LL that crosses the MS's return; FLUSH-LL to another NSE's cell")
def crossing_procedures():
    one = down(5 * S, gb.dl(gb.llc(20, 100)))
    suspend = [signalling_up(2 * S, "bssgp_suspend", tlli=TLLI, rai=codec.RAI),
               signalling_down(2 * S + 9, "bssgp_suspend_ack", tlli=TLLI, rai=codec.RAI, suspend_reference=1)]
    heard = up(2 * S + 5, gb.ul(codec.llc_ui(3, 10, bytes(40))))
    talk = two_cells()
    shown("heard since SUSPEND", gb.sorted_by_time(talk + suspend + [heard, one]))
    before = gb.sorted_by_time(talk + suspend + [heard._replace(time_ns=S), one])
    shown("heard before", before, ("suspended", "SGSN", len(before) - 1))
    again = [said._replace(time_ns=said.time_ns + S) for said in suspend]
    twice = gb.sorted_by_time(talk + suspend + [heard] + again + [one])
    shown("and once more", twice, ("suspended", "SGSN", len(twice) - 1))
    repeated = gb.sorted_by_time(talk + suspend[:1] + [suspend[0]._replace(time_ns=2 * S + 1), heard, suspend[1],
                                 suspend[1]._replace(time_ns=2 * S + 10), one])
    shown("SUSPEND twice, heard, two answers", repeated)
    away = in_cell(up(S, gb.ul(codec.llc_ui(3, 1, bytes(40)), bvci=THERE)), THERE)
    flush = signalling_down(3 * S, "bssgp_flush_ll", tlli=TLLI, bvci=CELL, new_bvci=THERE)
    shown("back before FLUSH-LL", talk + [away, heard, flush, one])
    gone = gb.sorted_by_time(talk + [away, heard._replace(time_ns=S - 9), flush, one])
    shown("not back", gone, ("left_cell", "SGSN", len(gone) - 1))
    ago = talk + [away, heard, flush._replace(time_ns=30 * S), one._replace(time_ns=31 * S)]
    shown("back for long", ago, ("left_cell", "SGSN", len(ago) - 1))
    begun = gb.sorted_by_time(talk + [flush, signalling_down(4 * S, "bssgp_flush_ll", tlli=TLLI, bvci=9, new_bvci=CELL, nsei=101),
                                      one])[2:]  # without NS-RESET nobody knows the NSEI
    shown("of an NSEI that is not known", begun)
    elsewhere = [flush, signalling_down(4 * S, "bssgp_flush_ll", tlli=TLLI, bvci=9, new_bvci=CELL, nsei=777), one]
    shown("the same BVCI of another NSE", talk + elsewhere, ("left_cell", "SGSN", len(talk) + 2))
    here = [elsewhere[0], signalling_down(4 * S, "bssgp_flush_ll", tlli=TLLI, bvci=9, new_bvci=CELL, nsei=101), one]
    shown("of this NSE", talk + here)


@case("FLUSH-LL for the cell to which the MS has come back from another NSE meanwhile says nothing")
def back_from_elsewhere():
    def heard(at_ns):
        return up(at_ns, gb.ul(codec.llc_ui(3, at_ns // MS, bytes(40))))
    def report_of(*said, away=(2 * S,), new={}, tlli=TLLI, bvci=CELL):
        flush = signalling_down(3 * S, "bssgp_flush_ll", tlli=tlli, bvci=CELL, **new)
        one = down(4 * S, gb.dl(gb.llc(20, 100), tlli=tlli))
        there = gb.bring_up()[4:] + [in_cell(heard(at_ns), bvci) for at_ns in away]
        packets = [(said.time_ns, gb.frame_of(said)) for said in gb.bring_up() + [*said, flush, one]]
        report = judged(packets + [(said.time_ns + 1, gb.frame_of(said, bss=("198.51.100.3", 23000))) for said in there],
                        "--tolerance", "0")
        same(len(report["nses"]), 2, "NSEs")
        return [one["rule"] for one in report["findings"]]
    same(report_of(heard(2 * S + 9)), [], "back before FLUSH-LL")
    same(report_of(heard(2 * S + 9), new={"new_bvci": CELL, "nsei": 777}), [], "the new cell of the other NSE is named")
    same(report_of(heard(2 * S + 9), new={"new_bvci": THERE}), ["left_cell"], "to a cell of this NSE, where it was not heard")
    same(report_of(heard(2 * S + 9), new={"new_bvci": THERE}, bvci=THERE), ["left_cell"], "which has the other's number")
    renamed = down(2 * S + 99, gb.dl(gb.llc(19, 100), tlli=gb.OTHER_TLLI, old_tlli=TLLI))
    same(report_of(heard(2 * S + 9), renamed, tlli=gb.OTHER_TLLI), [], "under a new TLLI since")
    same(report_of(heard(2 * S - 9)), ["left_cell"], "not back")
    same(report_of(), ["left_cell"], "not heard here")
    same(report_of(heard(2 * S + 9), away=(2 * S, 2 * S + 99)), ["left_cell"], "and gone again")
    same(report_of(heard(2 * S + 9), away=()), ["left_cell"], "nowhere else")


@case("an MS that is heard by its foreign TLLI is resumed, and where it was heard, under its local one, too")
def foreign_tlli():
    one = down(5 * S, gb.dl(gb.llc(20, 100)))
    suspend = [signalling_up(2 * S, "bssgp_suspend", tlli=LOCAL, rai=codec.RAI),
               signalling_down(2 * S + 9, "bssgp_suspend_ack", tlli=LOCAL, rai=codec.RAI, suspend_reference=1)]
    between = gb.bring_up() + [suspend[0], up(2 * S + 5, gb.ul(codec.llc_ui(1, 0, bytes(40)), tlli=FOREIGN)), suspend[1], one]
    shown("between SUSPEND and its answer", between)
    flush = [signalling_down(2 * S, "bssgp_flush_ll", tlli=LOCAL, bvci=CELL, new_bvci=THERE)]
    for rule, before in (("suspended", suspend), ("left_cell", flush)):
        for tlli, wanted in ((FOREIGN, False), (FOREIGN + 1, True), (LOCAL + 1, True)):
            talk = gb.bring_up() + before + [up(3 * S, gb.ul(codec.llc_ui(1, 0, bytes(40)), tlli=tlli)), one]
            shown(f"{rule}, {tlli:x}", talk, *([(rule, "SGSN", len(talk) - 1)] if wanted else []))


@case("a FLOW-CONTROL-MS under the MS's new TLLI in front of the PDU that names both: its answer is one, its values count")
def asked_before_named():
    new = TLLI + 77
    values = [up(2 * S, gb.on_cell("bssgp_flow_control_ms", tlli=new, tag=9, ms_bmax=10, r=8)),
              down(2 * S + 2, gb.on_cell("bssgp_flow_control_ms_ack", tlli=new, tag=9))]
    named = down(2 * S + 1, gb.dl(gb.llc(1, 100), tlli=new, old_tlli=TLLI))
    talk = gb.bring_up() + [down(S, gb.dl(gb.llc(0, 100))), values[0], named, values[1]]
    shown("1000 octets of Bmax", talk + burst(3 * S, 1, nu=2, tlli=new))
    full = talk + burst(3 * S, 3, nu=2, tlli=new)
    shown("and more", full, ("ms_bucket", "SGSN", len(full) - 1))
    older = [up(S + 9, gb.on_cell("bssgp_flow_control_ms", tlli=TLLI, tag=8, ms_bmax=30, r=8)),
             down(2 * S + 2, gb.on_cell("bssgp_flow_control_ms_ack", tlli=new, tag=8))]
    both = talk[:-2] + [older[0]._replace(time_ns=2 * S), named, older[1], values[1]]
    both = gb.sorted_by_time(both[:-4] + [both[-4]] + both[-3:])
    shown("and one under the old TLLI, answered behind it", both)


@case("what was said under a new TLLI before it is named: a ratio counts what was given back before it, packet flows' values count")
def said_before_named():
    new = TLLI + 77
    named = down(3 * S, gb.dl(gb.llc(1, 100), tlli=new, old_tlli=TLLI))
    def flow(at_ns, tlli, tag, bmax):
        return [up(at_ns, gb.on_cell("bssgp_flow_control_pfc", tlli=tlli, tag=tag, flows=[{"pfi": 9, "bmax": bmax, "r": 8}])),
                down(at_ns + 1, gb.on_cell("bssgp_flow_control_pfc_ack", tlli=tlli, tag=tag))]
    first = down(S // 2, gb.dl(gb.llc(0, 100)))
    for before, behind, fits in ((10, 30, 6), (30, 10, 2), (None, 10, 2)):
        talk = gb.bring_up() + [first] + (flow(S, TLLI, 8, before) if before else []) + flow(2 * S, new, 9, behind) + [named]
        said = talk + burst(4 * S, fits + 1, nu=2, tlli=new, pfi=9)
        shown(f"{before}, {behind}", said, ("pfc_bucket", "SGSN", len(said) - 1))
    def lost(at_ns, tlli):
        return signalling_up(at_ns, "bssgp_llc_discarded", tlli=tlli, frames=4, bvci=CELL, octets=2000)
    def asked(at_ns, tlli, full=None):
        more = {} if full is None else {"full": full}
        return up(at_ns, gb.on_cell("bssgp_flow_control_ms", tlli=tlli, tag=9, ms_bmax=20, r=8, **more))
    answer = down(3 * S + 1, gb.on_cell("bssgp_flow_control_ms_ack", tlli=new, tag=9))
    for tlli in (TLLI, new):  # CBL: the bucket is full whatever was given back before
        full = gb.bring_up(features=2) + [first, lost(S, TLLI), asked(2 * S, tlli, full=255)] + [named, answer]
        full += burst(4 * S, 1, nu=2, tlli=new)
        right("ms_bucket" in [one["rule"] for one in audited(full)["findings"]], f"{tlli:x}: a bucket that is full")
    # What is given back under the new one is the MS's.
    talk = gb.bring_up() + [first] + burst(S, 7, nu=1) + [lost(S + 10, new)]
    talk += [down(S + 11, gb.dl(gb.llc(8, 100), tlli=new, old_tlli=TLLI))] + burst(S + 12, 4, nu=9, tlli=new)
    shown("2000 octets given back", talk)


@case("30 000 changes of TLLI, each heard under the new one first: one MS, and no more memory than for some")
def many_tllis():
    def most(count):
        talk = gb.bring_up()
        for n in range(count):
            at_ns = S + n * MS
            talk += [up(at_ns, gb.ul(codec.llc_ui(3, n % 512, bytes(4)), tlli=TLLI + n + 1)),
                     down(at_ns + 1, gb.dl(gb.llc(n % 512, 10), tlli=TLLI + n + 1, old_tlli=TLLI + n))]
        gb.write(folder / "many.pcap", talk)
        done = subprocess.run(["/usr/bin/env", "python3", "-c", "import resource, subprocess, sys\n"
                               "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n"
                               "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)",
                               program(), "audit", "--json", folder / "many.pcap"], check=True, capture_output=True, text=True)
        same([ms["tlli"] for ms in gb.audit(folder / "many.pcap")["mss"]], [TLLI + count], "MSs")
        return int(done.stdout) * 1024
    few, many = most(3000), most(30000)
    right(many - few < 27000 * 300, f"{few} octets, {many} octets")  # lists of what happened, and no MSs


@case("an MS that changes its TLLI again and again, in a capture whose stamps are all 0")
def at_zero():
    draw = random.Random(1)
    tllis = [0xC0000000 + draw.randrange(1 << 20) for _ in range(4000)]
    talk = gb.bring_up() + [down(S, gb.dl(gb.llc(n % 512, 20), tlli=tllis[n], old_tlli=tllis[n - 1])) for n in range(1, 4000)]
    report = judged([(-gb.START_NS, gb.frame_of(said)) for said in talk])
    same(report["input"]["datagrams"], len(talk), "datagrams")


# ---- Packet flows, LLC, counts ----


@case("a packet flow context that is deleted and created again has no bucket of before")
def created_again():
    asked = [up(S, gb.on_cell("bssgp_flow_control_pfc", tlli=TLLI, tag=9, flows=[{"pfi": 9, "bmax": 10, "r": 8}])),
             down(S + 1, gb.on_cell("bssgp_flow_control_pfc_ack", tlli=TLLI, tag=9))]
    sends = burst(3 * S, 3, pfi=9)
    talk = gb.bring_up() + asked
    shown("its bucket", talk + sends, ("pfc_bucket", "SGSN", len(talk) + 2))
    abqp = bytes.fromhex("1b921f7196404074024040")
    create = down(2 * S + 9, gb.on_cell("bssgp_create_bss_pfc", tlli=TLLI, pfi=9, pft=10, abqp=abqp))
    for pfi, answered, wanted in ((9, True, False), (10, True, True), (9, False, True)):
        ended = [down(2 * S, gb.on_cell("bssgp_delete_bss_pfc", tlli=TLLI, pfi=pfi)), create]
        ended += [up(2 * S + 1, gb.on_cell("bssgp_delete_bss_pfc_ack", tlli=TLLI, pfi=pfi))] if answered else []
        said = gb.sorted_by_time(talk + ended + sends)
        shown(f"PFI {pfi}, {answered}", said, *([("pfc_bucket", "SGSN", len(said) - 1)] if wanted else []))


@case("XID with a wrong FCS, down and up: a finding, and no Reset")
def wrong_xid():
    body = bytes([0x41, 0xFB, 12 << 2])  # P, Reset
    good, bad = body + codec.fcs(body), body + b"\1\2\3"
    frames_of = [down((1 + n) * S, gb.dl(gb.llc(nu, 100))) for n, nu in enumerate((100, 101, 0, 1))]
    def talk_of(xid, way):
        pdu = gb.dl(xid) if way is down else gb.ul(xid)
        return gb.sorted_by_time(gb.bring_up() + frames_of + [way(2 * S + 1, pdu)])
    at = len(gb.bring_up()) + 2
    shown("right", talk_of(good, down))
    shown("wrong, down", talk_of(bad, down), ("fcs_down", "SGSN", at), ("nu_restart", "SGSN", at + 1))
    shown("wrong, up", talk_of(bad, up), ("fcs_up", "BSS", at), ("nu_restart", "SGSN", at + 1))


@case("an MS's LLC PDUs are all counted, judged or not; a delay that the BSS calls infinite is none")
def counts():
    talk = gb.sorted_by_time(burst(9 * MS + 1, 3) + gb.bring_up()) + burst(S, 4, nu=3)
    report = audited(talk)
    same([(ms["pdus_down"], ms["octets_down"]) for ms in report["mss"]], [(7, 3500)], "of the MS")
    same(report["bvcs"][1]["pdus_down"], 7, "of its cell")
    for units, wanted in ((65534, 655340), (65535, None)):
        talk = changed(gb.bring_up(), 12, gb.flow_bvc(1, measurement=units))
        same(audited(talk)["bvcs"][1].get("measured_delay_most_ms"), wanted, f"{units} units of 10 ms")
        text = gb.run_audit(folder / "x.pcap").stdout.decode()
        same(re.findall("delay as the BSS measured it: (.*)", text), [f"{wanted / 1000:.2f} s at most"] if wanted else [], "as text")


# ---- Two NS-VCs ----


@case("between two NS-VCs there is no order within the tolerance: states and a smaller Bmax on the one, user data on the other")
def no_order():
    states = (
        ("suspended", [signalling_up(5 * S, "bssgp_suspend", tlli=TLLI, rai=codec.RAI),
                       signalling_down(5 * S + 9, "bssgp_suspend_ack", tlli=TLLI, rai=codec.RAI, suspend_reference=1)]),
        ("left_cell", [signalling_down(5 * S + 9, "bssgp_flush_ll", tlli=TLLI, bvci=CELL, new_bvci=THERE)]),
        ("bvc_blocked", [signalling_up(5 * S, "bssgp_bvc_block", bvci=CELL, cause=8),
                         signalling_down(5 * S + 9, "bssgp_bvc_block_ack", bvci=CELL)]),
        ("bvc_bucket", [up(5 * S, gb.flow_bvc(9, bmax=10)),
                        down(5 * S + 9, gb.on_cell("bssgp_flow_control_bvc_ack", tag=9))]))
    for rule, said in states:
        for late_ns, there, tolerance, wanted in (
                (MS // 10, True, "0.001", False), (MS // 10, False, "0.001", True), (MS // 10, True, "0", True),
                (3 * MS, True, "0.001", True), (3 * MS, True, "0.005", False)):
            sends = [down(5 * S - MS + n, gb.dl(gb.llc(n, 500))) for n in range(2)]
            one = down(5 * S + 9 + late_ns, gb.dl(gb.llc(2, 500)))
            talk = gb.bring_up() + second_nsvc() + sends + said + [one]
            same(on_two(talk, second_nsvc() + ([one] if there else []), tolerance),
                 [(rule, len(talk) - 1)] if wanted else [], f"{rule}, {late_ns} ns, {there}, {tolerance}")


@case("NS-BLOCK of the NS-VC that it names, whichever it comes on; one of an NS-VCI that nobody has is of its own")
def block_of_another():
    def talk_of(nsvci):
        return gb.bring_up() + second_nsvc() + [down(S, codec.build("ns_block", cause=1, nsvci=nsvci)),
                                                 up(S + 1, codec.build("ns_block_ack", nsvci=nsvci))]
    here, there = down(2 * S, gb.dl(gb.llc(0, 100))), down(2 * S + 1, gb.dl(gb.llc(1, 100)))
    for nsvci, wanted in ((103, there), (102, here), (999, here)):
        talk = talk_of(nsvci) + [here, there]
        same(on_two(talk, second_nsvc() + [there]), [("nsvc_blocked", talk.index(wanted))], f"NS-VCI {nsvci}")
    there_and_back = gb.bring_up() + second_nsvc() + [down(S, codec.build("ns_block", cause=1, nsvci=103)),
                                                      up(S + 1, codec.build("ns_block_ack", nsvci=103)), here, there]
    same(on_two(there_and_back, second_nsvc() + [there_and_back[-3], there]), [("nsvc_blocked", len(there_and_back) - 1)],
         "asked on the one, answered on the other")
    opened = talk_of(103) + [up(S + 9, codec.build("ns_unblock")), down(S + 10, codec.build("ns_unblock_ack")), here, there]
    same(on_two(opened, second_nsvc() + opened[-4:-2] + [there]), [], "and unblocked again")


# ---- The place of the capture ----


@case("both sides of a NAT or of a relay in one capture: each PDU is judged once, and a note says so")
def both_sides():
    talk = gb.sorted_by_time(gb.good(20) + burst(6 * S, 8, nu=100, tlli=TLLI + 1))
    def sides(*ends):
        return [(said.time_ns + n * 30_000 * (1 if said.down else -1), gb.frame_of(said, *end))
                for said in talk for n, end in enumerate(ends)]
    once = sorted((one["rule"], one["text"]) for one in judged(sides((gb.SGSN, gb.BSS)), "--tolerance", "0")["findings"])
    right(once, "nothing is found in the talk itself")
    nat, relay = ("192.0.2.9", 40000), ("192.0.2.9", 23000)
    for what, ends in (("NAT", ((gb.SGSN, nat), (gb.SGSN, gb.BSS))), ("relay", ((gb.SGSN, nat), (relay, gb.BSS)))):
        report = judged(sides(*ends), "--tolerance", "0")
        same(sorted((one["rule"], one["text"]) for one in report["findings"]), once, what)
        right(any("both sides" in note for note in report["notes"]), report["notes"])
        same(report["input"]["copies"], sum(said.datagram[0] == 0 for said in talk), f"{what}: copies")


@case("an SGSN that sends all twice, on two NS-VCs: that is no NAT, and its PDUs on the second one are judged")
def twice_on_two():
    for nsvcs in (gb.bring_up() + second_nsvc(), gb.bring_up()):  # the second one known by its NS-VCI, or not
        talk = gb.sorted_by_time(nsvcs + gb.good(20)[14:])
        again = [said._replace(time_ns=said.time_ns + 1000) for said in talk if said.down and said.datagram[0] == 0]
        own = [down(9 * S, gb.dl(gb.llc(300, 500), tlli=TLLI + 1))]
        report = judged([(said.time_ns, gb.frame_of(said, bss=OTHER if said in second_nsvc() else gb.BSS)) for said in talk]
                        + [(said.time_ns, gb.frame_of(said, bss=OTHER)) for said in again + own], "--tolerance", "0")
        rules = {one["rule"] for one in report["findings"]}
        right({"llc_repeated", "bvc_bucket"} <= rules, f"{len(nsvcs)}: {rules}")
        right(not any("both sides" in note for note in report["notes"]), report["notes"])


@case("BSSs behind one address, without their resets in the capture: nothing is judged where their cells differ")
def one_address():
    begun = gb.good(20)[14:]
    other = [said._replace(datagram=said.datagram.replace(codec.cell(7), codec.cell(9)), time_ns=said.time_ns + 100 * MS)
             for said in begun]
    report = judged([(said.time_ns, gb.frame_of(said)) for said in begun]
                    + [(said.time_ns, gb.frame_of(said, bss=OTHER)) for said in other])
    same(report["findings"], [], "two cells of one BVCI")
    right(any("more than one BSS" in note for note in report["notes"]), report["notes"])
    # One BSS, whose cell gets another identity by a reset: some PDUs of before it come later, on the other NS-VC.
    renamed = [signalling_up(4 * S + 1, "bssgp_bvc_reset", bvci=CELL, cause=8, cell=codec.cell(9)),
               signalling_down(4 * S + 2, "bssgp_bvc_reset_ack", bvci=CELL)]
    stale = [up(4 * S + 3 + n, gb.ul(codec.llc_ui(3, 100 + n, bytes(40)))) for n in range(4)]
    report = judged([(said.time_ns, gb.frame_of(said)) for said in begun + renamed]
                    + [(said.time_ns, gb.frame_of(said, bss=OTHER)) for said in stale])
    right(not any("more than one BSS" in note for note in report["notes"]), "four of before a reset")
    # One whose cell gets another identity: 1 s after that a PDU from before it comes on the other NS-VC.
    late = [said for said in other if codec.name_of(said.datagram) == "bssgp_ul_unitdata"][:1]
    report = judged([(said.time_ns, gb.frame_of(said)) for said in begun] + [(late[0].time_ns, gb.frame_of(late[0], bss=OTHER))])
    right(not any("more than one BSS" in note for note in report["notes"]), "one PDU alone")


@case("a host that counts its packets pings the other: none is missing, and what is found stands; if a ping is missing, it does not")
def pings():
    def counted(lost, apart=False):
        talk = gb.sorted_by_time(gb.good(20) + burst(6 * S, 8, nu=100, tlli=TLLI + 1))
        packets, identity, ping_identity = [], 0, 40000
        for n, said in enumerate(talk):
            octets = gb.frame_of(said)
            for ping in ([False, True] if n % 5 == 0 and said.down else [False]):
                if ping and apart:
                    ping_identity += 1
                else:
                    identity += said.down
                number = ping_identity if ping and apart else identity
                one = octets[:18] + (number if said.down else 0).to_bytes(2) + octets[20:24] + b"\0\0" + octets[26:]
                if ping:
                    one = one[:23] + b"\1" + one[24:]
                if not (ping and lost and n == lost):
                    packets.append((said.time_ns + ping, one))
        return judged(packets, "--tolerance", "0")
    whole = counted(None)
    right(any(one["rule"] == "bvc_bucket" for one in whole["findings"]), "nothing is found")
    talk = gb.sorted_by_time(gb.good(20) + burst(6 * S, 8, nu=100, tlli=TLLI + 1))
    middle = next(n for n in range(place(talk, "bssgp_flow_control_bvc", 5.0), len(talk)) if n % 5 == 0 and talk[n].down)
    less = counted(middle)
    same([one for one in less["findings"] if one["rule"] == "bvc_bucket"], [], "one is missing")
    right(less["input"]["findings_unsure"] > 0, "none is unsure")
    # Linux counts each protocol by itself: pings that are missing are no packets of Gb.
    same(len(counted(middle, apart=True)["findings"]), len(whole["findings"]), "pings have a counter of their own")


main()
