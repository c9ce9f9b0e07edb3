// The lists out of which the configuration's keys of the lab are made.
#include <string.h>

#include "lab/bss/bss_config.h"
#include "lab/hosts/app_replay.h"
#include "lab/lab.h"
#include "lab/radio/radio.h"

#define LENGTH(a) (sizeof(a) / sizeof(a)[0])

static const char *link_fault(const void *config)
{
    return link_config_fault(config);
}

static const char *radio_fault(const void *config)
{
    return radio_config_fault(config);
}

static const char *plan_fault(const void *plan)
{
    return radio_plan_fault(plan);
}

static const char *bss_fault(const void *config)
{
    return bss_config_fault(config);
}

static const char *cell_fault(const void *config)
{
    return bss_cell_config_fault(config);
}

// Reads the file once for each block of the configuration, and not for each MS.
static const char *replay_fault(const void *config)
{
    static char text[APP_ERROR_ROOM];
    const struct app_replay_config *c = config;
    char name[REPLAY_NAME_MOST + 1] = "";
    memcpy(name, c->file.at, c->file.n);
    struct replay_file *file = app_replay_read(name, text);
    app_replay_free(file);
    return file ? NULL : text;
}

// Rows without a block of their own are for their faults only.
static const struct lab_list lists[] = {
    {"link", &link_config_record, link_fault, false, "a line of the network"},
    {"mobile", &ms_config_record, NULL, false, "what all MSs have in common"},
    {"bss", &bss_config_record, bss_fault, false, "a BSS"},
    {"cell", &bss_cell_config_record, cell_fault, false, "a cell of a BSS"},
    {"radio", &radio_config_record, radio_fault, false, "the radio of a cell"},
    {"event", &lab_event_record, lab_event_fault, false, "what an MS does at given times"},
    {"plan", &radio_plan_record, plan_fault, false, "what happens to a radio at given times"},
    {"tcp", &tcp_profile_record, NULL, false, "a TCP profile"},
    {"tcp_changes", &lab_tcp_record, lab_tcp_fault, false, "a TCP profile of the file"},
    {"replay_file", &app_replay_config_record, replay_fault, false, "the file of a replay"},
};

bool lab_list(uint32_t i, struct lab_list *list)
{
    if (i < LENGTH(lists)) {
        *list = lists[i];
        return true;
    }
    i -= LENGTH(lists);
    if (i >= app_kind_count)
        return false;
    const struct app_kind *kind = app_kinds[i];
    *list = (struct lab_list){kind->name, kind->config, kind->fault, true, kind->help};
    return true;
}

const char *lab_tcp_profile(uint32_t i, const char **help)
{
    if (i >= tcp_profile_count)
        return NULL;
    *help = tcp_profiles[i].help;
    return tcp_profiles[i].name;
}
