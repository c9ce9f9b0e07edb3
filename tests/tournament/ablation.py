"""What each setting of recommended.lua is worth to users: by how much what they notice is worse without it."""

import statistics

from catalogue import SETTINGS
from judge import cost

ABLATED = [setting for setting in SETTINGS if setting.startswith("without ")]
FIGURES = "ping p95", "pings lost", "page mean", "least user", "goodput"


def worth(judged, setting, figure):
    """By load, how many times what the figure costs with all settings it costs without this one."""
    with_all = {load: judged.mean[load, "recommended"] for load in judged.loads}
    return {load: cost(figure, judged.mean[load, setting][figure]) / cost(figure, with_all[load][figure])
            for load in judged.loads if figure in with_all[load]}


def row(judged, setting):
    each = {figure: worth(judged, setting, figure) for figure in FIGURES}
    cells = [f"{statistics.geometric_mean(by.values()):.3f} ({min(by.values()):.2f} to {max(by.values()):.2f})" if by else "-"
             for by in each.values()]
    best, *_, worst = sorted((ratio, figure, load) for figure, by in each.items() for load, ratio in by.items())
    ends = [f"{figure} {ratio:.2f}, {load}" for ratio, figure, load in (best, worst)]
    return f"| {' | '.join([setting.removeprefix('without '), *cells, *ends])} |"


def table(judged):
    """In Markdown: the geometric mean over the loads, the least and the most; above 1 the setting helps."""
    yield f"| without | {' | '.join(FIGURES)} | better without | worse without |"
    yield "| --- |" + " ---: |" * len(FIGURES) + " --- | --- |"
    for setting in ABLATED:
        yield row(judged, setting)
