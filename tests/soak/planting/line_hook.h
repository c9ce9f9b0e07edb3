// reach.py includes this in a copy of control/bind/bind.c: each line of Lua that runs is written to
// the file $LUA_LINES, once a process and at once, because tests also kill programs.
#pragma once

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <lua.h>

enum { LINE_HASHES = 1 << 24 }; // some 20 000 lines: two seldom share a hash

static void note_line(lua_State *L, lua_Debug *at)
{
    static uint8_t seen[LINE_HASHES];
    static int file = -1;
    lua_getinfo(L, "Sl", at);
    uint32_t hash = (uint32_t)at->currentline * 2654435761U;
    for (const char *s = at->source; *s; s++)
        hash = (hash ^ (uint8_t)*s) * 16777619U;
    hash %= LINE_HASHES;
    if (seen[hash])
        return;
    seen[hash] = 1;
    const char *path = getenv("LUA_LINES");
    if (file < 0 && path)
        file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file >= 0 && at->source[0] == '@')
        dprintf(file, "%s:%d\n", at->source + 1, at->currentline);
}
