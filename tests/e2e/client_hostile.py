#!/usr/bin/python3
"""The client against a fake instance that answers whatever it likes: each command ends in time, with
an exit status of its own choosing, prints no control characters, and says what is wrong."""

import json
import os
import random

from harness import case, main, right, same, sluice
from instance import Fake, client

SEED = int(os.environ.get("TEST_SEED", "20240229"))


def answer_to(command, value):
    name = command.decode().split(",")[0]
    return json.dumps({name: value}).encode()


def page(rows, **more):
    return {"first": 0, "count": len(rows), "rows": {str(i): row for i, row in enumerate(rows)},
            **more}


STAGES = ("received", "enqueue", "held", "dequeue", "segment", "frame", "llc", "sndcp", "sent", "dropped",
          "moved", "\x1b")


def good(command):
    name = command.decode().split(",")[0].rsplit("/", 1)[1]
    if name in ("nses", "nsvcs", "bvcs", "mss", "cell_mss"):
        return answer_to(command, page([{"nsei": 1, "bvci": 2, "state": "up", "imsi": "1"}]))
    if name == "trace_records":
        return answer_to(command, page([{"packet": 1, "stage": stage, "time_ns": i}
                                        for i, stage in enumerate(STAGES)]))
    return answer_to(command, {"status": 0, "text": ["well"], "name": "fake", "wanted": 1})


ALL = (["stats"], ["stats", "--json", "--mss"], ["stats", "--cell", "1-2"], ["stats", "--ms", "1"],
       ["top"], ["ctl", "x"], ["ctl", "trace"], ["ctl", "trace", "--json"], ["ctl", "trace", "on"])


def printable(text):
    return all(" " <= character <= "~" or character == "\n" for character in text)


def all_end(answer, statuses, commands=ALL, greeting=b"{}"):
    """What each says."""
    said = []
    with Fake(answer, greeting):
        for words in commands:
            done = sluice(*words)
            right(done.returncode in statuses, f"{words}: exit status {done.returncode}\n"
                  f"{done.stderr}{done.stdout}")
            right(printable(done.stdout + done.stderr), f"{words}: {done.stdout!r}{done.stderr!r}")
            said.append(done.stderr)
    return said


@case("one that answers well: all is well")
def well():
    all_end(good, [0])


@case("the MSs, which may be many, are asked for and printed with --mss alone")
def mss_alone():
    for words, wanted in (([], False), (["--json"], False), (["--mss"], True),
                          (["--mss", "--json"], True)):
        with Fake(good) as fake:
            said = client("stats", *words)
        right(any(command.startswith(b"/sluice/bvcs") for command in fake.asked), "no cells")
        same(any(command.startswith(b"/sluice/mss") for command in fake.asked), wanted,
             f"{words}: asked for MSs")
        same("IMSI" in said or '"mss": [' in said, wanted, f"{words}: MSs in\n{said}")


@case("one that does not know the command yet: it says so")
def starting():
    for said in all_end(lambda command: answer_to(command, None), [1]):
        right("still starting, or another version" in said, said)


@case("the last line of a request's answer ends once, whether it came with its end or without")
def last_line():
    for pieces, text in ((["one\ntwo\n"], "one\ntwo\n"), (["one\ntwo"], "one\ntwo\n"),
                         (["one", "\n"], "one\n"), (["one\n", ""], "one\n"), (["o\nn"], "o\nn\n"),
                         (["one\n", "two"], "one\ntwo\n"), ([""], ""), ([], "")):
        with Fake(lambda c, pieces=pieces: answer_to(c, {"status": 0, "text": pieces, "name": "fake"})):
            same(client("ctl", "x"), text, f"what is printed of {pieces}")


@case("the same", b"nonsense")
@case("the same", b"{}")
@case("the same", b"[1, 2]")
@case("the same", b'{"/sluice/info": null}')
@case("the same", b'{"/sluice/info": []}')
@case("the same", b'{"/sluice/info": {}, "more": {}}')
@case("the same", b'{"/sluice/info": {}')
@case("the same", b"[" * 10000)
@case("the same", b'{"a":' * 3000)
@case("the same", b"\xff\xfe\x00")
@case("too long an answer", b'{"/sluice/info": "' + b"x" * 100000 + b'"}')
@case("no JSON, or not one of ours", b"")
def no_json(octets):
    for said in all_end(lambda _: octets, [1]):
        right("fake-1: " in said, f"it says: {said}")


@case("it says why there is none, with a terminal's sequences in it")
def error():
    said = all_end(lambda c: answer_to(c, {"error": "be\x1b[2Jware \x07" + "x" * 500}), [0, 1])
    right("be?[2Jware" in said[0], f"it says: {said[0]!r}")


