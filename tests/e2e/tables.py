#!/usr/bin/python3
"""Tables that are described once (lab/base/table.h): what CSV, JSON, page and help have is what the list says, column
by column, and their values are the same. The lists are read here as text, so that a column that is in the list and in no
output, or in an output and in no list, is found; the values of one output are held against those of another."""

import csv
import html
import json
import re
import subprocess
from collections import namedtuple

import audit_capture as gb  # tests/gb is on the path from here on
from audit_capture import MS, S, down, up
from gi_capture import SACK_PERMITTED, Talk, mss, pcap
from harness import ROOT, case, main, new_folder, program, right, same

folder = new_folder()
Table = namedtuple("Table", "name key csv title columns")
Column = namedtuple("Column", "kind key csv title inside")  # inside: the object of JSON


# ---- The lists ----


def arguments_of(text, at):
    """Of the call whose bracket is at `at`: its arguments, and where it ends."""
    depth, quoted, begin, found = 0, False, at + 1, []
    for i in range(at, len(text)):
        c = text[i]
        quoted ^= c == '"'
        if quoted:
            continue
        depth += (c in "([{") - (c in ")]}")
        if (c == "," and depth == 1) or depth == 0:
            found.append(text[begin:i].strip())
            begin = i + 1
        if depth == 0:
            return found, i + 1
    raise ValueError(text[at:at + 60])


def expanded(text):
    """With the macros that the list itself defines."""
    text = re.sub(r"//[^\n]*", "", text).replace("\\\n", " ")
    for name, parameters, body in re.findall(r"#define (\w+)\(([^)]*)\)([^\n]*)", text):
        text = text.replace(f"#define {name}({parameters}){body}", "").replace(f"#undef {name}", "")
        while found := re.search(rf"\b{name}\(", text):
            values, end = arguments_of(text, found.end() - 1)
            out = body
            for parameter, value in zip(parameters.split(","), values, strict=True):
                out = re.sub(rf"\b{parameter.strip()}\b(?=([^\"]*\"[^\"]*\")*[^\"]*$)", lambda _, v=value: v, out)
            text = text[:found.start()] + out + text[end:]
    return text


def word_of(text):
    return None if text == "NULL" else "".join(re.findall(r'"([^"]*)"', text))


def tables_of(path):
    text, tables, inside = expanded((ROOT / path).read_text()), [], None
    for found in re.finditer(r"\b(TABLE|COLUMN|MAYBE|OR_NULL|OBJECT|OBJECT_END|LIST)\b\(?", text):
        what = found[1]
        values = arguments_of(text, found.end() - 1)[0] if found[0].endswith("(") else []
        if what == "TABLE":
            tables.append(Table(values[0], word_of(values[5]), word_of(values[6]), word_of(values[7]), []))
        elif what == "OBJECT":
            inside = word_of(values[0])
        elif what == "OBJECT_END":
            inside = None
        elif what == "LIST":
            tables[-1].columns.append(Column("LIST", word_of(values[0]), None, None, None))
        else:
            tables[-1].columns.append(Column(values[0], *map(word_of, values[1:4]), inside))
    return tables


# ---- What an output has ----


def page_tables(path):
    """{title: (heads, rows)}"""
    tables = {}
    for title, text in re.findall(r"<section><h2>(.*?)</h2>(.*?)</section>", path.read_text(), re.DOTALL):
        heads = re.findall(r"<th(?: [^>]*)?>(.*?)</th>", text)
        rows = [[html.unescape(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row)]
                for row in re.findall(r"<tr>(<td.*?)</tr>", text)]
        tables[title] = heads, rows
    return tables


def keys_of(table, inside=None):
    return {column.key for column in table.columns if column.key and column.inside == inside}


def json_value(row, column):
    """None: there is none."""
    return (row.get(column.inside) or {} if column.inside else row).get(column.key)


FORMS = {"NS": ("{:.9f}", "{:.6f}", 1e-9), "SHARE": ("{:.6f}", "{:.1f} %", 1), "MEAN": ("{:.1f}", "{:.0f}", 1),
         "SECONDS": ("{:.6f}", "{:.2f}", 1)}


def shown(column, value, output):
    """A value of JSON as CSV (0) or the page (1) write it."""
    if value is None:
        return ""
    if column.kind == "TLLI":
        return f"{value:08x}"
    if column.kind in FORMS:
        value *= FORMS[column.kind][2] * (100 if output and column.kind == "SHARE" else 1)
        return FORMS[column.kind][output].format(value)
    return str(value)


