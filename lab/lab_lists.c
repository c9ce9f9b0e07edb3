// The lists out of which the configuration's keys of the lab are made.
#include <string.h>

#include "lab/bss/bss_config.h"
#include "lab/bss/bss_trace.h"
#include "lab/hosts/app_dialogue.h"
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

// The name of a file, until the next call; all of them have the same most.
static const char *name_of(const struct octets *file)
{
    static _Thread_local char name[REPLAY_NAME_MOST + 1];
    _Static_assert(DIALOGUE_NAME_MOST <= REPLAY_NAME_MOST, "a name fits");
    _Static_assert(RADIO_TRACE_NAME_MOST <= REPLAY_NAME_MOST, "a name fits");
    _Static_assert(BSS_TRACE_NAME_MOST <= REPLAY_NAME_MOST, "a name fits");
    memcpy(name, file->at, file->n);
    name[file->n] = 0;
    return name;
}

// Why a file cannot be used, until the next call.
static _Thread_local char fault[RADIO_TRACE_ERROR_ROOM];
_Static_assert(APP_ERROR_ROOM <= RADIO_TRACE_ERROR_ROOM, "a fault fits");
_Static_assert(BSS_TRACE_ERROR_ROOM <= RADIO_TRACE_ERROR_ROOM, "a fault fits");
_Static_assert(RADIO_WALK_ERROR_ROOM <= RADIO_TRACE_ERROR_ROOM, "a fault fits");

// The file's largest packet. Reads it once for each block of the configuration, and not for each
// MS.
static const char *replay_measure(const void *config, uint64_t *octets)
{
    const struct app_replay_config *c = config;
    struct replay_file *file = c->flow ? app_replay_read_flows(name_of(&c->file), fault)
                                       : app_replay_read(name_of(&c->file), fault);
    for (uint32_t i = 0; file && i < file->packets; i++)
        *octets = file->packet[i].octets > *octets ? file->packet[i].octets : *octets;
    app_replay_free(file);
    return file ? NULL : fault;
}

// The number of flows.
static const char *flows_measure(const void *config, uint64_t *flows)
{
    const struct app_replay_config *c = config;
    struct replay_file *file = app_replay_read_flows(name_of(&c->file), fault);
    *flows = file ? file->flows : 0;
    app_replay_free(file);
    return file ? NULL : fault;
}

// The number of users.
static const char *dialogue_measure(const void *config, uint64_t *users)
{
    const struct app_dialogue_config *c = config;
    struct dialogue_file *file = app_dialogue_read(name_of(&c->file), fault);
    *users = file ? file->users : 0;
    app_dialogue_free(file);
    return file ? NULL : fault;
}

// Why the radio's file cannot be used; else the longest time without a rate.
static const char *trace_measure(const void *config, uint64_t *silent_ns)
{
    const struct radio_trace_config *c = config;
    struct radio_trace *trace = radio_trace_read(name_of(&c->trace), fault);
    *silent_ns = trace ? radio_trace_silent_ns(trace, c->until_ns) : 0;
    radio_trace_free(trace);
    return trace ? NULL : fault;
}

// Why an MS's file of its downlink cannot be used; else its rows.
static const char *walk_measure(const void *config, uint64_t *rows)
{
    const struct radio_trace_config *c = config;
    struct radio_walk *walk = radio_walk_read(name_of(&c->trace), fault);
    *rows = walk ? walk->rows : 0;
    radio_walk_free(walk);
    return walk ? NULL : fault;
}

// Why the cell's file of flow control cannot be used; else its rows.
static const char *flow_trace_measure(const void *config, uint64_t *rows)
{
    const struct bss_trace_config *c = config;
    struct bss_trace *trace = bss_trace_read(name_of(&c->trace), fault);
    *rows = trace ? trace->rows : 0;
    bss_trace_free(trace);
    return trace ? NULL : fault;
}

// Rows without a block of their own are for their faults and measures only.
static const struct lab_list lists[] = {
    {"link", &link_config_record, link_fault, false, "a line of the network", NULL},
    {"cake", &cake_config_record, NULL, false, "CAKE before the GGSN", NULL},
    {"mobile", &ms_config_record, NULL, false, "settings of all MSs", NULL},
    {"bss", &bss_config_record, bss_fault, false, "a BSS", NULL},
    {"cell", &bss_cell_config_record, cell_fault, false, "a cell of a BSS", NULL},
    {"radio", &radio_config_record, radio_fault, false, "the radio of a cell", NULL},
    {"radio_trace", &radio_trace_config_record, NULL, false, "the file of a radio", trace_measure},
    {"radio_walk", &radio_trace_config_record, NULL, false, "the file of an MS's downlink",
     walk_measure},
    {"flow_trace", &bss_trace_config_record, NULL, false, "the file of a cell's flow control",
     flow_trace_measure},
    {"event", &lab_event_record, lab_event_fault, false, "what an MS does at given times", NULL},
    {"plan", &radio_plan_record, plan_fault, false, "what happens to a radio at given times", NULL},
    {"tcp", &tcp_profile_record, NULL, false, "a TCP profile", NULL},
    {"tcp_changes", &lab_tcp_record, lab_tcp_fault, false, "a TCP profile of the file", NULL},
    {"replay_file", &app_replay_config_record, NULL, false, "the file of a replay", replay_measure},
    {"replay_flows", &app_replay_config_record, NULL, false, "its flows", flows_measure},
    {"dialogue_file", &app_dialogue_config_record, NULL, false, "the file of a dialogue",
     dialogue_measure},
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
    *list = (struct lab_list){kind->name, kind->config, kind->fault, true, kind->help, NULL};
    return true;
}

const struct tcp_profile_row *lab_tcp_profile(uint32_t i)
{
    return i < tcp_profile_count ? &tcp_profiles[i] : NULL;
}
