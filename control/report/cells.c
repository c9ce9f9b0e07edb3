// See cells.h.
#include "control/report/cells.h"

#include <string.h>

#include "control/client/value.h"
#include "control/report/sections.h"

#define TEXT_ROOM 2048 // a sentence names settings

void cells_begin(FILE *out)
{
    fputs("<div class=\"wide\"><table><thead><tr>", out);
}

void cells_body(FILE *out)
{
    fputs("</tr></thead><tbody>\n", out);
}

void cells_end(FILE *out)
{
    fputs("</tbody></table></div>\n", out);
}

void cells_head(const char *head, FILE *out)
{
    bool is_text = *head == '=';
    fprintf(out, is_text ? "<th>%s</th>" : "<th class=\"n\">%s</th>", head + is_text);
}

void cells_heads(const char *const *heads, FILE *out)
{
    cells_begin(out);
    for (; *heads; heads++)
        cells_head(*heads, out);
    cells_body(out);
}

void cells_text(const char *text, const char *class, FILE *out)
{
    fprintf(out, class ? "<td class=\"%s\">" : "<td>", class);
    section_escape(text, out);
    fputs("</td>", out);
}

void cells_put(const struct json_object *of, const char *name, FILE *out)
{
    char text[TEXT_ROOM];
    section_escape(value_text(of, name, text, sizeof text), out);
}

void cells_member(const struct json_object *of, const char *name, const char *class, FILE *out)
{
    char text[TEXT_ROOM];
    cells_text(value_text(of, name, text, sizeof text), class, out);
}

void cells_verdict(const struct json_object *of, FILE *out)
{
    char text[16];
    value_text(of, "verdict", text, sizeof text);
    cells_text(text,
               strcmp(text, "met") == 0    ? "good"
               : strcmp(text, "told") == 0 ? NULL
                                           : "bad",
               out);
}

void cells_table(const struct cells_column *columns, const struct json_object *rows, FILE *out)
{
    cells_begin(out);
    for (const struct cells_column *c = columns; c->head; c++)
        fprintf(out, "<th>%s</th>", c->head);
    cells_body(out);
    for (size_t i = 0; i < value_count(rows); i++) {
        fputs("<tr>", out);
        for (const struct cells_column *c = columns; c->head; c++) {
            const struct json_object *row = value_at(rows, i);
            const struct json_object *of = c->within ? value_in(row, c->within) : row;
            if (c->member)
                cells_member(of, c->member, c->class, out);
            else
                cells_verdict(of, out);
        }
        fputs("</tr>\n", out);
    }
    cells_end(out);
}
