#!/usr/bin/python3
"""MSs of the lab that attach, in virtual time: what `sluice run` says of how long they took is what a reader of its captures
and a sum of the lines' latencies say; under any loss every packet is accounted for; and a run is the same again."""

import collections
import hashlib
import hmac
import html
import json
import re
import sys

import pcap
from harness import ROOT, case, check_sound, main, new_folder, octets_of, often, right, run, same, sluice, written

sys.path.append(str(ROOT / "tests/gb"))
from phone_card import Card, encipher  # noqa: E402
from phone_llc import fcs  # noqa: E402

MS, S = 10**6, 10**9
ATTACH, ACCEPT, COMPLETE, ACTIVATE, ACTIVATED = 0x01, 0x02, 0x03, 0x41, 0x42
LLC, IMSI_IE = 0x0E, 0x18

HEAD = """
run {{ name = "phones", duration = "{duration} s", seed = {seed} }}
gn {{ address = "192.0.2.1", mac = "02:00:00:00:00:01", mtu = "1536 octets" }}
gb {{ address = "198.51.100.1", mac = "02:00:00:00:00:02" }}
ggsn {{ name = "ggsn1", address = "192.0.2.2", control = "192.0.2.2", mac = "02:00:00:00:00:04" }}
apn {{ name = "internet", default = true }}
attach {{ who = "listed", most = 200, rate = 10000{attach} }}
{phones}
nse {{
    nsei = 101, nsvc {{ nsvci = 1, peer = "198.51.100.2", peer_mac = "02:00:00:00:00:03" }},
    line {{ latency = "5 ms"{line} }},
    bvc {{ bvci = 2, {cell} ms {{ imsi = "001010000001001", pdp {{ nsapi = 5, class = "background", address = "10.0.1.1" }} }} }},
    bvc {{ bvci = 3 }},
}}
lab {{ ggsn = "192.0.2.2", ggsn_mac = "02:00:00:00:00:04", gi {{ latency = "20 ms" }}, {apps} }}
"""
PHONES = 'phone { imsi = "001010000000001", count = 5, class = "interactive-1", cell = "101-2", on = "2 s", apart = "1 s" }'
K, OPC = bytes(range(16)), bytes(range(16, 32))
KEYS = f', k = "{K.hex()}", opc = "{OPC.hex()}"'
PING = 'ping { class = "interactive-1", size = "32 octets" },'
RADIO = "radio { carriers = 1, slots = 4, down_slots = 4, up_slots = 2 }, flow { rate = \"40 kbit/s\" },"


def config(phones=PHONES, apps=PING, cell="", line="", attach="", duration=20, seed=1):
    return HEAD.format(**locals())


def simulate(text, *arguments):
    """The run, whose books agree."""
    done = run(written(text), *arguments)
    check_sound(done.summary)
    return done


def times(summary):
    phones = summary["phones"]
    return [[phones[f"{step}_ms"][key] for key in ("n", "mean", "p50", "p95", "p99", "max")]
            for step in ("attach", "context", "first_octet")]


@case("without a radio each step takes the latencies of the lines that its messages cross, to the microsecond")
def exact():
    summary = simulate(config()).summary
    # REQUEST and ACCEPT: 5 ms each way. ACTIVATE the same, and GTP-C nothing. A ping: 5 and 20 ms each way, behind that.
    same(times(summary), [[5, *[value] * 5] for value in (10, 20, 20 + 50)], "attach, context, first octet")
    same({key: value for key, value in summary["phones"].items() if not key.endswith("_ms")},
         {"count": 5, "on": 5, "attached": 5, "contexts": 5, "attaches_refused": 0, "contexts_refused": 0,
          "messages_again": 0, "given_up": 0}, "how many")
    summary = simulate(config(duration=4)).summary
    same([summary["phones"][key] for key in ("count", "on", "attached")], [5, 3, 2], "the third is switched on at the end")


@case("who is refused, or gets no context: counted, and no time")
def refused():
    script = new_folder() / "policy.lua"
    script.write_text("""
        function attach(e) return (e.imsi == "001010000000002" or e.imsi == "001010000000004") and { refuse = 15 } end
        function context(e) return e.imsi == "001010000000003" and { refuse = 33 } end""")
    phones = simulate(config() + f'policy {{ script = "{script}" }}').summary["phones"]
    same([phones[key] for key in ("count", "attached", "contexts", "attaches_refused", "contexts_refused")], [5, 3, 2, 2, 1],
         "how many")
    same([phones[f"{step}_ms"]["n"] for step in ("attach", "context", "first_octet")], [3, 2, 2], "that came so far")


