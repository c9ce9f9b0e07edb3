#!/usr/bin/python3
"""`ms { radio { } }`: phones of several coding schemes in one cell. What each gets is worked out from the blocks of 20 ms
that it has and the octets of each (43.064, 44.060): with one queue and a BSS that holds what is offered, slots go block by
block in turns, and so does airtime; with `recommended` the phones share octets, and a slow one takes the time of all."""

import csv
import hashlib

from harness import CAPTURES, ROOT, case, check_sound, main, new_folder, right, run, same, settings, sluice

OCTETS = {"CS-1": 20, "CS-2": 30, "CS-3": 36, "CS-4": 50, "MCS-1": 22, "MCS-2": 28, "MCS-3": 37, "MCS-4": 44, "MCS-5": 56,
          "MCS-6": 74, "MCS-7": 112, "MCS-8": 136, "MCS-9": 148}  # of LLC in a slot of 20 ms
PERIODS_A_SECOND = 50
# A full segment is 1460 octets of TCP in an N-PDU of 1500, an LLC PDU of 10 more, and a length indicator.
SEGMENT, ON_AIR = 1460, 1511
SECONDS = 300

CONFIG = """
run {{ name = "own", clock = "virtual", duration = "{seconds} s", seed = 1 }}
log {{ level = "error" }}
variants {{ default = "plain",
    variant {{ name = "recommended", file = "{recommended}" }},
    variant {{ name = "plain", set = {{ "class[*].flows=false", "class[*].scope=cell", "class[*].aqm.name=tail-drop",
        "queue.overflow=tail", "gb.cell_delay=as offered", "gb.ms_delay=as offered", "gb.pfc_delay=as offered",
        "class[*].lifetime=23 s" }} }},
    {variants}
}}
gn {{ device = "net_ring", address = "192.0.2.1", mac = "02:53:4c:00:00:01", mtu = "1536 octets" }}
gb {{ device = "net_ring", address = "198.51.100.1", mac = "02:53:4c:00:00:02", port = 23000 }}
nse {{ nsei = 101,
    nsvc {{ nsvci = 101, peer = "198.51.100.2", peer_port = 23000, peer_mac = "02:53:4c:00:01:01" }},
    bvc {{ bvci = 2,
        radio {{ carriers = 2, slots = {slots}, down_coding = "{cell}", up_coding = "CS-4" }},
        flow {{ rate = "236800 bit/s", bmax_time = "10 s", ms_rate = "236800 bit/s", {flow} }},
        {mss}
    }},
}}
lab {{ ggsn = "192.0.2.2", ggsn_mac = "02:53:4c:00:02:01", gi {{ latency = "20 ms" }},
    tcp {{ name = "short", base = "linux", receive_window = "16 kB" }},
    ftp {{ class = "background", ms_tcp = "short" }},
}}
"""
MS = """ms {{ imsi = "00101{imsi:010d}", count = {count}, n201_u = "1520 octets", radio {{ {radio} }},
            pdp {{ nsapi = 5, sapi = 11, class = "background", address = "10.0.1.{imsi}" }} }},"""
# R as a BSS tells it: measured of the cell alone as osmo-pcu does, of each MS as well, and a constant.
BSSS = {"cell": "measured = true", "each": 'measured = true, ms = "measured"', "constant": "measured = false"}


def phones(*radios):
    """The ms { } of each, with so many members."""
    first, blocks = 1, []
    for count, radio in radios:
        blocks.append(MS.format(imsi=first, count=count, radio=radio))
        first += count
    return "\n        ".join(blocks)


def written(mss, slots=4, flow="measured = true", cell="MCS-9", seconds=SECONDS, variants="", files=()):
    folder = new_folder()
    path = folder / "own.lua"
    path.write_text(CONFIG.format(mss=mss, slots=slots, flow=flow, cell=cell, seconds=seconds, variants=variants,
                                  recommended=ROOT / "config/recommended.lua"))
    for name, text in files:
        (folder / name).write_text(text)
    return path


def each_kbit_per_s(path, *arguments, seconds=SECONDS):
    """What each phone got, in the order of their numbers; the books balance at every step."""
    done = run(path, *arguments)
    check_sound(done.summary)
    with (done.out / "applications.csv").open(newline="") as table:
        return [int(row["ms_arrived_octets"]) * 8 / 1000 / seconds for row in csv.DictReader(table)]


def goodput_kbit_per_s(coding, slots):
    return slots * OCTETS[coding] * 8 * PERIODS_A_SECOND / 1000 * SEGMENT / ON_AIR


def near(found, wanted, part, what):
    right(abs(found - wanted) <= part * wanted, f"{what}: {found:.1f} instead of {wanted:.1f} kbit/s")


MIXED = phones((1, 'down_coding = "MCS-1"'), (3, 'down_coding = "MCS-9"'))


@case("one on MCS-1 and three on MCS-9, one queue: a slot each, whatever the BSS tells; all members have their block's radio")
def in_turns():
    for name, flow in BSSS.items():
        slow, *fast = each_kbit_per_s(written(MIXED, flow=flow))
        near(slow, goodput_kbit_per_s("MCS-1", 1), 0.02, f"{name}: the slow one")
        for one in fast:
            near(one, goodput_kbit_per_s("MCS-9", 1), 0.02, f"{name}: a fast one")


