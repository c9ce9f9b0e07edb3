"""What is drawn in the pictures of a page, for their tests: places in pixels, and the scale of the axes."""

import re

from harness import right, same


def picture_of(text, number=0):
    return re.findall(r"<svg.*?</svg>", text, re.DOTALL)[number]


def scale(picture):
    """A function from the axes' numbers to pixels, by two marks of each axis."""
    marks = re.findall(r"d='M([\d.]+),([\d.]+) L([\d.]+),([\d.]+)\s*'/>\s*<g transform=\"[^\"]*\"[^>]*>\s*"
                       r"<text>([^<]*)</text>", picture)
    x = [(float(text), float(left)) for left, _, right_end, _, text in marks if left == right_end]
    y = [(float(text), float(top)) for _, top, _, bottom, text in marks if top == bottom]

    def pixel(value, axis):
        (low, low_pixel), (high, high_pixel) = axis[0], axis[-1]
        return low_pixel + (value - low) * (high_pixel - low_pixel) / (high - low)
    return lambda point: (pixel(point[0], x), pixel(point[1], y))


def same_places(found, wanted, what):
    same(len(found), len(wanted), f"{what}: {found}")
    for one, other in zip(found, wanted):
        right(all(abs(a - b) < 0.05 for a, b in zip(one, other)), f"{what}: found {one}, right is {other}")


def pairs(path):
    return [tuple(map(float, pair)) for pair in re.findall(r"(-?[\d.]+),(-?[\d.]+)", path)]


def lines_of(picture, colour):
    return [pairs(path) for path in re.findall(rf"stroke='{colour}'\s+d='(M[^']*)'", picture)]


def dots_of(picture, colour):
    return [pairs(path)[0] for path in re.findall(rf"d='(M[\d.,]+h0)' stroke='{colour}'", picture)]


def diamonds_of(picture, colour):
    """Their middles: the first corner is the left one, and the way to the next goes half of its width."""
    return [(corner[0] + way[0], corner[1]) for corner, way in (
        pairs(path)[:2] for path in re.findall(rf"fill='var\(--ground\)' stroke-width='[\d.]+' "
                                               rf"d='(M[^']*z)' stroke='{colour}'", picture))]


def series_colour(number):
    return rf"var\(--s{number}\)"


def said_of(picture, colour):
    """What is said under the pointer: ((x, y), text) of each point, ((left, right, top, bottom), text) of each area."""
    points, areas = [], []
    for group in re.findall(rf'<g class="at" stroke="{colour}">(.*?)</g>', picture, re.DOTALL):
        points += [((float(x), float(y)), text) for x, y, text in re.findall(
            r'<path d="M(-?[\d.]+),(-?[\d.]+)h0"><title>([^<]*)</title></path>', group)]
        areas += [((*sorted((float(left), float(right_end))), *sorted((float(top), float(bottom)))), text)
                  for left, top, right_end, bottom, text in re.findall(
                      r'<path class="area" d="M(-?[\d.]+),(-?[\d.]+)H(-?[\d.]+)V(-?[\d.]+)H[\d.]+z"><title>([^<]*)</title></path>', group)]
        same(len(points) + len(areas) > 0, True, f"parts of a group: {group[:200]}")
    return points, areas


def same_said(found, wanted, what):
    """Each wanted (place, text) is there, and no other."""
    same([text for _, text in found], [text for _, text in wanted], what)
    for (one, text), (other, _) in zip(found, wanted):
        right(all(abs(a - b) < 0.16 for a, b in zip(one, other)), f"{what}: {text} is at {one}, right is {other}")


def boxes_of(picture, colour):
    """(left, right, top, bottom) of the filled boxes of a colour, in the order in which they are drawn."""
    boxes = []
    for points in re.findall(rf"<polygon[^>]*fill\s*=\s*'{colour}'[^>]*points\s*=\s*'([^']*)'", picture):
        x, y = zip(*pairs(points))
        boxes.append((min(x), max(x), min(y), max(y)))
    return boxes
