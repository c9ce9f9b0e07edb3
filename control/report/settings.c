// See sections.h: what is set in all runs; and what the variants set, where it is not the same in
// all: a row for each key, a column for each variant. Of settings of one key in a list the last
// holds.
#include <stdlib.h>
#include <string.h>

#include "control/client/value.h"
#include "control/report/cells.h"
#include "control/report/sections.h"

#define LINES_MAX  1024 // of a variant
#define KEYS_MAX   512
#define KEY_OCTETS 128
#define TEXT_ROOM  512
#define ALL_SHOWN  3 // settings of all runs; more are folded

struct settings {
    const struct outcomes *o;
    const struct json_object *list[OUTCOMES_VARIANTS_MAX]; // at a variant's first point
    char (*key)[KEY_OCTETS];
    uint32_t keys;
};

static void find_lists(struct settings *s)
{
    for (uint32_t i = s->o->groups; i-- > 0;)
        s->list[s->o->group[i].variant] = value_in(s->o->group[i].json, "overrides");
}

// A line's key, printable; returns its value.
static const char *part(const char *line, char key[KEY_OCTETS])
{
    char text[KEY_OCTETS];
    size_t n = strcspn(line, "=");
    snprintf(text, sizeof text, "%.*s", (int)(n < sizeof text ? n : sizeof text - 1), line);
    value_printable(text, key, KEY_OCTETS);
    return line + n + (line[n] == '=');
}

static const char *value_of(const struct json_object *list, const char *wanted)
{
    const char *found = NULL;
    for (size_t i = 0; i < value_count(list) && i < LINES_MAX; i++) {
        char key[KEY_OCTETS];
        const char *value = part(value_text_at(list, i), key);
        if (strcmp(key, wanted) == 0)
            found = value;
    }
    return found;
}

static void add_key(struct settings *s, const char *key)
{
    for (uint32_t i = 0; i < s->keys; i++)
        if (strcmp(s->key[i], key) == 0)
            return;
    if (s->keys < KEYS_MAX)
        strcpy(s->key[s->keys++], key);
}

static void find_keys(struct settings *s)
{
    for (uint32_t v = 0; v < s->o->variants; v++)
        for (size_t i = 0; i < value_count(s->list[v]) && i < LINES_MAX; i++) {
            char key[KEY_OCTETS];
            part(value_text_at(s->list[v], i), key);
            add_key(s, key);
        }
}

static bool differs(const struct settings *s, const char *key)
{
    const char *first = value_of(s->list[0], key);
    for (uint32_t v = 1; v < s->o->variants; v++) {
        const char *other = value_of(s->list[v], key);
        if (!first != !other || (first && strcmp(first, other) != 0))
            return true;
    }
    return false;
}

static void put_row(const struct settings *s, const char *key, FILE *out)
{
    fputs("<tr><td class=\"name\"><code>", out);
    section_escape(key, out);
    fputs("</code></td>", out);
    for (uint32_t v = 0; v < s->o->variants; v++) {
        char text[TEXT_ROOM];
        const char *value = value_of(s->list[v], key);
        fputs("<td>", out);
        if (value)
            section_escape(value_printable(value, text, sizeof text), out);
        else
            fputs("<span class=\"soft\">not set</span>", out);
        fputs("</td>", out);
    }
    fputs("</tr>\n", out);
}

static void put_table(const struct settings *s, uint32_t colour, FILE *out)
{
    uint32_t rows = 0;
    for (uint32_t i = 0; i < s->keys; i++)
        rows += differs(s, s->key[i]);
    if (rows == 0)
        return;
    fprintf(out,
            "<details><summary>%u settings in which the variants differ</summary>\n"
            "<section><h2>Settings of the variants</h2>\n",
            rows);
    cells_begin(out);
    cells_head("=key", out);
    for (uint32_t v = 0; v < s->o->variants; v++) {
        fputs("<th>", out);
        section_variant(s->o, v, colour + v, out);
        fputs("</th>", out);
    }
    cells_body(out);
    for (uint32_t i = 0; i < s->keys; i++)
        if (differs(s, s->key[i]))
            put_row(s, s->key[i], out);
    cells_end(out);
    fputs("<p class=\"soft\">Not set: as the configuration's file has it, or by default. Settings "
          "that all variants share are in <code>summary.json</code>.</p></section></details>\n",
          out);
}

void section_settings(const struct outcomes *o, uint32_t colour, FILE *out)
{
    struct settings s = {.o = o, .key = calloc(KEYS_MAX, sizeof *s.key)};
    if (s.key && o->variants > 1) {
        find_lists(&s);
        find_keys(&s);
        put_table(&s, colour, out);
    }
    free(s.key);
}

// ---- What is set in all runs ----

// How many settings the lists of all groups end with alike. --set comes last.
static size_t shared_end(const struct outcomes *o)
{
    const struct json_object *first = o->groups ? value_in(o->group[0].json, "overrides") : NULL;
    size_t count = value_count(first), shared = count;
    for (uint32_t g = 1; g < o->groups; g++) {
        const struct json_object *list = value_in(o->group[g].json, "overrides");
        size_t n = value_count(list), same = 0;
        while (same < shared && same < n &&
               strcmp(value_text_at(list, n - 1 - same), value_text_at(first, count - 1 - same)) ==
                   0)
            same++;
        shared = same;
    }
    return shared;
}

void section_set(const struct outcomes *o, FILE *out)
{
    const struct json_object *list = o->groups ? value_in(o->group[0].json, "overrides") : NULL;
    size_t shared = shared_end(o), first = value_count(list) - shared;
    if (shared == 0)
        return;
    if (shared > ALL_SHOWN)
        fprintf(out, "<details><summary>%zu settings of all runs</summary>\n", shared);
    fprintf(out, "<p class=\"soft\">Set in all runs%s:", shared > 1 ? ", in this order" : "");
    for (size_t i = 0; i < shared && i < LINES_MAX; i++) {
        char text[TEXT_ROOM];
        fputs(i ? ", <code>" : " <code>", out);
        section_escape(value_printable(value_text_at(list, first + i), text, sizeof text), out);
        fputs("</code>", out);
    }
    fprintf(out, "</p>%s\n", shared > ALL_SHOWN ? "</details>" : "");
}