def check_table(table, rows, csv_path, page):
    """Rows of JSON; the CSV file and the page, or None."""
    seen = set()
    for row in rows:
        seen |= set(row)
        right(set(row) <= keys_of(table) | {column.inside for column in table.columns if column.inside},
              f"{table.name}: JSON has {set(row)}")
        for inside in {column.inside for column in table.columns if column.inside and row.get(column.inside)}:
            same(set(row[inside]), keys_of(table, inside), f"{table.name}: JSON's {inside}")
    missing = {(table.name, key) for key in keys_of(table) - seen}
    if csv_path:
        lines = list(csv.reader(csv_path.read_text().splitlines()))
        columns = [column for column in table.columns if column.csv]
        same(lines[0], [column.csv for column in columns], f"{table.name}: head of the CSV")
        for line, row in zip(lines[1:], rows, strict=True):
            same(line, [shown(column, json_value(row, column), 0) for column in columns], f"{table.name}: CSV beside JSON")
    if page:
        heads, lines = page
        columns = [column for column in table.columns if column.title is not None]
        same(heads, [column.title for column in columns], f"{table.name}: heads of the page")
        wanted = [[shown(column, json_value(row, column), 1) for column in columns] for row in rows]
        for line in lines:
            right([cell.replace("\u202f", "") for cell in line] in wanted, f"{table.name}: {line} is on the page, not in JSON")
    return missing


# ---- sluice audit ----


def all_of_it():
    """A capture in which each column of each table has a value somewhere."""
    flow_ms = dict(tlli=gb.TLLI, tag=9, ms_bmax=40, r=80, full=30)
    pfcs = dict(tlli=gb.TLLI, tag=10, flows=[{"pfi": 10, "bmax": 10, "r": 80}])
    talk = gb.good()
    at = gb.place(talk, "bssgp_dl_unitdata", 3)
    gb.changed(talk, at, talk[at].datagram[:-1] + b"\xff")
    return gb.sorted_by_time([
        *talk, up(2 * S + 5 * MS, gb.on_cell("bssgp_flow_control_ms", **flow_ms)),
        down(2 * S + 6 * MS, gb.on_cell("bssgp_flow_control_ms_ack", tlli=gb.TLLI, tag=9)),
        up(2 * S + 7 * MS, gb.on_cell("bssgp_flow_control_pfc", **pfcs)),
        down(2 * S + 8 * MS, gb.on_cell("bssgp_flow_control_pfc_ack", tlli=gb.TLLI, tag=10)),
        up(4 * S + 5 * MS, gb.flow_bvc(40, measurement=7)),
        up(5 * S + 5 * MS, gb.signalling("bssgp_llc_discarded", tlli=gb.TLLI, frames=1, bvci=gb.CELL, octets=500))])


@case("sluice audit: CSV, JSON and page have the columns of audit_tables.def, no more and no less, with the same values")
def audit():
    path = gb.write(folder / "x.pcap", all_of_it())
    report = gb.audit(path)
    same(gb.run_audit("--csv", folder / "csv", "--page", folder / "x.html", path).returncode, 0, "exit status")
    tables = tables_of("lab/captures/audit/audit_tables.def")
    same(len(tables), 9, "tables in the list")
    page = page_tables(folder / "x.html")
    same(set(page), {table.title for table in tables if table.title} | {"What was not judged"}, "sections of the page")
    same({path.stem for path in (folder / "csv").iterdir()}, {table.csv for table in tables if table.csv}, "CSV files")
    by_name = {table.name: table for table in tables}
    missing = set()
    for table in tables:
        rows = report[table.key] if table.key else [pfc for ms in report["mss"] for pfc in ms.get("pfcs", [])]
        right(rows, f"{table.name} has no row in this capture")
        if table.key:
            missing |= check_table(table, rows, table.csv and folder / f"csv/{table.csv}.csv", page[table.title])
        else:
            head = (folder / f"csv/{table.csv}.csv").read_text().splitlines()[0].split(",")
            same(head, [column.csv for column in table.columns if column.csv], f"{table.name}: head of the CSV")
            same({key for row in rows for key in row}, keys_of(table) | {"bucket"}, f"{table.name}: keys")
            same(set(rows[0]["bucket"]), keys_of(by_name["audit_table_cells"], "bucket"), "a bucket anywhere")
    same(missing, set(), "columns that no row of this capture has in JSON")


