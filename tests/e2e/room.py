#!/usr/bin/python3
"""How many MSs and PDP contexts each worker has room for, as `sluice check` fills it in; and that the
memory of many MSs does not grow with the number of workers. And what a ring of Gb has no room for."""

import csv
import json

from harness import ROOT, case, check_sound, main, right, run, same, sluice, written


def checked(text, *sets):
    done = sluice("check", written(text), *(word for one in sets for word in ("--set", one)))
    same(done.returncode, 0, f"exit status, with {done.stderr}")
    return json.loads(done.stdout)


def room_of(text, *sets):
    return checked(text, *sets)["room"]


def many(first, second):
    """Two NSEs with so many MSs each, for two workers."""
    return """run { name = "many", duration = "1 s", workers = 2 }
        gn { address = "192.0.2.1", mac = "02:00:00:00:00:01" }
        gb { address = "198.51.100.1", mac = "02:00:00:00:00:02" }
        lab { ggsn = "192.0.2.2", ggsn_mac = "02:00:00:00:00:04" }
        """ + "".join(f"""nse {{
            nsei = {i}, ns = "manual",
            nsvc {{ nsvci = {i}, peer = "198.51.100.1{i}", peer_mac = "02:00:00:00:00:03" }},
            bvc {{ bvci = 3, ms {{
                imsi = "00101000000{i}000", count = {count},
                pdp {{ nsapi = 5, class = "background", address = "10.{i}.0.1" }},
            }} }},
        }}
        """ for i, count in enumerate((first, second), 1))


@case("a worker's room: an equal share and a quarter more, but never less than the file gives to one")
def room():
    for counts, right_room in (((400, 400), 563), ((700, 100), 700), ((100, 700), 700)):
        found = room_of(many(*counts))
        same((found["mss"], found["worker_mss"], found["worker_pdps"]), (900, right_room, right_room),
             f"the room for {counts}")
    found = room_of(many(400, 400), "room.worker_mss=450")
    same((found["worker_mss"], found["worker_pdps"]), (450, 563), "the room that is said")
    done = sluice("check", written(many(400, 400)), "--set", "room.worker_mss=399")
    same(done.returncode, 2, "exit status")
    right("room.worker_mss: found 399, allowed at least the number in the file, 400" in done.stderr,
          done.stderr)


def any_cells(*of_nses):
    """NSEs with a cell each, whose BSSs may bring more."""
    return """run { name = "any", clock = "real" }
        gn { device = "net_null0", address = "192.0.2.1" }
        gb { device = "net_null1", address = "198.51.100.1" }
        """ + "".join(f"""nse {{
            nsei = {i}, ns = "reset", cells = "any", {more}
            nsvc {{ nsvci = {i}, peer = "198.51.100.1{i}" }},
            bvc {{ bvci = 3 }},
        }}
        """ for i, more in enumerate(of_nses, 1))


@case("cells that BSSs bring: room for each cells_most, and for sixteen more that all share")
def brought():
    for of_nses, bvcs in ((("", ""), 2 + 16), (("cells_most = 5,", ""), 2 + 5 + 16),
                          (("cells_most = 5,", "cells_most = 7,"), 2 + 12 + 16)):
        same(room_of(any_cells(*of_nses))["bvcs"], bvcs, f"cells, with {of_nses}")


@case("memory does not grow with the workers but for the quarter, and by what each has besides")
def memory():
    octets = {}
    for workers in (1, 2, 16):
        small, large = (checked(many(400, 400), f"run.workers={workers}", f"room.mss={mss}",
                                f"room.pdps={mss}")["memory_octets"] for mss in (10**6, 2 * 10**6))
        octets[workers] = (large - small) / 10**6
    print(f"# octets an MS with a context: {octets}")
    right(octets[16] < octets[2] * 1.01 and octets[2] <= octets[1] * 1.25, f"{octets}")


RING_FRAMES = 1024  # of a ring without gb.rx_frames


@case("what a ring of Gb has no room for is lost between the lab's line and the worker, and is counted")
def no_room_at_gb():
    mss = 2000  # whose first pings leave in one instant
    right_one = (ROOT / "tests/config/mistakes/right.lua").read_text()
    done = run(written(right_one.replace('imsi = "001010000000001",', f'imsi = "001010000000001", count = {mss},')
                       .replace('traffic { class = "background", size = "576 octets", rate = "8 kbit/s" }',
                                'ping { class = "background" }')))
    check_sound(done.summary)
    with open(done.out / "drops.csv", encoding="utf-8") as table:
        lost = {(row["direction"], row["place"], row["reason"]): int(row["packets"])
                for row in csv.DictReader(table) if row["by"] == "class"}
    same(lost, {("up", "gb", "no_room"): mss - RING_FRAMES}, "lost")


main()
