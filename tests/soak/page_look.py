#!/usr/bin/python3
"""Pages of results in a browser: of a benchmark, of the quickstart's runs, of a sweep's, of one run and of two of no common command; of a
paper's targets and figures; and of `./run lab`, whose figures are made up here. 390 and 1400 pixels wide (a paper's also 1200), light and dark, with all that is folded open. A script that this test puts into a copy of the page measures it, and finds

    overflow    the page is wider than the window, or something sticks out of it that no box scrolls
    overlap     two texts of a figure, or of its legend, lie on each other; or one lies on a bar
    contrast    a text of less than 4.5 to 1 on its ground, or a curve of less than 3 to 1
    small       a text of less than 10 pixels
    silent      a point, column or bar that says no value under the pointer
    lines       a row's line that ends where a column stays in place while others are scrolled
    cut         from 1200 pixels on: a note of a table that its box has to be scrolled for
    switch      a name of a legend that does not hide and show its curve, or that hides another

    page_look.py [--seeds N]    seeds of each variant; the screenshots are in build/page_look

Before that, faults of each kind are put into a page, and each has to be found. Needs Debian's chromium and gnuplot-nox.
"""

import argparse
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SLUICE = ROOT / "build/release/sluice"
SHOTS = ROOT / "build/page_look"
NEEDS = {"chromium": "chromium", "gnuplot": "gnuplot-nox"}
WIDTHS, SCHEMES = (390, 1400), ("light", "dark")
SHOT_HEIGHT = 2400
BROWSER_S = 120

SWEEP = """variants {
    variant { name = "tail-drop", set = { "class[*].aqm.name=tail-drop", "gb.cell_delay=100 ms" } },
    variant { name = "red", set = { "class[*].aqm.name=red", "gb.cell_delay=100 ms" } },
    variant { name = "codel", set = { "class[*].aqm.name=codel", "gb.cell_delay=100 ms" } },
    variant { name = "pie", set = { "class[*].aqm.name=pie", "gb.cell_delay=100 ms" } },
    variant { name = "recommended", file = "recommended.lua" },
}
sweep { axis { key = "nse.bvc.radio.slots", name = "slots", values = { 6, 8 } } }
"""