@case("it hangs up, before it greets, or when it is asked")
def hangs_up():
    def hang_up(_):
        raise EOFError
    all_end(hang_up, [1])
    for said in all_end(good, [2], greeting=None, commands=ALL[:1]):
        right("does not answer" in said, said)


@case("it never answers: the client gives up")
def silent():
    said = all_end(lambda _: None, [1], commands=[["stats"]])
    right("the instance does not answer" in said[0], said[0])


@case("pages that lead back, that lead nowhere, and that have no rows")
def pages():
    def back(command):
        name = command.decode().split(",")[0]
        return good(command) if "bvcs" not in name else answer_to(command, page([{}], next=0))

    def hollow(command):
        name = command.decode().split(",")[0]
        return (good(command) if "bvcs" not in name
                else answer_to(command, {"first": 0, "count": 1 << 60, "rows": {"0": 7}}))
    for answer in back, hollow:
        said = all_end(answer, [1], commands=[["stats"], ["stats", "--json"], ["top"]])
        right(all("a page of the answer is malformed" in one for one in said), f"it says: {said}")


@case("pages without an end: no more rows than are wanted")
def endless():
    def more(command):
        words = command.decode().split(",")
        if "bvcs" not in words[0]:
            return good(command)
        first = int(words[1])
        return answer_to(command, page([{"nsei": 1, "bvci": 2}] * 100, next=first + 100))
    with Fake(more) as fake:
        right("the first 20 cells" in client("stats"), "it shows another number of cells")
        right(len(fake.asked) < 10, f"it asked {len(fake.asked)} times")


@case("pages of a row each without an end: it gives up, and says why")
def small_pages():
    def more(command):
        words = command.decode().split(",")
        if "bvcs" not in words[0]:
            return good(command)
        return answer_to(command, page([{}], next=int(words[1]) + 1))
    said = all_end(more, [1], commands=[["stats", "--json"]])
    right("the answer has too many pages" in said[0], f"it says: {said[0]}")


def anything(rng, depth=0):
    """Some JSON."""
    kinds = ["number", "text", "null", "list", "object"]
    kind = rng.choice(kinds if depth < 4 else kinds[:3])
    if kind == "number":
        return rng.choice([0, 1, -1, 2 ** 63, 2 ** 64 - 1, 1.5, 1e300, True])
    if kind == "text":
        return "".join(rng.choice("a\x1b\x00\"\\\u00e9\n") for _ in range(rng.randrange(200)))
    if kind == "null":
        return None
    if kind == "list":
        return [anything(rng, depth + 1) for _ in range(rng.randrange(5))]
    return {rng.choice(["0", "1", "rows", "count", "first", "drops", "gn", "gb", "up", "name", "state",
                        "class", "text", "status", "nsei", "bvci", "delay_ns", "control", "worker",
                        "wanted", "packet", "stage", "time_ns",
                        "\x1b[31m", "x" * 300]): anything(rng, depth + 1)
            for _ in range(rng.randrange(8))}


@case("records of a trace of any packet, time and stage, and members of any kind")
def records():
    rng = random.Random(SEED)

    def some(command):
        if not command.startswith(b"/sluice/trace_records"):
            return good(command)
        return answer_to(command, page([{
            "packet": rng.choice([0, 1, 2, 256, 257, 2 ** 64 - 1, -1, "1", None]),
            "stage": rng.choice([*STAGES, "held" * 50, 7, None]), "time_ns": anything(rng, 4),
            "bucket_octets": anything(rng, 4), "what": "\x1b[2J" * 100, "end": rng.randrange(2),
            "since_ns": anything(rng, 3), "stages": anything(rng, 3)} for _ in range(20)]))
    for _ in range(20):
        all_end(some, [0], commands=[["ctl", "trace"], ["ctl", "trace", "--json"]])


@case("random JSON")
def fuzzed():
    rng = random.Random(SEED)
    print(f"# TEST_SEED={SEED}")
    for _ in range(40):
        # What is beyond 64 bits is no JSON for JSON-C from 0.18 on.
        value = {**{"first": 0, "count": rng.choice([0, 1, 2, 3, 2 ** 70])}, "rows": anything(rng),
                 "drops": anything(rng), **(lambda v: v if isinstance(v, dict) else {})(anything(rng))}
        all_end(lambda command: answer_to(command, value), [0, 1])


@case("octets of good answers turned over")
def mangled():
    rng = random.Random(SEED)

    def mangle(command):
        octets = bytearray(good(command))
        for _ in range(rng.randrange(1, 4)):
            octets[rng.randrange(len(octets))] = rng.randrange(256)
        return bytes(octets)
    for _ in range(30):
        all_end(mangle, [0, 1])


main()
