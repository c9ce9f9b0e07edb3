"""Captures that lack packets, made of whole ones: what `sluice audit` must not hold against anyone. What leaves no
trace stays: an LLC-DISCARDED, which has no answer, of a host that does not count its packets to the SGSN one by one.

How to
    write(whole_path, path, "bursts", seed)    KINDS has the names
"""

import collections
import random

import frames
import pcap

SGSN = bytes((198, 51, 100, 1))


def is_down(frame):
    return frame.octets[26:30] == SGSN  # IPv4's source


def path_of(frame):
    return frame.octets[26:34]  # IPv4's source and destination


def counted(whole):
    """The paths whose IP identifications go up by one."""
    ids, ones, steps = {}, collections.Counter(), collections.Counter()
    for frame in whole:
        path, number = path_of(frame), int.from_bytes(frame.octets[18:20])
        ones[path] += number == ids.get(path, number) + 1
        steps[path] += 1
        ids[path] = number
    return {path for path in steps if ones[path] >= 0.9 * steps[path]}


def leaves_no_trace(frame, paths):
    return path_of(frame) not in paths and frame.octets[42:43] == b"\0" and frame.octets[46:47] == b"\x2c"


def scattered(draw, whole, share):
    return [frame for frame in whole if draw.random() >= share]


def bursts(draw, whole):
    """Up to four times up to a hundred in a row; of a small capture nothing may be left."""
    for _ in range(draw.randint(1, 4)):
        at = draw.randrange(len(whole) + 1)
        whole = whole[:at] + whole[at + draw.choice((2, 5, 20, 100)):]
    return whole


def one_way(draw, whole):
    """One direction for a while."""
    down, at, count = draw.random() < 0.5, draw.randrange(len(whole)), draw.choice((20, 100, 300))
    return whole[:at] + [frame for frame in whole[at:at + count] if is_down(frame) != down] + whole[at + count:]


def middle(draw, whole):
    """Without its beginning and its end."""
    return whole[draw.randrange(len(whole) // 2):draw.randrange(len(whole) // 2, len(whole))]


KINDS = {"one": lambda draw, whole: whole[:(at := draw.randrange(len(whole)))] + whole[at + 1:],
         "2 %": lambda draw, whole: scattered(draw, whole, 0.02), "20 %": lambda draw, whole: scattered(draw, whole, 0.2),
         "bursts": bursts, "one way": one_way, "middle": middle}


def write(whole_path, path, kind, seed):
    draw = random.Random(f"{kind} {seed}")
    whole = pcap.frames_of(whole_path)
    paths = counted(whole)
    left = {frame.number for frame in KINDS[kind](draw, whole)}
    frames.write_pcap(path, [(frame.time_ns, frame.octets) for frame in whole
                             if frame.number in left or (kind != "middle" and leaves_no_trace(frame, paths))])
