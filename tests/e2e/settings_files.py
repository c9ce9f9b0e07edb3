#!/usr/bin/python3
"""Files of settings: variant { file = } and --set @FILE do what --set of each setting does, and a file
that is wrong or hostile is refused with its own name and line."""

import hashlib
import json

from harness import ROOT, case, main, new_folder, same, settings, sluice

RIGHT = (ROOT / "tests/config/mistakes/right.lua").read_text()
RECOMMENDED = ROOT / "config/recommended.lua"
VARIANTS = 'variants { variant { name = "as-is" }, variant { name = "v", file = "s.lua"%s } }\n'

# A file's text, and what is said of it: lines behind the file's name and a colon.
WRONG = {
    "an unknown key": ('return {\n    "nse.bvc.rate=20 kbit/s",\n    "nse.bvc.bukket=8 kB",\n}',
                       ["3: nse.bvc.bukket: unknown key 'bukket'; allowed: bvci, rate, bucket, "
                        "ms_rate, ms_bucket, area, ci; did you mean bucket?"]),
    "a wrong value": ('return {\n\n    "class[*].weight=0",\n}',
                      ["3: class[*].weight: found the number 0, allowed a whole number from 1 to 10000"]),
    "what is no setting": ('return { "run.seed=2",\n    "seed", 7 }',
                           ['2: found "seed", allowed KEY=VALUE, as for --set',
                            "2: found the number 7, allowed KEY=VALUE, as for --set"]),
    "no list": ("return 7",
                ["1: found the number 7, allowed a list of 1 to 256 of KEY=VALUE, as for --set, such as "
                 '"class[*].aqm.name=cobalt"']),
    "nothing": ("", ["1: found nothing, allowed a list of 1 to 256 of KEY=VALUE, as for --set, such as "
                     '"class[*].aqm.name=cobalt"']),
    "names instead of a list": ('return { weight = "run.seed=1" }',
                                ["1: found a table of another form, allowed a list of 1 to 256 of "
                                 'KEY=VALUE, as for --set, such as "class[*].aqm.name=cobalt"']),
    "a configuration": ("local x = 1\nrun { name = \"x\" }\ngsn { }\nrun = 3", ["2: found run { } of a configuration, allowed "
                        'a file that returns a list of KEY=VALUE, such as return { "class[*].aqm.name=cobalt" }; '
                        "a configuration is the FILE of sluice run itself"]),
    "a name of a configuration": ("\nreturn { run }", ["2: run: unknown name; allowed: local names"]),
    "another name": ("\ngsn { }", ["2: gsn: unknown name; allowed: local names"]),
    "a library": ("return { os.getenv }", ["1: os: unknown name; allowed: local names"]),
    "a global name": ("x = 1", ["1: lua: found an assignment to the global name x, allowed local names: "
                                "local x = ..."]),
    "a string method": ('return { ("x"):rep(9) }',
                        ["1: lua: found the string method rep, allowed constructors, operators and "
                         "loops only"]),
    "no Lua": ("return {", ["1: lua: not valid Lua: unexpected symbol near <eof>"]),
    "no end": ("while true do end", ["1: lua: too many steps, allowed 20 million; does this loop end?"]),
    "much memory": ("local t\nwhile true do t = { t } end",
                    ["2: lua: more than 32 MiB of memory needed, allowed less"]),
    "a long string": ('local t = "a"\nfor i = 1, 40 do t = t .. t end',
                      ["2: lua: a string of more than 65536 octets, allowed shorter ones"]),
    "more than 256": ('local t = {}\nfor i = 1, 257 do t[i] = "run.seed=1" end\nreturn t',
                      ["1: found a table of another form, allowed a list of 1 to 256 of KEY=VALUE, as for "
                       '--set, such as "class[*].aqm.name=cobalt"']),
    "a table in itself": ("local t = {}\nt[1] = t\nreturn t",
                          ["1: found a table, allowed KEY=VALUE, as for --set"]),
    "the choice of a variant": ('return { "variants.default=v" }',
                                ["1: variants.default: found variants, allowed other blocks; --variant "
                                 "chooses one"]),
    "compiled Lua": ("\x1bLua", ["1: lua: found compiled Lua, allowed text"]),
}


