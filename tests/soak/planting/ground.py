"""Reads from a build: the source of each object, the objects of each program, the programs of each
test."""

import json
import os
import pathlib
import subprocess
from collections import namedtuple

# A test that Meson knows. `programs`: paths inside the build.
Test = namedtuple("Test", "name programs suites seconds_most")


class Ground:
    """The sources, objects, programs and tests of one complete build."""

    def __init__(self, copy, build):
        self.copy, self.folder = copy, copy / "build" / build
        self.objects = self.compiled()
        self.tests = self.known_tests()
        self.made_of = {program: set(self.ninja("inputs", program).split("\n"))
                        for test in self.tests.values() for program in test.programs}
        self.add_started()

    def ninja(self, tool, *args):
        return subprocess.run(["ninja", "-C", self.folder, "-t", tool, *args], check=True,
                              capture_output=True, text=True).stdout

    def of_source(self, path):
        """Turns a path of ninja's into one from the tree's root; None if the file is no source."""
        full = os.path.normpath(self.folder / path)
        inside = os.path.relpath(full, self.copy)
        return None if inside.startswith(("..", "build")) else inside

    def compiled(self):
        """{source: objects compiled from the source or including it}, by `ninja -t deps`."""
        objects, of = {}, None
        for line in self.ninja("deps").splitlines():
            if line.startswith(" "):
                source = self.of_source(line.strip())
                if source:
                    objects.setdefault(source, set()).add(of)
            elif ":" in line:
                of = line.split(":")[0]
        return objects

    def known_tests(self):
        info = self.folder / "meson-info"
        programs = {target["id"]: os.path.relpath(target["filename"][0], self.folder)
                    for target in json.loads((info / "intro-targets.json").read_text())
                    if target["type"] == "executable"}
        self.executables = set(programs.values())
        return {test["name"]: Test(test["name"],
                                   tuple(programs[i] for i in test["depends"] if i in programs),
                                   [s.partition(":")[2] for s in test["suite"]], test["timeout"])
                for test in json.loads((info / "intro-tests.json").read_text())}

    def add_started(self):
        """A program that another one starts, as sluice-dpdk, is built before it: it belongs to the same
        tests."""
        started = {program: sorted(self.executables & self.made_of[program] - {program})
                   for program in self.made_of}
        for program in sorted(set(sum(started.values(), [])) - set(self.made_of)):
            self.made_of[program] = set(self.ninja("inputs", program).split("\n"))
        for name, test in self.tests.items():
            more = sum((started[program] for program in test.programs), [])
            self.tests[name] = test._replace(programs=tuple(dict.fromkeys([*test.programs, *more])))

    def is_in(self, path, program):
        made_of = self.made_of[program]
        if path.endswith(".lua"):
            return any(self.of_source(entry) == path for entry in made_of if entry.endswith(".lua"))
        return bool(self.objects.get(path, set()) & made_of)

    def reaching(self, path):
        """The tests with a program that contains the source."""
        programs = {program for program in self.made_of if self.is_in(path, program)}
        return [test for test in self.tests.values() if set(test.programs) & programs]

    def own_objects(self, path):
        """The objects compiled from the source; none for a file that is only included."""
        end = pathlib.Path(path).name + ".o"
        return sorted(o for o in self.objects.get(path, ()) if o and o.endswith(end))


# Further words in names of tests for a folder, beside the words of its path.
ALSO = {"lua/sluice/base": "mistakes configs", "lua/sluice/config": "mistakes configs check",
        "lua/sluice/script": "policy", "lua/sluice/subscribers": "ms tunnels reload",
        "lua/sluice/ms": "ms llc", "lua/sluice/llc": "xid", "lua/sluice/bssgp": "bvc flow pfc",
        "lua/sluice/ns": "ns sns nsvcs", "lua/sluice/core": "units ns bvc hints waits",
        "control/cli": "clients", "control/client": "clients top metrics", "control/export": "clients metrics",
        "control/program": "quickstart", "control/bind": "mistakes", "lab": "quickstart"}


BESIDE = 100


def words_of(name):
    words = name.replace(".", "/").replace("-", "_").replace("/", "_").split("_")
    return {word.removesuffix("s") for word in words} - {"lua", "sluice", ""}


def nearness(path, test):
    """The number of words shared by path and test name; 100 for the test named like the file."""
    stem = path.rsplit(".", 1)[0]
    also = " ".join(words for folder, words in ALSO.items() if path.startswith(folder + "/"))
    words = words_of(stem) | words_of(also.replace(" ", "/"))
    return BESIDE if stem == test.name else len(words & words_of(test.name))
