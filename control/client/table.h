// Tables of text out of rows: what a column shows of a row, and how.
#ifndef SLUICE_CONTROL_CLIENT_TABLE_H
#define SLUICE_CONTROL_CLIENT_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json_object;

enum table_kind {
    TABLE_TEXT,   // a member that is text, to the left
    TABLE_NUMBER, // 12345: a name, not a count
    TABLE_COUNT,  // 123, 12.3 k, 1.23 M
    TABLE_OCTETS, // the same with B
    TABLE_RATE,   // of a member in bit/s; "-" if there is none
    TABLE_BARE,   // the same without its unit
    TABLE_TIME,   // of a member in ns; "-" if there is none
    TABLE_CELL,   // NSEI-BVCI
    TABLE_STATE,  // the state word, or what keeps it from sending
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

#define TABLE_CELL_OCTETS 32 // of one cell's text
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