@case("sluice audit --columns: each column of each table, with what it means")
def audit_columns():
    said = gb.run_audit("--columns").stdout.decode().split("\n\n")
    tables = tables_of("lab/captures/audit/audit_tables.def")
    for table, text in zip(tables, said, strict=True):
        head, *lines = text.strip().split("\n")
        same(head, ", ".join([f"{table.csv}.csv"] * bool(table.csv) + [f"in JSON {table.key}"] * bool(table.key)), "head")
        names = {line.split(": ")[0] for line in lines}
        right(all(line.split(": ", 1)[1].strip() for line in lines), f"{table.name}: a column without a word")
        for column in table.columns:
            key = column.key and f"{column.inside}.{column.key}" if column.inside else column.key
            name = column.csv or f"in JSON {key}"
            right(name in names or f"{name}, in JSON {key}" in names, f"{table.name}: {column} is not in {names}")
    same(gb.run_audit("--columns").returncode, 0, "exit status")


# ---- sluice gi ----


GI_UNITS = {"NS": "_s", "RATE": "_bit_per_s"}
GI_DECIMALS = {"NS": 9, "SHARE": 6}


def of_gi(kind, value):
    """A value of JSON as CSV writes it."""
    if value is None:
        return ""
    if kind == "FLAG":
        return str(int(value))
    return f"{value:.{GI_DECIMALS[kind]}f}" if kind in GI_DECIMALS else str(value)


@case("sluice gi: CSV, JSON and --columns have the fields of gi_flow.def, in its order, with the same values")
def gi():
    fields = re.findall(r'^FIELD\((\w+), (\w+), "(.*)"\)$', (ROOT / "lab/captures/gi/gi_flow.def").read_text(), re.MULTILINE)
    names = [name + GI_UNITS.get(kind, "") for kind, name, _ in fields]
    options = mss(1460) + SACK_PERMITTED
    whole = Talk().setup(options=options)
    for i in range(40):
        whole.data(1 + i / 4, 1 + 1000 * i).ack(1.2 + i / 4, 1001 + 1000 * i)
    alone = Talk(user=("2001:db8::1", 40001), host=("2001:db8::2", 80)).add(20, "up", 2, 0)
    (folder / "gi.pcap").write_bytes(pcap(whole.frames + alone.frames))

    def run(*words):
        done = subprocess.run([program(), "gi", *map(str, words)], capture_output=True, timeout=60)
        same(done.returncode, 0, f"exit status of {words}: {done.stderr}")
        return done.stdout.decode()

    run(folder / "gi.pcap", "--csv", folder / "gi.csv", "--json", folder / "gi.json", "--losses", folder / "losses.csv")
    same(run("--columns").splitlines(), [f"{name}: {field[2]}" for name, field in zip(names, fields)], "--columns")
    head, *rows = csv.reader((folder / "gi.csv").read_text().splitlines())
    flows = json.loads((folder / "gi.json").read_text(), parse_float=float)["flows"]
    same((head, [list(flow) for flow in flows]), (names, [names] * 2), "names in CSV and JSON")
    for row, flow in zip(rows, flows, strict=True):
        for name, (kind, _, _), cell in zip(names, fields, row, strict=True):
            if kind == "NS" and flow[name] is not None:  # 19 digits are more than a double has
                right(abs(float(cell) - flow[name]) < 1e-6 and re.fullmatch(r"\d+\.\d{9}", cell), f"{name}: {cell}, {flow[name]}")
            else:
                same(cell, of_gi(kind, flow[name]), name)
    right({True, False} >= {flow["sack"] for flow in flows} - {None} and None in [flow["sack"] for flow in flows], "a flag, and none")
    same((folder / "losses.csv").read_text(), "user,user_port,host,host_port,direction,time_s,sequence,verdict,instead\n", "losses")


@case("sluice gi --paper and --compare: each row of JSON has the columns of its list, in its order")
def gi_rows():
    paths = [folder / f"{name}.json" for name in "abc"]
    for number, path in enumerate(paths[:2]):
        talk = Talk().setup()
        for i in range(20):
            talk.data(1 + i / (4 + number), 1 + 1000 * i).ack(1.2 + i / (4 + number), 1001 + 1000 * i)
        (folder / "one.pcap").write_bytes(pcap(talk.frames))
        done = subprocess.run([program(), "gi", folder / "one.pcap", "--paper", "--json", path], capture_output=True, timeout=60)
        same((done.returncode, done.stderr), (0, b""), "exit status")
    done = subprocess.run([program(), "gi", "--compare", *paths[:2], "--json", paths[2]], capture_output=True, timeout=60)
    same((done.returncode, done.stderr), (0, b""), "exit status of --compare")
    for list_of, path in (("lab/captures/gi/gi_paper_list.def", paths[0]), ("control/captures/gi_compare.def", paths[2])):
        table, = tables_of(list_of)
        rows = json.loads(path.read_text())[table.key]
        right(len(rows) > 5, f"{table.name}: {len(rows)} rows")
        for row in rows:
            same(list(row), [column.key for column in table.columns], table.name)
        kinds = {column.key: str if column.kind in ("TEXT", "WORD") else (int, float, type(None)) for column in table.columns}
        right(all(isinstance(value, kinds[key]) for row in rows for key, value in row.items()), f"{table.name}: kinds of values")


