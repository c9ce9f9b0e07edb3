#!/usr/bin/python3
"""sluice gi on captures whose frames or files are not in the order of their stamps."""

import itertools
import os
import subprocess

from gi_capture import ACK, FIN, RST, Talk, merged, pcap, pcapng
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
