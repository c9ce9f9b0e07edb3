#!/usr/bin/python3
"""Packets of hosts and MSs outside of the lab: `run --tun`, with a pair of sockets in the place of
each device. What is said before the program starts enters at the first instant in real time, and
all that follows is done by the run's end, however busy the machine is."""

import csv
import json
import os
import socket
import struct

from checksums import checksum, ones_complement_sum
from harness import ROOT, case, check_sound, main, new_folder, right, same, sluice, written

HOST, MS = "203.0.113.9", "10.0.0.1"
CONFIG = """
run { name = "outside", clock = "virtual", duration = "800 ms", seed = 1 }
gn { device = "net_ring", address = "192.0.2.1", mac = "02:53:4c:00:00:01", mtu = "1536 octets" }
gb { device = "net_ring", address = "198.51.100.1", mac = "02:53:4c:00:00:02", port = 23000 }
nse {
    nsei = 101, ns = "reset",
    nsvc { nsvci = 101, peer = "198.51.100.2", peer_port = 23000, peer_mac = "02:53:4c:00:01:01" },
    bvc { bvci = 2, flow { rate = "400 kbit/s" }, buffer { rate = "400 kbit/s" },
        ms { imsi = "001010000000001",
            pdp { nsapi = 5, sapi = 5, class = "background", address = "10.0.0.1" } } } }
lab { ggsn = "192.0.2.2", ggsn_mac = "02:53:4c:00:02:01",
    ftp { class = "background" } }
"""


def packet(source, destination, octets, identification=0):
    """UDP with a payload of its own and DF, as Linux sends it: with the same id each time."""
    body = bytes(octets % 251 for octets in range(octets - 20))
    head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, octets, identification, 0x4000, 64, 17, 0,
                       socket.inet_aton(source), socket.inet_aton(destination))
    return head[:10] + struct.pack(">H", checksum(head)) + head[12:] + body


def heard(end):
    """All packets that wait there."""
    end.setblocking(False)
    packets = []
    try:
        while True:
            packets.append(end.recv(65536))
    except BlockingIOError:
        return packets


def run(hosts_say, mss_say):
    """Returns what the program did, what hosts and MSs heard, and the folder of the results."""
    pairs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(2)]
    for (ours, _), said in zip(pairs, (hosts_say, mss_say)):
        for each in said:
            ours.send(each)
    descriptors = [theirs.fileno() for _, theirs in pairs]
    out = new_folder() / "out"
    done = sluice("run", written(CONFIG), "--tun", ",".join(map(str, descriptors)), "--out", out,
                  "--no-page", descriptors=descriptors)
    return done, heard(pairs[0][0]), heard(pairs[1][0]), out


def check_arrived(packets, said):
    """The same, but for their ids, which count, and the headers' checksums, which are right."""
    same([octets[:4] + octets[6:10] + octets[12:] for octets in packets],
         [octets[:4] + octets[6:10] + octets[12:] for octets in said], "packets but for their ids")
    same([int.from_bytes(octets[4:6], "big") for octets in packets], list(range(len(said))), "ids")
    for octets in packets:
        same(ones_complement_sum(octets[:20]), 0xFFFF, "the header's checksum")


@case("packets cross both ways, whole, with ids of their own, and the books agree")
def _():
    down = [packet(HOST, MS, octets) for octets in (100, 1500, 28)]
    up = [packet(MS, HOST, octets) for octets in (60, 1400)]
    done, hosts, mss, out = run(down, up)
    same(done.returncode, 0, done.stderr)
    check_arrived(mss, down)
    check_arrived(hosts, up)
    check_sound(json.loads((out / "summary.json").read_text()))
    with open(out / "classes.csv", encoding="utf-8") as table:  # and nothing of the file's ftp { }
        rows = {row["direction"]: row for row in csv.DictReader(table) if row["class"] == "background"}
    for way, said in ("down", down), ("up", up):
        same([int(rows[way][f"{what}_octets"]) for what in ("sent", "delivered")],
             [sum(map(len, said))] * 2, f"octets sent and delivered, {way}")


def check_unsound(hosts_say, mss_say):
    done, hosts, mss, out = run(hosts_say, mss_say)
    same((hosts, mss), ([], []), "what arrived")
    same(done.returncode, 1, "exit status")
    right("not whole IPv4 between a host and an MS" in (out / "summary.json").read_text(), done.stdout)


for what, hosts_say, mss_say in (
        ("to an address that no MS has", [packet(HOST, "10.0.0.2", 100)], []),
        ("of an address that no MS has", [], [packet("10.0.0.2", HOST, 100)]),
        ("cut short", [packet(HOST, MS, 100)[:99]], []),
        ("with octets behind its end", [packet(HOST, MS, 100) + b"x"], []),
        ("of one octet", [b"E"], []),
        ("of IPv6", [], [b"\x60" + bytes(39)]),
        ("with a wrong checksum", [packet(HOST, MS, 100)[:8] + b"\x01" + packet(HOST, MS, 100)[9:]], [])):
    case(f"a packet {what} is a fault of the run", hosts_say, mss_say)(check_unsound)


@case("what is larger than a line of the lab carries is a fault, and no crash")
def large():
    for octets in 1501, 4000, 9100, 65000:
        done, *_, out = run([packet(HOST, MS, octets)], [packet(MS, HOST, octets)])
        same(done.returncode, 1, f"exit status with {octets} octets\n{done.stderr}")
        found = json.loads((out / "summary.json").read_text())["from_gb"]
        same((found["faults"], str(octets) in found["first_fault"]), (2, True), f"{octets}: {found}")


@case("a device that cannot be read ends the run with its error")
def _():
    written_only = [os.open(os.devnull, os.O_WRONLY) for _ in range(2)]
    done = sluice("run", written(CONFIG), "--tun", "{},{}".format(*written_only), "--out", new_folder(), descriptors=written_only)
    same((done.returncode, done.stderr.splitlines()[-1]),
         (1, f"sluice run: --tun: {os.strerror(9)}"), "status and message")


def check_refused(config, words, message):
    out = new_folder()
    done = sluice("run", config, "--out", out, *words)
    same(done.returncode, 2, f"{words}: exit status, {done.stderr}")
    right("--tun: " in done.stderr and message in done.stderr, done.stderr)
    same(list(out.iterdir()), [], "results")


@case("what --tun cannot go with is refused")
def _():
    for words, message in ((("--tun", "7,7"), "7,7"), (("--tun", "7"), "found 7,"), (("--tun", "-1,3"), "-1,3"),
                           (("--tun", "3,4x"), "3,4x"),
                           (("--tun", "1,2", "--seeds", "1..2"), "a single run only")):
        check_refused(written(CONFIG), words, message)
    check_refused(ROOT / "config/gb.lua", ("--tun", "1,2"), 'run.clock = "virtual" only')


if __name__ == "__main__":
    main()
