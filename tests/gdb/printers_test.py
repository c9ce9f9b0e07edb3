#!/usr/bin/python3
"""Tests gdb's printers (printers.py): gdb runs the program `printed` and stops in it, and what it prints there
is compared with the octets and states that the program made, and with what the program itself prints, which
are the values of the scheduler's functions for readers."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
UDP = "IPv4 10.0.0.1 > 10.0.0.2 UDP 2152 > 2153, 28 octets"
IP = "45 00 00 1c 00 01 00 00 40 11 00 00 0a 00 00 01 0a 00 00 02 08 68 08 69"

# what is printed: parts of it, in any order
WANTED = {
    "frame": ["mbuf: 42 octets, port 3: ", f"Ethernet 02:00:00:00:00:02 > 02:00:00:00:00:01 {UDP}\n",
              "  02 00 00 00 00 01 02 00 00 00 00 02 08 00 45 00"],
    "inner": [f"mbuf: 28 octets, port 0: {UDP}\n  {IP}"],
    "framed": ["mbuf: 9 octets, port 1: NS-UNITDATA, BVCI 4660, BSSGP PDU type 0x00\n  00 00 12 34 00 c0 00 00 01"],
    "chained": ["mbuf: 1042 octets, port 3, 2 segments, the first of 42 octets: Ethernet "],
    "lost": ["mbuf: 42 octets, port 3: its data at 0x10 cannot be read"],
    "cell": ["cell of NSE 0, ", "\n  bucket: ", "\n  background: 2 N-PDUs of 1980 octets queued, 1 queues"],
    "rest": ["2 MSs, by default: Bmax = "],
    "blocked": ["cell of NSE 0, blocked, 0 N-PDUs of 0 octets queued"],
    "no_cell": ["cell: none here"],
    "own": ["MS of cell 0, waits, ", "PFCs in slots 0\n  bucket: "],
    "on_default": ["MS of cell 0, ", "PFCs in slots 0\n  bucket: on its cell's default, "],
    "pdu": ["N-PDU: 990 octets, context ", ", mbuf 0x"],
    "bucket": ["bucket: "],
    "unlimited": ["bucket: none"],
    "stopped": ["bucket: 27.5 octets at 0.000000005 s, Bmax = 100 octets, stopped (R = 0)"],
    "ms": ["MS: TLLI 0xc0000123, cell 7, in clear, UI frames sent by LLE 1 22 333 4, 4321 octets, "
           "heard at 0.050331648 s"],
    "held": ["enciphered, held by control, held for paging, UI frames"],
}


def skip_all(why):
    print(f"1..1\nok 1 - gdb prints what is there # SKIP {why}")
    sys.exit(0)


def gdb_output():
    """All that gdb and the program print, and {name: what gdb printed}."""
    program = os.environ["PRINTED"]
    commands = ["break printed_here", "run", *(f"echo @{name}\\n\nprint *p->{name}\necho @\\n" for name in WANTED),
                "print/r *p->bucket"]
    words = [word for command in commands for line in command.split("\n") for word in ("-ex", line)]
    # LeakSanitizer stops a process that is traced.
    done = subprocess.run(["gdb", "-q", "-batch", "-iex", f"add-auto-load-safe-path {ROOT}/.gdbinit", *words, program],
                          cwd=ROOT, env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100, check=False)
    text = done.stdout + done.stderr
    if "ptrace" in text and "not permitted" in text:
        skip_all("gdb may not trace a process here")
    return text, dict(re.findall(r"^@(\w+)\n\$\d+ = (.*?)\n@$", text, re.M | re.S))


def main():
    if not shutil.which("gdb"):
        skip_all("needs gdb")
    text, printed = gdb_output()
    wanted = {name: list(parts) for name, parts in WANTED.items()}
    for name, part in re.findall(rf"^({'|'.join(WANTED)}) (.+)$", text, re.M):  # what the program says
        wanted[name].append(part)
    cases = [(f"gdb prints {name}", [part for part in parts if part not in printed.get(name, "")], printed.get(name))
             for name, parts in wanted.items()]
    cases.append(("p/r prints the fields", [] if re.search(r"level = \d+", text) else ["level = "], text))
    print(f"1..{len(cases)}")
    for number, (name, missing, shown) in enumerate(cases, 1):
        print(f"{'not ok' if missing else 'ok'} {number} - {name}")
        for line in [f"{part!r} is missing in:" for part in missing] + (f"{shown or text}".splitlines() if missing else []):
            print(f"# {line}")
    return 1 if any(missing for _, missing, _ in cases) else 0


if __name__ == "__main__":
    sys.exit(main())
