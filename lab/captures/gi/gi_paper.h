// What the paper published, beside the same figures of a capture: published, ours, deviation.
#ifndef SLUICE_GI_PAPER_H
#define SLUICE_GI_PAPER_H

#include "lab/base/table.h"
#include "lab/captures/gi/gi_sheets.h"

void gi_paper_print(const struct gi_sheets *sheets, FILE *out);
extern const struct table gi_list_paper; // of a struct gi_sheets

#endif
