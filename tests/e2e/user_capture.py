#!/usr/bin/python3
"""The capture of user traffic, `sluice ctl capture user on|off`: in real time, over taps, whose frames no
tcpdump on our side of them could see. tshark reads the file, and finds as many frames as the ports counted and
each dropped packet with its reason. The neighbours are given, and Linux has no IPv6, so no frame comes by itself."""

import atexit
import collections
import json
import os
import pathlib
import re
import resource
import struct
import tempfile
import time

import instance
import network
import real
import tshark_json
from harness import Running, Skip, case, check_sound, each_of, main, new_folder, right, same
from network import BSS4, GB4, GGSN4, GN4, GTPU_PORT, NS_PORT, WAIT_S

MACS = {"gn": "02:53:4c:00:01:01", "gb": "02:53:4c:00:02:01"}  # of a tap, and so of both its ends
CONFIG = f"""
run {{ name = "user", clock = "real" }}
gn {{ device = "net_tap0,iface=gn,mac={MACS['gn']}", address = "192.0.2.1" }}
gb {{ device = "net_tap1,iface=gb,mac={MACS['gb']}", address = "198.51.100.1", cell_delay = "0 s" }}
queue {{ ms_packets = 2 }}
class {{ name = "background", lifetime = "unlimited", aqm {{ name = "tail-drop" }} }}
ggsn {{ name = "four", address = "192.0.2.2", mac = "{MACS['gn']}" }}
nse {{
    nsei = 1, ns = "manual",
    nsvc {{ nsvci = 1, peer = "198.51.100.2", peer_mac = "{MACS['gb']}" }},
    bvc {{
        bvci = 2,
        ms {{
            imsi = "001010000000001", tlli = 0xC0000001,
            pdp {{
                nsapi = 5, class = "background", address = "10.0.0.1", ggsn = "four",
                ggsn_teid = 0x11223344,
            }},
        }},
    }},
    bvc {{
        bvci = 3, rate = "100 bit/s", bucket = "2 kB",
        ms {{
            imsi = "001010000000003", tlli = 0xC0000003, n201_u = "1520 octets",
            pdp {{
                nsapi = 5, class = "background", address = "10.0.0.3", ggsn = "four",
                ggsn_teid = 0x11223355,
            }},
        }},
    }},
}}
"""
QUICK = real.Ms("001010000000001", 0xC0000001, 2, "10.0.0.1", 0x11223344, False)
SLOW = real.Ms("001010000000003", 0xC0000003, 3, "10.0.0.3", 0x11223355, False)  # 2 kB, and then nothing for long
NO_TEID = 0x00300000
Frame = collections.namedtuple("Frame", "interface direction reason time_ns octets captured ips payload")
FIELDS = ("frame.interface_name", "frame.packet_flags_direction", "frame.comment", "frame.time_epoch", "frame.len",
          "frame.cap_len", "ip.dst", "udp.payload")
NONE, IN, OUT = "0", "1", "2"  # epb_flags
STATISTICS, PACKET = 5, 6


