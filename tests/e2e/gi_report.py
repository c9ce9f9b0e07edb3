"""What `sluice gi` says of captures that a test composes."""

import csv
import json

from gi_capture import Talk, pcap
from harness import new_folder, right, same, sluice


def saved(octets, name="x.pcap"):
    path = new_folder() / name
    path.write_bytes(octets)
    return path


def read(*captures, options=(), status=0):
    """What it says of the captures (octets of a file each): JSON, which agrees with the CSV."""
    folder = new_folder()
    paths = [saved(octets) for octets in captures]
    done = sluice("gi", *paths, *options, "--csv", folder / "x.csv", "--json", folder / "x.json")
    same(done.returncode, status, f"exit status, {done.stderr}")
    report = json.loads((folder / "x.json").read_text())
    rows = list(csv.DictReader((folder / "x.csv").open()))
    same([len(rows), [row["user"] for row in rows]], [len(report["flows"]), [flow["user"] for flow in report["flows"]]],
         "flows by CSV and by JSON")
    fates = sum(value for name, value in report["counts"].items() if name in FATES)
    same(fates, report["counts"]["frames"], "each frame has a fate")
    return report


FATES = ("segments", "other_protocols", "fragments", "elsewhere", "link_other", "gtp_other", "cut", "odd", "ip_checksum",
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


def footer(*captures, options=(), status=0):
    """The lines below the tables: how often, and what that is; how a file ended."""
    done = sluice("gi", *(saved(octets) for octets in captures), *options)
    same(done.returncode, status, f"exit status, {done.stderr}")
    lines = done.stdout.partition(" frames, of which:\n")[2].splitlines()
    counts = {text: int(n) for n, text in (line.strip().split("  ", 1) for line in lines if line.startswith("  "))}
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
