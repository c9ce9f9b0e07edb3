// See gi_sides.h.
#include "lab/captures/gi/gi_sides.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const struct gi_sides gi_sides_of_paper = {"GPRS", "Internet"};

static bool take(char name[GI_SIDE_OCTETS], const char *text, size_t n)
{
    if (n == 0 || n >= GI_SIDE_OCTETS)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)text[i]) && !strchr(" -", text[i]))
            return false;
    memcpy(name, text, n);
    name[n] = '\0';
    return true;
}

bool gi_sides_read(struct gi_sides *sides, const char *text)
{
    const char *comma = strchr(text, ',');
    return comma && take(sides->user, text, (size_t)(comma - text)) &&
           take(sides->host, comma + 1, strlen(comma + 1));
}

const char *gi_sides_in(const struct gi_sides *sides, const char *text, char *room, size_t octets)
{
    static const struct gi_sides *paper = &gi_sides_of_paper;
    size_t n = 0;
    room[0] = '\0';
    while (*text && n + 1 < octets) {
        bool is_user = strncmp(text, paper->user, strlen(paper->user)) == 0;
        bool is_host = strncmp(text, paper->host, strlen(paper->host)) == 0;
        const char *name = is_user ? sides->user : sides->host;
        if (!is_user && !is_host) {
            room[n++] = *text++;
            room[n] = '\0';
            continue;
        }
        text += strlen(is_user ? paper->user : paper->host);
        int wrote = snprintf(room + n, octets - n, "%s", name);
        n = (size_t)wrote < octets - n ? n + (size_t)wrote : octets - 1;
    }
    return room;
}
