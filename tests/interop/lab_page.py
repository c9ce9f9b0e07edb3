"""A lab's figures as a page: the table, the verdict, and the pings over time."""

import html
import math

from lab_traffic import WARM_S
from lab_verdict import VARIANTS, rows, shown

WIDTH, HEIGHT, LEFT, BOTTOM = 860, 260, 60, 30
FROM_S, TO_S = 0.1, 100  # of a round trip, on a logarithmic scale
COLOURS = {"tail-drop": "#c0392b", "recommended": "#1f6fb2"}
HEAD = """<!doctype html><html lang="en"><meta charset="utf-8"><title>sluice: lab</title><style>
body { font: 15px/1.45 sans-serif; max-width: 62em; margin: 2em auto; padding: 0 1em; color: #222; background: #fff }
table { border-collapse: collapse } td, th { padding: .15em .8em; text-align: right; border-bottom: 1px solid #ddd }
td:first-child, th:first-child { text-align: left; white-space: pre } .no { color: #c0392b; font-weight: bold }
text { font: 12px sans-serif; fill: #444 } .axis { stroke: #bbb }
</style>
"""


def height_of(seconds):
    part = math.log(min(max(seconds, FROM_S), TO_S) / FROM_S) / math.log(TO_S / FROM_S)
    return HEIGHT - BOTTOM - part * (HEIGHT - BOTTOM - 10)


def point(x, took, colour):
    """At the top, if there was no answer."""
    y, style = height_of(took or TO_S), f'stroke="{colour}" fill="{colour if took else "none"}"'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2" {style}/>'


def chart(both, seconds):
    """The pings of the MS that downloads, of all runs."""
    first_s = min(when for runs in both.values() for run in runs for when, _ in run["pings"])
    last_s = WARM_S + seconds

    def across(when):
        return LEFT + (when - first_s) / (last_s - first_s) * (WIDTH - LEFT - 10)

    parts = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img">']
    for value in 0.1, 1, 10, 100:
        y = height_of(value)
        parts.append(f'<line class="axis" x1="{LEFT}" x2="{WIDTH - 10}" y1="{y:.1f}" y2="{y:.1f}"/>'
                     f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:g} s</text>')
    for when, name in (0, "the download begins"), (WARM_S, "figures from here"):
        x = across(when)
        parts.append(f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="10" y2="{HEIGHT - BOTTOM}"/>'
                     f'<text x="{x + 3:.1f}" y="{HEIGHT - 10}">{name}, {when} s</text>')
    for variant in VARIANTS:
        for run in both[variant]:
            parts += [point(across(when), took, COLOURS[variant]) for when, took in run["pings"] if when <= last_s]
    for i, variant in enumerate(VARIANTS):
        parts.append(f'<text x="{WIDTH - 130}" y="{22 + 16 * i}" style="fill:{COLOURS[variant]}">{variant}</text>')
    return "".join(parts) + "</svg>"


def cells(tag, *texts):
    return "<tr>" + "".join(f"<{tag}>{html.escape(text)}</{tag}>" for text in texts) + "</tr>\n"


def section(pdchs, both, verdict, seconds):
    count = len(both[VARIANTS[0]])
    yield f"<h2>{12 * pdchs} kbit/s: {pdchs} PDCH{'s' if pdchs > 1 else ''} at CS-2</h2>\n"
    yield ("<p>Round trips of a ping to the MS that downloads, over the time of the download; at the top those"
           " without an answer.</p>\n")
    yield chart(both, seconds)
    yield "\n<table>" + cells("th", "median (least-most) of runs" if count > 1 else "", *VARIANTS)
    for lines in zip(*(rows(both[variant]) for variant in VARIANTS)):
        yield cells("td", lines[0][0], *(f"{shown(values, digits)} {unit}" for _, unit, digits, values in lines))
    yield "</table>\n<table>" + cells("th", "demanded", "of", "holds in", "figures")
    for one in verdict:
        row = cells("td", one["what"], one["of"], f"{one['runs']} of {len(one['figures'])}", "; ".join(one["figures"]))
        yield row if one["holds"] else row.replace("<td>", '<td class="no">')
    yield "</table>\n"


def write(path, measured, verdict, seconds, words):
    """`measured` and `verdict` by the number of PDCHs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = [HEAD, "<h1>Linux's TCP over OsmoPCU, tail drop and recommended</h1>\n<p>", html.escape(words), "</p>\n"]
    for pdchs, both in measured.items():
        text += section(pdchs, both, verdict[pdchs], seconds)
    path.write_text("".join(text) + "</html>\n", encoding="utf-8")
