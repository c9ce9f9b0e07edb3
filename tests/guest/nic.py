#!/usr/bin/python3
"""Within a guest: real time over two NICs that DPDK drives itself. Their cables lead to NICs of Linux in a namespace:
the cases are those of real.py, and besides cables that are pulled, restarts, MTUs, and too few huge pages.

    nic.py MODULE    the kernel's driver through which DPDK reaches the NICs, such as vfio-pci
"""

import contextlib
import functools
import json
import pathlib
import signal
import socket
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/e2e"), str(ROOT / "tests/guest")]

import network  # noqa: E402
import nics  # noqa: E402
import real  # noqa: E402
import tags  # noqa: E402
from checksums import checksum  # noqa: E402
from harness import case, check_sound, main, right, same, sluice, until, written  # noqa: E402


class Monitor:
    """The machine's own monitor (QMP)."""

    def __init__(self):
        self.port = open(*pathlib.Path("/dev").glob("vport*p1"), "r+b", buffering=0)
        self.number = 0
        self.ask("qmp_capabilities")

    def ask(self, command, **arguments):
        """The first line that the port gives may lack its beginning, and events come between."""
        self.number += 1
        question = {"execute": command, "arguments": arguments, "id": self.number}
        self.port.write(json.dumps(question).encode() + b"\n")
        for line in self.port:
            with contextlib.suppress(json.JSONDecodeError):
                answer = json.loads(line)
                if answer.get("id") == self.number:
                    right("return" in answer, f"{command}: {answer}")
                    return

    def cable(self, name, plugged):
        self.ask("set_link", name=f"{name}-ours", up=plugged)


monitor = functools.cache(Monitor)


def connected(*sets, on=nics.devices, host=network.Host):
    world = real.World(on, "run.idle=sleep", *sets, host=host)
    nics.connect(world)
    return world


def both_ways(world, octets=(20, 576, 1400)):
    for ms in real.FOUR, real.SIX:
        real.sent_down(world, ms, [world.packet(ms, one) for one in octets])
        real.sent_up(world, ms, [world.packet(ms, one) for one in octets], 496)


def ended(world):
    summary = world.program.finish()
    check_sound(summary)
    same([line for line in world.program.said().splitlines() if "EAL: " in line], [], "what DPDK complains of")
    return summary["worker"]["ports"]


real.cases(nics.devices, connect=nics.connect, sums=nics.sums())


@case("a cable that is pulled and plugged in: a line each, and traffic both ways as before")
def pulled():
    world = connected("run.user=nobody")
    both_ways(world)
    for name in "gn", "gb", "gn":
        so_far = len(world.program.said())
        for plugged, line in (False, f" error {name}: its link is down\n"), (True, f" info  {name}: its link is up\n"):
            monitor().cable(name, plugged)
            until(f"'{line.strip()}'", lambda wanted=line: wanted in world.program.said()[so_far:], world.program.said)
        both_ways(world)
    same([port["nic"]["link_downs"] for port in real.port_stats()], [2, 1], "how often each went down")
    ended(world)


def refused(gn, *options):
    """What it says."""
    nics.prepare()
    config = written(real.CONFIG.replace("GN_DEVICE", gn).replace("GB_DEVICE", nics.OURS["gb"]))
    done = sluice("run", config, *options)
    same(done.returncode, 1, "exit status")
    return done.stderr


@case("without huge pages it refuses, and says what to do")
def huge_pages():
    said = refused(nics.OURS["gn"], "--no-huge")
    right(f"{nics.OURS['gn']}: a NIC needs huge pages, see above" in said, said)


@case("a NIC that is not there: it says which, and what to do")
def no_nic():
    said = refused("0000:00:1e.7")
    for part in "gn: ", "0000:00:1e.7", "apt-cache search librte-net", "config/nic.lua":
        right(part in said, f"'{part}' is not in:\n{said}")


@case("ended and started again, killed and started again: traffic both ways at once")
def again():
    for number in signal.SIGTERM, signal.SIGKILL, signal.SIGKILL, signal.SIGTERM:
        world = connected()
        both_ways(world)
        if number == signal.SIGKILL:
            world.program.kill()
        else:
            ended(world)


