#!/usr/bin/python3
"""The pages of `sluice gi`: whole and on their own, with the numbers of the JSON; what the figures draw, to the
pixel; captures with no flow and with one; hostile names, and reports that are anybody's."""

import copy
import functools
import itertools
import json
import os
import random
import re
import subprocess

from gi_capture import SYN, Talk, pcap
from gi_population import Flow, address, drawn, failed, frames_of
from harness import case, main, new_folder, program, right, same, sluice
from pages import check_page
from pictures import boxes_of, diamonds_of, dots_of, lines_of, pairs, picture_of, said_of, same_places, scale, series_colour

INK = "currentColor"
FIGURES = {"Fig. 3": "set-up delay", "Fig. 4": "round trips", "Fig. 7": "rate", "Fig. 8": "lost", "Fig. 9": "single",
           "Fig. 10": "loss ratio", "Fig. 11": "traffic", "Fig. 13": "throughput", "Fig. 14": "MSS", "Fig. 15": "SACK",
           "Fig. 16": "timestamps", "Fig. 17": "window"}
OVER_TIME = {"Rate over time": "TCP", "Repetitions over time": "again", "Set-up over time": "delay", "Flows over time": "live"}


def read(frames, *options, name="x.pcap", env=None):
    """(JSON, page as text)."""
    folder = new_folder()
    (folder / name).write_bytes(pcap(frames))
    words = [program(), "gi", str(folder / name), "--json", str(folder / "x.json"), "--page", str(folder / "x.html"), *options]
    done = subprocess.run(words, capture_output=True, encoding="utf-8", errors="replace", check=False, timeout=60,
                          env=dict(os.environ, **(env or {})))
    report = json.loads((folder / "x.json").read_text())
    same((done.returncode, bool(done.stderr)), (0, False) if report["counts"]["segments"] else (1, True), "exit status and stderr")
    return report, (folder / "x.html").read_text("ascii")


@functools.cache
def network(seed=1, faster=1.0):
    return read(frames_of(drawn(seed, 260, faster), [failed(50000, 7000, "aborted")]), "--paper")


def titled(text):
    """{figure's title: its picture}."""
    return {re.search("<h3>(.*?)</h3>", figure)[1]: picture_of(figure)
            for figure in re.findall("<figure>.*?</figure>", text, re.DOTALL)}


def figure(text, name):
    return next(picture for title, picture in titled(text).items() if title.startswith(f"{name}:"))


def plain(cell):
    """A number as it was written: without groups of digits and with an ASCII sign."""
    return cell.replace("\u202f", "").replace("\u2212", "-").replace("+", "")


def row_of(report, table, label):
    return next(row for row in report["tables"][table] if row["row"] == label)


# --- What the page says ---------------------------------------------------------------------------


@case("every table of the JSON, number for number; each figure of the paper that is a measure")
def tables():
    report, text = network()
    page = check_page(text)
    same([title.split(":")[0] for title in page.titles], [*FIGURES, *OVER_TIME], "figures")
    for title, word in zip(page.titles, [*FIGURES.values(), *OVER_TIME.values()]):
        right(word in title, title)
    right("Fig. 1, 2, 6 and 12 of the paper are drawings" in text and "Without a flow" not in text, "notes")
    for name, rows in report["tables"].items():
        if name == "tree":
            continue
        found = page.tables[report["texts"]["tables"][name].replace("&", "&amp;")]
        wanted = [row for i, row in enumerate(rows) if i == 0 or row["flows"]]
        same([row[0] for row in found[1:]], [row["row"] for row in wanted], name)
        for cells, row in zip(found[1:], wanted):
            same([plain(cell) for cell in cells[1:]], [shown(key, row[key]) for key in row if is_column(key)], f"{name}: {row}")


def is_column(key):
    return key not in ("row", "of", "values", "values_b", "error")


def shown(key, value):
    if value is None:
        return "\u2013"
    if re.search("share$|^ratio$|^b_background$", key):
        return f"{100 * value:.2f} %"
    decimals = 6 if 0 < abs(value) < 0.00995 else 3  # below 10 ms, us
    return f"{value:.{decimals}f}" if key.endswith("_s") and not key.endswith("per_s") else f"{value:.0f}"


