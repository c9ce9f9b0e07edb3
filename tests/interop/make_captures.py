#!/usr/bin/python3
"""Makes captures/*.pcap anew: starts osmo-pcu, osmo-sgsn, osmo-ggsn and sgsnemu, talks to them and
records. All of it happens on the loopback device of a network namespace that ends with this
program. Run by hand, as root, see README.md."""

import os
import shutil
import socket
import struct
import subprocess
import sys
import time

import fake_bts
import gb
import ms
from stage import Stage, turn

TOOLS = "dumpcap", "unshare", "ip", "osmo-pcu", "osmo-sgsn", "osmo-ggsn", "sgsnemu"
UNSEEN_TLLI, TLLI, OTHER_TLLI = 0xC0000001, 0xC0000002, 0xC0000003
IMSI = "262420123456789"
# SN-UNITDATA on NSAPI 5 with a whole N-PDU.
SEGMENT = bytes.fromhex("65 00 0000") + ms.ping(bytes(4), bytes(4), 0, 0)


# --- osmo-pcu -------------------------------------------------------------------------------------

PCU = """line vty
 no login
 bind 127.0.0.1
pcu
 pcu-socket {socket}
 gb-dialect {dialect}
 flow-control-interval 10
 cs 2
 cs max 2
 alloc-algorithm dynamic
 gamma 0
"""


def pcu(stage, dialect):
    """The started PCU's BTS, and the SGSN's end of Gb."""
    bts = fake_bts.Bts(stage.folder, ("127.0.0.2", 23000), 23001)
    sgsn = gb.End(("127.0.0.2", 23000), ("127.0.0.1", 23001), gb.sgsn_answer)
    stage.start("osmo-pcu", "-c", stage.file("pcu.cfg", PCU.format(socket=bts.path,
                                                                   dialect=dialect)))
    bts.accept()
    turn(2.5, [sgsn], bts)
    return bts, sgsn


def pcu_classic():
    """NS over UDP with RESET and UNBLOCK; then one provocation after the other."""
    with Stage("pcu", "udp port 23000") as stage:
        bts, sgsn = pcu(stage, "classic")

        def say(datagram, seconds=0.2):
            sgsn.send(datagram)
            turn(seconds, [sgsn], bts)

        ui = gb.llc_ui(True, 3, 0, SEGMENT)
        say(gb.unitdata(0, b"\x22" + gb.BVCI_IE + gb.ie(7, b"\x08")), 1.5)
        say(gb.unitdata(0, b"\x22" + gb.SIGNALLING_IE + gb.ie(7, b"\x08")), 1.5)
        say(gb.unitdata(999, gb.dl_unitdata(UNSEEN_TLLI, ui)))  # a BVCI that is not there
        say(gb.unitdata(gb.BVCI, gb.dl_unitdata(UNSEEN_TLLI, bytes(1606))))  # too long
        say(gb.unitdata(gb.BVCI, gb.dl_unitdata(UNSEEN_TLLI, ui)[:9]))  # cut short
        say(gb.unitdata(gb.BVCI, b"\x60"))  # a type that is not there
        say(gb.unitdata(0, b"\x2a" + gb.ie(0x1F, TLLI.to_bytes(4)) + gb.BVCI_IE))  # FLUSH-LL
        say(gb.unitdata(gb.BVCI, b"\x06" + gb.imsi_ie(IMSI) + gb.BVCI_IE + gb.ie(0x18, b"\0\0\x20")
                        + gb.ie(0x20, bytes.fromhex("c1234567"))))  # PAGING-PS
        say(gb.unitdata(gb.BVCI, b"\x07" + gb.imsi_ie(IMSI) + gb.ie(0x0A, b"\0\0") + gb.BVCI_IE))
        bts.suspend(TLLI)
        turn(0.3, [sgsn], bts)
        bts.access()
        turn(0.3, [sgsn], bts)
        bts.uplink.append(fake_bts.uplink_block(TLLI, bytes.fromhex("01c010080509afe633")))
        turn(0.5, [sgsn], bts)
        for number in range(5):  # whose lifetime is over before the first block goes out
            sgsn.send(gb.unitdata(gb.BVCI, gb.dl_unitdata(
                OTHER_TLLI, gb.llc_ui(True, 3, number, SEGMENT), 10, gb.imsi_ie(IMSI))))
        turn(1.5, [sgsn], bts)
        say(b"\x0a")
        say(b"\x08" + bytes.fromhex("00810b 02810a"))  # NS-STATUS, about an NS-ALIVE
        say(b"\x04" + gb.ie(0, b"\x01") + gb.NSVCI_IE)  # NS-BLOCK
        say(gb.unitdata(gb.BVCI, gb.dl_unitdata(UNSEEN_TLLI, ui)))  # to a blocked NS-VC
        say(b"\x06")
        say(b"\x02" + gb.ie(0, b"\x01") + gb.NSVCI_IE + gb.NSEI_IE, 1)
        say(b"\x06", 1)