# ---- sluice help csv ----


def columns_of(lines):
    """Of the lines of a file, its columns in CSV; each has a word."""
    right(all(line.split(": ", 1)[1].strip() for line in lines), f"a column without a word in {lines}")
    names = [line.split(": ", 1)[0].split(", in JSON ")[0] for line in lines]
    return [name for name in names if not name.startswith("in JSON ")]


def described():
    """{heading: {file: columns}} of all that sluice help csv explains."""
    found, files = {}, None
    done = subprocess.run([program(), "help", "csv"], capture_output=True, timeout=60)
    same((done.returncode, done.stderr), (0, b""), "sluice help csv")
    for block in done.stdout.decode().split("\n\n"):
        head, *lines = block.strip().split("\n")
        if head.startswith("Of "):
            right(not lines, block)
            files = found[head] = {}
        elif not head.startswith("in JSON "):
            right(head not in files, f"{head} twice")
            files[head.split(", in JSON ")[0]] = columns_of(lines)
    return found


def is_described(out, files, axes=()):
    """Each CSV file in the folder is among `files`, with these columns, and none of `files` is missing."""
    same({path.name for path in out.glob("*.csv")}, set(files), f"CSV files in {out}")
    for name, columns in files.items():
        at = columns.index("AXIS") if "AXIS" in columns else None
        wanted = columns if at is None else [*columns[:at], *axes, *columns[at + 1:]]
        head, *rows = csv.reader((out / name).read_text().splitlines())
        same(head, wanted, name)
        right(rows and {len(row) for row in rows} == {len(head)}, f"{name}: rows of {len(head)} cells")


def run(*words):
    done = subprocess.run([program(), "run", "--no-huge", "--no-page", *map(str, words)], capture_output=True, timeout=120)
    same(done.returncode, 0, f"exit status: {done.stderr}")


@case("sluice help csv explains each column of each CSV file that a run writes, in order, and no more")
def help_of_run():
    run(ROOT / "config/quickstart.lua", "--packets", "--out", folder / "run", "--set", "run.duration=12 s", "--set", "lab.passive=true",
        "--set", "run.batches=5")
    is_described(folder / "run", described()["Of a run, in its folder:"])


@case("sluice help csv explains each column of each CSV file of several runs, with --targets and --knobs, too")
def help_of_several():
    scenario, targets, knobs = folder / "x.lua", folder / "targets.lua", folder / "knobs.lua"
    scenario.write_text((ROOT / "tests/e2e/udp.lua").read_text() + """sweep {
        axis { key = "queue.packets", values = { 400, 500 } }, axis { key = "run.name", name = "end", values = { "a" } },
        axis { key = "lab.traffic.ecn", values = { true } } }""")
    targets.write_text("""local function ours(run) return run(nil, "packets=400,end=a,ecn=true").value("seed") end
        target { figure = "F", what = "w", most = 3, ours = ours }
        figure { name = "F", title = "T", x = { title = "x" }, y = { title = "y" }, series = { { name = "s", published = { { 1, 2 } } } } }""")
    knobs.write_text("""runs { points = { "packets=400,end=a,ecn=true" } }
        conclusion "w"
        knob { name = "k", keys = "queue.flows", base = 16, low = 64, from = "x" }""")
    files, written = described()["Of several runs, in their folder:"], {}
    for name, words in ("plain", ()), ("targets", ("--targets", targets)), ("knobs", ("--targets", targets, "--knobs", knobs)):
        run(scenario, "--seeds", "1..2", "--set", "run.duration=2 s", "--out", folder / name, *words)
        written[name] = {path.name for path in (folder / name).glob("*.csv")}
        is_described(folder / name, {file: columns for file, columns in files.items() if file in written[name]},
                     ["axis_packets", "axis_end", "ecn"])
    same(set().union(*written.values()), set(files), "files of several runs")


