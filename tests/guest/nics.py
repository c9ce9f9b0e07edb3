"""The NICs of a guest: two that DPDK drives itself, for Sluice, whose cables lead to two of Linux's. A job's arguments are the
kernel's driver through which DPDK reaches its NICs, and, if they are not in their usual places, their PCI addresses."""

import functools
import pathlib
import sys

import network
import real
from harness import same, until

PCI = pathlib.Path("/sys/bus/pci")
# As soak/nic.py puts them into the machine.
OURS = dict(zip(("gn", "gb"), sys.argv[2:4] or ("0000:00:04.0", "0000:00:05.0")))
LINUX = {"gn": "0000:00:06.0", "gb": "0000:00:07.0"}
VIRTIO, VMWARE, INTEL = "0x1af4", "0x15ad", "0x8086"


def vendor():
    return (PCI / "devices" / OURS["gn"] / "vendor").read_text().strip()


def sums():
    """Where UDP checksums over IPv6 are computed. QEMU's virtio does it only for a cable that passes what is unfinished."""
    return "in software" if vendor() == VIRTIO else "by the device"


def bind(address, module):
    """Takes the NIC from the kernel, if it has a driver for it, and gives it to that one."""
    device = PCI / "devices" / address
    if (device / "driver").exists():
        (device / "driver/unbind").write_text(address)
    (device / "driver_override").write_text(module)
    (PCI / "drivers_probe").write_text(address)
    same((device / "driver").resolve().name, module, f"the driver of {address}")


@functools.cache
def prepare():
    for address in OURS.values():
        bind(address, sys.argv[1])
    for name, address in LINUX.items():
        (interface,) = (PCI / "devices" / address).glob("virtio*/net/*")
        network.must("ip", "link", "set", interface.name, "name", name)
    return [None]


def devices():
    """As those of network.py; Linux's NICs move into the new namespace, without their addresses."""
    home = prepare()
    for name in network.VlanHost.devices if home[0] else ():
        network.command("ip", "-n", home[0], "link", "del", name)
    theirs = network.namespace()
    for name in LINUX:
        network.must("ip", *(["-n", home[0]] if home[0] else []), "link", "set", name, "netns", theirs)
    home[0] = theirs
    return network.namespace(), theirs, OURS["gn"], OURS["gb"]


def connect(world):
    """Waits until both links are up, and all know their neighbours."""
    until("both links up", lambda: real.links() == ("up", "up"), world.program.said)
    # An answer that came before the link is lost. Sluice asks again, but Linux, once asked, knows: so let it ask itself.
    network.must("ip", "-n", world.host.name, "neigh", "flush", "all")
    for address in network.GN4, network.GB4, network.GN6, network.GB6:
        world.host.ping(address, 56)