def pcu_sns():
    """The IP sub-network service: SIZE, CONFIG, then changes at run time."""
    with Stage("pcu_sns", "udp port 23000") as stage:
        bts, sgsn = pcu(stage, "ip-sns")
        second = gb.endpoint("127.0.0.2", 23002, 1, 1)
        for kind, number, part in ((0x0D, 1, second), (0x0E, 2, second[:-2] + b"\3\4"),
                                   (0x11, 3, second)):
            body = bytes([kind]) + gb.NSEI_IE + bytes([number]) + gb.ie(5, part)
            sgsn.send(body)
            turn(1, [sgsn], bts)


# --- osmo-ggsn and sgsnemu ------------------------------------------------------------------------

GGSN = """line vty
 no login
ggsn ggsn0
 gtp state-dir {folder}
 gtp bind-ip 127.0.0.2
 apn internet
  gtpu-mode tun
  tun-device tun4
  type-support v4
  ip prefix dynamic 172.16.222.0/24
  ip ifconfig 172.16.222.0/24
  no shutdown
 default-apn internet
 no shutdown ggsn
"""


def start_ggsn(stage):
    stage.start("osmo-ggsn", "-c", stage.file("ggsn.cfg", GGSN.format(folder=stage.folder)))
    time.sleep(1)


def ggsn():
    """sgsnemu opens a context and pings the GGSN's end of the tunnel, with sequence numbers and
    without. Then: an echo request, and a T-PDU for a tunnel that is not there."""
    with Stage("ggsn", "udp port 2152") as stage:
        start_ggsn(stage)
        for address, more in ("127.0.0.1", []), ("127.0.0.3", ["--no-tx-gpdu-seq"]):
            stage.start("sgsnemu", "-l", address, "-r", "127.0.0.2", "--statedir", stage.folder,
                        "--pidfile", "pid", "--pinghost", "172.16.222.0", "--pingcount", "4",
                        "--imsi", IMSI[:-1] + address[-1], "--timelimit", "6", *more)
            time.sleep(5)
        other = gb.End(("127.0.0.4", 2152), ("127.0.0.2", 2152), lambda datagram: [])
        other.send(bytes.fromhex("32010004 00000000 0007 0000"))
        packet = ms.ping(bytes([172, 16, 222, 1]), bytes([172, 16, 222, 0]), 0, 8)
        other.send(struct.pack(">BBHI", 0x30, 0xFF, len(packet), 0x00BAD0AD) + packet)
        turn(0.5, [other])


# --- osmo-sgsn ------------------------------------------------------------------------------------

SGSN = """line vty
 no login
sgsn
 gtp state-dir {folder}
 gtp local-ip 127.0.0.1
 ggsn 0 remote-ip 127.0.0.2
 ggsn 0 gtp-version 1
 apn * ggsn 0
 authentication optional
 auth-policy accept-all
 timer T3314 2
ns
 timer tns-block 3
 timer tns-block-retries 3
 timer tns-reset 3
 timer tns-reset-retries 3
 timer tns-test 30
 timer tns-alive 3
 timer tns-alive-retries 10
 bind udp local
  listen 127.0.0.1 23000
  accept-ipaccess
bssgp
"""


