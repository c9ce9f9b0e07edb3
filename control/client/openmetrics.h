// A running instance as OpenMetrics text (the OpenMetrics specification, version 1.0): families in
// order, each with its type and help, both from the tables that describe counters and views; a
// counter's samples end in _total; times are in seconds. Cells and classes are labels, and no MS
// is, but for those of one cell when they are asked for.
#ifndef SLUICE_CONTROL_CLIENT_OPENMETRICS_H
#define SLUICE_CONTROL_CLIENT_OPENMETRICS_H

#include <stdio.h>

#include "control/client/session.h"

#define OPENMETRICS_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"

// All of it, or, with `cell` as "NSEI,BVCI", the MSs of that cell. False: the session says why, and
// nothing is in `out`.
bool openmetrics_put(struct session *session, const char *cell, FILE *out);

#endif