@case("the tree: leaves below their areas, with bars as wide as their shares")
def tree():
    report, text = network()
    rows = check_page(text).tables["Fig. 5: connections that users opened, by their set-up"][1:]
    for cells, row in zip(rows, report["tables"]["tree"], strict=True):
        same(cells[0], row["row"].split(": ")[-1], "leaf")
        same([plain(cell) for cell in cells[1:3] + cells[4:]],
             [shown(key, row[key]) for key in ("flows", "share", "mean_setup_s", "b_background")], str(row))
    body = re.search("<h2>Fig. 5.*?</section>", text, re.DOTALL)[0]
    leaves = [": " in row["row"] for row in report["tables"]["tree"]]
    same([" class=\"leaf\"" in line for line in body.splitlines() if line.startswith("<tr><td")], leaves, "indented")
    widths = [float(width) for width in re.findall(r'class="bar" style="width:([\d.]+)em"', body)]
    wanted = [16 * row["share"] for row in report["tables"]["tree"] if row["share"]]
    same(len(widths), len(wanted), "bars")
    right(all(abs(a - b) < 0.006 for a, b in zip(widths, wanted)), widths)


@case("beside the paper: published, ours and the deviation, as the JSON has them; none without --paper")
def paper():
    report, text = network()
    rows = check_page(text).tables["Beside the paper"][1:]
    for cells, row in zip(rows, report["paper"], strict=True):
        unit = {"share": "share", "s": "x_s", "bit/s": "x_bit_per_s", "flows": "flows"}[row["unit"]]
        same([cells[0], cells[1].split(", s")[0].split(", bit/s")[0]], [row["where"], row["what"]], "row")
        if row["published_least"] is None:
            same((plain(cells[3]), plain(cells[7])), ("", "\u2013"), str(row))
            continue
        same([plain(cells[2]), plain(cells[6])], [shown(unit, row["published_least"]), shown(unit, row["ours"])], str(row))
        if row["published_most"] is None:
            same(cells[3], "and more", str(row))
        elif row["published_most"] > row["published_least"]:
            same(plain(cells[3]), shown(unit, row["published_most"]), str(row))
        by = row["deviation"]
        same(plain(cells[7]), "\u2013" if by is None else f"{by:.2f} {row['deviation_in']}", str(row))
    right("Beside the paper" not in read(Talk().setup().frames)[1], "without --paper")


@case("what was read: files, frames, and each count with what it means")
def footer():
    report, text = network()
    page = check_page(text)
    rows = [[plain(cell) for cell in row] for row in page.tables["What was read"]]
    right([report["files"][0]["file"], str(report["counts"]["frames"]), ""] in rows, rows)
    for name, count in report["counts"].items():
        if count and name != "frames":
            right([str(count), report["texts"]["counts"][name]] in rows, f"{name}: {rows}")
    (time, packet), *others = Talk().setup().frames
    unsummed = packet[:10] + bytes(2) + packet[12:]
    report, text = read([(time, unsummed), *others])
    same({name: n for name, n in report["packets"].items() if n}, {"ip_checksum_offloaded": 1}, "notes on packets")
    rows = check_page(text).tables["What was read"]
    right(["1", report["texts"]["packets"]["ip_checksum_offloaded"]] in rows, rows)


# --- What is drawn --------------------------------------------------------------------------------


def counts(report, name, label):
    return next(row for row in report["histograms"][name]["rows"] if row["row"] == label)["counts"]


def places(picture, columns):
    """The boxes of columns (from, to, top)."""
    place = scale(picture)
    return [(place((left, 0))[0], place((right_end, 0))[0], place((0, top))[1], place((0, 0))[1])
            for left, right_end, top in columns]


def check_said(picture, number, columns):
    """Each column says its ends and its height, where it is."""
    areas = said_of(picture, series_colour(number))[1]
    same(len(areas), len(columns), "columns that say their values")
    for (area, text), column, box in zip(areas, columns, places(picture, columns)):
        right(all(abs(a - b) < 0.16 for a, b in zip(area, box)), f"{text}: it is at {area}, the column is at {box}")
        found = re.fullmatch(r"[^:]+: ([\d.e+-]+) to ([\d.e+-]+); [^:]+: ([\d.e+-]+)", text)
        right(found and all(abs(float(one) - other) <= 0.001 * abs(other) for one, other in zip(found.groups(), column)), f"{text}: right is {column}")


