"""Worlds of the lab whose captures become scenarios, and what both runs say, for tests/e2e/gi_scenario.py and
tests/soak/gi_scenario.py. Nothing here reads a file of sluice gi but the scenario itself."""

import csv
import re
import struct

from harness import ROOT, new_folder, run, sluice

RECOMMENDED = ROOT / "config/recommended.lua"

# Seven users, of which three download files of 200 kB and four browse. The rate of each one's radio is another, and
# a call takes a time slot for 20 s of each minute.
WORLD = """
run { name = "captured", duration = "DURATION", seed = 1 }
log { level = "error" }
variants {
    default = "plain",
    variant { name = "plain" },
    variant { name = "recommended", file = "RECOMMENDED" },
}
gn { address = "192.0.2.1", mac = "02:53:4c:00:00:01", mtu = "1536 octets" }
gb { address = "198.51.100.1", mac = "02:53:4c:00:00:02", cell_delay = "20 ms", ms_delay = "60 ms" }
queue { ms_octets = "QUEUE kB", overflow = "tail" }
local classes = { "background", "interactive-1" }
for i = 1, #classes do
    class {
        name = classes[i], flows = false, scope = "ms", lifetime = "100 s", bss_lifetime_least = "20 s",
        aqm { name = "tail-drop" },
    }
end
CELLS
lab {
    ggsn = "192.0.2.2", ggsn_mac = "02:53:4c:00:02:01",
    gi { latency = "20 ms" },
    ftp { class = "background", size = "200 kB", files = 0, pause = "5 s", spread = "10 s" },
    http {
        class = "interactive-1", main = "5 kB", embedded = 2, embedded_size = "3 kB",
        embedded_size_law = "exponential", embedded_size_most = "20 kB",
        think = "10 s", think_law = "exponential", think_least = "2 s", spread = "10 s",
    },
}
"""

def own_cells(users, downloads, radio):
    """A cell for each user, of whom the first ones download."""
    return """
local cells = {
    nsei = 101, nsvc { nsvci = 101, peer = "198.51.100.2", peer_mac = "02:53:4c:00:01:01" }, line { latency = "50 ms" },
}
for user = 1, USERS do
    cells[#cells + 1] = bvc {
        bvci = user + 1,
        radio { RADIO },
        flow { measured = true, bmax_time = "10 s" },
        ms {
            imsi = "00" .. 1010000000000 + user,
            pdp {
                nsapi = 5, sapi = 11, class = user <= DOWNLOADS and "background" or "interactive-1",
                address = "10.0." .. (user <= DOWNLOADS and 1 or 2) .. "." .. user,
            },
        },
    }
end
nse(cells)
""".replace("USERS", str(users)).replace("DOWNLOADS", str(downloads)).replace("RADIO", radio)


OWN_CELLS = own_cells(7, 3, """slots = 2 + user % 3, down_slots = 2 + user % 3, up_slots = 2, down_bler = "5 %",
            plan { kind = "calls", at = "30 s", every = "60 s", lasts = "20 s", count = 1 },""")
EQUAL_CELLS = own_cells(8, 4, "slots = 3, down_slots = 3, up_slots = 1")

# All in one cell, of which the BSS gives the SGSN a part, and each MS a part of that, which the radio carries with ease.
SHARED_CELL = """
nse {
    nsei = 101, nsvc { nsvci = 101, peer = "198.51.100.2", peer_mac = "02:53:4c:00:01:01" }, line { latency = "50 ms" },
    bvc {
        bvci = 2,
        radio { carriers = 4, slots = 32, down_slots = 4, up_slots = 2 },
        flow { rate = "120 kbit/s", bmax_time = "10 s", ms_rate = "47 kbit/s" },
        ms {
            imsi = "001010000000001", count = 3,
            pdp { nsapi = 5, sapi = 11, class = "background", address = "10.0.1.1" },
        },
        ms {
            imsi = "001010000000004", count = 4,
            pdp { nsapi = 5, sapi = 11, class = "interactive-1", address = "10.0.2.4" },
        },
    },
}
"""

# The same cell with all that its radio has, and for each MS a little more than its time slots carry: what waits, waits in
# the BSS.
FULL_BSS = SHARED_CELL.replace('rate = "120 kbit/s"', 'rate = "384 kbit/s"').replace("47 kbit/s", "48 kbit/s")

