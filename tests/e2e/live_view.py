#!/usr/bin/python3
"""A running instance seen from outside: `sluice stats` and `sluice ctl`, and the telemetry socket
itself. With traffic over taps what is seen is what Linux sent and got."""

import json
import os
import re
import signal
import subprocess
import time

import network
import real
from harness import ROOT, WAIT_S, Skip, case, check_sound, each_of, main, new_folder, program, right, same, sluice, until
from instance import CONFIG, FOLDER, Instance, client

NO_ONE = "no instance is running"


def folders():
    return sorted(path.name for path in FOLDER.glob("*")) if FOLDER.exists() else []


@case("nobody runs: exit status 2 and a clear word, for each command")
def nobody():
    for words in (["stats"], ["stats", "--json"], ["top"], ["ctl", "reload"]):
        right(NO_ONE in client(*words, status=2), f"{words}: it says something else")


@case("all of it as JSON: what runs, counters, NSEs, NS-VCs, cells, and every MS once")
def everything():
    instance = Instance()
    seen = json.loads(client("stats", "--json", "--mss"))
    same(seen["info"]["name"], "view", "name")
    same(seen["info"]["pid"], instance.process.pid, "pid")
    same((seen["info"]["clock"], seen["info"]["control"]), ("real", "up"), "how it runs")
    same([(one["nsei"], one["cells"], one["state"]) for one in seen["nses"]], [(7, 2, "up")], "NSEs")
    same([(one["nsei"], one["nsvci"]) for one in seen["nsvcs"]], [(7, 1)], "NS-VCs")
    same([(one["nsei"], one["bvci"], one["mss"], one["blocked"]) for one in seen["cells"]],
         [(7, 20, 300, 0), (7, 21, 1, 0)], "cells")
    right("rate_bit_per_s" not in seen["cells"][0], "the first cell has no limit")
    same((seen["cells"][1]["rate_bit_per_s"], seen["cells"][1]["bucket_octets"]), (16000, 4000),
         "R and Bmax of the second")
    same([one["imsi"] for one in seen["mss"]],
         [f"{1010000000008 + i:015}" for i in range(300)] + ["001010000001000"], "IMSIs")
    right(seen["stats"]["worker"]["commands"] > 600, "no commands were carried out")
    same(seen["classes"]["6"]["class"], "background", "the last class")
    check_sound(instance.finish())


@case("text says what there is; --cell and --ms say it of one")
def text():
    instance = Instance()
    whole = client("stats")
    for part in ("view (process", "1 worker, control up", "background", "7-20", "7-21",
                 "16000 bit/s", "4000 B"):
        right(part in whole, f"'{part}' is not in:\n{whole}")
    one = client("stats", "--cell", "7-21")
    right("001010000001000" in one and "001010000000008" not in one, f"the cell's MSs:\n{one}")
    of_ms = client("stats", "--ms", "001010000001000")
    right("packet flow" in of_ms and "streaming" in of_ms, f"the MS:\n{of_ms}")
    same(json.loads(client("stats", "--cell", "7-21", "--json"))["mss_in_it"][0]["imsi"],
         "001010000001000", "--json --cell")
    same(json.loads(client("stats", "--ms", "001010000001000", "--json"))["packet_flows"]["0"]["class"],
         "streaming", "--json --ms")
    for words, why in ((["--cell", "7-22"], "no such cell"), (["--cell", "8-20"], "no such cell"),
                       (["--ms", "1"], "no such MS")):
        right(why in client("stats", *words, status=1), f"{words}: it says something else")
    for words in (["--cell", "7"], ["--cell", "7-20x"], ["--ms", "x"], ["nonsense"], ["--nonsense"]):
        client("stats", *words, status=2)
    instance.finish()


