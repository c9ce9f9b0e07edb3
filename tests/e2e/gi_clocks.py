#!/usr/bin/python3
"""sluice gi on captures whose frames or files are not in the order of their stamps."""

import itertools
import os
import subprocess

from gi_capture import ACK, FIN, RST, Talk, merged, pcap, pcapng, udp
from gi_report import begun, figures, read, saved
from harness import case, main, new_folder, program, right, same


def users(n, begin_s=0.0, every_s=0.3):
    """Connections of as many users, each of four seconds, one after the other begun."""
    talks = []
    for i in range(n):
        at = begin_s + every_s * i
        talk = Talk(user=(f"10.0.1.{i + 1}", 40000)).setup(at, 0.04, 0.4).add(at + 1, "up", ACK, 1, 1, 100)
        talks.append(talk.data(at + 1.1, 1, ack=101).ack(at + 1.9, 1001, seq=101).data(at + 2, 1001, ack=101).ack(at + 3, 2001, seq=101))
    return merged(*talks)


# --- Frames ---------------------------------------------------------------------------------------


def foreign(time, n=0):
    return time, udp((f"10.9.{n >> 8 & 255}.{n & 255}", 53), ("198.51.100.1", 53), bytes(20))


def by_user(report):
    return sorted(figures(report), key=lambda flow: flow["user"])


def sorted_frames(report):
    return report["counts"]["sorted"], report["counts"]["clock_steps"], report["counts"]["clock_jumps"]


@case("a foreign frame 0.9 s ahead of those behind it: the set-up takes as long as it did")
def one_ahead():
    talk = Talk().setup(5, 0.05, 0.4).data(6, 1).ack(6.4, 1001)
    wanted = figures(read(pcap(talk.frames)))
    report = read(pcap([foreign(5.9), *talk.frames]))
    same(figures(report), wanted, "figures")
    same((report["flows"][0]["setup_s"], sorted_frames(report)), (0.45, (3, 0, 0)), "set-up, and frames out of order")


@case("two interfaces whose frames come in blocks: each flow as if they had come one by one, and those out of place are counted")
def merged_interfaces():
    frames = users(40, every_s=0.05)
    wanted = read(pcap(frames))
    up = [frame for frame in frames if frame[1][12] == 10]
    down = [frame for frame in frames if frame[1][12] != 10]
    for block_s in (0.01, 0.2, 0.9):
        # What came within a block is written interface by interface.
        mixed = sorted([(int(time / block_s), side, time, packet) for side, part in enumerate((down, up)) for time, packet in part],
                       key=lambda one: one[:3])
        mixed = [(time, packet) for _, _, time, packet in mixed]
        report = read(pcap(mixed))
        same(by_user(report), by_user(wanted), f"blocks of {block_s} s")
        newest, late = 0, 0
        for time, _ in mixed:
            late += round(time * 1e9) < newest
            newest = max(newest, round(time * 1e9))
        same(sorted_frames(report), (late, 0, 0), f"blocks of {block_s} s: frames out of order")
        right(late > 20 or block_s < 0.1, f"blocks of {block_s} s: {late} are out of order")


@case("frames with the same stamp keep the order of the file")
def same_stamp():
    talk = begun()
    for i in range(20):
        talk.data(0.9, 1 + 1000 * i)
    report = read(pcap([foreign(0.95), *talk.ack(2, 20001).frames]))
    same((report["flows"][0]["down_reordered"], sorted_frames(report)), (0, (23, 0, 0)), "reordered, and put in their place")


@case("behind more than 1024 frames a stamp is too late: its flow has no figures, it is counted, and others have theirs")
def too_late():
    for between, fine in ((1023, True), (1024, False)):
        late, other = Talk().setup(1, 0.1, 0.4), Talk(user=("10.0.0.2", 40000)).setup(1.01, 0.1, 0.3)
        frames = [*merged(late, other), *(foreign(2.2 + i / 1e5, i) for i in range(between)), (1.9, late.data(1.9, 1).frames.pop()[1]),
                  *(foreign(3 + i / 1e5, i) for i in range(10))]
        report = read(pcap(frames))
        found = {flow["user"]: (flow["outcome"], flow["setup_s"]) for flow in report["flows"]}
        same(found, {"10.0.0.1": ("optimal", 0.5) if fine else ("clock", None), "10.0.0.2": ("optimal", 0.4)}, f"{between} frames between")
        same(sorted_frames(report), (1, 0, 0) if fine else (0, 1, 0), f"{between} frames between")


