#!/usr/bin/python3
"""The BSS of the lab (lab/bss) with the real SGSN over lines that lose PDUs of NS and of BVCs, each up
to eight times in a row, at the start and after resets, restarts and blocking: in the end both sides
agree that every NS-VC and cell is up, user data flows both ways, and no side found a fault. BSS_FRAMES
names the program that is the BSSs (tests/lab/bss/bss_frames.c)."""

import os
import random
import subprocess

import codec
from world import HEAD, MS, S, World, case, main, ms, npdu, nsvc, right, same

BSS, FIRST_PORT, FIRST_NSEI, FIRST_TLLI, FIRST_TEID = "198.51.100.2", 10000, 101, 0xC0000001, 0x1000
LATENCY_NS = 20 * MS  # of the line, each way
LOST_MOST = 8
UP_WITHIN_NS = 1800 * S  # a PDU a time, all of them lost LOST_MOST times

NS = ["ns_reset", "ns_reset_ack", "ns_unblock", "ns_unblock_ack", "ns_block", "ns_block_ack",
      "ns_alive", "ns_alive_ack", "ns_status"]
BVC = ["bssgp_bvc_reset 0", "bssgp_bvc_reset_ack 0", "bssgp_bvc_reset", "bssgp_bvc_reset_ack",
       "bssgp_flow_control_bvc", "bssgp_flow_control_bvc_ack", "bssgp_status"]  # 0: of BVCI 0
SNS = ["sns_size", "sns_size_ack", "sns_config", "sns_config_ack"]
EACH = [(way, name) for way in ("down", "up") for name in NS + BVC]
OF_MODE = {"reset": EACH, "dynamic": EACH, "alive": EACH,
           "sns": [(way, name) for way in ("down", "up") for name in SNS + NS[-3:] + BVC]}

# What the SGSN's file says of the NSE, and the BSSs' own mode.
MODES = {"reset": ('ns = "reset"', "reset"), "dynamic": ("dynamic = true", "reset"),
         "alive": ('ns = "alive"', "alive"), "sns": ('ns = "sns"', "sns")}


def nse(mode, n, nsvcs):
    keys = MODES[mode][0]
    if mode in ("reset", "alive"):
        keys += "".join(", " + nsvc(n * nsvcs + i + 1, BSS, peer_port=FIRST_PORT + n * nsvcs + i)
                        for i in range(nsvcs))
    context = ms(f"00101{n:010}", FIRST_TLLI + n, address=address(n), ggsn_teid=FIRST_TEID + n)
    return f"nse {{ nsei = {FIRST_NSEI + n}, {keys}, bvc {{ bvci = 2, {context} }} }}\n"


def address(n):
    return f"10.0.{n // 200}.{n % 200 + 1}"


def name_of(octets):
    ns = codec.parse(octets)
    pdu = ns.sdu or ns
    return f"{pdu.name} 0" if pdu.name.startswith("bssgp_bvc_reset") and pdu["bvci"] == 0 else pdu.name


