#!/usr/bin/python3
"""The Linux kernel's own queues beside Sluice: cells of 36, 100 and 200 kbit/s, all at once, in a guest whose kernel has
the qdiscs, with Linux's TCP at both ends. Prints what the users of each feel, as a table.

    rivals.py [WORD...] [--seconds N] [--ecn]    settings whose name has a word, or all; 300 s of the guest's

The guest's time goes by its instructions, and it sleeps for no time of ours: no other program on this machine changes a
figure, and a busy one only takes longer. tests/guest/rival_cells.py runs in the guest, and has the settings and the loads. Needs qemu-system-x86, busybox-static
and the network, for the kernel's package.
"""

import argparse
import json
import os
import pathlib
import shlex
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/guest"), str(ROOT / "tests/e2e"), str(ROOT / "tests/soak/outside")]

import guest  # noqa: E402
from capture import quantile  # noqa: E402
from harness import PATIENCE, Failure, Skip  # noqa: E402
from rival_cells import chosen  # noqa: E402

MODULES = "veth", "sch_netem", "sch_htb", "sch_cake", "sch_fq_codel", "sch_fq_pie", "sch_dualpi2"
MEMORY_MB = 4096
LIMIT_S = 900 * PATIENCE
CLOCK = "-smp", "1", "-icount", "shift=0,sleep=off"  # 1 ns for each instruction
HELD_S = 10  # of what a cell carries may wait at a phone for what was lost, until it is measured
LOST_S = 99
# What users feel, of each load.
COLUMNS = {
    "1 download": ("ping", "all"),
    "4 downloads": ("ping", "least", "all"),
    "1 download, 4 browse": ("ping", "page", "least", "all"),
}
WORDS = {"ping": "own ping p95, s", "page": "page, s", "least": "least download, kbit/s", "all": "all, kbit/s"}


def felt(cell):
    """The figures of a cell. A ping that was lost took LOST_S, and so did one that was not sent."""
    return {"ping": quantile([LOST_S if one is None else one for one in cell["ping_s"] or [None]], 0.95),
            "page": sum(cell["page_s"]) / len(cell["page_s"]) if cell["page_s"] else None,
            "least": min(cell["kbit"][:cell["downloads"]]), "all": sum(cell["kbit"])}


def text(figure, value):
    if value is None or (figure, value) == ("ping", LOST_S):
        return "none"
    return f"{value:.2f}" if figure == "ping" else f"{value:.1f}"


def table(cells):
    """A row for each setting, in each place the figures at all rates."""
    rows = {}
    for cell in cells:
        for figure in COLUMNS[cell["load"]]:
            rows.setdefault(cell["setting"], {}).setdefault((cell["load"], figure), []).append(text(figure, felt(cell)[figure]))
    columns = [(load, figure) for load, figures in COLUMNS.items() for figure in figures]
    lines = [["", *(f"{load}: {WORDS[figure]}" for load, figure in columns)], ["---"] * (1 + len(columns)),
             *([name, *(", ".join(row[column]) for column in columns)] for name, row in rows.items())]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def faults(cells, measured_s):
    """What cannot be."""
    for cell in cells:
        name = f"{cell['setting']}, {cell['load']}, {cell['rate_kbit']} kbit/s"
        if not cell["ping_s"] or not sum(cell["kbit"]):
            yield f"{name}: no ping was sent, or nothing came"
        if sum(cell["kbit"]) > cell["rate_kbit"] * (1 + HELD_S / measured_s):
            yield f"{name}: {sum(cell['kbit']):.1f} kbit/s came, more than the cell carries"


def in_guest(args):
    """What rival_cells.py prints at its end, and the processor time that it took."""
    # Where it waits for a file of this machine, its time goes on at once to its next timer.
    job = shlex.join(["env", "PATIENCE=1000", f"SLUICE={os.environ.get('SLUICE', ROOT / 'build/release/sluice')}", "python3", "-B",
                      f"{ROOT}/tests/guest/rival_cells.py", str(args.seconds), str(int(args.ecn)), *args.settings])
    ended = guest.run("rivals", job, ["-m", str(MEMORY_MB), *CLOCK], LIMIT_S, accelerator="tcg,thread=single", pages=0, modules=MODULES)
    if ended.status != 0:
        raise Failure(f"the guest's program ended with {ended.status}; it said:\n{ended.output}")
    return json.loads(ended.output.splitlines()[-1]), ended.processor_s


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("word", nargs="*")
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--ecn", action="store_true", help="hosts and phones use ECN")
    args = parser.parse_args()
    args.settings = chosen(args.word)
    if not args.settings:
        parser.error(f"no setting's name has one of these words; there are: {'; '.join(chosen([]))}")
    if not 60 <= args.seconds <= 600:
        parser.error(f"--seconds: from 60 to 600, found {args.seconds}")
    try:
        found, processor_s = in_guest(args)
    except Skip as why:
        print(f"# not run: {why}\n0 passed, 0 failed")
        return 0
    except Failure as why:
        print(f"not ok: {why}\n0 passed, 1 failed")
        return 1
    cells, wrong = found["cells"], list(faults(found["cells"], found["measured_s"]))
    for line in wrong:
        print(f"not ok: {line}")
    print(f"Linux {found['kernel']}, {len(cells)} cells for {args.seconds} s, {'with' if args.ecn else 'without'} ECN; "
          f"at 36, 100 and 200 kbit/s:\n\n{table(cells)}\n")
    for name in found["missing"]:
        print(f"# not run: {name}: this kernel has no such queue")
    print(f"# {found['idle']:.0%} of the guest's processor's time was left; timers were {found['late_p99_s'] * 1e3:.1f} ms late at p99, "
          f"{found['late_most_s'] * 1e3:.1f} ms at most; {processor_s:.0f} s of this machine's processor time")
    print(f"{len(cells) - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
