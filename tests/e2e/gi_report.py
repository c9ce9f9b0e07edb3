"""What `sluice gi` says of captures that a test composes."""

import csv
import json

from gi_capture import Talk, pcap
from harness import new_folder, right, same, sluice


def saved(octets, name="x.pcap"):
    path = new_folder() / name
    path.write_bytes(octets)
    return path


def read(*captures, options=(), status=None):
    """What it says of the captures (octets of a file each): JSON, which agrees with the CSV. status: without one, 1 if
    there is no TCP in them."""
    folder = new_folder()
    paths = [saved(octets) for octets in captures]
    done = sluice("gi", *paths, *options, "--csv", folder / "x.csv", "--json", folder / "x.json")
    report = json.loads((folder / "x.json").read_text())
    same(done.returncode, int(report["counts"]["segments"] == 0) if status is None else status, f"exit status, {done.stderr}")
    rows = list(csv.DictReader((folder / "x.csv").open()))
    same([len(rows), [row["user"] for row in rows]], [len(report["flows"]), [flow["user"] for flow in report["flows"]]],
         "flows by CSV and by JSON")
    fates = sum(value for name, value in report["counts"].items() if name in FATES)
    same(fates, report["counts"]["frames"], "each frame has a fate")
    return report


FATES = ("segments", "other_protocols", "fragments", "joined", "elsewhere", "link_other", "wrapped", "gtp_other", "cut", "odd", "ip_checksum",
         "tcp_checksum", "copies")


def flow_of(frames, **more):
    flows = read(pcap(frames), **more)["flows"]
    same(len(flows), 1, "flows")
    return flows[0]


def has(flow, **wanted):
    for name, value in wanted.items():
        found = flow[name]
        if isinstance(value, float):
            right(found is not None and abs(found - value) < 1e-6 * max(1, abs(value)), f"{name}: {found}, right is {value}")
        else:
            same(found, value, name)


SEGMENTS = "TCP segments that were analysed"


def footer(*captures, options=()):
    """The lines below the tables: how often, and what that is; how a file ended."""
    done = sluice("gi", *(saved(octets) for octets in captures), *options)
    lines = done.stdout.partition(" frames, of which:\n")[2].splitlines()
    counts = {text: int(n) for n, text in (line.strip().split("  ", 1) for line in lines if line.startswith("  "))}
    same(done.returncode, int(counts[SEGMENTS] == 0), f"exit status, {done.stderr}")
    return counts, [line.partition(" ends ")[2] for line in lines if " ends " in line and not line.startswith("  ")]


def table(report, name, row):
    return next(one for one in report["tables"][name] if one["row"] == row)


# --- Captures of a few packets --------------------------------------------------------------------


def begun(**more):
    return Talk().setup(0, 0.1, 0.4, **more)


def frames_of_some():
    talk = begun().data(1, 1).data(1.01, 1001).data(1.02, 2001).ack(1.6, 1001).ack(2, 1001).data(3, 1001).ack(3.5, 3001)
    return talk.frames


def figures(report):
    """All but where it was seen."""
    return [{k: v for k, v in flow.items() if k not in ("hour", "teid_up", "teid_down")} for flow in report["flows"]]
