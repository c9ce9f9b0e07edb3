#!/usr/bin/python3
"""Huge pages are taken when there are enough of them and done without when not; a line says which,
and the results are the same. As root the test reserves a few and gives them back, so nothing else
may run beside it that looks at them."""

import contextlib
import functools
import pathlib
import re
import subprocess

from harness import UDP_SCENARIO, Skip, case, differing, main, new_folder, right, run, same, sluice

SIZES = pathlib.Path("/sys/kernel/mm/hugepages")
RESERVED = SIZES / "hugepages-2048kB/nr_hugepages"
PAGES_MAX = 64  # of 2 MiB: no more than 128 MiB are borrowed


def showing(pages):
    """The words before a run that sees so many free pages of 2 MiB, and no other size."""
    size = SIZES / "hugepages-2048kB"
    words = "unshare", "--mount", "sh", "-ec", (
        f'mount -t tmpfs none {SIZES}; mkdir {size}; (cd {size}; echo {pages} | tee nr_hugepages > free_hugepages; '
        'echo 0 | tee resv_hugepages surplus_hugepages > nr_overcommit_hugepages); exec "$@"'), "sh"
    if subprocess.run([*words, "true"], check=False, stderr=subprocess.DEVNULL).returncode:
        raise Skip("a mount namespace takes root, and a kernel that has huge pages")
    return words


def on_small(*arguments):
    """A run on 4 KiB pages; where huge ones are free, in a mount namespace that shows none."""
    done = run(UDP_SCENARIO, *arguments)
    if done.info["pages"] == "4 KiB":
        return done
    right(list(SIZES.glob("*/nr_hugepages")), f"pages are {done.info['pages']}, but there are none")
    done = run(UDP_SCENARIO, *arguments, before=showing(0))
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
    pages = (int(re.search(r"because (\d+) MiB", line_of(small()))[1]) + 1) // 2
    right(pages <= PAGES_MAX, f"{pages} pages are asked for, more than {PAGES_MAX}")
    with borrowed(pages):
        before, done, after = free_pages(), run(UDP_SCENARIO, "--pcap"), free_pages()
        return done, before, after


@case("without huge pages: the line says so, what it costs, and how to have them")
def line_without():
    found = re.fullmatch(
        r"memory: 4 KiB pages, because (\d+) MiB of huge pages are needed and (\d+) MiB are free\. .*"
        rf"packet costs .*more cycles .*\. To get huge pages: echo (\d+) > {RESERVED}",
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


@case("fewer pages are free than a run needs: what it says to reserve is enough, on top of what is reserved")
def advised():
    done = run(UDP_SCENARIO, before=showing(7))
    advice = int(re.search(rf"14 MiB are free\. .*echo (\d+) > {RESERVED}$", line_of(done))[1])
    done = run(UDP_SCENARIO, before=showing(advice))
    right("memory: huge pages (" in done.stderr, f"with as many as it advised: {done.stderr}")


@case("pages that are counted as free and cannot be had: it begins again without, and says so")
def taken():
    done = run(UDP_SCENARIO, before=showing(1000 + free_pages()))
    if done.info["pages"] == "huge":
        raise Skip("as many huge pages are free here")
    for part in "huge pages (", "it begins again with --no-huge", "memory: 4 KiB pages, because of --no-huge":
        right(part in done.stderr, done.stderr)


@case("--no-huge is the reason, however many are free, and nothing is to be reserved; so in each of several runs")
def refused_ones():
    line = "memory: 4 KiB pages, because of --no-huge (each run of a sweep has it)"
    done = run(UDP_SCENARIO, "--no-huge", before=showing(5000))
    same((line_of(done), done.info["pages"]), (line, "4 KiB"), "the line, and pages")
    out = new_folder() / "out"
    done = sluice("run", UDP_SCENARIO, "--seeds", "1..2", "--out", out, before=showing(5000))
    same(done.returncode, 0, done.stderr)
    right("MiB each, in 4 KiB pages\n" in done.stderr, done.stderr)
    for seed in "1", "2":
        right(line in (out / seed / "run.log").read_text(), "its run.log")


@case("a queue of 100000 packets starts on 4 KiB pages too")
def large_queue():
    on_small("--set", "queue.packets=100000")


main()
