"""Lists the faults that can be planted in a text: slips of a programmer, in text that the compiler
reads. A fault replaces text[start:end] by `new`."""

import re
from collections import namedtuple

from planting import tokens as lexer

Fault = namedtuple("Fault", "path function line kind start end new old_line new_line")

WHOLE_FILE = "(file)"
# Texts for people, prefetches, checks of the compiler, attributes, and hints of a size.
NOT_PLANTED = re.compile(r"^(_?_?static_assert|_Static_assert|assert|RTE_BUILD_BUG_ON|\w*prefetch\w*"
                         r"|(\w+_)?log(_\w+)?|rte_log|perror|unseen\w*|alignas|_Alignas|aligned"
                         r"|__attribute__|__asm__|lua_createtable|describe|help)$")
COMPARED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "~=": "=="}
SUMS = {"+": "-", "-": "+", "*": "/", "/": "*", "//": "*", "+=": "-=", "-=": "+=", "<<": ">>",
        ">>": "<<", "&": "|", "|": "&", "|=": "&=", "&=": "|=", "%": "/"}
LOGIC = {"&&": "||", "||": "&&", "and": "or", "or": "and"}
TRUTH = {"true": "false", "false": "true"}
STATEMENT_LINES = 4  # a longer statement is not forgotten whole


