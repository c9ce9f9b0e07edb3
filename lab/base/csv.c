// See csv.h. The series of a run with short steps are millions of cells: no lock is taken for each,
// nor a format read.
#include "lab/base/csv.h"

#include <inttypes.h>
#include <string.h>

#define DIGITS_MAX 64 // of a number with its point, and more decimals than any has

static void put(struct csv *csv, const char *text, size_t octets)
{
    fwrite_unlocked(text, 1, octets, csv->out);
}

static void lead(struct csv *csv)
{
    if (csv->within)
        putc_unlocked(',', csv->out);
    csv->within = true;
}

// Writes the number in front of `end`, `least` digits at least; returns where it begins.
static char *digits(char *end, uint64_t number, int least)
{
    do {
        *--end = (char)('0' + number % 10);
        number /= 10;
        least--;
    } while (number > 0 || least > 0);
    return end;
}

void csv_text(struct csv *csv, const char *text)
{
    if (text[strcspn(text, ",\"\r\n")] == '\0')
        csv_head(csv, text);
    else
        csv_quoted(csv, text);
}

void csv_quoted(struct csv *csv, const char *text)
{
    lead(csv);
    fputc('"', csv->out);
    for (; *text; text++)
        fputs(*text == '"' ? "\"\"" : (char[]){*text, '\0'}, csv->out);
    fputc('"', csv->out);
}

void csv_number(struct csv *csv, uint64_t number)
{
    char text[DIGITS_MAX], *end = text + sizeof text, *begin = digits(end, number, 1);
    lead(csv);
    put(csv, begin, (size_t)(end - begin));
}

void csv_decimal(struct csv *csv, uint64_t scaled, int decimals)
{
    char text[DIGITS_MAX], *end = text + sizeof text, *begin;
    uint64_t unit = 1;
    for (int i = 0; i < decimals; i++)
        unit *= 10;
    begin = digits(end, scaled % unit, decimals);
    *--begin = '.';
    begin = digits(begin, scaled / unit, 1);
    lead(csv);
    put(csv, begin, (size_t)(end - begin));
}

void csv_integer(struct csv *csv, int64_t scaled, int decimals)
{
    uint64_t number = scaled < 0 ? -(uint64_t)scaled : (uint64_t)scaled;
    if (scaled < 0) {
        lead(csv);
        putc_unlocked('-', csv->out);
        csv->within = false; // the rest is of the same cell
    }
    if (decimals)
        csv_decimal(csv, number, decimals);
    else
        csv_number(csv, number);
}

void csv_real(struct csv *csv, double real, int decimals)
{
    lead(csv);
    fprintf(csv->out, "%.*f", decimals, real);
}

void csv_hexadecimal(struct csv *csv, uint32_t number)
{
    lead(csv);
    fprintf(csv->out, "%08" PRIx32, number);
}

void csv_none(struct csv *csv)
{
    lead(csv);
}

void csv_end(struct csv *csv)
{
    putc_unlocked('\n', csv->out);
    csv->within = false;
}

void csv_head(struct csv *csv, const char *names)
{
    lead(csv);
    fputs(names, csv->out);
}
