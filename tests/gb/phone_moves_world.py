"""Phones that move between two BSSs, which two workers serve: each has cells 2 and 4 in one routeing area and cell 3 in
another. phone_contexts_world.py and phone_keys_world.py with what a phone does when it comes into a cell."""

import codec
from phone_contexts_world import Net
from phone_keys_world import Keyed
from world import nsvc, same

OTHER_BSS = "198.51.100.3"
AREAS = {2: codec.RAI, 3: codec.RAI[:-1] + b"\x57", 4: codec.RAI}
CELLS = ", ".join(f"bvc {{ bvci = {bvci} }}" for bvci in AREAS)
OTHER_NSE = f"nse {{ nsei = 102, {nsvc(102, OTHER_BSS)}, {CELLS} }}\n"


def all_cells(text):
    return text.replace("bvc { bvci = 2 }, bvc { bvci = 3 }", CELLS) + OTHER_NSE


class Moving:
    """Mixed into a net: net.bss and net.other."""

    def __enter__(self):
        super().__enter__()
        try:
            self.other = self.new_bss(102, OTHER_BSS)
        except BaseException:
            self.world.__exit__(RuntimeError, None, None)
            raise
        return self

    def new_bss(self, nsei, address):
        bss = super().new_bss(nsei, address)
        for bvci, cell in bss.cells.items():
            cell.ci = codec.cell(0x100 * nsei + bvci, AREAS[bvci])
            bss.reset_bvc(bvci)
        self.world.run(0)
        same(bss.is_up(), True, "cells that are up")
        for bvci in bss.cells:
            bss.flow(bvci)
        self.world.run(0)
        return bss

    def enters(self, one, bss, bvci):
        """The radio has another cell. The phone says so if that is of another area (24.008 4.7.5.1), or it is READY."""
        one.bss, one.bvci, one.cell_rai = bss, bvci, AREAS[bvci]
        if one.rai != one.cell_rai:
            self.do(one, "update")
        else:
            self.do(one, "reselect")

    def goes(self, one, bss, bvci):
        """It enters the cell, and is done with that."""
        self.enters(one, bss, bvci)
        self.until("it is updated", lambda: one.state == "registered")

    def where(self, one):
        """The NSEI and BVCI of its MS in the dataplane."""
        return self.world.lua(
            f"local p = require('sluice.phones.store').by_imsi('{one.imsi}') "
            "local b = p and require('sluice.core.network').bvc[(require('dp').ms_cell(p.ms_id))] "
            "return b and b.nse.nsei .. ' ' .. b.bvci or 'nowhere'")

    def agree(self, one):
        super().agree(one)
        if one.state == "registered":
            same(self.where(one), f"{one.bss.nsei} {one.bvci}", f"where {self.shown(one)} is")


class MovingNet(Moving, Net):
    config = all_cells(Net.config)

    def __init__(self, **more):
        super().__init__(workers=2, cells=AREAS, **more)


class MovingKeyed(Moving, Keyed):
    config = property(lambda self: self.text, lambda self, text: setattr(self, "text", all_cells(text)))

    def __init__(self, **more):
        super().__init__(workers=2, cells=AREAS, **more)


class MovingCard(MovingKeyed):
    """Its phones have cards, but none of the ciphers."""

    def __init__(self, **more):
        super().__init__(ciphers=("gea4", "gea3", "none"), **more)

    def phone(self, *words, **more):
        return super().phone(*words, **{"net_capability": b"\xe5\x80", **more})
