#!/usr/bin/python3
"""series_flows.csv says when a download repairs a loss: not before the loss, from the time at which its sender
has found it until the receiver has all of it. The losses are planned: some LLC PDUs at 10 s, and a call of 20 s
at 30 s, which no TCP sits out without a time-out. Judged by the capture at Gi."""

import csv
import functools

import pcap
from harness import case, check_sound, main, new_folder, right, run, same

STEP_S = 0.5
CONFIG = """
run { name = "recovering", duration = "80 s", seed = 3 }
gn { address = "192.0.2.1", mac = "02:00:00:00:00:01", mtu = "1600 octets" }
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02", mtu = "1600 octets" }
class { name = "background", lifetime = "unlimited", aqm { name = "tail-drop" } }
nse { nsei = 1,
    nsvc { nsvci = 1, peer = "198.51.100.11", peer_mac = "02:00:00:00:00:03" },
    bvc { bvci = 2,
        radio { slots = 3, plan { kind = "loss", imsi = "262420000000001", at = "10 s", count = 12 },
            plan { kind = "calls", at = "30 s", lasts = "20 s", count = 3 } },
        ms { imsi = "262420000000001",
            pdp { nsapi = 5, sapi = 11, class = "background", address = "10.0.0.1" } },
    },
}
lab { ggsn = "192.0.2.2", ggsn_mac = "02:00:00:00:00:04", step = "500 ms",
    tcp { name = "era", base = "linux-2.4", receive_window = "16384 octets" },
    ftp { class = "background", host_tcp = "era", ms_tcp = "era" },
}
"""
LOSS_S, CALL_S, END_S = 10, 30, 80
ROUND_TRIP_S = 6  # with all of the window in the queue


@functools.cache
def found():
    """The column by time, and when segments were sent again."""
    path = new_folder() / "recovering.lua"
    path.write_text(CONFIG)
    done = run(path, "--pcap")
    check_sound(done.summary)
    with (done.out / "series_flows.csv").open() as file:
        column = {float(row["time_s"]): int(row["recovering"]) for row in csv.DictReader(file)
                  if row["direction"] == "down" and row["recovering"]}
    seen, again_s = set(), []
    for packet in map(pcap.gn_packet, pcap.frames_of(done.out / "gn.pcap")):
        sequence = packet.octets[24:28]
        if len(packet.octets) > 1000:
            again_s += [packet.time_ns / 1e9] if sequence in seen else []
            seen.add(sequence)
    return column, again_s


def check_episode(begin_s, end_s):
    column, again_s = found()
    within = [t for t in again_s if begin_s <= t < end_s]
    right(len(within) >= 2, f"{len(within)} segments sent again from {begin_s} s on")
    same({value for t, value in column.items() if within[0] < t <= within[-1]}, {1}, "while it repairs")
    same({value for t, value in column.items() if within[-1] + ROUND_TRIP_S < t < end_s}, {0}, "then")


@case("nothing is repaired before a loss")
def before():
    column, _ = found()
    same({value for t, value in column.items() if t < LOSS_S}, {0}, "recovering")


@case("after duplicate ACKs, from the first segment that is sent again to the last")
def duplicates():
    check_episode(LOSS_S, CALL_S)


@case("after a time-out")
def timeout():
    check_episode(CALL_S, END_S)


main()
