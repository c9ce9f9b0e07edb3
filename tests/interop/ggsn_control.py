#!/usr/bin/python3
"""`sluice ggsn` before an SGSN that is none of ours: sgsnemu of osmo-ggsn, which creates a PDP context by GTP-C, pings
Linux behind the GGSN through it, and deletes it. tshark reads every datagram without an error. Needs root, sgsnemu
and tshark, and takes some seconds, for it is real time."""

import json
import os
import pathlib
import signal
import socket
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))

import network  # noqa: E402
from harness import Failure, case, main, new_folder, program, right, same, until  # noqa: E402

SERVER, NETWORK, SGSN, GGSN = "203.0.113.9", "10.64.0.0/15", "127.0.0.1", "127.0.0.2"
PINGS = 4


class Parts:
    """A namespace with Gn on its loopback, one that is the Internet, and what runs in them."""

    def __init__(self, *options):
        network.needs("ip", "sgsnemu", "tshark", "dumpcap")
        self.gn, self.internet, self.folder = network.namespace(), network.namespace(), new_folder()
        self.running = []
        for words in (("tuntap", "add", "gi", "mode", "tun"), ("link", "set", "gi", "up"),
                      ("addr", "add", f"{SERVER}/32", "dev", "gi"), ("route", "add", NETWORK, "dev", "gi")):
            network.must("ip", "-n", self.internet, *words)
        self.pcap = self.folder / "gn.pcap"
        self.dumpcap = self.start("dumpcap", "-q", "-P", "-i", "lo", "-f", "udp", "-w", self.pcap)
        self.until(lambda: self.pcap.exists() and self.pcap.stat().st_size > 0, "dumpcap captures")
        self.ggsn = self.start(program(), "ggsn", "--pool", NETWORK, "--dns", SERVER, "--address", GGSN, "--sgsn", SGSN,
                               "--netns", self.internet, "--tun", "gi", "--json", *options)

    def start(self, *words):
        with self.text(words[0]).open("wb") as out:
            process = subprocess.Popen([*network.within(self.gn), *map(str, words)], stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=subprocess.STDOUT, cwd=self.folder)
        self.running.append(process)
        return process

    def text(self, name):
        return self.folder / f"{os.path.basename(name)}.log"

    def until(self, condition, what):
        return until(what, condition, lambda: "\n".join(text.read_text() for text in self.folder.glob("*.log")))

    def wait_for_ggsn(self):
        """It answers an echo request, and so is there."""
        with network.inside(self.gn):
            end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        with end:
            end.bind((SGSN, 0))
            end.settimeout(0.1)

            def answers():
                try:
                    end.sendto(bytes.fromhex("32010004000000000001 0000"), (GGSN, 2123))
                    return end.recv(100)
                except OSError:  # its port is closed, or nothing came
                    return None
            answer = self.until(answers, "an answer to an echo request")
        same((answer[:13].hex(), len(answer)), ("3202000600000000000100000e", 14), "the echo response")
        return answer[13]

    def sgsnemu(self, *options):
        """It has a context, and pings; stdbuf has it say so at once."""
        return self.start("stdbuf", "-oL", "sgsnemu", "-l", SGSN, "-r", GGSN, "--nsapi", "5", "--statedir", self.folder,
                          "--pidfile", self.folder / "pid", "--pinghost", SERVER, *options)

    def wait_for_pings(self, pings):
        self.until(lambda: self.text("stdbuf").read_text().count("bytes from") >= pings, f"{pings} pings")

    def end(self):
        for process in self.ggsn, self.dumpcap:
            process.send_signal(signal.SIGINT)
            self.until(lambda one=process: one.poll() is not None, "the end of a program")
        same(self.ggsn.returncode, 0, "exit status of sluice ggsn")
        return json.loads(self.text(program()).read_text())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.running:
            if process.poll() is None:
                process.kill()
            process.wait()
        for name in self.gn, self.internet:
            network.remove(name)


def dissected(pcap):
    """The types of GTP-C's messages, in order; fails if tshark finds anything wrong with one."""
    done = network.command("tshark", "-r", pcap, "-T", "fields", "-E", "separator=,", "-e", "udp.dstport", "-e", "udp.srcport",
                           "-e", "gtp.message", "-e", "gtp.cause", "-e", "gtp.user_ipv4", "-e", "_ws.malformed",
                           "-e", "_ws.expert.severity")
    if done.returncode != 0:
        raise Failure(done.stderr)
    rows = [line.split(",") for line in done.stdout.splitlines()]
    for row in rows:
        severities = [int(one, 0) for one in row[6].split(";") if one] if len(row) > 6 else []
        right(not row[5] and max(severities, default=0) < 0x600000, f"tshark: {row}")
    return [(int(row[2], 0), row[3], row[4]) for row in rows if "2123" in row[:2]]


@case("an SGSN creates a context, pings Linux through it, and deletes it; tshark has nothing to say")
def independent():
    with Parts("--recovery", "77") as parts:
        same(parts.wait_for_ggsn(), 77, "restart counter")
        process = parts.sgsnemu("--imsi", "262420123456789", "--pingcount", PINGS)
        parts.wait_for_pings(PINGS)
        parts.until(lambda: process.poll() is not None, "the end of sgsnemu")
        right("Received echo response" in parts.text("stdbuf").read_text(), "sgsnemu has its echo response")
        report = parts.end()
        gtpc = report["gtpc"]
        same({key: gtpc[key] for key in ("contexts", "created", "deleted", "refused", "odd", "other", "strangers")},
             {"contexts": 0, "created": 1, "deleted": 1, "refused": 0, "odd": 0, "other": 0, "strangers": 0}, "counts")
        right(gtpc["echoes"] >= 2, f"echo requests: {gtpc}")
        right(report["messages_taken"] >= PINGS and report["packets_sent"] >= PINGS, f"{report}")
        found = dissected(parts.pcap)
        same([one for one in found if one[0] in (16, 17)], [(16, "", ""), (17, "128", "10.64.0.2")], "CREATE and its answer")
        same([one for one in found if one[0] in (20, 21)], [(20, "", ""), (21, "128", "")], "DELETE and its answer")


@case("the SGSN starts again: its old contexts are gone, and it gets a new one")
def sgsn_restarts():
    with Parts() as parts:
        parts.wait_for_ggsn()
        for imsi in "262420123456781", "262420123456782":
            process = parts.sgsnemu("--imsi", imsi)
            parts.wait_for_pings(1)
            process.kill()
            process.wait()
        gtpc = parts.end()["gtpc"]
        same((gtpc["created"], gtpc["restarted"], gtpc["contexts"]), (2, 1, 1), "made, ended by a restart, left")


main()
