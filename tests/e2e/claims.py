#!/usr/bin/python3
"""One instance on an interface: a second one is refused, with the process that has it; when the first
has ended, whatever way, the next may have it; in another network namespace the name is another's."""

import subprocess

import network
import real
from harness import TIMEOUT_S, Running, case, main, new_folder, program, right, same


def config(gn, gb):
    return real.CONFIG.replace("GN_DEVICE", gn).replace("GB_DEVICE", gb)


def refused(namespace, gn, gb):
    """What a run says that does not come up."""
    folder = new_folder()
    (folder / "x.lua").write_text(config(gn, gb))
    done = subprocess.run([*network.within(namespace), program(), "run", "x.lua"], cwd=folder,
                          capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    same(done.returncode, 1, f"exit status; it says:\n{done.stderr}")
    return done.stderr


@case("a second run on the same interface is refused, and which process has it is said")
def second():
    ours, _, gn, gb = network.veth()
    elsewhere, _, other_gn, other_gb = network.veth()
    before = network.within(ours)
    with Running(config(gn, gb), before=before) as first:
        for words in ((gn, gb), (gn, other_gb), (other_gn, gb)):
            said = refused(ours, *words)
            right(f"is in use by process {first.process.pid}" in said, said)
        with Running(config(other_gn, other_gb), before=network.within(elsewhere)):
            pass
        first.kill()
    with Running(config(gn, gb), before=before) as after:
        after.finish()


@case("one interface for both ports is refused")
def both():
    ours, _, gn, gb = network.veth()
    right("gb.device: the interface of" in refused(ours, gn, gb.split("iface=")[0] + "iface=" +
                                        gn.split("iface=")[1]), "another reason")


main()
