// Tables of results, each described once: a column has its kind, its key in JSON, its name in CSV,
// its title on the page (NULL: that output does not have it), its value and what it means. So a new
// column is one line, and the outputs cannot disagree. A file lists some tables:
//
//     TABLE(beans_table, struct bean, kitchen->first, row->next, true, "beans", "beans", "Beans",
//           "By their age.")
//     COLUMN(COUNT, "number", "number", "number", row->number, "the bean's number, from 1 on")
//     MAYBE(NS, "age_ns", "age_s", "age, s", row->picked, row->age_ns, "since it was picked")
//     TABLE_END
//
// and table_make.h makes them. The order of the columns is that of all outputs. Where a MAYBE's
// condition does not hold there is no value: CSV has an empty cell, JSON no key. OR_NULL is a MAYBE
// of which JSON has null then.
//
//     OBJECT("pod", condition, help) ... OBJECT_END    in JSON an object, null where the condition
//                                                      does not hold; CSV and page have its columns
//     MAYBE_OBJECT                                     the same, but no key instead of null
//     LIST("parts", table, first, count, help)         in JSON alone: rows of another table
//     PART(put, of, describe)                          in JSON alone: members that put(of, json)
//                                                      puts into the object, unless `of` is NULL;
//                                                      describe NULL: they are described elsewhere
#ifndef SLUICE_LAB_BASE_TABLE_H
#define SLUICE_LAB_BASE_TABLE_H

#include "lab/base/csv.h"
#include "lab/base/json.h"

enum table_kind {
#define TABLE_KIND(name, member, json, csv, page, help) TABLE_##name,
#include "lab/base/table_kinds.def"
#undef TABLE_KIND
    TABLE_KINDS
};

enum table_member { TABLE_IS_TEXT, TABLE_IS_NUMBER, TABLE_IS_REAL, TABLE_IS_NONE };

struct table_form {
    enum table_member member;
    int json_decimals, csv_decimals, page_decimals;
    const char *help;
};
extern const struct table_form table_forms[TABLE_KINDS];

struct table_column {
    enum table_kind kind;
    const char *key, *csv, *title, *help;
    bool or_null;             // where there is no value, JSON has null
    const struct table *list; // of a LIST
    // Of a PART. before: what stands in front of a member's name.
    void (*put)(const void *of, struct json *json);
    void (*describe)(const char *before, FILE *out);
};

struct table_cell {
    bool there;
    union {
        const char *text;
        int64_t number;
        double real;
        struct {
            const void *first;
            uint64_t count;
        } list;
    };
};

#define TABLE_COLUMNS_MOST 128
#define TABLE_ROOM         128

// The cells of a row, and room for texts that are made for it.
struct table_row {
    struct table_cell cell[TABLE_COLUMNS_MOST];
    char room[2][TABLE_ROOM];
};

struct table {
    const char *key;           // of the list in JSON; NULL: it is a LIST of another table alone
    const char *csv;           // the file's name; NULL: there is none
    const char *title, *about; // on the page; title NULL: it is not there
    const struct table_column *column;
    uint32_t columns;
    // owner: what the table is of. before NULL: returns the first row; NULL: there is no more.
    const void *(*next)(const void *owner, const void *before);
    bool (*shown)(const void *owner, const void *row); // on the page
    void (*cells)(const void *owner, const void *row, struct table_row *out);
};

// A whole CSV file. Its parts, for rows that nobody has all at once.
void table_csv(const struct table *table, const void *owner, FILE *out);
void table_csv_head(const struct table *table, FILE *out);
void table_csv_row(const struct table *table, const void *owner, const void *row, FILE *out);

// What each column is, a line each: its name in CSV, and its key in JSON where that is another.
void table_describe(const struct table *table, FILE *out);
// What each key of a row is in JSON, and of the rows of its lists, a line each, with `before` in
// front of it.
void table_describe_keys(const struct table *table, const char *before, FILE *out);

// A key of the open object with the list of all rows; one row as an object.
void table_json(const struct table *table, const void *owner, struct json *json);
void table_json_row(const struct table *table, const void *owner, const void *row,
                    struct json *json);

#endif
