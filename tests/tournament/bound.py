"""The least that is possible where pages and downloads share a cell: whatever a setting gives to the one, the other lacks.
Pages are a closed loop (Little's law): R = N W / C - Z, where N browse and think for Z, a page has W octets, and C is
what pages get. Where transfers begin at given times, a fluid: what has least left goes first, and nothing waits besides."""

import dataclasses
import heapq
import statistics

STEPS = 60  # of bisection


def least_possible(wait_s, used, capacity, downloads, best_wait_s, best_least, floor_s=0, equality=1):
    """The least worst regret over all splits. wait_s(share): the mean page, or file, which has `used(share)` of its share;
    downloads have the rest, the least of them `equality` of its part. best_: of what settings reach, each by itself."""
    def regrets(share):
        return ((wait_s(share) + floor_s) / (best_wait_s + floor_s),
                best_least * downloads / (equality * max(capacity - used(share), 1e-9)))

    least, most = 0, capacity
    for _ in range(STEPS):
        share = (least + most) / 2
        pages, of_downloads = regrets(share)
        least, most = (share, most) if pages > of_downloads else (least, share)
    return max(1, *regrets(most))


def least_left_first(arrivals, rate):
    """The mean time in a fluid with this rate. arrivals: (start, size), by start."""
    left, now, sum_s, last = [], 0, 0, len(arrivals) - 1
    for place, (start, size) in enumerate(arrivals):
        now = max(now, start)
        heapq.heappush(left, (size, start))
        until = arrivals[place + 1][0] if place < last else float("inf")
        while left and now < until:
            size, start = heapq.heappop(left)
            done = now + size / rate
            if done > until:
                heapq.heappush(left, (size - (until - now) * rate, start))
            else:
                sum_s += done - start
            now = min(done, until)
    return sum_s / len(arrivals)


@dataclasses.dataclass
class Closed:
    browsers: int
    think_s: float
    downloads: int
    figure = "page mean"

    def fluid(self, points):
        """wait_s, used, and by how much of a measured page the law misses it. points: (bit/s of pages, mean page in s)."""
        page_bits = statistics.median(rate * (page_s + self.think_s) / self.browsers for rate, page_s in points)

        def wait_s(share):
            return max(0, self.browsers * page_bits / share - self.think_s)
        return wait_s, lambda share: share, max(abs(wait_s(rate) / page_s - 1) for rate, page_s in points)


@dataclasses.dataclass
class Open:
    arrivals: list  # of each seed (start in s, octets)
    seconds: float
    downloads: int
    figure = "file mean"

    def fluid(self, _points):
        seeds = [[(start, octets * 8) for start, octets in seed] for seed in self.arrivals]
        offered = statistics.mean(sum(bits for _, bits in seed) for seed in seeds) / self.seconds
        return (lambda share: statistics.mean(least_left_first(seed, share) for seed in seeds),
                lambda share: min(share, offered), None)
