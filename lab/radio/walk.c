// See walk.h.
#include "lab/radio/walk.h"

#include <stdlib.h>
#include <string.h>

#include "dataplane/base/units.h"
#include "lab/base/rows.h"
#include "lab/engine/need.h"
#include "lab/radio/config.h"

#define PERCENT_DIGITS 4 // of a percent, behind the point: parts per million

static const char *const words[RADIO_CODINGS] = {
#define CODING(NAME, words, mode, blocks, octets) [RADIO_CODING_##NAME] = words,
#include "lab/radio/codings.def"
#undef CODING
};

// The next field without the blanks around it; NULL: there is none left.
static char *field_of(char **rest)
{
    char *text = rows_field(rest);
    if (!text)
        return NULL;
    text += strspn(text, " \t");
    size_t n = strlen(text);
    while (n > 0 && strchr(" \t", text[n - 1]))
        text[--n] = 0;
    return text;
}

// RATE: it is none of them.
static uint32_t coding_of(const char *text)
{
    for (uint32_t coding = RADIO_CODING_RATE + 1; coding < RADIO_CODINGS; coding++)
        if (text && strcmp(text, words[coding]) == 0)
            return coding;
    return RADIO_CODING_RATE;
}

static bool take_time(const char *text, uint64_t *at_ns)
{
    return text && rows_decimal(&text, 9, RADIO_WALK_TIME_MOST, at_ns) && !*text;
}

static bool take_percent(const char *text, uint64_t *ppm)
{
    return text && rows_decimal(&text, PERCENT_DIGITS, 99, ppm) && strcmp(text, "%") == 0;
}

static bool is_cs(uint32_t coding)
{
    return coding < RADIO_CODING_MCS1;
}

static const char *read_row(char *rest, const struct radio_walk *walk, struct radio_walk_row *row)
{
    uint64_t ppm;
    if (!take_time(field_of(&rest), &row->at_ns))
        return "time: allowed seconds from 0 to 1000000, such as 12.5";
    if (walk->rows && row->at_ns <= walk->row[walk->rows - 1].at_ns)
        return "time: not above that of the row before";
    row->coding = coding_of(field_of(&rest));
    if (row->coding == RADIO_CODING_RATE)
        return "down_coding: allowed CS-1 to CS-4 and MCS-1 to MCS-9";
    if (walk->rows && is_cs(row->coding) != is_cs(walk->row[0].coding))
        return "down_coding: allowed CS alone or MCS alone in a file, as in its first row";
    if (!take_percent(field_of(&rest), &ppm))
        return "down_bler: allowed a probability below 100 %, such as 5 %";
    row->bler_ppm = (uint32_t)ppm;
    return rest ? "more columns than the head has" : NULL;
}

static const char *take_row(void *self, char *text)
{
    struct radio_walk *walk = self;
    struct radio_walk_row row;
    const char *fault = read_row(text, walk, &row);
    if (fault)
        return fault;
    if (walk->rows == RADIO_WALK_ROWS_MOST)
        return "more than 1000000 rows";
    if (walk->rows == walk->room) {
        walk->room = walk->room ? 2 * walk->room : 64;
        walk->row = need(realloc(walk->row, walk->room * sizeof *walk->row));
    }
    walk->row[walk->rows++] = row;
    return NULL;
}

struct radio_walk *radio_walk_read(const char *name, char error[RADIO_WALK_ERROR_ROOM])
{
    struct radio_walk *walk = need(calloc(1, sizeof *walk));
    uint32_t line;
    const char *fault = rows_read(name, RADIO_WALK_HEAD, take_row, walk, &line);
    fault = !fault && !walk->rows ? "no rows" : fault;
    if (!fault)
        return walk;
    rows_fault("trace", name, line, fault, error, RADIO_WALK_ERROR_ROOM);
    radio_walk_free(walk);
    return NULL;
}

void radio_walk_free(struct radio_walk *walk)
{
    if (walk)
        free(walk->row);
    free(walk);
}