MEASURE = r"""
<script>
addEventListener('load', () => {
    const faults = {overflow: [], overlap: [], contrast: [], small: [], silent: [], lines: [], cut: [], switch: []};
    const say = (kind, text) => faults[kind].length < 5 && faults[kind].push(text.trim().slice(0, 120));
    document.querySelectorAll('details').forEach(d => d.open = true);
    const root = document.documentElement, width = innerWidth;
    if (root.scrollWidth > width) say('overflow', `the page is ${root.scrollWidth} pixels wide`);
    const shown = e => { const r = e.getBoundingClientRect(); return r.width > 0 && r.height > 0 ? r : null; };
    for (const e of document.querySelectorAll('body *')) {
        const r = shown(e);
        if (r && r.right > width + 1 && !e.closest('.wide') && !e.closest('svg'))
            say('overflow', `${e.tagName} ends at ${r.right}: ${e.textContent}`);
    }
    // The ground of such a cell lies over lines that are the table's, not its own.
    for (const e of document.querySelectorAll('table'))
        if (getComputedStyle(e).borderCollapse === 'collapse' && [...e.querySelectorAll('td')].some(d => getComputedStyle(d).position === 'sticky'))
            say('lines', e.textContent);
    for (const e of document.querySelectorAll('.wide td.wrap')) {
        const box = e.closest('.wide');
        if (width >= 1200 && e.textContent.trim() && shown(e) && shown(e).right > box.getBoundingClientRect().left + box.clientWidth + 2)
            say('cut', e.textContent);
    }
    const on = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
                         Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2;
    for (const figure of document.querySelectorAll('figure')) {
        const own = figure.getBoundingClientRect();
        const texts = [...figure.querySelectorAll('h3, p, svg text, ul.names li')].filter(shown).map(e => [e, shown(e)]);
        const bars = [...figure.querySelectorAll('svg.bars rect')].filter(shown).map(e => [e, shown(e)]);
        texts.forEach(([e, r], i) => {
            if (r.left < own.left - 1 || r.right > own.right + 1) say('overflow', `out of its figure: ${e.textContent}`);
            for (const [other, s] of texts.slice(i + 1))
                if (!e.contains(other) && on(r, s)) say('overlap', `${e.textContent} / ${other.textContent}`);
            for (const [, s] of bars)
                if (on(r, s)) say('overlap', `on a bar: ${e.textContent}`);
        });
    }
    const parse = text => { const n = (text.match(/[\d.]+/g) || []).map(Number); return n.length === 3 ? [...n, 1] : n; };
    const light = c => { const [r, g, b] = c.map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
                         return .2126 * r + .7152 * g + .0722 * b; };
    const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + .05) / (y + .05); };
    const mix = (over, under) => over.slice(0, 3).map((v, i) => v * over[3] + under[i] * (1 - over[3]));
    const ground = e => {
        for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c[3] > 0) return c.slice(0, 3); }
        return [255, 255, 255];
    };
    for (const e of document.querySelectorAll('body *')) {
        if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || !shown(e) || ['SCRIPT', 'STYLE'].includes(e.tagName)) continue;
        const style = getComputedStyle(e), text = parse(e.closest('svg') ? style.fill : style.color), back = ground(e);
        for (let up = e; up; up = up.parentElement) text[3] *= getComputedStyle(up).opacity;
        const found = ratio(mix(text, back), back), scale = e.closest('svg') && e.getScreenCTM ? Math.hypot(e.getScreenCTM().a, e.getScreenCTM().b) : 1;
        if (found < 4.5) say('contrast', `${found.toFixed(2)}: ${e.textContent}`);
        if (parseFloat(style.fontSize) * scale < 10) say('small', `${(parseFloat(style.fontSize) * scale).toFixed(1)} pixels: ${e.textContent}`);
    }
    for (const e of document.querySelectorAll('ul.names i, .variant i, svg.bars rect')) {
        const style = getComputedStyle(e), colour = parse(e.tagName === 'rect' ? style.fill : style.borderTopColor);
        const found = ratio(colour.slice(0, 3), ground(e));
        if (found < 3) say('contrast', `${found.toFixed(2)}: a colour of ${e.parentElement.textContent}`);
    }
    const visible = (figure, n) => [...figure.querySelectorAll(`svg :is([stroke*='--s${n}'],[fill*='--s${n}'])`)]
        .filter(e => getComputedStyle(e).display !== 'none').length;
    document.querySelectorAll('ul.names input').forEach(box => {
        const figure = box.closest('figure'), own = Number(box.className.slice(1)), others = [...figure.querySelectorAll('input')]
            .filter(e => e !== box).map(e => Number(e.className.slice(1)));
        const before = others.map(n => visible(figure, n)), drawn = visible(figure, own);
        box.checked = false;
        if (drawn === 0 || visible(figure, own) > 0 || others.some((n, i) => visible(figure, n) !== before[i]))
            say('switch', `${box.ariaLabel}: ${drawn} drawn, then ${visible(figure, own)}`);
        box.checked = true;
        if (visible(figure, own) !== drawn) say('switch', `${box.ariaLabel} does not come back`);
    });
    for (const figure of document.querySelectorAll('figure:has(svg:not(.bars))')) {
        const parts = figure.querySelectorAll('.at path, circle'), part = parts[parts.length >> 1];
        if (!part) { if (figure.querySelector('svg polygon, svg path[stroke*="--s"]')) say('silent', `${figure.textContent}: no part`); continue; }
        figure.scrollIntoView();
        const r = part.getBoundingClientRect(), under = document.elementFromPoint((r.left + r.right) / 2, (r.top + r.bottom) / 2);
        if (!under || !under.querySelector('title')) say('silent', `${figure.querySelector('h3').textContent}: ${part.textContent}`);
    }
    scrollTo(0, 0);
    const dark = matchMedia('(prefers-color-scheme: dark)').matches, figures = document.querySelectorAll('figure svg').length;
    const out = document.createElement('pre');
    out.id = 'measured';
    out.textContent = JSON.stringify({width, dark, figures, texts: document.querySelectorAll('td').length, faults});
    parent.document.body.append(out);
});
</script>
"""

