#!/usr/bin/python3
"""`sluice check` shows the ciphering keys of MSs to those alone who ask for them."""

import json

import real
from harness import case, main, new_folder, right, same, sluice

CONFIG = real.CONFIG.replace("GN_DEVICE", "net_null0").replace("GB_DEVICE", "net_null1")


ATTACH = CONFIG.split("nse {")[0] + """
attach { }
nse { nsei = 101, nsvc { nsvci = 102, peer = "198.51.100.2", peer_port = 23001 }, bvc { bvci = 103 } }
"""


def checked(path, *words):
    done = sluice("check", *words, path)
    same(done.returncode, 0, done.stderr)
    return done.stdout


@case("check shows the keys of MSs to those alone who ask for them, and never a mistaken one")
def keys():
    key = "00112233445566778899aabbccddeeff"
    text = CONFIG.replace("n201_u =", f'cipher = "gea4", key = "{key}", n201_u =')
    path = new_folder() / "x.lua"
    path.write_text(text)
    shown, whole = checked(path), checked(path, "--secrets")
    same((key in shown, json.loads(shown)["nse"][0]["bvc"][0]["ms"][1]["key"]), (False, "hidden"), "check")
    same(json.loads(whole)["nse"][0]["bvc"][0]["ms"][1]["key"], key, "check --secrets")
    for wrong in f'"{key}0"', f'"{key[:-1]}x"', f'"{key[:-1]}"', "0x112233445566":
        path.write_text(text.replace(f'"{key}"', wrong))
        done = sluice("check", "--secrets", path)
        same(done.returncode, 2, "exit status")
        right(".key: found" in done.stderr, done.stderr)
        right(wrong.strip('"')[:8] not in done.stderr, f"a key is shown: {done.stderr}")


@case("so it does with K and OPc of phones, and the ciphers are filled in")
def cards():
    key, opc = "00112233445566778899aabbccddeeff", "ffeeddccbbaa99887766554433221100"
    card = f'phone {{ imsi = "001010000000007", k = "{key}", opc = "{opc}" }}\n'
    path = new_folder() / "x.lua"
    path.write_text(ATTACH + card)
    shown, whole = json.loads(checked(path)), json.loads(checked(path, "--secrets"))
    same([[one["phone"][0][name] for name in ("k", "opc")] for one in (shown, whole)],
         [["hidden", "hidden"], [key, opc]], "keys, and with --secrets")
    same(shown["attach"]["ciphers"], ["gea4", "gea3"], "ciphers")
    for wrong in f'"{key}0"', f'"{key[:-1]}x"', f'"{key[:-1]}"', "0x112233445566":
        for right_one in key, opc:
            path.write_text(ATTACH + card.replace(f'"{right_one}"', wrong))
            done = sluice("check", "--secrets", path)
            same(done.returncode, 2, "exit status")
            right(wrong.strip('"')[:8] not in done.stderr and key not in done.stderr and opc not in done.stderr,
                  f"a key is shown: {done.stderr}")


main()
