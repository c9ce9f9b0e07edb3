#!/usr/bin/python3
"""`sluice audit` on captures of Sluice itself in random worlds (worlds.py): nothing to report, to the ns
where Gb takes no time. Then a fault is put into such a capture, by the tests' own codec, and it is found, by
its frame, and nothing else; what a bucket refuses the oracle of flow control (gb/replay.py) refuses as well.
`./run soak audit` has hundreds more; gb/audit.py has worlds with BSSs that do more than the lab's."""

import collections
import random
import re

import audit_capture as gb  # tests/gb is on the path from here on
import codec
import frames
import gb_judge
import lossy_captures
import pcap
import replay
from harness import case, main, new_folder, often, right, run, same
from worlds import World, moving

PLAIN, OTHERS, FAULTY, SNS, AT_ONCE = often((10, 3, 3, 2, 10), (40, 15, 12, 6, 20))
AT_AN_INSTANT = 200  # frames, at most
LINE_S = "0.1"  # frames are stamped behind a Gb of 512 kbit/s, where those of a burst wait for each other
folder = new_folder()
seen = collections.Counter()
captures = {}  # of the worlds whose MSs move, by seed

Frame = collections.namedtuple("Frame", "time_ns octets peer up bvci sdu")


def capture_of(world):
    return run(world.config(), "--pcap", "--no-page").out / "gb.pcap"


def nothing(path, tolerance, what):
    report = gb.audit("--tolerance", tolerance, path)
    # what a line loses looks like an end that is silent
    same([one for one in report["findings"] if tolerance == "0" or one["weight"] == "breach"], [], what)
    same(report["input"]["frames"], report["input"]["datagrams"] + report["input"]["later_fragment"]
         + report["input"]["not_ip"], f"{what}: frames that were read")
    for name in "cut_pdu", "unknown_pdu", "no_direction", "too_many":
        same(report["input"][name], 0, f"{what}: {name}")
    seen["LLC PDUs"] += sum(cell["pdus_down"] for cell in report["bvcs"])
    seen["judged"] += sum(cell["bucket"]["pdus"] for cell in report["bvcs"] if cell["bucket"])
    seen["moves"] += sum(ms["cell_changes"] for ms in report["mss"])
    seen["discarded"] += sum(cell["discarded_frames"] for cell in report["bvcs"])
    seen["own values"] += sum(row["of"] == "ms" for row in report["flow_control"])
    return report


for first_ in range(0, PLAIN, AT_ONCE):
    @case(f"worlds {first_} to {first_ + AT_ONCE - 1}, MSs move and have calls, Gb takes no time: nothing to"
          " report, no ns too early", first_)
    def exact(first):
        for seed in range(first, first + AT_ONCE):
            captures[seed] = capture_of(moving(seed))
            nothing(captures[seed], "0", f"world {seed}")


@case(f"{SNS} worlds with the IP sub-network service: nothing to report, and each NSE has its NSEI")
def sub_network():
    for seed in range(SNS):
        report = nothing(capture_of(moving(seed, "sns")), "0", f"SNS world {seed}")
        right(all(nse["nse"].startswith("NSEI ") for nse in report["nses"]), report["nses"])
        right(any(event["what"] == "sns" and event["text"] == "config-ack" for event in report["events"]), "no SNS")


