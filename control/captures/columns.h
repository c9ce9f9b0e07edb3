// What each column of the tables of captures means, for --columns and `sluice help csv`.
#ifndef SLUICE_CONTROL_CAPTURES_COLUMNS_H
#define SLUICE_CONTROL_CAPTURES_COLUMNS_H

#include <stdio.h>

void columns_audit(FILE *out); // by table
void columns_gi_losses(FILE *out);
void columns_gi_series(FILE *out);

#endif