def other_numbers(text, is_lua):
    found = re.fullmatch(r"(0[xX][\da-fA-F]+|\d+)([uUlL]*)", text)
    if not found:
        decimal = re.fullmatch(r"(\d*\.\d+|\d+\.\d*)([fF]?)", text)
        return [f"{float(decimal[1]) * 2 + (float(decimal[1]) == 0)}{decimal[2]}"] if decimal else []
    base = 16 if found[1].lower().startswith("0x") else 8 if re.match(r"0\d", found[1]) else 10
    if base == 8 and is_lua:
        base = 10
    value, form = int(found[1], base), {16: "{:#x}", 8: "0{:o}", 10: "{}"}[base]
    others = (value + 1, value - 1)
    if value and value % 10 == 0:  # a round number: a difference of 1 has no effect
        others = (value * 2, value // 2)
    return [form.format(v) + found[2] for v in others if v >= 0]


class Text:
    """A file's tokens, and the faults for each token."""

    def __init__(self, path, text):
        self.path, self.text, self.is_lua = path, text, path.endswith(".lua")
        self.tokens = lexer.tokens_of(text, self.is_lua)
        self.partner = lexer.partners(self.tokens)
        self.words = lexer.LUA_WORDS if self.is_lua else lexer.C_WORDS
        self.blocks = lexer.lua_blocks(self.tokens) if self.is_lua else None
        self.function = self.functions()
        self.left_out()

    def functions(self):
        if self.is_lua:
            return [name or WHOLE_FILE for name in lexer.lua_functions(self.tokens)]
        of = [WHOLE_FILE] * len(self.tokens)
        for name, first, last in lexer.c_functions(self.tokens, self.partner):
            of[first:last + 1] = [name] * (last + 1 - first)
        return of

    def left_out(self):
        """Gives tokens that get no fault the function None."""
        for at, token in enumerate(self.tokens):
            if self.function[at] and NOT_PLANTED.match(self.function[at]):
                self.function[at] = None
            if token.kind == "line":
                self.function[at] = None
            if token.text == "[" and self.is_array_declared(at):
                for i in range(at, self.partner[at] + 1):
                    self.function[i] = None
            if token.text == "__builtin_expect":  # the value is a hint, the condition is not
                for i in at, at + 1, self.partner[at + 1] - 1:
                    self.function[i] = None
            if token.kind == "name" and NOT_PLANTED.match(token.text):
                after = at + 1
                if self.is_lua and self.at(after).text == ".":
                    after += 2  # log.info(...)
                if self.at(after).text == "(" and after in self.partner:
                    for i in range(at, self.partner[after] + 1):
                        self.function[i] = None

    def is_array_declared(self, at):
        """`type name[SIZE]`: one element more changes no result."""
        before = self.at(at - 2)
        of_type = before.kind == "name" and before.text not in ("return", "else", "case", "sizeof")
        return (not self.is_lua and at in self.partner and self.at(at - 1).kind == "name"
                and (of_type or (before.text == "*" and self.is_pointer(at - 2))))

    def at(self, i):
        return self.tokens[i] if 0 <= i < len(self.tokens) else lexer.Token("op", "", 0, 0, 0)

    def is_operand_before(self, i):
        before = self.at(i - 1)
        return before.kind in ("number", "text") or before.text in (")", "]") or (
            before.kind == "name" and before.text not in self.words)

    def fault(self, at, kind, start, end, new):
        first = self.text.rfind("\n", 0, start) + 1
        last = self.text.find("\n", end)
        last = len(self.text) if last < 0 else last
        old_line = self.text[first:last]
        new_line = self.text[first:start] + new + self.text[end:last]
        return Fault(self.path, self.function[at], self.text.count("\n", 0, start) + 1, kind, start,
                     end, new, " ".join(old_line.split()), " ".join(new_line.split()))

    def replaced(self, at, kind, new):
        return self.fault(at, kind, self.tokens[at].start, self.tokens[at].end, new)

    # --- At a single token ------------------------------------------------------------------------

    def at_token(self, at):
        token = self.tokens[at]
        if token.kind == "number" and self.at(at - 1).text != "goto":
            for other in other_numbers(token.text, self.is_lua):
                yield self.replaced(at, "constant", other)
        elif token.text in TRUTH and token.kind == "name":
            yield self.replaced(at, "constant", TRUTH[token.text])
        if self.function[at] == WHOLE_FILE:
            return
        if token.text in LOGIC:
            yield self.replaced(at, "and or", LOGIC[token.text])
        elif token.text in COMPARED and self.is_operand_before(at):
            unequal = self.is_lua and token.text == "=="
            yield self.replaced(at, "comparison", "~=" if unequal else COMPARED[token.text])
            yield from self.bound(at)
        elif token.text in SUMS and self.is_operand_before(at) and not self.is_pointer(at):
            yield self.replaced(at, "sum", SUMS[token.text])
        elif token.text in ("!", "not") and token.kind in ("op", "name"):
            yield self.replaced(at, "negation", "")
        elif token.text == "if" or (token.text == "elseif" and self.is_lua):
            yield from self.condition(at)
        elif token.text == "[" and self.at(at + 2).text == "]" and self.at(at + 1).kind == "name":
            if self.is_operand_before(at):
                yield self.fault(at, "off by one", self.at(at + 1).end, self.at(at + 1).end, " + 1")
        elif token.text == "(" and at in self.partner:
            yield from self.arguments(at)

    def is_pointer(self, at):
        """`type *name`: clang-format leaves no space after the star of a pointer."""
        token = self.tokens[at]
        return not self.is_lua and token.text in ("*", "&") and self.text[token.end] != " "

    def bound(self, at):
        if self.tokens[at].text not in ("<", "<=", ">", ">="):
            return
        i = at + 1
        while self.at(i).kind == "name" and self.at(i + 1).text in (".", "->"):
            i += 2
        stops = (")", ";", "&&", "||", "?", "then", "and", "or", "do")
        if self.at(i).kind == "name" and self.at(i + 1).text in stops:
            for change in (" + 1", " - 1"):
                yield self.fault(at, "off by one", self.at(i).end, self.at(i).end, change)

    def condition(self, at):
        first = at + 1
        if self.is_lua:
            last = next((i for i in range(first, len(self.tokens))
                         if self.tokens[i].text == "then" and self.tokens[i].kind == "name"), None)
            if last is None:
                return
            start, end = self.at(first).start, self.at(last - 1).end
            yield self.fault(at, "negation", start, end, f"not ({self.text[start:end]})")
        elif self.at(first).text == "(" and first in self.partner:
            start, end = self.at(first).end, self.at(self.partner[first]).start
            yield self.fault(at, "negation", start, end, f"!({self.text[start:end]})")

    def arguments(self, at):
        """Swaps each two neighbouring arguments of a call."""
        name = self.at(at - 1)
        if name.kind != "name" or name.text in self.words or self.is_definition(at - 1):
            return
        close, starts, i = self.partner[at], [at + 1], at + 1
        while i < close:
            if self.tokens[i].text in lexer.OPENS and i in self.partner:
                i = self.partner[i]
            elif self.tokens[i].text == ",":
                starts.append(i + 1)
            i += 1
        ends = [start - 2 for start in starts[1:]] + [close - 1]
        spans = [(self.at(a).start, self.at(b).end) for a, b in zip(starts, ends)]
        for (a, b), (c, d) in zip(spans, spans[1:]):
            one, other = self.text[a:b], self.text[c:d]
            if one.split() != other.split() and "\n" not in self.text[a:d]:
                yield self.fault(at, "swapped arguments", a, d, other + self.text[b:c] + one)

    def is_definition(self, at):
        while self.is_lua and self.at(at - 1).text in (".", ":"):
            at -= 2
        return self.at(at - 1).text == "function"

    # --- Statements -------------------------------------------------------------------------------

    def statements(self):
        """(first, last) token of each statement that a programmer may forget."""
        yield from self.lua_statements() if self.is_lua else self.c_statements()

    def c_statements(self):
        round_brackets = 0
        for at, token in enumerate(self.tokens):
            round_brackets += (token.text == "(") - (token.text == ")")
            before = self.at(at - 1)
            starts = before.text in (";", "{", "}", "else", ":") or (
                before.text == ")" and at - 1 in self.partner
                and self.at(self.partner[at - 1] - 1).text in ("if", "for", "while"))
            if not starts or round_brackets - (token.text == "(") or self.is_declaration(at):
                continue
            last = at
            while last < len(self.tokens) and self.tokens[last].text not in (";", *lexer.CLOSES):
                last = max(last, self.partner.get(last, last)) + 1
            if self.at(last).text == ";" and self.is_forgettable(at, last):
                yield at, last

    def is_declaration(self, at):
        first, second = self.at(at), self.at(at + 1)
        return first.kind == "name" and first.text not in ("return", "break", "continue") and (
            first.text in self.words or second.kind == "name" or second.text == ":"
            or (second.text == "*" and self.is_pointer(at + 1)))

    def is_forgettable(self, at, last):
        first = self.at(at)
        if first.text == "return":  # a function's last return is not forgotten
            return self.at(last + 1).text != "}" or self.function[last + 2:last + 3] == [self.function[at]]
        if first.text in ("break", "continue"):
            return True
        if first.kind != "name" and first.text not in ("*", "++", "--", "("):
            return False
        return any(self.tokens[i].text in ("=", "(", "++", "--") or (
            self.tokens[i].kind == "op" and re.fullmatch(r"(<<|>>|[-+*/%&|^])=", self.tokens[i].text))
            for i in range(at, last))

    def lua_statements(self):
        going_on = {"=", ",", "(", "{", "[", "and", "or", "not", "..", "+", "-", "*", "/", "//", "==",
                    "~=", "<", ">", "<=", ">=", "return", "in", ".", ":", "&", "|"}
        joins = {"and", "or", "..", "+", "-", "*", "/", "//", "==", "~=", "<", ">", "<=", ">=", ".",
                 ":", ")", "]", "}", ",", "&", "|"}
        for at, token in enumerate(self.tokens):
            before, depth = self.at(at - 1), len(self.blocks[at])
            is_block = not self.blocks[at] or self.blocks[at][-1][0] not in lexer.OPENS
            opens = before.text in ("then", "else", "do", "repeat") and before.kind == "name"
            starts = opens or (before.line < token.line and before.text not in going_on)
            is_name = token.kind == "name" and token.text not in self.words
            if not is_block or not starts or not (is_name or token.text in ("return", "break")):
                continue
            if token.text == "return" and (not depth or self.blocks[at][-1][0] == "function"):
                continue
            last = at
            while last + 1 < len(self.tokens):
                following = self.tokens[last + 1]
                if len(self.blocks[last + 1]) < depth or (len(self.blocks[last + 1]) == depth and (
                        following.text in ("else", "elseif") or (
                            following.line > self.line_of_end(last) and following.text not in joins
                            and self.tokens[last].text not in going_on))):
                    break
                last += 1
            yield at, last

    def line_of_end(self, at):
        return self.tokens[at].line + self.tokens[at].text.count("\n")

    def forgotten(self):
        for at, last in self.statements():
            if any(self.function[i] in (None, WHOLE_FILE) for i in range(at, last + 1)):
                continue
            start, end = self.at(at).start, self.at(last).end
            lines = self.text.count("\n", start, end)
            if lines < STATEMENT_LINES:
                word = self.at(at).text
                kind = f"dropped {word}" if word in ("return", "break", "continue") else "forgotten"
                yield self.fault(at, kind, start, end, ("" if self.is_lua else "{}") + "\n" * lines)

    def faults(self):
        found = list(self.forgotten())
        for at, _ in enumerate(self.tokens):
            if self.function[at]:
                found += self.at_token(at)
        return sorted(set(found), key=lambda f: (f.start, f.kind, f.new))

    def weights(self):
        """The number of lines of code of each function."""
        lines = {}
        for token, name in zip(self.tokens, self.function):
            lines.setdefault(name, set()).add(token.line)
        return {name: len(numbers) for name, numbers in lines.items() if name}


def planted(text, fault):
    return text[:fault.start] + fault.new + text[fault.end:]