class Network:
    """`count` NSEs with the lab's BSSs. losses[n] says how often each (way, PDU) of NSE n is still
    lost."""

    def __init__(self, mode, count, nsvcs=1):
        self.mode, self.count, self.nsvcs = mode, count, nsvcs
        self.losses = [{} for _ in range(count)]
        self.lost = self.sent = 0
        self.states, self.delivered, self.next_ns = {}, {}, None
        self.world = World(HEAD + "room { nsvcs = 600 }\n"
                           + "".join(nse(mode, n, nsvcs) for n in range(count)))
        self.process = subprocess.Popen(
            [os.environ["BSS_FRAMES"], MODES[mode][1], str(count), str(nsvcs)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for n in range(count):
            for i in range(nsvcs):
                self.attach(n, i)

    def __enter__(self):
        return self

    def __exit__(self, *failed):
        self.process.stdin.close()
        status = self.process.wait()
        self.process.stdout.close()
        self.world.__exit__(*failed)
        if not failed[0]:
            same(status, 0, "the BSSs' exit status")

    # ---- The BSSs' pipe ----

    def tell(self, what, *words):
        self.process.stdin.write(" ".join(map(str, (what, self.world.now_ns, *words))) + "\n")
        self.process.stdin.flush()
        while True:
            words = self.process.stdout.readline().rstrip().split(maxsplit=5)
            right(words, "the BSSs have ended")
            if words[0] == ".":
                self.wake(int(words[1]))
                return
            getattr(self, "took_" + words[0])(*words[1:])

    def wake(self, next_ns):
        if next_ns != self.next_ns:
            self.next_ns = next_ns
            self.world.at(next_ns, self.tick, next_ns)

    def tick(self, at_ns):
        if at_ns == self.next_ns:
            self.next_ns = None
            self.tell("to")

    def took_ns(self, n, i, octets):
        n, i, octets = int(n), int(i), bytes.fromhex(octets)
        if self.passes("up", n, octets):
            self.world.at(self.world.now_ns + LATENCY_NS, self.world.gb, BSS, octets,
                          FIRST_PORT + n * self.nsvcs + i)

    def took_llc(self, n, octets):
        self.delivered[int(n)] = bytes.fromhex(octets)

    def took_state(self, n, nsvcs, cell, faults, text=""):
        self.states[int(n)] = (nsvcs, cell, f"{faults} faults: {text}" if text else "")

    # ---- The line ----

    def passes(self, way, n, octets):
        key = way, name_of(octets)
        left = self.losses[n].get(key, 0)
        if left:
            self.losses[n][key] = left - 1
            self.lost += 1
        return not left

    def attach(self, n, i):
        def take(datagram):
            if self.passes("down", n, datagram.payload):
                self.world.at(self.world.now_ns + LATENCY_NS, self.tell, "in", n, i,
                              datagram.payload.hex())
        self.world.attach(BSS, FIRST_PORT + n * self.nsvcs + i, take)

    # ---- Both sides' state ----

    def start(self):
        for n in range(self.count):
            self.tell("start", n)

    def of_sgsn(self):
        """{n: (a 1 for each NS-VC that is unblocked, a 1 for a cell that is up)}"""
        text = self.world.lua(
            "local t = {} for _, nse in ipairs(require('sluice.core.network').nses) do "
            "local up = {} for _, v in ipairs(nse.nsvcs) do up[v.port] = v.state == 'unblocked' end "
            "local b = nse.bvcs[2] local cell = nse.signalling.up and b.up and not b.held "
            f"local s = '' for i = 0, {self.nsvcs - 1} do s = s .. (up[{FIRST_PORT} + "
            f"(nse.nsei - {FIRST_NSEI}) * {self.nsvcs} + i] and 1 or 0) end "
            "t[#t + 1] = nse.nsei .. ' ' .. s .. ' ' .. (cell and 1 or 0) end "
            "return table.concat(t, ' ')").split()
        return {int(nsei) - FIRST_NSEI: (nsvcs, cell)
                for nsei, nsvcs, cell in zip(text[::3], text[1::3], text[2::3])}

    def differences(self):
        """What is not up, on either side: {n: (the SGSN's view, the BSS's view)}."""
        self.tell("state")
        sgsn, up = self.of_sgsn(), ("1" * self.nsvcs, "1")
        return {n: (sgsn[n], self.states[n]) for n in range(self.count)
                if sgsn[n] != up or self.states[n] != (*up, "")}

    def agrees(self, what):
        """Time goes on until both sides have everything up; then user data flows."""
        end_ns = self.world.now_ns + UP_WITHIN_NS
        self.world.run(10 * S)
        while self.differences() and self.world.now_ns < end_ns:
            self.world.run(10 * S)
        found = self.differences()
        same({n: (self.losses[n], *found[n]) for n in found}, {}, f"{what}: not up (SGSN, BSS)")
        for losses in self.losses:
            losses.clear()
        self.carries(what)

    def carries(self, what):
        """An N-PDU each way."""
        self.delivered.clear()
        before, self.sent = len(self.world.npdus_up()), self.sent + 1
        for n in range(self.count):
            self.world.down(self.teids[n], npdu(address(n), 60))
            up = npdu("203.0.113.9", 60, self.sent, source=address(n))
            info = b"".join(codec.sndcp(5, self.sent, up))
            self.tell("up", n, codec.llc_ui(3, self.sent, info).hex())
        self.world.run(5 * S)
        same(sorted(self.delivered), list(range(self.count)), f"{what}: N-PDUs down")
        same(sorted(teid - FIRST_TEID for _, teid, _ in self.world.npdus_up()[before:]),
             list(range(self.count)), f"{what}: N-PDUs up")

    @property
    def teids(self):
        found = {t.tlli - FIRST_TLLI: t.teid for t in self.world.tunnels()}
        self.__dict__["teids"] = found
        return found


def everything(network, harm):
    """harm() sets the losses of each step."""
    harm()
    network.start()
    network.agrees("start")
    harm()
    network.start()
    network.agrees("the BSS restarts")
    if network.mode in ("reset", "dynamic"):
        for actions in ["reset"], ["block", "reset", "unblock"]:
            harm()
            for action in actions:
                operate(network, action)
                network.world.run(40 * S)
            network.agrees(f"the SGSN's operator: {', '.join(actions)}")


def operate(network, action):
    for n in range(network.count):
        for i in range(network.nsvcs):
            network.world.ctl(f"nsvc {FIRST_NSEI + n} {n * network.nsvcs + i + 1} {action}")


@case("each PDU of NS and of a BVC is lost one to eight times in a row, each way: all comes up")
def each_lost():
    plan = [(key, times) for key in EACH for times in range(1, LOST_MOST + 1)]
    with Network("reset", len(plan)) as network:
        def harm():
            for losses, (key, times) in zip(network.losses, plan):
                losses[key] = times
        everything(network, harm)
        right(network.lost > 1000, f"only {network.lost} lost")


def any_lost(mode, nsvcs, seed=0, count=25, share=0.5):
    draw = random.Random(f"{mode} {nsvcs} {seed}")
    with Network(mode, count, nsvcs) as network:
        def harm():
            for losses in network.losses:
                losses.update((key, draw.randint(1, LOST_MOST)) for key in OF_MODE[mode]
                              if draw.random() < share)
        everything(network, harm)
        right(network.lost > 20 * count, f"only {network.lost} lost")


for mode_ in MODES:
    for nsvcs_ in 1, 2:
        case(f"{mode_}, {nsvcs_} NS-VCs an NSE: any of these PDUs are lost together, and all comes up",
             mode_, nsvcs_)(any_lost)

main()