class World(real.World):
    """Of real.py, with this file's network, one MS after the other."""

    def __init__(self):
        _, self.space, _, _ = network.tap()
        network.must(*network.within(self.space), "sh", "-c", "for name in all default; do "
                     "echo 1 > /proc/sys/net/ipv6/conf/$name/disable_ipv6; done")
        self.program = Running(CONFIG, before=network.within(self.space))
        self.host = network.Host(self.space)
        for device, ours, theirs in ("gn", GN4, GGSN4), ("gb", GB4, BSS4):
            network.must("ip", "-n", self.space, "addr", "add", f"{theirs}/24", "dev", device)
            network.must("ip", "-n", self.space, "neigh", "add", ours, "lladdr", MACS[device], "nud", "permanent",
                         "dev", device)
            network.must("ip", "-n", self.space, "link", "set", device, "up")
        self.teids = {(one["imsi"], one["nsapi"]): one["teid"] for one in self.program.contexts()}
        self.ends = {(GGSN4, GTPU_PORT): self.host.udp(GGSN4, GTPU_PORT),
                     (BSS4, NS_PORT): self.host.udp(BSS4, NS_PORT)}
        self.random = real.random.Random(1)
        self.nu = 0
        self.path = self.program.out / "user.pcapng"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.program.kill()

    def down(self, *sizes):
        """One by one, for two may wait; returns them when all are on Gb."""
        packets = [self.packet(QUICK, octets) for octets in sizes]
        for octets in packets:
            self.ggsn(QUICK).sendto(real.g_pdu(self.teid(QUICK), octets), (GN4, GTPU_PORT))
            real.read_pdus(self, QUICK, 1)
        return packets

    def up(self, *sizes):
        packets = [self.packet(QUICK, octets) for octets in sizes]
        for number, npdu in enumerate(packets):
            for info in real.segments(npdu, number, 500):
                self.bss(QUICK).sendto(real.ul_unitdata(QUICK, real.llc_ui(self.nu, info)), (GB4, NS_PORT))
                self.nu += 1
        for npdu in packets:
            octets, _ = real.receive(self.ggsn(QUICK), f"an N-PDU of {len(npdu)} octets on Gn")
            same(octets, real.g_pdu(QUICK.ggsn_teid, npdu), "the G-PDU")
        return packets

    def unknown_teid(self):
        self.ggsn(QUICK).sendto(real.g_pdu(NO_TEID, self.packet(QUICK, 100)), (GN4, GTPU_PORT))
        octets, _ = real.receive(self.ggsn(QUICK), "an error indication")
        same(octets[1], 26, "its message type")

    def overflow(self, number):
        """One empties the slow cell's bucket, two wait, and each after these costs the oldest."""
        for i in range(3 + number):
            self.ggsn(SLOW).sendto(real.g_pdu(self.teid(SLOW), self.packet(SLOW, 1400)), (GN4, GTPU_PORT))
            if i == 0:
                real.read_pdus(self, SLOW, 1)
        until(lambda: drops_of(stats())["ms_full"] == number, "the drops of a full MS", stats)


def until(condition, what, say=lambda: ""):
    deadline = time.monotonic() + WAIT_S
    while not condition():
        right(time.monotonic() < deadline, f"not within {WAIT_S} s: {what}\n{say()}")
        time.sleep(0.01)


def stats():
    return json.loads(instance.client("stats", "--json"))


def drops_of(seen):
    """Packets by reason, wherever they are counted."""
    sums = collections.Counter()
    for part in seen["stats"]["gn"], seen["stats"]["gb"], seen["stats"]["up"], *seen["classes"].values():
        sums.update(part.get("drops", {}))
    return sums


def frames_of(seen):
    """As the ports count them, by interface and direction."""
    return collections.Counter({(port, way): seen["stats"][port][name] for port in ("gn", "gb")
                                for way, name in ((IN, "rx_packets"), (OUT, "tx_packets"))})


def read(path):
    """As tshark reads it: each frame; it does not complain of the file."""
    words = [word for name in FIELDS for word in ("-e", name)]
    text = tshark_json.tshark(str(path), "-T", "fields", "-E", "occurrence=a", *words)
    found = []
    for line in text.splitlines():
        interface, way, reason, stamp, octets, captured, ips, payload = line.split("\t")
        seconds, _, fraction = stamp.partition(".")
        found.append(Frame(interface, str(int(way, 0)), reason, int(seconds) * 10**9 + int(fraction.ljust(9, "0")),
                           int(octets), int(captured), ips.split(","), payload.split(",")[0]))
    return found


def blocks(path):
    """(type, octets of its body) of each; both of its lengths agree and the last one ends the file."""
    octets, at, found = pathlib.Path(path).read_bytes(), 0, []
    while at < len(octets):
        kind, length = struct.unpack_from("<II", octets, at)
        right(length % 4 == 0 and 12 <= length <= len(octets) - at, f"block {len(found)} at {at} has {length} octets")
        same(struct.unpack_from("<I", octets, at + length - 4)[0], length, f"the length behind block {len(found)}")
        found.append((kind, octets[at + 8:at + length - 4]))
        at += length
    return found


def missed(path):
    """(received, missed) of each interface, by the file's last blocks."""
    found = []
    for kind, body in blocks(path)[-3:]:
        same(kind, STATISTICS, "the type of one of the last blocks")
        found.append(struct.unpack("<4xQ4xQ", body[12:36]))
    return found


