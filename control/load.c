// See load.h.
#include "control/load.h"

#include "dataplane/dataplane.h"

#define CONFIG_LUA_OCTETS_MAX (64u << 20)

bool load_config(struct host *host, const struct options *options)
{
    host_add_fields(host, "limits", dp_config_fields, dp_config_field_count);
    host_limit(host, CONFIG_LUA_OCTETS_MAX);
    bool good = host_config(host, options->file, options->set, options->sets, stderr);
    host_limit(host, SIZE_MAX);
    return good;
}
