#!/usr/bin/python3
"""The users of config/scenarios/gi-2004.lua, as the file makes them: single downloads have the mix of ends that
the paper's Table III has in its numbers of samples, and no end comes with more time slots than another. So what
Table III says of goodput is not put in."""

import json

from harness import ROOT, case, main, right, same, sluice

SCENARIO = ROOT / "config/scenarios/gi-2004.lua"
SAMPLES = 124707  # of Table III, and of each cluster in it
PUBLISHED = {("segment", "1"): 17901, ("segment", "2"): 100654, ("window", "1"): 42754, ("window", "2"): 44726,
             ("window", "3"): 37227, ("sack", True): 59750, ("stamps", True): 17739}
SHARE_WITHIN, SLOTS_WITHIN = 0.015, 0.04  # a user is half a per cent; of the mean number of slots
NONE, STAMPS, LOW, SMALL = "1", "3", "1", "4"  # the scenario's options of TCP and windows; a small one is low


def configuration():
    done = sluice("check", SCENARIO)
    same(done.returncode, 0, f"exit status\n{done.stderr}")
    return json.loads(done.stdout)


def slots_of(config):
    """{IMSI: the time slots down that its cell gives it}."""
    return {int(ms["imsi"]) + member: bvc["radio"]["down_slots"] for nse in config["nse"] for bvc in nse["bvc"]
            for ms in bvc["ms"] for member in range(ms["count"])}


def downloads(config):
    """Of each user with single downloads what the ends have, and its slots."""
    slots = slots_of(config)
    for app in config["lab"]["http"]:
        if app.get("imsi") and app["connections"] == 1 and app["main_octets"] > 32000 and app["round_trips"] == 1:
            _, window, option = app["ms_tcp"].split("-")
            yield {"segment": app["host_tcp"].split("-")[1], "window": LOW if window == SMALL else window, "sack": option != NONE,
                   "stamps": option == STAMPS, "slots": slots[int(app["imsi"])]}


@case("single downloads have the mix of Table III's samples")
def mix():
    users = list(downloads(configuration()))
    right(len(users) >= 200, f"{len(users)} users")
    for (what, value), samples in PUBLISHED.items():
        share = sum(user[what] == value for user in users) / len(users)
        right(abs(share - samples / SAMPLES) <= SHARE_WITHIN, f"{what} {value}: {share}, published {samples / SAMPLES}")


@case("no end of a single download comes with more time slots than the others")
def slots():
    users = list(downloads(configuration()))
    mean = sum(user["slots"] for user in users) / len(users)
    for what in "segment", "window", "sack", "stamps":
        for value in {user[what] for user in users}:
            own = [user["slots"] for user in users if user[what] == value]
            # one user of few moves their mean by more
            within = max(SLOTS_WITHIN, 1 / len(own)) * mean
            right(abs(sum(own) / len(own) - mean) <= within, f"{what} {value}: {sum(own) / len(own)} slots, all {mean}")


main()
