// Memory that the lab cannot do without: a lack of it aborts the program.
#ifndef SLUICE_LAB_NEED_H
#define SLUICE_LAB_NEED_H

#include <stdlib.h>

static inline void *need(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

#endif
