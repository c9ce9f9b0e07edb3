// What the paper published, beside the same figures of a capture: published, ours, deviation.
#ifndef SLUICE_GI_PAPER_H
#define SLUICE_GI_PAPER_H

#include "lab/captures/gi/gi_sheets.h"

void gi_paper_print(const struct gi_sheets *sheets, FILE *out);
// A list, for the open key.
void gi_paper_put(const struct gi_sheets *sheets, struct json *json);

#endif