@case("no BSS yet: the NSE is down, and so say its cells, for that is why they send nothing")
def no_bss():
    instance = Instance(config=CONFIG.replace('ns = "manual",', "").replace(
        'rate = "16 kbit/s", bucket = "4 kB",', ""))
    seen = json.loads(client("stats", "--json"))
    same([one["state"] for one in seen["nses"] + seen["cells"]], ["down", "NSE down", "NSE down"], "states")
    right(seen["nsvcs"][0]["state"] in ("dead", "reset"), f"{seen['nsvcs']}")  # NS-RESET goes out time and again
    right("NSE down" in client("top"), "top does not say so")
    instance.finish()


@case("a run in virtual time has no threads with processors, so no NUMA nodes")
def virtual():
    words = [program(), "run", ROOT / "config/quickstart.lua", "--no-page", "--out", new_folder() / "out", "--set", "run.duration=20000 s"]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            until("an answer", lambda: sluice("stats", "--json").returncode == 0)
            right("numa_nodes" not in json.loads(client("stats", "--json"))["stats"], "stats has nodes")
        finally:
            process.kill()


@case("ctl: an answer and its exit status")
def ctl():
    instance = Instance()
    right("debug" in client("ctl", "log", "debug"), "the answer to log debug")
    answer = client("ctl", "nonsense", status=1)
    right("unknown request 'nonsense'; allowed: help, reload, log, capture, trace, " in answer, answer)
    same(client("ctl", "relaod", status=1), "unknown request 'relaod'; did you mean reload?\nsluice ctl help says what each does\n",
         "the answer to a misspelt one")
    same(client("ctl", "phones", status=1), "'phones' is about phones that attach, and this run has no attach { }\n",
         "the answer without attach { }")
    listed = instance.ask("/sluice/ctl,help")["/sluice/ctl"]["text"]
    same("".join(listed).splitlines(), re.findall(r'^REQUEST\("(.*?)"', (ROOT / "control/plane/requests.def").read_text(), re.M),
         "the instance's own list")
    client("ctl", status=2)
    client("ctl", "x" * 300, status=2)
    same(client("ctl", "--run", "other", "log", "info", status=2), "sluice: no running instance is called 'other'; these are running:\n"
         f"  view-{instance.process.pid}\n", "what it says of another name")
    client("ctl", "--run", "view", "log", "info")
    client("ctl", "log", "info", "--run", "view")
    client("ctl", "log", "info", "--run", "other", status=2)
    instance.finish()


@case("ctl reload of a file with an octet that is no UTF-8: its answer is text all the same")
def no_utf8():
    instance = Instance()
    wrong = 'policy { script = "\xe9.lua" }\n' + instance.config.read_text()
    instance.config.write_bytes(wrong.encode("latin-1"))
    said = client("ctl", "reload", status=1)
    right("?.lua: cannot be read" in said, f"it says: {said}")
    instance.finish()


@case("ctl's words that are too long are not cut, which would say something else")
def long_words():
    instance = Instance()
    same(instance.ask("/sluice/ctl,log debug" + " " * 291),
         {"/sluice/ctl": {"status": 1, "text": ["the words are too long"]}}, "the answer")
    instance.finish()


@case("counters go up as frames come, and agree with each other")
def counters():
    instance = Instance("view", "gn.device=net_null0")
    before, after = (json.loads(client("stats", "--json"))["stats"]["gn"] for _ in range(2))
    right(after["rx_packets"] > before["rx_packets"] > 0, "frames from the port")
    for one in before, after:  # one answer is of one moment
        same(one["drops"], {"not_ip": one["rx_packets"]}, "drops")
    summary = instance.finish()
    right(summary["worker"]["ports"]["gn"]["rx_packets"] > after["rx_packets"], "in the end")


