// See drawn.h.
#include "tests/fuzz/drawn.h"

#include <string.h>

#include "control/report/plot.h"
#include "control/report/script.h"
#include "tests/fuzz/check.h"

void expect_page(const char *page, size_t octets)
{
    for (size_t i = 0; i < octets; i++)
        CHECK(page[i] == '\n' || ((unsigned char)page[i] >= ' ' && page[i] != 127));
    CHECK(octets == 0 || !strstr(page, "<script"));
}

// A quoted text ends in its line, and outside of texts there is no command of the shell's, no pipe
// and no other file.
static void expect_script(char *script)
{
    for (char *at = script; *at; at++) {
        CHECK(*at == '\n' || ((unsigned char)*at >= ' ' && *at != 127));
        if (*at != '\'' && *at != '"')
            continue;
        char *end = strpbrk(at + 1, *at == '"' ? "\"\n\\" : "'\n");
        CHECK(end && *end == *at);
        memset(at, ' ', (size_t)(end - at + 1));
        at = end;
    }
    CHECK(!strpbrk(script, "`|!\\") && !strstr(script, "system") && !strstr(script, "load"));
}

// In place of plot.c's, whose child would be most of the time.
char **plot_draw(const struct plot *plots, uint32_t count, char error[256])
{
    char *script = NULL, **svg = calloc(count, sizeof *svg);
    size_t octets;
    (void)error;
    for (uint32_t i = 0; i < count; i++) {
        FILE *out = open_memstream(&script, &octets);
        CHECK(svg && out);
        script_put(&plots[i], out);
        fclose(out);
        expect_script(script);
        free(script);
        svg[i] = strdup("<svg></svg>");
        CHECK(svg[i]);
    }
    return svg;
}
