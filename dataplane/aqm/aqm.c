// See aqm.h: finds an AQM by its name.
#include "dataplane/aqm/aqm.h"

#include <string.h>

const struct aqm_ops *const aqm_list[] = {
#define AQM(name) &aqm_##name,
#include "dataplane/aqm/aqm.def"
#undef AQM
};
const uint32_t aqm_count = sizeof aqm_list / sizeof aqm_list[0];

const struct aqm_ops *aqm_of_name(const char *name)
{
    for (uint32_t i = 0; i < aqm_count; i++)
        if (strcmp(aqm_list[i]->name, name) == 0)
            return aqm_list[i];
    return NULL;
}
