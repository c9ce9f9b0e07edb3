"""The configurations of captures.py, and what is to be seen of each on the wire."""

import collections
import ipaddress

from harness import QUICKSTART, new_folder

# What every packet to one inner address has to show.
Context = collections.namedtuple(
    "Context", "peer peer_port peer_mac bvci tlli nsapi sapi n201_u lifetime_cs")


class World:
    """A configuration: its file's text, or None for the quickstart; and what it must bring about.
    drops, and queues at the end: True, False, or None where both are right."""

    def __init__(self, name, contexts, *, text=None, sets=(), npdus_least, contexts_least, own, line_bit_per_s=0,
                 drops=False, queues=False, nu_wraps=False, npdu_wraps=False):
        self.name, self.text, self.contexts, self.own = name, text, contexts, own
        self.sets = [word for pair in sets for word in ("--set", pair)]
        self.npdus_least, self.contexts_least = npdus_least, contexts_least
        self.line_bit_per_s = line_bit_per_s
        self.drops, self.queues = drops, queues
        self.nu_wraps, self.npdu_wraps = nu_wraps, npdu_wraps

    def config(self):
        if self.text is None:
            return QUICKSTART
        path = new_folder() / f"{self.name.replace(' ', '_')}.lua"
        path.write_text(self.text)
        return path


def address(first, index):
    return str(ipaddress.IPv4Address(first) + index)


# --- The quickstart, with other values by --set ---------------------------------------------------


SPEECH = "nse[1].bvc[1].ms[2].n201_u=1444 octets"


def quickstart_contexts(n201_u):
    def context(tlli, nsapi, sapi, n201_u):
        return Context("198.51.100.2", 23000, "02:53:4c:00:01:01", 2, tlli, nsapi, sapi, n201_u,
                       4000)

    found = {}
    for i in range(8):
        found[address("10.0.0.1", i)] = context(0xC0000000 + i, 5, 5, n201_u)
        found[address("10.0.1.1", i)] = context(0xC0000000 + i, 6, 11, n201_u)
    for i in range(4):
        found[address("10.0.2.1", i)] = context(0xC0000008 + i, 5, 3, 1444)
    return found


def quickstart(name, n201_u, *sets, npdus_least=100, line_bit_per_s=64000, drops=True,
               queues=None):
    n201_u_set = f"nse[1].bvc[1].ms[1].n201_u={n201_u} octets"
    return World(name, quickstart_contexts(n201_u), sets=[n201_u_set, SPEECH, *sets],
                 npdus_least=npdus_least, contexts_least=10, own=("198.51.100.1", 23000),
                 line_bit_per_s=line_bit_per_s, drops=drops, queues=queues)


# --- Many MSs, cells and NSEs ---------------------------------------------------------------------

N201_U = [140, 141, 500, *range(1443, 1521)]
SIZES = [36, 37, 131, 132, 134, 135, 136, 137, 496, 497, 576, 1439, 1440, 1441, 1499, 1500]
LIFETIMES_CS = {"background": 4000, "streaming": 777, "interactive-2": 10}

HEAD = """
run {{ name = "{name}", duration = "{duration}", seed = 7 }}
gn {{ address = "192.0.2.1", mac = "02:00:00:00:00:01", mtu = "1600 octets" }}
gb {{ address = "198.51.100.1", mac = "02:00:00:00:00:02", port = 23000, mtu = "1600 octets" }}
class {{ name = "streaming", lifetime = "7770 ms" }}
class {{ name = "interactive-2", lifetime = "0.1 s" }}
queue {{ packets = 4000, octets = "10000 kB" }}
"""

LAB = """
lab {{
    ggsn = "192.0.2.2", ggsn_mac = "02:00:00:00:00:04", gb_rate = "{gb_rate}",
    {traffic}
}}
"""