def sgsn():
    """An MS attaches, activates a PDP context and pings the GGSN: Gb and Gn of the same packets."""
    with Stage("sgsn", "udp port 23000 or udp port 2152") as stage:
        start_ggsn(stage)
        stage.start("osmo-sgsn", "-c", stage.file("sgsn.cfg", SGSN.format(folder=stage.folder)))
        time.sleep(1)
        one = ms.Ms(IMSI)
        bss = gb.End(("127.0.0.3", 23000), ("127.0.0.1", 23000), one.answer)

        def say(datagrams, seconds=0.2):
            for datagram in datagrams:
                bss.send(datagram)
                turn(seconds, [bss])

        def until(condition, what):
            stage.wait_for(lambda: turn(0.1, [bss]) or condition(), what)

        say(one.bring_up())
        say([one.attach()])
        until(lambda: one.attached, "attach")
        say([one.activate()])
        until(lambda: one.address, "PDP context")
        for number, octets in enumerate((56, 700)):
            say(one.npdu(ms.ping(one.address, bytes([172, 16, 222, 0]), number, octets), 490))
        until(lambda: one.received == 3, "answers to the pings")
        turn(3, [bss])  # the READY timer runs out, so what comes now makes the SGSN page
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as host:
            host.sendto(b"data", (socket.inet_ntoa(one.address), 9))
        turn(0.5, [bss])
        say(one.about())


LOAD_CELL = {5: 150, 3: 120, 1: 150, 0x1C: 120}  # 15 000 octets, 12 000 bit/s; the MSs' the same


def sgsn_load():
    """An MS gets more than its cell carries, in bursts of datagrams of 40 to 400 octets, one LLC PDU each;
    then three large ones, of which the SGSN drains its queue. It is cut at 96 octets: lengths and numbers
    matter."""
    with Stage("sgsn_load", "udp port 23000", snap_octets=96) as stage:
        start_ggsn(stage)
        stage.start("osmo-sgsn", "-c", stage.file("sgsn.cfg", SGSN.replace("T3314 2", "T3314 300")
                                                  .format(folder=stage.folder)))
        time.sleep(1)
        one = ms.Ms(IMSI)
        bss = gb.End(("127.0.0.3", 23000), ("127.0.0.1", 23000), one.answer)

        def until(condition, what):
            stage.wait_for(lambda: turn(0.1, [bss]) or condition(), what)

        for datagram in one.bring_up(LOAD_CELL):
            bss.send(datagram)
            turn(0.2, [bss])
        bss.send(one.attach())
        until(lambda: one.attached, "attach")
        bss.send(one.activate())
        until(lambda: one.address, "PDP context")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as host:
            for second in range(40):
                turn(1, [bss])
                bss.send(one.flow_control(2 + second, LOAD_CELL))
                for number in range(90 if second in (10, 20, 30) else 12 if second < 4 else 0):
                    octets = 40 + 90 * (number * 7 % 5)
                    host.sendto(bytes(octets), (socket.inet_ntoa(one.address), 9))


def inside():
    """In the namespace."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    names = sys.argv[2:]
    for work in (pcu_classic, pcu_sns, ggsn, sgsn, sgsn_load):
        if not names or work.__name__ in names:
            print(work.__name__, flush=True)
            work()


def main():
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing:
        sys.exit(f"not installed: {', '.join(missing)}; README.md says which packages have them")
    if sys.argv[1:2] == ["inside"]:
        return inside()
    os.execvp("unshare", ["unshare", "-n", "-p", "--fork", "--kill-child", sys.executable, "-B",
                          __file__, "inside", *sys.argv[1:]])


if __name__ == "__main__":
    main()
