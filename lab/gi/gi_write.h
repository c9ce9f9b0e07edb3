// A flow as a row of CSV and as an object of JSON; all columns with what they mean.
#ifndef SLUICE_GI_WRITE_H
#define SLUICE_GI_WRITE_H

#include "dataplane/base/json.h"
#include "lab/gi/gi_result.h"

void gi_write_head(FILE *csv);
void gi_write_row(FILE *csv, const struct gi_result *result);
void gi_write_object(struct json *json, const struct gi_result *result);
void gi_write_fields(FILE *out);

#endif
