#!/usr/bin/python3
"""Within a guest with two NUMA nodes, whose NICs for Sluice are at the second: where threads and memory come to be, by
what the program says and by what the kernel says of its pages.

    numa.py MODULE    the kernel's driver through which DPDK reaches the NICs
"""

import collections
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/e2e"), str(ROOT / "tests/guest")]

import nics  # noqa: E402
import real  # noqa: E402
from harness import case, check_sound, main, right, same, sluice  # noqa: E402

# As soak/nic.py makes the machine: processors 0 and 1 at node 0, 2 and 3 at node 1.
NEAR, FAR, DISTANCE = 1, 0, 2.1
WORKER = "rte-worker-1"


def started(cores=""):
    config = real.CONFIG.replace('clock = "real"', f'clock = "real"{cores}')
    world = real.World(nics.devices, "run.idle=sleep", config=config)
    nics.connect(world)
    return world


def ran(world):
    for ms in real.FOUR, real.SIX:
        packets = [world.packet(ms, octets) for octets in (20, 576, 1400)]
        real.sent_down(world, ms, packets)
        real.sent_up(world, ms, packets, 496)
    check_sound(world.program.finish())


def pages(pid):
    """{node: huge pages of the process there}, by the kernel."""
    found = collections.Counter()
    for line in pathlib.Path(f"/proc/{pid}/numa_maps").read_text().splitlines():
        if " huge " in f"{line} ":
            for node, number in re.findall(r" N(\d+)=(\d+)", line):
                found[int(node)] += int(number)
    return found


def nodes():
    """What `sluice stats` says of them."""
    return json.loads(sluice("stats", "--json").stdout)["stats"]["numa_nodes"]


def mirror(pid):
    """{node: pages of the rings of the worker's mirror}, by the kernel; both mappings count."""
    found = collections.Counter()
    for line in pathlib.Path(f"/proc/{pid}/numa_maps").read_text().splitlines():
        if "memfd:mirror" in line:
            for node, number in re.findall(r" N(\d+)=(\d+)", line):
                found[int(node)] += int(number)
    return found


def processor_of(pid, name):
    """The only one that the thread of that name may use."""
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        if (task / "comm").read_text().strip() == name:
            status = (task / "status").read_text()
            return int(re.search(r"^Cpus_allowed_list:\t(\d+)$", status, re.MULTILINE)[1])
    right(False, f"no thread is called {name}")


@case("by default the worker is at the NICs' node, and all that it and the NICs use lies there")
def near():
    world = started()
    said, pid = world.program.said(), world.program.process.pid
    right("\nNUMA nodes: control 1, workers 1, their memory 1; gn's device 1, its buffers 1; gb's device 1, its buffers"
          " 1\n" in said, said)
    right("warning: worker" not in said and "warning: the memory" not in said, said)
    same(processor_of(pid, WORKER), 2, "the worker's processor")
    same(set(nodes().values()), {NEAR}, f"nodes in stats: {nodes()}")
    same(len(nodes()), 7, f"nodes in stats: {nodes()}")
    found = pages(pid)
    right(found[NEAR] > 20 * found[FAR], f"huge pages by node: {dict(found)}")
    ran(world)


@case("a worker at the other node: its memory is there, the NICs' is not, and a warning says the price")
def far():
    world = started(", cores = { 0, 1 }")
    said, pid = world.program.said(), world.program.process.pid
    right("\nNUMA nodes: control 0, workers 0, their memory 0; gn's device 1, its buffers 1; gb's device 1, its buffers"
          " 1\n" in said, said)
    for port in "gn", "gb":
        right(f"warning: worker 0, on processor 1, is at NUMA node 0, and {port}'s device and buffers at node 1" in said
              and f"over {DISTANCE} times" in said, said)
    same(processor_of(pid, WORKER), 1, "the worker's processor")
    same(nodes(), {"control": FAR, "worker_0": FAR, "worker_0_memory": FAR, "gn_device": NEAR, "gn_buffers": NEAR,
                   "gb_device": NEAR, "gb_buffers": NEAR}, "nodes in stats")
    found = pages(pid)
    right(min(found[NEAR], found[FAR]) > 5, f"huge pages by node: {dict(found)}")
    ran(world)


@case("control at the other node than its worker: the worker's mirror, which control's side makes, is at the worker's")
def apart():
    world = started(", cores = { 0, 2 }")
    pid = world.program.process.pid
    same((nodes()["control"], nodes()["worker_0"], nodes()["worker_0_memory"]), (FAR, NEAR, NEAR), "nodes in stats")
    right(sluice("ctl", "capture", "user", "on").returncode == 0, "no capture")
    same(set(mirror(pid)), {NEAR}, "nodes of a mirror")
    ran(world)


@case("too few huge pages at the NICs' node: it runs with those of the other, and says so")
def short():
    path = pathlib.Path("/sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages")
    before = path.read_text()
    path.write_text("8")
    try:
        world = started()
        said = world.program.said()
        right("warning: the memory of " in said and "is at NUMA node 0 and not at node 1" in said, said)
        ran(world)
    finally:
        path.write_text(before)


main()
