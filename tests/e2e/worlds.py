"""Random worlds around the SGSN, each made of its seed alone: NSEs that come up in one of the ways
that the lab's BSS knows, cells with and without a radio, buffers and flow control, lines that lose,
MSs with and without a cipher, TCP and UDP both ways, any AQM.

How to
    world = World(7)          world.text is its configuration; world.contexts: inner address -> IMSI
"""

import ipaddress
import random

from harness import aqm_names, written

CLASSES = ("conversational", "streaming", "interactive-1", "interactive-2", "interactive-3", "background")
SAPIS = (3, 5, 9, 11)
CIPHERS = ("", 'cipher = "gea3", key = "0123456789abcdef",',
           'cipher = "gea4", key = "0123456789abcdef0011223344556677", iov_ui = 77,')
CODINGS = ("CS-1", "CS-2", "CS-4", "MCS-1", "MCS-6", "MCS-9")
PROFILES = ("newreno-ns2", "linux-2.4", "linux")
DURATION_S = 30


class World:
    """plain_gb: Gb takes no time, fragments nothing and loses nothing. stop_s: when the applications
    end. ns = "sns": only if it is asked for. moving: every MS changes its cell or has calls (SUSPEND), and may be out of reach as well."""

    def __init__(self, seed, ns=None, workers=None, plain_gb=False, duration_s=DURATION_S,
                 stop_s=None, moving=False):
        self.random = random.Random(f"world {seed}")
        self.seed, self.duration_s, self.stop_s = seed, duration_s, stop_s
        self.plain_gb, self.moving = plain_gb, moving
        self.mobility = random.Random(f"mobility {seed}")
        self.signalling = random.Random(f"signalling {seed}")
        self.ns = ns or self.random.choice(("manual", "alive", "reset"))
        self.workers = workers or self.random.choice((1, 1, 2, 3))
        self.contexts, self.imsis, self.used, self.cells = {}, [], set(), []
        nses = [self.nse(number) for number in range(1, self.workers + self.random.choice((0, 0, 1)) + 1)]
        self.text = self.head() + "\n".join(nses) + self.lab()

    def config(self):
        return written(self.text)

    # ---- Words ----

    def maybe(self, *texts, share=0.5):
        """One of the texts, or none."""
        return self.random.choice(texts) if self.random.random() < share else ""

    def number(self, least, most):
        return self.random.randint(least, most)

    def head(self):
        mtu = self.random.choice((1536, 1600, 1400))
        return f"""
run {{ name = "world-{self.seed}", duration = "{self.duration_s} s", seed = {self.seed},
    workers = {self.workers} }}
gn {{ address = "192.0.2.1", mac = "02:53:4c:00:00:01", mtu = "{mtu} octets" }}
gb {{ address = "198.51.100.1", mac = "02:53:4c:00:00:02",
    mtu = "{1600 if self.plain_gb else self.random.choice((1500, 1600))} octets" }}
timers {{ tns_block = "1 s", tns_reset = "1 s", tns_alive = "1 s", t2 = "1 s" }}
{"".join(self.traffic_class(name) for name in CLASSES)}
"""

    def traffic_class(self, name):
        aqm = self.maybe(*aqm_names(), share=0.7)
        if not aqm and self.random.random() < 0.5:
            return ""
        scope = self.maybe('scope = "cell",', 'scope = "ms",', share=0.4)
        block = f'aqm {{ name = "{aqm}" }},' if aqm else ""
        lifetime = self.maybe('lifetime = "3 s",', 'lifetime = "6 s",')
        return f'class {{ name = "{name}", {lifetime} {scope} {block} }}\n'

    def line(self, name, most):
        loss = self.maybe(f'loss = "{self.number(1, most)} %",', "lost_run = 3, good_run = 40,", share=0.6)
        return f"""    {name} {{ latency = "{self.number(0, 80)} ms", jitter = "{self.number(0, 20)} ms",
        {loss} {self.maybe('rate = "256 kbit/s", queue_packets = 20,', share=0.4)} }},
"""

    # ---- The BSSs ----

    def nse(self, number):
        nsvcs = 1 if self.ns == "manual" else self.number(1, 2)
        line = self.maybe(self.line("line", 5), share=0.5) if not self.plain_gb else ""
        areas = 'areas = { "001-01-1-1" },' if self.moving and self.mobility.random() < 0.7 else ""
        text = f'nse {{ nsei = {100 + number}, ns = "{self.ns}", {areas}\n'
        ends = ""
        for i in range(nsvcs):
            if self.ns == "sns":
                ends += (f'endpoint {{ address = "198.51.100.{10 + number}", port = {23000 + i}, '
                         f'mac = "02:53:4c:00:01:{number:02x}" }}, ')
                continue
            text += (f'    nsvc {{ nsvci = {10 * number + i}, peer = "198.51.100.{10 + number}", '
                     f'peer_port = {23000 + i}, peer_mac = "02:53:4c:00:01:{number:02x}" }},\n')
        manners = self.maybe('    bss { gather = "200 ms", tell_radio_losses = true },\n',
                             '    bss { preemption = "radio-status", gigabit = true },\n',
                             '    bss { preemption = "flow-ms", cbl = true },\n')
        if ends:
            manners = (manners or "    bss { },\n").replace("bss { ", f"bss {{ {ends}")
        text += line + manners
        return text + "".join(self.cell(number, 2 + i) for i in range(self.number(1, 3))) + "}\n"

    def cell(self, nse, bvci):
        first = len(self.imsis)
        self.cells.append(f"{100 + nse}-{bvci}")
        mss = "".join(self.ms(nse, bvci, i) for i in range(self.number(1, 3)))
        has_radio = self.random.random() < 0.6
        rate = self.number(20, 120)
        limits = self.maybe('ms_octets = "6 kB",', "ms_pdus = 5,", 'cell_octets = "12 kB",',
                            "cell_pdus = 20,")
        codel = self.maybe('        codel { target = "500 ms", interval = "1 s" },\n', share=0.3)
        of_ms = self.maybe('ms = "fixed", ms_rate = "16 kbit/s",', 'ms = "measured",')
        own = f'rate = "{rate} kbit/s", bucket = "{self.number(2, 9)} kB",' if self.ns == "manual" else ""
        air = self.radio(self.imsis[first:]) if has_radio else ""
        buffer_rate = "" if has_radio else self.maybe(f'rate = "{rate} kbit/s",', share=0.8)
        return f"""    bvc {{ bvci = {bvci}, {own}
        buffer {{ {buffer_rate} {limits} {self.maybe('priority = "none",')} }},
{codel}        flow {{ rate = "{self.number(20, 120)} kbit/s", bmax_time = "{self.number(300, 4000)} ms",
            {of_ms} {self.maybe("measured = true,", share=0.3)} {self.maybe("measurement = true,")} }},
{air}{mss}    }},
"""

    def radio(self, imsis):
        coding, slots = self.random.choice(CODINGS), self.number(1, 6)
        plans = self.maybe(
            'plan { kind = "calls", at = "5 s", lasts = "3 s", every = "9 s", count = 3 },',
            f'plan {{ kind = "loss", imsi = "{imsis[0]}", at = "4 s", every = "2 s", count = 2 }},',
            f'plan {{ kind = "up-loss", imsi = "{imsis[0]}", at = "4 s", every = "1 s" }},',
            f'plan {{ kind = "ms-call", imsi = "{imsis[0]}", at = "7 s", lasts = "6 s" }},', share=0.7)
        return f"""        radio {{ slots = {slots}, down_coding = "{coding}", up_coding = "{coding}",
            down_bler = "{self.number(0, 30)} %", up_bler = "{self.number(0, 30)} %",
            {self.maybe('hold_taken = "2 s",')} {self.maybe('resume = "by-activity",')}
            {self.maybe('up_buffer = "4 kB",')} {self.maybe('up_discard = "3 s",')}
            {plans} }},
"""

    def ms(self, nse, bvci, number):
        imsi = f"00101{nse:02}{bvci:04}{number:04}"
        self.imsis.append(imsi)
        text = (f'        ms {{ imsi = "{imsi}", n201_u = "{self.number(140, 1520)} octets", '
                f"{self.random.choice(CIPHERS)}\n")
        for i, name in enumerate(self.random.sample(CLASSES, self.number(1, 3))):
            if self.signalling.random() < 0.1:
                name = "signalling"  # which a context may have, though no phone asks for it
            address = str(ipaddress.IPv4Address("10.0.0.0") + (nse << 16) + (bvci << 12) + (number << 4) + i)
            self.contexts[address] = imsi
            self.used.add(name)
            text += (f'            pdp {{ nsapi = {5 + i}, sapi = {self.random.choice(SAPIS)}, '
                     f'class = "{name}", address = "{address}" }},\n')
        return text + "        },\n"

    # ---- The hosts ----

    def lab(self):
        lines = [self.line("gi", 30) if self.random.random() < 0.7 else ""]
        for name in sorted(self.used):
            lines += [f"    {self.application(name)}\n" for _ in range(self.number(1, 2))]
        gb_rate = self.maybe('gb_rate = "512 kbit/s",', share=0.4) if not self.plain_gb else ""
        return f"""lab {{ ggsn = "192.0.2.2", ggsn_mac = "02:53:4c:00:02:01", {gb_rate}
    step = "{self.random.choice(("1 ms", "7 ms", "100 ms"))}",
{"".join(lines)}{"".join(self.events(imsi) for imsi in self.imsis) if self.moving else ""}}}
"""

    def events(self, imsi):
        draw = self.mobility
        kinds = draw.choice((["move"], ["suspend"], ["move", "suspend"], ["move", "away"],
                             ["suspend", "away"], ["move", "suspend", "away"]))
        return "".join(f"    {self.event(kind, imsi)}\n" for kind in kinds)

    def event(self, kind, imsi):
        draw = self.mobility
        every = draw.randint(900, 9000)
        cells = ", ".join(f'"{draw.choice(self.cells)}"' for _ in range(draw.randint(2, 4)))
        of_kind = f"cells = {{ {cells} }}" if kind == "move" else f'lasts = "{draw.randint(50, every - 1)} ms"'
        at = draw.randint(0, 6000)
        times = f"times = {1 + (self.stop_s * 1000 - at) // every}," if self.stop_s else ""
        return (f'{kind} {{ imsi = "{imsi}", at = "{at} ms", every = "{every} ms", {times} '
                f"{of_kind} }},")

    def application(self, name):
        way = self.random.choice(("down", "down", "up"))
        profiles = f'host_tcp = "{self.random.choice(PROFILES)}", ms_tcp = "{self.random.choice(PROFILES)}"'
        ecn = self.maybe("ecn = true,")
        one = self.random.choice((
            f'ftp {{ way = "{way}", {profiles}, size = "{self.number(1, 60)} kB", files = 9,',
            f'ftp {{ way = "{way}", {profiles},',
            f'http {{ {profiles}, think = "2 s",',
            f'stream {{ way = "{way}", rate = "{self.number(4, 20)} kbit/s", {ecn}',
            f'ptt {{ way = "{way}", {ecn}',
            f'ping {{ way = "{way}", interval = "{self.number(200, 2000)} ms", '
            f'size = "{self.number(1, 1472)} octets",',
            f'traffic {{ way = "{way}", rate = "{self.number(2, 20)} kbit/s", pattern = "poisson", {ecn}\n'
            f'        size = {{ "40 octets", "576 octets", "1500 octets" }},'))
        stop = f'stop = "{self.stop_s} s",' if self.stop_s else ""
        return f'{one} class = "{name}", start = "{self.number(0, 3000)} ms", {stop} }},'


def moving(seed, ns=None):
    """A world in which every MS moves or has calls, for the replay: its Gb is plain. One in three comes
    up without NS-RESET."""
    return World(seed, ns=ns or ("alive" if seed % 3 == 2 else "reset"), plain_gb=True, duration_s=10, moving=True)
