// A running instance as OpenMetrics text (the OpenMetrics specification, version 1.0): families in
// order, each with its type and help, both from the tables that describe counters and views; a
// counter's samples end in _total; times are in seconds. Cells and classes are labels. MSs are
// labels only in the answer for one cell.
#ifndef SLUICE_CONTROL_CLIENT_OPENMETRICS_H
#define SLUICE_CONTROL_CLIENT_OPENMETRICS_H

#include <stdio.h>

#include "control/client/session.h"

#define OPENMETRICS_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"

// Writes all metrics, or, with `cell` as "NSEI,BVCI", those of the cell's MSs. False: session->why
// has the reason, and `out` is empty.
bool openmetrics_put(struct session *session, const char *cell, FILE *out);

#endif
