// `require "sha256"`: a function, the digest of a text as 64 hexadecimal digits (FIPS 180-4).
// `require "sha256_file"`: that of a file by its path, of any size; or nil and why not. By libmd:
// intel-ipsec-mb's SHA-256 wants a processor with AES instructions, which x86-64-v2 may lack.
#include "control/bind/internal.h"

#include <errno.h>
#include <sha2.h>
#include <string.h>
#include <unistd.h>

static int digest(lua_State *L)
{
    char hex[SHA256_DIGEST_STRING_LENGTH];
    size_t n;
    const char *text = luaL_checklstring(L, 1, &n);
    lua_pushstring(L, SHA256Data((const uint8_t *)text, n, hex));
    return 1;
}

static int digest_file(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    char hex[SHA256_DIGEST_STRING_LENGTH];
    uint8_t b[64 * 1024];
    SHA2_CTX context;
    int fd = config_open_file(path);
    ssize_t n = fd < 0 ? -1 : 0;
    SHA256Init(&context);
    while (fd >= 0 && (n = read(fd, b, sizeof b)) > 0)
        SHA256Update(&context, b, (size_t)n);
    int fault = errno;
    if (fd >= 0)
        close(fd);
    if (n == 0) {
        lua_pushstring(L, SHA256End(&context, hex));
        return 1;
    }
    lua_pushnil(L);
    lua_pushfstring(L, "%s: %s", path, strerror(fault));
    return 2;
}

int digest_open(lua_State *L)
{
    lua_pushcfunction(L, digest);
    return 1;
}

int digest_file_open(lua_State *L)
{
    lua_pushcfunction(L, digest_file);
    return 1;
}
