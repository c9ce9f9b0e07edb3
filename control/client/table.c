// See table.h.
#include "control/client/table.h"

#include <inttypes.h>
#include <string.h>

#include "control/client/value.h"

// Rounded down: 9 999 is 9.99 k.
const char *table_scaled(uint64_t value, const char *unit, char text[TABLE_CELL_OCTETS])
{
    static const char *const prefixes[] = {"", " k", " M", " G", " T", " P", " E"};
    uint32_t prefix = 0;
    uint64_t scale = 1;
    for (; value / scale >= 1000 && prefix < 6; prefix++)
        scale *= 1000;
    uint64_t whole = value / scale, rest = scale > 1 ? value % scale / (scale / 1000) : 0;
    const char *space = prefix || !*unit ? "" : " ";
    if (prefix == 0 || whole >= 100)
        snprintf(text, TABLE_CELL_OCTETS, "%" PRIu64 "%s%s%s", whole, space, prefixes[prefix],
                 unit);
    else
        snprintf(text, TABLE_CELL_OCTETS, "%" PRIu64 ".%0*" PRIu64 "%s%s", whole,
                 whole >= 10 ? 1 : 2, whole >= 10 ? rest / 100 : rest / 10, prefixes[prefix], unit);
    return text;
}

const char *table_time(uint64_t ns, char text[TABLE_CELL_OCTETS])
{
    if (ns >= 1000000000)
        snprintf(text, TABLE_CELL_OCTETS, "%" PRIu64 ".%02" PRIu64 " s", ns / 1000000000,
                 ns % 1000000000 / 10000000);
    else
        snprintf(text, TABLE_CELL_OCTETS, "%" PRIu64 ".%01" PRIu64 " ms", ns / 1000000,
                 ns % 1000000 / 100000);
    return text;
}

// Control's word. While that is "up": what holds the queue, most severe first. Before the first
// FLOW-CONTROL-BVC Bmax is 0.
static const char *state_text(const struct json_object *row, char text[TABLE_CELL_OCTETS])
{
    static const char *const flags[] = {"blocked", "frozen", "stopped"};
    value_text(row, "state", text, TABLE_CELL_OCTETS);
    if (*text && strcmp(text, "up") != 0)
        return text;
    if (value_number(row, "stopped") && value_has(row, "bucket_octets") &&
        value_number(row, "bucket_octets") == 0 && !value_number(row, "blocked"))
        return "no flow ctrl";
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (value_number(row, flags[i]))
            return flags[i];
    return text;
}

// In full, if the column has room for that.
static const char *number_text(const struct table_column *c, uint64_t value, const char *unit,
                               char text[TABLE_CELL_OCTETS])
{
    int n = snprintf(text, TABLE_CELL_OCTETS, "%" PRIu64 "%s%s", value, *unit ? " " : "", unit);
    return n <= c->width ? text : table_scaled(value, unit, text);
}

static const char *cell_text(const struct table_column *c, const struct json_object *row,
                             char text[TABLE_CELL_OCTETS])
{
    uint64_t value = value_number(row, c->member);
    bool optional = c->kind == TABLE_RATE || c->kind == TABLE_BARE || c->kind == TABLE_TIME;
    if (optional && !value_has(row, c->member))
        return "-";
    switch (c->kind) {
    case TABLE_TEXT:
        return value_text(row, c->member, text, TABLE_CELL_OCTETS);
    case TABLE_NUMBER:
        snprintf(text, TABLE_CELL_OCTETS, "%" PRIu64, value);
        return text;
    case TABLE_COUNT:
    case TABLE_BARE:
        return number_text(c, value, "", text);
    case TABLE_OCTETS:
        return number_text(c, value, "B", text);
    case TABLE_RATE:
        return number_text(c, value, "bit/s", text);
    case TABLE_TIME:
        return table_time(value, text);
    case TABLE_STATE:
        return state_text(row, text);
    case TABLE_TLLI:
        snprintf(text, TABLE_CELL_OCTETS, "%08" PRIx64, value);
        return text;
    case TABLE_CELL:
        snprintf(text, TABLE_CELL_OCTETS, "%" PRIu64 "-%" PRIu64, value_number(row, "nsei"),
                 value_number(row, "bvci"));
        return text;
    }
    return "";
}

static bool is_left(enum table_kind kind)
{
    return kind == TABLE_TEXT || kind == TABLE_CELL || kind == TABLE_STATE;
}

static void append(char line[TABLE_LINE_OCTETS], const struct table_column *c, const char *text)
{
    size_t n = strlen(line);
    int width = is_left(c->kind) ? -c->width : c->width;
    snprintf(line + n, TABLE_LINE_OCTETS - n, "%s%*.*s", n ? "  " : "", width, c->width, text);
}

void table_title(const struct table_columns *columns, char line[TABLE_LINE_OCTETS])
{
    line[0] = '\0';
    for (uint32_t i = 0; i < columns->n; i++)
        append(line, &columns->at[i], columns->at[i].title);
}

void table_row(const struct table_columns *columns, const struct json_object *row,
               char line[TABLE_LINE_OCTETS])
{
    line[0] = '\0';
    for (uint32_t i = 0; i < columns->n; i++) {
        char text[TABLE_CELL_OCTETS];
        append(line, &columns->at[i], cell_text(&columns->at[i], row, text));
    }
}

static void print_line(FILE *out, int indent, char *line)
{
    for (size_t n = strlen(line); n > 0 && line[n - 1] == ' '; n--)
        line[n - 1] = '\0';
    fprintf(out, "%*s%s\n", indent, "", line);
}

void table_print(FILE *out, int indent, const struct table_columns *columns,
                 const struct json_object *rows)
{
    char line[TABLE_LINE_OCTETS];
    table_title(columns, line);
    print_line(out, indent, line);
    for (size_t i = 0; i < value_count(rows); i++) {
        table_row(columns, value_at(rows, i), line);
        print_line(out, indent, line);
    }
}
