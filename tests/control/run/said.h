// The log of a run, for tests of what it says: `run` logs into memory, and said_since() is what it
// has said since.
#ifndef SLUICE_TEST_RUN_SAID_H
#define SLUICE_TEST_RUN_SAID_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/run/run.h"

static struct run run;
static char *said;
static size_t said_octets;

// The rest of the run is zeros. Not 0: there is no memory.
static int said_begin(void)
{
    memset(&run, 0, sizeof run);
    run.control.log = (struct log){.out = open_memstream(&said, &said_octets), .level = LOG_INFO};
    return run.control.log.out ? 0 : -1;
}

// A teardown of CMocka.
static int said_end(void **state)
{
    (void)state;
    fclose(run.control.log.out);
    free(said);
    return 0;
}

// The place behind all that has been said.
static size_t said_so_far(void)
{
    fflush(run.control.log.out);
    return said_octets;
}

// NULL: nothing.
static const char *said_since(size_t before)
{
    return said_so_far() > before ? said + before : NULL;
}

#endif
