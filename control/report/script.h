// What gnuplot is told: one picture as a script.
#ifndef SLUICE_CONTROL_REPORT_SCRIPT_H
#define SLUICE_CONTROL_REPORT_SCRIPT_H

#include <stdio.h>

#include "control/report/plot.h"

void script_put(const struct plot *plot, FILE *out);

#endif
