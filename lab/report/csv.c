// See csv.h.
#include "lab/report/csv.h"

#include <inttypes.h>
#include <string.h>

static void lead(struct csv *csv)
{
    if (csv->within)
        fputc(',', csv->out);
    csv->within = true;
}

void csv_text(struct csv *csv, const char *text)
{
    lead(csv);
    if (text[strcspn(text, ",\"\r\n")] == '\0') {
        fputs(text, csv->out);
        return;
    }
    fputc('"', csv->out);
    for (; *text; text++)
        fputs(*text == '"' ? "\"\"" : (char[]){*text, '\0'}, csv->out);
    fputc('"', csv->out);
}

void csv_number(struct csv *csv, uint64_t number)
{
    lead(csv);
    fprintf(csv->out, "%" PRIu64, number);
}

void csv_decimal(struct csv *csv, uint64_t scaled, int decimals)
{
    uint64_t unit = 1;
    for (int i = 0; i < decimals; i++)
        unit *= 10;
    lead(csv);
    fprintf(csv->out, "%" PRIu64 ".%0*" PRIu64, scaled / unit, decimals, scaled % unit);
}

void csv_none(struct csv *csv)
{
    lead(csv);
}

void csv_end(struct csv *csv)
{
    fputc('\n', csv->out);
    csv->within = false;
}

void csv_head(struct csv *csv, const char *names)
{
    lead(csv);
    fputs(names, csv->out);
}
