#!/usr/bin/python3
"""A lab on one machine: Linux as a server, sluice, osmo-pcu, a BTS without a radio, and Linux as MSs, each in
a network namespace that goes away. `./run lab` calls it. Real time: a busy machine moves the figures.

    lab.py [--pdchs N[,N]] [--seconds N] [--runs N] [--codel] [--ecn] [--cc cubic|reno|bbr] [--parallel N]
           [--downs N] [--up] [--json]                      tail drop and recommended at once, and a verdict
    lab.py --attach [--pdchs N] [--seconds N] [--json]      phones that attach: an address, a ping, a download; then
                                                            their delays, beside those of MSs of the file
    lab.py keep [--pdchs N] [--codel] [--ecn] [--variant NAME]
                                                            leaves it up and says what to type
    lab.py down [PID]                                       ends what keep has left up, and leftovers
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

TESTS = pathlib.Path(__file__).resolve().parent.parent
ROOT = TESTS.parent
sys.path.insert(0, str(TESTS / "e2e"))
os.environ.setdefault("SLUICE", str(ROOT / "build/release/sluice"))

import lab_attach  # noqa: E402
import lab_page  # noqa: E402
import network  # noqa: E402
from bts_chain import SERVER, Chain, address_of  # noqa: E402
from harness import Failure, Skip, right, settings  # noqa: E402
from lab_traffic import MSS, PREFIX, Server, ask_for_ecn, measure, say  # noqa: E402
from lab_verdict import VARIANTS, Mode, conclusion, load_told, rows, shown, side_by_side, told, verdicts  # noqa: E402

KEPT = "sluice-kept"
MOST = 200  # MSs that download: 10.0.0.N is their address
PAGE = pathlib.Path("out/lab/index.html")


# --- Tail drop and recommended ----------------------------------------------------------------------


def start(variant, pdchs, args, *more):
    """A process for one run, for each has its network namespaces."""
    sets = settings(args.set) if variant == "recommended" else ()
    switches = [f"--{name}" for name in ("codel", "ecn", "up") if getattr(args, name)]
    switches += ["--cc", args.cc, "--parallel", str(args.parallel), "--downs", str(args.downs)]
    return subprocess.Popen([sys.executable, "-B", __file__, "one", "--variant", variant, "--pdchs", str(pdchs),
                             "--seconds", str(args.seconds), *switches, *sets, *more],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)


def run_once(args):
    """{(PDCHs, variant): figures}."""
    return at_once({(pdchs, variant): (variant, pdchs, args) for pdchs in args.pdchs for variant in VARIANTS})


def at_once(runs):
    """{key: figures} of {key: what `start` takes}, all of them at the same time."""
    parts = {}
    try:
        for key, words in runs.items():
            parts[key] = start(*words)
        said = {key: part.communicate()[0] for key, part in parts.items()}
        right(not any(part.returncode for part in parts.values()), "a chain failed, see above")
    finally:
        for part in parts.values():
            part.terminate()
        for part in parts.values():
            part.wait()
    return {key: json.loads(text) for key, text in said.items()}


def processor_s():
    """Seconds of all processors since the machine's start: (all, without work, the host's for others), and of this lab."""
    ticks = [int(text) for text in pathlib.Path("/proc/stat").read_text().split(maxsplit=9)[1:9]]
    _, _, _, idle, waiting, *_, host = ticks
    lab = os.times()
    return [*(part / os.sysconf("SC_CLK_TCK") for part in (sum(ticks), idle + waiting, host)), sum(lab[:4])]


def load_since(before):
    """The shares of the processors' time since then."""
    whole, free, host, lab = (now - then for now, then in zip(processor_s(), before))
    return {"lab": lab / whole, "others": max(0, whole - free - host - lab) / whole, "host": host / whole}


