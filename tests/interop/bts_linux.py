#!/usr/bin/python3
"""`sluice bts` and `sluice ggsn` with osmo-pcu between: pings and TCP of Linux, octet for octet. Needs
osmo-pcu, and takes a minute and a half, for it is real time.

    bts_linux.py [COMMAND...]     another osmo-pcu, such as: chroot DIR osmo-pcu
"""

import json
import pathlib
import signal
import socket
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))

from harness import WAIT_S, case, main, new_folder, program, right, same, until  # noqa: E402
from bts_chain import CONFIGS, MSS, Chain, check_books  # noqa: E402
from fake_bts import SLOT, TXT_IND  # noqa: E402

PCU = sys.argv[1:] or ["osmo-pcu"]
PDCHS, OCTETS_A_PDCH = 4, 1500  # a second, at CS-2
OF_RADIO = 0.92
ACT_REQ, MESSAGE_OCTETS = 0x40, 1006  # of the PCU's socket
HEADS = 1400 / 1348 * 1411 / 1400  # IP and TCP with time stamps; SNDCP and LLC, of full packets


def ended(chain):
    """The BTS's report."""
    report = chain.bts.finish()
    check_books(report)
    print(f"# osmo-pcu {report['pcu']}")
    return report


@case("200 kB come down at 92 % of what four PDCHs carry, octet for octet; 10 kB go up; osmo-pcu is "
      "killed and comes again; 40 MSs answer at once; SIGINT ends it all")
def without_loss():
    with Chain("--pdchs", PDCHS, pcu=PCU) as chain:
        chain.wait_for_ping()
        rtts = [chain.until(lambda: chain.pings([0], WAIT_S).get(0), "a ping of MS 0") for _ in range(5)]
        print(f"# ping: {', '.join(f'{1000 * rtt:.0f}' for rtt in rtts)} ms")
        took_s = chain.transfer(0, 200000, True, 90)
        share = 200000 * HEADS / took_s / (PDCHS * OCTETS_A_PDCH)
        print(f"# 200 kB down: {took_s:.1f} s, {1600 / took_s:.1f} kbit/s, {100 * share:.1f} % of the radio")
        right(share >= OF_RADIO, f"{100 * share:.1f} % of what the radio carries")
        print(f"# 10 kB up: {chain.transfer(1, 10000, False, 60):.1f} s")
        chain.pcus[0].kill()
        same(chain.bts.process.poll(), None, "the BTS's end")
        chain.start_pcu()
        chain.wait_for_ping(2)
        answered = chain.pings(range(MSS), WAIT_S)
        print(f"# {MSS} pings at once: {max(answered.values(), default=0):.1f} s until the last")
        same(sorted(answered), list(range(MSS)), f"MSs that answered within {WAIT_S} s")
        report, gateway = ended(chain), chain.ggsn.finish()
        right(not chain.sockets[0].exists(), "the BTS left its socket")
        same(report["connections"], 2, "connections")
        same(gateway["messages_stray"], 0, "G-PDUs from no address of an MS")
        right(report["packets_down"] > 150 and gateway["messages_taken"] > 60, f"{report} {gateway}")


@case("with a tenth of the blocks lost both ways, 40 kB come down and 5 kB go up, octet for octet")
def with_loss():
    with Chain("--pdchs", PDCHS, "--loss-down", "10%", "--loss-up", "10%", pcu=PCU) as chain:
        chain.wait_for_ping()
        print(f"# 40 kB down: {chain.transfer(0, 40000, True, 120):.1f} s")
        print(f"# 5 kB up: {chain.transfer(1, 5000, False, 120):.1f} s")
        report = ended(chain)
        for way, lost in ("down_data", "down_data_lost"), ("up_data", "up_lost"):
            right(report[lost] > 0, f"no block of {way} was lost")
        share = report["down_data_lost"] / (report["down_data"] - report["down_data_stray"])
        right(0.07 < share < 0.13, f"{100 * share:.1f} % of downlink data blocks were lost")
        right(report["up_again"] > 0, "no block went up again")


@case("enciphered by GEA4, at CS-4 over two PDCHs: a BTS that was killed leaves its socket to the next, "
      "and pings and 20 kB come through both")
def enciphered():
    key = "000102030405060708090a0b0c0d0e0f"
    with Chain("--pdchs", 2, sets=("nse.bvc.ms.cipher=gea4", f"nse.bvc.ms.key={key}"),
               coding=4, pcu=PCU) as chain:
        chain.wait_for_ping(MSS - 1)
        chain.bts.kill()
        chain.pcus[0].kill()
        right(chain.sockets[0].exists(), "a killed BTS cannot remove its socket")
        chain.start_bts()
        chain.start_pcu()
        chain.wait_for_ping(1)
        took_s = chain.transfer(0, 20000, True, 60)
        print(f"# 20 kB down over two PDCHs at CS-4: {took_s:.1f} s, {160 / took_s:.1f} kbit/s")
        ended(chain)


def rests(process):
    """How often it has waited: for what comes, and for the end of a block."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(status.split("\nvoluntary_ctxt_switches:\t")[1].split()[0])


@case("messages to a PCU that reads no more, as one that has just been killed, are not unsent")
def gone():
    path = new_folder() / "pcu_bts"
    with subprocess.Popen([program(), "bts", CONFIGS[0], "--socket", path, "--json", "--seconds", "60"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as bts:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as pcu:
            pcu.settimeout(WAIT_S)
            until("the BTS listens", lambda: pcu.connect_ex(str(path)) == 0)
            for octets in bytes([TXT_IND, 0, 0, 0, 0]) + b"1.1.0", bytes([ACT_REQ, 0, 0, 0, 1, 0, SLOT]):
                pcu.send(octets.ljust(MESSAGE_OCTETS, b"\0"))
            pcu.recv(2048)  # INFO.ind
            pcu.shutdown(socket.SHUT_RD)
            before = rests(bts)
            until("the BTS asks for blocks again", lambda: rests(bts) > before + 3)
            bts.send_signal(signal.SIGINT)
            report = json.loads(bts.communicate(timeout=WAIT_S)[0])
    right(report["asked"] > 0, "the BTS has asked for no block")
    same(report["messages_unsent"], 0, "messages unsent")


main()