PLANTED = (("overflow", "main{width:1500px;max-width:none}"), ("overflow", "ul.says{margin-left:1390px}"),
           ("overlap", "ul.names{margin-top:-60px}"), ("overlap", "ul.names li{margin-right:-60px}"), ("overlap", "svg.bars rect{transform:translateY(-12px)}"),
           ("contrast", ":root{--soft:#909090}"), ("contrast", ":root{--s1:#ffd0b0}"), ("small", "svg.bars text{font-size:9px}"),
           ("lines", "table{border-collapse:collapse}"), ("silent", ".at{pointer-events:none!important}.at .area{pointer-events:none}"),
           ("switch", "figure svg [stroke*='--s1']{display:inline!important}"), ("switch", "figure:has(.c1:not(:checked)) svg *{display:none}"))


def browse(page, width, scheme, *words):
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=10000",
             f"--user-data-dir={profile}", f"--window-size={width},{SHOT_HEIGHT}",
             f"--blink-settings=preferredColorScheme={int(scheme == 'light')}", *words, f"file://{page}"],
            stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", errors="replace", timeout=BROWSER_S, check=False)
    if done.returncode:
        sys.exit(f"page_look.py: chromium failed: {done.stderr[-400:]}")
    return done.stdout


def measure(page, width, scheme, style=""):
    """What the script says. The page is in a frame, because chromium has no window below 500 pixels."""
    text = page.read_text("ascii").replace("</head>", f"<style>{style}</style></head>").replace("</body>", MEASURE + "</body>")
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "page.html"
        copy.write_text('<!doctype html><meta name="color-scheme" content="light dark"><body style="margin:0"><iframe style="border:0" '
                        f'width="{width}" height="{SHOT_HEIGHT}" srcdoc="{html.escape(text)}"></iframe></body>')
        found = re.search(r'<pre id="measured">(.*?)</pre>', browse(copy, max(WIDTHS) + 100, scheme, "--dump-dom"), re.DOTALL)
    if not found:
        sys.exit("page_look.py: the script in the page did not end")
    return json.loads(html.unescape(found.group(1)))


class Rows:
    passed = failed = 0

    def row(self, good, text):
        self.passed, self.failed = self.passed + good, self.failed + (not good)
        print("ok" if good else "not ok", "-", text, flush=True)


def look(rows, name, page, figures=3, widths=WIDTHS):
    for width in widths:
        for scheme in SCHEMES:
            browse(page, width, scheme, f"--screenshot={SHOTS / f'{name}-{width}-{scheme}.png'}")
            found = measure(page, width, scheme)
            wrong = [f"{kind}: {text}" for kind, texts in found["faults"].items() for text in texts]
            if found["width"] != width or found["dark"] != (scheme == "dark"):
                wrong.append(f"the browser has {found['width']} pixels, dark: {found['dark']}")
            if found["figures"] < figures or found["texts"] < 20:
                wrong.append(f"{found['figures']} figures, {found['texts']} cells")
            rows.row(not wrong, f"{name}, {width} pixels, {scheme}" + "".join(f"\n#   {text}" for text in wrong))


def run(config, out, *words, status=0):
    """status: None: of targets some may be missed."""
    done = subprocess.run([SLUICE, "run", config, "--out", out, *words], capture_output=True, encoding="utf-8", check=False)
    if status is not None and done.returncode != status:
        sys.exit(f"page_look.py: {done.stderr}")
    return out / "report.html"


def report(work, *words):
    subprocess.run([SLUICE, "report", *words, "--out", work / "page.html"], check=True, stdout=subprocess.DEVNULL)
    return work / "page.html"


def paper(work):
    """Its results, inputs and what is told, one that is not met, and its figures redrawn."""
    run(ROOT / "config/scenarios/latency-geran.lua", work / "latency-geran", "--variant", "all", "--seeds", "6..7", "--no-page",
        "--targets", ROOT / "tests/scenario/latency-geran.lua", status=None)
    return report(work, "--targets", work / "latency-geran")


def bench(work):
    """Its figures are of no machine at rest; the page is what is looked at."""
    subprocess.run([SLUICE, "bench", "--ms", "100,1000", "--size", "rfc2544,imix", "--seconds", "0.05", "--repeats", "1", "--loss",
                    "0,0.1,100", "--out", work / "bench"], check=True, capture_output=True)
    return work / "bench/report.html"


