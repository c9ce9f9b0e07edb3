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

    def configure(self):
        """Addresses. Duplicates are not looked for: that takes seconds, and there are none."""
        for device, ipv4, ipv6 in ("gn", GGSN4, GGSN6), ("gb", BSS4, BSS6):
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


def veth(queues=1, names=(None, None)):
    """The namespace of the program, that of Linux, and the devices' names."""
    needs("ip", "ethtool")
    ours, theirs = map(namespace, names)
    for device in "gn", "gb":
        done = command("ip", "-n", ours, "link", "add", device, "type", "veth", "peer", "name",
                       device, "netns", theirs)
        if done.returncode != 0:
            raise Skip(f"no veth pair here: {done.stderr.strip()}")
        must(*within(theirs), "ethtool", "-K", device, "tx", "off")
        # else the kernel of our side answers neighbour solicitations, too
        must(*within(ours), "sh", "-c",
             f"echo 1 > /proc/sys/net/ipv6/conf/{device}/disable_ipv6")
        must("ip", "-n", ours, "link", "set", device, "up")
    return (ours, theirs, f"net_af_packet0,iface=gn,qpairs={queues}",
            f"net_af_packet1,iface=gb,qpairs={queues}")


def tap():
    """The taps are there once the program runs, in Linux's own namespace."""
    needs("ip")
    if not os.path.exists("/dev/net/tun"):
        raise Skip("no /dev/net/tun here: modprobe tun, or pass the device into the container")
    name = namespace()
    return name, name, "net_tap0,iface=gn", "net_tap1,iface=gb"


# The namespaces have to go, whoever ends this process.
def end(*_):
    for number in signal.SIGTERM, signal.SIGINT, signal.SIGHUP:
        signal.signal(number, signal.SIG_IGN)
    sys.exit(1)


signal.signal(signal.SIGTERM, end)
