# Writes the Lua files of the control plane as C arrays, so that the program needs none at run time.
# usage: embed.py OUT ROOT FILE...
import os
import sys


def c_array(text):
    rows = [text[i:i + 16] for i in range(0, len(text), 16)]
    return "\n".join("    " + ", ".join(str(octet) for octet in row) + "," for row in rows)


def main(out, root, *files):
    names = [os.path.relpath(f, root)[:-len(".lua")].replace(os.sep, ".") for f in files]
    with open(out, "w") as c:
        c.write('#include "control/bind/internal.h"\n')
        for i, f in enumerate(files):
            with open(f, "rb") as lua:
                c.write(f"static const unsigned char text_{i}[] = {{\n{c_array(lua.read())}\n}};\n")
        c.write("const struct lua_module lua_modules[] = {\n")
        for i, name in enumerate(names):
            c.write(f'    {{"{name}", (const char *)text_{i}, sizeof text_{i}}},\n')
        c.write("};\n")
        c.write(f"const unsigned lua_module_count = {len(names)};\n")


main(*sys.argv[1:])
