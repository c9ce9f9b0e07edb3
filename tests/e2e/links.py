#!/usr/bin/python3
"""A port whose link goes down, or whose device disappears: one line in the log, and the state that it
is in stands in the statistics."""

import os

import network
import real
from harness import Running, case, main, new_folder, right, same, sluice, until

# Whatever else runs on this machine is not seen.
os.environ["RUNTIME_DIRECTORY"] = str(new_folder())


def lines(world):
    return [line.split(" ", 2)[-1].strip() for line in world.program.said().splitlines()
            if " link is " in line or " device is " in line]


@case("a link that has not come up yet is no error: if it stays down, a warning, and a line when it is up")
def comes():
    ours, theirs, gn, gb = network.veth()
    program = Running(real.CONFIG.replace("GN_DEVICE", gn).replace("GB_DEVICE", gb), before=network.within(ours))
    until("two links down", lambda: real.links() == ("down", "down"), program.said)
    network.must("ip", "-n", theirs, "link", "set", "gn", "up")
    until("the warning of gb", lambda: " warn  gb: its link is down\n" in program.said(), program.said)
    network.must("ip", "-n", theirs, "link", "set", "gb", "up")
    until("gb is up", lambda: " info  gb: its link is up\n" in program.said(), program.said)
    same(real.links(), ("up", "up"), "links")
    same([line for line in program.said().splitlines() if " error " in line], [], "errors")
    network.must("ip", "-n", theirs, "link", "set", "gb", "down")
    until("the error of gb", lambda: " error gb: its link is down\n" in program.said(), program.said)
    program.finish()


@case("a link that goes and comes, and a device that disappears: a line each, and a state")
def goes():
    made = []

    def devices():
        made.append(network.veth())
        return made[0]
    world = real.World(devices)
    ours, theirs = made[0][:2]

    def expect(*wanted):
        until(f"links {wanted}", lambda: real.links() == wanted, lambda: f"{real.links()}\n{world.program.said()}")
    expect("up", "up")
    before = len(lines(world))
    for down in (True, False):
        network.must("ip", "-n", theirs, "link", "set", "gb", "down" if down else "up")
        expect("up", "down" if down else "up")
    downs = [port["nic"]["link_downs"] for port in real.port_stats()]
    same(downs, [0, 1], "times that a link went down")
    same([port["nic"]["link_mbit_per_s"] for port in real.port_stats()], [10000, 10000],
         "speeds of a veth, as its driver says")
    text = sluice("stats").stdout
    right("Gb device: link_up 1, link_mbit_per_s 10000, link_downs 1\n" in text, f"no count of the device in\n{text}")
    network.must("ip", "-n", ours, "link", "del", "gn")
    expect("gone", "up")
    said = lines(world)[before:]
    same(len(said), 3, f"lines: {said}")
    for line, end in zip(said, ("gb: its link is down", "gb: its link is up", "gn: its device is gone; start Sluice again when there is one")):
        right(line.endswith(end), f"found the line {line!r}, right is one that ends {end!r}")
    network.must("ip", "-n", ours, "link", "add", "gn", "type", "veth", "peer", "name", "gn", "netns", theirs)
    for name in ours, theirs:
        network.must("ip", "-n", name, "link", "set", "gn", "up")
    network.must("ip", "-n", ours, "link", "set", "gb", "down")
    expect("gone", "down")  # it was looked at again: another device has the name
    same([port["nic"]["link_up"] for port in real.port_stats()], [0, 0], "link_up")
    world.program.finish()


main()
