#!/usr/bin/python3
"""`sluice audit` on input that is bad: files that break off, snap lengths, checksums, clocks that jump,
fragments, octets at random. Never a crash, every packet with one verdict, what is left out is counted and
explained, and no figure is wrong without a word."""

import collections
import json
import os
import random
import struct
import subprocess

import audit_capture as gb  # tests/gb is on the path from here on
import codec
import frames
from audit_capture import MS, S, down, packets_of, place, up
from harness import blocks_of, case, has_sanitizers, main, new_folder, often, program, right, same

folder = new_folder()
VERDICTS = "taken", "link_unknown", "not_ip", "cut_header", "ip_malformed", "ip_checksum", "later_fragment"
ROUNDS = often(20, 150)


def of_octets(octets, *words):
    path = folder / "x.pcap"
    path.write_bytes(octets)
    return gb.audit(*words, path)


def check_sums(report, what):
    counts = report["input"]
    same(sum(counts[name] for name in VERDICTS), counts["frames"], f"{what}: packets with a verdict")
    udp = counts["udp_malformed"] + counts["udp_cut"] + counts["udp_checksum"]
    left_out = sum(counts[name] for name in ("not_gb", "not_udp", "not_read", "line_no_direction"))
    same(counts["datagrams"] + counts["copies"] + left_out + udp, counts["taken"], f"{what}: IP packets")


def noted(report, part, what):
    right(any(part in note for note in report["notes"]), f"{what}: no note has '{part}': {report['notes']}")


# ---- Files ----


@case("names of files are printable on a terminal, in a note and in a message")
def names():
    name = folder / "x\033[31m\007.pcap"
    name.write_bytes(gb.pcap(packets_of(gb.good(3)))[:-5])
    shown = "x?[31m?.pcap"
    for text in gb.run_audit(name).stdout, gb.run_audit(folder / "no\033[31m").stderr:
        right(b"\033" not in text and b"?[31m" in text, repr(text))
    noted(gb.audit(name), shown, "a damaged file")


