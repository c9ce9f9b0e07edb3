#!/usr/bin/python3
"""The blocks of the lab in `sluice check`: every default, every range, the normalised form read again,
and config/lab.lua, the example."""

import collections
import csv
import functools
import hashlib
import json
import os
import random
import re
import struct

import lab_blocks
from harness import ROOT, case, main, new_folder, right, run, same, settings, sluice, written

EXAMPLE = ROOT / "config/lab.lua"


@functools.cache
def folder():
    """A folder with all.lua, and the files beside it that its replay { } and its dialogue { } name: one raw IPv4
    packet; one connection."""
    made = new_folder()
    packet = bytes([0x45, 0, 0, 20, *range(16)])
    (made / "busy.pcap").write_bytes(
        struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)
        + struct.pack("<IIII", 1, 0, len(packet), len(packet)) + packet)
    (made / "users.csv").write_text(
        "user,connection,what,page,octets,after,received,think_us,mss,window,sack,timestamps\n"
        "1,1,ms-opens,1,0,0,0,0,1460,65535,1,1\n1,1,host-sends,1,100,1,0,0,,,,\n")
    (made / "all.lua").write_text(lab_blocks.ALL.replace("FILE", "busy.pcap").replace("USERS", "users.csv"))
    return made


def checked(path, *sets):
    done = sluice("check", path, *settings(sets))
    same((done.returncode, done.stderr), (0, ""), "exit status and stderr")
    return json.loads(done.stdout)


@case("each block comes back with every default")
def defaults():
    found = checked(folder() / "all.lua")
    wanted = json.loads(json.dumps(lab_blocks.LAB).replace("FILE", "busy.pcap").replace("USERS", "users.csv"))
    for name, part in wanted.items():
        same(found["lab"].get(name), part, name)
    same(sorted(found["lab"]), sorted(wanted), "the parts of the lab")
    nse = found["nse"][0]
    for of, parts in (nse, lab_blocks.NSE), (nse["bvc"][0], lab_blocks.BVC):
        for name, part in parts.items():
            same(of.get(name), part, name)


@case("virtual time without lab { }: refused by check and by run, for nobody else is there")
def alone():
    path = new_folder() / "x.lua"
    path.write_text("""
run { name = "x", clock = "virtual", duration = "1 s", seed = 1 }
gn { device = "net_ring", address = "192.0.2.1", mac = "02:53:4c:00:00:01" }
gb { device = "net_ring", address = "198.51.100.1", mac = "02:53:4c:00:00:02", port = 23000 }
nse { nsei = 1, ns = "manual", nsvc { nsvci = 1, peer = "198.51.100.2", peer_port = 23000, peer_mac = "02:53:4c:00:01:01" },
    bvc { bvci = 2, rate = "10 kbit/s", bucket = "10 kB" } }
""")
    for command in "check", "run":
        done = sluice(command, path)
        same((done.returncode, done.stderr), (2, f'{path}: found no lab {{ }}, which run.clock = "virtual" needs\n'), command)


@case("a bucket that a BSS sends is used for 0.6 s as in a real network, one of the file to its end")
def delays():
    sent = checked(folder() / "all.lua")["gb"]
    given = checked(ROOT / "tests/config/mistakes/right.lua")["gb"]
    for key in "cell_delay_ns", "ms_delay_ns", "pfc_delay_ns":
        same((sent[key], given[key]), (600000000, 0), key)


# --- Ranges -------------------------------------------------------------------------------------------

# A key's lines in --keys: its name, then the range with its unit.
RANGED = re.compile(r"a (whole number|time|size|rate|probability) from (\d+) ?(\S*) to (\d+) ?([^ ,;]*)")
FACTOR = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "octets": 1, "kB": 1000,
          "bit/s": 1, "kbit/s": 1000, "Mbit/s": 10**6, "ppm": 1, "%": 10**4, "": 1}
UNIT = {"whole number": "", "time": "ns", "size": "octets", "rate": "bit/s", "probability": "ppm"}


