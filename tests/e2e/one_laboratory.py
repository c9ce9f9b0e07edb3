#!/usr/bin/python3
"""buffer-2004 and preempt-2004 are one laboratory: their files differ in what the papers measured, and in nothing
else. Compared is all that `sluice check` makes of a variant, defaults too, so that no value of hosts, radio, BSC or
SGSN can have two fits."""

import json

from harness import ROOT, case, main, right, same, sluice

BUFFER, PREEMPT = "buffer-2004", "preempt-2004"
# What a measurement is: its name, its time and samples, its events on the radio, an application beside the download.
# The variants' own list is compared by what they make.
MEASUREMENT = {"run.name", "run.duration_ns", "lab.step_ns", "lab.ping", "lab.ftp[0].stop_ns", "variants"}
PLAN = "nse[0].bvc[0].radio.plan"
PAIRS = ((PREEMPT, "paper-3s", BUFFER, "63s-3pdch", set()),
         (PREEMPT, "paper-15s", BUFFER, "63s-3pdch", set()),
         (BUFFER, "63s-1pdch", BUFFER, "63s-3pdch", {"nse[0].bvc[0].radio.slots"}),
         (BUFFER, "5s-3pdch", BUFFER, "63s-3pdch",
          {f"class[6].{key}_ns" for key in ("lifetime", "bss_lifetime_least", "bss_lifetime_most")}))


def leaves(value, path=""):
    """Path and value of all that is no list or block; a plan, a ping and the variants are one each."""
    if path in (PLAN, "lab.ping", "variants") or not isinstance(value, (dict, list)):
        return {path: value}
    items = value.items() if isinstance(value, dict) else enumerate(value)
    found = {path: type(value).__name__} if not value else {}
    for key, inner in items:
        found |= leaves(inner, f"{path}[{key}]" if isinstance(value, list) else f"{path}.{key}".lstrip("."))
    return found


def checked(name, variant, *sets):
    done = sluice("check", ROOT / f"config/scenarios/{name}.lua", "--variant", variant,
                  *(word for one in sets for word in ("--set", one)))
    same(done.returncode, 0, f"{name}, {variant}\n{done.stderr}")
    return leaves(json.loads(done.stdout))


def differing(one, other):
    return {path for path in one.keys() | other.keys() if one.get(path, None) != other.get(path, None)}


for pair in PAIRS:
    @case("{0}, {1} and {2}, {3}: the same laboratory".format(*pair), *pair)
    def compare(name, variant, other, other_variant, own):
        one, two = checked(name, variant), checked(other, other_variant)
        right(len(one) > 200, f"only {len(one)} values")
        found = differing(one, two) - MEASUREMENT - {PLAN}
        same(sorted(found), sorted(own), "what differs beside what was measured")


@case("a knob of hosts, radio, BSC or SGSN that one of them alone has is seen")
def seen():
    one = checked(BUFFER, "63s-3pdch")
    for change in ("tcp.ack_delay=200 ms", "radio.down_setup=200 ms", "flow.bmax_time=3 s", "bss.cbl=false",
                   "class[background].lifetime=63 s", "gi.latency=5 ms", "ms.n201_u=1430 octets"):
        right(differing(one, checked(BUFFER, "63s-3pdch", change)) - MEASUREMENT - {PLAN}, f"{change} is not seen")


main()
