#!/usr/bin/python3
"""A lab on one machine: Linux as a server, sluice, osmo-pcu, a BTS without a radio, and Linux as MSs, each in
a network namespace that goes away. `./run lab` calls it. Real time: a busy machine moves the figures.

    lab.py [--pdchs N] [--seconds N] [--codel] [--json]     tail drop and recommended at once, and a verdict
    lab.py keep [--pdchs N] [--codel] [--variant NAME]      leaves it up and says what to type
    lab.py down [PID]                                       ends what keep has left up, and leftovers
"""

import argparse
import contextlib
import functools
import http.server
import json
import math
import os
import pathlib
import re
import select
import signal
import socket
import socketserver
import subprocess
import sys
import threading
import time

TESTS = pathlib.Path(__file__).resolve().parent.parent
ROOT = TESTS.parent
sys.path.insert(0, str(TESTS / "e2e"))
os.environ.setdefault("SLUICE", str(ROOT / "build/release/sluice"))

import network  # noqa: E402
from harness import Failure, Skip, program, right, settings  # noqa: E402
from bts_chain import PORT, SERVER, Chain, address_of  # noqa: E402

VARIANTS = "tail-drop", "recommended"
MSS, OWN, NEIGHBOUR = 8, 0, 1  # the MS that downloads, and one that does not
IDLE_S, IDLE_LEFT_S = 12, 2  # before the download; of that for the last answers
WARM_S = 40  # of the download, before the figures: sluice learns the radio's rate in 25 s
EACH_S = 1  # between two pings of an MS
CURL_PORT = 40001  # with one of Linux's choice one download in 16 has its ping's queue, by the hash of flows
MARK = b"a ping of the lab, number "
ETH_P_IP = 0x0800
BLOB_OCTETS = 8000000  # more than the longest lab carries
RATE_A_PDCH = 1500  # octets/s at CS-2
PDU_OCTETS = 1411  # a full N-PDU of 1400 octets with SNDCP and LLC
HEADS = PDU_OCTETS / 1400
D_S = 0.020  # recommended.lua's gb.cell_delay
UP_S, OF_RADIO, OF_TAIL_DROP = 3, 0.92, 0.97
PREFIX, KEPT = "sluice-lab", "sluice-kept"
TSHARK = ("tshark", "-d", "udp.port==23000,gprs-ns", "-T", "fields", "-e", "bssgp.pdu_type", "-e",
          "_ws.malformed", "-r")


# --- Traffic --------------------------------------------------------------------------------------


class Wire(threading.Thread):
    """Pings to each of the MSs in turn, and when each passed Gb, came to the MS, and was answered; the octets
    of IP that came to MSs."""

    def __init__(self, chain, mss):
        super().__init__(daemon=True)
        with network.inside(chain.gi):
            self.echo = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
        self.places = {self.echo: "back", self.listener(chain.far, "gb"): "gb", self.listener(chain.ms, "ms"): "ms"}
        self.mss, self.ended, self.carried = mss, False, 0
        self.sent, self.seen = {}, {place: {} for place in self.places.values()}  # by the payload

    @staticmethod
    def listener(namespace, device):
        with network.inside(namespace):
            end = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_IP))
        end.bind((device, ETH_P_IP))
        return end

    def run(self):
        due, number = time.monotonic(), 0
        while not self.ended:
            if time.monotonic() >= due:
                ms, payload = self.mss[number % len(self.mss)], MARK + number.to_bytes(4)
                self.sent[payload] = ms, time.monotonic()
                self.echo.sendto(network.echo_request(ms, payload), (address_of(ms), 0))
                number, due = number + 1, due + EACH_S / len(self.mss)
            for ready in select.select(list(self.places), [], [], max(0, due - time.monotonic()))[0]:
                self.take(ready.recv(2048), self.places[ready])

    def take(self, packet, place):
        at = packet.find(MARK)
        if at >= 0:
            self.seen[place].setdefault(packet[at:at + len(MARK) + 4], time.monotonic())
        if place == "ms" and packet[12:16] == socket.inet_aton(SERVER):
            self.carried += len(packet)

    def of(self, ms_or_both, start, end):
        """Of the pings sent in that time: seconds there and back, and of that in sluice, behind it down to
        the MS, and from there back. One that is not back has waited until now."""
        now = time.monotonic()
        sent = {one: when for one, (ms, when) in self.sent.copy().items()
                if ms in ms_or_both and start <= when < end}
        gb, ms, back = (self.seen[place] for place in ("gb", "ms", "back"))
        return {"n": len(sent), "unanswered": len(sent.keys() - back.keys()),
                **spread("round_trip", (back.get(one, now) - when for one, when in sent.items())),
                **spread("in_sluice", (gb.get(one, now) - when for one, when in sent.items())),
                **spread("in_pcu", (ms.get(one, now) - gb[one] for one in sent.keys() & gb.keys())),
                **spread("uplink", (back.get(one, now) - ms[one] for one in sent.keys() & ms.keys()))}


