// See gi_report.h. The flows are left out octet by octet as the file is read, so the memory that a
// report takes does not grow with them.
#include "control/captures/gi_report.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "control/client/value.h"

#define OCTETS_MOST (64u << 20) // without its flows, a report has less than one
#define KEY_ROOM    16

struct filter {
    FILE *in, *out;
    uint64_t written;
    int depth;
    char text[KEY_ROOM]; // the last string at depth 1, as far as it fits
};

static void put(struct filter *f, int c, bool kept)
{
    if (kept && f->written++ < OCTETS_MOST)
        fputc(c, f->out);
}

// Behind its first quote.
static void pass_string(struct filter *f, bool kept)
{
    bool escaped = false;
    size_t n = 0;
    for (int c; (c = getc_unlocked(f->in)) != EOF;) {
        put(f, c, kept);
        if (c == '"' && !escaped)
            break;
        escaped = c == '\\' && !escaped;
        if (f->depth == 1 && n + 1 < sizeof f->text)
            f->text[n++] = (char)c;
    }
    if (f->depth == 1)
        f->text[n] = '\0';
}

static void pass_all(struct filter *f)
{
    bool kept = true;
    for (int c; (c = getc_unlocked(f->in)) != EOF;) {
        bool opens = c == '{' || c == '[', closes = c == '}' || c == ']';
        if (closes && f->depth > 0 && --f->depth == 1)
            kept = true;
        put(f, c, kept);
        if (opens && f->depth++ == 1 && c == '[')
            kept = strcmp(f->text, "flows") != 0;
        if (c == '"')
            pass_string(f, kept);
    }
}

enum gi_report gi_report_parse(FILE *in, struct json_object **report)
{
    char *text = NULL;
    size_t octets = 0;
    struct filter f = {.in = in, .out = open_memstream(&text, &octets)};
    if (!f.out)
        abort();
    int first = getc(in);
    ungetc(first, in);
    if (first == '{') // else it may be a capture, and large
        pass_all(&f);
    fclose(f.out);
    *report = f.written <= OCTETS_MOST ? value_parse(text, octets) : NULL;
    free(text);
    if (value_is_object(value_in(*report, "tables")))
        return GI_REPORT;
    value_free(*report);
    *report = NULL;
    return f.depth > 0 ? GI_REPORT_BREAKS_OFF : GI_REPORT_NONE;
}

static const char *const texts[] = {
    [GI_REPORT_NONE] = "no report; sluice gi CAPTURE --json FILE writes one",
    [GI_REPORT_BREAKS_OFF] =
        "the report breaks off; write it again with sluice gi CAPTURE --json FILE"};

struct json_object *gi_report_read(const char *path)
{
    FILE *in = fopen(path, "re");
    struct json_object *report = NULL;
    enum gi_report verdict = in ? gi_report_parse(in, &report) : GI_REPORT_NONE;
    if (!in || ferror(in))
        fprintf(stderr, "sluice gi: %s: %s\n", path, strerror(errno));
    else if (verdict != GI_REPORT)
        fprintf(stderr, "sluice gi: %s: %s\n", path, texts[verdict]);
    if (in)
        fclose(in);
    return report;
}
