#!/usr/bin/python3
"""The restart counter that a GGSN hears in ECHO RESPONSE: one more for each run in a folder, the clock's in a new one, and
none is kept where nobody speaks GTP-C. In real time, between two hosts."""

import os
import socket
import struct
import time

import network
from harness import PATIENCE, Running, case, main, new_folder, right, same

PORT, RECOVERY = 2123, 14
ECHO = struct.pack(">BBHIHH", 0x32, 1, 4, 0, 0x1234, 0)

# Whatever else runs on this machine is not seen.
os.environ["RUNTIME_DIRECTORY"] = str(new_folder())


def config(gn, gb, control):
    return f"""
run {{ name = "restarts", clock = "real" }}
gn {{ device = "{gn}", address = "{network.GN4}" }}
gb {{ device = "{gb}", address = "{network.GB4}" }}
ggsn {{ address = "{network.GGSN4}", {control} }}
attach {{ who = "open", networks = {{ "001-01" }}, most = 10 }}
nse {{ nsei = 7, nsvc {{ nsvci = 1, peer = "{network.BSS4}" }}, bvc {{ bvci = 2 }} }}
"""


class World:
    def __init__(self, control=f'control = "{network.GGSN4}"'):
        self.ours, far, gn, gb = network.veth()
        self.host = network.Host(far)
        self.host.configure()
        self.config = config(gn, gb, control)

    def start(self, folder=None):
        return Running(self.config, before=network.within(self.ours), folder=folder)

    def counter(self):
        """As the GGSN hears it."""
        with self.host.udp(network.GGSN4, PORT) as end:
            for _ in range(int(20 * PATIENCE)):
                end.settimeout(0.5)
                end.sendto(ECHO, (network.GN4, PORT))
                try:
                    while True:
                        octets = end.recv(100)
                        if octets[1] == 2:
                            same((octets[8:10], octets[12], len(octets)), (ECHO[8:10], RECOVERY, 14), "ECHO RESPONSE")
                            return octets[13]
                except socket.timeout:
                    pass
        right(False, "no ECHO RESPONSE")


@case("in a new folder it is the clock's; each run there has one more, killed or ended; another folder begins anew")
def counts():
    world, folder = World(), None
    first_s, found = int(time.time()), []
    for ends in ("killed", "ended", "killed"):
        run = world.start(folder)
        found.append(world.counter())
        folder = run.folder
        if ends == "killed":
            run.kill()
        else:
            run.finish()
    right((found[0] - first_s) % 256 <= int(time.time()) - first_s, f"{found[0]}, and the clock was {first_s % 256}")
    same(found, [(found[0] + i) % 256 for i in range(3)], "the numbers of three runs")
    same((folder / "out/restarts").read_text(), f"{found[-1]}\n", "what is kept")
    (folder / "out/restarts").write_text("255\n")
    run = world.start(folder)
    same(world.counter(), 0, "behind 255")
    run.finish()


@case("a folder in which nothing can be kept: a line says so, and the run has the clock's")
def not_kept():
    world = World()
    folder = new_folder()
    (folder / "out/restarts").mkdir(parents=True)
    now_s = int(time.time())
    run = world.start(folder)
    right((world.counter() - now_s) % 256 <= int(time.time()) - now_s, "the clock's")
    right("the restart counter of GTP-C cannot be kept in the folder of the results (Is a directory)" in run.said(), run.said())
    run.finish()


@case("without a GGSN that speaks GTP-C there is no such file")
def nobody():
    world = World(control="")
    run = world.start()
    run.finish()
    right(not (run.folder / "out/restarts").exists(), "a file that nobody wants")


main()
