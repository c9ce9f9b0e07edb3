#!/usr/bin/python3
"""Sluice on NICs with real drivers: a guest under QEMU for each driver, with two NICs for Sluice and two for Linux.

    nic.py [ROW...]    all: e1000e, vmxnet3, virtio, e1000e-uio, igb; igb-queues, tap-queues; numa, figure

tests/guest/nic.py is what runs in there; in `numa`, a guest with two NUMA nodes, tests/guest/numa.py; in those with
`queues`, two workers, tests/guest/queues.py. `figure` is another guest, in which tests/guest/first_figure.py types the
commands of config/nic.md: its time goes by its instructions, so that no other program on this machine changes a figure.
A line for each case, by row, and at the end what was not run. Needs qemu-system-x86, busybox-static and the network, for
the kernel's package and for Debian 13's QEMU, and dpdk and pciutils for `figure`; two to five minutes for each driver.
out/guest has what each guest said.
"""

import argparse
import pathlib
import re
import shlex
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/guest"), str(ROOT / "tests/e2e")]

import emulator  # noqa: E402
import guest  # noqa: E402
from harness import PATIENCE, Failure, Skip  # noqa: E402

IGB = emulator.MODEL
# QEMU's name of the NIC, and the kernel's driver that gives it to DPDK: with an IOMMU, or with physical addresses.
DRIVERS = {
    "e1000e": ("e1000e", "vfio-pci"),
    "vmxnet3": ("vmxnet3", "vfio-pci"),
    "virtio": ("virtio-net-pci,disable-legacy=on,iommu_platform=on", "vfio-pci"),
    "e1000e-uio": ("e1000e", "uio_pci_generic"),
    IGB: (IGB, "vfio-pci"),
}
IGB_PLACES = "0000:01:00.0", "0000:02:00.0"
# Two workers with two queues at each port.
TAP_QUEUES, IGB_QUEUES = "tap-queues", f"{IGB}-queues"
NOT_HERE = (
    "several queues of e1000e, vmxnet3 and virtio: QEMU gives them one each here",
    "rules (rte_flow) of a NIC: of QEMU's only igb has any, and its driver refuses Sluice's; tap-queues has net_tap's",
    "TEIDs by rules or by hash on a device: none here knows them; tests/dataplane/path/steering has a model of a NIC",
    "ice, i40e, ixgbe, mlx5, ena and all others: QEMU has no such NIC",
)
# Two NUMA nodes; both NICs for Sluice are at the second, on a bus of its own each.
NUMA = "numa"
NODES = ["-smp", "4", "-m", "2048"] + [
    word for node, processors in enumerate(("0-1", "2-3")) for word in (
        "-object", f"memory-backend-ram,id=memory{node},size=1024M", "-numa",
        f"node,nodeid={node},cpus={processors},memdev=memory{node}")] + ["-numa", "dist,src=0,dst=1,val=21"]
NODES_PAGES = 600
FIGURE = "figure"
FIGURE_MODEL, FIGURE_SLOTS = "e1000e", (4, 5)
FIGURE_CLOCK = "shift=3,sleep=off"  # 8 ns for each instruction
LIMIT_S = 900 * PATIENCE  # of a guest
FIGURE_LIMIT_S = 3600


def machine(model, module):
    """Two hubs; at each a NIC of that model, and one for Linux. An igb has a bus of its own, for its virtual functions."""
    words = ["-device", "intel-iommu,aw-bits=48"] if module == "vfio-pci" else []
    for hub, (name, slots) in enumerate({"gn": (4, 6), "gb": (5, 7)}.items()):
        place = f"addr={slots[0]}"
        if model == IGB:
            words += ["-device", f"pcie-root-port,id={name}-bus,{place},chassis={hub + 1}"]
            place = f"bus={name}-bus"
        for whose, device, slot, at in ("ours", model, slots[0], place), ("linux", "virtio-net-pci", slots[1], f"addr={slots[1]}"):
            words += ["-netdev", f"hubport,id={name}-{whose}-port,hubid={hub}", "-device",
                      f"{device},id={name}-{whose},netdev={name}-{whose}-port,{at},romfile=,"
                      f"mac=02:00:00:00:00:0{slot}"]
    return words


