#!/usr/bin/python3
"""sluice gi --interface for ten minutes in a namespace of its own, while connections of Linux's own come and go: its
memory stays what it was, each connection is a row of the CSV, and each interval a row of --series.

    gi_ring.py [MINUTES] [CONNECTIONS A SECOND]     10 and 50

A connection that is closed is forgotten after a minute of silence, so memory is compared from the third minute on: in
no later second more than 1 % above the most of the third minute. All come from the same thousand users: the sums of up
to 65 536 users are kept to the end, 160 octets each, and would otherwise be what grows."""

import csv
import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/e2e"))
os.environ.setdefault("SLUICE", str(ROOT / "build/release/sluice"))

import network  # noqa: E402
from harness import new_folder, program, until  # noqa: E402

REQUEST, RESPONSE, SETTLED_S, MORE, USERS = bytes(300), bytes(20_000), 120, 1.01, 1000


def serve(listener):
    """Answers one request of each connection, and closes."""
    while True:
        try:
            peer = listener.accept()[0]
        except OSError:
            return
        with peer:
            peer.settimeout(10)
            if peer.recv(len(REQUEST), socket.MSG_WAITALL):
                peer.sendall(RESPONSE)


def fetch(address, number):
    """By the user of that number: each has an address of the loopback's."""
    user = f"127.1.{number >> 8}.{number & 255}"
    with socket.create_connection(address, timeout=10, source_address=(user, 0)) as client:
        client.sendall(REQUEST)
        left = len(RESPONSE)
        while left:
            left -= len(client.recv(65536))
        client.recv(1)


def resident_kib(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise SystemExit(f"{pid} has no VmRSS")


def capture(folder, namespace):
    """gi at the loopback of that namespace, once it captures."""
    process = subprocess.Popen(
        [*network.within(namespace), program(), "gi", "--interface", "lo", "--csv", "flows.csv", "--series", "-",
         "--filter", "tcp"], cwd=folder, stdin=subprocess.DEVNULL, stdout=(folder / "series.csv").open("wb"),
        stderr=(folder / "err").open("wb"))
    until("it captures", lambda: "captures at lo" in (folder / "err").read_text())
    return process


def rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def main():
    minutes, each_s = (int(word) if word else other for word, other in zip(sys.argv[1:] + [""] * 2, (10, 50)))
    if minutes < 4:
        raise SystemExit("gi_ring: at least 4 minutes, as the third is compared with those after it")
    network.needs("ip", "nsenter")
    namespace, folder = network.namespace(), new_folder()
    with network.inside(namespace):
        listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        threading.Thread(target=serve, args=(listener,), daemon=True).start()
        process = capture(folder, namespace)
        began, made, next_s, memory = time.monotonic(), 0, 0, []
        while (passed := time.monotonic() - began) < 60 * minutes:
            if made / each_s > passed:
                time.sleep(made / each_s - passed)
            fetch(listener.getsockname(), made % USERS)
            made += 1
            if passed >= next_s:
                memory.append(resident_kib(process.pid))
                next_s += 1
                if len(memory) % 30 == 1:
                    print(f"# {passed:.0f} s: {made} connections, {memory[-1]} KiB", flush=True)
        process.send_signal(signal.SIGINT)
        until("its end", lambda: process.poll() is not None)
        listener.close()
    flows, series = rows(folder / "flows.csv"), rows(folder / "series.csv")
    most, before = max(memory[SETTLED_S + 60:]), max(memory[SETTLED_S:SETTLED_S + 60])
    checks = {
        f"it ends with 0, here {process.returncode}": process.returncode == 0,
        f"{made} connections, {len(flows)} rows": made == len(flows),
        f"an interval of 10 s each, {len(series)} rows": abs(len(series) - 6 * minutes) <= 1,
        f"the third minute {before} KiB at most, later {most}": most <= MORE * before}
    for text, holds in checks.items():
        print(f"{'passed' if holds else 'FAILED'}  {text}")
    print(f"{sum(checks.values())} passed, {len(checks) - sum(checks.values())} failed")
    return 0 if all(checks.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
