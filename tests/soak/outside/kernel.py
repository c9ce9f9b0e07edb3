"""Linux's own TCP around `sluice run --tun`: a network namespace with the host, one with the MSs, a tun
device in each. The namespaces have no name: they end with the last process in them or with a device of
theirs, which are this one and the program, and the program ends with this one, even by SIGKILL.
"""

import atexit
import ctypes
import fcntl
import os
import pathlib
import socket
import struct
import subprocess
import threading
import time

import network
from harness import ROOT, Skip, right

HOST, PORT = "203.0.113.9", 20  # HOST of lab_keys.lua
MTU = 1500
TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 0x0001, 0x1000
TOTAL_RETRANS_AT, TCP_INFO_OCTETS = 100, 104  # of struct tcp_info, in linux/tcp.h
ALWAYS = {
    "net/ipv6/conf/all/disable_ipv6": 1,
    "net/ipv6/conf/default/disable_ipv6": 1,
    "net/ipv4/tcp_no_metrics_save": 1,  # what a kernel keeps from one connection to the next
    "net/ipv4/tcp_wmem": "4096 16384 4194304",
}


def sluice():
    return os.environ.get("SLUICE", str(ROOT / "build/release/sluice"))


def needs():
    network.needs("ip", "setpriv")
    if not os.path.exists("/dev/net/tun"):
        raise Skip("no /dev/net/tun here: modprobe tun, or pass the device into the container")


def namespace():
    """A path for network.inside; the descriptor in it is open as long as this process runs."""
    libc = ctypes.CDLL(None, use_errno=True)
    with network.inside("/proc/self/ns/net"):  # which comes back to where it was
        if libc.unshare(network.CLONE_NEWNET) != 0:
            raise Skip(f"no network namespace here: {os.strerror(ctypes.get_errno())}")
        return f"/proc/self/fd/{os.open('/proc/self/ns/net', os.O_RDONLY)}"


def device(space, addresses, sysctls, initial_window=None):
    """A tun device with these addresses and all routes, in that namespace. Returns its descriptor."""
    with network.inside(space):
        for name, value in (ALWAYS | sysctls).items():
            pathlib.Path("/proc/sys", name).write_text(str(value))
        tun = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH22x", b"tun", IFF_TUN | IFF_NO_PI))
        for each in addresses:
            network.must("ip", "addr", "add", f"{each}/32", "dev", "tun")
        network.must("ip", "link", "set", "tun", "mtu", MTU, "txqueuelen", 10000, "up")
        window = ("initcwnd", initial_window) if initial_window else ()
        network.must("ip", "route", "add", "default", "dev", "tun", *window)
    return tun


def opened(space, bound_to, congestion):
    with network.inside(space):
        end = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    # Not by a sysctl: a namespace may only have what the kernel does not restrict.
    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, congestion.encode())
    end.bind(bound_to)
    return end


def background(function, *arguments):
    threading.Thread(target=function, args=arguments, daemon=True).start()


class Server:
    """Sends to whoever connects, without an end."""

    def __init__(self, space, backlog, congestion):
        self.listener = opened(space, ("", PORT), congestion)
        self.listener.listen(backlog)
        self.connections = []

    def serve(self):
        while True:
            connection, _ = self.listener.accept()
            self.connections.append(connection)
            background(self.send, connection)

    def send(self, connection):
        block = bytes(65536)
        try:
            while True:
                connection.sendall(block)
        except OSError:
            pass  # the end of the run

    def retransmitted_segments(self):
        """What the kernel itself says, of all connections."""
        told = (connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, TCP_INFO_OCTETS)
                for connection in self.connections)
        return sum(struct.unpack_from("=I", info, TOTAL_RETRANS_AT)[0] for info in told)


class Download:
    """An MS that takes all that comes."""

    def __init__(self, space, address, congestion):
        self.end = opened(space, (address, 0), congestion)
        self.octets = 0

    def run(self):
        try:
            self.end.connect((HOST, PORT))
            while octets := len(self.end.recv(1 << 20)):
                self.octets += octets
        except OSError:
            pass  # the end of the run


class Outside(threading.Thread):
    """The program between the two devices, from now on. When real time begins, `begin` is called with the
    run's time."""

    captures = "--pcap",

    def __init__(self, words, tuns):
        super().__init__(daemon=True)
        self.fault, self.late_s = None, 0
        self.program = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", sluice(), "run", *words, "--tun",
             f"{tuns[0]},{tuns[1]}", *self.captures, "--no-page", "--no-huge"], pass_fds=tuns,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        atexit.register(self.program.kill)
        for tun in tuns:
            os.close(tun)
        self.start()

    def run(self):
        said = []
        for line in self.program.stderr:
            said.append(line)
            if line.startswith("--tun: real time"):
                self.begin(float(line.split()[4]))
        if self.program.wait() != 0:
            self.fault = "".join(said)
        self.late_s = next((float(line.split()[5]) / 1e3 for line in said if "latest timer" in line), 0)

    def begin(self, now_s):
        raise NotImplementedError

    def ended(self):
        while self.is_alive():
            self.join(0.5)
        right(self.fault is None, self.fault)


def at(delay_s, function):
    timer = threading.Timer(delay_s, function)
    timer.daemon = True
    timer.start()


class Ping:
    """ICMP echo from an MS at an interval; round trips in s, by number."""

    HEAD = struct.Struct(">BBHHH")
    REQUEST, REPLY, IDENTITY = 8, 0, 1

    def __init__(self, space, address, octets, interval_s):
        with network.inside(space):
            self.end = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
        self.end.bind((address, 0))
        self.payload, self.interval_s = bytes(octets), interval_s
        self.sent_s, self.round_trip_s = {}, {}

    def run(self):
        background(self.listen)
        begin_s = time.monotonic()
        try:
            while True:
                number = len(self.sent_s) + 1
                echo = self.HEAD.pack(self.REQUEST, 0, 0, self.IDENTITY, number) + self.payload
                echo = echo[:2] + struct.pack(">H", network.checksum(echo)) + echo[4:]
                self.sent_s[number] = time.monotonic()
                self.end.sendto(echo, (HOST, 0))
                time.sleep(max(0, begin_s + number * self.interval_s - time.monotonic()))
        except OSError:
            pass  # the end of the run

    def listen(self):
        while True:
            icmp = self.end.recv(65536)[20:]
            now_s = time.monotonic()
            kind, _, _, identity, number = self.HEAD.unpack_from(icmp)
            if (kind, identity) == (self.REPLY, self.IDENTITY) and number in self.sent_s:
                self.round_trip_s.setdefault(number, now_s - self.sent_s[number])
