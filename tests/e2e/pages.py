"""Pages of results, for their tests: the page as a browser's parser reads it, and what its tables should say,
out of the files of a run. REPORT_WORLD names the program that writes the results of a made-up run."""

import csv
import functools
import html.parser
import json
import os
import re
import shutil
import subprocess

from harness import TIMEOUT_S, new_folder, program, right, same

EMPTY = {"br", "meta", "input"}  # elements without an end
SVG = {"svg", "g", "path", "polygon", "rect", "text", "title"}  # what figures may have
HTML = {"html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "h3", "section", "div", "table",
        "thead", "tbody", "tr", "th", "td", "p", "span", "strong", "code", "br", "figure", "ul", "li", "i", "details", "summary", "input"}


class Page(html.parser.HTMLParser):
    """Elements in order of their ends, the tables by their heading, and faults of the page."""

    def __init__(self, text):
        super().__init__()
        self.stack, self.faults, self.names, self.attributes = [], [], set(), []
        self.tables, self.titles, self.text, self.heading = {}, [], "", ""
        self.feed(text)
        self.close()
        self.faults += [f"no end of <{name}>" for name in self.stack]

    def handle_starttag(self, name, attrs):
        self.names.add(name)
        self.attributes += [(name, *pair) for pair in attrs]
        if name not in EMPTY:
            self.stack.append(name)
        if name in ("h2", "h3", "td", "th"):
            self.text = ""
        if name == "tr":
            self.tables.setdefault(self.heading, []).append([])

    def handle_endtag(self, name):
        if not self.stack or self.stack.pop() != name:
            self.faults.append(f"</{name}> ends nothing")
        if name in ("td", "th"):
            self.tables[self.heading][-1].append(self.text)
        if name == "h2":
            self.heading = self.text
        if name == "h3":
            self.titles.append(self.text)

    def handle_data(self, data):
        self.text += data


def check_page(text):
    """Well-formed, of known elements only, and nothing in it is from elsewhere."""
    page = Page(text)
    same(page.faults, [], "faults of the page")
    same(page.names - SVG - HTML, set(), "elements")
    for name, attribute, value in page.attributes:
        right(not attribute.startswith("on") and attribute not in ("id", "src", "href", "xlink:href"),
              f"<{name} {attribute}={value}>")
        right("url(" not in value and "http" not in value, f"<{name} {attribute}={value}>")
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL).group(1)
    right("url(" not in style and "@import" not in style, "the style fetches something")
    right("rgb(" not in text and "black" not in text, "a figure has a colour of its own")
    same(text.count("<svg"), text.count("<figure>"), "figures that have a picture")
    return page


def report(*arguments, path=None, cwd=None):
    """Exit status, page or None, and stderr."""
    folder = cwd or new_folder()
    environment = dict(os.environ, **({"PATH": path} if path is not None else {}))
    done = subprocess.run([program(), "report", *map(str, arguments)], cwd=folder, env=environment,
                          stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
                          timeout=TIMEOUT_S, check=False)
    page = folder / "report.html"
    return done.returncode, page.read_text("ascii") if page.exists() else None, done.stderr


def page_of(*dirs):
    status, text, stderr = report(*dirs)
    same((status, stderr), (0, ""), "exit status and stderr")
    return check_page(text), text


def world(folder, name="made-up", seed=1, limit=200_000):
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([os.environ["REPORT_WORLD"], folder, name, str(seed), str(limit)], check=True,
                   timeout=TIMEOUT_S)
    return folder


@functools.cache
def made_up():
    return world(new_folder() / "run")


def copy():
    return shutil.copytree(made_up(), new_folder() / "run")


def summary_of(folder):
    return json.loads((folder / "summary.json").read_text(), parse_float=str)


# --- Numbers --------------------------------------------------------------------------------------


def number(text):
    """As a summary has it: without groups of digits."""
    return text.replace("\u202f", "")


def figure(value):
    return "\u2013" if value is None else str(value)


def rows_of(folder, name):
    with (folder / name).open(newline="") as file:
        return list(csv.DictReader(file))


def goodput(bit_per_s):
    return f"{int(bit_per_s) // 1000}.{int(bit_per_s) % 1000:03}"


COLUMNS = ("sent_packets", "delivered_packets", "lost_packets", "under_way_packets", "marked_packets",
           "goodput_bit_per_s", "delay_p50_ms", "delay_p95_ms", "delay_p99_ms", "delay_max_ms")


def class_rows(folder):
    """Of classes.csv, as the page has them."""
    rows = []
    for row in rows_of(folder, "classes.csv"):
        cells = [row[column] or "\u2013" for column in COLUMNS]
        cells[5] = goodput(row["goodput_bit_per_s"])
        rows.append([row["class"], row["direction"], *cells])
    return rows


def summary_rows(summary):
    """The same of a summary, which has what the dataplane counted."""
    return [[name, "down", str(row["in_packets"]), str(row["packets"]),
             str(sum(drop["packets"] for drop in row["drops"].values())), "\u2013", str(row["marks"]),
             goodput(row["goodput_bit_per_s"]), *(figure(row["delay_ms"][key]) for key in ("p50", "p95", "p99", "max"))]
            for name, row in summary["classes"].items()]


def numbers(rows):
    return [[number(cell) for cell in row] for row in rows]


def check_classes(page, wanted):
    same(sorted(numbers(page.tables["Classes"][1:])), sorted(wanted), "classes")


def check_drops(page, rows):
    same(sorted(numbers(page.tables["Drops"][1:])), sorted(rows), "drops")


def lost(folder):
    """Of drops.csv, as the page has them."""
    return [[f"{row['place']}: {row['reason']}", row["name"], row["packets"], row["octets"]]
            for row in rows_of(folder, "drops.csv") if row["by"] == "class"]
