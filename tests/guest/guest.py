"""A guest: Debian's kernel under QEMU, without KVM, on this machine's own root, which is shared read-only by 9p.
So a job in it finds this tree, Python and all libraries, with a kernel and devices of its own. It is thrown away.

The kernel's package is downloaded, not installed. Linux starts in an initramfs of busybox, the modules and `init`,
which runs the job. Everything is bounded in time; what hangs is killed and named by its last line.
"""

import collections
import functools
import lzma
import os
import pathlib
import re
import resource
import shutil
import subprocess

from emulator import PROGRAM
from harness import ROOT, Failure, Skip

KERNEL = "linux-image-amd64"
TC = "tun", "sch_multiq", "sch_ingress", "cls_flower", "act_skbedit", "act_gact", "act_mirred"  # net_tap makes rules of these
MODULES = "virtio_pci", "9pnet_virtio", "9p", "virtio_console", "virtio_net", "8021q", "vfio_iommu_type1", "vfio-pci", "uio_pci_generic", *TC
FOLDER = ROOT / "out/guest"
DOWNLOAD_S = 600
# Emulated, so that it is the same on every machine and needs no right.
QEMU = ("-machine", "q35", "-cpu", "max", "-smp", "2", "-m", "1536",
        "-nodefaults", "-no-user-config", "-vga", "none", "-display", "none", "-no-reboot",
        "-fsdev", "local,id=root,path=/,security_model=none,readonly=on,multidevs=remap",
        "-device", "virtio-9p-pci,fsdev=root,mount_tag=host,bus=pcie.0")
# On a busy machine an emulated timer may be late; no_timer_check: that does not make the kernel give up.
LINE = "console=ttyS0 quiet panic=-1 no_timer_check"
PAGES = 288  # huge pages

Ended = collections.namedtuple("Ended", "status output processor_s")


def needs():
    for program, package in (PROGRAM, "qemu-system-x86"), ("busybox", "busybox-static"):
        if not shutil.which(program):
            raise Skip(f"needs the package {package}")


def done(*words, cwd=None):
    got = subprocess.run([str(word) for word in words], cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True,
                         encoding="utf-8", timeout=DOWNLOAD_S, check=False)
    if got.returncode != 0:
        raise Skip(f"{' '.join(map(str, words))}: {got.stderr.strip()}")
    return got.stdout


@functools.cache
def kernel():
    """The folder of the unpacked package of the newest kernel."""
    package = re.search(r"Depends: (linux-image-\S+)", done("apt-cache", "depends", KERNEL))[1]
    folder = FOLDER / package
    if not folder.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        for old in FOLDER.glob(f"{package}_*.deb"):
            old.unlink()
        done("apt-get", "download", package, cwd=FOLDER)
        (deb,) = FOLDER.glob(f"{package}_*.deb")
        done("dpkg-deb", "-x", deb, f"{folder}.part")
        os.rename(f"{folder}.part", folder)
        deb.unlink()
    return folder


def module_files(modules, names):
    """{name: octets} of the modules and of what they depend on, which comes first. Some names are built in."""
    files = {re.sub(r"\.ko(\.xz)?$", "", path.name).replace("-", "_"): path for path in modules.glob("**/*.ko*")}
    found = {}

    def add(name):
        path = files.get(name.replace("-", "_"))
        if path is None or name in found:
            return
        octets = path.read_bytes()
        octets = lzma.decompress(octets) if path.suffix == ".xz" else octets
        for other in re.search(rb"\0depends=([^\0]*)\0", octets)[1].decode().split(","):
            add(other)
        found[name] = octets
    for name in names:
        add(name)
    return found


def initramfs(folder, job, more):
    root = folder / "initramfs"
    shutil.rmtree(root, ignore_errors=True)
    for part in "bin", "modules":
        (root / part).mkdir(parents=True)
    shutil.copy(shutil.which("busybox"), root / "bin/busybox")
    shutil.copy(pathlib.Path(__file__).parent / "init", root / "init")
    modules = module_files(kernel(), (*MODULES, *more))
    for name, octets in modules.items():
        (root / "modules" / name).write_bytes(octets)
    (root / "modules/order").write_text("\n".join(modules))
    (root / "job").write_text(job)
    names = "\n".join(str(path.relative_to(root)) for path in sorted(root.rglob("*")))
    with (folder / "initramfs.cpio").open("wb") as cpio:
        subprocess.run(["busybox", "cpio", "-o", "-H", "newc"], cwd=root, input=names.encode(), stdout=cpio,
                       stderr=subprocess.DEVNULL, check=True)
    return folder / "initramfs.cpio"


def last_line(path):
    lines = path.read_text(errors="replace").split("\n") if path.exists() else []
    return next((line.strip() for line in reversed(lines) if line.strip()), "nothing")


def used_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(name, job, devices, limit_s, line="", accelerator="tcg,thread=multi", pages=PAGES, program=(PROGRAM,), modules=()):
    """Boots a guest with these devices (words of QEMU's), and these words for the kernel; runs the job, a line of
    shell, in it as root. `program`: the words that run QEMU; `modules`: more of them, where the kernel has them."""
    needs()
    folder = FOLDER / name
    folder.mkdir(parents=True, exist_ok=True)
    console, output = folder / "console", folder / "output"
    (vmlinuz,) = kernel().glob("boot/vmlinuz-*")
    before_s = used_s()
    # The guest's /dev/vport*p1 is its own monitor: so a job can pull a cable.
    monitor = folder / "monitor"
    process = subprocess.Popen(
        [*program, *QEMU, "-accel", accelerator, "-kernel", vmlinuz, "-initrd", initramfs(folder, job, modules), "-append", f"{LINE} hugepages={pages} {line}", *devices,
         "-chardev", f"socket,id=monitor,path={monitor},server=on,wait=off", "-mon", "chardev=monitor,mode=control",
         "-chardev", f"socket,id=cable,path={monitor}", "-device", "virtio-serial,bus=pcie.0", "-device",
         "virtserialport,chardev=cable", "-serial", f"file:{console}", "-serial", f"file:{output}"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=(folder / "stderr").open("wb"))
    try:
        process.wait(limit_s)
    except subprocess.TimeoutExpired:
        raise Failure(f"the guest does not end within {limit_s} s; it said last: {last_line(output)}\n"
                      f"and its console: {last_line(console)}") from None
    finally:
        process.kill()
        process.wait()
    said = output.read_text(errors="replace")
    status = re.search(r"^status (\d+)\n\Z", said, re.MULTILINE)
    if not status:
        raise Failure(f"the guest ended without a status; QEMU: {last_line(folder / 'stderr')}\n"
                      f"its console: {last_line(console)}")
    return Ended(int(status[1]), said[:status.start()], used_s() - before_s)