@case("Fig. 7, 9, 11: a column for each bin with flows, as high as its share of all flows")
def columns():
    report, text = network()
    for name, sheet, unit in (("Fig. 7", "rates", 1), ("Fig. 9", "single", 1), ("Fig. 11", "shares", 0.05)):
        picture, bins = figure(text, name), counts(report, sheet, "all")
        wanted = [(i * unit, (i + 1) * unit, 100 * n / sum(bins)) for i, n in enumerate(bins) if n]
        same_places(boxes_of(picture, series_colour(0)), places(picture, wanted), name)
        check_said(picture, 0, wanted)
        right(f"flows ({sum(bins)})</li>" in legend(text, name), f"{name}: of how many flows")


@case("Fig. 3: the four categories on each other, together the whole")
def stack():
    report, text = network()
    picture = figure(text, "Fig. 3")
    rows = [row["counts"] for row in report["histograms"]["setups"]["rows"][1:]]
    whole = counts(report, "setups", "all")
    rows = [row + [0] * (len(whole) - len(row)) for row in rows]
    same([sum(bins) for bins in zip(*rows)], whole, "the categories, added up")
    for k, row in enumerate(rows):
        wanted = [(i / 10, (i + 1) / 10, 100 * sum(low[i] for low in rows[:k + 1]) / sum(whole)) for i, n in enumerate(row) if n]
        same_places(boxes_of(picture, series_colour(k)), places(picture, wanted), f"category {k}")


