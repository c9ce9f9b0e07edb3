#!/usr/bin/python3
"""sluice gi beside tcptrace on captures of 1 GB with ten thousand flows, in files that lie in memory, in turns; what
reading alone costs; memory as a capture gets longer. The goal is 4 x tcptrace -lrn in each row.

    bench/gi_file.py [--runs N] [--folder DIR] [--octets N] [BUILD]

BUILD is build/release, which has sluice and bench/gi_capture. Times are wall time and processor time, user and system:
medians, least and most of N runs. How many times as quick as tcptrace -lrn: by wall time, by processor time; and of
captures with whole packets, whose checksums sluice verifies, as quick as tcptrace where it does so, too. It needs 1.1 GB
of disk and as much memory, and some minutes."""

import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

FLOWS = 10_000
# name: flows that live at once, octets of a segment, of which are captured.
SHAPES = {"ten thousand at once, 1500 octets, whole": (10_000, 1500, 65535),
          "833 at once, 1500 octets, whole": (833, 1500, 65535),
          "ten thousand at once, 576 octets, 96 captured": (10_000, 576, 96),
          "833 at once, 576 octets, 96 captured": (833, 576, 96)}
ROUND_SEGMENTS, ROUND_ACKS, RECORD_OCTETS = 8, 4, 16


def rounds_of(octets, segment, snap):
    """How many rounds of eight segments a flow has, so that the file has so many octets."""
    a_round = ROUND_SEGMENTS * (RECORD_OCTETS + min(segment, snap)) + ROUND_ACKS * (RECORD_OCTETS + 40)
    return max(1, round(octets / FLOWS / a_round))


def capture(build, path, flows, live, rounds, segment, snap):
    """Packets of it. A new file, so that the page cache has nothing of one before."""
    pathlib.Path(path).unlink(missing_ok=True)
    return int(subprocess.check_output([build / "bench/gi_capture", path, *map(str, (flows, live, rounds, segment, snap))]))


def settle(path):
    """Nothing of it is still to be written, and it is read from the disk: the page cache has it in large pages then."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        while file.read(1 << 20):
            pass


def spent(command):
    """(wall s, user s, system s) of a process."""
    begin = time.monotonic()
    with open(os.devnull, "w", encoding="utf-8") as nowhere, \
            subprocess.Popen(command, stdout=nowhere, stderr=nowhere) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command}: exit status {process.returncode}")
    return time.monotonic() - begin, usage.ru_utime, usage.ru_stime


def doing(what):
    """On a terminal: what takes a while; nothing before a line of results."""
    if sys.stderr.isatty():
        print(f"\r\033[K{what}{' ...' if what else ''}", end="", file=sys.stderr, flush=True)


def walls(rows):
    return [wall for wall, _, _ in rows]


def busies(rows):
    return [user + system for _, user, system in rows]


def compare(build, path, packets, runs):
    commands = {"sluice gi": [build / "sluice", "gi", path],
                "tcptrace -lrn": ["tcptrace", "-lrn", path],
                "tcptrace -lrn --checksum": ["tcptrace", "-lrn", "--checksum", path],
                "file by libpcap": [build / "bench/gi_floor", "pcap", path],
                "file by lab/captures/read": [build / "bench/gi_floor", "capture", path],
                "file by read": [build / "bench/gi_floor", "read", path]}
    taken = {name: [] for name in commands}
    for run in range(1, runs + 1):
        for name, command in commands.items():
            doing(f"  run {run} of {runs}: {name}")
            taken[name].append(spent(command))
    doing("")
    tcptrace = taken["tcptrace -lrn"]
    wall_s, busy_s = (statistics.median(column) for column in (walls(tcptrace), busies(tcptrace)))
    for name, rows in taken.items():
        wall, busy = walls(rows), busies(rows)
        median = statistics.median(wall)
        print(f"  {name:24} wall {median:6.3f} s ({min(wall):.3f} to {max(wall):.3f}), {1e9 * median / packets:6.1f} ns a packet,"
              f" {wall_s / median:5.1f} x; processor {statistics.median(busy):6.3f} s ({min(busy):.3f} to {max(busy):.3f}),"
              f" {busy_s / statistics.median(busy):5.1f} x", flush=True)
    both = statistics.median(busies(taken["tcptrace -lrn --checksum"])) / statistics.median(busies(taken["sluice gi"]))
    print(f"  where both verify what checksums there are: {both:.1f} x of processor time")


def most_memory(command):
    """(octets that the process had at most, the last line it printed); it is asked all the time."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        most, status = 0, pathlib.Path(f"/proc/{process.pid}/status")
        while process.poll() is None:
            found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text(encoding="utf-8"))
            most = max(most, int(found.group(1)) * 1024 if found else 0)
            time.sleep(0.001)
        return most, process.stdout.read().splitlines()[-1]


def memory(build, path):
    """The most memory at 1, 2 and 4 times the length: of flows that go on, and of more flows. A flow that is closed is
    kept for a minute, so it is flat once that is over."""
    for what, sizes in (("ten thousand flows at once, of 8, 16 and 32 rounds", [(FLOWS, FLOWS, n) for n in (8, 16, 32)]),
                        ("40, 80 and 160 thousand flows, 1000 at once", [(n * 40000, 1000, 4) for n in (1, 2, 4)])):
        print(f"  {what}:")
        for flows, live, rounds in sizes:
            doing("    making a capture and reading it")
            packets = capture(build, path, flows, live, rounds, 576, 96)
            most, last = most_memory([build / "sluice", "gi", path])
            doing("")
            print(f"    {packets:9} packets: {most / 1e6:.2f} MB in all; {last}", flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("build", nargs="?", default="build/release", type=pathlib.Path)
    arguments.add_argument("--runs", type=int, default=5)
    arguments.add_argument("--folder", help="where the captures go, one at a time")
    arguments.add_argument("--octets", type=int, default=10**9, help="of a capture (1000000000)")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        path = pathlib.Path(folder) / "x.pcap"
        for name, (live, segment, snap) in SHAPES.items():
            doing("making a capture")
            packets = capture(options.build, path, FLOWS, live, rounds_of(options.octets, segment, snap), segment, snap)
            settle(path)
            doing("")
            print(f"{name}: {packets} packets, {path.stat().st_size / 1e9:.2f} GB", flush=True)
            compare(options.build, path, packets, options.runs)
        print("memory:")
        memory(options.build, path)


main()
