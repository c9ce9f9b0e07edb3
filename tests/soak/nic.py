#!/usr/bin/python3
"""Sluice on NICs with real drivers: a guest under QEMU for each driver, with two NICs for Sluice and two for Linux.

    nic.py [DRIVER...]    all: e1000e, vmxnet3, virtio, e1000e-uio; and numa, figure

tests/guest/nic.py is what runs in there; in `numa`, a guest with two NUMA nodes, tests/guest/numa.py. `figure` is
another guest, in which tests/guest/first_figure.py types the commands of config/nic.md: its time goes by its
instructions, so that no other program on this machine changes a figure. A row for each case, by driver. Needs
qemu-system-x86, busybox-static and the network, for the kernel's package, and dpdk and pciutils for `figure`; about two
minutes for each driver. out/guest has what each guest said.
"""

import argparse
import pathlib
import re
import shlex
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/guest"), str(ROOT / "tests/e2e")]

import guest  # noqa: E402
from harness import PATIENCE, Failure, Skip  # noqa: E402

# QEMU's name of the NIC, and the kernel's driver that gives it to DPDK: with an IOMMU, or with physical addresses.
DRIVERS = {
    "e1000e": ("e1000e", "vfio-pci"),
    "vmxnet3": ("vmxnet3", "vfio-pci"),
    "virtio": ("virtio-net-pci,disable-legacy=on,iommu_platform=on", "vfio-pci"),
    "e1000e-uio": ("e1000e", "uio_pci_generic"),
}
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
    """Two hubs; at each a NIC of that model, and one for Linux."""
    words = ["-device", "intel-iommu,aw-bits=48"] if module == "vfio-pci" else []
    for hub, (name, slots) in enumerate({"gn": (4, 6), "gb": (5, 7)}.items()):
        for whose, device, slot in ("ours", model, slots[0]), ("linux", "virtio-net-pci", slots[1]):
            words += ["-netdev", f"hubport,id={name}-{whose}-port,hubid={hub}", "-device",
                      f"{device},id={name}-{whose},netdev={name}-{whose}-port,addr={slot},romfile=,"
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


def cases(driver):
    model, module = DRIVERS[driver]
    return guest.run(f"nic-{driver}", job("nic", module), machine(model, module), LIMIT_S,
                     "intel_iommu=on" if module == "vfio-pci" else "")


def rows(driver):
    """Prints them; how many are ok, and how many are not."""
    try:
        ended = {FIGURE: figure, NUMA: numa}.get(driver, lambda: cases(driver))()
    except Failure as why:
        print(f"not ok {driver}: {why}", flush=True)
        return 0, 1
    print(re.sub(r"^(ok|not ok) \d+ - ", rf"\1 {driver}: ", ended.output.split("\n", 1)[1], flags=re.MULTILINE), end="")
    print(f"# {driver}: {ended.processor_s:.0f} s of processor time", flush=True)
    planned = int(re.match(r"1\.\.(\d+)\n", ended.output)[1])
    good = len(re.findall(r"^ok (?!.*# SKIP)", ended.output, re.MULTILINE))
    return good, planned - good


def main():
    names = [*DRIVERS, NUMA, FIGURE]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("drivers", nargs="*", metavar="DRIVER", help=", ".join(names))
    drivers = parser.parse_args().drivers or names
    if unknown := [one for one in drivers if one not in names]:
        parser.error(f"no driver is named {unknown[0]}; there are: {', '.join(names)}")
    try:
        counts = [rows(driver) for driver in drivers]
    except Skip as why:
        print(f"nic.py: skipped: {why}\n0 passed, 0 failed")
        return 0
    passed, failed = map(sum, zip(*counts))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
