#!/usr/bin/python3
"""From the configuration to the Gb frame with GEA3, GEA4 and no cipher among the MSs: libosmocore, a
cipher that is not ours, deciphers the capture, and what comes out is what went in."""

import collections
import ctypes
import ctypes.util
import functools
import json

import pcap
from harness import (Skip, case, check_sound, differing, main, new_folder, right, run, same, same_rows,
                     sluice)

# With a count the last 32 bits go round: the second MS with GEA3 has them at 0.
KEYS = {"gea3": "44556677ffffffff", "gea4": "000102030405060708090A0B0C0D0E0F"}
IOV_UI = {"gea3": 0, "gea4": 0x89ABCDEF}
NUMBERS = {"gea3": 3, "gea4": 4}
COUNT = 3  # MSs of each
SGSN_TO_MS = 1

CONFIG = """
run {{ name = "cipher", duration = "6 s", seed = 3 }}
gn {{ address = "192.0.2.1", mac = "02:00:00:00:00:01", mtu = "1536 octets" }}
gb {{ address = "198.51.100.1", mac = "02:00:00:00:00:02" }}
nse {{
    nsei = 1, ns = "manual",
    nsvc {{ nsvci = 1, peer = "198.51.100.2", peer_mac = "02:00:00:00:00:03" }},
    bvc {{
        bvci = 2, rate = "4 Mbit/s", bucket = "20 kB",
        ms {{
            imsi = "001010000000001", count = 3, n201_u = "140 octets", {gea3}
            pdp {{ nsapi = 5, sapi = 3, class = "background", address = "10.0.0.1" }},
            pdp {{ nsapi = 6, sapi = 11, class = "streaming", address = "10.0.1.1" }},
        }},
        ms {{
            imsi = "001010000000011", count = 3, n201_u = "1434 octets", {gea4}
            pdp {{ nsapi = 5, sapi = 5, class = "interactive-1", address = "10.0.2.1" }},
            pdp {{ nsapi = 9, sapi = 9, class = "background", address = "10.0.3.1" }},
        }},
        ms {{
            imsi = "001010000000021", count = 3,
            pdp {{ nsapi = 5, sapi = 3, class = "background", address = "10.0.4.1" }},
        }},
    }},
}}
lab {{
    ggsn = "192.0.2.2", ggsn_mac = "02:00:00:00:00:04",
    traffic {{
        class = "background", rate = "80 kbit/s", pattern = "poisson", stop = "4 s",
        size = {{ "36 octets", "140 octets", "576 octets", "1500 octets" }},
    }},
    traffic {{ class = "streaming", rate = "250 kbit/s", size = "160 octets", stop = "4 s" }},
    traffic {{ class = "interactive-1", rate = "50 kbit/s", size = "40 octets", stop = "4 s" }},
}}
"""

Found = collections.namedtuple("Found", "run config packets frames")


def keys_of(name):
    return f'cipher = "{name}", key = "{KEYS[name]}", iov_ui = {IOV_UI[name]:#x},'


@functools.cache
def config(ciphers):
    path = new_folder() / "cipher.lua"
    path.write_text(CONFIG.format(**{name: keys_of(name) if ciphers else "" for name in KEYS}))
    return path


@functools.cache
def found(ciphers=True):
    done = run(config(ciphers), "--pcap")
    packets = [pcap.gn_packet(frame) for frame in pcap.frames_of(done.out / "gn.pcap")]
    return Found(done, config(ciphers), packets, list(pcap.frames_of(done.out / "gb.pcap")))


