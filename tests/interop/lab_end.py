#!/usr/bin/python3
"""`./run lab` leaves nothing behind: neither what was kept, nor what was interrupted or killed in the middle.
Needs osmo-pcu; real time."""

import os
import pathlib
import re
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))

import network  # noqa: E402
from harness import TIMEOUT_S, WAIT_S, case, main, right, same, until  # noqa: E402

LAB = sys.executable, "-B", str(HERE / "lab.py")
PROGRAMS = 4  # sluice run, bts, ggsn and osmo-pcu; each in a namespace


def able():
    """Else the case is skipped."""
    network.needs("ip", "ethtool", "ping", "curl", "osmo-pcu", "dumpcap")
    network.namespace()


def lab(*words):
    return subprocess.run([*LAB, *words], stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
                          timeout=TIMEOUT_S, check=False)


def namespaces(pids):
    """Of the labs of those processes."""
    return [path.name for path in pathlib.Path("/run/netns").glob("sluice-*-*-*")
            if int(path.name.split("-")[2]) in pids]


def inside(names):
    """The processes in them."""
    return [pid for name in names for pid in network.command("ip", "netns", "pids", name).stdout.split()]


def children(pid):
    return [int(one) for one in
            pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def gone(pids, processes):
    same(namespaces(pids), [], "namespaces left")
    until("no process is left", lambda: not any(os.path.exists(f"/proc/{pid}") for pid in processes))


def kept(*words):
    """The text of a lab that is up, and its process."""
    able()
    done = lab("keep", *words)
    same(done.returncode, 0, f"status of keep; it said {done.stderr}{done.stdout}")
    same(re.findall(r"^\d\d:\d\d:\d\d .*(begin|first ping)", done.stderr, re.MULTILINE), ["begin", "first ping"], "progress")
    return done.stdout, int(re.search(r"sluice-kept-(\d+)-internet", done.stdout)[1])


@case("what keep --ecn says to type works: a ping of an MS, the cell; down ends it")
def kept_and_down():
    text, pid = kept("--ecn")
    same(network.command(*network.within(f"sluice-kept-{pid}-phones"), "cat", "/proc/sys/net/ipv4/tcp_ecn").stdout,
         "1\n", "net.ipv4.tcp_ecn of the MSs")
    processes = inside(namespaces([pid]))
    right(len(processes) >= PROGRAMS, f"{len(processes)} processes in namespaces")
    ping = re.search(r"ip netns exec \S+ ping \S+", text)[0].split()
    answer = network.command(*ping, "-c", "1", "-W", WAIT_S // 2)
    same(answer.returncode, 0, f"status of ping: {answer.stdout}{answer.stderr}")
    stats = re.search(r"sluice (stats .*)", text)[1].split()
    cell = network.command(os.environ["SLUICE"], *stats)
    right("101-103" in cell.stdout, f"{stats}: {cell.stdout}{cell.stderr}")
    done = lab("down", str(pid))
    same(done.stdout, "labs ended: 1\n", "down")
    right(done.stderr.endswith(f" lab {pid} ends\n"), f"progress of down: {done.stderr}")
    gone([pid], processes)


@case("a lab that was killed leaves its namespaces; down removes them, and ends what runs there")
def killed():
    _, pid = kept()
    processes = inside(namespaces([pid]))
    os.kill(pid, signal.SIGKILL)
    until("its end", lambda: "lab.py" not in network.command("cat", f"/proc/{pid}/cmdline").stdout)
    same(len(namespaces([pid])), 4, "namespaces after SIGKILL")
    same(lab("down", str(pid)).stdout, "labs ended: 1\n", "down")
    gone([pid], processes)


def interrupted(number):
    able()
    one = subprocess.Popen(LAB, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, encoding="utf-8")
    for line in one.stderr:
        if "up in" in line:
            break
    chains = children(one.pid)
    same(len(chains), 2, "chains at once")
    until("the programs of both chains", lambda: len(inside(namespaces(chains))) >= 2 * PROGRAMS,
          lambda: inside(namespaces(chains)))
    processes = inside(namespaces(chains))
    one.send_signal(number)
    one.stderr.close()
    until("its end", lambda: one.poll() is not None)
    same(one.returncode, 1, "exit status")
    gone(chains, processes)


for name in "SIGINT", "SIGTERM":
    case(f"{name} in the middle of a lab: nothing is left", getattr(signal, name))(interrupted)

main()
