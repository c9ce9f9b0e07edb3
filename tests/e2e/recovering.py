#!/usr/bin/python3
"""series_flows.csv says when a download repairs a loss: not before the loss, from the time at which its sender
has found it until the receiver has all of it; and how far it has come. The losses are planned: some LLC PDUs at 10 s, and a call of 20 s
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
HOLE_ROWS = 4  # longer than an ACK takes
NEAR_S = 0.1  # between the host and Gi
ROUND_TRIP_S = 6  # with all of the window in the queue


@functools.cache
def made():
    """The rows of the download, and the segments of data at Gi: time, end of their data, sent again."""
    path = new_folder() / "recovering.lua"
    path.write_text(CONFIG)
    done = run(path, "--pcap")
    check_sound(done.summary)
    with (done.out / "series_flows.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["direction"] == "down" and row["recovering"]]
    packets = [packet for packet in map(pcap.gn_packet, pcap.frames_of(done.out / "gn.pcap"))
               if len(packet.octets) > 1000]
    first, seen, segments = int.from_bytes(packets[0].octets[24:28], "big"), set(), []
    for packet in packets:
        sequence = int.from_bytes(packet.octets[24:28], "big") - first & 0xFFFFFFFF
        data = len(packet.octets) - 20 - 4 * (packet.octets[32] >> 4)
        segments.append((packet.time_ns / 1e9, sequence + data, sequence in seen))
        seen.add(sequence)
    return rows, segments


def found():
    """The column by time, and when segments were sent again."""
    rows, segments = made()
    return ({float(row["time_s"]): int(row["recovering"]) for row in rows},
            [time_s for time_s, _, again in segments if again])


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


@case("how far it has sent and how often again: the segments at Gi; ACKs and what has arrived are between")
def places():
    rows, segments = made()
    for row in rows:
        now_s = float(row["time_s"])
        ends = [[end for time_s, end, _ in segments if time_s <= now_s + late_s] for late_s in (-NEAR_S, NEAR_S)]
        again = [sum(again for time_s, _, again in segments if time_s <= now_s + late_s)
                 for late_s in (-NEAR_S, NEAR_S)]
        sent, arrived, acked = (int(row[name + "_to_octets"]) for name in ("sent", "arrived", "acked"))
        right(max(ends[0], default=0) <= sent <= max(ends[1], default=0), f"{now_s} s: {sent} of {ends[1][-1:]}")
        right(again[0] <= int(row["resent_segments"]) <= again[1], f"{now_s} s: {row['resent_segments']}, {again}")
        right(0 <= acked <= arrived <= sent, f"{now_s} s: {acked}, {arrived}, {sent}")
        # Without a loss, what is sent and not acknowledged is under way.
        if int(row["recovering"]) == 0 and now_s < LOSS_S:
            same(sent - acked, int(row["flight_octets"]), f"{now_s} s: flight")
    beyond = [int(row["arrived_to_octets"]) - int(before["arrived_to_octets"])
              for before, row in zip(rows, rows[HOLE_ROWS:])
              if before["acked_to_octets"] == row["acked_to_octets"] and row["recovering"] == "1"]
    right(max(beyond, default=0) > 1448, f"while a hole holds the ACKs, more arrives beyond it: {beyond}")
    # What the MS has got of the stream is what the ledger delivered, but for what it got twice.
    headers = 52
    delivered = sum(int(row["delivered_octets"]) for row in rows)
    right(0.9 * delivered < int(rows[-1]["arrived_to_octets"]) * (1448 + headers) / 1448 <= 1.02 * delivered,
          f"arrived {rows[-1]['arrived_to_octets']}, delivered {delivered}")


main()
