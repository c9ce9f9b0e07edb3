#!/usr/bin/python3
"""The MS of the lab (lab/ms) with the real SGSN: the MS's answers to XID, Reset with a new IOV-UI,
and N-PDUs both ways, in the clear and enciphered. MS_FRAMES names the program that is the MS
(tests/lab/ms/ms_frames.c)."""

import os
import subprocess

from llc_ms import T200_NS, TLLI, XID, begin, config
from world import S, World, case, main, npdu, same

IOV = "iov_ui = 0x89abcdef, "
N201_U = 'n201_u = "1520 octets", '
KEYS = {"none": "", "gea3": bytes(range(8)).hex(), "gea4": bytes(range(16)).hex()}


def text_of(cipher):
    return N201_U + (f'cipher = "{cipher}", key = "{KEYS[cipher]}", {IOV}' if KEYS[cipher] else "")


class Phone:
    """The MS in cell 2 of a BSS. lose(way, llc) says which LLC PDUs the radio loses."""

    def __init__(self, bss, cipher):
        self.bss, self.npdus, self.faults, self.seen = bss, [], [], []
        self.lose = lambda way, llc: False
        self.process = subprocess.Popen([os.environ["MS_FRAMES"], *KEYS[cipher].split()],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        same(self.process.wait(), 0, "the MS's exit status")
        self.process.stdout.close()

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        while (words := self.process.stdout.readline().split(maxsplit=1)) != ["."]:
            getattr(self, "took_" + words[0])(words[1].strip())

    def took_up(self, text):
        llc = bytes.fromhex(text)
        if not self.lose("up", llc):
            self.bss.uplink_llc(2, TLLI, llc)

    def took_npdu(self, text):
        self.npdus.append(bytes.fromhex(text.split()[1]))

    def took_fault(self, text):
        self.faults.append(text)

    def send(self, packet):
        self.tell(f"up 5 {packet.hex()}")

    def run(self, ns):
        """Time goes on; what comes for the MS is given to it each time that something came."""
        world, end_ns = self.bss.world, self.bss.world.now_ns + ns
        while True:
            world.run_until(end_ns, lambda: self.bss.dl)
            records, self.bss.dl[:] = list(self.bss.dl), []
            for record in records:
                llc = record.pdu.sdu["llc"]
                self.seen.append(len(llc))
                if not self.lose("down", llc):
                    self.tell(f"down {llc.hex()}")
            if not records:
                return


def is_xid(llc):
    return llc[1] & 0xEF == 0xE0 | XID


def both_ways(world, phone, numbers):
    """N-PDUs of all sizes (up, as many octets as Gn takes in one piece) by turns; all arrive, in
    order and whole."""
    down = [npdu("10.0.0.1", 40 + n * 211 % 1461, n) for n in numbers]
    up = [npdu("203.0.113.9", 40 + n * 307 % 1361, n, source="10.0.0.1") for n in numbers]
    before, phone.npdus[:] = len(world.npdus_up()), []
    for to_ms, to_host in zip(down, up):
        world.down(world.teid(TLLI), to_ms)
        phone.send(to_host)
        phone.run(S)
    same(phone.npdus, down, "N-PDUs down")
    same([packet for _, _, packet in world.npdus_up()[before:]], up, "N-PDUs up")


@case("N-PDUs both ways while the SGSN negotiates, from the first frame on, and 600 more")
def whole():
    for cipher in KEYS:
        with World(config(text_of(cipher))) as world, Phone(begin(world), cipher) as phone:
            both_ways(world, phone, range(30))
            phone.run(30 * S)
            same(world.counted("retries", "timeouts"), (0, 0), f"{cipher}: XID")
            both_ways(world, phone, range(600))
            same(max(phone.seen) > 1400, True, f"{cipher}: N201-U is 1520")
            same(phone.faults, [], f"{cipher}: faults")


@case("the radio loses the first Reset and the second one's answer: all goes on after the third")
def lost_resets():
    for cipher in KEYS:
        with World(config(text_of(cipher))) as world, Phone(begin(world), cipher) as phone:
            phone.send(npdu("203.0.113.9", 100, source="10.0.0.1"))
            xids = []

            def lose(way, llc, xids=xids):
                if not is_xid(llc):
                    return False
                xids.append(way)
                return len(xids) in (1, 3)  # a command; a command and its answer

            phone.lose = lose
            phone.run(3 * T200_NS)
            same(xids[:5], ["down", "down", "up", "down", "up"], f"{cipher}: XID frames")
            phone.faults.clear()
            both_ways(world, phone, range(20))
            same((phone.faults, world.counted("retries")), ([], (2,)), f"{cipher}: after it")


main()