@case("each MTU: what is as large comes whole, what is larger in fragments, both ways")
def mtus():
    for mtu in 1280, 1500, 1536, 4000, 9000:
        world = connected(f"gn.mtu={mtu} octets", f"gb.mtu={mtu} octets")
        for name in nics.OURS:
            network.must("ip", "-n", world.host.name, "link", "set", name, "mtu", mtu)
        for address, headers in (network.GN4, 28), (network.GB4, 28), (network.GN6, 48), (network.GB6, 48):
            world.host.ping(address, mtu - headers)
            world.host.ping(address, mtu - headers + 1)
        ports = ended(world)
        same({name: (port["joined_packets"], port["tx_fragmented"]) for name, port in ports.items()},
             {"gn": (2, 2), "gb": (2, 2)}, f"joined and sent in fragments with an MTU of {mtu}")


def one_nic():
    """As nics.devices(), but both ports are at Gn's NIC."""
    ours, theirs, gn, _ = nics.devices()
    return ours, theirs, gn, gn


class OneLink(network.VlanHost):
    def link(self, name):
        return "gn"


def counted():
    """A virtio device passes only VLANs that it was told of, and what seems to have no tag."""
    if nics.vendor() != nics.VIRTIO:
        return tags.STRANGE
    return [[], [(tags.C, 100), (tags.C, 100)], [(tags.S, 5), (tags.C, 100)]]


@case("VLANs, of a NIC each and both of one NIC: traffic both ways, what is of none dropped, MTUs up to 9000")
def vlans():
    for on, host in (nics.devices, network.VlanHost), (one_nic, OneLink):
        for mtu in 1500, 9000:
            world = connected("gn.vlan=100", "gb.vlan=200", f"gn.mtu={mtu} octets", f"gb.mtu={mtu} octets", on=on,
                              host=host)
            both_ways(world)
            same(tags.judged(world, "gn", tags.STRANGE), len(counted()), "how many were dropped for their tags")
            for link in dict.fromkeys(map(world.host.link, nics.OURS)), ("gn.100", "gb.200"):
                for name in link:
                    network.must("ip", "-n", world.host.name, "link", "set", name, "mtu", mtu)
            for address, headers in (network.GN4, 28), (network.GB4, 28), (network.GN6, 48), (network.GB6, 48):
                world.host.ping(address, mtu - headers)
                world.host.ping(address, mtu - headers + 1)
            ports = ended(world)
            same({name: (port["joined_packets"], port["tx_fragmented"]) for name, port in ports.items()},
                 {"gn": (2, 2), "gb": (2, 2)}, f"joined and sent in fragments with an MTU of {mtu}")


IP_SUM_AT, UDP_AT, UDP_SUM_AT = 24, 34, 40


def summed(frame, wrong_at=None):
    """With a UDP checksum; the one there is wrong."""
    octets = bytearray(frame)
    end = UDP_AT + struct.unpack_from(">H", octets, UDP_AT + 4)[0]
    pseudo = octets[26:34] + b"\0\x11" + octets[UDP_AT + 4:UDP_AT + 6]
    struct.pack_into(">H", octets, UDP_SUM_AT, checksum(bytes(pseudo + octets[UDP_AT:end])))
    if wrong_at:
        octets[wrong_at] ^= 0x55
    return bytes(octets)


# Of QEMU's NICs those that judge UDP checksums themselves. On Gn Sluice leaves that to the NIC; IPv4's it always checks.
JUDGES = {nics.INTEL}


def sum_drops():
    drops = real.port_stats()[0].get("drops", {})
    return [drops.get(why, 0) for why in ("ip_header", "udp_checksum")]


@case("checksums: IPv4's is always checked, UDP's on Gn by a NIC that can; what is wrong is dropped and counted")
def checksums():
    world = connected()
    with network.inside(world.host.name):
        end = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    end.bind(("gn", 0))
    judges = nics.vendor() in JUDGES
    for wrong_at, answers, drops in ((None, 1, [0, 0]), (IP_SUM_AT, 0, [1, 0]),
                                     (UDP_SUM_AT, int(not judges), [0, int(judges)])):
        before = sum_drops()
        end.send(summed(tags.echo_request(world, []), wrong_at))
        same(len(tags.answers(world)), answers, f"answers, with octet {wrong_at} wrong")
        same([now - then for now, then in zip(sum_drops(), before)], drops, f"drops, with octet {wrong_at} wrong")
    print(f"# UDP checksums on Gn are judged by {'the NIC' if judges else 'nobody'}")
    ended(world)


main()