def job(program, *words):
    return shlex.join(["env", f"PATIENCE={PATIENCE}", f"SLUICE={ROOT}/build/release/sluice", "python3", "-B", f"{ROOT}/tests/guest/{program}.py", *words])


def figure():
    """One processor and two NICs at a hub."""
    words = ["-device", "intel-iommu,aw-bits=48", "-smp", "1", "-icount", FIGURE_CLOCK]
    for slot in FIGURE_SLOTS:
        words += ["-netdev", f"hubport,id=port{slot},hubid=0", "-device",
                  f"{FIGURE_MODEL},netdev=port{slot},addr={slot},romfile=,mac=02:00:00:00:01:0{slot}"]
    return guest.run("nic-figure", job("first_figure", *(f"0000:00:0{slot}.0" for slot in FIGURE_SLOTS)), words,
                     FIGURE_LIMIT_S, "intel_iommu=on", accelerator="tcg,thread=single")


def numa():
    words = NODES + ["-device", "pxb-pcie,id=far,bus_nr=128,bus=pcie.0,numa_node=1"]
    for hub, name in enumerate(("gn", "gb")):
        words += ["-device", f"pcie-root-port,id=far-{name},bus=far,addr={hub},chassis={hub + 1}"]
        for whose, device in ("ours", f"e1000e,bus=far-{name}"), ("linux", f"virtio-net-pci,bus=pcie.0,addr={hub + 6}"):
            words += ["-netdev", f"hubport,id={name}-{whose}-port,hubid={hub}", "-device",
                      f"{device},id={name}-{whose},netdev={name}-{whose}-port,romfile="]
    return guest.run("nic-numa", job("numa", "uio_pci_generic", "0000:81:00.0", "0000:82:00.0"), words, LIMIT_S,
                     pages=NODES_PAGES)


def qemu(model):
    """The words that run one with that NIC."""
    guest.needs()
    return emulator.with_igb(guest.FOLDER / "qemu") if model == IGB else (emulator.PROGRAM,)


def nics(name, program, model, module):
    """A guest with NICs of that model, in which that program of tests/guest runs."""
    return guest.run(name, job(program, module, *(IGB_PLACES if model == IGB else ())), machine(model, module), LIMIT_S,
                     "intel_iommu=on" if module == "vfio-pci" else "", program=qemu(model))


def cases(driver):
    if driver == TAP_QUEUES:
        return guest.run(f"nic-{driver}", job("queues", "tap"), [], LIMIT_S)
    if driver == IGB_QUEUES:
        return nics(f"nic-{driver}", "queues", *DRIVERS[IGB])
    return nics(f"nic-{driver}", "nic", *DRIVERS[driver])


def rows(driver):
    """Prints them; how many are ok, and how many are not. What this machine cannot run is named so."""
    try:
        ended = {FIGURE: figure, NUMA: numa}.get(driver, lambda: cases(driver))()
    except Failure as why:
        print(f"not ok {driver}: {why}", flush=True)
        return 0, 1
    except Skip as why:
        print(f"# not run: {driver}: {why}", flush=True)
        return 0, 0
    print(re.sub(r"^(ok|not ok) \d+ - ", rf"\1 {driver}: ", ended.output.split("\n", 1)[1], flags=re.MULTILINE), end="")
    print(f"# {driver}: {ended.processor_s:.0f} s of processor time", flush=True)
    planned = int(re.match(r"1\.\.(\d+)\n", ended.output)[1])
    good = len(re.findall(r"^ok (?!.*# SKIP)", ended.output, re.MULTILINE))
    return good, planned - good


def main():
    names = [*DRIVERS, IGB_QUEUES, TAP_QUEUES, NUMA, FIGURE]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", metavar="ROW", help=", ".join(names))
    chosen = parser.parse_args().rows or names
    if unknown := [one for one in chosen if one not in names]:
        parser.error(f"no row is named {unknown[0]}; there are: {', '.join(names)}")
    passed, failed = map(sum, zip(*map(rows, chosen)))
    for one in NOT_HERE:
        print(f"# not run: {one}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
