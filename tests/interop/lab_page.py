"""A lab's figures as a page: the pings over time, the table, the verdict. It looks like a page of `sluice report`, of
whose style it is made."""

import html
import math
import pathlib

from lab_plan import WARM_S
from lab_verdict import VARIANTS, rows, shown, told

STYLE = pathlib.Path(__file__).resolve().parent.parent.parent / "control/report/style.css"
WIDTH, HEIGHT, LEFT, RIGHT, BOTTOM = 560, 320, 64, 6, 30
FROM_S, TO_S = 0.1, 100  # of a round trip, on a logarithmic scale
STEPS_S = 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000
MARKS_MOST = 6  # of the time
HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title} - Sluice</title>
<style>{style}</style></head>
<body><main>
<h1>{title}</h1>
<p>{words}</p>
"""


def height_of(seconds):
    part = math.log(min(max(seconds, FROM_S), TO_S) / FROM_S) / math.log(TO_S / FROM_S)
    return HEIGHT - BOTTOM - part * (HEIGHT - BOTTOM - 10)


def point(x, when, took, variant):
    """A ring at the top, if there was no answer."""
    colour = f"var(--s{VARIANTS.index(variant)})"
    said = f"{took:.2f} s" if took else "no answer"
    return (f'<circle cx="{x:.1f}" cy="{height_of(took or TO_S):.1f}" r="2.5" stroke="{colour}" fill="{colour if took else "none"}">'
            f"<title>{variant}, at {when:.1f} s: {said}</title></circle>")


def line(x1, y1, x2, y2, more=""):
    return f'<path d="M{x1:.1f},{y1:.1f}L{x2:.1f},{y2:.1f}" stroke="var(--grid)"{more}/>'


def words_at(x, y, text, anchor="middle"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>'


def chart(both, seconds):
    """The pings of the MS that downloads, of all runs."""
    first_s = min(when for runs in both.values() for run in runs for when, _ in run["pings"])
    last_s = WARM_S + seconds
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT

    def across(when):
        return LEFT + (when - first_s) / (last_s - first_s) * (right - LEFT)

    parts = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" font-size="16" fill="currentColor">']
    for value in 0.1, 1, 10, 100:
        y = height_of(value)
        parts += [line(LEFT, y, right, y), words_at(LEFT - 8, y + 5, f"{value:g} s", "end")]
    step = next((step for step in STEPS_S if (last_s - first_s) / step <= MARKS_MOST), STEPS_S[-1])
    for when in range(math.ceil(first_s / step) * step, int(last_s) + 1, step):
        x, end = across(when), across(when) > right - 20
        parts += [line(x, 10, x, bottom), words_at(right if end else x, HEIGHT - 8, f"{when} s", "end" if end else "middle")]
    for when in 0, WARM_S:
        parts.append(line(across(when), 10, across(when), bottom, ' style="stroke:currentColor" stroke-dasharray="4 4"'))
    for variant in VARIANTS:
        for run in both[variant]:
            parts += [point(across(when), when, took, variant) for when, took in run["pings"] if when <= last_s]
    return "".join(parts) + "</svg>"


def legend():
    """A name hides its points, as in each page of `sluice report`."""
    names = "".join(f'<li><input type="checkbox" checked="checked" class="c{i}" aria-label="{variant}">'
                    f'<i class="dot" style="border-color:var(--s{i})"></i>{variant}</li>' for i, variant in enumerate(VARIANTS))
    return f'<ul class="names">{names}</ul>'


def cell(tag, text, kind):
    """kind: its classes, or "" for text."""
    return f'<{tag} class="{kind}">{html.escape(text)}</{tag}>' if kind else f"<{tag}>{html.escape(text)}</{tag}>"


def cells(tag, texts, kinds):
    return f"<tr>{''.join(cell(tag, text, kind) for text, kind in zip(texts, kinds))}</tr>\n"


def table(heads, kinds, body):
    """body: (texts, kinds of cells) of each row."""
    return (f'<div class="wide"><table><thead>{cells("th", heads, ["n" if "n" in kind.split() else "" for kind in kinds])}</thead><tbody>\n'
            + "".join(cells("td", *row) for row in body) + "</tbody></table></div>\n")


def section(pdchs, both, verdict, end, seconds):
    count = len(both[VARIANTS[0]])
    yield f"<section><h2>{12 * pdchs} kbit/s: {pdchs} PDCH{'s' if pdchs > 1 else ''} at CS-2</h2>\n<p>{html.escape(end)}</p>\n"
    yield '<div class="figures"><figure><h3>Round trips of a ping to the MS that downloads</h3>\n' + chart(both, seconds) + legend()
    yield (f'<p class="soft">Over the time of the download, which begins at 0 s; the figures are of what comes from {WARM_S} s on'
           " (both are dashed lines). Rings at the top: without an answer.</p></figure></div>\n")
    kinds = ["name", "n", "n"]
    yield table(["median (least-most) of runs" if count > 1 else "", *VARIANTS], kinds,
                [([lines[0][0].strip(), *(f"{shown(values, digits)} {unit}".strip() for _, unit, digits, values in lines)],
                  ["name leaf" if lines[0][0].startswith(" ") else "name", "n", "n"])
                 for lines in zip(*(rows(both[variant]) for variant in VARIANTS))])
    yield "".join(f"<p>{html.escape(line)}</p>\n" for line in told(both)) + "<p></p>\n"
    kinds = ["name", "", "n", "wrap", ""]
    yield table(["demanded", "of", "holds in", "figures", "limit"], kinds,
                [([one["what"], one["of"], f"{one['runs']} of {len(one['figures'])}", "; ".join(one["figures"]), one["limit"]],
                  kinds if one["holds"] else [f"{kind} bad".strip() for kind in kinds]) for one in verdict])
    yield "</section>\n"


def write(path, measured, verdict, ends, seconds, words):
    """`measured`, `verdict` and `ends`, the conclusions, by the number of PDCHs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = [HEAD.format(title="Linux&#39;s TCP over OsmoPCU, tail drop and recommended", style=STYLE.read_text("ascii"),
                        words=html.escape(words))]
    for pdchs, both in measured.items():
        text += section(pdchs, both, verdict[pdchs], ends[pdchs], seconds)
    path.write_text("".join(text) + "</main></body></html>\n", encoding="ascii", errors="xmlcharrefreplace")
