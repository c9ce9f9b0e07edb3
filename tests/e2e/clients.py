#!/usr/bin/python3
"""Many clients of a running instance at once, silent ones, and too few descriptors: who asks is answered."""

import json
import os
import pathlib
import re
import resource
import select
import socket

from harness import WAIT_S, case, each_of, main, right, same, until
from instance import SOCKET, Instance, client


def connected(instance):
    end = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    end.settimeout(WAIT_S)
    end.connect(str(instance.runtime / SOCKET))
    return end


def greeted(instance):
    end = connected(instance)
    same(json.loads(end.recv(1 << 16))["pid"], instance.process.pid, "the greeting's pid")
    return end


def next_descriptor(pid):
    """All below are taken; the one for which DPDK's listener waits is not seen."""
    return 1 + max(int(fd.name) for fd in pathlib.Path(f"/proc/{pid}/fd").iterdir())


def name_of(end):
    end.send(b"/sluice/info")
    return json.loads(end.recv(1 << 16))["/sluice/info"]["name"]


@case("forty silent clients lock nobody out")
def silent_ones_lock_nobody_out():
    """DPDK has room for ten."""
    with Instance() as instance:
        ends = [greeted(instance) for _ in range(40)]
        same(json.loads(client("stats", "--json"))["info"]["name"], "view", "who answers")
        same([name_of(end) for end in ends], ["view"] * 40, "all of them are answered, too")
        for end in ends:
            end.close()


@case("where there is no room for one more the longest silent goes")
def the_longest_silent_goes():
    with Instance() as instance:
        first, second = greeted(instance), greeted(instance)
        same(name_of(first), "view", "the first speaks")
        others = [greeted(instance) for _ in range(63)]
        same(second.recv(16), b"", "the second was silent for longest")
        same(name_of(first), "view", "the first is still there")
        for end in [first, second, *others]:
            end.close()


@case("out of descriptors, a client waits until there are some")
def without_descriptors_it_waits():
    """The process may open no more for a while; nobody is there who could go."""
    with Instance() as instance:
        pid = instance.process.pid
        task, usual = serving(pid), resource.prlimit(pid, resource.RLIMIT_NOFILE)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, usual[1]))
        end, rests_before = connected(instance), rests(task)
        until("three tries to greet it", lambda: rests(task) > rests_before + 3)
        same(select.select([end], [], [], 0)[0], [], "greetings")
        resource.prlimit(pid, resource.RLIMIT_NOFILE, usual)
        end.recv(1 << 16)
        same(name_of(end), "view", "later it is answered")
        end.close()


def serving(pid):
    """The thread that serves the clients: its folder in /proc."""
    for task, name in each_of(pid, "task", lambda task: (task / "comm").read_text()).items():
        if name == "sluice-desk\n":
            return task
    raise AssertionError("no thread serves the clients")


def rests(task):
    """How often the thread has gone to sleep by itself; who is put off a processor does not."""
    return int(re.search(r"\nvoluntary_ctxt_switches:\t(\d+)", (task / "status").read_text())[1])


def used_s(task):
    """The processor's time that the thread has had, which others on the machine do not lengthen."""
    fields = (task / "stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


@case("out of descriptors, it sleeps between its tries and takes no processor from others")
def without_descriptors_it_sleeps():
    """Ten rests in half a second of a processor's time, of which it needs some ms at most."""
    with Instance() as instance:
        pid = instance.process.pid
        task, usual = serving(pid), resource.prlimit(pid, resource.RLIMIT_NOFILE)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, usual[1]))
        end = connected(instance)
        rests_before, used_before_s = rests(task), used_s(task)
        until("ten rests, or half a second of a processor's time",
              lambda: rests(task) >= rests_before + 10 or used_s(task) >= used_before_s + 0.5)
        right(used_s(task) < used_before_s + 0.5, "it rests too seldom")
        resource.prlimit(pid, resource.RLIMIT_NOFILE, usual)
        end.close()


@case("out of descriptors, a silent one makes room")
def without_descriptors_a_silent_one_goes():
    with Instance() as instance:
        pid = instance.process.pid
        ends, room = [], 0
        while room <= 74 and len(ends) < 64:  # a call of poll has so many
            ends.append(greeted(instance))
            room = next_descriptor(pid)
        right(room > 74, f"descriptors: {room} are taken at most")
        usual = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (room, usual[1]))
        ends.append(greeted(instance))
        same(ends[0].recv(16), b"", "the first was silent for longest")
        same(name_of(ends[-1]), "view", "who came")
        for end in ends:
            end.close()


@case("who hangs up behind its question takes nothing along")
def who_hangs_up_takes_nothing_along():
    """Behind its question, again and again, more often than there are connections of DPDK's."""
    with Instance() as instance:
        for _ in range(40):
            end = greeted(instance)
            end.send(b"/sluice/stats")
            end.close()
        same(instance.ask("/sluice/info")["/sluice/info"]["name"], "view", "who answers")


@case("too long a question ends its client alone")
def too_long_a_question_ends_its_client():
    with Instance() as instance:
        end = greeted(instance)
        end.send(b"/sluice/info," + b"x" * 2000)
        same(end.recv(16), b"", "hung up")
        end.close()
        same(instance.ask("/sluice/info")["/sluice/info"]["name"], "view", "others are answered")


main()