class Network:
    """Writes NSEs, cells and MSs as a configuration, and keeps what each context has to show."""

    def __init__(self):
        self.text, self.contexts, self.mss = "", {}, 0

    def nse(self, number, cells):
        peer = (f"198.51.100.{10 + number}", 23000 + number, f"02:00:00:00:01:{number:02x}")
        self.text += (f"nse {{\n    nsei = {number},\n    nsvc {{ nsvci = {number}, "
                      f'peer = "{peer[0]}", peer_port = {peer[1]}, peer_mac = "{peer[2]}" }},\n')
        for bvci, mss in cells:
            self.text += f"    bvc {{\n        bvci = {bvci},\n"
            for n201_u, pdps in mss:
                self.ms(peer, bvci, n201_u, pdps)
            self.text += "    },\n"
        self.text += "}\n"

    def ms(self, peer, bvci, n201_u, pdps):
        self.mss += 1
        tlli = 0xC0000000 + 17 * self.mss
        self.text += (f'        ms {{ imsi = "{262420000000000 + self.mss}", tlli = {tlli:#x}, '
                      f'n201_u = "{n201_u} octets",\n')
        for nsapi, sapi, traffic_class in pdps:
            inner = address("10.1.0.0", 16 * self.mss + nsapi)
            self.text += (f'            pdp {{ nsapi = {nsapi}, sapi = {sapi}, '
                          f'class = "{traffic_class}", address = "{inner}" }},\n')
            self.contexts[inner] = Context(*peer, bvci, tlli, nsapi, sapi, n201_u,
                                           LIFETIMES_CS[traffic_class])
        self.text += "        },\n"


def traffic(traffic_class, sizes, rate, pattern="constant"):
    listed = ", ".join(f'"{size} octets"' for size in sizes)
    return (f'traffic {{ class = "{traffic_class}", size = {{ {listed} }}, rate = "{rate}", '
            f'pattern = "{pattern}", stop = "1 s" }},')


def many_cells():
    """Each N201-U has an MS with two contexts; the MSs are dealt to five cells of three NSEs."""
    pdps = [(5, 3, "background"), (15, 11, "interactive-2")]
    mss = [(n201_u, pdps) for n201_u in N201_U]
    mss.append((1520, [(6, 5, "streaming"), (7, 5, "streaming"), (8, 9, "streaming")]))
    network = Network()
    network.nse(1, [(2, mss[0::5]), (65534, mss[1::5])])
    network.nse(2, [(2, mss[2::5])])
    network.nse(3, [(300, mss[3::5]), (301, mss[4::5])])
    lab = LAB.format(gb_rate="unlimited", traffic="\n    ".join([
        traffic("background", SIZES, "60 kbit/s", "poisson"),
        traffic("interactive-2", SIZES, "40 kbit/s"),
        traffic("streaming", [1500, 36], "200 kbit/s")]))
    return World("many cells", network.contexts, npdus_least=1500,
                 contexts_least=2 * len(N201_U) + 3, own=("198.51.100.1", 23000),
                 text=HEAD.format(name="many-cells", duration="2 s") + network.text + lab)


def counters_wrap():
    """One MS gets more than 512 LLC PDUs on one SAPI, from two contexts, another more than 4096
    N-PDUs in one context."""
    network = Network()
    network.nse(1, [(2, [(140, [(5, 3, "background"), (6, 3, "background")]),
                         (200, [(5, 9, "streaming")])])])
    lab = LAB.format(gb_rate="8 Mbit/s", traffic="\n    ".join([
        traffic("background", [1500, 137], "600 kbit/s"),
        traffic("streaming", [36], "1250 kbit/s")]))
    return World("counters go round", network.contexts, npdus_least=4200, contexts_least=3,
                 nu_wraps=True, npdu_wraps=True, own=("198.51.100.1", 23000), line_bit_per_s=8000000,
                 text=HEAD.format(name="counters", duration="3 s") + network.text + lab)


WORLDS = [
    quickstart("N201-U 500", 500),
    quickstart("N201-U 140", 140),
    quickstart("N201-U 141, stopped inside the burst", 141, "run.duration=5 s", npdus_least=50,
               queues=True),
    quickstart("N201-U 1520, no queue", 1520, "lab.gb_rate=unlimited", "gb.mtu=1600 octets",
               line_bit_per_s=0, drops=False, queues=False),
    many_cells(),
    counters_wrap(),
]