def folder_with(text, more=""):
    """A configuration with a variant of that file, which stands beside it."""
    folder = new_folder()
    (folder / "x.lua").write_text(RIGHT + VARIANTS % more)
    (folder / "s.lua").write_text(text)
    return folder


def checked(folder, *words):
    done = sluice("check", "x.lua", *words, cwd=folder)
    same((done.returncode, done.stderr), (0, ""), "exit status and stderr")
    return json.loads(done.stdout)


def check_wrong(text, lines):
    folder = folder_with(text)
    for words in (), ("--variant", "v"):  # in a variant that does not run, too
        done = sluice("check", "x.lua", *words, cwd=folder)
        same((done.returncode, done.stdout), (2, ""), "exit status and stdout")
        same(done.stderr.splitlines(), [f"s.lua:{line}" for line in lines], "what is said")
    (folder / "x.lua").write_text(RIGHT)
    done = sluice("check", "x.lua", "--set", "@s.lua", cwd=folder)
    same(done.stderr.splitlines(), [f"s.lua:{line}" for line in lines], "what is said of --set @s.lua")


for what, (wrong, right_lines) in WRONG.items():
    case(f"refused with file and line: {what}")(lambda w=wrong, r=right_lines: check_wrong(w, r))


@case("a file that is not there is named where it is named")
def absent():
    folder = folder_with("")
    (folder / "s.lua").unlink()
    done = sluice("check", "x.lua", cwd=folder)
    same(done.stderr, "x.lua:20: variants.variant[2].file: s.lua: cannot be read: No such file or "
         "directory\n", "what is said of the variant's")
    (folder / "x.lua").write_text(RIGHT)
    done = sluice("check", "x.lua", "--set", "@s.lua", cwd=folder)
    same((done.returncode, done.stderr),
         (2, "--set @s.lua: s.lua: cannot be read: No such file or directory\n"), "of --set's")


GOOD = 'local rate = 20\nreturn {\n    "nse.bvc.rate=" .. rate .. " kbit/s",\n    "class[*].lifetime=7 s",\n}'
SAME = ("nse.bvc.rate=20 kbit/s", *(f"class[{name}].lifetime=7 s" for name in (
    "signalling", "conversational", "streaming", "interactive-1", "interactive-2", "interactive-3",
    "background")))


@case("a variant's file and --set @FILE change what --set of each would; class[*] means all seven")
def same_as_set():
    (plain := new_folder() / "x.lua").write_text(RIGHT)
    right_one = checked(plain.parent, *settings(SAME))
    same(checked(plain.parent, *settings(("class[*].lifetime=7 s", "nse.bvc.rate=20 kbit/s"))), right_one,
         "with class[*]")
    folder = folder_with(GOOD)
    found = checked(folder, "--variant", "v")
    found.pop("variants")
    same(found, right_one, "by the variant")
    (folder / "x.lua").write_text(RIGHT)
    same(checked(folder, "--set", "@s.lua"), right_one, "by --set")
    same(checked(folder, "--set", "@s.lua", "--set", "class[*].lifetime=8 s")["class"][3]["lifetime_ns"], 8 * 10**9,
         "a later --set")


