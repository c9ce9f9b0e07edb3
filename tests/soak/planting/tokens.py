"""Cuts C and Lua into tokens, as far as planting a fault needs: drops comments, marks strings, and
finds the function around each token."""

import re
from collections import namedtuple

# kind: name, number, text (a string or a character), line (a directive of the preprocessor), op.
Token = namedtuple("Token", "kind text start end line")

C = re.compile(r"""(?P<gap>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<line>(?:(?<=\n)|\A)[ \t]*\#(?:\\\n|[^\n])*)
    |(?P<text>L?"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
    |(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<op><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)""", re.X | re.S)
LUA = re.compile(r"""(?P<gap>\s+|--\[(?P<a>=*)\[.*?\](?P=a)\]|--[^\n]*)
    |(?P<text>\[(?P<b>=*)\[.*?\](?P=b)\]|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
    |(?P<number>0[xX][\da-fA-F]+|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<op>\.\.\.|\.\.|==|~=|<=|>=|//|::|<<|>>|.)""", re.X | re.S)

C_WORDS = set("if else for while do switch case default return break continue goto sizeof struct union"
              " enum const static inline typedef extern volatile void".split())
LUA_WORDS = set("and break do else elseif end false for function goto if in local nil not or repeat"
                " return then true until while".split())

OPENS, CLOSES = {"(": ")", "[": "]", "{": "}"}, {")", "]", "}"}


def tokens_of(text, is_lua):
    tokens, line = [], 1
    for found in (LUA if is_lua else C).finditer(text):
        kind = found.lastgroup
        if found["gap"] is None:
            kind = next(k for k in ("line", "text", "number", "name", "op")
                        if found.groupdict().get(k) is not None)
            tokens.append(Token(kind, found[0], found.start(), found.end(), line))
        line += found[0].count("\n")
    return tokens


def partners(tokens):
    """{index of a bracket: index of its partner}, for opening and closing brackets."""
    stack, partner = [], {}
    for at, token in enumerate(tokens):
        if token.kind != "op":
            continue
        if token.text in OPENS:
            stack.append(at)
        elif token.text in CLOSES and stack:
            partner[at] = stack.pop()
            partner[partner[at]] = at
    return partner


def c_functions(tokens, partner):
    """(name, first token, last token) of each function body; the name is None for a struct."""
    bodies, at = [], 0
    while at < len(tokens):
        token = tokens[at]
        if token.text != "{" or token.kind != "op" or at not in partner:
            at += 1
            continue
        before = tokens[at - 1] if at else token
        if before.text == ")" and partner.get(at - 1, 0) > 0:
            bodies.append((tokens[partner[at - 1] - 1].text, at, partner[at]))
        elif any(t.text in ("struct", "union") for t in tokens[max(0, at - 2):at]):
            bodies.append((None, at, partner[at]))
        elif any(t.text == "extern" for t in tokens[max(0, at - 2):at]):
            at += 1  # extern "C"
            continue
        at = partner[at] + 1
    return bodies


def lua_blocks(tokens):
    """For each token the blocks around the token, outermost first: (word or bracket, its index)."""
    stack, inside = [], []
    for at, token in enumerate(tokens):
        closes = token.text in ("end", "until") if token.kind == "name" else token.text in CLOSES
        if token.kind in ("name", "op") and closes and stack:
            stack.pop()
        inside.append(tuple(stack))
        if (token.kind == "name" and token.text in ("function", "if", "do", "repeat")) or (
                token.kind == "op" and token.text in OPENS):
            stack.append((token.text, at))
    return inside


def lua_function_name(tokens, at):
    """The name of the function at the word `function`; None for a function without a name."""
    parts = []
    for token in tokens[at + 1:]:
        if token.text == "(":
            break
        parts.append(token.text)
    if not parts and at >= 2 and tokens[at - 1].text == "=":
        return tokens[at - 2].text
    return "".join(parts) or None


def lua_functions(tokens):
    """For each token the innermost named function around the token, or None."""
    names, of = {}, []
    for stack in lua_blocks(tokens):
        name = None
        for word, at in stack:
            if word == "function":
                if at not in names:
                    names[at] = lua_function_name(tokens, at)
                name = names[at] or name
        of.append(name)
    return of
