"""A parser of OpenMetrics text, version 1.0, from the specification alone: its lines in their order,
names, labels and their escapes, counters' suffix, one block a family, no sample twice, # EOF last. And
one of Prometheus's text format, version 0.0.4."""

import re

from harness import right

NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"')
NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|Inf|NaN)")
SUFFIX = {"counter": ("_total",), "gauge": ("",), "info": ("_info",), "histogram": ("_bucket", "_count", "_sum")}


class Family:
    def __init__(self, name):
        self.name, self.type, self.help, self.samples = name, None, None, {}


def labels_of(text, line):
    """{name: value}, every octet of the text accounted for."""
    found, at = {}, 0
    while at < len(text):
        match = LABEL.match(text, at)
        right(match, f"labels: {line}")
        right(match[1] not in found, f"a label twice: {line}")
        found[match[1]] = re.sub(r"\\(.)", lambda m: {"n": "\n"}.get(m[1], m[1]), match[2])
        at = match.end()
        if at < len(text):
            right(text[at] == "," and at + 1 < len(text), f"labels: {line}")
            at += 1
    return found


def sample_of(line):
    match = re.fullmatch(r"([^\s{]+)(?:\{(.*)\})? (\S+)", line)
    right(match and NAME.fullmatch(match[1]) and NUMBER.fullmatch(match[3]), f"a sample: {line}")
    return match[1], labels_of(match[2] or "", line), float(match[3])


def describe(families, family, line, escaped=r'\\n"'):
    match = re.fullmatch(r"# (TYPE|HELP|UNIT) (\S+) (.*)", line)
    right(match and NAME.fullmatch(match[2]), f"a description: {line}")
    kind, name, text = match.groups()
    if family is None or family.name != name:
        right(name not in families, f"a family in two places: {line}")
        family = families[name] = Family(name)
    right(not family.samples, f"described behind its samples: {line}")
    if kind == "TYPE":
        right(family.type is None and text in SUFFIX, f"a type: {line}")
        family.type = text
    elif kind == "HELP":
        right(family.help is None and not re.search(rf"\\(?![{escaped}])", text), f"a help: {line}")
        family.help = text
    return family


def check_histogram(family):
    """Of each set of labels: bounds that rise to +Inf, counts of all below that never fall, the last of them the
    count, and a sum."""
    of = {}
    for (*labels, (_, end)), value in family.samples.items():
        bound = dict(labels).get("le")
        right((bound is not None) == (end == "_bucket"), f"{family.name}: a bound {bound} of {end}")
        bounds, ends = of.setdefault(tuple(label for label in labels if label[0] != "le"), ([], {}))
        if bound is None:
            ends[end] = value
        else:
            bounds.append((float(bound), value))
    for labels, (bounds, ends) in of.items():
        les, values = [le for le, _ in bounds], [value for _, value in bounds]
        right(les == sorted(set(les)) and values == sorted(values), f"{family.name} {labels}: not cumulative: {bounds}")
        right(bounds and bounds[-1] == (float("inf"), ends.get("_count")) and ends.get("_sum", -1) >= 0,
              f"{family.name} {labels}: {bounds[-1:]} and {ends}")


def families_of(lines, is_of, **described):
    """{name: family with its samples}; is_of(family, name): whether a sample of that name may be in the family."""
    families, family = {}, None
    for line in lines:
        if line.startswith("#"):
            family = describe(families, family, line, **described)
            continue
        name, labels, value = sample_of(line)
        right(family and family.type and is_of(family, name), f"a sample outside of its family: {line}")
        right(family.type != "counter" or value >= 0, f"a counter below 0: {line}")
        key = tuple(sorted(labels.items()))
        if family.type == "histogram":  # whose samples have three names
            key += ("", name.removeprefix(family.name)),
        right(key not in family.samples, f"a sample twice: {line}")
        family.samples[key] = value
    for family in families.values():
        right(family.type and family.help, f"{family.name} has no type or no help")
        if family.type == "histogram":
            check_histogram(family)
    return families


def sample_names(families):
    """What the samples of the text format's families are called."""
    return {name + end for name, one in families.items()
            for end in (SUFFIX["histogram"] if one.type == "histogram" else ("",))}


def parse(text):
    """{family: {its labels as sorted pairs: value}} and their types."""
    right(text.endswith("# EOF\n") and text.count("# EOF") == 1, "it does not end in # EOF")
    return families_of(text.split("\n")[:-2], lambda family, name: name in [family.name + s for s in SUFFIX[family.type]])


def parse_text(text):
    """The same of the text format: a family has the name of its samples, but of a histogram, and there is no
    type but these, as we have none of the others."""
    right(text.endswith("\n") and "# EOF" not in text, "its end")
    return families_of(text.split("\n")[:-1],
                       lambda family, name: name in [family.name + s for s in SUFFIX["histogram"]]
                       if family.type == "histogram" else family.type in ("counter", "gauge") and name == family.name,
                       escaped=r"\\n")