# Two cells whose radios limit them, of which the second has two time slots for each of the first's.
TWO_CELLS = """
local function of_cell(bvci, slots, first)
    return bvc {
        bvci = bvci,
        radio { slots = slots, down_slots = 4, up_slots = 2 }, flow { measured = true, bmax_time = "10 s" },
        ms {
            imsi = "00" .. 1010000000000 + first, count = 3,
            pdp { nsapi = 5, sapi = 11, class = "background", address = "10.0.1." .. first },
        },
        ms {
            imsi = "00" .. 1010000000003 + first, count = 4,
            pdp { nsapi = 5, sapi = 11, class = "interactive-1", address = "10.0.2." .. first + 3 },
        },
    }
end
nse {
    nsei = 101, nsvc { nsvci = 101, peer = "198.51.100.2", peer_mac = "02:53:4c:00:01:01" }, line { latency = "50 ms" },
    of_cell(2, 4, 1), of_cell(3, 8, 21),
}
"""

# The larger of them, and three users with cells of their own.
SHARED_AND_OWN_CELLS = TWO_CELLS.replace("of_cell(2, 4, 1), of_cell(3, 8, 21),", """of_cell(3, 8, 1),
    of_user(4, "background", "10.0.1.41"), of_user(5, "interactive-1", "10.0.2.42"),
    of_user(6, "interactive-1", "10.0.2.43"),""").replace("nse {", """
local function of_user(bvci, name, address)
    return bvc {
        bvci = bvci,
        radio { slots = 3, down_slots = 3, up_slots = 2 }, flow { measured = true, bmax_time = "10 s" },
        ms { imsi = "00" .. 1010000000100 + bvci, pdp { nsapi = 5, sapi = 11, class = name, address = address } },
    }
end
nse {""")


def write(cells, duration_s, queue_kb=30):
    path = new_folder() / "captured.lua"
    path.write_text(WORLD.replace("CELLS", cells).replace("DURATION", f"{duration_s} s")
                    .replace("RECOMMENDED", str(RECOMMENDED)).replace("QUEUE", str(queue_kb)))
    return path


# --- The capture, by the formats alone ------------------------------------------------------------


def segments(pcap):
    """Each TCP segment in GTP-U of the lab's gn.pcap: (time in s, source, destination, sequence number, ACK, flags,
    octets of data); an end is (address, port)."""
    octets = pcap.read_bytes()
    unit = {0xA1B23C4D: 1e9, 0xA1B2C3D4: 1e6}[struct.unpack_from("<I", octets)[0]]
    at = 24
    while at < len(octets):
        seconds, part, n = struct.unpack_from("<III", octets, at)
        frame = octets[at + 16:at + 16 + n]
        at += 16 + n
        if len(frame) < 50 or frame[12:14] != b"\x08\x00" or frame[23] != 17 or frame[36:38] != b"\x08\x68":
            continue
        inner = frame[42 + (12 if frame[42] & 7 else 8):]
        if inner[9] != 6:
            continue
        head = 4 * (inner[0] & 15)
        source, destination, sequence, ack, offset, flags = struct.unpack_from(">HHIIBB", inner, head)
        length = struct.unpack_from(">H", inner, 2)[0] - head - 4 * (offset >> 4)
        yield (seconds + part / unit, (".".join(map(str, inner[12:16])), source),
               (".".join(map(str, inner[16:20])), destination), sequence, ack, flags, length)


FLOW_CONTROL_BVC, CELL_RATE, MS_RATE = 0x26, 0x03, 0x1C  # 48.018 11.3


