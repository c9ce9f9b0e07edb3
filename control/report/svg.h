// gnuplot's SVG made fit for the inside of a page: without what is said once for a document, ids
// and empty groups; points become paths, and colours those of the page.
#ifndef SLUICE_CONTROL_REPORT_SVG_H
#define SLUICE_CONTROL_REPORT_SVG_H

#include <stdint.h>

#define SVG_WIDTH  560
#define SVG_HEIGHT 320

// Colours that stand for those of the page.
#define SVG_TEXT   "#010200"
#define SVG_GRID   "#010201"
#define SVG_SERIES "#0103%02x" // and the number of a series

// gnuplot's point types that are drawn as a dot, and as the mark of what is published.
#define SVG_DOT       "7 ps 0.5"
#define SVG_PUBLISHED "12 ps 0.9"
#define SVG_PLACE     "1 ps 0.5" // of values.h, and not drawn

int svg_height_of_rows(uint32_t rows, uint32_t bars_of_row);

// Returns `count` texts from as many documents behind each other, with the values of each plot
// under the pointer; or NULL if there are fewer.
struct plot;
char **svg_split(const char *text, const struct plot *plots, uint32_t count);

#endif
