// One page of one run or of several side by side: HTML with its style and figures inside, and
// nothing from elsewhere. What the files of a run say is not trusted: it is bounded, and escaped.
#ifndef SLUICE_CONTROL_REPORT_PAGE_H
#define SLUICE_CONTROL_REPORT_PAGE_H

#include <stdint.h>
#include <stdio.h>

#define PAGE_ERROR_OCTETS 512

// Writes the page of the runs in these folders. Returns 0, or -1 and error says why there is no
// page. With 0, error may say why there are no figures; "": all is well.
int page_write(FILE *out, const char *const *dirs, uint32_t count, char error[PAGE_ERROR_OCTETS]);

// Writes a page of the targets that are in these folders, each of several runs, with the figures
// that their files declare: a summary, also to `text` for a terminal, then each folder. Of several
// folders of one name, such as a paper's with other seeds, the first has the figures. Returns 0, or
// -1 and error.
int page_targets(FILE *out, FILE *text, const char *const *dirs, uint32_t count,
                 char error[PAGE_ERROR_OCTETS]);

// Writes a page of what the conclusions of several runs depend on (knobs.json), as page_targets.
int page_knobs(FILE *out, const char *const *dirs, uint32_t count, char error[PAGE_ERROR_OCTETS]);

#endif