@functools.cache
def ranged():
    """(path, kind, least, most) of each key of the lab's blocks with a range; a phone's radio is as an MS's."""
    found, block = [], []
    lines = sluice("check", "--keys").stdout.splitlines()
    for line, below in zip(lines, [*lines[1:], ""]):
        head = re.match(r"( *)(\w+) \{ \}", line)
        if head:
            block[len(head[1]) // 4:] = [head[2]]
            continue
        key, limits = re.match(r" +(\w+) +\S", line), RANGED.match(below.strip())
        ours = len(block) > 1 and block[0] != "phone" and (block[0] == "lab" or block[-1] in lab_blocks.NSE
                                   or block[-1] in {*lab_blocks.BVC, "endpoint", "plan"})
        if ours and key and limits:
            kind, least, unit, most, last = limits.groups()
            found.append((".".join([*block, key[1]]), kind, int(least) * FACTOR[unit],
                          int(most) * FACTOR[last]))
    return found


def quantity(kind, value):
    return f"{value} {UNIT[kind]}".strip()


@case("just outside of each range a value is refused with the range; each end is in the range")
def ranges():
    right(len(ranged()) > 120, f"only {len(ranged())} keys have a range")
    path = folder() / "all.lua"
    outside, least, most = [], [], []
    for key, kind, low, high in ranged():
        least.append(f"{key}={quantity(kind, low)}")
        most.append(f"{key}={quantity(kind, high)}")
        outside.append((key, quantity(kind, high + 1)))
        if low > 0:
            outside.append((key, quantity(kind, low - 1)))
    for at in range(0, len(outside), 20):  # as many mistakes as are printed
        some = outside[at:at + 20]
        done = sluice("check", path, *settings(f"{key}={value}" for key, value in some))
        same(done.returncode, 2, "exit status")
        for key, value in some:
            right(re.search(rf"^--set {re.escape(key)}: found (the number )?\"?{re.escape(value)}\"?"
                            r"[ ,].*allowed a .* from .* to ", done.stderr, re.MULTILINE),
                  f"{key}={value}: {done.stderr}")
    for at in range(0, len(least), 10):
        for some in least[at:at + 10], most[at:at + 10]:
            said = sluice("check", path, *settings(some)).stderr
            right(not re.search(r"^and \d+ more", said, re.MULTILINE), f"more than is shown: {said}")
            for key in some:  # an end may disagree with another key, which is another message
                right(not re.search(rf"^--set {re.escape(key.partition('=')[0])}: found .*allowed a ", said,
                                    re.MULTILINE), f"{key}: {said}")


# --- The normalised form, read again ---------------------------------------------------------------------


def words():
    """{(block, key): the word that stands for 0} of --keys."""
    found, block = {}, ""
    lines = sluice("check", "--keys").stdout.splitlines()
    for line, below in zip(lines, [*lines[1:], ""]):
        head = re.match(r" *(\w+) \{ \}", line)
        block = head[1] if head else block
        word = re.search(r', or "([^"]+)"; ', below)
        if word:
            found[block, line.split()[0]] = word[1]
    return found


SUFFIXES = {"_ns": "ns", "_octets": "octets", "_bit_per_s": "bit/s", "_ppm": "ppm"}
PLAIN = {("gi", "queue_octets"), ("line", "queue_octets"), ("buffer", "ms_octets"),
         ("buffer", "cell_octets"), ("queue", "octets")}


def value_of(block, name, value, zero):
    """The key of a normalised name, and its value as the file has it."""
    suffix = next((end for end in SUFFIXES if name.endswith(end)), "")
    key = name if (block, name) in PLAIN or not suffix else name.removesuffix(suffix)
    if value == 0 and value is not False and (block, key) in zero:
        return key, json.dumps(zero[block, key])
    if isinstance(value, list):
        return key, "{ " + ", ".join(value_of(block, name, item, zero)[1] for item in value) + " }"
    return key, json.dumps(f"{value} {SUFFIXES[suffix]}" if suffix else value)


def block_text(block, record, zero):
    """A normalised record as Lua."""
    parts = []
    for name, value in record.items():
        if isinstance(value, dict):
            parts.append(block_text(name, value, zero))
        elif isinstance(value, list) and (not value or isinstance(value[0], dict)):
            parts += [block_text(name, item, zero) for item in value]
        else:
            parts.append(" = ".join(value_of(block, name, value, zero)))
    return f"{block} {{ {', '.join(parts)} }}"


def again(found, zero):
    skip = {"timers", "room", "log", "class", "queue", "memory_octets"}  # all at their defaults
    lines = []
    for name, value in found.items():
        for item in [] if name in skip else value if isinstance(value, list) else [value]:
            lines.append(block_text(name, item, zero))
    return "\n".join(lines) + "\n"


@case("the normalised form of every block, written as a file, is itself")
def round_trip():
    zero = words()
    for text, sets in ((folder() / "all.lua", ()), (EXAMPLE, ()), (folder() / "all.lua", (
            "radio.down_coding=MCS-9", "radio.hold_taken=3 s", "flow.ms=measured", "buffer.ms_pdus=3",
            "gi.lost_run=3", "gi.good_run=9", "gi.loss=7 ppm", "lab.http.think_law=exponential",
            "lab.http.objects=12 kB",
            "tcp.congestion=newreno", "tcp.sack=false", "tcp.dsack=false", "tcp.recovery=newreno",
            "bss.preemption=flow-ms", "line.latency=5 ms"))):
        found = checked(text, *sets)
        path = folder() / "again.lua"
        path.write_text(again(found, zero))
        other = checked(path)
        right({**found, "class": other["class"]} == other,  # config/lab.lua has classes of its own
              f"{path.read_text()}\ngives {other}\nand not {found}")


# --- What the lab makes of it --------------------------------------------------------------------------


def summary(config, *sets):
    found = run(config, *settings(sets)).summary
    same((found["complete"], found["sound"]), (True, True), "complete and sound")
    return found


@case("config/lab.lua runs, complete and sound, and each of its classes gets something")
def example():
    classes = summary(EXAMPLE)["classes"]
    for name in "conversational", "streaming", "interactive-1", "background":
        right(classes[name]["packets"] > 10, f"{name}: {classes[name]['packets']} packets")


@case("all blocks at once run with ns = \"sns\"; with dynamic = true; the replay's file is beside the file")
def ways_up():
    text = (folder() / "all.lua").read_text()
    summary(folder() / "all.lua")
    dynamic = folder() / "dynamic.lua"
    dynamic.write_text(text.replace('ns = "sns"', "dynamic = true").replace(
        "endpoint {", "endpoint { nsvci = 77,"))
    summary(dynamic)
    plain = folder() / "plain.lua"
    for ns in "reset", "alive", "manual":
        plain.write_text(re.sub("bss {.*", 'nsvc { nsvci = 1, peer = "198.51.100.2",'
                                ' peer_mac = "02:00:00:00:00:03" },', text).replace("sns", ns))
        summary(plain)


@case("the files of a replay and of a dialogue are among the files of the summary, once, with their digests")
def provenance():
    text = (folder() / "all.lua").read_text()
    path = folder() / "twice.lua"
    path.write_text(text.replace("replay {", 'replay { class = "background", file = "busy.pcap" },\n    replay {'))
    pcap = folder() / "busy.pcap"
    octets = pcap.read_bytes()
    same(summary(path)["files"], [{"path": name, "sha256": hashlib.sha256((folder() / name).read_bytes()).hexdigest()}
                                  for name in ("busy.pcap", "users.csv")], "files")
    for records in 10921, 10922:  # of which the second makes 6 times 64 KiB, which is read at once
        pcap.write_bytes(octets[:24] + b"".join(
            struct.pack("<IIII", second, 0, 20, 20) + octets[-20:] for second in range(records)))
        same(summary(path)["files"][0]["sha256"], hashlib.sha256(pcap.read_bytes()).hexdigest(), "another file's")
    pcap.write_bytes(octets)


DOWNLOAD = """
run { name = "download", duration = "30 s" }
gn { address = "192.0.2.1", mac = "02:00:00:00:00:01" }
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02" }
nse {
    nsei = 1,
    nsvc { nsvci = 2, peer = "198.51.100.2", peer_mac = "02:00:00:00:00:03" },
    bvc {
        bvci = 3, radio { }, flow { rate = "200 kbit/s" },
        ms {
            imsi = "001010000000007",
            pdp { nsapi = 5, class = "background", address = "10.0.0.1" },
        },
    },
}
lab {
    ggsn = "192.0.2.2", ggsn_mac = "02:00:00:00:00:04",
    tcp { name = "own" }, ftp { class = "background", host_tcp = "own" },
}
"""


def received(*sets):
    return summary(written(DOWNLOAD), *sets)["classes"]["background"]["octets"]


@case("a choice is what its word says: coding schemes in their order, and the radio of a rate")
def words_reach():
    got = [received(f"radio.down_coding={coding}") for coding in ("CS-1", "CS-2", "CS-4", "MCS-9")]
    right(all(2 * a < 3 * b and a < b for a, b in zip(got, got[1:])), f"octets received: {got}")
    slow = received("radio.down_coding=rate", "radio.down_rate=4 kbit/s", "radio.down_pdu=20 octets")
    right(slow < got[0] / 2, f"at 4 kbit/s {slow}, with CS-1 {got[0]}")


def by_ms(text):
    """Octets that each MS got in a run, by IMSI."""
    with (run(written(text)).out / "mss.csv").open() as lines:
        return {row["ms"]: int(row["delivered_octets"]) for row in csv.DictReader(lines)
                if row["direction"] == "down"}


@case("what a plan takes from the cell is missing in what arrives; of one MS, in that MS's alone")
def plans_reach():
    two = DOWNLOAD.replace("imsi = ", "count = 2, imsi = ")
    whole = by_ms(two)
    first, second = whole
    for kind, least, most in ("", 0.3, 0.8), (f', kind = "ms-call", imsi = "{second}"', 0.9, 3):
        plan = f'radio {{ plan {{ at = "10 s", count = 4, lasts = "15 s"{kind} }}'
        part = by_ms(two.replace("radio {", plan, 1))
        right(least < part[first] / whole[first] < most, f"{first}: {part} of {whole} with {plan}")
        right(0.3 < part[second] / whole[second] < 0.8, f"{second}: {part} of {whole} with {plan}")


@case("a TCP profile of the file is its base with the keys that are given")
def profile_reaches():
    whole = received("radio.down_coding=MCS-9")
    small = received("radio.down_coding=MCS-9", "tcp.cwnd_most=1 kB")
    right(small < whole / 2, f"{small} with a window of 1 kB, {whole} without")


@case("a page of a list has its octets, each object asked for as often as round_trips says")
def objects_reach():
    text = DOWNLOAD.replace('ftp { class = "background", host_tcp = "own" }', """http {
        class = "background", objects = { "70000 octets", "300 octets" }, main = "1 kB", pages = 1,
        request = "100 octets", header = "10 octets", round_trips = 2 }""")
    with (run(written(text)).out / "applications.csv").open() as lines:
        row, = csv.DictReader(lines)
    keys = "pages", "page_octets", "objects", "host_arrived_octets", "ms_arrived_octets"
    same([row[key] for key in keys],
         ["1", "71300", "3", "600", "71360"], "pages, their octets and objects, octets up and down")


# --- Values at random ------------------------------------------------------------------------------------

RAN, RUNS_MOST, KEYS_A_RUN = 16, 120, 12
SEED = int(os.environ.get("TEST_SEED", "1"))
# Of a block that the run does not need as it is; or, as gaps of 1 ns, more than a run can take; or mostly
# beyond the run's end.
KEPT = re.compile(r"endpoint|\.(spread|interval|pause|think|silence|on|off|talk|timeout|step|rate|period)$")


def some_value(rng, kind, low, high):
    """An end often, else every order of magnitude alike."""
    value = rng.choice((low, high, int((low + 1) * ((high + 1) / (low + 1)) ** rng.random())))
    return quantity(kind, max(low, min(high, value)))


@case(f"values at random, until {RAN} have run: refused at a key, or run without a fault")
def at_random():
    rng, ends = random.Random(SEED), collections.Counter()
    keys = [row for row in ranged() if not KEPT.search(row[0])]
    while ends["ran"] < RAN and ends.total() < RUNS_MOST:
        sets = [f"{key}={some_value(rng, *row)}" for key, *row in rng.sample(keys, KEYS_A_RUN)]
        done = sluice("run", folder() / "all.lua", "--out", new_folder() / "out", *settings(sets))
        late = "did not come up before the end" in done.stderr
        ends["refused" if done.returncode == 2 else "late" if late else "ran"] += 1
        said = " ".join(settings(f"'{one}'" for one in sets)) + "\n" + done.stderr + done.stdout
        right(done.returncode in ((1,) if late else (0, 2)), f"exit {done.returncode}: {said}")
        right("FAULTS" not in done.stdout and ("balanced:" in done.stdout or done.returncode == 2), said)
    same(ends["ran"], RAN, ends)


main()
