#!/usr/bin/python3
"""The program runs on any x86-64-v2. What needs more stands in a file that is named for it and is
chosen at run time, so no other function may hold such an instruction: neither in the program nor in
any object that it is made of."""

import collections
import functools
import pathlib
import re
import shutil
import subprocess

from harness import (UDP_SCENARIO, Skip, case, differing, has_sanitizers, main, program, right, run,
                     same, sluice, whole_program)

# Files that may have more, by what they are named for.
NAMED = re.compile(r"_(pclmul|vpclmul|aesni|vaes|gfni|avx2|avx512)\.c\.o$")

# Beyond x86-64-v2: everything in VEX or EVEX form (its registers, its v..., the BMI group) and what
# came one by one. Left out: tzcnt, which an older processor carries out as bsf and GCC writes for
# it on purpose; RTM, which DPDK's headers bring in behind a look at the processor.
BEYOND = re.compile(
    r"%[yz]mm|%xmm(1[6-9]|2\d|3[01])\b|%k[0-7]\b"
    r"|^v|^(andn|bextr|blsi|blsmsk|blsr|bzhi|mulx|pdep|pext|rorx|sarx|shlx|shrx)[lq]?\b"
    r"|^(lzcnt|movbe|adcx|adox|rdrand|rdseed|xsave\w*|clwb|clflushopt|movdiri|movdir64b)[bwlq]?\b"
    r"|^(aes(enc|dec|imc|keygen)\w*|pclmul\w*|sha(1|256)\w+|gf2p8\w+)\b")


@functools.cache
def beyond(path):
    """{function: its instructions beyond x86-64-v2} of a program or an object."""
    if not shutil.which("objdump"):
        raise Skip("objdump is not installed: apt-get install binutils")
    done = subprocess.run(["objdump", "-d", "--no-show-raw-insn", path], capture_output=True,
                          text=True, check=True)
    found, function = collections.defaultdict(set), "?"
    for line in done.stdout.splitlines():
        if match := re.fullmatch(r"[0-9a-f]+ <(.+)>:", line):
            function = match[1]
        elif match := re.match(r" +[0-9a-f]+:\t(.+)", line):
            if BEYOND.search(match[1]):
                found[function].add(match[1].split()[0])
    return found


def objects():
    """The program's own, in the folder of its build."""
    build = pathlib.Path(program()).parent
    found = [path for path in sorted(build.rglob("*.c.o"))
             if path.relative_to(build).parts[0] not in ("tests", "bench")]
    right(found, f"there are no objects below {build}")
    return found


def functions_of(path):
    done = subprocess.run(["nm", "--defined-only", path], capture_output=True, text=True,
                          check=True)
    return {line.split()[2] for line in done.stdout.splitlines() if line.split()[1] in "tT"}


@case("objects: instructions beyond x86-64-v2 only in files named for them")
def in_objects():
    same({str(path): dict(beyond(path)) for path in objects()
          if beyond(path) and not NAMED.search(path.name)}, {}, "others that have some")


@case("both programs: such instructions only in the functions of those files")
def in_programs():
    named = set().union(*[functions_of(path) for path in objects() if NAMED.search(path.name)])
    for path in (program(), whole_program()):
        found = beyond(path)
        right(found, f"{path}: objdump finds not one, so it does not look right")
        # GCC may split a function: fold.part.0
        same({name: what for name, what in found.items() if name.split(".")[0] not in named}, {},
             f"{path}: functions of other files")


@case("fcs_pclmul multiplies by pclmulqdq, and has nothing in VEX form")
def pclmul():
    path, = [path for path in objects() if path.name.endswith("fcs_pclmul.c.o")]
    found = set().union(*beyond(path).values())
    right(found and all(re.fullmatch(r"pclmul\w+", name) for name in found),
          f"its instructions beyond x86-64-v2: {sorted(found)}")


# --- On a processor that has no more --------------------------------------------------------------

NEHALEM = ["qemu-x86_64", "-cpu", "Nehalem"]


@functools.cache
def nehalem():
    """What starts a program there, but not what that one starts; it has SSE4.2 and POPCNT, and not PCLMULQDQ."""
    if not shutil.which(NEHALEM[0]):
        raise Skip("qemu-x86_64 is not installed: apt-get install qemu-user")
    if has_sanitizers():
        raise Skip("the sanitizers' shadow memory does not fit under qemu-x86_64")
    return NEHALEM


@case("on a Nehalem: version names slicing-by-8 for the FCS and the scalar cipher")
def version():
    done = sluice("version", before=nehalem(), path=whole_program())
    same((done.returncode, done.stdout.splitlines()[-2:]),
         (0, ["FCS by slicing-by-8", "GEA3 and GEA4 by scalar"]),
         f"exit status and last lines, {done.stderr}")


@case("on a Nehalem: udp.lua leaves the same results as here")
def results():
    there, here = run(UDP_SCENARIO, "--pcap", before=nehalem(), path=whole_program()), run(UDP_SCENARIO, "--pcap")
    same(differing(there, here), [], "results that differ")


main()
