#!/usr/bin/python3
"""Within a guest: the commands of config/nic.md from the NICs' addresses on, as they stand there, and twice.

    first_figure.py ADDRESS ADDRESS    of the two NICs that are wired to each other
"""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/e2e")]

from harness import case, main, right, same  # noqa: E402

OUT = "out/bench"  # of the commands
ADDRESSES = sys.argv[1:]
del sys.argv[1:]
# The kernel's modules are not where modprobe looks for them: here they are loaded, or they are not.
MODPROBE = "modprobe() { grep -q \"^${1//-/_} \" /proc/modules; }\n"
# The sizes that QEMU gets through in a minute.
SIZES = "--size rfc2544,imix", "--size 46,imix --repeats 1 --seconds 0.5"


def commands():
    block = re.search(r"(?:^    .*\n)+", (ROOT / "config/nic.md").read_text(), re.MULTILINE)[0]
    lines = [line.strip() for line in block.splitlines()]
    same(len(lines), 10, "commands")
    (at,) = (i for i, line in enumerate(lines) if line.startswith("NICS="))
    right("./run build" in lines[:at] and SIZES[0] in lines[-2] and lines[-2].endswith(f" --out {OUT}"), f"{lines}")
    return [f'NICS="{" ".join(ADDRESSES)}"'] + [line.replace(*SIZES) for line in lines[at + 1:]]


def typed(lines):
    done = subprocess.run(["bash", "-ec", MODPROBE + "\n".join(lines)], cwd=ROOT, capture_output=True, text=True, check=False)
    same(done.returncode, 0, f"status of the commands\n{done.stdout}\n{done.stderr}")
    return done.stdout, json.loads((ROOT / OUT / "bench.json").read_text())


@case("the commands of config/nic.md end with a figure; typed again, with the same within 5 %")
def first_figure():
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", ROOT / "out"], check=True)
    said, one = typed(commands())
    right("\nms,size," in said, said)
    _, two = typed(commands())
    for before, after in zip(one, two):
        print(f"# {before['size']} octets: {before['mpps']} and {after['mpps']} Mpps ({before['mpps_is']}); the generator alone "
              f"{before['search']['generator_mpps']['median']}; {before['search']['trials']} trials", flush=True)
        right(before["conservation"]["received"] > 0 and before["mpps"] > 0, f"{before}")
        right(abs(before["mpps"] - after["mpps"]) <= 0.05 * before["mpps"], f"{before['mpps']} and {after['mpps']} Mpps")
        same(before["measured"]["gn_driver"], after["measured"]["gn_driver"], "driver")


main()
