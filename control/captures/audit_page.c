// See pages.h: the page of `sluice audit`: its tables, and what was not judged. Lists are as long
// as a page bears; the CSV files have all of them.
#include "control/client/value.h"
#include "control/captures/pages.h"
#include "control/report/table_page.h"
#include "control/report/sections.h"
#include "lab/captures/audit/audit.h"

#define NAME_OCTETS 512

struct notes {
    FILE *out; // NULL: they are only counted
    uint64_t count;
};

static void put_note(void *self, const char *text)
{
    struct notes *notes = self;
    notes->count++;
    if (!notes->out)
        return;
    fputs("<li>", notes->out);
    section_escape(text, notes->out);
    fputs("</li>\n", notes->out);
}

static void put_notes(const struct audit *audit, FILE *out)
{
    struct notes notes = {out, 0};
    fputs("<section><h2>What was not judged</h2><ul>\n", out);
    audit_notes(audit, put_note, &notes);
    if (!notes.count)
        fputs("<li>All was read and judged.</li>\n", out);
    fputs("</ul></section>\n", out);
}

// Good only where all was judged.
static void put_verdict(const struct audit *audit, FILE *out)
{
    uint64_t breaches = audit_breaches(audit);
    struct notes notes = {NULL, 0};
    audit_notes(audit, put_note, &notes);
    if (!audit_met_gb(audit))
        fputs(
            "<strong class=\"bad\">There is no Gb in this capture, so nothing was judged.</strong>",
            out);
    else
        fprintf(out, "<strong class=\"%s\">Clauses broken: %llu times.</strong>",
                breaches      ? "bad"
                : notes.count ? "soft"
                              : "good",
                (unsigned long long)breaches);
    if (notes.count)
        fputs(" What was not judged is at the end of this page.", out);
}

void audit_page(FILE *out, const struct audit *audit, char *const *files, int count)
{
    char name[NAME_OCTETS], title[NAME_OCTETS + 64];
    snprintf(title, sizeof title, "Audit of Gb: %s%s", value_printable(files[0], name, sizeof name),
             count > 1 ? " and others" : "");
    section_begin(title, out);
    fprintf(out, "<p>%llu frames in %.3f s. ", (unsigned long long)audit_frames(audit),
            (double)audit_lasts_ns(audit) / 1e9);
    put_verdict(audit, out);
    fputs("</p>\n", out);
    for (int i = 0; i < AUDIT_TABLES; i++)
        if (audit_tables[i]->title)
            table_page(audit_tables[i], audit, out);
    put_notes(audit, out);
    section_end(out);
}
