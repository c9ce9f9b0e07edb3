"""The page of a tournament."""

import html

from judge import interval

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 100em; padding: 0 1em; color: #222 }
table { border-collapse: collapse; margin: .6em 0 2em; font-size: 13px }
th, td { padding: .15em .6em; text-align: right; border-bottom: 1px solid #e4e4e4; white-space: nowrap }
th:first-child, td:first-child { text-align: left }
th { border-bottom: 2px solid #888; font-weight: 600; vertical-align: bottom }
tr.recommended { background: #eef4ff }
td.bad { background: #f6c9c4 }
td.fair { background: #fbe9cf }
td.front { font-weight: 700 }
small { color: #777 } .scroll { overflow-x: auto }
"""


def colour(regret):
    return "bad" if regret > 2 else "fair" if regret > 1.25 else ""


def number(value):
    return f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"


def cell(judged, load, setting, figure):
    if figure not in judged.mean[load, setting]:
        return "<td></td>"
    half = interval([seed[figure] for seed in judged.figures[load, setting]])
    regret = judged.regret[load, setting][figure]
    spread = f" <small>&plusmn;{number(half)}</small>" if half is not None else ""
    front = "front" if regret < 1.0005 and setting in judged.qualified(load) else ""
    return (f'<td class="{colour(regret)} {front}" title="regret {regret:.2f}">'
            f"{number(judged.mean[load, setting][figure])}{spread}</td>")


def rows_of(judged, settings, cells):
    for setting in settings:
        yield (f'<tr class="{"recommended" if setting == "recommended" else ""}"><td>{html.escape(setting)}</td>'
               f"{''.join(cells(setting))}</tr>")


def load_table(judged, load):
    figures = list(judged.mean[load, "plain"])
    by_worst = sorted(judged.settings, key=lambda s: max(judged.regret[load, s].values()))
    head = "".join(f"<th>{html.escape(f)}</th>" for f in ["setting", "worst regret", *figures])
    same = [f for f in figures if interval([seed[f] for seed in judged.figures[load, "recommended"]]) is None]
    least = f"<p>Of pages and downloads: {html.escape(judged.least_text(load))}.</p>" if load in judged.least else ""
    note = f"<p>All seeds give the same, so there is no interval: {html.escape(', '.join(same))}.</p>" if same else ""
    rows = rows_of(judged, by_worst, lambda s: [
        f"<td>{max(judged.regret[load, s].values()):.2f}</td>", *(cell(judged, load, s, f) for f in figures)])
    return f"{least}{note}<div class=scroll><table><tr>{head}</tr>{''.join(rows)}</table></div>"


def summary_table(judged, loads):
    head = "".join(f"<th>{html.escape(h)}</th>" for h in
                   ["setting", "worst regret", "where", "worst that is felt", "where",
                    "mean over the loads of the worst regret", *loads])
    def cells(setting):
        for felt in False, True:
            regret, load, figure = judged.worst(setting, loads, felt)
            yield f'<td class="{colour(regret)}">{regret:.2f}</td><td>{html.escape(load)}: {html.escape(figure)}</td>'
        yield f"<td>{judged.typical(setting, loads):.2f}</td>"
        for one in loads:
            worst, which = max((r, f) for f, r in judged.regret[one, setting].items())
            yield f'<td class="{colour(worst)}" title="{html.escape(which)}">{worst:.2f}</td>'
    least = "".join(f"<td>{judged.least[load][0]:.2f}</td>" if load in judged.least else "<td></td>" for load in loads)
    rows = f"<tr><td>least possible</td>{'<td></td>' * 5}{least}</tr>" + "".join(rows_of(judged, judged.ranked(loads), cells))
    return f"<div class=scroll><table><tr>{head}</tr>{rows}</table></div>"


def of(judged, known, first, last):
    chosen = [load for load in judged.loads if known[load].chosen]
    apart = [load for load in judged.loads if not known[load].chosen]
    parts = [
        f"<!doctype html><meta charset=utf-8><title>The tournament</title><style>{STYLE}</style>",
        "<h1>The tournament</h1>",
        f"<p>{len(judged.settings)} settings, {len(judged.loads)} loads, seeds {first} to {last}; a simulation in virtual time. ",
        "A regret is how many times worse a figure is than the best of the settings whose goodput is at least 95 % of "
        "plain's there. Of delays as much as nobody feels is left out: 50 ms of a ping, 0.5 s of a page, 0.2 s of a "
        "class, one time-out a minute. Felt: all but classes' delay and what TCP sends again. Bold: the best of these; point at "
        "a figure to see its regret. Intervals are of 95 %, over "
        "the seeds.</p>"]
    for title, loads in (("By the loads that settings are chosen by", chosen), ("By the loads kept apart", apart)):
        if loads:
            parts += [f"<h2>{title}</h2>", summary_table(judged, loads)]
    for load in judged.loads:
        parts += [f"<h2>{html.escape(load)}</h2>", load_table(judged, load)]
    return "\n".join(parts) + "\n"