@case("of several one is chosen by its name or its process; else they are listed")
def several():
    first, second = Instance("one"), Instance("two")
    said = client("stats", status=2)
    right("2 instances" in said and f"one-{first.process.pid}" in said
          and f"two-{second.process.pid}" in said, f"it says:\n{said}")
    for name in ("two", str(second.process.pid), f"two-{second.process.pid}"):
        same(json.loads(client("stats", "--json", "--run", name))["info"]["name"], "two", name)
    right("called 'on'" in client("stats", "--run", "on", status=2), "--run on")
    first.finish()
    same(json.loads(client("stats", "--json"))["info"]["name"], "two", "the one that is left")
    second.finish()


@case("its folder goes with it; one that was killed is not taken for running")
def ends():
    who = f"run.user={os.geteuid()}"  # of one that becomes another, run_user.py
    instance = Instance("gone", who)
    same(folders(), [instance.runtime.name], "folders while it runs")
    instance.finish()
    same(folders(), [], "folders afterwards")
    killed = Instance("killed", who)
    killed.kill()
    same(folders(), [killed.runtime.name], "what a killed one leaves")
    right(NO_ONE in client("stats", status=2), "it is taken for running")
    after = Instance("after", who)
    same(folders(), [after.runtime.name], "the next one to start sweeps it away")
    after.finish()


@case("where no socket can be had it runs without")
def no_socket():
    before = os.environ["RUNTIME_DIRECTORY"]
    os.environ["RUNTIME_DIRECTORY"] = "/proc/no/such"
    try:
        instance = Instance("view")
        right("no live view: cannot make its socket" in instance.said(), instance.said())
        check_sound(instance.finish())
    finally:
        os.environ["RUNTIME_DIRECTORY"] = before


@case("what looks runs on no worker's processor")
def processors():
    ours = sorted(os.sched_getaffinity(0))
    if len(ours) < 2:
        raise Skip("needs two processors")
    instance = Instance()
    instance.ask("/sluice/info")  # so that a thread of a client's has been there
    found = {}
    for status in each_of(instance.process.pid, "task", lambda task: (task / "status").read_text()).values():
        name = re.search(r"Name:\s*(\S+)", status)[1]
        found.setdefault(name, re.search(r"Cpus_allowed_list:\s*(\S+)", status)[1])
    workers = {cpus for name, cpus in found.items() if name.startswith(("rte-worker", "dpdk-worker"))}
    telemetry = {cpus for name, cpus in found.items() if "telemet" in name}
    right(workers and telemetry, f"threads: {found}")
    right(not workers & telemetry, f"threads: {found}")
    instance.finish()


@case("whatever is asked of the socket, there is an answer and the run goes on")
def hostile():
    instance = Instance()
    for command in ("stats,x", "stats,1", "stats,99999999999999999999", "bvcs", "bvcs,", "bvcs,-1",
                    "bvcs,0x1", "bvcs,0,nonsense", "bvcs,4294967295", "bvcs,4294967295,sort",
                    "bvc", "bvc,7", "bvc,7,", "bvc,70000,20", "bvc,7,20,", "mss,4294967296",
                    "mss,4294967295", "cell_mss,7,20", "cell_mss,7,20,x", "ms", "ms,", "ms,x",
                    "ms,0010100000000080010100000000080", "nses,18446744073709551616",
                    "nsvcs,4294967295", "ctl", "ctl,", "ctl," + "x" * 900, "ctl,\x01\x7f\"\\"):
        answer = instance.ask("/sluice/" + command)
        right(isinstance(answer, dict) and len(answer) == 1, f"{command}: {answer}")
        value = list(answer.values())[0]
        right(isinstance(value, dict) and value, f"{command}: {answer}")
    right("error" in instance.ask("/sluice/bvcs,0,srot")["/sluice/bvcs"], "srot is taken for sort")
    for page in ("nses", "nsvcs", "bvcs", "mss"):
        for number in ("", ",", ",x", ",-1", ",4294967296"):
            same(instance.ask(f"/sluice/{page}{number}")[f"/sluice/{page}"],
                 {"error": "a number is missing, or too large"}, page + number)
    for octets in (b",", b"/", b"\xff" * 1000, b"/sluice/\x00bvcs,0"):
        instance.send(octets)
    same(instance.ask("/sluice/bvc,7,20")["/sluice/bvc"]["mss"], 300, "afterwards")
    check_sound(instance.finish())


