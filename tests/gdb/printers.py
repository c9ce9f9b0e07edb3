"""gdb's printers for what a packet meets: an mbuf, a queued N-PDU, a bucket, a cell, an MS of the scheduler
and one of the path. `p *cell` prints a summary in octets, bit/s and seconds; `p/r *cell` the fields.

gdb runs this file (.gdbinit). Constants and the names of flags come from the headers' text, because a
debugger's information leaves out what a file does not use. Memory that is not there is said, not followed.
"""

import functools
import ipaddress
import pathlib
import re

import gdb
import gdb.printing

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUCKET, GATE = "sched/bucket.h", "sched/sched_gate.h"
TREE, TOTAL = "sched/sched_tree.h", "sched/sched_total.h"
PDU, STATE = "sched/pdu.h", "state/state.h"
SHOWN_OCTETS = 32  # of a packet
ETHER_TYPES = {0x0800: "IPv4", 0x86dd: "IPv6", 0x0806: "ARP"}
PROTOCOLS = {1: "ICMP", 6: "TCP", 17: "UDP", 58: "ICMPv6"}
PORTED = (6, 17)


# --- What the headers say -------------------------------------------------------------------------


@functools.cache
def text_of(header):
    return (ROOT / "dataplane" / header).read_text()


@functools.cache
def constant(header, name):
    return int(re.search(rf"#define {name}\s+(\d+)", text_of(header))[1])


@functools.cache
def flags(header, prefix):
    """[(bit, words)] of the enumerators that begin so."""
    return [(int(bit), name.lower().replace("_", " "))
            for name, bit in re.findall(rf"\b{prefix}(\w+) = (\d+)\b", text_of(header))]


def flags_shown(header, prefix, value, left_out=("exists",)):
    return [words for bit, words in flags(header, prefix) if value & bit and words not in left_out]


def gate_shown(prefix, value, left_out=()):
    """The flags that all levels have, then those of this level alone."""
    return flags_shown(GATE, "GATE_", value) + flags_shown(TREE, prefix, value, left_out)


@functools.cache
def classes():
    return re.findall(r"CLASS\(\w+, \"([\w-]+)\"\)", text_of("base/classes.def"))


# --- Quantities -----------------------------------------------------------------------------------


def seconds(time_ns):
    return f"{time_ns // 10**9}.{time_ns % 10**9:09d} s"


def queued(total):
    shift = constant(TOTAL, "TOTAL_PACKET_SHIFT")
    return f"{total >> shift} N-PDUs of {total & ((1 << shift) - 1)} octets queued"


def level_octets(bucket):
    return f"{int(bucket['level']) / constant(BUCKET, 'BUCKET_UNITS_AN_OCTET'):.3f}".rstrip("0").rstrip(".")


def terms(rate, max_octets):
    if rate == 2**32 - 1:
        return "unlimited"
    leaks = f"R = {rate * constant(BUCKET, 'BUCKET_RATE_BIT_PER_S')} bit/s" if rate else "stopped (R = 0)"
    return f"Bmax = {max_octets} octets, {leaks}"


def bucket_shown(bucket):
    rate = int(bucket["rate"])
    if rate == 2**32 - 1:
        return "bucket: none"
    return (f"bucket: {level_octets(bucket)} octets at {seconds(int(bucket['at_ns']))}, "
            + terms(rate, int(bucket["max_octets"])))


def class_shown(number):
    return classes()[number] if number < len(classes()) else f"class {number}"


# --- A packet's first octets ----------------------------------------------------------------------


def number(octets, at, length=2):
    return int.from_bytes(octets[at:at + length], "big")


def ports_shown(protocol, octets, at, length):
    name = PROTOCOLS.get(protocol, f"protocol {protocol}")
    if protocol in PORTED and len(octets) >= at + 4:
        return f"{name} {number(octets, at)} > {number(octets, at + 2)}, {length} octets"
    return f"{name}, {length} octets"


def ipv4_shown(octets, length):
    header, total = (octets[0] & 15) * 4, number(octets, 2)
    if header < 20 or not header <= total <= length:
        return None
    source, target = (ipaddress.IPv4Address(octets[at:at + 4]) for at in (12, 16))
    fragment = ", a fragment" if number(octets, 6) & 0x3fff else ""
    ports = ports_shown(octets[9], octets, 2**16 if number(octets, 6) & 0x1fff else header, total)
    return f"IPv4 {source} > {target} {ports}{fragment}"


def ipv6_shown(octets, length):
    total = 40 + number(octets, 4)
    if len(octets) < 40 or total > length:
        return None
    source, target = (ipaddress.IPv6Address(octets[at:at + 16]) for at in (8, 24))
    return f"IPv6 {source} > {target} {ports_shown(octets[6], octets, 40, total)}"


def ip_shown(octets, length):
    if len(octets) < 20:
        return None
    return {4: ipv4_shown, 6: ipv6_shown}.get(octets[0] >> 4, lambda *_: None)(octets, length)