@case("the same with recommended: equal octets, so each has what all slots carry while the slow one takes its time")
def equal_octets():
    each = 4 / (1 / goodput_kbit_per_s("MCS-1", 1) + 3 / goodput_kbit_per_s("MCS-9", 1))
    got = each_kbit_per_s(written(MIXED), "--variant", "recommended")
    for one in got:
        near(one, each, 0.08, f"one of {got}")
    # Of a BSS that measures each MS, the SGSN knows that the slow one has less.
    slow, *fast = each_kbit_per_s(written(MIXED, flow=BSSS["each"]), "--variant", "recommended")
    right(1.02 * goodput_kbit_per_s("MCS-1", 1) < slow < 0.8 * each and min(fast) > 1.3 * each, f"{slow}, {fast}")


@case("CS-1 to CS-4 and MCS-1 to MCS-9 in one cell, a slot for each: what its blocks carry")
def all_codings():
    got = each_kbit_per_s(written(phones(*((1, f'down_coding = "{coding}"') for coding in OCTETS)), slots=13, cell="CS-2"))
    for coding, one in zip(OCTETS, got):
        near(one, goodput_kbit_per_s(coding, 1), 0.03, coding)


@case("errors and slots of a phone's own: its part of the time, and no other's")
def errors_and_slots():
    mss = phones((1, 'down_bler = "20 %"'), (1, "down_slots = 1"), (1, ""))
    bad, narrow, other = each_kbit_per_s(written(mss, slots=6))
    near(narrow, goodput_kbit_per_s("MCS-9", 1), 0.04, "one slot")
    near(bad, 0.8 * goodput_kbit_per_s("MCS-9", 2.5), 0.05, "20 % of its blocks again")
    near(other, goodput_kbit_per_s("MCS-9", 2.5), 0.05, "the other one")


WALK = "time,down_coding,down_bler\n0,MCS-9,0 %\n100,MCS-2,0 %\n200,MCS-6,0 %\n"


@case("a phone that walks: each part of the file by its blocks; the file is beside the configuration, with its digest")
def walks():
    path = written(phones((1, 'trace = "walk.csv"'), (1, "")), slots=2, files=[("walk.csv", WALK)])
    done = run(path)
    check_sound(done.summary)
    found = [one for one in done.summary["files"] if one["path"] == "walk.csv"]
    same(found, [{"path": "walk.csv", "sha256": hashlib.sha256(WALK.encode()).hexdigest()}], "the file")
    with (done.out / "series_flows.csv").open(newline="") as table:
        rows = [row for row in csv.DictReader(table) if row["direction"] == "down"]

    def kbit_per_s(flow, begin, end):
        return sum(int(row["delivered_octets"]) for row in rows
                   if row["flow"] == flow and begin < float(row["time_s"]) <= end) * 8 / 1000 / (end - begin)

    for begin, end, coding in (20, 100, "MCS-9"), (110, 200, "MCS-2"), (220, 300, "MCS-6"):
        for flow, own in (("0", coding), ("1", "MCS-9")):  # whole IP packets
            near(kbit_per_s(flow, begin, end), goodput_kbit_per_s(own, 1) * 1500 / SEGMENT, 0.02, f"{flow} from {begin} s")


@case("a file of one row is a run with those keys, byte for byte")
def one_row():
    def packets(radio, *files):
        done = run(written(phones((2, radio), (1, "")), seconds=20, files=files), "--pcap")
        check_sound(done.summary)
        return {name: (done.out / name).read_bytes() for name in (*CAPTURES, "series_flows.csv") if (done.out / name).exists()}

    keys = packets('down_coding = "CS-3", down_bler = "5 %"')
    right(len(keys) > 1, "no captures")
    trace = "w.csv", "time,down_coding,down_bler\n3,CS-3,5 %\n"
    right(packets('trace = "w.csv"', trace) == keys, "the file makes another run")
    right(packets('down_coding = "CS-3", down_bler = "6 %"') != keys, "keys make no difference")


@case("variants, sweeps and --set change a phone's radio; a wrong file is said with its line")
def changes():
    variants = """variant { name = "bad", set = { "ms[1].radio.down_coding=MCS-1", "ms[2].radio.trace=walk.csv" } },
        variant { name = "swept", axis { key = "ms[1].radio.down_coding", values = { "CS-1", "MCS-9" } } },"""
    mss = phones((1, 'down_coding = "CS-2"'), (3, ""))
    path = written(mss, variants=variants, seconds=60, files=[("walk.csv", "time,down_coding,down_bler\n0,MCS-1,0 %\n")])
    got = each_kbit_per_s(path, "--variant", "bad", seconds=60)
    right(all(one < 9 for one in got), f"all on MCS-1: {got}")
    got = each_kbit_per_s(path, "--variant", "swept", "--point", "down_coding=MCS-9", seconds=60)
    right(all(one > 45 for one in got), f"all on MCS-9 by the sweep: {got}")
    got = each_kbit_per_s(path, *settings(["ms.radio.down_coding=MCS-9"]), seconds=60)
    right(all(one > 45 for one in got), f"all on MCS-9: {got}")
    (path.parent / "walk.csv").write_text("time,down_coding,down_bler\n0,MCS-9,0 %\n5,MCS-10,0 %\n")
    done = sluice("check", path, "--variant", "bad")
    same(done.returncode, 2, done.stderr)
    right("nse[1].bvc[1].ms[2].radio.trace" in done.stderr and "walk.csv, line 3: down_coding: allowed" in done.stderr,
          done.stderr)


main()