@case("both ways and drops: as many frames as the ports count, each drop with its reason, and all decodes")
def whole():
    with World() as world:
        world.down(100)
        world.up(100)
        before, start_ns = stats(), time.time_ns()
        same(instance.client("ctl", "capture", "user", "on"), f"{world.path.resolve()}\n", "the answer to on")
        down, up = world.down(60, 576, 1400), world.up(64, 1200)
        world.unknown_teid()
        world.overflow(3)
        said = instance.client("ctl", "capture", "user", "off")
        end_ns, after = time.time_ns(), stats()
        found = read(world.path)
        same(said, f"{len(found)} frames copied, 0 missed, {world.path.stat().st_size} octets in {world.path.resolve()}\n",
             "the answer to off")
        same((after["stats"]["worker"]["capture_frames"], after["stats"]["worker"]["capture_missed"]),
             (len(found), 0), "the counters")
        kept = [one for one in found if not one.reason]
        same(collections.Counter((one.interface, one.direction) for one in kept), frames_of(after) - frames_of(before),
             "frames of the ports")
        dropped = [one for one in found if one.reason]
        same(collections.Counter(one.reason for one in dropped), drops_of(after) - drops_of(before), "drops")
        same({(one.reason, one.interface, one.direction) for one in dropped},
             {("unknown_teid", "gn", NONE), ("ms_full", "npdu", NONE)}, "what was dropped, where")
        same({tuple(one.ips) for one in dropped}, {(GN4, QUICK.address), (SLOW.address,)}, "whose the dropped ones are")
        payloads = [one.payload for one in kept if one.interface == "gn" and one.direction == IN]
        same(payloads[:3], [real.g_pdu(world.teid(QUICK), one).hex() for one in down], "G-PDUs received")
        payloads = [one.payload for one in kept if one.interface == "gn" and one.direction == OUT]
        same(payloads[:2], [real.g_pdu(QUICK.ggsn_teid, one).hex() for one in up], "G-PDUs sent")
        inner = [one.ips for one in kept if one.interface == "gb" and one.direction == OUT and len(one.ips) > 1]
        same(inner, 3 * [[BSS4, QUICK.address]] + [[BSS4, SLOW.address]], "addresses in Gb")
        right(all(start_ns <= one.time_ns <= end_ns for one in found),
              f"the stamps {[one.time_ns for one in found]} are not between {start_ns} and {end_ns}")
        right(any(one.time_ns % 1000 for one in found), "no stamp is of nanoseconds")
        of_port = [sum(one.interface == name for one in found) for name in ("gn", "gb", "npdu")]
        same(missed(world.path), [(number, 0) for number in of_port], "what the file says of its interfaces")
        same(oct(world.path.stat().st_mode)[-3:], "640", "the mode of the file")
        check_sound(world.program.finish())


@case("SIGINT while it is on: the file is complete, and the run says what is in it")
def ends_with_the_run():
    with World() as world:
        instance.client("ctl", "capture", "user", "on")
        world.down(100, 200)
        summary = world.program.finish()
        check_sound(summary)
        found = read(world.path)
        same(collections.Counter((one.interface, one.direction) for one in found),
             {("gn", IN): 2, ("gb", OUT): 2}, "the frames")
        same(missed(world.path), [(2, 0), (2, 0), (0, 0)], "what the file says of its interfaces")
        same(summary["worker"]["capture_frames"], 4, "capture_frames of the summary")
        right(f"the capture of user traffic has ended: 4 frames copied, 0 missed, {world.path.stat().st_size} octets"
              in world.program.said(), world.program.said())


@case("on twice, off twice: answered as done; a new `on` begins the file anew; `capture` tells which runs")
def twice():
    with World() as world:
        same(instance.client("ctl", "capture"), "signalling: off\nuser traffic: off\n", "before")
        same(instance.client("ctl", "capture", "user", "off"), "no capture of user traffic runs\n", "off before on")
        instance.client("ctl", "capture", "user", "on")
        world.down(100)
        right("runs already" in instance.client("ctl", "capture", "user", "on"), "the second on")
        world.down(100)
        until(lambda: "user traffic: on, 4 frames copied, 0 missed, " in instance.client("ctl", "capture"),
              "four frames", lambda: instance.client("ctl", "capture"))
        instance.client("ctl", "capture", "user", "off")
        same(len(read(world.path)), 4, "frames of the first")
        world.down(100)
        same(instance.client("ctl", "capture", "user", "off"), "no capture of user traffic runs\n", "the second off")
        right("user traffic: off, 4 frames" in instance.client("ctl", "capture"), "afterwards")
        same(len(read(world.path)), 4, "frames of the first, later")
        instance.client("ctl", "capture", "user", "on")
        world.down(100)
        instance.client("ctl", "capture", "user", "off")
        same(len(read(world.path)), 2, "frames of the second")
        check_sound(world.program.finish())


