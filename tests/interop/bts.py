#!/usr/bin/python3
"""A BTS for osmo-pcu, its radio simulated: one cell, MSs that take and acknowledge what comes down. Each
second a line says how many LLC PDUs came and how many octets.

    bts.py FOLDER [--sgsn ADDRESS] [--pdchs N]      until Ctrl-C; osmo-pcu's pcu-socket is FOLDER/pcu_bts

The cell is NSEI 101, NSVCI 102, BVCI 103; the PCU's NS is UDP port 23001, the SGSN's 23000.
"""

import argparse
import os
import pathlib
import select
import time

from radio import Radio

LOCAL_PORT, SGSN_PORT = 23001, 23000
QUIET_S = 1  # the PCU has its INFO.ind then, and the clock may begin


class Count:
    def __init__(self):
        self.pdus = self.octets = 0

    def add(self, _, parts):
        self.pdus += 1
        self.octets += sum(len(octets) for _, octets in parts)


def serve(radio, count):
    begin, said = time.monotonic() + QUIET_S, time.monotonic()
    while True:
        now = time.monotonic()
        if now >= begin:
            radio.begin()
            begin = float("inf")
        if now >= said + 1:
            print(f"{count.pdus} LLC PDUs, {count.octets} octets", flush=True)
            count.pdus, count.octets, said = 0, 0, now
        wait = min(radio.tick_if_due(), 1)
        if select.select([radio.socket], [], [], wait)[0]:
            radio.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--sgsn", default="198.51.100.1", help="its address on Gb")
    parser.add_argument("--pdchs", type=int, default=4, choices=range(1, 9))
    arguments = parser.parse_args()
    count = Count()
    radio = Radio(arguments.folder, (arguments.sgsn, SGSN_PORT), LOCAL_PORT, arguments.pdchs, count.add)
    try:
        print(f"waiting for osmo-pcu at {radio.path}", flush=True)
        radio.accept()
        serve(radio, count)
    except KeyboardInterrupt:
        pass
    finally:
        os.unlink(radio.path)


if __name__ == "__main__":
    main()
