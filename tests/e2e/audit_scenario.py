#!/usr/bin/python3
"""sluice audit --scenario: a run of the lab with packets that come when they come is captured on Gn and Gb; its scenario,
run with the same queue, has every MS's delays and losses to the microsecond, also with queues that were not captured;
the BSSs say what they said, when they said it; no address, IMSI, time of day or octet of a packet is in the files; and
captures of which no scenario can be made are refused by name."""

import csv
import functools
import re
import struct

from harness import ROOT, case, main, new_folder, right, run, same, sluice

WORLD = ROOT / "tests/e2e/audit_scenario.lua"
DAY_S = 1_700_000_000
BEGIN_S = 5  # of the capture, in its scenario


def merged(*paths):
    """One capture of several, by time, on a day of 2023; of the same time, in the order of the paths."""
    records = []
    for place, path in enumerate(paths):
        octets, at = path.read_bytes(), 24
        while at < len(octets):
            second, part, captured, length = struct.unpack("<IIII", octets[at:at + 16])
            second += 0 if second >= DAY_S else DAY_S
            head = struct.pack("<IIII", second, part, captured, length)
            records.append((second, part, place, head + octets[at + 16:at + 16 + captured]))
            at += 16 + captured
    return paths[0].read_bytes()[:24] + b"".join(record for *_, record in sorted(records, key=lambda r: r[:3]))


@functools.lru_cache(None)
def captured(*sets):
    """A folder with the capture of a run, and that run."""
    done = run(WORLD, "--pcap", *sets)
    folder = new_folder()
    (folder / "day.pcap").write_bytes(merged(done.out / "gn.pcap", done.out / "gb.pcap"))
    return folder, done


@functools.lru_cache(None)
def scenario():
    """day.lua, with the variants of the world, which it does not know."""
    folder, _ = captured()
    done = sluice("audit", folder / "day.pcap", "--scenario", folder / "day.lua")
    same(done.returncode, 0, f"exit status: {done.stderr}")
    text = (folder / "day.lua").read_text()
    path = folder / "more.lua"
    path.write_text(text.replace('    variant { name = "tail-drop" },\n', """    variant { name = "tail-drop" },
    variant { name = "codel", set = { "class.aqm.name=codel" } },
    variant { name = "flows", set = { "class.flows=true" } },
""", 1))
    return path


def table(done, name):
    with (done.out / name).open(newline="") as file:
        return list(csv.DictReader(file))


FIGURES = ("sent_packets", "sent_octets", "delivered_packets", "delivered_octets", "lost_packets", "marked_packets",
           "delay_mean_ms", "delay_p50_ms", "delay_p95_ms", "delay_p99_ms", "delay_max_ms")


def felt(done):
    """What each MS got, without its name."""
    return sorted(tuple(row[name] for name in FIGURES) for row in table(done, "mss.csv") if row["direction"] == "down")


@case("with the same queue each MS has the same delays and losses, also with queues that nobody captured")
def same_delays():
    seen = set()
    for variant in ("tail-drop", "codel"):
        before, after = felt(run(WORLD, "--variant", variant)), felt(run(scenario(), "--variant", variant))
        same(after, before, f"{variant}: what each MS got")
        seen.add(tuple(before))
    same(len(seen), 2, "queues that differ in what an MS gets")


@case("with a queue for each flow, too, within 1 %: where a flow's queue is in the turns is by its ports")
def same_by_flows():
    before, after = felt(run(WORLD, "--variant", "flows")), felt(run(scenario(), "--variant", "flows"))
    mean = FIGURES.index("delay_mean_ms")
    same([row[:mean] for row in after], [row[:mean] for row in before], "packets and octets of each MS")
    for one, other in zip(after, before):
        right(abs(float(one[mean]) / float(other[mean]) - 1) < 0.01, f"mean delay {one[mean]} ms, right is {other[mean]}")


def drops(done):
    return sum(int(row["lost_packets"]) for row in table(done, "mss.csv"))


