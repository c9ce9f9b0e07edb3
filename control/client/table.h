// Tables of text from rows: the member of a row that a column shows, and its form.
#ifndef SLUICE_CONTROL_CLIENT_TABLE_H
#define SLUICE_CONTROL_CLIENT_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json_object;

enum table_kind {
    TABLE_TEXT,   // text, left-aligned
    TABLE_NUMBER, // an identifier, 12345
    TABLE_COUNT,  // 12345; 12.3 k or 1.23 M, if the column is too narrow for that
    TABLE_OCTETS, // as TABLE_COUNT, with unit B
    TABLE_RATE,   // a member in bit/s; "-" for a missing one
    TABLE_BARE,   // as TABLE_RATE, without unit
    TABLE_TIME,   // a member in ns; "-" for a missing one
    TABLE_CELL,   // NSEI-BVCI
    TABLE_STATE,  // the state, or why nothing is sent: no flow ctrl, blocked, frozen, stopped
    TABLE_TLLI
};

struct table_column {
    const char *title, *member;
    enum table_kind kind;
    int width;
};

struct table_columns {
    const struct table_column *at;
    uint32_t n;
};

#define TABLE_CELL_OCTETS 32 // of the text of one cell of a table
#define TABLE_LINE_OCTETS 256

// A line, without its end.
void table_title(const struct table_columns *columns, char line[TABLE_LINE_OCTETS]);
void table_row(const struct table_columns *columns, const struct json_object *row,
               char line[TABLE_LINE_OCTETS]);

// A whole table; `indent` spaces before each line.
void table_print(FILE *out, int indent, const struct table_columns *columns,
                 const struct json_object *rows);

// Three digits and a prefix.
const char *table_scaled(uint64_t value, const char *unit, char text[TABLE_CELL_OCTETS]);
const char *table_time(uint64_t ns, char text[TABLE_CELL_OCTETS]);

#endif
