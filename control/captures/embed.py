# Writes what sluice gi --scenario fills in as C texts: the configuration, with the settings of recommended.lua in it,
# and the targets.
# usage: embed.py OUT CONFIGURATION TARGETS RECOMMENDED
import json
import re
import sys


def read(path):
    with open(path, encoding="ascii") as lua:
        return lua.read()


def c_text(name, text):
    lines = "\n".join(f"    {json.dumps(line)}" for line in text.splitlines(keepends=True))
    return f"\nconst char {name}[] =\n{lines};\n"


def main(out, configuration, targets, recommended):
    settings = re.findall(r'^\s*"([^"]+)",', read(recommended), re.MULTILINE)
    inside = "".join(f'            "{setting}",\n' for setting in settings)
    with open(out, "w", encoding="ascii") as c:
        c.write('#include "control/captures/gi_scenario.h"\n')
        c.write(c_text("gi_scenario_template", read(configuration).replace("@recommended@", inside)))
        c.write(c_text("gi_scenario_targets", read(targets)))


main(*sys.argv[1:])