@case("control's timers run while it writes the TEIDs of many new contexts down")
def many():
    mss, room = 200000, "room { mss = 200400, pdps = 200400 }\nnse {"
    config = CONFIG.replace("nse {", room, 1)
    instance = Instance("many", config=config)
    part = instance.folder / "out/.contexts.json.part"
    more = f"""ms {{ imsi = "001020000000000", count = {mss},
        pdp {{ nsapi = 5, class = "background", address = "10.100.0.1" }} }}, ms {{"""
    (instance.folder / "policy.lua").write_text("function timer() error('counted') end")
    (instance.folder / "x.lua").write_text(
        'policy { script = "policy.lua", every = "10 ms" }'
        + config.replace("NAME", "many").replace("ms {", more, 1))
    instance.process.send_signal(signal.SIGHUP)
    deadline, fired = time.monotonic() + 2 * WAIT_S, set()
    while not part.exists():
        right(time.monotonic() < deadline, f"no reload:\n{instance.said()}")
        time.sleep(0.005)
    while part.exists():
        fired.add(instance.ask("/sluice/stats")["/sluice/stats"]["control"]["hook_faults"])
    right(len(fired) > 5, f"{sorted(fired)} timers while the file was being written")
    check_sound(instance.finish())


@case("a policy that fails is seen: how often and the last of it, in stats and in the summary")
def policy():
    folder = new_folder()
    (folder / "policy.lua").write_text("function start()\n error('sorry') end\n")
    instance = Instance(config=f'policy {{ script = "{folder}/policy.lua" }}' + CONFIG)
    last = f"{folder}/policy.lua:2: start(): sorry"[:119]
    seen = json.loads(client("stats", "--json"))["stats"]
    same((seen["control"]["hook_faults"], seen["last_hook_fault"]), (1, last), "stats --json")
    right(last in client("stats"), "the text of stats")
    summary = instance.finish()
    check_sound(summary)
    same(summary["policy"], {"hook_faults": 1, "hook_cuts": 0, "last_fault": last}, "the summary")


@case("with traffic: what is seen is what Linux sent and got")
def traffic():
    world = real.World(network.tap)
    world.host.ping(network.GN4, 100)  # so that each knows the other's address
    world.host.ping(network.GB4, 100)
    packets = [world.packet(real.FOUR, octets) for octets in (40, 576, 1400, 300)]
    frames = real.sent_down(world, real.FOUR, packets)
    up = [world.packet(real.FOUR, octets) for octets in (100, 200)]
    real.sent_up(world, real.FOUR, up, 496)
    seen = json.loads(client("stats", "--json", "--mss"))
    background = seen["classes"]["6"]
    same((background["in_packets"], background["out_packets"], background["queued_npdus"]),
         (4, 4, 0), "N-PDUs of the class")
    same(background["in_octets"], sum(map(len, packets)), "octets of them")
    cell = next(one for one in seen["cells"] if one["bvci"] == real.FOUR.bvci)
    same((cell["mss"], cell["down_frames"], cell["up_frames"], cell["dropped_npdus"]),
         (3, len(frames), len(up), 0), "the cell")
    ms = next(one for one in seen["mss"] if one["imsi"] == real.FOUR.imsi)
    same((ms["tlli"], ms["down_frames"]), (real.FOUR.tlli, len(frames)), "the MS")
    same((ms["down_octets"], ms["up_octets"]), (cell["down_octets"], cell["up_octets"]),
         "octets of the MS, which are all of the cell's")
    right(ms["down_octets"] > sum(map(len, packets)), "LLC PDUs are longer than N-PDUs")
    check_sound(world.program.finish())


main()
