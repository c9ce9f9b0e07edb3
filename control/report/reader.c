// See reader.h.
#include "control/report/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control/report/below.h"

#define DIGITS_MAX 40

static bool wrong(struct reader *r, const char *what)
{
    snprintf(r->error, sizeof r->error, "line %llu: %s", (unsigned long long)r->lines, what);
    return false;
}

// Reads a line without its end. False: the end of the file, or an error.
static bool read_line(struct reader *r, char line[READER_LINE_OCTETS])
{
    if (!fgets(line, READER_LINE_OCTETS, r->file)) {
        if (ferror(r->file))
            wrong(r, strerror(errno));
        return false;
    }
    r->lines++;
    size_t n = strlen(line);
    if (n == 0 || (line[n - 1] != '\n' && !feof(r->file)))
        return wrong(r, "it is too long, or has a NUL");
    while (n && (line[n - 1] == '\n' || line[n - 1] == '\r'))
        line[--n] = '\0';
    return true;
}

// Moves a quoted cell to its own beginning; returns what is behind it, or NULL.
static char *unquote(char *cell)
{
    char *to = cell, *from = cell + 1;
    for (; *from; from++) {
        if (*from == '"' && from[1] != '"') {
            *to = '\0';
            return from + 1;
        }
        from += *from == '"';
        *to++ = *from;
    }
    return NULL;
}

// Splits the line in place.
static bool split(struct reader *r, char *line, char *cell[READER_CELLS_MAX], uint32_t *cells)
{
    for (*cells = 0;; line++) {
        if (*cells == READER_CELLS_MAX)
            return wrong(r, "more than 256 cells");
        char *end = *line == '"' ? unquote(line) : line + strcspn(line, ",");
        if (!end || (*end && *end != ','))
            return wrong(r, "quotes that do not end with their cell");
        cell[(*cells)++] = line;
        line = end;
        if (!*line)
            return true;
        *line = '\0';
    }
}

FILE *reader_file(const char *path, size_t root_octets)
{
    struct stat stat;
    int fd = below_open(path, root_octets, 0);
    if (fd < 0)
        return NULL;
    bool regular = fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode);
    FILE *file = regular ? fdopen(fd, "r") : NULL;
    if (!file)
        close(fd);
    if (!regular)
        errno = EINVAL;
    return file;
}

bool reader_open(struct reader *r, const char *path, size_t root_octets, bool *absent)
{
    *r = (struct reader){.file = reader_file(path, root_octets)};
    *absent = !r->file && errno == ENOENT;
    if (!r->file) {
        snprintf(r->error, sizeof r->error, "%s", below_fault(errno));
        return false;
    }
    if (read_line(r, r->head) && split(r, r->head, r->name, &r->columns))
        return true;
    if (!r->error[0])
        wrong(r, "a row of names is missing");
    reader_close(r);
    return false;
}

void reader_close(struct reader *r)
{
    if (r->file)
        fclose(r->file);
    r->file = NULL;
}

int reader_column(const struct reader *r, const char *name)
{
    for (uint32_t i = 0; i < r->columns; i++)
        if (strcmp(r->name[i], name) == 0)
            return (int)i;
    return -1;
}

bool reader_columns(struct reader *r, const char *const *names, int *columns, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        columns[i] = reader_column(r, names[i]);
        if (columns[i] < 0)
            snprintf(r->error, sizeof r->error, "no column %s", names[i]);
    }
    return !r->error[0];
}

bool reader_next(struct reader *r)
{
    if (!read_line(r, r->line) || !split(r, r->line, r->cell, &r->cells))
        return false;
    return r->cells == r->columns || wrong(r, "not as many cells as there are names");
}

bool reader_number(struct reader *r, int column, double *number)
{
    const char *cell = r->cell[column];
    size_t n = strspn(cell, "0123456789."), whole = strcspn(cell, ".");
    if (!*cell)
        return false;
    if (cell[n] || n > DIGITS_MAX || whole == 0 || strchr(cell, '.') != strrchr(cell, '.'))
        return wrong(r, "a cell that is not a number where one must be");
    *number = strtod(cell, NULL);
    return true;
}