@case("a second is a step of the clock, and what is less is none")
def a_second():
    talk = Talk().setup(5, 0.05, 0.4)
    for back_s, counts in ((0.999999, (1, 0, 0)), (1.0, (0, 0, 1))):
        frames = [*talk.frames, foreign(6), foreign(6 - back_s, 1)]
        same(sorted_frames(read(pcap(frames))), counts, f"{back_s} s")


# --- Files ----------------------------------------------------------------------------------------


@case("files in any order are read in the order of their first stamps")
def order_of_files():
    frames = users(20)
    parts = [pcap(frames[:40]), pcapng(frames[40:90]), pcap(frames[90:], order=">")]
    wanted = read(pcap(frames))
    for one in itertools.permutations(parts):
        report = read(*one)
        same(figures(report), figures(wanted), "flows")
        same(report["counts"], wanted["counts"], "counts")
    same([file["frames"] for file in read(*parts[::-1])["files"]], [40, 50, len(frames) - 90], "files, as they were read")


@case("files that overlap, as of two interfaces, are one capture, in whatever order they are named")
def overlapping():
    frames = users(20)
    wanted = read(pcap(frames))
    parts = [pcap(frames[0::3]), pcapng(frames[1::3]), pcap(frames[2::3], order=">")]
    for one in itertools.permutations(parts):
        report = read(*one)
        same(figures(report), figures(wanted), "flows")
        same((report["counts"], len(report["files"])), (wanted["counts"], 3), "counts, and files")
    halves = [pcap(frames[:60] + frames[90:]), pcap(frames[60:90])]
    same(figures(read(*halves)), figures(wanted), "one within the other")


@case("a file without a stamp, or without a packet, stays behind the file before it")
def no_stamp():
    frames = users(6)
    wanted = figures(read(pcap(frames)))
    same(figures(read(pcap(frames[20:]), pcap([]), pcap(frames[:20]))), wanted, "no packet")
    bare = bytearray(pcap(frames[10:12]))
    for at in (24, 24 + 16 + len(frames[10][1])):
        bare[at + 4:at + 8] = (2 * 10**9).to_bytes(4, "little")
    still = [(frames[9][0], packet) for _, packet in frames[10:12]]
    same(figures(read(pcap(frames[12:]), pcap(frames[:10]), bytes(bare))), figures(read(pcap([*frames[:10], *still, *frames[12:]]))), "no stamp")


@case("standard input and pipes are read once, where their first stamps say")
def pipes():
    frames, folder = users(20), new_folder()
    wanted = read(pcap(frames))["flows"]
    first, last, fifo = saved(pcap(frames[:50])), saved(pcap(frames[110:])), folder / "fifo"
    os.mkfifo(fifo)
    for names, middle in (((last, "-", first), "stdin"), ((last, fifo, first), "fifo")):
        out = folder / f"{middle}.csv"
        with subprocess.Popen([program(), "gi", *names, "--csv", out], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
            octets = pcap(frames[50:110])
            if middle == "fifo":
                fifo.write_bytes(octets)
            process.communicate(octets if middle == "stdin" else b"", timeout=60)
        same((process.returncode, len(out.read_text().splitlines()) - 1), (0, len(wanted)), middle)
        right("clock" not in out.read_text(), f"{middle}: the clock went back")


@case("a step back voids what lives then, and not what was closed or reset before")
def closed():
    ends = begun().data(1, 1).ack(1.6, 1001).add(2, "up", FIN | ACK, 1, 1001).add(2.1, "down", FIN | ACK, 1001, 2).ack(2.6, 1002, seq=2)
    resets = Talk(user=("10.0.0.2", 40000)).setup(0, 0.1, 0.4).data(1, 1).add(1.5, "up", RST, 1)
    lives = Talk(user=("10.0.0.3", 40000)).setup(0, 0.1, 0.4).data(1, 1)
    later = [(-9.0, lives.ack(3, 1001).frames.pop()[1])]
    frames = [*merged(ends, resets, lives), *later]
    found = {flow["user"]: flow for flow in read(pcap([(time + 20, packet) for time, packet in frames]))["flows"]
             if flow["outcome"] != "no-syn" and flow["outcome"] != "one-way"}
    same({user: flow["outcome"] for user, flow in found.items()},
         {"10.0.0.1": "optimal", "10.0.0.2": "optimal", "10.0.0.3": "clock"}, "outcomes")
    right(abs(found["10.0.0.1"]["setup_s"] - 0.5) < 1e-9 and found["10.0.0.3"]["setup_s"] is None, found)


main()
