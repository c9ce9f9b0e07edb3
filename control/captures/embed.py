# Writes the configurations that sluice gi and sluice audit fill in as C texts, with the settings of recommended.lua
# in them, and the queue that both begin with.
# usage: embed.py OUT RECOMMENDED QUEUE FILE...: the text of a/b.lua is b_template
import json
import pathlib
import re
import sys


def read(path):
    with open(path, encoding="ascii") as lua:
        return lua.read()


def c_text(name, text):
    lines = "\n".join(f"    {json.dumps(line)}" for line in text.splitlines(keepends=True))
    return f"\nextern const char {name}[];\nconst char {name}[] =\n{lines};\n"


def main(out, recommended, queue, *files):
    settings = re.findall(r'^\s*"([^"]+)",', read(recommended), re.MULTILINE)
    inside = "".join(f'            "{setting}",\n' for setting in settings)
    with open(out, "w", encoding="ascii") as c:
        c.write("// Made by embed.py.\n")
        for path in files:
            name = pathlib.Path(path).stem + "_template"
            c.write(c_text(name, read(path).replace("@recommended@", inside).replace("@queue@", read(queue))))


main(*sys.argv[1:])
