#!/usr/bin/python3
"""Holds every require of lua/sluice against tests/lint/requires.txt, the floors of its folders."""

import collections
import re
import sys

from tap import files, report, root_argument, table_rows, text_of

TABLE = "tests/lint/requires.txt"
BUILT_IN = "lua/meson.build"
HOME = "lua/sluice"
FOLDER_MOST = 25  # modules
COMMENT = re.compile(r"--.*")
REQUIRE = re.compile(r"\brequire\b")
PACKAGE = re.compile(r"\bpackage\s*[.\[]")
LITERAL = re.compile(r'\brequire\s*\(?\s*"([\w.]+)"')
FUNCTION = re.compile(r"\bfunction\b")


class Table:
    """Rows: a folder, then the folders and, in <>, the modules that C makes that it may require."""

    def __init__(self, root):
        self.rows, self.sins = {}, []
        for line, (folder, *words) in table_rows(root, TABLE):
            for word in words:
                if word not in self.rows and not word.startswith("<"):
                    self.sins.append(f"{TABLE}:{line}: {folder} may not require {word}: no row above "
                                     "is of that name")
            self.rows[folder] = words
        self.guarded = {word for words in self.rows.values() for word in words
                        if word.startswith("<")}

    def allows(self, folder, name):
        """May a module of this folder require that one? The C's own have no point in their names."""
        if not name.startswith("sluice."):
            return f"<{name}>" not in self.guarded or f"<{name}>" in self.rows[folder]
        other = folder_of(name)
        return other == folder or other in self.rows[folder]


def folder_of(name):
    """sluice.ns.vc is of the folder ns, sluice.control of the folder "."."""
    return ".".join(name.split(".")[1:-1]) or "."


def name_of(path):
    return ".".join(path.relative_to("lua").with_suffix("").parts)


class Module:
    """One file: what it requires, and where it does not do so as it should."""

    def __init__(self, root, path):
        self.path, self.name, self.requires, self.sins = path, name_of(path), {}, []
        self.folder = folder_of(self.name)
        inside = False
        for number, line in enumerate(text_of(root, path).splitlines(), 1):
            line = COMMENT.sub("", line)
            inside = inside or bool(FUNCTION.search(line))
            literals = LITERAL.findall(line)
            if len(REQUIRE.findall(line)) != len(literals) or PACKAGE.search(line):
                self.sins.append(f"{path}:{number}: require takes a name in quotes, and nothing else "
                                 f"is done with it: {line.strip()}")
            elif literals and inside:
                self.sins.append(f"{path}:{number}: require {', '.join(literals)}: it stands at the "
                                 "head of the file, before its first function")
            for name in literals:
                self.requires.setdefault(name, number)


def circles(modules):
    """Each module that requires itself by way of others, with the shortest way round."""
    for start in sorted(modules):
        came_from, queue = {}, collections.deque([start])
        while queue and start not in came_from:
            name = queue.popleft()
            for other in modules[name].requires:
                if other in modules and other not in came_from:
                    came_from[other] = name
                    queue.append(other)
        if start in came_from:
            way = [start, came_from[start]]
            while way[-1] != start:
                way.append(came_from[way[-1]])
            yield f"{modules[start].path}: " + " -> ".join(reversed(way))


def judge(table, modules, module):
    if module.folder not in table.rows:
        yield "row", f"{module.path}: {module.folder} has no row in {TABLE}; add one"
        return
    for name, number in module.requires.items():
        where = f"{module.path}:{number}: "
        if name.startswith("sluice.") and name not in modules:
            yield "row", f"{where}{name} is no module of ours"
        elif not table.allows(module.folder, name):
            yield "floors", f"{where}{module.folder} may not require {name}"


def too_many(modules):
    sizes = collections.Counter(module.folder for module in modules.values())
    return [f"{HOME}/{folder} has {size} modules; make two folders of it" for folder, size in
            sorted(sizes.items()) if size > FOLDER_MOST]


def not_built_in(root, modules):
    if not (root / BUILT_IN).exists():
        return [f"{BUILT_IN} is missing"]
    listed = set(re.findall(r"'(sluice/[\w/]+\.lua)'", text_of(root, BUILT_IN)))
    found = {module.path.relative_to("lua").as_posix() for module in modules.values()}
    return [f"{BUILT_IN} and the files differ in {path}" for path in sorted(listed ^ found)]


def main():
    root = root_argument()
    table = Table(root)
    paths = [path for path in files(root, ".lua") if path.as_posix().startswith(HOME + "/")]
    modules = {module.name: module for module in (Module(root, path) for path in paths)}
    rules = {"row": [], "floors": list(table.sins)}
    for module in modules.values():
        for rule, sin in judge(table, modules, module):
            rules[rule].append(sin)
    heads = [sin for module in modules.values() for sin in module.sins]
    return report({"requires: every folder has a row, every name a file": rules["row"],
                   "requires: the floors are those of the table": rules["floors"],
                   "requires: at the head of the file": heads,
                   "requires: no module requires itself by way of others": list(circles(modules)),
                   f"requires: a folder has at most {FOLDER_MOST} modules": too_many(modules),
                   "requires: every module is built in": not_built_in(root, modules)})


if __name__ == "__main__":
    sys.exit(main())
