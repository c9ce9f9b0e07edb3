// See app_replay.h.
#include "lab/hosts/app_replay.h"

#include <stdio.h>
#include <string.h>

#define HOST_PORT 9 // discard

struct app_replay {
    struct app_datagram datagram;
    struct app_replay_config config;
    const struct replay_file *file;
    uint64_t begin_ns;                // of this time
    uint32_t first, end, next, times; // its packets are [first, end)
};

static const struct field app_replay_fields[] =
    FIELD_KEYS_TABLE(app_replay_config, APP_REPLAY_FIELDS);
const struct field_record app_replay_config_record =
    FIELD_RECORD_OF(app_replay_config, app_replay_fields);

static const char *replay_fault(const void *config)
{
    const struct app_replay_config *c = config;
    return c->file.n == 0 || c->file.n > REPLAY_NAME_MOST ? "file: a name of 1 to 4095 octets"
                                                          : NULL;
}

static struct replay_file *find(struct app_world *world, const char *name)
{
    struct replay_file *file = world->replay_files;
    while (file && strcmp(file->name, name) != 0)
        file = file->next;
    return file;
}

static struct replay_file *read_file(struct app_world *world, const char *name, bool flows,
                                     char error[APP_ERROR_ROOM])
{
    struct replay_file *file = find(world, name);
    if (file)
        return file;
    file = flows ? app_replay_read_flows(name, error) : app_replay_read(name, error);
    if (file) {
        file->next = world->replay_files;
        world->replay_files = file;
    }
    return file;
}

static bool replay_setup(struct app *app, char error[APP_ERROR_ROOM])
{
    struct app_replay *replay = (struct app_replay *)app;
    uint32_t flow = (uint32_t)replay->config.flow;
    char name[REPLAY_NAME_MOST + 1];
    memcpy(name, replay->config.file.at, replay->config.file.n);
    name[replay->config.file.n] = 0;
    replay->config.file = (struct octets){0}; // the caller's memory
    const struct replay_file *file = read_file(app->place.world, name, flow, error);
    if (!file)
        return false;
    if (flow > file->flows || !flow != !file->flows) {
        snprintf(error, APP_ERROR_ROOM, "replay: %.150s: no flow %u; there are %u", name, flow,
                 file->flows);
        return false;
    }
    replay->file = file;
    replay->first = flow ? file->begin[flow] : 0;
    replay->end = flow ? file->begin[flow + 1] : file->packets;
    return true;
}

// The next time begins a mean gap behind the last packet; a file of one packet, after a second.
static void begin_again(struct app_replay *replay, uint64_t now_ns)
{
    const struct replay_file *file = replay->file;
    uint64_t length_ns = file->packet[replay->end - 1].at_ns;
    uint32_t gaps = replay->end - replay->first - 1;
    uint64_t gap_ns = gaps ? length_ns / gaps : S_IN_NS;
    replay->next = replay->first;
    replay->begin_ns = now_ns + (gap_ns ? gap_ns : S_IN_NS);
}

static void replay_fire(struct app *app, uint64_t now_ns)
{
    struct app_replay *replay = (struct app_replay *)app;
    const struct replay_file *file = replay->file;
    app_datagram_send(app, app_sender(replay->config.way), file->packet[replay->next].octets,
                      now_ns);
    if (++replay->next == replay->end) {
        if (++replay->times == replay->config.times)
            return;
        begin_again(replay, now_ns);
    }
    app_wait(app, replay->begin_ns + file->packet[replay->next].at_ns);
}

static void replay_start(struct app *app, uint64_t now_ns)
{
    struct app_replay *replay = (struct app_replay *)app;
    app_datagram_open(app, HOST_PORT, replay->config.ect, now_ns);
    replay->begin_ns = now_ns;
    replay->next = replay->first;
    uint64_t at_ns = now_ns + replay->file->packet[replay->first].at_ns;
    if (at_ns > now_ns)
        app_wait(app, at_ns);
    else
        replay_fire(app, now_ns);
}

const struct app_kind app_replay_kind = {
    .name = "replay",
    .help = "the gaps and sizes of a capture, over UDP",
    .config = &app_replay_config_record,
    .octets = sizeof(struct app_replay),
    .config_at = offsetof(struct app_replay, config),
    .fault = replay_fault,
    .setup = replay_setup,
    .start = replay_start,
    .fire = replay_fire,
};