class Osmocom:
    """Deciphers for pcap.gb_pdu, in the order of the frames: none is missing, so OC is known."""

    def __init__(self):
        path = ctypes.util.find_library("osmogsm")
        if not path:
            raise Skip("libosmogsm is not installed: apt-get install libosmogsm18")
        self.gsm, self.sent = ctypes.CDLL(path), collections.Counter()
        self.gsm.gprs_cipher_gen_input_ui.restype = ctypes.c_uint32
        self.deciphered = 0

    def __call__(self, number, tlli, llc):
        group, member = divmod(tlli - 0xC0000000, COUNT)
        name = ["gea3", "gea4", None][group]
        sapi, nu = llc[0] & 15, (llc[1] & 7) << 6 | llc[2] >> 2
        pcap.need(bool(llc[2] & 2) == bool(name), number, f"E is {llc[2] & 2} with {name}")
        sent = self.sent[tlli, sapi]
        self.sent[tlli, sapi] += 1
        pcap.need(nu == sent % 512, number, f"N(U) {nu} after {sent} frames")
        if not name:
            return llc
        key = bytes.fromhex(KEYS[name])
        key = key[:-4] + ((int.from_bytes(key[-4:], "big") + member) % 2**32).to_bytes(4, "big")
        stream = ctypes.create_string_buffer(len(llc) - 3)
        to_input = self.gsm.gprs_cipher_gen_input_ui
        value = to_input(ctypes.c_uint32(IOV_UI[name]), ctypes.c_uint8(sapi), ctypes.c_uint32(nu),
                         ctypes.c_uint32(sent // 512 * 512))
        same(self.gsm.gprs_cipher_run(stream, ctypes.c_uint16(len(llc) - 3), NUMBERS[name], key,
                                      ctypes.c_uint32(value), SGSN_TO_MS), 0, "gprs_cipher_run")
        self.deciphered += 1
        return llc[:3] + bytes(a ^ b for a, b in zip(llc[3:], stream.raw))


@case("it runs, soundly: the lab's receiver deciphers all and drops nothing")
def runs():
    summary = found().run.summary
    check_sound(summary)
    same(summary["conservation"]["dropped"], 0, "dropped")
    same(summary["conservation"]["queued"], 0, "queued")
    same(found().run.info["buffers_held_at_exit"], 0, "buffers_held_at_exit")
    right(found().run.info["cipher"] in ("scalar", "avx2", "avx512"), "run.json names no cipher")


@case("libosmocore deciphers Gb, FCS and all, to the packets that entered, octet for octet")
def deciphered():
    osmocom = Osmocom()
    pdus = [pcap.gb_pdu(frame, osmocom) for frame in found().frames]
    came = collections.Counter((npdu.dst, npdu.octets) for npdu in pcap.npdus_of(pdus))
    went = collections.Counter((packet.dst, packet.octets) for packet in found().packets)
    same(sum((went - came).values()), 0, "packets that did not come out")
    same(sum((came - went).values()), 0, "packets that never went in")
    right(osmocom.deciphered > 2000, f"only {osmocom.deciphered} frames were enciphered")
    right(max(osmocom.sent.values()) > 1024, "no number went round twice")


@case("without ciphers the same frames leave at the same instants; E, information and FCS differ")
def the_same_in_plaintext():
    same_rows([(f.time_ns, len(f.octets)) for f in found().frames],
              [(f.time_ns, len(f.octets)) for f in found(False).frames], "time and length")
    for ours, plain in zip(found().frames, found(False).frames):
        pdu = pcap.gb_pdu(plain)
        llc = len(plain.octets) - pdu.info_octets - 6
        clear = pdu.tlli >= 0xC0000000 + 2 * COUNT
        header = bytes([*plain.octets[:llc + 2], plain.octets[llc + 2] | (0 if clear else 2)])
        same(ours.octets[:llc + 3], header, f"frame {ours.number}: headers")
        same(ours.octets[llc + 3:] == plain.octets[llc + 3:], clear,
             f"frame {ours.number}: in the clear")


@case("two runs with one seed leave the same bytes")
def one_seed():
    same(differing(found().run, run(found().config, "--pcap")), [], "results that differ")


@case("check --secrets shows the cipher, the key of the first and IOV-UI")
def normalised():
    done = sluice("check", "--secrets", config(True))
    same(done.returncode, 0, f"exit status, {done.stderr}")
    mss = json.loads(done.stdout)["nse"][0]["bvc"][0]["ms"]
    same([(ms["cipher"], ms.get("key"), ms["iov_ui"]) for ms in mss],
         [*((name, KEYS[name].lower(), IOV_UI[name]) for name in KEYS), ("none", None, 0)],
         "ciphers")


main()