@case("a file that breaks off anywhere: all whole packets are read, and the damage is named")
def truncated():
    octets = gb.pcap(packets_of(gb.good(3)))
    ends, at = [24], 24
    while at < len(octets):
        at += 16 + struct.unpack_from("<I", octets, at + 8)[0]
        ends.append(at)
    draw = random.Random("truncated")
    for length in sorted(draw.sample(range(24, len(octets)), min(ROUNDS // 2, 150))) + ends:
        report = of_octets(octets[:length])
        same(report["input"]["frames"], sum(end <= length for end in ends) - 1, f"{length} octets")
        if length not in ends:
            noted(report, "breaks off", f"{length} octets")
        same([one for one in report["findings"] if one["weight"] == "breach"], [], f"{length} octets")
    for length in range(24):
        (folder / "x.pcap").write_bytes(octets[:length])
        done = gb.run_audit(folder / "x.pcap")
        right(done.returncode == 1 and done.stderr, f"{length} octets: exit {done.returncode}")


@case("nothing read is exit status 1: no Gb, a link type or interfaces that it cannot read; findings are, if asked")
def statuses():
    def ends(status, what, words=(), said=""):
        done = gb.run_audit(*words, folder / "x.pcap")
        same(done.returncode, status, f"{what}: exit status, {done.stderr}")
        same(said.encode() in done.stderr and bool(said) == bool(done.stderr), True, f"{what}: stderr {done.stderr}")
        right(done.stdout, f"{what}: no report")
    none = "no Gb was read, so nothing was judged"
    good = packets_of(gb.good(3))
    (folder / "x.pcap").write_bytes(gb.pcap([]))
    ends(1, "no packet", (), none)
    (folder / "x.pcap").write_bytes(gb.pcap(good, link=107))
    ends(1, "Frame Relay", (), none)
    (folder / "x.pcap").write_bytes(gb.pcap([(t, octets[:12] + b"\x08\x06" + octets[14:]) for t, octets in good]))
    ends(1, "not IP", (), none)
    (folder / "x.pcap").write_bytes(gb.pcap(good))
    for words in (), ("--fail-on", "breach"), ("--fail-on", "remark"):
        ends(0, "a good one", words)
    at_ns = gb.good(3)[-1].time_ns + 1
    breach = up(at_ns, b"\x02\x00")
    remark = up(at_ns, gb.ul(codec.llc_ui(3, 10, bytes(9))[:-1] + b"\xaa"))  # a wrong FCS of an MS
    for bad, weight, fails in (breach, "breach", ("breach", "remark")), (remark, "remark", ("remark",)):
        gb.write(folder / "x.pcap", gb.good(3) + [bad])
        ends(0, weight)
        for asked in "breach", "remark":
            counts = "1 breaches, 0 remarks" if weight == "breach" else "0 breaches, 1 remarks"
            ends(int(asked in fails), f"{weight}, --fail-on {asked}", ("--fail-on", asked),
                 counts if asked in fails else "")
    done = gb.run_audit("--fail-on", "all", folder / "x.pcap")
    right(done.returncode == 2 and b"breach or remark" in done.stderr, done.stderr)


@case("octets of the file changed at random: an end with a report, or a message")
def corrupt_file():
    octets = gb.pcap(packets_of(gb.good(3)))
    draw, statuses = random.Random("corrupt"), collections.Counter()
    for _ in range(ROUNDS):
        changed = bytearray(octets)
        for _ in range(draw.randint(1, 8)):
            changed[draw.randrange(len(changed) if draw.random() < 0.7 else 40)] = draw.randrange(256)
        (folder / "x.pcap").write_bytes(changed)
        done = gb.run_audit("--json", folder / "x.pcap")
        right(done.returncode in (0, 1), f"exit {done.returncode}: {done.stderr}")
        statuses[done.returncode] += 1
        right(done.returncode == 0 or done.stderr, "no message")
    right(statuses[0] > ROUNDS // 2, statuses)


@case("snap lengths: flow control is judged as long as lengths are there, and what is not is counted")
def snapped():
    full = gb.audit(gb.write(folder / "x.pcap", gb.good()))
    for snap in range(14, 200):
        report = gb.audit(gb.write(folder / "x.pcap", gb.good(), snap=snap))
        same(report["findings"], [], f"snap length {snap}")
        check_sums(report, f"snap length {snap}")
        if snap >= 60:  # what is cut is no witness against
            same(len(report["nsvcs"]), 1, f"snap length {snap}: NS-VCs")
        right(report["input"]["cut"] > 0, f"snap length {snap}: cut packets")
        if snap >= 74:  # the head of DL-UNITDATA, with FLOW-CONTROL-BVC of 66 octets whole
            same(report["bvcs"][1]["bucket"], full["bvcs"][1]["bucket"], f"snap length {snap}: figures")
            same(report["input"]["cut_llc"], 20 + 10 * (snap < 42 + 4 + 8 + 10 + 2 + 46),
                 f"snap length {snap}: LLC PDUs that are cut")
        elif report["bvcs"] and report["bvcs"][-1]["bucket"] != full["bvcs"][1]["bucket"]:
            right(report["input"]["cut_pdu"] + report["input"]["cut_header"] + report["input"]["udp_cut"] > 0,
                  f"snap length {snap}: other figures without a word")


@case("one PDU that is cut: what hangs on earlier ones is not reported any more, but counted; new values are judged")
def one_cut():
    def with_cut(talk, index, keep):
        octets = bytearray(gb.pcap(packets_of(talk)))
        at = 24 + sum(16 + len(frame) for _, frame in packets_of(talk)[:index])
        whole = struct.unpack_from("<I", octets, at + 8)[0]
        struct.pack_into("<I", octets, at + 8, keep)
        return bytes(octets[:at + 16 + keep] + octets[at + 16 + whole:])
    talk = gb.good(20)
    flow, ack = place(talk, "bssgp_flow_control_bvc", 4), place(talk, "bssgp_flow_control_bvc_ack", 8)
    silent = talk[:ack] + talk[ack + 1:]
    burst = [down(12 * S + 900 * MS + n, gb.dl(gb.llc(n, 500, 5), tlli=gb.TLLI + 9 + n)) for n in range(8)]
    full = gb.sorted_by_time(talk + burst)
    same([one["rule"] for one in gb.audit("--tolerance", "0", gb.write(folder / "x.pcap", full))["findings"]],
         ["bvc_bucket"], "whole")
    report = of_octets(with_cut(full, flow, 60), "--tolerance", "0")
    same([one["rule"] for one in report["findings"]], ["bvc_bucket"], "a bucket behind new values")
    same(report["input"]["cut_pdu"], 1, "PDUs that are cut")
    report = of_octets(with_cut(silent, flow, 60), "--tolerance", "0")
    same((report["findings"], report["input"]["findings_unsure"]), ([], 1), "an answer that is missing")
    noted(report, "what the capture lacks", "an answer that is missing")


# ---- Packets ----


def with_octets(talk, index, at, new):
    """The packets, one with other octets there."""
    made = packets_of(talk)
    octets = made[index][1]
    made[index] = made[index][0], octets[:at] + new + octets[at + len(new):]
    return made


@case("checksums: wrong ones are left out and counted, those left to hardware are taken")
def checksums():
    talk = gb.good()
    at = place(talk, "bssgp_flow_control_bvc", 3)
    for what, offset, new, count in (("IPv4", 24, b"\x12\x34", "ip_checksum"), ("UDP", 40, b"\x12\x34", "udp_checksum")):
        report = of_octets(gb.pcap(with_octets(talk, at, offset, new)))
        same(report["input"][count], 1, what)
        same([(one["rule"], one["weight"], one["frame"]) for one in report["findings"]],
             [("flow_ack_of_nothing", "remark", at + 2)], f"{what}: whose acknowledgement")
        same(report["input"]["acks_of_unknown"], 1, f"{what}: its values are not known")
        noted(report, "FLOW-CONTROLs that were not captured", what)
        check_sums(report, what)
    octets = packets_of(talk)[at][1]
    pseudo = frames.pseudo("198.51.100.2", "198.51.100.1", len(octets) - 34, 17)
    partial = 0xFFFF ^ frames.checksum(pseudo)
    for what, offset, new, count in (("IPv4", 24, b"\0\0", "ip_checksum_offloaded"),
                                     ("UDP", 40, partial.to_bytes(2), "udp_checksum_offloaded")):
        report = of_octets(gb.pcap(with_octets(talk, at, offset, new)))
        same((report["input"][count], report["findings"]), (1, []), f"{what} left to hardware")


@case("fragments: the first stands for its datagram, the others are counted")
def fragments():
    for ends in ((gb.SGSN, gb.BSS), (("2001:db8::1", 23000), ("2001:db8::2", 23001))):
        made = []
        for number, said in enumerate(gb.good()):
            whole = gb.frame_of(said, *ends)
            made += [(said.time_ns, piece) for piece in frames.fragments_of(whole, number, 304)] \
                if len(whole) > 400 else [(said.time_ns, whole)]
        report = of_octets(gb.pcap(made), "--tolerance", "0")
        same(report["findings"], [], "findings")
        same((report["input"]["first_fragment"], report["input"]["later_fragment"]), (20, 20), "fragments")
        same(report["bvcs"][1]["bucket"]["octets"], 10000, "octets")
        noted(report, "fragments", "notes")


@case("clocks: back by 0.4 s is forgiven by as much, back by an hour begins all buckets anew; no stamp at all")
def clocks():
    talk = gb.good()
    at = place(talk, "bssgp_dl_unitdata", 5)
    back = talk[:at] + [talk[at]._replace(time_ns=talk[at].time_ns - 900 * MS)] + talk[at + 1:]
    report = gb.audit("--tolerance", "0", gb.write(folder / "x.pcap", back))
    same((report["findings"], report["input"]["clock_back"]), ([], 1), "0.4 s back")
    same(report["input"]["clock_disorder_ns"], back[at - 1].time_ns - back[at].time_ns, "the step back")
    noted(report, "leniently", "0.4 s")
    again = place(back, "bssgp_flow_control_bvc_ack", 9)
    twice = back[:again] + [back[again]._replace(time_ns=back[again].time_ns - 2 * MS)] + back[again + 1:]
    report = gb.audit("--tolerance", "0", gb.write(folder / "x.pcap", twice))
    same(report["input"]["clock_disorder_ns"], gb.audit(gb.write(folder / "x.pcap", back))["input"]["clock_disorder_ns"],
         "the most of two")
    same(report["input"]["clock_back"], 2, "two steps")
    step = [said if i < at else said._replace(time_ns=said.time_ns + 3600 * S) for i, said in enumerate(talk)]
    same(gb.audit(gb.write(folder / "x.pcap", step))["findings"], [], "an hour on")
    shifted = [said._replace(time_ns=said.time_ns + (3600 * S if i < at else 0)) for i, said in enumerate(talk)]
    report = gb.audit("--tolerance", "0", gb.write(folder / "x.pcap", shifted))
    same((report["findings"], report["input"]["clock_jumps"]), ([], 1), "an hour back")
    noted(report, "clock", "an hour back")
    octets = bytearray(gb.pcap(packets_of(talk)))
    octets[24 + 4:24 + 8] = struct.pack("<I", 2_000_000_000)  # ns of a second
    report = of_octets(bytes(octets))
    same(report["input"]["stamp_impossible"], 1, "a stamp that is none")
    half = len(talk) // 2
    second = bytearray(gb.pcap(packets_of(talk[half:])))
    second[24 + 4:24 + 8] = struct.pack("<I", 2_000_000_000)
    (folder / "y.pcap").write_bytes(second)
    report = gb.audit(gb.write(folder / "x.pcap", talk[:half]), folder / "y.pcap")
    same((report["findings"], report["input"]["stamp_impossible"], report["input"]["stamp_alone"]), ([], 1, 0),
         "the first stamp of a second file is none")


@case("one direction only: no answer is missed, no state is guessed, and the report says so; the other BSS is judged")
def one_way():
    good, second = gb.good(20), ("198.51.100.3", 23001)
    for is_down in (True, False):
        half = [said for said in good if said.down == is_down]
        report = gb.audit("--tolerance", "0", gb.write(folder / "x.pcap", half))
        same(report["findings"], [], f"down: {is_down}")
        noted(report, "only one direction", "notes")
        same({row["state"] for row in report["nsvcs"] + report["bvcs"]}, {"unknown"}, "states")
        same({bool(cell["bucket"]) for cell in report["bvcs"]}, {False}, "buckets")
        if is_down:
            same(report["input"]["before_values"], 40, "LLC PDUs that are not judged")
        faulty = [said._replace(datagram=said.datagram.replace(b"\x04\x82\x00\x65", b"\x04\x82\x00\xc9"))
                  for said in good]
        at = place(faulty, "bssgp_flow_control_bvc_ack", 3)
        two = [(said.time_ns, gb.frame_of(said)) for said in half] + \
            [(said.time_ns + 1, gb.frame_of(said, bss=second)) for i, said in enumerate(faulty) if i != at]
        report = of_octets(gb.pcap(sorted(two)), "--tolerance", "0")
        same([one["rule"] for one in report["findings"]], ["flow_not_acknowledged"], "the other BSS")
        same(report["findings"][0]["nse"], "NSEI 201", "whose")


@case("datagrams in one direction that look like NS are none, but for a RESET, an ALIVE, another NS-VC of an end, or --port")
def by_chance():
    chance = [down(n * S, gb.dl(gb.llc(n, 60))) for n in range(5)]
    alive, reset = codec.build("ns_alive"), codec.build("ns_reset_ack", nsvci=102, nsei=101)
    back = gb.ul(codec.llc_ui(3, 0, bytes(40)))
    for more, words, nsvcs in (([], (), 0), ([down(9 * S, alive)], (), 1), ([down(9 * S, reset)], (), 1), ([up(9 * S, back)], (), 1),
                               ([], ("--port", "23000"), 1)):
        report = gb.audit(*words, gb.write(folder / "x.pcap", chance + more))
        same(len(report["nsvcs"]), nsvcs, f"NS-VCs, {words}")
    two = [(said.time_ns, gb.frame_of(said)) for said in gb.good(20)] + \
        [(said.time_ns + 1, gb.frame_of(said, bss=("198.51.100.2", 23009))) for said in chance] + \
        [(said.time_ns + 2, gb.frame_of(said, sgsn=("198.51.100.7", 9), bss=("198.51.100.8", 9))) for said in chance]
    same(len(of_octets(gb.pcap(sorted(two)))["nsvcs"]), 2, "another one of the SGSN's end, and strangers")


@case("NS-RESET and a cell's BVC-RESET alone tell which end is the BSS, whichever end sends first")
def bss_by_its_cell():
    reset = {"nsvci": 102, "nsei": 101}
    begin = [up(0, codec.build("ns_reset", cause=1, **reset)), down(MS, codec.build("ns_reset_ack", **reset))]
    by_bss = [up(2 * MS, gb.signalling("bssgp_bvc_reset", bvci=gb.CELL, cause=8, cell=codec.cell(7))),
              down(3 * MS, gb.signalling("bssgp_bvc_reset_ack", bvci=gb.CELL))]
    by_sgsn = [down(2 * MS, gb.signalling("bssgp_bvc_reset", bvci=gb.CELL, cause=8)),
               up(3 * MS, gb.signalling("bssgp_bvc_reset_ack", bvci=gb.CELL, cell=codec.cell(7)))]
    for talk, known in ((begin + by_bss, True), (begin + by_sgsn, True), (begin + by_bss[1:], False)):
        row, = gb.audit(gb.write(folder / "x.pcap", talk))["nsvcs"]
        same(row["sgsn_known"], known, "is it known which end is the SGSN?")
        right(not known or (row["datagrams_down"], row["datagrams_up"]) == (2, 2), row)


@case("a silence of more than a minute: what was in force is forgotten, nothing that came in it is held against anyone")
def pauses():
    talk = gb.good(20)
    at = place(talk, "bssgp_flow_control_bvc_ack", 10)
    held = talk[:at] + [said._replace(time_ns=said.time_ns + 30 * S) for said in talk[at + 3:]]
    same([one["rule"] for one in gb.audit(gb.write(folder / "x.pcap", held))["findings"]],
         ["flow_not_acknowledged", "nu_gap"], "30 s, and an answer and an LLC PDU are missing")
    gone = [said._replace(time_ns=said.time_ns + 40 * S) for said in held[at:]]
    report = gb.audit(gb.write(folder / "x.pcap", held[:at] + gone))
    same((report["findings"], report["input"]["pauses"]), ([], 1), "70 s")
    noted(report, "silences", "70 s")
    full = gb.audit(gb.write(folder / "x.pcap", talk[:at]))
    same(report["bvcs"][1]["state"], "open", "the cell's state is that since")
    right(report["bvcs"][1]["bucket"]["queue_mean_octets"] > 0.9 * full["bvcs"][1]["bucket"]["queue_mean_octets"],
          "the mean is of the time that was captured")
    blocked = talk + [down(25 * S, gb.signalling("bssgp_bvc_block", bvci=gb.CELL, cause=1)),
                      up(25 * S + 1, codec.build("ns_block", cause=1, nsvci=102)),
                      down(25 * S + 2, codec.build("ns_block_ack", nsvci=102))]
    one = down(26 * S, gb.dl(gb.llc(40, 100)))
    same([f["rule"] for f in gb.audit(gb.write(folder / "x.pcap", blocked + [one]))["findings"]],
         ["wrong_sender", "nsvc_blocked"], "at once")
    later = gb.audit(gb.write(folder / "x.pcap", blocked + [one._replace(time_ns=90 * S)]))
    same([f["rule"] for f in later["findings"]], ["wrong_sender"], "behind a pause")


@case("two LLC PDUs in the wrong order by their stamps as well: it may be the capture's order; counted")
def disordered():
    talk = gb.good(20)
    one, other = (place(talk, "bssgp_dl_unitdata", 5, n) for n in (0, 1))
    near = talk[:one] + [talk[other]._replace(time_ns=talk[one].time_ns + 1), talk[one]] + \
        [said for i, said in enumerate(talk[one + 1:], one + 1) if i != other]
    report = gb.audit(gb.write(folder / "x.pcap", near))
    same((report["findings"], report["input"]["clock_back"], report["input"]["findings_unsure"]), ([], 1, 1), "1 ns")
    noted(report, "what the capture lacks", "1 ns")


@case("octets of PDUs changed at random: found or read as something else, never a crash, each packet accounted for")
def fuzzed():
    draw, rules = random.Random("fuzzed"), collections.Counter()
    for number in range(ROUNDS):
        talk = gb.good(4)
        for _ in range(draw.randint(1, 20)):
            i = draw.randrange(len(talk))
            octets = bytearray(talk[i].datagram)
            for _ in range(draw.randint(1, 4) if octets else 0):
                octets[draw.randrange(len(octets))] = draw.randrange(256)
            cut = draw.choice((len(octets), len(octets), draw.randint(0, len(octets))))
            talk[i] = talk[i]._replace(datagram=bytes(octets[:cut]))
        report = gb.audit("--tolerance", "0", gb.write(folder / "x.pcap", talk))
        check_sums(report, f"round {number}")
        rules.update(one["rule"] for one in report["findings"])
    right(len(rules) >= 8, f"rules that were met: {dict(rules)}")


@case("packets at random: lengths, headers and links that are none")
def noise():
    draw, good = random.Random("noise"), packets_of(gb.good(1))
    for number in range(ROUNDS // 4):
        made = []
        for n in range(60):
            octets = bytearray(draw.choice(good)[1]) if draw.random() < 0.7 \
                else bytearray(draw.randbytes(draw.randint(0, 200)))
            for _ in range(draw.randint(0, 6)):
                if octets:
                    octets[draw.randrange(min(60, len(octets)))] = draw.randrange(256)
            made.append((n * MS, bytes(octets)))
        link = draw.choice((gb.ETHERNET, gb.RAW, gb.NULL, gb.SLL, gb.SLL2, 147))
        report = of_octets(gb.pcap(made, link))
        same(sum(report["input"][name] for name in VERDICTS), 60, f"round {number}: verdicts")


@case("hostile: tens of thousands of ends, cells, MSs and numbers, in seconds; lists end and say so")
def hostile():
    count = often(2000, 20_000)
    made = packets_of(gb.good(1))
    null = b"\x41\xe0\0"
    for n in range(count):
        said = down(2 * S + n, codec.unitdata(n % 60000 + 2, codec.build(
            "bssgp_dl_unitdata", v_tlli=n, qos=b"\0\0\0", lifetime=1, llc=null))) if n % 2 else \
            up(2 * S + n, codec.build("ns_alive"))
        ends = (gb.SGSN, gb.BSS) if n % 2 else (gb.SGSN, ("198.51.100.2", n % 50000 + 1024))
        made.append((said.time_ns, gb.frame_of(said, *ends)))
    made += packets_of([said for n in range(count // 4) for said in (
        down(2500 * MS + n, gb.signalling("bssgp_flush_ll", tlli=n % 9, bvci=n % 60000)),
        up(2500 * MS + n, gb.signalling("bssgp_flush_ll_ack", tlli=n % 9, flush_action=0, octets=0)))])
    made += packets_of([down(3 * S + n, gb.dl(gb.llc(n * 37 % 512, 20), tlli=n % 50)) for n in range(count)])
    report = of_octets(gb.pcap(made))  # which has its time limit
    check_sums(report, "hostile")
    right(len(report["findings"]) <= 10000, "findings that are listed")
    if count >= 20_000:
        noted(report, "counted only", "findings beyond those")


@case("20 000 cells with one LLC PDU each: less than 100 MB, and figures that are left out are counted")
def many_cells():
    count = often(1000, 20_000)
    talk = []
    for n in range(count):
        ask, answer, pdu = (codec.unitdata(n + 2, said[4:]) for said in (
            gb.flow_bvc(1), gb.on_cell("bssgp_flow_control_bvc_ack", tag=1), gb.dl(gb.llc(0, 20), tlli=n)))
        talk += [up(S + 9 * n, ask), down(S + 9 * n + 1, answer), down(S + 9 * n + 2, pdu)]
    path = gb.write(folder / "x.pcap", gb.bring_up() + talk)
    with subprocess.Popen([program(), "audit", "--json", str(path)], stdout=subprocess.PIPE) as child:
        report = json.loads(child.stdout.read())
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = status
    same((status, report["findings"]), (0, []), "findings")
    same(len(report["bvcs"]), count + 1, "cells")
    shown = sum((cell[name] or {"samples": 0})["samples"] for cell in report["bvcs"] for name in ("lifetimes_ms", "ack_delays_ns"))
    same(shown + report["input"]["samples_unlisted"], 2 * count + 1, "samples")
    right(has_sanitizers() or used.ru_maxrss < 100_000, f"{used.ru_maxrss} kB")


@case("datagrams of thousands of ends to themselves: each end has a hash of its own, as ends of others have")
def to_itself():
    count, used = often(2000, 20_000), {}
    for net in (1, 2):
        made = packets_of(gb.good(1))
        for n in range(count):
            one, other = ((f"10.{part}.{n >> 8}.{n & 255}", 23000) for part in (1, net))
            made.append((2 * S + n, gb.frame_of(up(0, codec.build("ns_alive")), one, other)))
        (folder / "x.pcap").write_bytes(gb.pcap(made))
        used[net] = blocks_of("audit", folder / "x.pcap")
    right(used[1] < 1.5 * used[2], f"{used} blocks")


main()
