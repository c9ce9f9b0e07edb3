// A running instance as OpenMetrics text (the OpenMetrics specification, version 1.0) or in the
// text format of Prometheus, version 0.0.4: families in order, each with its type and help, both
// from the tables that describe counters and views; a counter's samples end in _total; times are in
// seconds. Cells and classes are labels. MSs are labels only in the answer for one cell. The
// samples of both formats are the same.
#ifndef SLUICE_CONTROL_CLIENT_OPENMETRICS_H
#define SLUICE_CONTROL_CLIENT_OPENMETRICS_H

#include <stdio.h>

#include "control/client/session.h"

enum exposition { EXPOSITION_TEXT, EXPOSITION_OPENMETRICS };
#define OPENMETRICS_TYPE     "application/openmetrics-text; version=1.0.0; charset=utf-8"
#define EXPOSITION_TEXT_TYPE "text/plain; version=0.0.4; charset=utf-8"

// Writes all metrics, or, with `cell` as "NSEI,BVCI", those of the cell's MSs. False: session->why
// has the reason, and `out` is empty.
bool openmetrics_put(struct session *session, const char *cell, enum exposition form, FILE *out);

#endif
