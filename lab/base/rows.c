// See rows.h.
#include "lab/base/rows.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

char *rows_field(char **rest)
{
    char *field = *rest, *comma = field ? strchr(field, ',') : NULL;
    *rest = comma ? comma + 1 : NULL;
    if (comma)
        *comma = 0;
    return field;
}

bool rows_number(char **rest, uint64_t least, uint64_t most, uint64_t *number)
{
    const char *at = rows_field(rest);
    if (!at)
        return false;
    *number = 0;
    for (; *at >= '0' && *at <= '9' && *number <= most; at++)
        *number = 10 * *number + (uint64_t)(*at - '0');
    return *at == 0 && *number >= least && *number <= most;
}

bool rows_decimal(const char **text, int places, uint64_t most, uint64_t *number)
{
    const char *begin = *text, *at = begin;
    uint64_t whole = 0;
    for (; *at >= '0' && *at <= '9' && whole <= most; at++)
        whole = 10 * whole + (uint64_t)(*at - '0');
    if (at == begin || whole > most)
        return false;
    *number = whole;
    bool point = *at == '.';
    at += point;
    for (int i = 0; i < places; i++) {
        bool digit = point && *at >= '0' && *at <= '9';
        *number = 10 * *number + (digit ? (uint64_t)(*at - '0') : 0);
        at += digit;
    }
    while (point && *at >= '0' && *at <= '9')
        at++;
    *text = at + strspn(at, " \t");
    return true;
}

// Spreadsheets and editors leave blanks at the head's end, and the mark of UTF-8 before the first
// line.
static bool is_head(const char *text, const char *head)
{
    size_t n = strlen(head);
    return strncmp(text, head, n) == 0 && text[n + strspn(text + n, " \t")] == 0;
}

static char *without_mark(char *text)
{
    return strncmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text;
}

static const char *read_lines(FILE *in, const char *head, rows_take *take, void *self,
                              uint32_t *line)
{
    char room[ROWS_LINE_MOST + 2];
    bool has_head = false;
    while (fgets(room, sizeof room, in)) {
        size_t n = strcspn(room, "\r\n");
        ++*line;
        if (n == sizeof room - 1)
            return "a line of more than 200 octets";
        room[n] = 0;
        char *text = *line == 1 ? without_mark(room) : room;
        if (!*text || *text == '#')
            continue;
        if (!has_head && !is_head(text, head))
            return "the first line is not the head of such a file";
        const char *fault = has_head ? take(self, text) : NULL;
        if (fault)
            return fault;
        has_head = true;
    }
    return ferror(in) ? strerror(errno) : NULL;
}

const char *rows_read(const char *name, const char *head, rows_take *take, void *self,
                      uint32_t *line)
{
    struct stat about;
    *line = 0;
    if (stat(name, &about) == 0 && !S_ISREG(about.st_mode)) // a pipe would wait for its writer
        return "not a regular file";
    FILE *in = fopen(name, "re");
    if (!in)
        return strerror(errno);
    const char *fault = read_lines(in, head, take, self, line);
    fclose(in);
    return fault;
}

void rows_fault(const char *what, const char *name, uint32_t line, const char *fault, char *room,
                uint32_t octets)
{
    char where[20] = "";
    if (line)
        snprintf(where, sizeof where, ", line %u", line);
    snprintf(room, octets, "%s: %.120s%s: %.100s", what, name, where, fault);
}
