#!/usr/bin/python3
"""What `meson install` installs is whole: each link of its pages leads to a file and a heading that are there, too, and so
does each path in the commands of its pages and configurations. BUILD names the build tree."""

import functools
import os
import pathlib
import re
import subprocess

from harness import TIMEOUT_S, case, main, new_folder, right, same

ROOTS = "config", "tools"  # of the paths in commands: what else the sources have, a package has not
INSTALLED = "/usr/share/doc/sluice/"  # where the package has its pages, whatever this tree's prefix
PATH = re.compile(rf"(?<![\w./-])(?:{INSTALLED}|(?=(?:{'|'.join(ROOTS)})/))([\w./-]+\w)")


@functools.cache
def installed():
    folder = new_folder()
    subprocess.run(["meson", "install", "-C", os.environ["BUILD"], "--no-rebuild", "--quiet", "--destdir", folder],
                   check=True, stdout=subprocess.DEVNULL, timeout=TIMEOUT_S)
    return folder


def pages():
    """The folder of the pages."""
    found = list(installed().glob("**/share/doc/sluice"))
    same(len(found), 1, "folders of pages")
    return found[0]


def texts(*suffixes):
    found = sorted(path for path in pages().rglob("*") if path.suffix in suffixes)
    right(len(found) > 5, f"{len(found)} files with {suffixes}")
    return found


def anchors(page):
    """As GitHub names headings."""
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
            for heading in re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)}


def is_dead(page, target):
    file, _, anchor = target.partition("#")
    path = page.parent / file if file else page
    return not path.is_file() or (anchor and anchor not in anchors(path))


@case("each link of a page leads to a file of the package, and to a heading")
def links():
    dead = [f"{page.relative_to(pages())}: {target}" for page in texts(".md")
            for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text())
            if not re.match(r"\w+:", target) and is_dead(page, target)]
    same(dead, [], "dead links")


@case("each path of config/ and tools/ that a page or a configuration names is there")
def paths():
    missing = {f"{text.relative_to(pages())}: {path}" for text in texts(".md", ".lua", ".cfg", ".yml", ".py")
               for path in PATH.findall(text.read_text()) if not (pages() / path).exists()}
    same(sorted(missing), [], "missing files")


@case("each file of config/ is there, the front page leads to the operator's page, and the units' program is there")
def whole():
    config = pathlib.Path(__file__).resolve().parent.parent.parent / "config"
    for path in config.rglob("*"):
        right((pages() / "config" / path.relative_to(config)).exists(), f"{path} is not installed")
    right("(config/operations.md)" in (pages() / "README.md").read_text(), "the front page lacks it")
    units = list(installed().glob("**/systemd/system/*.service"))
    same(len(units), 2, "units")
    for unit in units:
        program = re.search(r"^ExecStart=/usr/(\S+)", unit.read_text(), re.MULTILINE).group(1)
        right((pages().parents[2] / program).exists(), f"{unit.name} starts {program}")
        # By systemd's own 0.1 s and five starts in 10 s a device that comes late would leave it down for good.
        right({"Restart=on-failure", "RestartSec=2", "StartLimitIntervalSec=0"} <= set(unit.read_text().splitlines()),
              f"{unit.name} gives up")
    for name in ("man/man1/sluice.1", "bash-completion/completions/sluice", "doc/sluice/copyright"):
        right((pages().parents[1] / name).stat().st_size > 100, f"{name} is empty")


main()
