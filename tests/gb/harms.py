"""What a network may do to a PDU of a Bss."""

from world import MS


def harms(often, times, late_ns):
    """By name, each a function of the Bss, the PDU's way and name, and which of these it is. `late` is later
    than the repetition of what it answers."""
    return {"lost": lambda bss, *pdu: bss.lose(*pdu),
            often: lambda bss, *pdu: bss.lose(*pdu, times=times),
            "doubled": lambda bss, *pdu: bss.duplicate(*pdu, times=99),
            "doubled later": lambda bss, *pdu: bss.duplicate(*pdu, ns=1500 * MS),
            "delayed": lambda bss, *pdu: bss.delay(*pdu, ns=200 * MS),
            "late": lambda bss, *pdu: bss.delay(*pdu, ns=late_ns)}
