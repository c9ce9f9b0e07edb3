#!/usr/bin/python3
"""sluice gi --interface: what passes at an interface now, until SIGINT; what cannot be captured; an interface that goes."""

import json
import signal
import socket
import subprocess
import threading

import network
from harness import WAIT_S, case, main, new_folder, program, right, same, sluice, until

REQUEST, RESPONSE = 300, 200_000


class Live:
    """A `sluice gi` at an interface of a namespace, when it captures."""

    def __init__(self, namespace, interface, *words):
        self.folder = new_folder()
        self.process = subprocess.Popen(
            [*network.within(namespace), program(), "gi", "--interface", interface, *map(str, words), "--json", "x.json"],
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=(self.folder / "out").open("wb"),
            stderr=(self.folder / "err").open("wb"))
        self.head = f"sluice gi: captures at {interface} until Ctrl-C\n"
        until("it captures", lambda: self.head in (self.folder / "err").read_text())

    def said(self):
        """Behind its first line."""
        return (self.folder / "err").read_text().removeprefix(self.head)

    def ended(self, number=None):
        """Its report."""
        if number:
            self.process.send_signal(number)
        until("its end", lambda: self.process.poll() is not None, self.said)
        return json.loads((self.folder / "x.json").read_text())


def serve(listener):
    peer = listener.accept()[0]
    left = REQUEST
    while left:
        left -= len(peer.recv(left))
    peer.sendall(bytes(RESPONSE))
    peer.close()


def talk(namespace, address):
    """A request and its response over a connection of Linux's own; the client's port."""
    with network.inside(namespace):
        listener, client = socket.create_server((address, 0)), socket.socket()
    listener.settimeout(WAIT_S)
    client.settimeout(WAIT_S)
    server = threading.Thread(target=serve, args=(listener,))
    server.start()
    client.connect(listener.getsockname())
    port = client.getsockname()[1]
    client.sendall(bytes(REQUEST))
    while client.recv(65536):
        pass
    client.close()
    server.join()
    listener.close()
    return port


@case("each octet of the connections that pass is in the report that SIGINT or SIGTERM ends", ("lo", signal.SIGINT))
@case("the same at all interfaces, and of one port alone", ("any", signal.SIGTERM))
def whole(how):
    interface, number = how
    network.needs("ip", "nsenter")
    namespace = network.namespace()
    live = Live(namespace, interface, "--filter", "tcp")
    ports = [talk(namespace, "127.0.0.1") for _ in range(3)]
    report = live.ended(number)
    same((live.process.returncode, live.said()), (0, ""), "exit status, what it says")
    flows = {flow["user_port"]: flow for flow in report["flows"]}
    same(sorted(flows), sorted(ports), "ports of the users")
    for port, flow in flows.items():
        same((flow["down_data_octets"] - flow["down_resent_octets"], flow["up_data_octets"]), (RESPONSE, REQUEST),
             f"octets of port {port}, without repetitions")
    same((report["files"][0]["file"], report["files"][0]["fault"]), (interface, None), "what was read")


@case("an interface that is not there, files beside one, and neither: one line")
def wrong():
    for words, status, text in ((("--interface", "none0"), 1, "sluice gi: none0: "),
                                (("--interface", "lo", "x.pcap"), 2, "sluice gi: one capture at least needed"),
                                ((), 2, "sluice gi: one capture at least needed")):
        done = sluice("gi", *words)
        same((done.returncode, done.stdout), (status, ""), words)
        right(done.stderr.startswith(text) and done.stderr.count("\n") == 1, done.stderr)


@case("an interface that goes ends it; what had passed is in the report, and why it has ended")
def gone():
    network.needs("ip", "nsenter")
    namespace = network.namespace()
    network.must("ip", "-n", namespace, "link", "add", "x0", "type", "veth", "peer", "name", "x1")
    network.must("ip", "-n", namespace, "link", "set", "x0", "up")
    live = Live(namespace, "x0")
    network.must("ip", "-n", namespace, "link", "del", "x0")
    report = live.ended()
    same(live.process.returncode, 1, "exit status")
    right(report["files"][0]["fault"] and report["files"][0]["fault"] in live.said(), live.said())


main()
