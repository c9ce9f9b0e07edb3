"""From figures to regrets. Nothing here knows what a setting is."""

import math

from bound import least_possible

# What nobody feels is no regret: so much is added to both sides of a ratio.
FLOOR = {"ping": 50, "page": 500, "file": 500, "delay": 200}     # ms
LARGER_IS_BETTER = ("goodput", "downloads", "least user", "jain")   # these, and of a group of phones: "goodput, fast"
FACTS = ("sound", "browsing")           # of a run, which are no figures
NEAR_LEAST = 1.05                       # times the least possible: as good as any
SHARE = ("sent again", "pings lost")    # the cost of a share that is lost: what is sent for what arrives
NOT_FELT = ("delay", "sent again", "time-outs")     # by a person: a network's figures, and what TCP does
TIMEOUTS_FLOOR = 1                      # one a minute in all the load
GOODPUT_LEAST = 0.95                    # of plain's; who has less is no measure for others
# Student's t, two-sided 95 %, by seeds - 1.
T95 = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 6: 2.45, 7: 2.36, 8: 2.31, 9: 2.26}


def mean(values):
    return sum(values) / len(values)


def interval(values):
    """Half of the 95 % interval; None where all seeds give the same, so that it says nothing."""
    if len(values) < 2 or len(set(values)) == 1:
        return None
    m = mean(values)
    return T95.get(len(values) - 1, 2) * math.sqrt(sum((v - m) ** 2 for v in values) / (len(values) - 1) / len(values))


def cost(figure, value):
    """A number that is the better the smaller it is, above 0."""
    if figure.split(",")[0] in LARGER_IS_BETTER:
        return 1 / max(value, 1e-3)
    if figure in SHARE:
        return 1 / (1 - min(value, .999))
    if figure == "time-outs":
        return value + TIMEOUTS_FLOOR
    return value + FLOOR[figure.split()[0]]


class Judged:
    def __init__(self, figures, loads, settings, splits=()):
        self.figures, self.loads, self.settings = figures, loads, settings
        self.mean = {key: {f: mean([seed[f] for seed in seeds])
                           for f in seeds[0] if f not in FACTS and all(f in seed for seed in seeds)}
                     for key, seeds in figures.items()}
        self.regret = {(load, setting): self.regrets(load, setting) for load in loads for setting in settings}
        self.least = {load: self.least_of(load, split) for load, split in dict(splits).items() if split}

    def least_of(self, load, split):
        """The least worst regret that is possible, and by how much its law misses a measured page (None: no law)."""
        browsing = {s: mean([seed["browsing"] for seed in self.figures[load, s]]) for s in self.settings}
        own = {s: self.mean[load, s] for s in self.settings}
        wait_s, used, miss = split.fluid([(browsing[s], own[s][split.figure] / 1000) for s in self.settings if browsing[s]])
        return least_possible(
            wait_s, used, max(browsing[s] + own[s]["downloads"] for s in self.settings), split.downloads,
            min(own[s][split.figure] for s in self.qualified(load)) / 1000,
            max(own[s]["least user"] for s in self.qualified(load)), FLOOR[split.figure.split()[0]] / 1000), miss

    def least_text(self, load):
        """Empty: the load has no such bound."""
        if load not in self.least:
            return ""
        least, miss = self.least[load]
        near = [s for s in self.settings if self.worst(s, [load], felt=True)[0] <= NEAR_LEAST * least]
        return (f"least possible {least:.2f}" + (f" (its law misses a page by {100 * miss:.0f} % at most)" if miss else "")
                + f"; within 5 % of it: {'; '.join(near) or 'none'}")

    def qualified(self, load):
        least = GOODPUT_LEAST * self.mean[load, "plain"]["goodput"]
        return [s for s in self.settings if self.mean[load, s]["goodput"] >= least]

    def regrets(self, load, setting):
        own, qualified = self.mean[load, setting], self.qualified(load)
        return {f: cost(f, own[f]) / min(cost(f, self.mean[load, s][f]) for s in qualified if f in self.mean[load, s])
                for f in own}

    def worst(self, setting, loads=None, felt=False):
        """(regret, load, figure); `felt`: of what people feel, which is pings, pages, files, goodput, the least user."""
        return max((regret, load, figure) for load in loads or self.loads
                   for figure, regret in self.regret[load, setting].items()
                   if not (felt and figure.startswith(NOT_FELT)))

    def typical(self, setting, loads=None):
        """The geometric mean of the worst regrets of the loads."""
        worst = [max(self.regret[load, setting].values()) for load in loads or self.loads]
        return math.exp(mean([math.log(w) for w in worst]))

    def ranked(self, loads=None):
        return sorted(self.settings, key=lambda s: self.worst(s, loads))

    def unsound(self):
        return [key for key, seeds in self.figures.items() if not all(seed["sound"] for seed in seeds)]

    def text(self):
        lines = [f"{'setting':28} {'worst':>8} {'felt':>8} {'typical':>8}   worst; worst felt"]
        for setting in self.ranked():
            regret, load, figure = self.worst(setting)
            felt, felt_load, felt_figure = self.worst(setting, felt=True)
            lines.append(f"{setting:28} {regret:8.2f} {felt:8.2f} {self.typical(setting):8.2f}"
                         f"   {load}: {figure}; {felt_load}: {felt_figure}")
        lines += [f"{load}: {self.least_text(load)}" for load in self.loads if load in self.least]
        return "\n".join(lines)
