# Writes the configuration that sluice gi --scenario fills in as a C text, with the settings of recommended.lua in it.
# usage: embed.py OUT TEMPLATE RECOMMENDED
import json
import re
import sys


def main(out, template, recommended):
    with open(recommended, encoding="ascii") as lua:
        settings = re.findall(r'^\s*"([^"]+)",', lua.read(), re.MULTILINE)
    with open(template, encoding="ascii") as lua:
        text = lua.read().replace("@recommended@", "".join(f'            "{setting}",\n' for setting in settings))
    lines = "\n".join(f"    {json.dumps(line)}" for line in text.splitlines(keepends=True))
    with open(out, "w", encoding="ascii") as c:
        c.write(f'#include "control/captures/gi_scenario.h"\n\nconst char gi_scenario_template[] =\n{lines};\n')


main(*sys.argv[1:])
