"""osmo-sgsn and osmo-hlr: their configurations, and what they are told and say by their VTYs."""

import socket

import network
from harness import WAIT_S, right, until

# {folder}: for its state; the addresses of Gn, of the GGSN and of Gb; {who}: ANYBODY, or subscribers_with(GEA).
SGSN = """line vty
 no login
sgsn
 gtp state-dir {folder}
 gtp local-ip {gn}
 ggsn 0 remote-ip {ggsn}
 ggsn 0 gtp-version 1
 apn * ggsn 0
{who}
ns
 timer tns-test 30
 timer tns-alive 3
 timer tns-alive-retries 10
 bind udp local
  listen {gb} 23000
  accept-ipaccess
bssgp
"""
ANYBODY = " authentication optional\n auth-policy accept-all"

HLR_ADDRESS, HLR_VTY = "127.0.0.4", 4258
HLR = f"""line vty
 no login
 bind {HLR_ADDRESS}
ctrl
 bind {HLR_ADDRESS}
hlr
 gsup
  bind ip {HLR_ADDRESS}
"""


def subscribers_with(gea):
    """Those of the HLR, enciphered by GEA 0, 3 or 4."""
    return (f" authentication required\n encryption gea {gea}\n auth-policy remote\n gsup remote-ip {HLR_ADDRESS}\n"
            " gsup remote-port 4222")


def answer(vty):
    text = b""
    while not text.endswith((b"> ", b"# ")):
        part = vty.recv(65536)
        right(part, f"the VTY has ended: {text}")
        text += part
    return text.decode(errors="replace")


def add_subscriber(space, imsi, k, opc, said):
    """To the HLR that starts in that namespace."""
    def vty():
        with network.inside(space):
            try:
                return socket.create_connection((HLR_ADDRESS, HLR_VTY), timeout=WAIT_S)
            except ConnectionRefusedError:
                return None
    with until("the HLR's VTY", vty, said) as end:
        answer(end)
        for line in ("enable", f"subscriber imsi {imsi} create", f"subscriber imsi {imsi} update msisdn 49161",
                     f"subscriber imsi {imsi} update aud3g milenage k {k.hex()} opc {opc.hex()} ind-bitlen 5"):
            end.sendall(line.encode() + b"\r\n")
            heard = answer(end)
            right("%" not in heard.replace("% Created", "").replace("% Updated", ""), f"{line}: {heard}")
