#!/usr/bin/python3
"""Two cells, each with an osmo-pcu: an MS changes between them in the middle of a download, and into a cell whose
PCU is gone. Needs osmo-pcu, and takes most of a minute, for it is real time."""

import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))

from harness import PATIENCE, WAIT_S, case, check_sound, main, right, same  # noqa: E402
from bts_chain import Chain, check_books  # noqa: E402
from moving import CELLS, USER_SAPI, Frames, Mover, change_cell, claims_refused, mss_of, seconds_until_known  # noqa: E402
from phone_chain import KEYED, OTHER_AREA, PhoneChain, check_phone, config_of_two  # noqa: E402

OCTETS, MOVES = 150000, 4
KNOWN_S = 3 * PATIENCE  # after a move
# If Sluice has refused a claim meanwhile (lua/sluice/ms/contest.lua): both cells are paged for T3313, 1 s in osmopcu-two.lua. A
# frame that comes from the old cell after that refuses the claim, and so does a page without an answer; and access bursts
# are 1 to 1.5 s apart. The MS's next frame begins anew. So: T3313 for the page, the rest and the second page, two accesses.
SECOND_ROUND_S = 6 * PATIENCE
LOCAL, FOREIGN = 3, 2  # highest bits of a TLLI


def check_known(chain, known, refused):
    """Seconds from moves until Sluice knew. refused: claims before the moves, None for one that no claim decides."""
    most_s = KNOWN_S if refused is None or claims_refused(chain) == refused else SECOND_ROUND_S
    right(max(known) < most_s, f"Sluice knew the MS's cell after {known} s, at most {most_s}")


def download(chain):
    refused = claims_refused(chain)
    mover = Mover(chain, 4, MOVES)
    took_s = chain.transfer(0, OCTETS, True, 120, mover.progress)
    same(len(mover.moves), MOVES, "moves during the download")
    print(f"# {OCTETS // 1000} kB down with {MOVES} moves: {took_s:.1f} s; from a move until Sluice knew {max(mover.known):.2f} s "
          f"at most, to the first packet {max(mover.first()):.2f} s, without content {max(mover.gaps(mover.grew)):.2f} s")
    check_known(chain, mover.known, refused)


def check_cell(chain, cell, since, refused=None):
    """Sluice has the MS in that cell alone, and it answers there. Packets of before the cell update were for the other."""
    update_s = seconds_until_known(chain, cell, since)
    answered = chain.pings([0, 1], WAIT_S)
    same(sorted(answered), [0, 1], "MSs that answered")
    print(f"# cell {CELLS[cell]}: known after {update_s:.2f} s, ping {answered[0]:.2f} s")
    check_known(chain, [update_s], refused)


def move_and_check(chain, cell):
    refused = claims_refused(chain)
    check_cell(chain, cell, change_cell(chain), refused)


def dead_cells(chain):
    """Into the second cell, whose PCU is killed while the MS is away, and starts when the MS is there; then out of it,
    when its PCU is killed. The MS's cell update may reach the PCU before its BVC is up, where it is lost, on the air
    as here: then Sluice knows by the next that the MS sends."""
    chain.pcus[1].kill()
    change_cell(chain)
    same(chain.pings([0], 1), {}, "answers from a cell without a PCU")
    chain.start_pcu(1)
    start = time.monotonic()

    def answers():
        chain.speak(0)
        return chain.pings([0], 1)
    chain.until(answers, f"a ping in cell {CELLS[1]}; Sluice has {[mss_of(chain, cell) for cell in CELLS]} in its cells")
    print(f"# a ping {time.monotonic() - start:.1f} s after the PCU's start")
    check_cell(chain, 1, time.monotonic())
    chain.pcus[1].kill()
    move_and_check(chain, 0)