@case("snap: so many octets of each frame, and the length that it had")
def snap():
    with World() as world:
        instance.client("ctl", "capture", "user", "on", "snap", "61")
        world.down(20, 700)
        instance.client("ctl", "capture", "user", "off")
        same([(one.interface, one.octets, one.captured) for one in read(world.path)],
             [(port, octets, min(octets, 61)) for port, octets in lengths(world.path)], "the frames")
        same({one.captured for one in read(world.path)}, {61}, "octets of frames")
        same(sorted(one.octets for one in read(world.path) if one.interface == "gn"), [70, 750], "lengths on Gn")
        check_sound(world.program.finish())


def lengths(path):
    """The original length in each packet's block, by its interface."""
    for kind, body in blocks(path):
        if kind == PACKET:
            yield ("gn", "gb", "npdu")[struct.unpack_from("<I", body)[0]], struct.unpack_from("<I", body, 16)[0]


@case("a full file ends the capture with a line in the log: the file has whole blocks, and traffic goes on")
def full_file():
    with World() as world:
        instance.client("ctl", "capture", "user", "on", "file", "10000")
        for _ in range(8):
            world.down(1000)
        until(lambda: "the capture of user traffic has ended, the file is full" in world.program.said(), "the end",
              world.program.said)
        right(9000 <= world.path.stat().st_size <= 10000, f"the file has {world.path.stat().st_size} octets")
        copied, lost = map(int, re.search(r"the file is full: (\d+) frames copied, (\d+) missed", world.program.said()).groups())
        same(copied, len(read(world.path)), "frames copied, and in the file")
        right(0 < lost <= sum(frames_of(stats()).values()), f"{lost} frames are missed")
        same({one.octets for one in read(world.path) if one.interface == "gn"}, {1050}, "lengths on Gn")
        missed(world.path)
        right("user traffic: off" in instance.client("ctl", "capture"), "it runs")
        instance.client("ctl", "capture", "user", "on")
        world.down(100)
        instance.client("ctl", "capture", "user", "off")
        same(len(read(world.path)), 2, "frames of another capture")
        check_sound(world.program.finish())


@case("a full disk ends the capture with a line in the log: the file has whole blocks, and traffic goes on")
def full_disk():
    disk = new_folder()
    if network.command("mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", disk).returncode != 0:
        raise Skip("no file system may be mounted here")
    atexit.register(network.command, "umount", disk)
    tempfile.tempdir = str(disk)  # where the run's folder comes to be
    try:
        world = World()
    finally:
        tempfile.tempdir = None
    with world:
        instance.client("ctl", "capture", "user", "on")
        sent = 0
        while "the capture of user traffic has ended, No space left on device" not in world.program.said():
            right(sent < 500, f"it does not end: {instance.client('ctl', 'capture')}\n{world.program.said()}")
            world.down(1400)
            sent += 1
        same({kind for kind, _ in blocks(world.path)[4:]} - {STATISTICS}, {PACKET}, "blocks behind the first four")
        same({one.octets for one in read(world.path) if one.interface == "gn"}, {1450}, "lengths on Gn")
        world.down(100)
        world.path.unlink()  # the summary needs room, too
        check_sound(world.program.finish())


@case("a limit on the size of files ends the capture and not the run")
def size_limit():
    with World() as world:
        pid, unlimited = world.program.process.pid, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        right("File too large" in instance.client("ctl", "capture", "user", "on", status=1), "no octet may be written")
        same([name for name in each_of(pid, "fd", os.readlink).values() if name.endswith("user.pcapng")], [], "files that stay open")
        resource.prlimit(pid, resource.RLIMIT_FSIZE, unlimited)
        instance.client("ctl", "capture", "user", "on")
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))
        for _ in range(20):
            world.down(1400)
        until(lambda: "the capture of user traffic has ended, File too large" in world.program.said(), "the end",
              world.program.said)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, unlimited)  # the summary is larger
        same({one.octets for one in read(world.path) if one.interface == "gn"}, {1450}, "lengths on Gn")
        check_sound(world.program.finish())


@case("where no file can be made: refused with the reason, and nothing is captured")
def no_file():
    with World() as world:
        world.path.mkdir()
        said = instance.client("ctl", "capture", "user", "on", status=1)
        right(re.search(r"user\.pcapng: Is a directory", said), said)
        same(instance.client("ctl", "capture"), "signalling: off\nuser traffic: off\n", "the state")
        world.down(100)
        same(stats()["stats"]["worker"]["capture_frames"], 0, "capture_frames")
        world.path.rmdir()
        instance.client("ctl", "capture", "user", "on")
        instance.client("ctl", "capture", "user", "off")
        same(read(world.path), [], "frames of another capture")
        check_sound(world.program.finish())


main()
