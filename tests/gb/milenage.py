#!/usr/bin/python3
"""Milenage in Lua against Osmocom's osmo-auc-gen: a thousand random cards with random RANDs, SQNs and AMFs, as USIM and
as SIM; AUTN as the SGSN puts it together, Kc, and Kc128 against libosmogsm. tests/control/auth/milenage_test.c has the sets of TS 35.208."""

import ctypes
import ctypes.util
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))

from harness import case, main, often, same  # noqa: E402

OSMOGSM = ctypes.CDLL(ctypes.util.find_library("osmogsm"))
CARDS = often(1000, 4000)

# The answer of each line "K OPc RAND SQN AMF" on a line.
SCRIPT = """
local hex = require "sluice.base.hex"
local milenage = require "milenage"
for line in io.lines(arg[1]) do
    local k, opc, rand, sqn, amf = line:match "(%x+) (%x+) (%x+) (%d+) (%x+)"
    local key, op, chance, field = hex.octets(k), hex.octets(opc), hex.octets(rand), hex.octets(amf)
    local found = milenage.keys(key, op, chance)
    local mac = milenage.macs(key, op, chance, tonumber(sqn), field)
    print(hex.digits(string.pack(">I6", tonumber(sqn) ~ found.ak) .. field .. mac), hex.digits(found.res),
        hex.digits(found.sres), hex.digits(found.kc), hex.digits(found.kc128))
end
"""


def theirs(k, opc, rand, sqn, amf):
    """Of a USIM, and what a SIM says and has."""
    said = subprocess.run(["osmo-auc-gen", "-3", "-a", "MILENAGE", "-k", k, "-o", opc, "-f", amf, "-s", str(sqn),
                           "-l", "0", "-r", rand], capture_output=True, text=True, check=True).stdout
    found = dict(re.findall(r"^(\w+):\s+(\w+)$", said, re.M))
    kc128 = ctypes.create_string_buffer(32)  # the function writes its whole hash
    OSMOGSM.osmo_kdf_kc128(bytes.fromhex(found["CK"]), bytes.fromhex(found["IK"]), kc128)
    return [found["AUTN"], found["RES"], found["SRES"], found["Kc"], kc128.raw[:16].hex()]


@case(f"{CARDS} random cards: AUTN, RES, SRES, Kc and Kc128 are Osmocom's")
def cards():
    chance = random.Random(35206)

    def digits(octets):
        return chance.randbytes(octets).hex()

    asked = [(digits(16), digits(16), digits(16), chance.randrange(1, 2**47), digits(2)) for _ in range(CARDS)]
    with tempfile.TemporaryDirectory() as folder:
        script, lines = pathlib.Path(folder) / "milenage.lua", pathlib.Path(folder) / "cards"
        script.write_text(SCRIPT)
        lines.write_text("".join(" ".join(map(str, one)) + "\n" for one in asked))
        said = subprocess.run([os.environ["SLUICE"], "lua", script, lines], capture_output=True, text=True)
    ours = said.stdout.splitlines()
    same((len(ours), said.stderr), (CARDS, ""), "answers of ours")
    for one, answer in zip(asked, ours):
        same(answer.split("\t"), theirs(*one), f"AUTN, RES, SRES, Kc, Kc128 of {one}")


main()
