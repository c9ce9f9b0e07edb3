"""A World in which no handler and no timer of the program may fail."""

import world
from world import right, same


class World(world.World):
    def end(self):
        same(self.counts()["what"]["fault"], 0, f"faults\n{self.log()[-2000:]}\nfaults")
        right("a handler failed" not in self.log(), self.log()[-2000:])
        super().end()