def show(pdchs, both, verdict, end):
    print(f"--- {12 * pdchs} kbit/s, {pdchs} PDCHs")
    for variant in VARIANTS:
        print(f"sluice top, {variant}, during the download:\n{both[variant][-1]['top']}")
    print(f"{'':48}" + "".join(f"{variant:>28}" for variant in VARIANTS))
    for lines in zip(*(rows(both[variant]) for variant in VARIANTS)):
        texts = (f"{shown(values, digits)} {unit}".rstrip() for _, unit, digits, values in lines)
        print(f"{lines[0][0]:48}" + "".join(f"{text:>28}" for text in texts))
    print("", *told(both), "", sep="\n")
    for one in verdict:
        count = f" ({one['runs']} of {len(one['figures'])})" if len(one["figures"]) > 1 else ""
        print(f"{'yes' if one['holds'] else 'NO ':3}  {one['of']:12} {one['what']}{count}: {'; '.join(one['figures'])}; "
              f"demanded: {one['limit']}")
    print("", end, "", sep="\n")


def what_was_measured(args, measured):
    """What was measured; the congestion control is that which the sockets had."""
    cc = " and ".join(sorted({run["congestion_control"] for both in measured.values() for runs in both.values()
                              for run in runs}))
    return (f"{counted(args.runs, 'run')} of {args.seconds} s; TCP {cc}, {counted(args.parallel, 'download')} to each of "
            f"{counted(args.downs, 'MS')}{', an upload beside' if args.up else ''}; the PCU's CoDel "
            f"{'on' if args.codel else 'off'}, ECN {'on' if args.ecn else 'off'}"
            f"{''.join(', ' + one for one in args.set)}")


def counted(number, what):
    return f"{number} {what}{'s' if number > 1 else ''}"


def compare(args):
    before = processor_s()
    measured = {pdchs: {variant: [] for variant in VARIANTS} for pdchs in args.pdchs}
    for number in range(args.runs):
        if args.runs > 1:
            say(f"run {number + 1} of {args.runs}")
        for (pdchs, variant), figures in run_once(args).items():
            measured[pdchs][variant].append(figures)
    load = load_since(before)
    verdict = {pdchs: verdicts(both, Mode(pdchs, args.downs, args.up)) for pdchs, both in measured.items()}
    ends = {pdchs: conclusion(both, verdict[pdchs], load) for pdchs, both in measured.items()}
    words = f"{what_was_measured(args, measured)}; {load_told(load)}"
    lab_page.write(PAGE, measured, verdict, ends, args.seconds, words)
    if args.json:
        print(json.dumps([{"pdchs": pdchs, "variants": both, "verdict": verdict[pdchs], "load": load, "conclusion": ends[pdchs]}
                          for pdchs, both in measured.items()], indent=1))
    else:
        print(words)
        for pdchs, both in measured.items():
            show(pdchs, both, verdict[pdchs], ends[pdchs])
    say(f"page: {PAGE}")
    return not all(one["holds"] for rest in verdict.values() for one in rest)


# --- Phones that attach ------------------------------------------------------------------------------


def attach(args):
    """The steps, and how long each takes; then the delays of such a phone and of an MS of the file, side by side."""
    figures, pdchs = lab_attach.attach(args), args.pdchs[0]
    say("now pings and a download of a phone that attached, and beside it of an MS of the file; two minutes")
    delays = at_once({"MS of the file": (args.variant, pdchs, args), "phone": (args.variant, pdchs, args, "--attach")})
    if args.json:
        print(json.dumps({**figures, "delays": delays}, indent=1))
    else:
        print("\n".join(side_by_side(delays)))
    return 0


# --- The commands ---------------------------------------------------------------------------------


def one(args):
    args.pdchs, = args.pdchs
    print(json.dumps(measure(args)))