def frames_of_llc(path):
    """(time_ns, "up" or "down", TLLI, LLC frame) of gb.pcap, by the formats."""
    for frame in pcap.frames_of(path):
        datagram = frame.octets[14:]
        ns = datagram[4 * (datagram[0] & 15) + 8:]
        if ns[:1] != b"\0":
            continue
        pdu = ns[4:]
        at = {0: 8, 1: 8}.get(pdu[0])  # DL-UNITDATA, UL-UNITDATA: TLLI and QoS in front
        while at is not None and pdu[at] != LLC:
            at += 2 + (pdu[at + 1] & 0x7F) if pdu[at + 1] & 0x80 else 3 + int.from_bytes(pdu[at + 1:at + 3])
        if at is None:
            continue
        octets = pdu[at + 1] & 0x7F if pdu[at + 1] & 0x80 else int.from_bytes(pdu[at + 1:at + 3])
        first = at + (2 if pdu[at + 1] & 0x80 else 3)
        yield frame.time_ns, "up" if pdu[0] else "down", pdu[1:5], pdu[first:first + octets]


def is_ui(llc):
    return llc[1] & 0xE0 == 0xC0


def messages(path):
    """(time_ns, "up" or "down", type) of GMM and SM in gb.pcap, in clear."""
    return [(time_ns, way, llc[4]) for time_ns, way, _, llc in frames_of_llc(path) if llc[0] & 15 == 1 and is_ui(llc)]


def at(found, way, kind):
    return [time_ns for time_ns, of_way, of_kind in found if (of_way, of_kind) == (way, kind)]


@case("with a radio: each time lies between the SGSN's message and the phone's next one, on Gb")
def by_captures():
    one = config(PHONES.replace("count = 5", "count = 1"), cell=RADIO)
    done = simulate(one, "--pcap")
    found = messages(done.out / "gb.pcap")
    same([(way, kind) for _, way, kind in found],
         [("up", ATTACH), ("down", ACCEPT), ("up", COMPLETE), ("up", ACTIVATE), ("down", ACTIVATED)], "messages")
    (accepted,), (completed,) = at(found, "down", ACCEPT), at(found, "up", COMPLETE)
    (activated,), on = at(found, "down", ACTIVATED), 2 * S
    attach, context, octet = (row[1] * MS for row in times(done.summary))
    right(accepted - on < attach < completed - on, f"attached after {attach} ns; ACCEPT {accepted}, COMPLETE {completed}")
    right(activated - on < context < octet, f"a context after {context} ns; ACTIVATE ACCEPT {activated}")
    right(attach > 200 * MS, "a radio takes time to be set up")


def opened(llc, way, key, gea):
    """The information of an enciphered frame, by libosmogsm; None: it is not under that key."""
    plain = encipher(gea, key, llc, 0, int(way == "down"), 0)
    return plain[3:-3] if fcs(plain[:-3]) == plain[-3:] else None


@case("with keys an attach takes a round trip more, and from RES on all is under the key that a card has of RAND")
def with_keys():
    for name, gea in ("gea4", 4), ("gea3", 3), ("none", 0):
        done = simulate(config(PHONES.replace(" }", KEYS + " }"), attach=f', ciphers = {{ "{name}" }}'), "--pcap")
        same(times(done.summary), [[5, *[value] * 5] for value in (20, 30, 30 + 50)], "attach, context, first octet")
        same(done.summary["phones"]["messages_again"], 0, "messages again")
        frames = list(frames_of_llc(done.out / "gb.pcap"))
        rands = [llc[8:24] for _, way, _, llc in frames if way == "down" and is_ui(llc) and llc[3:5] == b"\x08\x12"]
        cards = [Card(K[:12] + (int.from_bytes(K[12:]) + number).to_bytes(4), OPC) for number in range(5)]
        answers = [card.answer(rand, None) for card, rand in zip(cards, rands, strict=True)]
        keys = [hmac.new(b"".join(card.keys(rand)[1:3]), b"\x32", hashlib.sha256).digest()[:16] if gea == 4 else answer.kc
                for card, rand, answer in zip(cards, rands, answers)]
        found = [(way, llc[0] & 15, next((info for key in keys for info in [opened(llc, way, key, gea)] if info), None))
                 for _, way, _, llc in frames if is_ui(llc) and llc[2] & 2]
        same(None in [info for *_, info in found], False, "frames that no card's key opens")
        counted = collections.Counter((way, sapi, info[:2].hex() if sapi == 1 else "data") for way, sapi, info in found)
        right(not gea or counted["down", 3, "data"] > 40, f"user data under a key: {counted}")
        same({key: n for key, n in counted.items() if key[1] == 1},
             {("down", 1, "0802"): 5, ("up", 1, "0803"): 5, ("up", 1, "0a41"): 5, ("down", 1, "8a42"): 5} if gea else {}, name)
        same({llc[3:5].hex() for _, _, _, llc in frames if is_ui(llc) and not llc[2] & 2 and llc[0] & 15 == 1},
             {"0801", "0812", "0813"} if gea else {"0801", "0812", "0813", "0802", "0803", "0a41", "8a42"}, "in clear")


