#!/usr/bin/python3
"""What changes a configuration from outside, as `sluice check` prints it: --set of one block or of all of
a kind, another AQM, --variant and --point."""

import json

from harness import ROOT, case, main, right, same, settings, sluice, written

RIGHT = (ROOT / "tests/config/mistakes/right.lua").read_text()


def changed(text, *sets):
    done = sluice("check", written(text), *settings(sets))
    same((done.returncode, done.stderr), (0, ""), "exit status and stderr")
    return json.loads(done.stdout)


TWO_CELLS = RIGHT.replace("    bvc {\n", "    bvc { bvci = 7 },\n    bvc {\n")


@case("--set without an index changes all blocks of that kind, with an index or a name one of them")
def set_all():
    text = TWO_CELLS + 'class { name = "streaming" }\nclass { name = "background" }\n'
    found = changed(text, "nse.bvc.rate=20 kbit/s", "nse.bvc[2].rate=30 kbit/s",
                    "class.lifetime=7 s", "class[background].weight=9",
                    "class[interactive-2].weight=8", "nse.bvc.ms.n201_u=700 octets")
    nse = found["nse"][0]
    same([bvc["rate_bit_per_s"] for bvc in nse["bvc"]], [20000, 30000], "rates of the cells")
    same([ms["n201_u_octets"] for ms in nse["bvc"][1]["ms"]], [700], "N201-U of the MSs")
    classes = {of["name"]: of for of in found["class"]}
    same({name: (of["lifetime_ns"] // 10**9, of.get("weight")) for name, of in classes.items()},
         {"signalling": (10, None), "conversational": (10, 900), "streaming": (7, 900),
          "interactive-1": (10, 50), "interactive-2": (10, 8), "interactive-3": (10, 15),
          "background": (7, 9)}, "lifetimes in s and weights")


@case("--set may leave the outer blocks out, makes a block of which there is one, and meets an application")
def set_short():
    text = TWO_CELLS.replace("    traffic {", '    ftp { class = "background" },\n    traffic {')
    found = changed(text, "bvc.radio.slots=3", "radio.down_coding=CS-4", "radio.up_coding=MCS-2",
                    "bvc[2].radio.slots=2", "lab.ftp.start=500 ms", "gn.mtu=1536 octets",
                    "ms.n201_u=700 octets", "flow.ms_rate=the radio's")
    cells = found["nse"][0]["bvc"]
    same([(bvc["radio"]["slots"], bvc["radio"]["down_coding"], bvc["radio"]["up_coding"])
          for bvc in cells], [(3, "CS-4", "MCS-2"), (2, "CS-4", "MCS-2")], "the radios")
    same([ftp["start_ns"] for ftp in found["lab"]["ftp"]], [500 * 10**6], "the download")
    same(cells[1]["ms"][0]["n201_u_octets"], 700, "N201-U")
    same([bvc["flow"]["ms_rate_bit_per_s"] for bvc in cells], [0, 0], "a word that stands for 0")


def said_and_found(text, *sets):
    done = sluice("check", written(text), *settings(sets))
    same(done.returncode, 0, done.stderr)
    return done.stderr, json.loads(done.stdout)["class"][6]["aqm"]


@case("--set class.aqm.name: another AQM has its own parameters, those of the file's go, with a word")
def set_discipline():
    red = RIGHT + 'class { name = "background", aqm { name = "red", min = "2 kB", max = "9 kB", ' \
        'weight = "50 %", ecn = true } }\n'
    plain = RIGHT + 'class { name = "background", aqm { name = "cobalt", ecn = true } }\n'
    for key in "class.aqm.name", "class[background].aqm.name", "class[1].aqm.name":
        said, aqm = said_and_found(red, f"{key}=cobalt")
        same(said, f"--set {key}: warning: min, max, weight of red left out, for cobalt has parameters"
             " of its own\n", "what is said")
        same(aqm, said_and_found(plain)[1], "cobalt with its own parameters; ecn stays")
    same(said_and_found(red, "class.aqm.name=red")[0], "", "what is said of the same AQM")
    said, aqm = said_and_found(red, "class.aqm.name=codel", "class.aqm.target=9 ms")
    same((aqm["name"], aqm["target_ns"]), ("codel", 9 * 10**6), "CoDel with a target")
    same(said_and_found(RIGHT, "class[background].aqm.target=9 ms"),
         ("", said_and_found(RIGHT)[1] | {"target_ns": 9 * 10**6}),
         "a parameter of the AQM that a class has by default")


VARIANTS = RIGHT + """
variants {
    default = "slow",
    variant { name = "as-is" },
    variant { name = "slow", set = "nse.bvc.rate=20 kbit/s" },
    variant { name = "codel", set = { "class[background].aqm.name=codel",
                                      "class[background].aqm.target=9 ms" } },
}
sweep {
    axis { key = "run.seed", values = { 1, 2 } },
    axis { key = "lab.traffic.ecn", name = "ect", values = { true, false } },
    axis { key = "nse.bvc.rate", values = { "25 kbit/s" } },
}
"""


@case("--variant and --point: their changes, then those of --set; without them the default's alone")
def variants():
    def found(*words):
        done = sluice("check", written(VARIANTS), *words)
        same((done.returncode, done.stderr), (0, ""), "exit status and stderr")
        cfg = json.loads(done.stdout)
        return (cfg["nse"][0]["bvc"][0].get("rate_bit_per_s"), cfg["class"][6]["aqm"]["name"],
                cfg["run"]["seed"], cfg["lab"]["traffic"][0]["ecn"])
    same(found(), (20000, "cobalt", 1, False), "the default")
    same(found("--variant", "as-is"), (None, "cobalt", 1, False), "the file as it is")
    same(found("--variant", "codel"), (None, "codel", 1, False), "CoDel")
    same(found("--variant", "codel", "--point", "seed=2,ect=true,rate=25kbit_s"),
         (25000, "codel", 2, True), "a point of it")
    same(found("--point", "seed=1,ect=true,rate=25kbit_s", "--set", "class[background].aqm.name=pie"),
         (25000, "pie", 1, True), "a point of the default, and --set")
    for words, said in (
            (("--variant", "cobel"), "--variant cobel: unknown variant; allowed: as-is, slow, codel;"
             " did you mean codel?\n"),
            (("--point", "seed=3,ect=true,rate=25kbit_s"), '--point seed=3,ect=true,rate=25kbit_s: found'
             ' "seed=3" for axis 1, allowed seed=1, seed=2\n'),
            (("--point", "seed=1,ect=true"), "--point seed=1,ect=true: found nothing for axis 3, allowed"
             " rate=25kbit_s\n"),
            (("--point", "seed=1,ect=true,rate=25kbit_s,a=1"), "--point"
             " seed=1,ect=true,rate=25kbit_s,a=1: found 4 values, allowed one for each of 3 axes\n")):
        done = sluice("check", written(VARIANTS), *words)
        same((done.returncode, done.stderr), (2, said), words)
    for option in "--variant", "--point":
        done = sluice("check", written(RIGHT), option, "x")
        block = {"--variant": "variants", "--point": "sweep"}[option]
        same((done.returncode, done.stderr), (2, f"{option} x: the file has no {block} {{ }}\n"), option)


@case("an axis takes each path that --set takes: class[*] makes the classes that the file does not have")
def axis_paths():
    for path, value, point in ("class[*].aqm.name", "codel", "name=codel"), ("class[streaming].weight", "3", "weight=3"):
        text = RIGHT + f'sweep {{ axis {{ key = "{path}", values = {{ "{value}" }} }} }}\n'
        by_point = sluice("check", written(text), "--point", point)
        by_set = sluice("check", written(RIGHT), "--set", f"{path}={value}")
        same((by_point.returncode, by_set.returncode), (0, 0), f"exit status\n{by_point.stderr}{by_set.stderr}")
        same(json.loads(by_point.stdout)["class"], json.loads(by_set.stdout)["class"], path)
        right(by_point.stdout != sluice("check", written(text)).stdout, f"{path}: nothing changed")


@case("the name of a sweep's point may have 200 octets, not 201")
def longest_point():
    for octets, status in (200, 0), (201, 2):
        axes = [f'axis {{ key = "{key}", name = "{name * (n - 2 - len(value))}", values = {{ "{value}" }} }}'
                for key, value, name, n in (("run.seed", "7", "a", 60), ("queue.packets", "500", "b", 60),
                                            ("lab.traffic.ecn", "true", "c", 60), ("run.workers", "1", "d", octets - 180))]
        done = sluice("check", written(RIGHT + "sweep { " + ", ".join(axes) + " }\n"))
        same(done.returncode, status, f"{octets} octets: {done.stderr}")


main()