@case("many bins are taken together: the same flows in fewer columns")
def wide():
    flows = [Flow(address(i + 1), 100 * i, rate=15000 + 10250 * i, segments=60) for i in range(20)]
    report, text = read(frames_of(flows))
    picture, bins = figure(text, "Fig. 7"), counts(report, "rates", "all")
    right(200 < len(bins) <= 300, f"{len(bins)} bins")
    step = -(-len(bins) // 100)
    wanted = [(i, i + step, 100 * sum(bins[i:i + step]) / sum(bins)) for i in range(0, len(bins), step) if sum(bins[i:i + step])]
    same_places(boxes_of(picture, series_colour(0)), places(picture, wanted), "Fig. 7")
    right(f"flows in {step} kbit/s, %" in picture, "the axis says so")


def cdf(bins, width, most):
    first = next(i for i, n in enumerate(bins) if n)
    points = [(first * width, 0)] + [((i + 1) * width, 100 * sum(bins[:i + 1]) / sum(bins)) for i in range(first, len(bins))]
    return points + [(most, 100)] * (points[-1][0] < most)


@case("Fig. 4: the part of the round trips below each delay")
def round_trips():
    report, text = network()
    picture = figure(text, "Fig. 4")
    place = scale(picture)
    rows = [counts(report, *row) for row in (("rtt_gprs", "all"), ("rtt_gprs", "peak, 10 to 12 h"),
                                             ("rtt_gprs", "off-peak, 3 to 7 h"), ("rtt_internet", "all"))]
    most = max(map(len, rows)) * 0.01
    for k, bins in enumerate(rows):
        line = lines_of(picture, series_colour(k))[0]
        same_places(line, [place(point) for point in cdf(bins, 0.01, most)], f"line {k}")


@case("over time: each interval's rates, repetitions, set-ups and flows, with a gap where nothing came")
def over_time():
    talk = Talk().setup(0.2, 0.1, 0.4)
    for second in (1, 2, 3, 4, 9, 10):
        talk.data(second + 0.1, 1 + 1000 * second).ack(second + 0.5, 1001 + 1000 * second)
    talk.data(10.6, 1001)
    later = Talk(user=(address(9), 5)).setup(12.5, 0.1, 0.4)
    report, text = read(sorted([*talk.frames, *later.frames]))
    rows = report["series"]["rows"]
    same([report["series"]["interval_s"], [row["begin_s"] for row in rows]], [1, [0, 1, 2, 3, 4, 9, 10, 12, 13]], "rows")

    def drawn(name, value, dots=False):
        picture = figure(text, name)
        place = scale(picture)
        if dots:
            return dots_of(picture, series_colour(0)), [place((row["begin_s"] + 0.5, value(row))) for row in rows if value(row) is not None]
        wanted = [place(point) for row in rows for point in ((row["begin_s"], value(row)), (row["begin_s"] + 1, value(row)))]
        return [point for line in lines_of(picture, series_colour(0)) for point in line], wanted
    for name, value in (("Rate over time", lambda row: row["down_bit_per_s"] / 1000), ("Flows over time", lambda row: row["flows_alive"])):
        found, wanted = drawn(name, value)
        corners = [point for i, point in enumerate(wanted) if not (0 < i < len(wanted) - 1 and wanted[i - 1][1] == point[1] == wanted[i + 1][1])]
        right(all(any(abs(x - a) < 0.2 and abs(y - b) < 0.2 for a, b in found) for x, y in corners), f"{name}: {found}, right is {corners}")
    found, wanted = drawn("Set-up over time", lambda row: row["setup_mean_s"], True)
    same_places(found, wanted, "set-up")
    picture = figure(text, "Repetitions over time")
    right(lines_of(picture, series_colour(0)) and not dots_of(picture, series_colour(0)), "repetitions are a line")


@case("--sequence: each segment to the user of that connection and each ACK, as they are in the packets; drawn; others are not")
def sequence():
    talk = Talk(user=("2001:db8::5", 40000), host=("2001:db8::9", 80), own=4294967000, other=4294966800).setup(0.0, 0.1, 0.4)
    sent = [(1.0, 1), (1.1, 1001), (1.2, 2001), (2.0, 1001), (2.4, 3001)]  # across 2^32
    acks = [(1.5, 1001), (1.6, 1001), (2.3, 3001), (2.9, 4001)]
    for at, seq in sent:
        talk.data(at, seq)
    for at, ack in acks:
        talk.ack(at, ack)
    other = Talk(user=("2001:db8::6", 40000), host=("2001:db8::9", 80)).setup(0.0, 0.1, 0.4).data(1.05, 1).ack(1.5, 1001)
    report, text = read(sorted([*talk.frames, *other.frames]), "--sequence", "[2001:db8::5]:40000,[2001:db8::9]:80")
    found = report["sequence"]
    same([found["user"], found["host"], found["left_out"]], ["[2001:db8::5]:40000", "[2001:db8::9]:80", 0], "whose")
    wanted = sorted([(at, "again" if at == 2.0 else "data", seq + 999) for at, seq in sent] + [(at, "ack", ack - 1) for at, ack in [(0.5, 1), *acks]])
    same([(round(point["after_s"] + 0.5, 9), point["kind"], point["octets"]) for point in found["points"]], wanted, "points")
    picture = figure(text, "Sequence: [2001")
    place = scale(picture)
    for colour, kind in ((0, "data"), (1, "again")):
        same_places(dots_of(picture, series_colour(colour)), [place((at - 0.5, octets / 1000)) for at, one, octets in wanted if one == kind], kind)
    stair, last = [], None
    for at, _, octets in (one for one in wanted if one[1] == "ack"):
        stair += [place((at - 0.5, one / 1000)) for one in (last, octets) if one is not None]
        last = octets
    line = [point for one in lines_of(picture, series_colour(2)) for point in one]
    right(all(any(abs(x - a) < 0.2 and abs(y - b) < 0.2 for a, b in line) for x, y in stair), f"ACKs: {line}, right is {stair}")
    _, text = read(talk.frames, "--sequence", "10.0.0.1:5,10.0.0.2:6")
    right("Without a flow: " in text and "Sequence" in re.search("Without a flow: (.*?)[.]</p>", text)[1], "of nobody")


@case("flows with most octets: those of the JSON's flows, and each on the page")
def top_flows():
    report, text = network()
    most = sorted(report["flows"], key=lambda flow: (-flow["down_octets"] - flow["up_octets"], flow["begin_s"]))[:10]
    same(report["top_flows"], most, "in the JSON")
    rows = check_page(text).tables["Flows with most octets"][1:]
    begin = report["series"]["rows"][0]["begin_s"]
    same([[plain(cell) for cell in row] for row in rows], [
        [f"{flow['user']}:{flow['user_port']}", f"{flow['host']}:{flow['host_port']}", shown("begin_s", flow["begin_s"] - begin),
         shown("lasted_s", flow["lasted_s"]), shown("n", flow["down_octets"]), shown("n", flow["up_octets"]),
         *(shown("x_s", flow[key]).replace("\u2013", "") for key in ("setup_s", "rtt_gprs_mean_s")), shown("n", flow["down_resent_packets"]),
         shown("x_bit_per_s", flow["goodput_bit_per_s"]).replace("\u2013", "")] for flow in most], "rows")


def bars_of(picture, colour):
    """Their right ends as numbers of the x axis, from the top down."""
    place = scale(picture + "d='M0,0 L9,0 '/> <g transform=\"\" > <text>0</text>d='M0,1 L9,1 '/> <g transform=\"\" > <text>1</text>")
    zero, one = place((0, 0))[0], place((1, 0))[0]
    boxes = sorted(boxes_of(picture, colour), key=lambda box: box[2])
    found = [((low - zero) / (one - zero), (high - zero) / (one - zero)) for low, high, _, _ in boxes]
    areas = sorted(said_of(picture, colour)[1], key=lambda area: area[0][2])
    same(len(areas), len(boxes), "bars that say their values")
    for ((place_of, text), box, (least, most)) in zip(areas, boxes, found):
        right(all(abs(a - b) < 0.16 for a, b in zip(place_of, box)), f"{text}: it is at {place_of}, the bar is at {box}")
        said = [float(one) for one in re.search(r": (?:([\d.e+-]+) to )?([\d.e+-]+)$", text).groups(default="0")]
        right(abs(said[0] - least) < 0.02 * (1 + most) and abs(said[1] - most) < 0.005 * (1 + most), f"{text}: the bar is from {least} to {most}")
    return found


def same_bars(found, wanted, what):
    same(len(found), len(wanted), f"{what}: {found}")
    for (low, high), (least, most) in zip(found, wanted):
        right(abs(low - least) < 0.02 * (1 + most) and abs(high - most) < 0.005 * (1 + most),
              f"{what}: found {found}, right is {wanted}")


@case("Fig. 8: shares, with the published ones beside them")
def bottlenecks():
    report, text = network()
    picture = figure(text, "Fig. 8")
    shares = [(0, 100 * row["share"]) for row in report["tables"]["bottlenecks"] if row["flows"]]
    same_bars(bars_of(picture, series_colour(0)), shares, "ours")
    same_bars(bars_of(picture, series_colour(1)), [(0, 47), (0, 48), (0, 5)], "published")
    same(re.findall("<text>([^<]*: [0-9]+)</text>", picture),
         [f"{row['row']}: {row['flows']}" for row in report["tables"]["bottlenecks"]], "rows")


@case("Fig. 10 and 14 to 17: means from 0, their deviation over them, and the flows of each row")
def means():
    report, text = network()
    rows = [row for row in report["tables"]["single"][1:] if row["flows"]]
    picture = figure(text, "Fig. 10")
    same_bars(bars_of(picture, series_colour(0)), [(0, row["mean_throughput_bit_per_s"] / 1000) for row in rows], "throughput")
    same_bars(bars_of(picture, series_colour(1)), [(0, row["b_goodput_bit_per_s"] / 1000) for row in rows], "goodput")
    for name, series in (("Fig. 14", ("MSS low", "MSS high")), ("Fig. 15", ("SACK", "no SACK")),
                         ("Fig. 16", ("no timestamps", "timestamps")), ("Fig. 17", ("window low", "window medium", "window high"))):
        check_effect(report, figure(text, name), series)


TRAITS = (("window low", "window medium", "window high"), ("SACK", "no SACK"), ("MSS low", "MSS high"),
          ("no timestamps", "timestamps"))


def check_effect(report, picture, series):
    by_label = {row["row"]: row for row in report["tables"]["clusters"]}
    wanted = []
    for cluster in itertools.product(*TRAITS):
        if series[0] not in cluster:
            continue
        labels = [", ".join(other if trait == series[0] else trait for trait in cluster) for other in series]
        rows = [by_label[label.replace(", no timestamps", "")] for label in labels]
        if sum(row["flows"] > 0 for row in rows) > 1:
            wanted.append(rows)
    wanted.append([by_label[name] for name in series])
    right(len(wanted) > 5, f"too few clusters: {len(wanted)}")
    for k in range(len(series)):
        same_bars(bars_of(picture, series_colour(k)), [(0, rows[k]["mean_goodput_bit_per_s"] / 1000)
                                                       for rows in wanted if rows[k]["flows"]], series[k])
    deviations = [(max(0, row["mean_goodput_bit_per_s"] - row["deviation_goodput_bit_per_s"]) / 1000,
                   (row["mean_goodput_bit_per_s"] + row["deviation_goodput_bit_per_s"]) / 1000)
                  for rows in wanted for row in rows if row["flows"] > 1]
    same_bars(bars_of(picture, INK), deviations, "deviations")
    names = [f": {'/'.join(str(row['flows']) for row in rows)}" for rows in wanted]
    found = re.findall("<text>[^<]*(: [0-9/]+)</text>", picture)
    same(found, names, "the flows of the rows")


MARKED = {"Fig. 3": (1,), "Fig. 7": (21, 22, 34, 35), "Fig. 14": (20.04852, 24.93686), "Fig. 15": (25.42525, 23.1365),
          "Fig. 16": (24.04916, 25.34224), "Fig. 17": (22.5428, 25.7234, 24.38382)}  # typed from the paper


@case("Fig. 3, 7 and 14 to 17: what is published is marked, where --paper asks for it")
def marks():
    (_, text), (_, without) = network(), read(frames_of(drawn(1, 260), ()))
    for name in FIGURES:
        picture, wanted = figure(text, name), MARKED.get(name, ())
        same(("published</li>" in legend(text, name)), bool(wanted) or name == "Fig. 8", f"{name}: the legend")
        same((diamonds_of(figure(without, name), INK), "published" in legend(without, name)), ([], False), f"{name} without")
        if name in ("Fig. 3", "Fig. 7"):
            place = scale(picture)
            found = sorted({round(x, 1) for x, _ in diamonds_of(picture, INK)})
            right(len(found) == len(wanted) and all(abs(x - place((value, 0))[0]) < 0.1 for x, value in zip(found, wanted)),
                  f"{name}: marks at {found}")
        else:
            check_marks_of_bars(picture, wanted, name)


def legend(text, name):
    return re.search(f"<h3>{name}:.*?</figure>", text, re.DOTALL)[0].split("</svg>")[1]


def check_marks_of_bars(picture, wanted, name):
    """Each in the middle of its bar, in the last row."""
    found = sorted(diamonds_of(picture, INK), key=lambda mark: mark[1])
    same(len(found), len(wanted), f"{name}: {found}")
    for series, (mark, value) in enumerate(zip(found, wanted)):
        _, _, top, bottom = max(boxes_of(picture, series_colour(series)), key=lambda box: box[2])
        right(top < mark[1] < bottom, f"{name}: {mark} in {top} to {bottom}")
        place = scale(picture + "d='M0,0 L9,0 '/> <g transform=\"\" > <text>0</text>d='M0,1 L9,1 '/> <g transform=\"\" > <text>1</text>")
        right(abs(mark[0] - place((value, 0))[0]) < 0.2, f"{name}: {mark} for {value}")


@case("flows beyond the axis are told, by line")
def beyond():
    report, text = read([frame for i, delay in enumerate((1, 11, 12)) for frame in
                         Talk(user=(address(i + 1), 9)).setup(100 * i, 0.04, delay).frames])
    right('<p class="soft">Flows beyond the axis: 2</p>' in text, "Fig. 3")
    _, _, text = beside(network()[0], report)
    right('<p class="soft">Flows beyond the axis: B: 2</p>' in text, "Fig. 3 of both")


# --- Few flows, hostile names ---------------------------------------------------------------------


@case("a capture without a flow, and with one that nothing is known of: whole pages that say so")
def empty():
    for frames in ([], Talk().add(0, "up", SYN, 0).frames):
        report, text = read(frames, "--paper")
        page = check_page(text)
        drawn = [name for name in OVER_TIME if frames and name != "Set-up over time"]
        same((len(report["flows"]), [title.split(":")[0] for title in page.titles], text.count("<svg")), (len(frames), drawn, len(drawn)), "figures")
        missing = re.search("Without a flow: (.*?)[.]</p>", text)[1]
        same(missing.split(", "), [name for name in (*FIGURES, *OVER_TIME) if name not in drawn], "without a flow")
        same(page.tables[report["texts"]["tables"]["flows"]][1][1], str(len(frames)), "flows")
        right(not re.search(r"\b(nan|inf)\b", re.sub("<style>.*</style>", "", text, flags=re.DOTALL)), "no number")


@case("one flow: the figures that it is in")
def one():
    _, text = read(Flow(address(1), segments=90).frames())
    page = check_page(text)
    same([title.split(":")[0] for title in page.titles], ["Fig. 3", "Fig. 4", "Fig. 7", "Fig. 8", "Fig. 9", "Fig. 10",
                                                          "Fig. 11", "Fig. 13", *OVER_TIME], "figures")


HOSTILE = ("<script>alert(1)</script>.pcap", "\"' onload=x & &lt;.pcap", "a\x1b[31m\n\t\x7f.pcap", "\u00e9\u202e.pcap", "%s%n`id`$(id).pcap")


@case("hostile file names are text on the page and in the JSON, and no octet of the page is not printable ASCII")
def names():
    for name in HOSTILE:
        name = name.replace("/", "\u2215")
        report, text = read(Talk().setup().frames, name=name)
        right(report["files"][0]["file"].endswith(name), report["files"])
        page = check_page(text)
        right(re.fullmatch(r"[\n -~]*", text), f"{name!r}: other octets")
        printable = "".join(c if " " <= c <= "~" else "?" * len(c.encode()) for c in name)
        right(any(row[0].endswith(printable) for row in page.tables["What was read"]), page.tables["What was read"])


@case("of very many files the page has the first two hundred, and those behind them that are damaged")
def many():
    folder = new_folder()
    names = [folder / f"{i}.pcap" for i in range(230)]
    for i, name in enumerate(names):
        name.write_bytes(pcap(Talk().setup().frames)[:-9 if i in (3, 215, 229) else None])
    sluice("gi", *names, "--page", folder / "x.html")
    text = (folder / "x.html").read_text("ascii")
    rows = check_page(text).tables["What was read"]
    shown_names = [row[0].split("/")[-1] for row in rows if ".pcap" in row[0]]
    same(shown_names, [f"{i}.pcap" for i in [*range(200), 215, 229]], "files")
    right("202 of 230 files, of which 3 end early" in text, "told")


@case("without gnuplot the page has its tables and says why there are no figures")
def without_gnuplot():
    folder = new_folder()
    report, text = read(Flow(address(1)).frames(), env={"PATH": str(folder)})
    page = check_page(text)
    right("No figures: gnuplot was not found" in text and page.tables[report["texts"]["tables"]["options"]], text)


@case("a page to standard output in place of the text; one that cannot be written: exit status 1")
def outputs():
    folder = new_folder()
    (folder / "x.pcap").write_bytes(pcap(Talk().setup().frames))
    check_page(sluice("gi", folder / "x.pcap", "--page", "-").stdout)
    done = sluice("gi", folder / "x.pcap", "--page", folder / "none" / "x.html")
    same(done.returncode, 1, "exit status")
    right("No such file" in done.stderr, done.stderr)
    same(sluice("gi", folder / "x.pcap", "--page", "/dev/full").returncode, 1, "exit status of a full device")


# --- Two reports ----------------------------------------------------------------------------------


def saved(report):
    path = new_folder() / "r.json"
    path.write_text(json.dumps(report))
    return path


def beside(a, b):
    """(the comparison, its page, the page as text)."""
    folder = new_folder()
    done = sluice("gi", "--compare", saved(a), saved(b), "--json", folder / "x.json", "--page", folder / "x.html")
    same((done.returncode, done.stderr), (0, ""), "exit status and stderr")
    text = (folder / "x.html").read_text("ascii")
    return json.loads((folder / "x.json").read_text()), check_page(text), text


@case("--compare: the page has each row of the comparison, and the distributions of both")
def compared():
    (a, _), (b, _) = network(), network(2, 1.2)
    both, page, text = beside(a, b)
    found = [row for title in both["titles"].values() for row in page.tables[title][1:]]
    same(len(found), len(both["rows"]), "rows")
    for cells, row in zip(found, both["rows"]):
        key = row["figure"]
        numbers = [shown(key, row[name]) for name in ("a", "b", "difference", "least", "most")]
        same([cells[0], *map(plain, cells[2:7]), cells[7]], [row["row"], *numbers, row["verdict"]], str(row))
        same([plain(cell) for cell in cells[8:]], [shown("flows", row[name]) for name in ("values_a", "values_b")], str(row))
    same([title.split(":")[0] for title in page.titles],
         ["Fig. 3", "Fig. 4", "Fig. 4", "Fig. 7", "Fig. 9", "Fig. 11", "Fig. 13", "Table III"], "figures")
    picture = figure(text, "Fig. 7")
    place, bins = scale(picture), [counts(report, "rates", "all") for report in (a, b)]
    for k in range(2):
        line = lines_of(picture, series_colour(k))[0]
        same_places(line, [place(point) for point in cdf(bins[k], 1, max(map(len, bins)))], f"line {'AB'[k]}")
    rows = [[row_of(report, "clusters", label) for report in (a, b)] for label in
            ("all", "MSS low", "MSS high", "SACK", "no SACK", "timestamps", "no timestamps", "window low", "window medium", "window high")]
    for k in range(2):
        same_bars(bars_of(figure(text, "Table III"), series_colour(k)),
                  [(0, row[k]["mean_goodput_bit_per_s"] / 1000) for row in rows], "goodput")
    right(pairs(picture), "a picture")


def nodes(value):
    """Every (container, key) in it."""
    for key in list(value if isinstance(value, dict) else range(len(value))):
        yield value, key
        if isinstance(value[key], (dict, list)):
            yield from nodes(value[key])


STRANGE = (None, True, -1, 1e300, -1e300, 10**18, 0.5, "", "<script>", "\x1b[31m", "x" * 5000, [], {}, [[1]], {"row": 7},
           [1e308, 1e308, "1"], {"all": "\u00e9"})


@case("--compare of reports that are anybody's: any value at any place; a whole page, or a word of the fault")
def strange():
    draw = random.Random(1)
    small = {key: value for key, value in network()[0].items() if key not in ("flows", "paper")}
    for number in range(40):
        report = copy.deepcopy(small)
        for _ in range(1 + number % 4 * 5):
            container, key = draw.choice(list(nodes(report)))
            container[key] = draw.choice(STRANGE)
        a, b, out = saved(report), saved(small), new_folder() / "x.html"
        done = sluice("gi", "--compare", *((a, b) if number % 2 else (b, a)), "--page", out, "--json", out.parent / "x.json")
        right(done.returncode == 0 or "no report" in done.stderr, f"{done.returncode}: {done.stderr}")
        right(re.fullmatch(r"[\n -~]*", done.stdout), "other octets on the terminal")
        if done.returncode == 0:
            check_page(out.read_text("ascii"))
            json.loads((out.parent / "x.json").read_text())


@case("--compare of figures that are too large to subtract: no difference is claimed, and the JSON is whole")
def enormous():
    huge = copy.deepcopy(network()[0])
    row_of(huge, "setups", "all").update(mean_setup_s=1.7e308, deviation_setup_s=1e308)
    other = copy.deepcopy(huge)
    row_of(other, "setups", "all").update(mean_setup_s=-1.7e308)
    both, _, _ = beside(huge, other)
    row = next(row for row in both["rows"] if (row["table"], row["row"], row["figure"]) == ("setups", "all", "mean_setup_s"))
    same((row["difference"], row["least"], row["verdict"]), (None, None, "none"), "difference")


@case("--compare of reports without flows: a page that says so")
def compared_empty():
    report, _ = read([])
    both, page, text = beside(report, report)
    same((both["rows"], page.titles), ([], []), "rows and figures")
    right("Neither report has flows" in text, text)


main()
