// `sluice ctl trace`: traces packets in a running instance, and shows what was traced.
#ifndef SLUICE_CONTROL_CLIENT_TRACE_H
#define SLUICE_CONTROL_CLIENT_TRACE_H

// The words from `trace` on; run: the instance, or NULL. Returns the exit status.
int trace_command(int argc, char **argv, const char *run);

#endif