def spread(name, seconds):
    ranked = sorted(seconds)
    right(ranked, f"no ping for {name}")
    return {f"{name}_p50_s": ranked[len(ranked) // 2],
            f"{name}_p95_s": ranked[math.ceil(0.95 * len(ranked)) - 1]}


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    """Has a file `blob` for MSs."""

    daemon_threads = True
    server_bind = socketserver.TCPServer.server_bind  # HTTPServer's asks the DNS

    def __init__(self, chain):
        self.blob = chain.folder / "blob"
        self.blob.write_bytes(os.urandom(BLOB_OCTETS))
        handler = functools.partial(Quiet, directory=chain.folder)
        with network.inside(chain.gi):
            super().__init__((SERVER, PORT), handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):  # a client that went before the end
        pass


# --- What was seen --------------------------------------------------------------------------------


def client(chain, *words):
    """`sluice stats` and the like, of this chain's instance."""
    return subprocess.run([program(), *words, "--run", str(chain.sgsn.process.pid)], check=True,
                          capture_output=True, encoding="utf-8", timeout=10).stdout


def read_capture(path):
    """(malformed frames, FLOW-CONTROL-BVC, their ACKs, LLC-DISCARDED)"""
    done = subprocess.run([*TSHARK, path], check=False, capture_output=True, encoding="utf-8", timeout=60)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    types = [int(row[0], 0) for row in rows if row[0]]
    right(types, f"tshark reads nothing of {path}: {done.stderr}")
    malformed = sum(row[1] != "" for row in rows)
    return {"malformed": malformed, "flow_control": types.count(0x26), "acknowledged": types.count(0x27),
            "discarded": types.count(0x2c)}


def log_errors(part):
    """What osmo-pcu logs as an error or worse."""
    text = part.err.read_text(errors="backslashreplace")
    return [line for line in text.splitlines() if re.search(r"\b(ERROR|FATAL)\b", line)]


def say(what):
    print(f"{time.strftime('%H:%M:%S')} {what}", file=sys.stderr, flush=True)


def measure(args):
    """The figures of one variant."""
    begin = time.monotonic()
    with Chain("--pdchs", args.pdchs, mss=MSS, variant=args.variant, sets=args.set,
               codel=args.codel, prefix=PREFIX) as chain:
        if args.ecn:
            network.must("ip", "netns", "exec", chain.ms, "sysctl", "-qw", "net.ipv4.tcp_ecn=1")
        chain.wait_for_ping(OWN)
        figures = {"up_s": time.monotonic() - begin}
        say(f"{args.variant}: up in {figures['up_s']:.1f} s; pings while nothing else goes on")
        capture = chain.folder / "gb.pcap"
        dump = chain.start("dump", "dumpcap", "-q", "-i", "gb", "-w", capture)
        figures.update(traffic(chain, args))
        figures["top"] = client(chain, "top")
        dump.process.send_signal(signal.SIGINT)
        dump.process.wait(10)
        figures.update(read_capture(capture), pcu_errors=log_errors(chain.pcus[0]))
        figures["bts"] = chain.bts.finish()
        figures["summary"] = chain.sgsn.finish()
    return figures


def traffic(chain, args):
    server, wire = Server(chain), Wire(chain, (OWN, NEIGHBOUR))
    came = chain.folder / "came"
    start = time.monotonic()
    wire.start()
    time.sleep(IDLE_S)
    idle = wire.of((OWN, NEIGHBOUR), start, time.monotonic() - IDLE_LEFT_S)
    say(f"{args.variant}: the download begins")
    chain.start("curl", "curl", "-sSN", "--interface", address_of(OWN), "--local-port", CURL_PORT,
                "-o", came, f"http://{SERVER}/blob", namespace=chain.ms)
    begin = time.monotonic()
    time.sleep(WARM_S)
    start, carried = time.monotonic(), wire.carried
    time.sleep(args.seconds)
    end, carried = time.monotonic(), wire.carried - carried
    own, neighbour = (wire.of((ms,), start, end) for ms in (OWN, NEIGHBOUR))
    wire.ended = True
    content = came.read_bytes()
    return {"idle": idle, "own": own, "neighbour": neighbour, "octets": len(content),
            "equal": server.blob.read_bytes().startswith(content),
            "goodput_bit_per_s": len(content) * 8 / (end - begin),
            "carried_bit_per_s": carried * 8 / (end - start),
            "of_radio": carried * HEADS / (end - start) / (args.pdchs * RATE_A_PDCH)}


# --- The verdict ----------------------------------------------------------------------------------


def facts(figures, args):
    """(what, whether it holds, the figure) of one variant."""
    yield f"up from cold in {UP_S} s", figures["up_s"] <= UP_S, f"{figures['up_s']:.1f} s"
    yield "octets equal", figures["equal"] and figures["octets"] > 0, f"{figures['octets']} octets"
    asked, acked = figures["flow_control"], figures["acknowledged"]
    yield "each FLOW-CONTROL-BVC acknowledged", 0 < asked == acked, f"{acked} of {asked}"
    yield "no malformed frame for tshark", figures["malformed"] == 0, str(figures["malformed"])
    yield "osmo-pcu logs no error", not figures["pcu_errors"], "; ".join(figures["pcu_errors"][:3]) or "none"
    yield f"{OF_RADIO:.0%} of what the radio offers", figures["of_radio"] >= OF_RADIO, f"{figures['of_radio']:.1%}"
    balanced = figures["summary"]["conservation"]["balanced"]
    yield "sluice accounts for every packet", balanced, "balanced" if balanced else "not balanced"


def comparison(tail, ours, args):
    """The same, of recommended beside tail drop."""
    most_s = ours["idle"]["round_trip_p95_s"] + PDU_OCTETS / (args.pdchs * RATE_A_PDCH) + 2 * D_S
    for name, what in ("own", "its own download"), ("neighbour", "a neighbour's"):
        p95_s = ours[name]["round_trip_p95_s"]
        yield (f"ping beside {what}: p95 at most {most_s:.2f} s (idle, an N-PDU, 2 cell_delay)",
               p95_s <= most_s, f"{p95_s:.2f} s")
    share = ours["carried_bit_per_s"] / tail["carried_bit_per_s"]
    yield f"{OF_TAIL_DROP:.0%} of tail drop's throughput", share >= OF_TAIL_DROP, f"{share:.1%}"


def verdicts(all_figures, args):
    for variant, figures in all_figures.items():
        for what, holds, figure in facts(figures, args):
            yield {"of": variant, "what": what, "holds": holds, "figure": figure}
    for what, holds, figure in comparison(*(all_figures[one] for one in VARIANTS), args):
        yield {"of": "both", "what": what, "holds": holds, "figure": figure}


def rows(figures):
    """(what, text) of the table."""
    classes = figures["summary"]["classes"].values()
    drops = sum(one["packets"] for part in classes for one in part["drops"].values())
    for name, what in ("idle", "while idle"), ("own", "beside its own download"), ("neighbour", "beside a neighbour's"):
        ping = figures[name]
        yield f"ping {what}, p50, p95", f"{ping['round_trip_p50_s']:.2f}, {ping['round_trip_p95_s']:.2f} s"
        yield "  in sluice, p95", f"{ping['in_sluice_p95_s']:.2f} s"
        yield "  from Gb to the MS, p95", f"{ping['in_pcu_p95_s']:.2f} s"
        yield "  from the MS back, p95", f"{ping['uplink_p95_s']:.2f} s"
        yield "  without an answer yet", f"{ping['unanswered']} of {ping['n']}"
    yield "IP that came to MSs", f"{figures['carried_bit_per_s'] / 1000:.1f} kbit/s"
    yield "file, from the first request", f"{figures['goodput_bit_per_s'] / 1000:.1f} kbit/s"
    yield "sluice: drops, marks", f"{drops}, {sum(part['marks'] for part in classes)}"
    yield "osmo-pcu: LLC-DISCARDED", str(figures["discarded"])


def show(all_figures, verdict):
    for variant, figures in all_figures.items():
        print(f"sluice top, {variant}, during the download:\n{figures['top']}")
    print(f"{'':38}" + "".join(f"{one:>16}" for one in all_figures))
    for cells in zip(*map(rows, all_figures.values())):
        print(f"{cells[0][0]:38}" + "".join(f"{text:>16}" for _, text in cells))
    print()
    for one in verdict:
        print(f"{'yes' if one['holds'] else 'NO ':3}  {one['of']:12} {one['what']}: {one['figure']}")


# --- The commands ---------------------------------------------------------------------------------


def compare(args):
    """A process for each variant, both at once."""
    words = ["--pdchs", args.pdchs, "--seconds", args.seconds, *(["--codel"] if args.codel else []),
             *(["--ecn"] if args.ecn else [])]
    parts = {}
    try:
        for variant in VARIANTS:
            sets = settings(args.set) if variant == "recommended" else ()
            parts[variant] = subprocess.Popen(
                [sys.executable, "-B", __file__, "one", "--variant", variant, *map(str, words), *sets],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        said = {variant: part.communicate()[0] for variant, part in parts.items()}
        right(not any(part.returncode for part in parts.values()), "a chain failed, see above")
    finally:
        for part in parts.values():
            part.terminate()
        for part in parts.values():
            part.wait()
    all_figures = {variant: json.loads(text) for variant, text in said.items()}
    verdict = list(verdicts(all_figures, args))
    if args.json:
        print(json.dumps({"variants": all_figures, "verdict": verdict}, indent=1))
    else:
        show(all_figures, verdict)
    return not all(one["holds"] for one in verdict)


def one(args):
    print(json.dumps(measure(args)))


def what_to_type(chain):
    run = f"build/release/sluice {{}} --run {chain.sgsn.process.pid}"
    return "\n".join((
        f"up: {chain.variant}; a server at {SERVER}, osmo-pcu, and MSs at {address_of(0)} to "
        f"{address_of(chain.mss - 1)}",
        f"  ip netns exec {chain.gi} ping {address_of(0)}",
        f"  ip netns exec {chain.ms} curl --interface {address_of(1)} -o /dev/null http://{SERVER}/blob",
        f"  {run.format('top')}",
        f"  {run.format('stats --cell 101-103')}",
        f"  ip netns exec {chain.far} tshark -i gb -d udp.port==23000,gprs-ns",
        f"logs: {chain.folder}, {chain.sgsn.folder}; the end: ./run lab down"))


def keep(args):
    """A process of its own has the chain, until `down` ends it; this one waits until it is up."""
    reader, writer = os.pipe()
    if os.fork():
        os.close(writer)
        with open(reader, encoding="utf-8") as said:
            text = said.read()
        print(text or "the lab did not come up", end="" if text else "\n")
        return not text
    os.setsid()
    os.close(reader)
    with Chain("--pdchs", args.pdchs, mss=MSS, variant=args.variant, sets=args.set,
               codel=args.codel, prefix=KEPT) as chain:
        Server(chain)
        chain.wait_for_ping()
        with open(writer, "w", encoding="utf-8") as said:
            print(what_to_type(chain), file=said)
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in range(3):
            os.dup2(null, descriptor)
        while True:
            signal.pause()


def is_lab(pid):
    with contextlib.suppress(OSError):
        return b"lab.py" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def down(args):
    """Ends labs that were kept, and removes namespaces of labs that were killed."""
    names = [path.name for path in pathlib.Path("/run/netns").glob("sluice-*-*-*")]
    found = {(match[1], int(match[2])) for match in
             (re.match(rf"({PREFIX}|{KEPT})-(\d+)-", name) for name in names)
             if match and args.pid in (None, int(match[2]))}
    ended = [one for one in found if one[0] == KEPT or not is_lab(one[1])]
    for prefix, pid in ended:
        if is_lab(pid):
            os.kill(pid, signal.SIGTERM)
            end = time.monotonic() + 10
            while is_lab(pid) and time.monotonic() < end:
                time.sleep(0.05)
        for name in names:  # what is left of it
            if name.startswith(f"{prefix}-{pid}-"):
                network.remove(name)
    print(f"labs ended: {len(ended)}")


def read_arguments():
    parser = argparse.ArgumentParser(prog="./run lab", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("command", nargs="?", choices=("compare", "one", "keep", "down"), default="compare")
    parser.add_argument("pid", nargs="?", type=int, help="of the one lab that down ends")
    parser.add_argument("--pdchs", type=int, default=4, help="time slots of 12 kbit/s (4)")
    parser.add_argument("--seconds", type=int, default=60, help="of the download that are judged (60)")
    parser.add_argument("--codel", action="store_true", help="the PCU's; off without this")
    parser.add_argument("--ecn", action="store_true", help="MSs ask for ECN; Linux does not by itself")
    parser.add_argument("--variant", default="recommended", help="of config/osmopcu.lua, for keep")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="beside recommended")
    parser.add_argument("--json", action="store_true", help="all figures, for machines")
    return parser.parse_args()


def main():
    args = read_arguments()
    for number in signal.SIGINT, signal.SIGHUP:
        signal.signal(number, network.end)
    try:
        return {"compare": compare, "one": one, "keep": keep, "down": down}[args.command](args)
    except (Failure, Skip) as why:
        print(f"lab: {why}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
