"""A network for a run in real time: a namespace with a Linux host in it, whose two interfaces `gn`
and `gb` lead to the ports of the program, by veth pairs (net_af_packet) or as taps (net_tap).

Both namespaces have names of their own and go away with this process, and all that was made with them.
Where the kernel refuses them, or the devices, the case is a SKIP that says so. Linux writes no UDP
checksums on veth unless it is told to (ethtool -K tx off).
"""

import atexit
import contextlib
import ctypes
import os
import re
import secrets
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

from checksums import checksum
from harness import WAIT_S, Failure, Skip, right

CLONE_NEWNET = 0x40000000
GTPU_PORT, NS_PORT = 2152, 23000

# Ours, Linux's.
GN4, GGSN4 = "192.0.2.1", "192.0.2.2"
GN6, GGSN6 = "2001:db8::1", "2001:db8::2"
GB4, BSS4 = "198.51.100.1", "198.51.100.2"
GB6, BSS6 = "2001:db8:1::1", "2001:db8:1::2"


def command(*words):
    return subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL,
                          capture_output=True, encoding="utf-8", timeout=WAIT_S, check=False)


def must(*words):
    done = command(*words)
    right(done.returncode == 0, f"{' '.join(map(str, words))}: {done.stderr.strip()}")


def remove(name):
    """Also ends what runs in there."""
    for pid in command("ip", "netns", "pids", name).stdout.split():
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(pid), signal.SIGKILL)
    command("ip", "netns", "del", name)


def namespace(name=None):
    name = name or f"sluice-{secrets.token_hex(4)}"
    atexit.register(remove, name)  # first, for a signal may come at any time
    done = command("ip", "netns", "add", name)
    if done.returncode != 0:
        raise Skip(f"no network namespace here: {done.stderr.strip().splitlines()[-1]}")
    done = command("ip", "-n", name, "link", "set", "lo", "up")
    if done.returncode != 0:  # such as in a chroot, whose / is no mount
        raise Skip(f"no way into a network namespace here: {done.stderr.strip().splitlines()[-1]}")
    return name


def within(name):
    """The words before a command that runs it in that namespace. Not `ip netns exec`: that mounts /sys again, for which
    the kernel may let it wait for 10 s and more when all processors are busy."""
    return "nsenter", f"--net=/run/netns/{name}"


@contextlib.contextmanager
def inside(name):
    """What is opened in here belongs to that namespace, by its name or as a file, and stays there."""
    libc = ctypes.CDLL(None, use_errno=True)

    def enter(descriptor):
        if libc.setns(descriptor, CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")

    with open("/proc/thread-self/ns/net", "rb") as here, open(os.path.join("/run/netns", name), "rb") as there:
        enter(there.fileno())
        try:
            yield
        finally:
            enter(here.fileno())


def needs(*programs):
    if os.geteuid() != 0:
        raise Skip("only root may make network namespaces")
    for name in programs:
        if not shutil.which(name):
            raise Skip(f"needs the program {name}")


def echo_request(identity, payload, ipv6=False):
    echo = struct.pack(">BBHHH", 128 if ipv6 else 8, 0, 0, identity, 1) + payload
    if ipv6:  # Linux writes the checksum
        return echo
    return echo[:2] + struct.pack(">H", checksum(echo)) + echo[4:]


class Host:
    """The Linux at the far end of both ports."""

    def __init__(self, name):
        self.name = name

    devices = "gn", "gb"

    def configure(self):
        """Addresses. Duplicates are not looked for: that takes seconds, and there are none."""
        for device, ipv4, ipv6 in zip(self.devices, (GGSN4, BSS4), (GGSN6, BSS6)):
            must("ip", "-n", self.name, "addr", "add", f"{ipv4}/24", "dev", device)
            must("ip", "-n", self.name, "addr", "add", f"{ipv6}/64", "dev", device, "nodad")
            must("ip", "-n", self.name, "link", "set", device, "up")

    def udp(self, address, port):
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        with inside(self.name):
            end = socket.socket(family, socket.SOCK_DGRAM)
        end.bind((address, port))
        end.settimeout(WAIT_S)
        return end

    def mac(self):
        """Of its end of Gn."""
        done = command("ip", "-n", self.name, "link", "show", self.devices[0])
        return re.search(r"link/ether (\S+)", done.stdout)[1]

    def neighbours(self):
        """{address: its Ethernet address} that Linux has learnt."""
        done = command("ip", "-n", self.name, "neigh", "show")
        return dict(re.findall(r"^(\S+) .*lladdr (\S+)", done.stdout, re.MULTILINE))

    def ping(self, address, octets):
        """ICMP echo with a payload of that many octets; fails unless it comes back as it went."""
        ipv6 = ":" in address
        with inside(self.name):
            end = (socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6) if ipv6
                   else socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP))
        payload = secrets.token_bytes(octets)
        identity = secrets.randbits(16)
        echo = echo_request(identity, payload, ipv6)
        wanted = struct.pack(">HH", identity, 1) + payload
        with end:
            end.sendto(echo, (address, 0))
            deadline = time.monotonic() + WAIT_S
            while select.select([end], [], [], max(0, deadline - time.monotonic()))[0]:
                answer = end.recv(65536)
                answer = answer if ipv6 else answer[(answer[0] & 15) * 4:]
                if answer[0] == (129 if ipv6 else 0) and answer[4:] == wanted:
                    return
        raise Failure(f"not within {WAIT_S} s: an answer to a ping of {octets} octets to {address}")


