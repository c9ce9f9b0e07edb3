// See table_page.h. Texts may be anybody's: what is not printable is replaced.
#include "control/report/table_page.h"

#include "control/client/value.h"
#include "control/report/cells.h"
#include "control/report/sections.h"

#define ROWS_MOST   500u
#define CELL_OCTETS 512

static bool is_text(const struct table_column *column)
{
    return table_forms[column->kind].member == TABLE_IS_TEXT;
}

static void put_number(enum table_kind kind, int64_t number, FILE *out)
{
    char digits[24];
    double scale = kind == TABLE_PPM ? 1e6 : kind == TABLE_MILLISECONDS ? 1e3 : 1e9;
    if (kind == TABLE_TLLI)
        fprintf(out, "%08x", (unsigned)number);
    else if (table_forms[kind].page_decimals)
        fprintf(out, "%.*f", table_forms[kind].page_decimals, (double)number / scale);
    else {
        snprintf(digits, sizeof digits, "%" PRId64, number);
        section_digits(digits, out);
    }
}

static void put_value(enum table_kind kind, const struct table_cell *cell, FILE *out)
{
    char text[CELL_OCTETS];
    bool is_share = kind == TABLE_SHARE;
    switch (table_forms[kind].member) {
    case TABLE_IS_TEXT:
        section_escape(value_printable(cell->text, text, sizeof text), out);
        break;
    case TABLE_IS_NUMBER:
        put_number(kind, cell->number, out);
        break;
    case TABLE_IS_REAL:
        fprintf(out, "%.*f%s", table_forms[kind].page_decimals,
                is_share ? 100 * cell->real : cell->real, is_share ? " %" : "");
        break;
    case TABLE_IS_NONE:
        break;
    }
}

static void put_cell(const struct table_column *column, const struct table_cell *cell, FILE *out)
{
    fprintf(out, "<td%s>",
            column->kind == TABLE_LONG_TEXT ? " class=\"wrap\""
            : is_text(column)               ? ""
                                            : " class=\"n\"");
    if (cell->there)
        put_value(column->kind, cell, out);
    fputs("</td>", out);
}

static void put_row(const struct table *table, const struct table_row *row, FILE *out)
{
    fputs("<tr>", out);
    for (uint32_t i = 0; i < table->columns; i++)
        if (table->column[i].title)
            put_cell(&table->column[i], &row->cell[i], out);
    fputs("</tr>\n", out);
}

static void put_head(const struct table *table, FILE *out)
{
    cells_begin(out);
    for (const struct table_column *column = table->column; column < table->column + table->columns;
         column++)
        if (column->title)
            fprintf(out, "<th%s>%s</th>", is_text(column) ? "" : " class=\"n\"", column->title);
    cells_body(out);
}

void table_page(const struct table *table, const void *owner, FILE *out)
{
    uint64_t count = 0;
    struct table_row row;
    fprintf(out, "<section><h2>%s</h2><p class=\"soft\">%s</p>\n", table->title, table->about);
    for (const void *at = NULL; (at = table->next(owner, at));) {
        if (!table->shown(owner, at) || count++ >= ROWS_MOST)
            continue;
        if (count == 1)
            put_head(table, out);
        table->cells(owner, at, &row);
        put_row(table, &row, out);
    }
    if (count)
        cells_end(out);
    else
        fputs("<p>None.</p>\n", out);
    if (count > ROWS_MOST)
        fprintf(out, "<p class=\"soft\">The first %u of %" PRIu64 "; the CSV file has all.</p>\n",
                ROWS_MOST, count);
    fputs("</section>\n", out);
}