# A variant's own line is tried on its file and on nothing of another variant's. A row is
# whether each variant has the file, and its line; and the key that is then unknown, if one is.
RED, OTHER = '"class[*].aqm.name=red"', '"class[background].aqm.name=adaptive-red"'
RED_KEY, OTHER_KEY = '"class[background].aqm.gentle=true"', '"class[background].aqm.band=0.3"'
FILE = '"s.lua"'
TRIED = {
    "what a former variant of the same file has set is gone": ([(True, OTHER), (True, RED_KEY)], None),
    "and does not make a later one right": ([(True, OTHER), (True, OTHER_KEY)], "band"),
    "the file's settings are there for each variant that has it": ([(True, RED_KEY)] * 3, None),
    "but not for one without it": ([(True, RED_KEY), (False, RED_KEY)], "gentle"),
    "nor after others of the file": ([(True, OTHER), (False, RED_KEY), (True, RED_KEY)], "gentle"),
}


def tried(rows, wrong, chosen):
    folder = new_folder()
    (folder / "s.lua").write_text(f"return {{ {RED} }}")
    named = ", ".join(f'variant {{ name = "v{i}", set = {line}, file = {FILE if of_file else "nil"} }}'
                      for i, (of_file, line) in enumerate(rows))
    (folder / "x.lua").write_text(RIGHT + f"variants {{ {named} }}\n")
    done = sluice("check", "x.lua", *chosen, cwd=folder)
    same(done.returncode, 2 if wrong else 0, f"{chosen}: {done.stderr}")
    same(done.stderr.count("\n"), 1 if wrong else 0, f"{chosen}: lines of {done.stderr}")
    if wrong:
        same(f"class[background].aqm.{wrong}: unknown key '{wrong}'" in done.stderr, True, f"{chosen}: {done.stderr}")


for what, (rows_of, wrong_key) in TRIED.items():
    @case(f"variants are tried one by one: {what}")
    def alone(rows=rows_of, wrong=wrong_key):
        for chosen in [(), *(("--variant", f"v{i}") for i in range(len(rows)))]:
            tried(rows, wrong, chosen)


@case("a wrong setting of a file is said once, however many variants have it")
def said_once():
    folder = new_folder()
    (folder / "s.lua").write_text('return { "class[*].weight=0" }')
    named = ", ".join(f'variant {{ name = "v{i}", file = "s.lua" }}' for i in range(4))
    (folder / "x.lua").write_text(RIGHT + f"variants {{ {named} }}\n")
    for chosen in (), ("--variant", "v2"):
        said = sluice("check", "x.lua", *chosen, cwd=folder).stderr
        same(said, "s.lua:1: class[*].weight: found the number 0, allowed a whole number from 1 to 10000\n",
             f"what is said with {chosen}")


@case("the file first, then set; both are in the summary, and the file with its digest")
def in_the_summary():
    folder = folder_with(GOOD, ', set = "class[background].weight=9"')
    done = sluice("run", "x.lua", "--variant", "v", "--out", "o", "--no-page", cwd=folder)
    same(done.returncode, 0, done.stderr)
    summary = json.loads((folder / "o/summary.json").read_text())
    same(summary["overrides"], ["nse.bvc.rate=20 kbit/s", "class[*].lifetime=7 s",
                                "class[background].weight=9"], "overrides")
    same(summary["files"], [{"path": "s.lua", "sha256": hashlib.sha256(GOOD.encode()).hexdigest()}],
         "files")


@case("another text of the file is another run: --resume refuses the results of the former")
def other_file():
    folder = folder_with(GOOD)
    words = ("run", "x.lua", "--variant", "v", "--seeds", "1..2", "--out", "o", "--no-page")
    same(sluice(*words, cwd=folder).returncode, 0, "exit status")
    (folder / "s.lua").write_text(GOOD + " -- and a reason")
    done = sluice(*words, "--resume", cwd=folder)
    same(done.returncode, 1, "exit status with another file")
    same("has the results of another run" in done.stderr, True, done.stderr)


@case("recommended.lua holds for every configuration here, and says no value twice")
def recommended():
    for config in sorted((ROOT / "config").glob("*.lua")):
        if config != RECOMMENDED:
            done = sluice("check", config, "--set", f"@{RECOMMENDED}")
            same(done.returncode, 0, f"{config.name}: {done.stderr}")


main()
