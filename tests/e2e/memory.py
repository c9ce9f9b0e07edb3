#!/usr/bin/python3
"""Huge pages are taken when there are enough of them and done without when not; a line says which,
and the results are the same. As root the test reserves a few and gives them back, so nothing else
may run beside it that looks at them."""

import contextlib
import functools
import mmap
import pathlib
import re
import subprocess

from harness import UDP_SCENARIO, Skip, case, differing, main, right, run, same

SIZES = pathlib.Path("/sys/kernel/mm/hugepages")
RESERVED = SIZES / "hugepages-2048kB/nr_hugepages"
MAP_HUGETLB, HUGE_OCTETS = 0x40000, 2 << 20
PAGES_MAX = 64  # of 2 MiB: no more than 128 MiB are borrowed


def on_small(*arguments):
    """A run on 4 KiB pages; where huge ones are free, in a mount namespace that shows none."""
    done = run(UDP_SCENARIO, *arguments)
    if done.info["pages"] == "4 KiB":
        return done
    right(list(SIZES.glob("*/nr_hugepages")), f"pages are {done.info['pages']}, but there are none")
    hide = "unshare", "--mount", "sh", "-c", f'mount -t tmpfs none {SIZES} && exec "$@"', "sh"
    if subprocess.run([*hide, "true"], check=False, stderr=subprocess.DEVNULL).returncode:
        raise Skip("huge pages are free here, and hiding them takes root")
    done = run(UDP_SCENARIO, *arguments, before=hide)
    same(done.info["pages"], "4 KiB", "pages of a run that sees none")
    return done


@functools.cache
def small():
    return on_small("--pcap")


@contextlib.contextmanager
def borrowed(pages):
    """So many more 2 MiB pages, or Skip; what was there before comes back in any case."""
    none = "no huge pages could be reserved"
    try:
        former = int(RESERVED.read_text())
    except OSError as why:
        raise Skip(f"{none}: {why}") from None
    try:
        try:
            RESERVED.write_text(f"{former + pages}\n")
        except OSError as why:
            raise Skip(f"{none}: {why}") from None
        got = int(RESERVED.read_text()) - former
        if got < pages:
            raise Skip(f"{none}: {pages} were asked for, the kernel gave {max(got, 0)}")
        yield
    finally:
        with contextlib.suppress(OSError):
            RESERVED.write_text(f"{former}\n")


def free_pages():
    return int((RESERVED.parent / "free_hugepages").read_text())


def line_of(done):
    lines = [line for line in done.stderr.splitlines() if line.startswith("memory: ")]
    same(len(lines), 1, f"lines about memory {lines}")
    return lines[0]


@functools.cache
def huge():
    """A run on huge pages, as many as the run without said are needed; and how many of them were
    free before and after it."""
    pages = int(re.search(r"echo (\d+) > /proc/sys/vm/nr_hugepages", line_of(small()))[1])
    right(pages <= PAGES_MAX, f"{pages} pages are asked for, more than {PAGES_MAX}")
    with borrowed(pages):
        before, done, after = free_pages(), run(UDP_SCENARIO, "--pcap"), free_pages()
        return done, before, after


@case("without huge pages: the line says so, what it costs, and how to have them")
def line_without():
    found = re.fullmatch(
        r"memory: 4 KiB pages, because (\d+) MiB of huge pages are needed and (\d+) MiB are free\. .*"
        r"packet costs .*more cycles .*\. To get huge pages: echo (\d+) > /proc/sys/vm/nr_hugepages",
        line_of(small()))
    right(found, f"the line is: {line_of(small())}")
    needed_mib, free_mib, pages = map(int, found.groups())
    right(free_mib < needed_mib <= 2 * pages, f"{free_mib} MiB free, {needed_mib} MiB needed, "
                                              f"{pages} pages of 2 MiB to be reserved")
    right(small().info["memory_octets"] <= needed_mib << 20, "run.json says more than the line")


@case("with as many as it named: the line and run.json say huge pages")
def line_with():
    right(re.fullmatch(r"memory: huge pages \(\d+ MiB needed, \d+ MiB free\)", line_of(huge()[0])),
          f"the line is: {line_of(huge()[0])}")
    same(huge()[0].info["pages"], "huge", "run.json")
    same(huge()[0].info["buffers_held_at_exit"], 0, "buffers_held_at_exit")


@case("summary.json and both captures are the same with and without, byte for byte")
def same_results():
    same(differing(huge()[0], small()), [], "results that differ")


@case("once it has ended, every page is free again")
def given_back():
    _, before, after = huge()
    same(after, before, "free huge pages after the run")


@case("pages that others take after they were counted: it begins again without, and says so")
def taken():
    huge = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_HUGETLB
    with borrowed(PAGES_MAX), mmap.mmap(-1, free_pages() * HUGE_OCTETS, flags=huge):  # promised, and counted as free
        done = run(UDP_SCENARIO)
        right("huge pages (" in done.stderr and "it begins again without" in done.stderr, done.stderr)
        same(done.info["pages"], "4 KiB", "pages")


@case("a queue of 100000 packets starts on 4 KiB pages too")
def large_queue():
    on_small("--set", "queue.packets=100000")


main()
