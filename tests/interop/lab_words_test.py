#!/usr/bin/python3
"""The words of `./run lab`: help and mistakes need neither a build nor a package nor root."""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))

from harness import TIMEOUT_S, case, main, right, same  # noqa: E402


def lab(*words):
    """Without an environment and the packages of Python's that are not its own."""
    return subprocess.run([sys.executable, "-S", "-B", str(HERE / "lab.py"), *words], stdin=subprocess.DEVNULL, capture_output=True,
                          encoding="utf-8", timeout=TIMEOUT_S, check=False, env={})


@case("--help names each option and starts nothing")
def helped():
    done = lab("--help")
    same((done.returncode, done.stderr), (0, ""), "--help")
    for one in "--pdchs", "--runs", "--seconds", "--codel", "--ecn", "--cc", "--parallel", "--downs", "--up", "--set", "--json", "--attach":
        right(f"  {one}" in done.stdout, f"{one} is not in {done.stdout}")
    same((lab("--words", "--help").stdout, lab("--words", "--downs", "4", "--set", "a=b").stdout), (done.stdout, ""), "--words")


@case("each mistake is told at once, with what is right")
def mistakes():
    for words, said in ((("--pdchs", "4,9"), "argument --pdchs: found '9', right is a number from 1 to 8"),
                        (("--pdchs", ""), "argument --pdchs: found '', right is a number from 1 to 8"),
                        (("--seconds", "-5"), "argument --seconds: found '-5', right is a number from 1 to 10000"),
                        (("--downs", "201"), "argument --downs: found '201', right is a number from 1 to 200"),
                        (("--set", "a"), "argument --set: found 'a', right is KEY=VALUE, such as gb.cell_delay=0.2s"),
                        (("keep", "--pdchs", "4,1"), "keep has one chain, so --pdchs takes one number"),
                        (("--attach", "--downs", "8"), "the file of --attach has 8 phones, and one of them downloads nothing: --downs 7 at most"),
                        (("--nix",), "unrecognized arguments: --nix")):
        done = lab("--words", *words)
        same((done.returncode, done.stdout, done.stderr.splitlines()[-1]), (2, "", f"./run lab: error: {said}"), f"{words}")


main()
