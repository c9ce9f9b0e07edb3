#!/usr/bin/python3
"""`sluice bts --link`: MSs with a radio of their own, of which osmo-pcu hears by their blocks alone. It chooses a coding
scheme for each, both ways, which its VTY says. Needs root and osmo-pcu, and takes a minute, for it is real time."""

import contextlib
import pathlib
import re
import socket
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))

import network  # noqa: E402
import osmo  # noqa: E402
from bts_chain import Chain, check_books  # noqa: E402
from harness import WAIT_S, case, main, right, same  # noqa: E402

VTY = "127.0.0.1", 4240
# By the number of the MS: its C/I, and the coding schemes up and down that osmo-pcu may come to. 6 dB are between 5 and 8
# dB, where it keeps to CS-2 up. Down it takes a scheme by which a tenth to a third of the blocks is missing.
LINKS = {0: (20, (4,), (4,)), 1: (6, (2,), (2, 3)), 2: (3, (1,), (1, 2))}


class Linked(Chain):
    """CS-1 to CS-4, and CS-2 to begin with."""

    def pcu_config(self, cell):
        text = super().pcu_config(cell)
        same(text.count(" cs 4\n"), 1, "cs 4")
        return text.replace(" cs 4\n", " cs 2\n")

    def says(self):
        """osmo-pcu, 1.2 or 1.5, of each MS with TBFs: (up, down, dB) by the number of the MS."""
        with network.inside(self.far):
            vty = socket.create_connection(VTY, timeout=WAIT_S)
        with vty:
            osmo.answer(vty)
            vty.sendall(b"show ms all\n")
            text = osmo.answer(vty)
        found = {}
        for ms in re.split(r"^MS ", text, flags=re.MULTILINE)[1:]:
            values = [re.search(pattern, ms) for pattern in (
                r"TLLI=(?:0x)?c000000(\d)", r"(?:Coding scheme uplink|UL Coding Scheme): +CS-(\d)",
                r"(?:Coding scheme downlink|DL Coding Scheme): +CS-(\d)",
                r"Link quality: +(-?\d+) dB")]
            if all(values):
                number, up, down, link_db = (int(value[1]) for value in values)
                found[number - 1] = up, down, link_db
        return found

    def chooses(self, ms):
        """It has come to a choice that it may come to."""
        link_db, ups, downs = LINKS[ms]
        with contextlib.suppress(OSError):
            up, down, heard_db = self.says().get(ms, (0, 0, 0))
            return heard_db == link_db and up in ups and down in downs and (up, down, heard_db)
        return None


@case("of MSs with 20, 6 and 3 dB osmo-pcu chooses CS-4, CS-2 and CS-1 up, and down what their blocks bear")
def chosen():
    links = [word for ms, (link_db, *_) in LINKS.items() if ms for word in ("--link", f"00101{ms + 1:010d}={link_db}dB")]
    with Linked("--pdchs", 4, *links, coding=4) as chain:
        chain.wait_for_ping()
        for ms in LINKS:
            chain.speak(ms)
            took_s = chain.transfer(ms, 20000, True, 100)
            choice = chain.until(lambda ms=ms: chain.chooses(ms), f"osmo-pcu's choice for MS {ms}, not {chain.says()}")
            print(f"# {LINKS[ms][0]} dB: CS-{choice[0]} up, CS-{choice[1]} down, 20 kB in {took_s:.1f} s")
        report = chain.bts.finish()
    check_books(report)
    right(report["down_data_lost"] > 0, "no block was lost")


main()