def what_to_type(chain):
    run = f"build/release/sluice {{}} --run {chain.sgsn.process.pid}"
    return "\n".join((
        f"up: {chain.variant}; a server at {SERVER}, osmo-pcu, and MSs at {address_of(0)} to "
        f"{address_of(chain.mss - 1)}",
        f"  ip netns exec {chain.gi} ping {address_of(0)}",
        f"  ip netns exec {chain.ms} curl --interface {address_of(1)} -o /dev/null http://{SERVER}/blob  # 8 MB",
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
    say(f"{args.variant}, {args.pdchs[0]} PDCHs: Linux, Sluice, osmo-pcu and {MSS} MSs begin, in network namespaces")
    with Chain("--pdchs", args.pdchs[0], mss=MSS, variant=args.variant, sets=args.set,
               codel=args.codel, prefix=KEPT, cc=args.cc) as chain:
        if args.ecn:
            ask_for_ecn(chain)
        Server(chain)
        say("they run; the first ping is under way")
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
            say(f"lab {pid} ends")
            os.kill(pid, signal.SIGTERM)
            end = time.monotonic() + 10
            while is_lab(pid) and time.monotonic() < end:
                time.sleep(0.05)
        for name in names:  # what is left of it
            if name.startswith(f"{prefix}-{pid}-"):
                network.remove(name)
    print(f"labs ended: {len(ended)}")


def count(text, most=10000):
    if not text.isdecimal() or not 1 <= int(text) <= most:
        raise argparse.ArgumentTypeError(f"found {text!r}, right is a number from 1 to {most}")
    return int(text)


def slots(text):
    """Each number once; a carrier has 8."""
    return list(dict.fromkeys(count(one, 8) for one in text.split(",")))


def ms_count(text):
    return count(text, MOST)


def setting(text):
    if "=" not in text:
        raise argparse.ArgumentTypeError(f"found {text!r}, right is KEY=VALUE, such as gb.cell_delay=0.2s")
    return text


def read_arguments():
    parser = argparse.ArgumentParser(prog="./run lab", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("command", nargs="?", choices=("compare", "one", "keep", "down"), default="compare")
    parser.add_argument("pid", nargs="?", type=int, help="of the one lab that down ends")
    parser.add_argument("--pdchs", type=slots, default=[4], metavar="N[,N]", help="time slots of 12 kbit/s (4)")
    parser.add_argument("--runs", type=count, default=1, help="one after the other (1)")
    parser.add_argument("--seconds", type=count, default=60, help="of the download that are judged (60)")
    parser.add_argument("--codel", action="store_true", help="the PCU's; off without this")
    parser.add_argument("--ecn", action="store_true", help="MSs ask for ECN; Linux does not by itself")
    parser.add_argument("--cc", choices=("cubic", "reno", "bbr"), default="cubic",
                        help="TCP's congestion control at both ends, whatever the host has by default (cubic)")
    parser.add_argument("--parallel", type=count, default=1, help="downloads to each MS at once (1)")
    parser.add_argument("--downs", type=ms_count, default=1, help="MSs that download (1)")
    parser.add_argument("--up", action="store_true", help="the first of them sends, too")
    parser.add_argument("--variant", default="recommended", help="of config/osmopcu.lua, for keep")
    parser.add_argument("--set", type=setting, action="append", default=[], metavar="KEY=VALUE", help="beside recommended")
    parser.add_argument("--json", action="store_true", help="all figures, for machines")
    parser.add_argument("--attach", action="store_true", help="phones attach, get an address by GTP-C, and download; their delays")
    parser.add_argument("--words", action="store_true", help=argparse.SUPPRESS)  # only says what is wrong with them
    args = parser.parse_args()
    if args.attach and args.command not in ("compare", "one"):
        parser.error("--attach is a lab of its own")
    if args.attach and args.downs >= MSS:
        parser.error(f"the file of --attach has {MSS} phones, and one of them downloads nothing: --downs {MSS - 1} at most")
    if (args.attach or args.command in ("keep", "one")) and len(args.pdchs) > 1:
        parser.error(f"{'--attach' if args.attach else args.command} has one chain, so --pdchs takes one number")
    known = pathlib.Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split()
    if args.cc not in known:
        parser.error(f"this kernel has no {args.cc} in tcp_available_congestion_control, which has {', '.join(known)}: "
                     f"try `modprobe tcp_{args.cc}`")
    return args


def main():
    args = read_arguments()
    if args.words:
        return 0
    for number in signal.SIGINT, signal.SIGHUP:
        signal.signal(number, network.end)
    try:
        if args.attach and args.command == "compare":
            return attach(args)
        return {"compare": compare, "one": one, "keep": keep, "down": down}[args.command](args)
    except (Failure, Skip) as why:
        print(f"lab: {why}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