def reported(pcap):
    """(R, R of an MS) in bit/s: the means over the FLOW-CONTROL-BVC of the lab's gb.pcap, as `sluice top` shows them."""
    octets, at, found = pcap.read_bytes(), 24, {CELL_RATE: [], MS_RATE: []}
    while at < len(octets):
        n = struct.unpack_from("<I", octets, at + 8)[0]
        pdu = octets[at + 16 + 42:at + 16 + n]  # NS
        at += 16 + n
        if pdu[:1] != b"\0" or pdu[4] != FLOW_CONTROL_BVC:
            continue
        element = 5
        while element < len(pdu):
            length = pdu[element + 1] & 0x7F  # of all elements of this PDU
            if pdu[element] in found:
                value = pdu[element + 2:element + 2 + length]
                found[pdu[element]].append(100 * int.from_bytes(value, "big"))
            element += 2 + length
    return tuple(sum(each) // len(each) for each in found.values())


def users(pcap):
    """The users' addresses, in the order of their first segments."""
    seen = []
    for _, source, _, _, _, flags, _ in segments(pcap):
        if flags & 0x12 == 2 and source[0] not in seen:
            seen.append(source[0])
    return seen


# --- The scenario ---------------------------------------------------------------------------------


def class_of(address):
    return "background" if address.startswith("10.0.1.") else "interactive-1"


def scenario(captured):
    """The scenario of a run with --pcap; each user gets its class."""
    path = new_folder() / "scenario.lua"
    pcap = captured.out / "gn.pcap"
    done = sluice("gi", pcap, "--scenario", path)
    if done.returncode:
        raise RuntimeError(done.stderr)
    classes = "".join(f'\n    [{number}] = "{class_of(address)}",' for number, address in enumerate(users(pcap), 1))
    text = path.read_text()
    path.write_text(text.replace("local class_of = {", "local class_of = {" + classes, 1))
    return path


SHARED = re.compile(r"^local shared = \{\n((?:    .*\n)*)\}\n", re.M)


def found_cells(path):
    """What the scenario says of cells that users share: (rate in bit/s, the most of each or None, {users})."""
    lines = SHARED.search(path.read_text()).group(1).splitlines()
    cells = []
    for line in lines:
        rate, each, listed = re.match(r' *\{ rate = "(\d+) bit/s",(?: each = (\d+),)?((?: \d+,)+) \},', line).groups()
        cells.append((int(rate), int(each) if each else None, {int(user) for user in listed.split(",") if user.strip()}))
    return cells


def share(path, cell):
    """Tells the scenario that all of its users share a cell, of which `cell` is what `shared` has before them."""
    text = path.read_text()
    everybody = ", ".join(str(user) for user in range(1, int(re.search(r"^local USERS = (\d+)", text, re.M).group(1)) + 1))
    path.write_text(SHARED.sub(f"local shared = {{\n    {{ {cell}, {everybody} }},\n}}\n", text, count=1))


def rows(path):
    with open(path.with_suffix(".csv"), encoding="ascii") as text:
        return list(csv.DictReader(text))


# --- What a run says ------------------------------------------------------------------------------

MEASURES = ("goodput", "page", "delay")


def figures(done):
    """Class -> goodput in bit/s, mean time of a page or file in ms, mean delay down in ms, and how many of these pages
    there were."""
    found, seconds = {}, done.summary["virtual_s"] - done.summary.get("warmup_s", 0)
    with open(done.out / "applications.csv", encoding="ascii") as text:
        for row in csv.DictReader(text):
            of = found.setdefault(row["class"], {"goodput": 0, "pages": 0, "page": 0})
            of["goodput"] += 8 * int(row["ms_arrived_octets"]) / seconds
            for many, mean in (("transfers", "transfer_mean_ms"), ("pages", "page_mean_ms")):
                if int(row[many]):
                    of["pages"] += int(row[many])
                    of["page"] += int(row[many]) * float(row[mean])
    for of in found.values():
        of["page"] /= max(of["pages"], 1)
    with open(done.out / "classes.csv", encoding="ascii") as text:
        for row in csv.DictReader(text):
            if row["direction"] == "down" and row["class"] in found:
                found[row["class"]]["delay"] = float(row["delay_mean_ms"])
    return found


# Another queue, in a captured run and in its scenario: the variant of the one, that of the other, and a setting.
QUEUES = {
    "recommended": ("recommended", "recommended", []),
    "6 kB": ("plain", "captured", ["--set", "queue.ms_octets=6 kB"]),
    "90 kB": ("plain", "captured", ["--set", "queue.ms_octets=90 kB"]),
}


def all_runs(cells, duration_s, seed, told=False):
    """The figures of the captured run and of its scenario, and by queue those of both. told: the scenario is told that
    all users share a cell, and what that cell's BSS reports. Each of five seeds has another queue, of 24 to 36 kB: TCP may
    time out often with one of them, as in the shared cell with 30 kB, and with no other."""
    world = write(cells, duration_s, 24 + 3 * ((seed - 1) % 5))
    seeds = ["--no-page", "--set", f"run.seed={seed}"], ["--no-page", "--set", f"run.seed={seed + 1000}"]
    captured = run(world, "--variant", "plain", "--pcap", *seeds[0])
    replayed = scenario(captured)
    if told:
        share(replayed, 'rate = "%d bit/s", each = %d' % reported(captured.out / "gb.pcap"))
    moved = {name: (figures(run(world, "--variant", one, *setting, *seeds[0])),
                    figures(run(replayed, "--variant", two, *setting, *seeds[1])))
             for name, (one, two, setting) in QUEUES.items()}
    return figures(captured), figures(run(replayed, "--variant", "captured", *seeds[1])), moved


def knob(path, name):
    return re.search(rf'^    {name} = "(\d+) ', path.read_text(), re.MULTILINE).group(1)
