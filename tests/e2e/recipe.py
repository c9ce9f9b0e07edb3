#!/usr/bin/python3
"""What config/network.md says, line for line as it stands there, in namespaces that go away: the run
comes up, its ports answer, and each MS of config/nic.lua gets what is sent to it."""

import json
import os
import pathlib
import re
import select
import signal
import socket
import subprocess

import network
from harness import WAIT_S, case, main, new_folder, program, right, same, until
from network import BSS4, GGSN4, GN4, GTPU_PORT, NS_PORT

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE, HEADING = ROOT / "config/network.md", "## Without a NIC\n"
MANUAL = "--set nse[1].ns=manual --set nse[1].flow_control=open"


def blocks():
    """The section's indented blocks: the network and the run, what to ask from a second terminal."""
    text = PAGE.read_text().partition(HEADING)[2].partition("\n## ")[0]
    return [re.sub("^    ", "", block, flags=re.MULTILINE)
            for block in re.findall(r"(?:^    .*\n)+", text, re.MULTILINE)]


class Recipe:
    """A shell that does the first block; `far` is the namespace of that name, which is the shell's."""

    def __init__(self, ours, words=""):
        first = blocks()[0]
        right("ip netns add far" in first and "sluice run config/nic.lua" in first, first)
        setup, run = first[:first.index("build/release/sluice")], first[first.index("build/re"):]
        run = run.replace("build/release/sluice", program(), 1).rstrip() + " " + words
        self.folder = new_folder()
        os.symlink(ROOT / "config", self.folder / "config")
        script = (f"set -e\nmount -t tmpfs tmpfs /run/netns\n{setup}\n"
                  f"ip netns exec far sleep infinity & echo $! >far\nexec {run}\n")
        self.process = subprocess.Popen(
            ["ip", "netns", "exec", ours, "unshare", "--mount", "bash", "-c", script],
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=(self.folder / "stderr").open("wb"), start_new_session=True)

    def said(self):
        return (self.folder / "stderr").read_text(errors="backslashreplace")

    def wait_up(self):
        until("the run is up", lambda: "\nup: " in self.said() or self.process.poll() is not None, self.said)
        right("\nup: " in self.said(), f"it does not come up (exit {self.process.poll()}):\n{self.said()}")

    def far(self):
        return f"/proc/{(self.folder / 'far').read_text().strip()}/ns/net"

    def contexts(self):
        return json.loads((self.folder / "out/nic/contexts.json").read_text())

    def close(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def recipe(words=""):
    network.needs("ip", "ethtool", "unshare", "bash")
    done = Recipe(network.namespace(), words)
    try:
        done.wait_up()
    except AssertionError:
        done.close()
        raise
    return done


def udp(far, address, port):
    with network.inside(far):
        end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    end.bind((address, port))
    return end


def g_pdu(teid, number):
    packet = bytes([0x45, 0, 0, 40, 0, 0, 0, 0, 64, 17, 0, 0]) + bytes(28)
    return (bytes([0x30, 255]) + len(packet).to_bytes(2, "big") + teid.to_bytes(4, "big") + packet)


@case("each of its MSs gets what is sent to it, on the NS-VCs that there are")
def every_ms():
    run = recipe(MANUAL)
    try:
        ggsn, bss = udp(run.far(), GGSN4, GTPU_PORT), udp(run.far(), BSS4, NS_PORT)
        contexts = run.contexts()
        right(len(contexts) == 100, f"{len(contexts)} contexts")
        for number, one in enumerate(contexts):
            ggsn.sendto(g_pdu(one["teid"], number), (GN4, GTPU_PORT))
        tllis = set()
        while len(tllis) < len(contexts) and select.select([bss], [], [], WAIT_S)[0]:
            pdu = bss.recv(65536)
            if pdu[:1] == b"\0" and pdu[4:5] == b"\0":  # NS-UNITDATA with a DL-UNITDATA
                tllis.add(pdu[5:9])
        same(len(tllis), len(contexts), f"MSs that got something, when none had for {WAIT_S} s")
    finally:
        run.close()


@case("as it stands: it comes up, and its port answers a ping")
def as_it_stands():
    run = recipe()
    try:
        right(any("ping -c 3" in block for block in blocks()), f"no ping in {PAGE}")
        network.Host(run.far()).ping(GN4, 56)
    finally:
        run.close()


main()