def lab(work):
    sys.path.insert(0, str(ROOT / "tests/interop"))
    import lab_page_test  # pylint: disable=import-outside-toplevel
    lab_page_test.write(work / "lab.html")
    return work / "lab.html"


def crowded(work, run_folder):
    """The page of what neither makes: twelve variants with long names at 4 x 3 points, values of all sizes, runs that are missing."""
    out, groups, runs = work / "crowded", [], []
    for v in range(12):
        for rate in "48 kbit/s", "96 kbit/s", "144 kbit/s", "2048 kbit/s":
            for limit in "64 kB of each MS", "unlimited", "a-third-with-a-very-long-name":
                texts = {"variant": f"{'a-variant-with-a-long-name-' * 2}{v}" if v % 2 else f"v{v}",
                         "point": f"rate={rate.replace('/', '_').replace(' ', '')},limit={limit.replace(' ', '')}"}
                size = 10 ** (v - 4) * (1 + len(limit) / 9)
                samples = [size * (1 + 0.02 * ((7 * v + 3 * seed + len(rate)) % 5)) for seed in range(3)]
                figure = {"runs": 3, "mean": sum(samples) / 3, "ci95": 0.3 * size}
                figures = "round_trip_p95_ms", "page_mean_ms", "transfer_mean_ms"
                groups.append({**texts, "axes": {"rate": rate, "limit": limit}, "overrides": [f"key.of.a.setting={v}" * 9],
                               "applications": {"a-kind": dict.fromkeys(figures, figure)}, "classes": {}})
                for seed in range(3):
                    folder = f"{v}/{len(groups)}/{seed}"
                    runs.append({**texts, "seed": seed, "folder": folder, "complete": True, "classes": {},
                                 "applications": {"a-kind": dict.fromkeys(figures, samples[seed])}})
                    if seed == 0 and rate < "2":
                        shutil.copytree(run_folder, out / folder)
    summary = {"scenario": "a-scenario-with-a-name-as-long-as-a-name-may-be", "missing": ["x"], "variants": groups, "runs": runs}
    (out / "summary.json").write_text(json.dumps(summary))
    subprocess.run([SLUICE, "report", out, "--out", out / "report.html"], check=True, stdout=subprocess.DEVNULL)
    return out / "report.html"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=5)
    seeds = f"1..{parser.parse_args().seeds}"
    missing = [package for program, package in NEEDS.items() if not shutil.which(program)]
    if missing:
        sys.exit(f"page_look.py needs these packages: apt-get install {' '.join(missing)}")
    SHOTS.mkdir(parents=True, exist_ok=True)
    rows = Rows()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        text = (ROOT / "config/quickstart.lua").read_text()
        shutil.copy(ROOT / "config/recommended.lua", work)
        (work / "sweep.lua").write_text(re.sub(r"variants \{.*?\n\}\n", lambda _: SWEEP, text, count=1, flags=re.DOTALL))
        quickstart = run(ROOT / "config/quickstart.lua", work / "quickstart", "--variant", "all", "--seeds", seeds)
        for kind, style in PLANTED:
            found = measure(quickstart, 1400, "light", style)["faults"]
            rows.row(bool(found[kind]), f"planted: {style}: {kind}: {found[kind][:1]}")
        look(rows, "quickstart", quickstart)
        look(rows, "crowded", crowded(work, work / "quickstart/tail-drop/1"))
        look(rows, "one", run(ROOT / "config/quickstart.lua", work / "one"))
        look(rows, "two", report(work, work / "quickstart/tail-drop/1", work / "quickstart/recommended/1"))
        look(rows, "lab", lab(work), figures=2)
        look(rows, "bench", bench(work))
        targets = paper(work)
        rows.row(bool(measure(targets, 1200, "light", "td.words{white-space:nowrap;padding-left:30ch}")["faults"]["cut"]), "planted: a table too wide: cut")
        look(rows, "paper", targets, widths=(*WIDTHS, 1200))
        look(rows, "sweep", run(work / "sweep.lua", work / "sweep", "--variant", "all", "--seeds", seeds))
    print(f"{rows.passed} passed, {rows.failed} failed")
    return rows.failed > 0


if __name__ == "__main__":
    sys.exit(main())