@case("sluice help csv explains each column of each CSV file that sluice audit and sluice gi write")
def help_of_captures():
    files = described()
    path = gb.write(folder / "help.pcap", all_of_it())
    same(gb.run_audit("--csv", folder / "audit", path).returncode, 0, "exit status")
    is_described(folder / "audit", files["Of sluice audit --csv DIR:"])
    talk = Talk().setup()
    for i in range(40):
        talk.data(1 + i / 4, 1 + 1000 * i).ack(1.2 + i / 4, 1001 + 1000 * i)
    talk.data(20, 1)
    (folder / "help-gi.pcap").write_bytes(pcap(talk.frames))
    (folder / "gi").mkdir()
    done = subprocess.run([program(), "gi", folder / "help-gi.pcap", "--csv", folder / "gi/flows.csv", "--losses", folder / "gi/FILE.csv"],
                          capture_output=True, timeout=60)
    same(done.returncode, 0, f"exit status: {done.stderr}")
    right("Of sluice gi --csv FILE: those of gi_flows.csv" in files, files)
    is_described(folder / "gi", {"flows.csv": files["Of a run, in its folder:"]["gi_flows.csv"],
                                 "FILE.csv": files["Of sluice gi --losses FILE:"]["FILE"]})


# ---- sluice help json ----


# What stands for the keys in an object of this name: they are other lists' words.
NAMES = {"classes": "CLASS", "applications": "KIND", "drops": "REASON", "events": "KIND",
         "CLASS": "FIGURE", "KIND": "FIGURE"}
OF_BATCHES = ("CLASS", "KIND")  # in other objects these have keys of their own

REAL_TIME = """
run { name = "null", clock = "real", duration = "0.5 s" }
gn { device = "net_null0,no-rx=1", address = "192.0.2.1" }
gb { device = "net_null1,no-rx=1", address = "198.51.100.1" }
nse {
    nsei = 1, ns = "manual",
    nsvc { nsvci = 1, peer = "198.51.100.2" },
    bvc { bvci = 2 },
}
"""


def keys_below(value, before=()):
    """The keys of an object, and those of objects in it behind theirs, as help has them."""
    above = before[-1] if before else None
    name = NAMES.get(above) if above not in OF_BATCHES or before[0] == "batches" else None
    for key, member in value.items():
        path = (*before, name or key)
        if not name or not isinstance(member, dict):
            yield ".".join(path)
        for one in member if isinstance(member, list) else [member]:
            if isinstance(one, dict):
                yield from keys_below(one, path)


@case("sluice help json explains each key of summary.json, of runs in the lab, of its phones and in real time, and no more")
def help_of_summary():
    done = subprocess.run([program(), "help", "json"], capture_output=True, timeout=60)
    same((done.returncode, done.stderr), (0, b""), "sluice help json")
    lines = done.stdout.decode().split("Of a run, in summary.json:\n\n")[1].split("\n\n")[0].splitlines()
    right(all(line.split(": ", 1)[1].strip() for line in lines), f"a key without a word in {lines}")
    names = [line.split(": ", 1)[0] for line in lines]
    same(len(names), len(set(names)), "keys that are there twice")
    out, scenario, real = folder / "json", folder / "json.lua", folder / "real.lua"
    scenario.write_text((ROOT / "config/quickstart.lua").read_text() + 'sweep { axis { key = "queue.packets", values = { 20 } } }')
    (folder / "recommended.lua").write_text((ROOT / "config/recommended.lua").read_text())
    real.write_text(REAL_TIME)
    run(scenario, "--out", out / "lab", *(word for text in ("run.warmup=2 s", "run.batches=5", "lab.ftp[3].size=50 kB") for word in ("--set", text)))
    run(real, "--out", out / "real")
    run(ROOT / "config/phones.lua", "--out", out / "phones", "--set", "run.duration=20 s")
    summaries = [json.loads(path.read_text()) for path in out.rglob("summary.json")]
    seen = {key for summary in summaries if "runs" not in summary for key in keys_below(summary)}
    # Whether a port or the uplink dropped anything, the reasons are explained.
    seen |= {f"{before}.drops.REASON.{what}" for before in ("worker.ports.gn", "worker.ports.gb", "worker.up") for what in ("packets", "octets")}
    same(seen - set(names), set(), "in a summary, and not explained")
    same(set(names) - seen, set(), "explained, and in no summary")


main()
