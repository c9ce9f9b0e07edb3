#!/usr/bin/python3
"""Follows what CONTRIBUTING.md says of adding one, in a copy of the tree, and runs the tests there that it may break.

    recipes.py [WORD...]    those with a WORD in their name

A recipe stands here as its text says it. A text that changes fails until it is followed here, too.
"""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path += [str(ROOT / "tests/e2e"), str(pathlib.Path(__file__).parent)]

from harness import new_folder  # noqa: E402
from planting.copies import copy_tree  # noqa: E402

AQM_SOURCE = """// Drops one N-PDU in n: the least that an AQM can be. It leaves out all that an AQM is for.
#include "dataplane/aqm/aqm.h"

#define PARAMS(P) P(EVERY_NTH, n, AQM_COUNT, 2, 1000, 100, "drop one N-PDU in n")

enum { PARAMS(AQM_PARAM_INDEX) EVERY_NTH_PARAMS };

static const struct aqm_param params_table[] = {PARAMS(AQM_PARAM_ENTRY)};

struct config {
    uint32_t n;
};
_Static_assert(sizeof(struct config) <= AQM_CONFIG_OCTETS, "config");

struct vars {
    uint32_t seen;
};
_Static_assert(sizeof(struct vars) <= AQM_VARS_OCTETS, "vars");

static const char *configure(void *config, const uint64_t *params)
{
    *(struct config *)config = (struct config){.n = (uint32_t)params[EVERY_NTH_n]};
    return NULL;
}

static enum aqm_verdict enqueue(const void *config, void *vars, const struct aqm_view *view)
{
    const struct config *c = config;
    struct vars *v = vars;
    (void)view;
    v->seen = (v->seen + 1) % c->n;
    return v->seen ? AQM_PASS : AQM_DROP;
}

const struct aqm_ops aqm_every_nth = {.name = "every-nth",
                                      .help = "one N-PDU in n",
                                      .params = params_table,
                                      .param_count = EVERY_NTH_PARAMS,
                                      .vars_octets = sizeof(struct vars),
                                      .configure = configure,
                                      .enqueue = enqueue};
"""

AQM_TEST = """// One N-PDU in n is dropped.
#include "tests/dataplane/aqm/asked.h"

static void test_every_nth(void **state)
{
    struct asked a = asked_of("every-nth");
    struct aqm_view view = {.now_ns = 1, .pdu_octets = 500, .share_octets_per_s = 2500};
    (void)state;
    asked_param(&a, "n", 3);
    asked_ready(&a);
    for (int i = 1; i <= 30; i++)
        assert_int_equal(asked_in(&a, &view), i % 3 ? AQM_PASS : AQM_DROP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_nth)};
    return cmocka_run_group_tests_name("aqm/every_nth", tests, NULL, NULL);
}
"""

KEY = """        {
            name = "haste", type = "integer", least = 1, most = 9, default = 5,
            help = "how much of a hurry the run is in",
        },
"""


def says(tree, path, text):
    """A recipe's text, whatever its lines."""
    if " ".join(text.split()) not in " ".join((tree / path).read_text().split()):
        raise SystemExit(f"{path} no longer says: {text}; follow here what it says")


def insert(tree, path, line, behind):
    """The line behind the last one that `behind` fits."""
    text = (tree / path).read_text()
    places = list(re.finditer(rf"^.*{behind}.*\n", text, re.M))
    if not places:
        raise SystemExit(f"{path} has no line {behind!r}")
    (tree / path).write_text(text[:places[-1].end()] + line + text[places[-1].end():])


def replace(tree, path, *pairs):
    text = (tree / path).read_text()
    for old, new in pairs:
        if old not in text:
            raise SystemExit(f"{path} has no {old!r}")
        text = text.replace(old, new)
    (tree / path).write_text(text)


def aqm(tree):
    says(tree, "CONTRIBUTING.md", "An AQM: its source, one line in `dataplane/aqm/aqm.def`, its test, and a row in the README there.")
    says(tree, "dataplane/aqm/README.md", "To add an AQM: `NAME.c` with its table of parameters, its law in the head and its "
         "`struct aqm_ops` last; `AQM(NAME)` in `aqm.def`, which `meson.build` and all lists of disciplines read; a test of the "
         "same name; a row in the table above. `aqm_test.c` includes it automatically.")
    (tree / "dataplane/aqm/every_nth.c").write_text(AQM_SOURCE)
    insert(tree, "dataplane/aqm/aqm.def", "AQM(every_nth)\n", r"^AQM\(")
    (tree / "tests/dataplane/aqm/every_nth_test.c").write_text(AQM_TEST)
    insert(tree, "dataplane/aqm/README.md", "| `every-nth` | for comparison | one N-PDU in `n` |\n", r"^\| `pie` \|")


def key(tree):
    says(tree, "CONTRIBUTING.md", "A key of the configuration: for the dataplane one `KEY` line in `dataplane/dataplane.h`, else one "
         "entry in `lua/sluice/schema/schema.lua` or one of the `*_keys.lua` beside it; its use; its default in "
         "`tests/e2e/check.py`, a value just outside its range in `tests/config/mistakes/bounds.txt`, and its name in the messages "
         "of `tests/config/mistakes` that list its block's keys.")
    entry = '        {\n            name = "batches"'
    replace(tree, "lua/sluice/schema/network_keys.lua", (entry, KEY + entry))
    insert(tree, "tests/config/mistakes/bounds.txt", "+     haste = 10,\n", r"^\+     batches = 101,")
    insert(tree, "tests/config/mistakes/bounds.txt",
           "> x.lua:7: run.haste: found the number 10, allowed a whole number from 1 to 9\n", r"^> x.lua:6: run\.batches")
    replace(tree, "tests/config/mistakes/bounds.txt", ("x.lua:8: run.workers", "x.lua:9: run.workers"),
            ("x.lua:7: run.seed", "x.lua:8: run.seed"))
    replace(tree, "tests/e2e/check.py", ('"batches": 0,', '"haste": 5, "batches": 0,'))
    replace(tree, "tests/config/mistakes/language.txt", ("warmup, batches,", "warmup, haste, batches,"))


# The recipe, and the words of the tests that it may break.
RECIPES = {"an AQM": (aqm, ["dataplane/aqm", "e2e/mistakes", "e2e/check", "e2e/completion", "e2e/settings_files", "lint"]),
           "a key of the configuration": (key, ["e2e/mistakes", "e2e/check", "gb/reload_refused", "lint"])}


def follow(recipe, words, tree):
    """The output of its tests, and whether they pass."""
    copy_tree(tree)
    recipe(tree)
    done = subprocess.run(["./run", "test", "--release", "--patience", "4", *words], cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    return done.stdout, done.returncode == 0 and re.search(r"^\d+ passed, 0 failed$", done.stdout, re.M)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="choose recipes by a part of their names")
    words, tree, failed, ran = parser.parse_args().words, new_folder(), 0, 0
    for name, (recipe, tests) in RECIPES.items():
        if words and not any(word in name for word in words):
            continue
        output, good = follow(recipe, tests, tree)
        print(f"{'ok' if good else 'not ok'} - {name}: {output.splitlines()[-1]}", flush=True)
        if not good:
            print(re.sub("^", "# ", output, flags=re.M))
        failed += not good
        ran += 1
    print(f"{ran - failed} passed, {failed} failed")
    return 1 if failed or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
