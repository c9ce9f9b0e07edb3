#!/usr/bin/python3
"""sluice gi --series: what passed in each interval, beside the packets themselves and beside the flows; while it is
still read; with a clock that jumps."""

import csv
import collections
import json
import os
import struct
import subprocess

from gi_capture import ACK, HOST, SYN, USER, Talk, gtp, pcap, udp
from gi_population import drawn, failed, frames_of
from gi_report import begun
from harness import WAIT_S, case, main, new_folder, program, right, same, sluice


def series_of(frames, interval_s, *options):
    folder = new_folder()
    (folder / "x.pcap").write_bytes(pcap(frames))
    done = sluice("gi", folder / "x.pcap", "--series", folder / "s.csv", "--interval", interval_s, "--json", folder / "x.json", *options)
    with (folder / "s.csv").open() as file:
        rows = [{key: float(value) if value else None for key, value in row.items()} for row in csv.DictReader(file)]
    return rows, json.loads((folder / "x.json").read_text()), done


def counted(frames, interval_s):
    """By interval: (frames, octets and segments down, octets and segments up), from the packets of IPv4 alone."""
    rows = collections.defaultdict(lambda: [0, 0, 0, 0, 0])
    users = {packet[12:16] for _, packet in frames if packet[9] == 6 and packet[33] & (SYN | ACK) == SYN}
    for time_s, packet in frames:
        row = rows[round(time_s * 10**9) // (interval_s * 10**9) * interval_s]
        row[0] += 1
        if packet[9] == 6:
            at = 3 if packet[12:16] in users else 1
            row[at] += struct.unpack_from(">H", packet, 2)[0]
            row[at + 1] += 1
    return dict(rows)


@case("octets and segments of each interval are those of the packets; flows and verdicts add up to those of the report")
def sums():
    for seed, interval_s in ((1, 1), (2, 10), (3, 7)):
        frames = frames_of(drawn(seed, 120, 1.0), [failed(50000 + i, 7000 + 60 * i, "none") for i in range(5)])
        rows, report, done = series_of(frames, interval_s)
        same((done.returncode, done.stderr), (0, ""), "exit status")
        wanted = counted(frames, interval_s)
        same([row["begin_s"] for row in rows], sorted(wanted), "intervals")
        same([[row["frames"], row["down_segments"], row["up_segments"]] for row in rows],
             [[n, down, up] for n, _, down, _, up in (wanted[at] for at in sorted(wanted))], "frames and segments")
        for row in rows:
            _, down, _, up, _ = wanted[row["begin_s"]]
            same([row["down_bit_per_s"], row["up_bit_per_s"]], [down * 8 // interval_s, up * 8 // interval_s], f"rates at {row['begin_s']}")
        flows = report["flows"]
        same([sum(row[name] for row in rows) for name in ("flows_begun", "flows_ended")], [len(flows)] * 2, "flows")
        alive = 0
        for row in rows:
            alive += row["flows_begun"] - row["flows_ended"]
            same(row["flows_alive"], alive, f"flows that live, {row['begin_s']}")
        optimal = [flow["setup_s"] for flow in flows if flow["outcome"] == "optimal"]
        same(sum(row["setups"] for row in rows), len(optimal), "set-ups")
        mean = sum(row["setups"] * row["setup_mean_s"] for row in rows if row["setups"]) / len(optimal)
        right(abs(mean - sum(optimal) / len(optimal)) < 1e-6, f"mean set-up {mean}")
        right(all((row["setup_mean_s"] is None) == (row["setups"] == 0) for row in rows), "no set-up, no mean")


@case("a segment that is sent again counts where it is judged, on its side")
def again():
    talk = begun().data(1, 1).data(1.01, 1001).data(1.02, 2001).ack(1.6, 1001).ack(2, 1001).data(3, 1001).ack(13.5, 3001)
    rows, _, _ = series_of(talk.frames, 10)
    same([(row["begin_s"], row["down_again"], row["up_again"]) for row in rows], [(0, 0, 0), (10, 1, 0)], "sent again")


@case("other traffic is frames alone; GTP-U is taken off; intervals without a frame have no row; a clock that jumps back begins anew")
def others():
    name = udp((USER, 53), (HOST, 53), bytes(20))
    frames = [(5, name), (1005, gtp(begun().frames[0][1], 9)), (500, name)]
    rows, _, _ = series_of(frames, 10)
    same([(row["begin_s"], row["frames"], row["up_segments"], row["up_bit_per_s"]) for row in rows],
         [(0, 1, 0, 0), (1000, 1, 1, 32), (500, 1, 0, 0)], "rows")


@case("the report's series has 600 rows at most: their sums are those of all rows")
def history():
    talk = Talk()
    for second in range(2000):
        talk.add(second + 0.5, "up", SYN, 0)
    others = [Talk(user=(f"10.0.1.{i}", 9)).add(7 * i + 0.7, "up", SYN, 0).frames[0] for i in range(1, 100)]
    rows, report, _ = series_of([*sorted([*talk.frames, *others], key=lambda frame: frame[0]), (5.0, talk.frames[0][1])], 1)
    series = report["series"]
    same((series["interval_s"], [row["begin_s"] for row in series["rows"]], series["left_out"]), (4, list(range(0, 2000, 4)), 1), "rows")
    for name in ("frames", "up_segments", "flows_begun"):
        same(sum(row[name] for row in series["rows"]), sum(row[name] for row in rows[:2000]), name)
    wanted = [sum(row["up_bit_per_s"] for row in rows[i:i + 4]) // 4 for i in range(0, 2000, 4)]
    same([row["up_bit_per_s"] for row in series["rows"]], wanted, "rates")


@case("a pipe that goes on: each row comes when its interval is over, and SIGINT ends the last one")
def live():
    talk = Talk()
    for second in range(0, 100):
        talk.add(second, "up", SYN, 0)
    with subprocess.Popen([program(), "gi", "-", "--series", "-", "--interval", "10"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, cwd=new_folder()) as sluice_gi:
        octets = pcap(talk.frames)
        head, each = octets[:24], (len(octets) - 24) // 100
        sluice_gi.stdin.write(head)
        lines = []
        os.set_blocking(sluice_gi.stdout.fileno(), True)
        for second in range(100):
            sluice_gi.stdin.write(octets[24 + second * each:24 + (second + 1) * each])
            sluice_gi.stdin.flush()
            if second % 10 == 5 and second > 10:  # frames wait up to a second for those that are late
                while len(lines) < second // 10 + 1:
                    lines.append(sluice_gi.stdout.readline().decode().strip())
        same([line.split(",")[0] for line in lines[1:]], [f"{at}.000000000" for at in range(0, 90, 10)], "rows so far")
        sluice_gi.stdin.close()
        rest = sluice_gi.stdout.read().decode().splitlines()
        same([line.split(",")[0] for line in rest], ["90.000000000"], "the rest")
        sluice_gi.wait(WAIT_S)


main()