@case("every packet is accounted for, whatever is lost: contexts that end under way, at the phone, the GGSN and on the radio", 6000, "", often(4, 40))
@case("so is it with keys, which are others at each attach", 6000, KEYS, often(4, 40))
def lossy(duration, keys, seeds):  # seeds: how many
    seen = set()
    for seed in range(1, seeds + 1):
        done = simulate(config(
            f'phone {{ imsi = "001010000000001", count = 6, class = "interactive-1", cell = "101-2", apart = "1 s"{keys} }}'
            f'phone {{ imsi = "001010000000101", count = 4, class = "background", cell = "101-2", on = "2 s"{keys} }}',
            PING + 'ftp { class = "background", size = "20 kB", pause = "20 s" },', RADIO, ', loss = "60 %"',
            ', t3312 = "60 s"', duration, seed))
        seen |= set(re.findall(r",(ms_no_context|ggsn_no_context|removed),", (done.out / "drops.csv").read_text()))
    same(seen, {"ms_no_context", "ggsn_no_context", "removed"}, "losses that these seeds have had")


@case("the same seed gives the same bytes, another one others; and the page and the text have the figures")
def again():
    lossy_one = dict(cell=RADIO, line=', loss = "20 %"', duration=60)
    first, second, other = (simulate(config(seed=seed, **lossy_one), "--pcap") for seed in (3, 3, 4))
    for name in ("summary.json", "gb.pcap", "gn.pcap", "drops.csv"):
        same(octets_of(first.out / name), octets_of(second.out / name), name)
    right(octets_of(first.out / "gb.pcap") != octets_of(other.out / "gb.pcap"), "another seed gives the same")
    page = re.sub(r"<[^>]+>", " ", html.unescape((first.out / "report.html").read_text()))
    right("Phones, from when each is switched on" in page, "no table of phones on the page")
    n, mean, *_, most = times(first.summary)[2]
    right(re.search(rf"first octet\s+5\s+{n}\s+{mean:.3f}.*?{most:.3f}", page.replace("\u202f", ""), re.DOTALL), "its last row")


LABELS = {"attach": "attach", "context": "context", "first_octet": "first octet"}
T_975 = {1: 12.706205, 2: 4.302653}  # Student's t, by degrees of freedom


def mean_of(values):
    """Mean, and half of its 95 % interval."""
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return mean, T_975[len(values) - 1] * (variance / len(values)) ** 0.5


def near(found, right_one, what):
    right(abs(found - right_one) <= 1e-5 * max(1, abs(right_one)), f"{what}: {found}, right is {right_one}")


TARGETS = """
target {
    figure = "1", what = "p95 of an attach", unit = "ms", kind = "input", published = 1, within = 1000,
    ours = function(run) return run("one").value("phones.attach_ms.p95") end,
}
"""


@case("several runs: the mean and interval over the seeds of how long phones took, in summary.json, the text, both pages, a target")
def several():
    out = new_folder() / "out"
    text = config(line=', jitter = "4 ms"') + """
        variants { variant { name = "one" }, variant { name = "slower", set = { "nse.line.latency=9 ms" } } }"""
    done = sluice("run", written(text), "--variant", "all", "--seeds", "1..3", "--out", out)
    same(done.returncode, 0, f"exit status {done.stderr}")
    summary = json.loads((out / "summary.json").read_text())
    runs = {(one["variant"], one["seed"]): json.loads((out / one["folder"] / "summary.json").read_text())["phones"]
            for one in summary["runs"]}
    page = html.unescape((out / "report.html").read_text())
    loose = new_folder() / "loose.html"
    report = sluice("report", out / "one", out / "slower", "--out", loose)
    same(report.returncode, 0, f"report: {report.stderr}")
    moved = 0
    for group in summary["variants"]:
        of = [runs[group["variant"], seed] for seed in (1, 2, 3)]
        found = group["lab"]["phones"]
        for step, label in LABELS.items():
            for key in ("mean", "p95"):
                mean, half = mean_of([one[f"{step}_ms"][key] for one in of])
                figure = found[f"{step}_{key}_ms"]
                same(figure["runs"], 3, "runs")
                near(figure["mean"], mean, f"{group['variant']}, {step} {key}")
                near(figure["ci95"], half, f"{group['variant']}, interval of {step} {key}")
                right(f"{mean:.1f} +- {half:.1f}" in re.search(rf"phones, {label} {key} ms.*", done.stdout)[0], f"{step} in the text")
                for shown in page, html.unescape(loose.read_text()):
                    right(f"phones: {label} {key}, ms" in shown, f"{label} {key} on the page")
                moved += half > 0
        for key in ("attached", "contexts"):
            same(found[key]["mean"], 5, key)
    right(moved >= 6, "figures that the seeds move")
    for one in summary["runs"]:
        same(one["lab"]["phones"]["attach_p95_ms"], runs[one["variant"], one["seed"]]["attach_ms"]["p95"], "of a run")
    told = sluice("run", written(text), "--variant", "one", "--seeds", "1..3", "--targets", written(TARGETS), "--out", new_folder() / "out")
    mean, _ = mean_of([runs["one", seed]["attach_ms"]["p95"] for seed in (1, 2, 3)])
    right(f"{mean:.1f}"[:4] in told.stdout, f"a target of phones.attach_ms.p95, {mean}: {told.stdout}{told.stderr}")


