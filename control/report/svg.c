// See svg.h. gnuplot 5.4 and 6.0 write the same shapes.
#include "control/report/svg.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/report/plot.h"
#include "control/report/values.h"

#define ROW_PIXELS  34u // at least
#define BAR_PIXELS  14u
#define AXIS_PIXELS 90

#define PUBLISHED_SHAPE 11 // of SVG_PUBLISHED; it counts from 0
#define PLACE_SHAPE     0  // of SVG_PLACE

int svg_height_of_rows(uint32_t rows, uint32_t bars_of_row)
{
    uint32_t row = bars_of_row < 12 ? BAR_PIXELS * bars_of_row : BAR_PIXELS * 12;
    return AXIS_PIXELS + (int)((row > ROW_PIXELS ? row : ROW_PIXELS) * rows);
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

// What is behind the next `end`, or the end of the text.
static const char *behind(const char *text, const char *end)
{
    const char *found = strstr(text, end);
    return found ? found + strlen(end) : text + strlen(text);
}

static const char *put_colour(const char *text, FILE *out)
{
    int red, green, blue;
    if (sscanf(text, "rgb(%d,%d,%d)", &red, &green, &blue) != 3)
        fputs("currentColor", out);
    else if (red == 1 && green == 3)
        fprintf(out, "var(--s%d)", blue);
    else
        fputs(red == 1 && green == 2 && blue == 1 ? "var(--grid)" : "currentColor", out);
    return behind(text, ")");
}

// A group without content, which gnuplot writes at each change of a pen: what is behind it; or
// NULL.
static const char *behind_empty_group(const char *text)
{
    const char *inside = behind(text, ">");
    inside += strspn(inside, " \t\n");
    return begins(inside, "</g>") ? inside + 4 : NULL;
}

// A point's shape is defined in the document's head, under a name, which a page has no place for. A
// circle for a dot; a square on its corner, through which no line is seen, for what is published;
// the background that gnuplot draws behind a dot is left out.
static const char *put_mark(const char *text, struct values_frame *frame, FILE *out)
{
    const char *end = behind(text, "/>"), *colour = strstr(text, "color='");
    int shape;
    double x, y, r;
    if (sscanf(text, "<use xlink:href='#gpPt%d' transform='translate(%lf,%lf) scale(%lf)'", &shape,
               &x, &y, &r) != 4 ||
        !colour || !begins(colour + 7, "rgb("))
        return end;
    if (shape == PLACE_SHAPE && frame->places < VALUES_PLACES) {
        frame->x[frame->places] = x;
        frame->y[frame->places++] = y;
        return end;
    }
    if (shape == PUBLISHED_SHAPE)
        fprintf(out,
                "<path fill='var(--ground)' stroke-width='1.6' "
                "d='M%.2f,%.2fl%.2f,%.2fl%.2f,%.2fl%.2f,%.2fz' stroke='",
                x - r, y, r, -r, r, r, -r, r);
    else
        fprintf(out, "<path stroke-width='%.2f' stroke-linecap='round' d='M%.2f,%.2fh0' stroke='",
                2 * r, x, y);
    put_colour(colour + 7, out);
    fputs("'/>", out);
    return end;
}

// Copies one thing, changed or left out; returns what is behind it.
static const char *put_one(const char *text, struct values_frame *frame, FILE *out)
{
    const char *next = begins(text, "<g ") ? behind_empty_group(text) : NULL;
    if (next)
        return next;
    if (begins(text, "<title>"))
        return behind(text, "</title>");
    if (begins(text, " id=\"") || begins(text, " color=\""))
        return behind(text + 5 + (text[1] == 'c') * 3, "\"");
    if (begins(text, "<use "))
        return put_mark(text, frame, out);
    if (begins(text, "rgb("))
        return put_colour(text, out);
    if (begins(text, "\"black\"")) {
        fputs("\"currentColor\"", out);
        return text + 7;
    }
    if (*text == '\n' || *text == '\t') {
        fputc('\n', out);
        return text + strspn(text, " \t\n");
    }
    fputc(*text, out);
    return text + 1;
}

// A document's own height, for the picture's shape.
static int height_of(const char *text)
{
    int width, height;
    const char *box = strstr(text, "viewBox=\"0 0 ");
    return box && sscanf(box + 13, "%d %d", &width, &height) == 2 ? height : SVG_HEIGHT;
}

static char *fit(const char *text, const char *end, const struct plot *plot)
{
    struct values_frame frame = {.places = 0};
    char *svg = NULL;
    size_t octets;
    FILE *out = open_memstream(&svg, &octets);
    if (!out)
        return NULL;
    fprintf(out, "<svg viewBox=\"0 0 %d %d\" aria-hidden=\"true\"><g>", SVG_WIDTH, height_of(text));
    // The group around all begins before the definitions.
    for (text = behind(text, "</defs>"); text < end;)
        text = put_one(text, &frame, out);
    values_put(plot, &frame, out);
    fputs("</svg>\n", out);
    fclose(out);
    return svg;
}

char **svg_split(const char *text, const struct plot *plots, uint32_t count)
{
    char **svg = calloc(count, sizeof *svg);
    for (uint32_t i = 0; svg && i < count; i++) {
        const char *begin = strstr(text, "<svg"), *end = begin ? strstr(begin, "</svg>") : NULL;
        svg[i] = end ? fit(begin, end, &plots[i]) : NULL;
        if (!svg[i]) {
            while (i--)
                free(svg[i]);
            free(svg);
            return NULL;
        }
        text = end + 6;
    }
    return svg;
}
