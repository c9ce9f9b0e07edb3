#!/usr/bin/python3
"""`sluice audit` on captures of Sluice with test BSSs at the other end that do all that BSSs may (audit_world.py):
nothing to report, no ns too early. `./run soak audit` has hundreds more."""

import collections

import audit_world
import audit_capture
from harness import case, main, new_folder, often, right, same

WORLDS = often(4, 12)
folder = new_folder()
seen = collections.Counter()


@case(f"{WORLDS} random worlds: nothing to report, and all of it read")
def nothing():
    for seed in range(WORLDS):
        done = audit_world.capture(seed, folder / "gb.pcap")
        report = audit_capture.audit("--tolerance", "0", folder / "gb.pcap")
        same(report["findings"], [], f"world {seed}")
        for name in "cut_pdu", "unknown_pdu", "no_direction", "too_many", "findings_unsure", "pauses":
            same(report["input"][name], 0, f"world {seed}: {name}")
        same(sum(cell["pdus_down"] for cell in report["bvcs"]), done.names["bssgp_dl_unitdata"],
             f"world {seed}: LLC PDUs down")
        seen.update(done.names)
        seen["judged"] += sum(cell["bucket"]["pdus"] for cell in report["bvcs"] if cell["bucket"])


@case("in these worlds there was all of that")
def not_empty():
    for name, least in (("judged", 400), ("own PFI", 100), ("bssgp_flow_control_ms_ack", 2), ("bssgp_flush_ll", 1),
                        ("bssgp_flow_control_pfc_ack", 1), ("bssgp_llc_discarded", 2), ("bssgp_suspend_ack", 1),
                        ("bssgp_resume_ack", 0.3), ("bssgp_bvc_block_ack", 0.5), ("ns_block_ack", 0.2),
                        ("bssgp_bvc_reset_ack", 8), ("ns_reset_ack", 4)):
        right(seen[name] >= least * WORLDS, f"{name}: {seen[name]} in {WORLDS} worlds")


main()