def outermost(octets, length):
    """The outermost header. No mbuf says which it is, so that is what makes sense, Ethernet first."""
    if len(octets) >= 14 and (kind := ETHER_TYPES.get(number(octets, 12))):
        target, source = (octets[at:at + 6].hex(":") for at in (0, 6))
        return f"Ethernet {source} > {target} {ip_shown(octets[14:], length - 14) or kind}"
    if found := ip_shown(octets, length):
        return found
    if len(octets) >= 5 and octets[0] == 0 and octets[1] < 4:
        return f"NS-UNITDATA, BVCI {number(octets, 2)}, BSSGP PDU type 0x{octets[4]:02x}"
    return "no header of Ethernet, IP or NS"


def memory(address, octets):
    try:
        return bytes(gdb.selected_inferior().read_memory(address, octets)) if octets else b""
    except gdb.MemoryError:
        return None


# --- The structures -------------------------------------------------------------------------------


def mbuf(value):
    length, whole, segments = (int(value[name]) for name in ("data_len", "pkt_len", "nb_segs"))
    address = int(value["buf_addr"]) + int(value["data_off"])
    said = f"mbuf: {whole} octets, port {int(value['port'])}"
    if segments != 1:
        said += f", {segments} segments, the first of {length} octets"
    octets = memory(address, min(length, 96))
    if octets is None:
        return f"{said}: its data at {address:#x} cannot be read"
    return f"{said}: {outermost(octets, whole)}\n  {octets[:SHOWN_OCTETS].hex(' ')}"


def pdu(value):
    said = [f"N-PDU: {int(value['octets'])} octets, context {int(value['context'])}, LLE {int(value['lle'])}"]
    said += [words for name, words in (("ect", "ECN-capable"), ("mark", "to be marked")) if int(value[name])]
    said.append(f"came at {seconds(int(value['arrived_ns']))} of its MS's clock, mbuf {int(value['buffer']):#x}")
    return ", ".join(said)


def classes_shown(cell):
    return [f"\n  {class_shown(number)}: {queued(int(one['total']))}, {int(one['backlogged'])} queues"
            for number in range(len(classes())) if int((one := cell["of_class"][number])["total"])]


def cell(value):
    state = int(value["state"])
    if not state:
        return "cell: none here"
    words = gate_shown("BVC_", state)
    return "".join([", ".join([f"cell of NSE {int(value['nse'])}", *words, queued(int(value["total"]))]),
                    f"\n  {bucket_shown(value['bucket'])}", *classes_shown(value)])


def cell_rest(value):
    default = value["defaults"]["terms"]
    return f"{int(value['mss'])} MSs, by default: " + terms(int(default["rate"]), int(default["max_octets"]))


def tree_ms(value):
    state = int(value["state"])
    if not state:
        return "MS: none here"
    words = gate_shown("MS_", state, ("own",))
    slots = [str(slot) for slot in range(8) if int(value["slots"]) >> slot & 1]
    own = any(words == "own" and state & bit for bit, words in flags(TREE, "MS_"))
    bucket = (bucket_shown(value["bucket"]) if own else
              f"bucket: on its cell's default, {level_octets(value['bucket'])} octets when charged last")
    return (", ".join([f"MS of cell {int(value['bvc'])}", *words, queued(int(value["total"])),
                       f"PFCs in slots {' '.join(slots) or 'none'}"]) + f"\n  {bucket}")


def state_ms(value):
    tick_ns = int(value["heard"]) << constant(STATE, "STATE_TICK_SHIFT")
    sent = " ".join(str(int(value["sent"][lle])) for lle in range(value["sent"].type.range()[1] + 1))
    words = flags_shown(STATE, "STATE_HELD_", int(value["holds"])) + flags_shown(
        STATE, "STATE_LISTENED_", int(value["holds"]))
    return ", ".join([f"MS: TLLI 0x{int(value['tlli']):08x}, cell {int(value['bvc'])}",
                      "enciphered" if value["enciphered"] else "in clear",
                      *(f"held {word}" if word != "for" else "listened for" for word in words),
                      f"UI frames sent by LLE {sent}", f"{int(value['octets'])} octets",
                      f"heard at {seconds(tick_ns)}"])


class Printer:
    """A summary in place of the fields."""

    def __init__(self, show, value):
        self.show, self.value = show, value

    def to_string(self):
        return self.show(self.value)


PRINTERS = {"rte_mbuf": mbuf, "pdu": pdu, "bucket": bucket_shown, "tree_bvc": cell, "tree_bvc_rest": cell_rest,
            "tree_ms": tree_ms, "state_ms": state_ms}


def register():
    found = gdb.printing.RegexpCollectionPrettyPrinter("sluice")
    for name, show in PRINTERS.items():
        found.add_printer(name, f"^{name}$", functools.partial(Printer, show))
    gdb.printing.register_pretty_printer(None, found, replace=True)


register()
