// See table.h: CSV and JSON.
#include "lab/base/table.h"

#include <string.h>

const struct table_form table_forms[TABLE_KINDS] = {
#define TABLE_KIND(name, member, json, csv, page, help) {TABLE_IS_##member, json, csv, page, help},
#include "lab/base/table_kinds.def"
#undef TABLE_KIND
};

// ---- CSV ----

void table_csv_head(const struct table *table, FILE *out)
{
    struct csv csv = {.out = out};
    for (uint32_t i = 0; i < table->columns; i++)
        if (table->column[i].csv)
            csv_head(&csv, table->column[i].csv);
    csv_end(&csv);
}

static void put_cell(struct csv *csv, enum table_kind kind, const struct table_cell *cell)
{
    enum table_member member = table_forms[kind].member;
    int decimals = table_forms[kind].csv_decimals;
    if (kind == TABLE_TEXT || kind == TABLE_LONG_TEXT)
        csv_quoted(csv, cell->there ? cell->text : "");
    else if (!cell->there)
        csv_none(csv);
    else if (member == TABLE_IS_TEXT)
        csv_text(csv, cell->text);
    else if (member == TABLE_IS_REAL)
        csv_real(csv, cell->real, decimals);
    else if (kind == TABLE_TLLI)
        csv_hexadecimal(csv, (uint32_t)cell->number);
    else
        csv_integer(csv, cell->number, decimals);
}

void table_csv_row(const struct table *table, const void *owner, const void *row, FILE *out)
{
    struct csv csv = {.out = out};
    struct table_row cells;
    table->cells(owner, row, &cells);
    for (uint32_t i = 0; i < table->columns; i++)
        if (table->column[i].csv)
            put_cell(&csv, table->column[i].kind, &cells.cell[i]);
    csv_end(&csv);
}

void table_csv(const struct table *table, const void *owner, FILE *out)
{
    table_csv_head(table, out);
    for (const void *row = NULL; (row = table->next(owner, row));)
        table_csv_row(table, owner, row, out);
}

// ---- JSON ----

static void put_value(struct json *json, enum table_kind kind, const struct table_cell *cell)
{
    enum table_member member = table_forms[kind].member;
    int decimals = table_forms[kind].json_decimals;
    if (member == TABLE_IS_TEXT)
        json_text(json, cell->text);
    else if (member == TABLE_IS_REAL && decimals)
        json_fixed(json, cell->real, decimals);
    else if (member == TABLE_IS_REAL)
        json_real(json, cell->real);
    else if (kind == TABLE_FLAG)
        json_boolean(json, cell->number);
    else if (decimals)
        json_decimal(json, (uint64_t)(cell->number > 0 ? cell->number : 0), decimals);
    else
        json_integer(json, cell->number);
}

static void put_list(struct json *json, const struct table_column *column, const void *owner,
                     const struct table_cell *cell)
{
    const void *row = cell->list.first;
    json_array(json);
    for (uint64_t i = 0; i < cell->list.count; i++) {
        table_json_row(column->list, owner, row, json);
        row = column->list->next(owner, row);
    }
    json_close(json);
}

static uint32_t end_of_object(const struct table *table, uint32_t i)
{
    for (uint32_t depth = 1; depth > 0;) {
        i++;
        depth += table->column[i].kind == TABLE_OBJECT;
        depth -= table->column[i].kind == TABLE_OBJECT_END;
    }
    return i;
}

void table_json_row(const struct table *table, const void *owner, const void *row,
                    struct json *json)
{
    struct table_row cells;
    table->cells(owner, row, &cells);
    json_object(json);
    for (uint32_t i = 0; i < table->columns; i++) {
        const struct table_column *column = &table->column[i];
        const struct table_cell *cell = &cells.cell[i];
        if (column->kind == TABLE_OBJECT_END)
            json_close(json);
        if (column->kind == TABLE_PART && cell->there)
            column->put(cell->list.first, json);
        if (column->kind == TABLE_OBJECT && !cell->there)
            i = end_of_object(table, i);
        if (!column->key || !(cell->there || column->or_null))
            continue;
        json_key(json, column->key);
        if (column->kind == TABLE_LIST)
            put_list(json, column, owner, cell);
        else if (column->kind == TABLE_OBJECT && cell->there)
            json_object(json);
        else if (cell->there)
            put_value(json, column->kind, cell);
        else
            json_null(json);
    }
    json_close(json);
}

void table_json(const struct table *table, const void *owner, struct json *json)
{
    json_put_array(json, table->key);
    for (const void *row = NULL; (row = table->next(owner, row));)
        table_json_row(table, owner, row, json);
    json_close(json);
}

// ---- What they are ----

#define PATH_OCTETS 128

// in_json: what stands in front of a key. NULL: the names of CSV are left out.
static void describe(const struct table_column *column, const char *before, const char *in_json,
                     FILE *out)
{
    const char *csv = in_json ? column->csv : NULL, *key = column->key;
    if (csv)
        fputs(csv, out);
    if (key && (!csv || *before || strcmp(key, csv) != 0))
        fprintf(out, "%s%s%s%s", csv ? ", " : "", in_json ? in_json : "", before, key);
    fprintf(out, ": %s\n", column->help);
}

// The columns from one on, up to the end of its object; returns the place behind them.
static uint32_t describe_from(const struct table *table, uint32_t i, const char *before,
                              const char *in_json, FILE *out)
{
    char inside[PATH_OCTETS];
    while (i < table->columns) {
        const struct table_column *column = &table->column[i++];
        if (column->kind == TABLE_OBJECT_END)
            break;
        if (column->describe)
            column->describe(before, out);
        else if (column->kind != TABLE_PART && (column->key || (in_json && column->csv)))
            describe(column, before, in_json, out);
        if (column->kind != TABLE_OBJECT && column->kind != TABLE_LIST)
            continue;
        snprintf(inside, sizeof inside, "%s%s.", before, column->key);
        if (column->kind == TABLE_OBJECT)
            i = describe_from(table, i, inside, in_json, out);
        else if (!in_json)
            table_describe_keys(column->list, inside, out);
    }
    return i;
}

void table_describe(const struct table *table, FILE *out)
{
    describe_from(table, 0, "", "in JSON ", out);
}

void table_describe_keys(const struct table *table, const char *before, FILE *out)
{
    describe_from(table, 0, before, NULL, out);
}
