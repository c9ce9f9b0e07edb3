# Writes a style as a C text, so that each page has it inside.
# usage: embed.py OUT STYLE
import json
import sys


def main(out, style):
    with open(style, encoding="ascii") as css:
        lines = "\n".join(f"    {json.dumps(line)}" for line in css)
    with open(out, "w", encoding="ascii") as c:
        c.write(f'#include "control/report/sections.h"\n\nconst char section_style[] =\n{lines};\n')


main(*sys.argv[1:])