QUICKSTART = (ROOT / "config/quickstart.lua").read_text()
SEEDS, LIMIT = often((10, 0.1), (30, 0.05))
# Of applications: times at random, for where all begin at once their order decides.
RANDOM = (('interval = "2 s" }', 'interval = "2 s", start = "5 s", spread = "2 s" }'), ('embedded = 2,', 'embedded = 2, start = "5 s", spread = "10 s",'),
          ('start = "5 s",\n    },', 'start = "10 s",\n    },'), ('start = "10 s",\n    },', 'start = "15 s",\n    },'),
          ('duration = "120 s",', 'duration = "150 s", warmup = "30 s",'))
ATTACHED = """
ggsn { name = "ggsn1", address = "192.0.2.2", control = "192.0.2.2", mac = "02:53:4c:00:02:01" }
apn { name = "internet", default = true }
attach { }
phone { imsi = "001010000000001", count = 3, class = "background", cell = "101-2" }
phone { imsi = "001010000000101", count = 4, class = "interactive-1", cell = "101-2" }
nse {
"""


def quickstart(has_phones):
    text = QUICKSTART.replace('file = "recommended.lua"', f'file = "{ROOT}/config/recommended.lua"')
    for before, after in RANDOM:
        right(before in text, f"{before} is in the quickstart")
        text = text.replace(before, after)
    text = re.sub(r" sapi = \d+", " sapi = 3", text)
    if has_phones:
        text = re.sub(r"        ms \{.*?\n        \},\n", "", text, flags=re.DOTALL).replace("nse {\n", ATTACHED, 1)
    return written(text)


def delays_of(summary):
    found = {(name, part): of["delay_ms"][part] for name, of in summary["classes"].items() for part in ("p50", "p95", "p99")}
    for name, times in ("ping", "round_trip_ms"), ("http", "page_ms"):
        found |= {(name, part): summary["applications"][name][times][part] for part in ("mean", "p95")}
    return found


@case(f"the delays of config/quickstart.lua are the same within {LIMIT:.0%} if its MSs attach, over {SEEDS} seeds")
def beside_the_file():
    of = []
    for has_phones in False, True:
        out = new_folder() / "out"
        done = sluice("run", quickstart(has_phones), "--variant", "all", "--seeds", f"1..{SEEDS}", "--no-page", "--out", out)
        same(done.returncode, 0, f"exit status {done.stderr}")
        summaries = {(variant, seed): json.loads((out / variant / str(seed) / "summary.json").read_text())
                     for variant in ("tail-drop", "recommended") for seed in range(1, SEEDS + 1)}
        same({one.get("phones", {}).get("contexts") for one in summaries.values()}, {7 if has_phones else None}, "phones")
        of.append({key: delays_of(one) for key, one in summaries.items()})
    for variant in ("tail-drop", "recommended"):
        for figure in of[0][variant, 1]:
            without, attached = (sum(one[variant, seed][figure] for seed in range(1, SEEDS + 1)) / SEEDS for one in of)
            print(f"# {variant}, {' '.join(figure)}: {without:.0f} and {attached:.0f} ms, {100 * (attached / without - 1):+.1f} %")
            right(abs(attached / without - 1) <= LIMIT, f"{variant}, {figure}: {attached} ms with phones, {without} ms without")


@case("config/phones.lua runs: all of its phones attach, and those of the crowd do not take ten times as long as one alone")
def example():
    done = run(ROOT / "config/phones.lua", "--no-page")
    check_sound(done.summary)
    phones = done.summary["phones"]
    same([phones[key] for key in ("count", "attached", "contexts", "messages_again")], [50, 50, 50, 0], "phones")
    right(0 < phones["attach_ms"]["max"] < 10 * phones["attach_ms"]["p50"], f"{phones['attach_ms']}")


main()
