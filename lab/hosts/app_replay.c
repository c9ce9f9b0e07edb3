// See app_replay.h.
#include "lab/hosts/app_replay.h"

#include <string.h>

#define HOST_PORT 9 // discard

struct app_replay {
    struct app_datagram datagram;
    struct app_replay_config config;
    const struct replay_file *file;
    uint64_t begin_ns; // of this time
    uint32_t next, times;
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

static bool replay_setup(struct app *app, char error[APP_ERROR_ROOM])
{
    struct app_replay *replay = (struct app_replay *)app;
    struct app_world *world = app->place.world;
    char name[REPLAY_NAME_MOST + 1];
    memcpy(name, replay->config.file.at, replay->config.file.n);
    name[replay->config.file.n] = 0;
    replay->config.file = (struct octets){0}; // the caller's memory
    replay->file = find(world, name);
    if (replay->file)
        return true;
    struct replay_file *file = app_replay_read(name, error);
    if (!file)
        return false;
    file->next = world->replay_files;
    world->replay_files = file;
    replay->file = file;
    return true;
}

// The next time begins a mean gap behind the last packet; a file of one packet, after a second.
static void begin_again(struct app_replay *replay, uint64_t now_ns)
{
    const struct replay_file *file = replay->file;
    uint64_t length_ns = file->packet[file->packets - 1].at_ns;
    uint64_t gap_ns = file->packets > 1 ? length_ns / (file->packets - 1) : S_IN_NS;
    replay->next = 0;
    replay->begin_ns = now_ns + (gap_ns ? gap_ns : S_IN_NS);
}

static void replay_fire(struct app *app, uint64_t now_ns)
{
    struct app_replay *replay = (struct app_replay *)app;
    const struct replay_file *file = replay->file;
    app_datagram_send(app, app_sender(replay->config.way), file->packet[replay->next].octets,
                      now_ns);
    if (++replay->next == file->packets) {
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
    replay_fire(app, now_ns);
}

const struct app_kind app_replay_kind = {
    .name = "replay",
    .help = "the gaps and sizes of a pcap file, over UDP",
    .config = &app_replay_config_record,
    .octets = sizeof(struct app_replay),
    .config_at = offsetof(struct app_replay, config),
    .fault = replay_fault,
    .setup = replay_setup,
    .start = replay_start,
    .fire = replay_fire,
};