def check_all(cells, summary):
    for cell in cells:
        check_books(cell)
    check_sound(summary)
    moves = [(cell["moves_out"], cell["moves_in"]) for cell in cells]
    same(moves, [moves[0], moves[0][::-1]], "moves out of the cells and into them")
    same(moves[0][0], moves[0][1], "moves out of the first cell, and back")
    same([len(cell["ms"]) for cell in cells], [8, 0], "MSs of the cells at the end")
    mss = [ms for cell in cells for ms in cell["ms"]]
    for of_cell, of_ms in ("packets_down", "npdus_down"), ("packets_up", "npdus_up"):
        stray = sum(cell["packets_up_stray"] + cell["packets_up_full"] for cell in cells) if of_cell == "packets_up" else 0
        same(sum(cell[of_cell] for cell in cells) - stray, sum(ms[of_ms] for ms in mss), of_ms)
    right(sum(cell["pdus_cut"] for cell in cells) > 0, "no move was in the middle of an LLC PDU")
    lost = summary["conservation"]["out"] - sum(ms["npdus_down"] for ms in mss)
    print(f"# {lost} N-PDUs of {summary['conservation']['out']} were lost in PCUs, at {sum(moves[0])} moves")


@case(f"{OCTETS // 1000} kB come down octet for octet while the MS changes its cell {MOVES} times; it answers pings in both; "
      "a PCU is dead when the MS comes, and another when it leaves; all counts add up")
def two_cells():
    with Chain("--pdchs", 4, cells=2, mss=8, coding=4) as chain:
        chain.wait_for_ping()
        download(chain)
        check_cell(chain, 0, time.monotonic())
        move_and_check(chain, 1)
        move_and_check(chain, 0)
        dead_cells(chain)
        check_all(chain.bts.finish()["cells"], chain.sgsn.finish())


@case("an MS with a key changes its cell and back: Sluice believes its first user data there, without a page")
def enciphered():
    key = "000102030405060708090a0b0c0d0e0f"
    with Chain("--pdchs", 4, cells=2, mss=8, sets=("nse.bvc.ms.cipher=gea4", f"nse.bvc.ms.key={key}")) as chain:
        chain.wait_for_ping()
        for cell in 1, 0:
            moved = change_cell(chain)
            chain.speak(0)
            check_cell(chain, cell, moved)
        cells = chain.bts.finish()["cells"]
        for cell in cells:
            check_books(cell)
            same(cell["ccch_page"], 0, "pages")
        check_sound(chain.sgsn.finish())


@case("a phone with a card downloads octet for octet while it goes into a cell of another area, and then back: it updates its "
      "area, and its key and its address stay")
def areas():
    with PhoneChain(KEYED, 1, "--pdchs", 4, cells=2, of_sluice=config_of_two(OTHER_AREA), coding=4) as chain:
        chain.until(chain.are_attached, "the phone has an address")
        chain.wait_for_ping()
        mover, frames = Mover(chain, 3, 1), Frames(chain)
        chain.transfer(0, OCTETS, True, 120, mover.progress)
        update_s = seconds_until_known(chain, 0, change_cell(chain))
        chain.until(lambda: chain.pings([0], 5), "a ping at home")
        up, _ = frames.read()
        cells, summary = chain.bts.finish()["cells"], chain.sgsn.finish()
    print(f"# Sluice knew a move after {mover.known[0]:.2f} s, and that back after {update_s:.2f} s; without content "
          f"{max(mover.gaps(mover.grew)):.2f} s")
    right(max(*mover.known, update_s) < KNOWN_S, "Sluice did not know where the phone was")
    same({frame.tlli >> 30 for frame in up if frame.sapi == USER_SAPI}, {LOCAL}, "TLLIs of user data: it waits for the update")
    same({frame.tlli >> 30 for frame in up if frame.sapi != USER_SAPI}, {LOCAL, FOREIGN}, "TLLIs of signalling")
    for cell in cells:
        check_books(cell)
        same([cell[count] for count in ("moves_in", "moves_out", "hellos")], [1, 1, 0], "moves, and NULL frames")
    check_sound(summary)
    ms, = [ms for cell in cells for ms in cell["ms"]]
    check_phone(ms)
    same(ms["phone"]["updates"], 2, f"updates of {ms}")
    right(ms["phone"]["messages_again"] <= 2, f"on a busy machine each REQUEST may have to come again: {ms}")


main()
