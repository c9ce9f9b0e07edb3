// See load.h.
#include "control/run/load.h"

#include <stdlib.h>

#include "dataplane/dataplane.h"
#include "dataplane/wire/address.h"

static const struct field run_config_fields[] = FIELD_TABLE(run_config, RUN_CONFIG_FIELDS);

#define LISTS_MAX 32

// The lists of the lab's parts: the modules fields, faults and measures, and lab_apps with the
// names.
static void add_lab(struct bind *lua)
{
    struct field apps[LISTS_MAX] = {0};
    struct lab_list list;
    uint32_t n = 0;
    for (uint32_t i = 0; lab_list(i, &list); i++) {
        bind_add_list(lua, list.name, list.record);
        if (list.fault)
            bind_add_fault(lua, list.name, list.record, list.fault);
        if (list.measure)
            bind_add_measure(lua, list.name, list.record, list.measure);
        if (list.is_app && n < LISTS_MAX)
            apps[n++] = (struct field){.name = list.name, .help = list.help};
    }
    bind_add_fields(lua, "lab_apps", apps, n);
}

// The most of a profile is its MSS.
static void add_tcp_profiles(struct bind *lua)
{
    struct field profiles[LISTS_MAX] = {0};
    const struct tcp_profile_row *row;
    uint32_t n = 0;
    for (; n < LISTS_MAX && (row = lab_tcp_profile(n)) != NULL; n++)
        profiles[n] =
            (struct field){.name = row->name, .help = row->help, .most = row->profile.mss_octets};
    bind_add_fields(lua, "tcp_profiles", profiles, n);
}

void load_add_fields(struct bind *lua)
{
    bind_add_fields(lua, "limits", dp_config_fields, dp_config_field_count);
    add_lab(lua);
    add_tcp_profiles(lua);
}

void load_describe(struct bind *lua, FILE *out)
{
    load_add_fields(lua);
    bind_describe(lua, "sluice.config.language", out);
}

static bool load_file(struct bind *lua, const struct options *options, FILE *errors)
{
    struct bind_changes changes = {options->set, options->sets, options->variant, options->point};
    return bind_config(lua, options->file, &changes, load_add_fields, errors);
}

static bool load_structs(struct bind *lua, struct load *load)
{
    uint32_t run_fields = sizeof run_config_fields / sizeof run_config_fields[0];
    return bind_struct(lua, "run_config", run_config_fields, run_fields, &load->run) &&
           bind_struct(lua, "dp_config", dp_config_fields, dp_config_field_count, &load->dp) &&
           (load->run.real ||
            bind_struct(lua, "lab_config", lab_config_fields, lab_config_field_count, &load->lab));
}

// In virtual time nobody is there but the lab.
static bool has_network(const struct options *options, const struct load *load, FILE *errors)
{
    struct ipv6_address none = address_of_ipv4(0);
    bool has = load->run.real || !address_same(&load->lab.ggsn_address, &none);
    if (!has)
        fprintf(errors, "%s: found no lab { }, which run.clock = \"virtual\" needs\n",
                options->file);
    return has;
}

static bool load_all(struct bind *lua, const struct options *options, struct load *load,
                     bool may_be_alone, char **said)
{
    size_t octets;
    FILE *errors = open_memstream(said, &octets);
    if (!errors)
        abort();
    bool good = load_file(lua, options, errors) && load_structs(lua, load) &&
                (may_be_alone || has_network(options, load, errors));
    fclose(errors);
    return good;
}

bool load_config_said(struct bind *lua, const struct options *options, struct load *load,
                      char **said)
{
    return load_all(lua, options, load, false, said);
}

bool load_config(struct bind *lua, const struct options *options, struct load *load)
{
    char *said;
    bool good = load_all(lua, options, load, true, &said);
    fputs(said, stderr);
    free(said);
    return good;
}

uint64_t load_memory_octets(const struct load *load)
{
    return dp_memory_octets(&load->dp);
}
