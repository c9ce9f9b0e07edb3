// See sections.h: a page's head and end.
#include "control/report/sections.h"

void section_begin(const char *title, FILE *out)
{
    fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
          out);
    section_escape(title, out);
    fprintf(out, " - Sluice</title>\n<style>%s</style></head>\n<body><main>\n<h1>", section_style);
    section_escape(title, out);
    fputs("</h1>\n", out);
}

void section_end(FILE *out)
{
    fputs("</main></body></html>\n", out);
}
