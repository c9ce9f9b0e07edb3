// See load.h.
#include "control/program/load.h"

#include "dataplane/dataplane.h"

static const struct field run_config_fields[] = FIELD_TABLE(run_config, RUN_CONFIG_FIELDS);

static void add_limits(struct bind *lua)
{
    bind_add_fields(lua, "limits", dp_config_fields, dp_config_field_count);
}

void load_describe(struct bind *lua, FILE *out)
{
    add_limits(lua);
    bind_describe(lua, out);
}

static bool load_file(struct bind *lua, const struct options *options)
{
    add_limits(lua);
    return bind_config(lua, options->file, options->set, options->sets, stderr);
}

bool load_config(struct bind *lua, const struct options *options, struct load *load)
{
    uint32_t run_fields = sizeof run_config_fields / sizeof run_config_fields[0];
    return load_file(lua, options) &&
           bind_struct(lua, "run_config", run_config_fields, run_fields, &load->run) &&
           bind_struct(lua, "dp_config", dp_config_fields, dp_config_field_count, &load->dp) &&
           (load->run.real ||
            bind_struct(lua, "lab_config", lab_config_fields, lab_config_field_count, &load->lab));
}

uint64_t load_memory_octets(const struct load *load)
{
    return dp_memory_octets(&load->dp) + (load->run.real ? 0 : lab_memory_octets(&load->lab));
}
