#!/usr/bin/python3
"""Draws the figure of README.md out of a folder with several runs of config/quickstart.lua:

    build/release/sluice run config/quickstart.lua --variant all --seeds 1..30 --out out/thirty
    tools/figure.py out/thirty > config/quickstart.svg

Values are the means over the seeds, whiskers their 95 % confidence intervals, out of summary.json.
"""

import json
import pathlib
import sys

PANELS = (  # title, which is better, of what, name, metric, factor, format
    ("Ping, 95th percentile", "shorter is better", "applications", "ping", "round_trip_p95_ms", 1e-3, "{:.2f} s"),
    ("Web page, mean", "shorter is better", "applications", "http", "page_mean_ms", 1e-3, "{:.1f} s"),
    ("Downloads, goodput", "longer is better", "applications", "ftp", "goodput_bit_per_s", 1e-3, "{:.1f} kbit/s"),
)
VARIANTS = (("tail-drop", "tail drop"), ("recommended", "Sluice"))
WIDTH, LEFT, RIGHT, BAR, GAP, PANEL = 720, 96, 150, 20, 8, 96

STYLE = """text { font: 14px system-ui, sans-serif; fill: #1c1c1c } .title { font-weight: 600 } .soft { fill: #5c5c5c; font-size: 12px }
.bar0 { fill: #9a9a9a } .bar1 { fill: #1767b1 } .whisker { stroke: #1c1c1c; stroke-width: 1.5 } .paper { fill: #ffffff }
@media (prefers-color-scheme: dark) { text { fill: #ececec } .soft { fill: #a8a8a8 } .bar0 { fill: #7d7d7d } .bar1 { fill: #5aa9f0 }
.whisker { stroke: #ececec } .paper { fill: #16181b } }"""


def of(group, panel):
    figure = group[panel[2]][panel[3]][panel[4]]
    return figure["mean"] * panel[5], figure["ci95"] * panel[5]


def panel_of(groups, panel, top):
    found = [of(groups[key], panel) for key, _ in VARIANTS]
    scale = (WIDTH - LEFT - RIGHT) / max(mean + half for mean, half in found)
    yield f'<text class="title" x="16" y="{top + 16}">{panel[0]}</text>'
    yield f'<text class="soft" x="{WIDTH - 16}" y="{top + 16}" text-anchor="end">{panel[1]}</text>'
    for i, ((mean, half), (_, shown)) in enumerate(zip(found, VARIANTS)):
        y = top + 28 + i * (BAR + GAP)
        middle, end = y + BAR // 2, LEFT + mean * scale
        low, high = LEFT + max(mean - half, 0) * scale, LEFT + (mean + half) * scale
        yield f'<text x="{LEFT - 8}" y="{middle + 5}" text-anchor="end">{shown}</text>'
        yield f'<rect class="bar{i}" x="{LEFT}" y="{y}" width="{end - LEFT:.1f}" height="{BAR}"/>'
        yield f'<path class="whisker" d="M{low:.1f} {middle}H{high:.1f}M{high:.1f} {middle - 4}v8M{low:.1f} {middle - 4}v8"/>'
        yield f'<text x="{high + 8:.1f}" y="{middle + 5}">{panel[6].format(mean)}</text>'


def figure(folder):
    summary = json.loads((pathlib.Path(folder) / "summary.json").read_text())
    groups = {group["variant"]: group for group in summary["variants"]}
    seeds = groups["recommended"]["runs_complete"]
    height = 16 + len(PANELS) * PANEL + 24
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="Ping, web page and ' \
          'downloads with tail drop and with Sluice">'
    yield f"<style>{STYLE}</style>"
    yield f'<rect class="paper" width="{WIDTH}" height="{height}"/>'
    for i, panel in enumerate(PANELS):
        yield from panel_of(groups, panel, 16 + i * PANEL)
    yield f'<text class="soft" x="16" y="{height - 12}">One cell of 96 kbit/s, three MSs that download, four that browse; ' \
          f'means of {seeds} seeds with 95 % intervals.</text>'
    yield "</svg>"


if __name__ == "__main__":
    print("\n".join(figure(sys.argv[1])))
