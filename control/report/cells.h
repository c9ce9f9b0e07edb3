// What the tables of all pages are made of.
#ifndef SLUICE_CONTROL_REPORT_CELLS_H
#define SLUICE_CONTROL_REPORT_CELLS_H

#include <stdio.h>

struct json_object;

// A table up to its first head, from its last head to its first row, and its end.
void cells_begin(FILE *out);
void cells_body(FILE *out);
void cells_end(FILE *out);
// cells_begin() to cells_body(), with these heads up to NULL. One that begins with '=' is over
// text, the others over numbers.
void cells_heads(const char *const *heads, FILE *out);
void cells_head(const char *head, FILE *out);

// class: of the style; NULL: none.
void cells_text(const char *text, const char *class, FILE *out);
void cells_member(const struct json_object *of, const char *name, const char *class, FILE *out);
// The text alone, without a cell.
void cells_put(const struct json_object *of, const char *name, FILE *out);
// The verdict of a target or a conclusion.
void cells_verdict(const struct json_object *of, FILE *out);

// A table of texts: of each row a member or, with `within`, a member of that; member NULL: the
// verdict.
struct cells_column {
    const char *head, *within, *member, *class;
};
void cells_table(const struct cells_column *columns, const struct json_object *rows, FILE *out);

#endif