@case("the queues of the comparison drop, and the recommended one runs")
def queues_differ():
    right(drops(run(scenario(), "--variant", "codel")) > 0, "codel drops nothing: the loss is not compared")
    right(table(run(scenario(), "--variant", "recommended"), "mss.csv"), "MSs of the recommended queue")


def said(folder):
    """Each FLOW-CONTROL in a capture: what it says of whom, in order, and when, in s."""
    done = sluice("audit", folder / "day.pcap", "--csv", folder)
    same(done.returncode, 0, f"exit status: {done.stderr}")
    with (folder / "flow_control.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@case("the BSSs of the scenario say what those of the capture said, and no clause is broken there")
def same_flow_control():
    folder, _ = captured()
    before = said(folder)
    done = run(scenario(), "--pcap")
    again = new_folder()
    (again / "day.pcap").write_bytes(merged(done.out / "gb.pcap"))
    after = said(again)
    report = sluice("audit", again / "day.pcap", "--fail-on", "breach")
    same(report.returncode, 0, f"clauses broken: {report.stdout[:400]}")
    for kind in ("bvc", "ms"):
        values = [{(round(float(row["time_s"]) + later_s, 6), row["bvci"], row["bmax_octets"], row["r_bit_per_s"])
                   for row in rows if row["of"] == kind} for rows, later_s in ((before, BEGIN_S), (after, 0))]
        missing = values[0] - values[1]
        right(len(values[0]) > 40, f"{kind}: only {len(values[0])} values in the capture")
        right(len({rate for *_, rate in values[0]}) > 2, f"{kind}: the rate never changes")
        same(sorted(missing)[:5], [], f"{kind}: {len(missing)} of {len(values[0])} values of the capture are not said")


@case("no address, IMSI, port or time of the day is in the files; nor what is not a number")
def anonymous():
    scenario()
    folder, _ = captured()
    for path in folder.glob("day*"):
        if path.suffix == ".pcap":
            continue
        text = path.read_text()
        for secret in ("10.0.0.1", "10.0.1.1", "10.0.2.1", "26242", "203.0.113"):
            right(secret not in text, f"{path.name} has {secret}")
        if path.suffix == ".csv":
            rows = text.splitlines()[1:]
            right(all(re.fullmatch(r"[0-9,]+", row) for row in rows), f"{path.name}: other than numbers")
            right(all(int(number or 0) < DAY_S * 10**6 for row in rows for number in row.split(",")), f"{path.name}: the day")


def later(path, ns):
    """The capture, whose stamps are in ns, so much later."""
    octets, at = bytearray(path.read_bytes()), 24
    while at < len(octets):
        second, part, captured = struct.unpack("<III", octets[at:at + 12])
        octets[at:at + 8] = struct.pack("<II", *divmod(second * 10**9 + part + ns, 10**9))
        at += 16 + captured
    path = new_folder() / "later.pcap"
    path.write_bytes(octets)
    return path


@case("of packets that were captured on two interfaces within 20 ms each counts once; behind that twice")
def copies():
    folder, _ = captured()
    done = sluice("audit", folder / "day.pcap", "--scenario", folder / "day.lua")
    same(done.returncode, 0, f"exit status: {done.stderr}")
    once = (folder / "day.csv").read_bytes()
    again = new_folder()
    for ms, rows in ((30, 2 * once.count(b"\n") - 1), (19, once.count(b"\n"))):
        done = sluice("audit", folder / "day.pcap", later(folder / "day.pcap", ms * 10**6), "--scenario", again / "day.lua")
        same(done.returncode, 0, f"exit status: {done.stderr}")
        same((again / "day.csv").read_bytes().count(b"\n"), rows, f"rows with copies {ms} ms later")
    same((again / "day.csv").read_bytes() == once, True, "the packets are the same")
    same(re.findall(r"^-- Not in here: (\d+) packets that were captured once more", (again / "day.lua").read_text(), re.M),
         [str(once.count(b"\n") - 1)], "how many copies there were")


@case("Gn and Gb as two files, in either order, are one capture")
def two_files():
    folder, done = captured()
    sluice("audit", folder / "day.pcap", "--scenario", folder / "day.lua")
    for names in (("gn.pcap", "gb.pcap"), ("gb.pcap", "gn.pcap")):
        again = new_folder()
        result = sluice("audit", *(done.out / name for name in names), "--scenario", again / "day.lua")
        same(result.returncode, 0, f"exit status: {result.stderr}")
        for path in folder.glob("day*.csv"):
            same((again / path.name).read_bytes() == path.read_bytes(), True, f"{names}: {path.name} is the same")


@case("with some MSs enciphered, they are left out and counted; the scenario of the others runs")
def enciphered():
    folder, _ = captured("--set", "nse[1].bvc[2].ms.cipher=gea3", "--set", "nse[1].bvc[2].ms.key=0123456789abcdef")
    done = sluice("audit", folder / "day.pcap", "--scenario", folder / "day.lua")
    same(done.returncode, 0, f"exit status: {done.stderr}")
    text = (folder / "day.lua").read_text()
    right(re.search(r"^-- Not in here: [1-9]\d* enciphered LLC PDUs", text, re.M), text[:900])
    right(re.search(r"^-- Not in here: [1-9]\d* packets at Gn to addresses", text, re.M), text[:900])
    same(re.findall(r"^local USERS = (\d+)", text, re.M), ["5"], "users")
    same(len(felt(run(folder / "day.lua"))), 5, "MSs in the run")


@case("an enciphered capture, one of Gb alone, one of Gn alone, and one with a step of its clock: no scenario, by name, and status 1")
def refused():
    folder, done = captured()
    dark, _ = captured("--set", "nse.bvc.ms.cipher=gea3", "--set", "nse.bvc.ms.key=0123456789abcdef")
    for path in (done.out / "gb.pcap", done.out / "gn.pcap", dark / "day.pcap"):
        result = sluice("audit", path, "--scenario", folder / "none.lua")
        same(result.returncode, 1, f"{path}: exit status")
        right("none.lua: not written" in result.stderr, f"{path}: {result.stderr}")
        right(not list(folder.glob("none*")), f"{path}: files of a scenario")
    octets = (done.out / "gb.pcap").read_bytes() + (done.out / "gn.pcap").read_bytes()[24:]
    (folder / "steps.pcap").write_bytes(octets)
    result = sluice("audit", folder / "steps.pcap", "--scenario", folder / "none.lua")
    same((result.returncode, "clock steps back 1 times" in result.stderr), (1, True), f"a step back: {result.stderr}")
    right(not list(folder.glob("none*")), "files of a scenario of a capture with a step back")
    for path in ("day.txt", "a b.lua"):
        result = sluice("audit", folder / "day.pcap", "--scenario", folder / path)
        same(result.returncode, 2, f"{path}: exit status")
    result = sluice("audit", folder / "day.pcap", "--scenario", folder / "day.pcap.lua")
    same(result.returncode, 0, "a name with a point")


@case("the capture of an osmo-sgsn with its own Gn: two flows of one user, one cell's buckets; the scenario runs")
def osmo_sgsn():
    folder = new_folder()
    done = sluice("audit", ROOT / "tests/interop/captures/sgsn.pcap", "--scenario", folder / "s.lua")
    same(done.returncode, 0, f"exit status: {done.stderr}")
    with (folder / "s.csv").open(newline="") as file:
        packets = [(int(row["flow"]), int(row["octets"])) for row in csv.DictReader(file)]
    same(packets, [(1, 84), (1, 728), (2, 32)], "packets: a ping of 84 octets, one of 728, a TCP RST of 40 or less")
    row = next(row for row in table(run(folder / "s.lua"), "mss.csv") if row["direction"] == "down")
    same((row["delivered_packets"], row["lost_packets"]), ("3", "0"), "what the MS of the scenario gets")


@case("the report is the same with and without it, but for the packets of Gn that are read")
def same_report():
    folder, _ = captured()
    texts = [sluice("audit", folder / "day.pcap", *more).stdout
             for more in ((), ("--scenario", folder / "day.lua"))]
    plain = [re.sub(r".*UDP datagrams of other protocols.*\n", "", text) for text in texts]
    same(plain[1], plain[0], "report")


if __name__ == "__main__":
    main()