@case("worlds' captures without some of their frames, some of which at once or one way: no clause is broken")
def lossy():
    for seed, path in captures.items():
        for loss in lossy_captures.KINDS:
            lossy_captures.write(path, folder / "lossy.pcap", loss, seed)
            report = gb.audit("--tolerance", "0", folder / "lossy.pcap")
            same([one for one in report["findings"] if one["weight"] == "breach"], [], f"world {seed}, {loss}")
            seen["unsure"] += report["input"]["findings_unsure"]
    right(seen["unsure"] >= len(captures) // 4, f"{seen['unsure']} findings that were taken back")


@case(f"{OTHERS} worlds with slow lines that lose and fragment: no clause is broken, within a burst's time on the line")
def lines():
    for seed in range(OTHERS):
        nothing(capture_of(World(seed, moving=seed % 2 == 1, duration_s=15)), LINE_S, f"world {seed}")


@case("in these worlds there was something to judge")
def not_empty():
    worlds = PLAIN + OTHERS
    for name, least in ("LLC PDUs", 200), ("judged", 200), ("moves", 0.1), ("discarded", 1), ("own values", 1):
        right(seen[name] >= least * worlds, f"{name}: {seen[name]} in {worlds} worlds")


# ---- Faults ----


def read(path):
    found = []
    for frame in pcap.frames_of(path):
        datagram = frames.read_udp(frame.octets)
        is_up = datagram.destination == gb_judge.SGSN
        pdu = codec.parse(datagram.payload)
        found.append(Frame(frame.time_ns, frame.octets, datagram.source if is_up else datagram.destination,
                           is_up, pdu.bvci, pdu.sdu))
    return found


def written(all_frames):
    path = folder / "x.pcap"
    path.write_bytes(gb.pcap([(frame.time_ns, frame.octets) for frame in all_frames]))
    return path


def reframed(frame, sdu):
    """The frame with another BSSGP PDU in it."""
    datagram = frames.read_udp(frame.octets)
    new = datagram._replace(payload=codec.unitdata(frame.bvci, sdu))
    octets = frames.frame_of(new, frame.octets[6:12], frame.octets[:6])
    return frame._replace(octets=octets, sdu=codec.parse_bssgp(sdu))


def named(all_frames, name):
    return [i for i, frame in enumerate(all_frames) if frame.sdu is not None and frame.sdu.name == name]


def lle_of(frame):
    return frame.sdu["v_tlli"], frame.sdu["llc"][0] & 15


def is_ui(frame):
    return len(frame.sdu["llc"]) > 6 and frame.sdu["llc"][1] & 0xE0 == 0xC0


def following(all_frames, downs, i):
    """The LLE's next UI frame, if that is in the same cell; else None."""
    for j in downs[downs.index(i) + 1:]:
        if is_ui(all_frames[j]) and lle_of(all_frames[j]) == lle_of(all_frames[i]):
            here, there = all_frames[i], all_frames[j]
            return j if (here.peer, here.bvci) == (there.peer, there.bvci) else None
    return None


def no_ack(draw, all_frames):
    """An acknowledgement of FLOW-CONTROL-BVC is lost; two of that cell follow and no reset."""
    for i in draw.sample(named(all_frames, "bssgp_flow_control_bvc_ack"), 10):
        one = all_frames[i]
        asked = [j for j in named(all_frames, "bssgp_flow_control_bvc")
                 if (all_frames[j].peer, all_frames[j].bvci) == (one.peer, one.bvci)]
        before = [j for j in asked if j < i and all_frames[j].sdu["tag"] == one.sdu["tag"]]
        resets = [j for j in named(all_frames, "bssgp_bvc_reset") if j > i]
        if before and len([j for j in asked if j > i]) >= 2 and not resets:
            return all_frames[:i] + all_frames[i + 1:], {("flow_not_acknowledged", "SGSN", before[-1] + 1)}
    return None


def gap(draw, all_frames):
    """An LLC PDU is missing."""
    downs = named(all_frames, "bssgp_dl_unitdata")
    for i in draw.sample(downs, min(10, len(downs))):
        after = is_ui(all_frames[i]) and following(all_frames, downs, i)
        first = not any(is_ui(all_frames[j]) and lle_of(all_frames[j]) == lle_of(all_frames[i])
                        for j in downs[:downs.index(i)])
        if after and not first:
            return all_frames[:i] + all_frames[i + 1:], {("nu_gap", "SGSN", after)}
    return None


def overtaken(draw, all_frames):
    """Two LLC PDUs of one LLE and one size change places."""
    downs = named(all_frames, "bssgp_dl_unitdata")
    for i in draw.sample(downs, len(downs)):
        j = is_ui(all_frames[i]) and following(all_frames, downs, i)
        if not j or len(all_frames[i].sdu["llc"]) != len(all_frames[j].sdu["llc"]):
            continue
        first = not any(is_ui(all_frames[k]) and lle_of(all_frames[k]) == lle_of(all_frames[i])
                        for k in downs[:downs.index(i)])
        if first or all_frames[i].sdu["pfi"] != all_frames[j].sdu["pfi"]:
            continue
        changed = list(all_frames)
        changed[i] = all_frames[j]._replace(time_ns=all_frames[i].time_ns)
        changed[j] = all_frames[i]._replace(time_ns=all_frames[j].time_ns)
        return changed, {("llc_out_of_order", "SGSN", j + 1)}
    return None


def wrong_fcs(draw, all_frames):
    """One octet of an LLC frame that is not enciphered is another one, either way."""
    candidates = [i for name in ("bssgp_dl_unitdata", "bssgp_ul_unitdata") for i in named(all_frames, name)
                  if is_ui(all_frames[i]) and not all_frames[i].sdu["llc"][2] & 2]
    if not candidates:
        return None
    i = draw.choice(candidates)
    octets = bytearray(all_frames[i].octets)
    octets[-1] ^= 1 << draw.randrange(8)
    octets[40:42] = b"\0\0"  # no UDP checksum
    changed = list(all_frames)
    changed[i] = all_frames[i]._replace(octets=bytes(octets))
    up = all_frames[i].up
    return changed, {("fcs_up" if up else "fcs_down", "BSS" if up else "SGSN", i + 1)}


class Sharp(replay.Replay):
    """An LLC-DISCARDED of the same instant is in a bucket-full ratio already; the oracle gives it back behind it."""

    def full(self, now_ns, key, percent):
        while self.given_back:
            self.give_back()
        super().full(now_ns, key, percent)


def refused_by(all_frames, at):
    """The kinds of buckets by which the oracle refuses that PDU. None: it refuses another one first, for one
    that finds room takes it from a later one; or it depends on what counts behind a ratio."""
    one = all_frames[at]
    of_peer = [("up" if frame.up else "down", gb_judge.Record(frame.time_ns, 0, codec.Pdu(
        "ns_unitdata", b"", {}, frame.bvci, frame.sdu))) for frame in all_frames if frame.peer == one.peer]
    sentences = gb_judge.judge(of_peer, Sharp).violations
    if sentences != gb_judge.judge(of_peer).violations:
        return None
    times = [int(text.split(" ")[0]) for text in sentences]
    if times and times[0] != one.time_ns:
        return None
    here = [text for text, at_ns in zip(sentences, times) if at_ns == one.time_ns]
    return {kind for text in here for kind in re.findall(r"of \('(\w+)'", text)}


def too_much(draw, all_frames, tllis=None):
    """An LLC PDU more, of any size, right behind another one of that MS: an LLC NULL frame has no N(U)."""
    downs = [i for i in named(all_frames, "bssgp_dl_unitdata") if all_frames[i].sdu["llc"]
             and (tllis is None or all_frames[i].sdu["v_tlli"] in tllis)]
    if not downs:
        return None
    i = draw.choice(downs)
    one = all_frames[i]
    octets = draw.choice((1, 10, 100, 500, 1500, 3000))
    null = b"\x41\xe0" + bytes(octets)
    sdu = codec.build("bssgp_dl_unitdata", v_tlli=one.sdu["v_tlli"], qos=one.sdu["qos"], lifetime=100,
                      imsi=one.sdu["imsi"], pfi=one.sdu["pfi"], llc=null)
    extra = reframed(one, sdu)
    changed = all_frames[:i + 1] + [extra] + all_frames[i + 1:]
    if extra.time_ns == all_frames[min(i + 1, len(all_frames) - 1)].time_ns:
        return None  # the oracle's sentence has no frame: it would be of several at once
    if any(near.time_ns == one.time_ns and near.sdu and near.sdu.name == "bssgp_llc_discarded"
           for near in all_frames[max(i - AT_AN_INSTANT, 0):i + AT_AN_INSTANT]):
        return None  # of stamps that are alike nobody knows which came first: the auditor lets it pass
    kinds = refused_by(changed, i + 1)
    if kinds is None:
        return None
    seen["refused" if kinds else "passed"] += 1
    return changed, {(f"{kind}_bucket", "SGSN", i + 2) for kind in kinds}


def too_much_for_ms(draw, all_frames):
    """The same, where the MS's bucket refuses it: one with values of its own."""
    own = {all_frames[i].sdu["tlli"] for i in named(all_frames, "bssgp_flow_control_ms")}
    return refused_as("ms_bucket", draw, all_frames, own) if own else None


def too_much_for_cell(draw, all_frames):
    return refused_as("bvc_bucket", draw, all_frames)


def refused_as(rule, draw, all_frames, tllis=None):
    for _ in range(100):
        made = too_much(draw, all_frames, tllis)
        if made and any(found == rule for found, _, _ in made[1]):
            return made
    return None


FAULTS = no_ack, gap, overtaken, wrong_fcs, too_much


def try_fault(fault, draw, all_frames, what):
    made = fault(draw, all_frames)
    if made is None:
        return
    changed, wanted = made
    same(gb.found(gb.audit("--tolerance", "0", written(changed))), wanted, f"{what}, {fault.__name__}")
    seen[fault.__name__] += 1
    seen.update(rule for rule, _, _ in wanted)


@case("a fault put into a world's capture is found, and nothing else is reported")
def faults():
    for seed in range(FAULTY):
        draw = random.Random(f"fault {seed}")
        all_frames = read(captures[seed])
        for fault in FAULTS + (too_much,) * 4:
            try_fault(fault, draw, all_frames, f"world {seed}")
    for seed, path in captures.items():  # few MSs and cells have values that they nearly use up
        for fault, rule in (too_much_for_ms, "ms_bucket"), (too_much_for_cell, "bvc_bucket"):
            if not seen[rule]:
                try_fault(fault, random.Random(f"{'MS' if rule == 'ms_bucket' else rule} {seed}"), read(path), f"world {seed}")


@case("each kind of fault was there, and the extra LLC PDUs were refused and not refused")
def all_faults():
    for fault in FAULTS:
        right(seen[fault.__name__] >= FAULTY // 4, f"{fault.__name__}: {seen[fault.__name__]}")
    right(seen["bvc_bucket"] > 0, "bvc_bucket: none")
    right(seen["ms_bucket"] > 0, "ms_bucket: none")
    right(seen["passed"] > 0 and seen["refused"] > 0, f"{seen['passed']} passed, {seen['refused']} refused")


main()