SOL_PACKET, PACKET_AUXDATA, PACKET_IGNORE_OUTGOING, ETH_P_ALL = 263, 8, 23, 3
TP_STATUS_VLAN_VALID = 0x10
AUXDATA = struct.Struct("=IIIHHHH")  # struct tpacket_auxdata


class Vlan(threading.Thread):
    """Carries frames between a link, with the tag of that VLAN, and an interface without tags, where the kernel has no
    VLANs itself. It takes the outer tag off what a socket receives, and tells it beside."""

    def __init__(self, space, link, vlan, interface):
        super().__init__(daemon=True)
        self.vlan = vlan
        with inside(space):
            self.tagged, self.plain = [socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0) for _ in "12"]
        for end, name in (self.tagged, link), (self.plain, interface):
            end.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
            end.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
            end.bind((name, ETH_P_ALL))
        self.start()

    def run(self):
        with contextlib.suppress(OSError):  # the end of the namespace
            while True:
                for end in select.select([self.tagged, self.plain], [], [])[0]:
                    self.carry(end)

    def carry(self, end):
        octets, beside, _, _ = end.recvmsg(65536, 64)
        status, _, _, _, _, word, _ = AUXDATA.unpack(beside[0][2][:AUXDATA.size])
        if end is self.plain:
            self.tagged.send(octets[:12] + struct.pack(">HH", 0x8100, self.vlan) + octets[12:])
        elif status & TP_STATUS_VLAN_VALID and word & 0xFFF == self.vlan:
            self.plain.send(octets)


class VlanHost(Host):
    """Its ends of Gn and Gb are in VLANs 100 and 200: of `gn` and `gb`, or both of `trunk`, whichever is there."""

    devices = "gn.100", "gb.200"

    def link(self, name):
        return name if command("ip", "-n", self.name, "link", "show", name).returncode == 0 else "trunk"

    def quiet(self, link):
        """What would come from there by itself has no tag."""
        must(*within(self.name), "sh", "-c", f"echo 1 > /proc/sys/net/ipv6/conf/{link}/disable_ipv6")
        must("ip", "-n", self.name, "link", "set", link, "up")

    def configure(self):
        for device in self.devices:
            link, vlan = self.link(device.split(".")[0]), int(device.split(".")[1])
            self.quiet(link)
            add = "ip", "-n", self.name, "link", "add"
            if command(*add, "link", link, "name", device, "type", "vlan", "id", vlan).returncode != 0:
                must(*add, device, "type", "veth", "peer", "name", f"{device}-in")
                must(*within(self.name), "ethtool", "-K", device, "tx", "off")
                self.quiet(f"{device}-in")
                Vlan(self.name, link, vlan, f"{device}-in")
        super().configure()


def veth(queues=1, names=(None, None), links=("gn", "gb")):
    """The namespace of the program, that of Linux, and the devices' names; of one link it is the same twice."""
    needs("ip", "ethtool")
    ours, theirs = map(namespace, names)
    for device in links:
        done = command("ip", "-n", ours, "link", "add", device, "type", "veth", "peer", "name",
                       device, "netns", theirs)
        if done.returncode != 0:
            raise Skip(f"no veth pair here: {done.stderr.strip()}")
        must(*within(theirs), "ethtool", "-K", device, "tx", "off")
        # else the kernel of our side answers neighbour solicitations, too
        must(*within(ours), "sh", "-c",
             f"echo 1 > /proc/sys/net/ipv6/conf/{device}/disable_ipv6")
        must("ip", "-n", ours, "link", "set", device, "up")
    found = [f"net_af_packet{i},iface={device},qpairs={queues}" for i, device in enumerate(links)]
    return ours, theirs, found[0], found[-1]


def tap(links=("gn", "gb")):
    """The taps are there once the program runs, in Linux's own namespace; of one link it is the same twice."""
    needs("ip")
    if not os.path.exists("/dev/net/tun"):
        raise Skip("no /dev/net/tun here: modprobe tun, or pass the device into the container")
    name = namespace()
    found = [f"net_tap{i},iface={device}" for i, device in enumerate(links)]
    return name, name, found[0], found[-1]


# The namespaces have to go, whoever ends this process.
def end(*_):
    for number in signal.SIGTERM, signal.SIGINT, signal.SIGHUP:
        signal.signal(number, signal.SIG_IGN)
    sys.exit(1)


signal.signal(signal.SIGTERM, end)
