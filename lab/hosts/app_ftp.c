// See app_ftp.h. The sender closes behind the file, and the receiver when it has all of it; the
// transfer is done then, whenever the connection ends. Of a connection that is no longer `flow` no
// word counts.
#include "lab/hosts/app_ftp.h"

#define HOST_PORT 20

struct app_ftp {
    struct app app;
    struct app_ftp_config config;
    struct flow *flow; // NULL: no transfer is under way
    uint64_t begin_ns, request_left, arrived_octets;
    uint32_t files;
};

static const struct field app_ftp_fields[] = FIELD_KEYS_TABLE(app_ftp_config, APP_FTP_FIELDS);
const struct field_record app_ftp_config_record = FIELD_RECORD_OF(app_ftp_config, app_ftp_fields);

static void send_file(struct app_ftp *ftp, struct flow *flow, uint64_t now_ns)
{
    enum flow_end sender = app_sender(ftp->config.way);
    uint64_t octets = ftp->config.file_octets;
    flow_write(flow, sender, octets ? octets : TCP_UNLIMITED, now_ns);
    if (octets)
        flow_close(flow, sender, now_ns);
}

static void wait_for_next(struct app_ftp *ftp, uint64_t now_ns)
{
    ftp->flow = NULL;
    ftp->files++;
    if (!ftp->config.files || ftp->files < ftp->config.files)
        app_wait(&ftp->app, now_ns + ftp->config.pause_ns);
}

static void ftp_received(void *self, struct flow *flow, enum flow_end at, uint32_t number,
                         uint64_t octets, uint64_t now_ns)
{
    struct app_ftp *ftp = self;
    (void)number;
    ftp->app.figures.arrived[at].octets += octets;
    if (flow != ftp->flow)
        return;
    if (at != app_sender(ftp->config.way)) {
        ftp->arrived_octets += octets;
    } else if (ftp->request_left) {
        ftp->request_left -= octets < ftp->request_left ? octets : ftp->request_left;
        if (ftp->request_left == 0)
            send_file(ftp, flow, now_ns);
    }
}

static void ftp_opened(struct app_ftp *ftp, struct flow *flow, enum flow_end at, uint64_t now_ns)
{
    bool is_sender = at == app_sender(ftp->config.way);
    if (is_sender && !ftp->config.request_octets)
        send_file(ftp, flow, now_ns);
    if (!is_sender && ftp->config.request_octets)
        flow_write(flow, at, ftp->config.request_octets, now_ns);
}

static void fail(struct app_ftp *ftp, uint64_t now_ns)
{
    ftp->app.figures.aborted++;
    wait_for_next(ftp, now_ns);
}

static void ftp_event(void *self, struct flow *flow, enum flow_end at, enum tcp_event event,
                      uint64_t now_ns)
{
    struct app_ftp *ftp = self;
    if (flow != ftp->flow)
        return;
    if (event == TCP_OPEN) {
        ftp_opened(ftp, flow, at, now_ns);
    } else if (event == TCP_PEER_CLOSED && at != app_sender(ftp->config.way)) {
        flow_close(flow, at, now_ns);
        app_record(&ftp->app, APP_RECORD_transfer, ftp->begin_ns, ftp->arrived_octets, now_ns);
        wait_for_next(ftp, now_ns);
    } else if (event == TCP_ABORTED) {
        fail(ftp, now_ns);
    }
}

static void ftp_acknowledged(void *self, struct flow *flow, enum flow_end from, uint64_t octets)
{
    struct app_ftp *ftp = self;
    (void)flow;
    ftp->app.figures.sent[from].octets += octets;
}

static void ftp_ended(void *self, struct flow *flow, uint64_t now_ns)
{
    struct app_ftp *ftp = self;
    if (flow == ftp->flow)
        fail(ftp, now_ns);
}

static void ftp_fire(struct app *app, uint64_t now_ns)
{
    struct app_ftp *ftp = (struct app_ftp *)app;
    struct flow_config config = app_flow(app, FLOW_PROTOCOL_TCP, HOST_PORT);
    struct flow_user user = {ftp, ftp_received, ftp_event, ftp_ended, ftp_acknowledged};
    config.opener = (enum flow_end)ftp->config.opener;
    ftp->flow = flow_open(app->place.world->table, &config, &user, now_ns);
    if (!ftp->flow)
        return;
    app->figures.connections++;
    ftp->begin_ns = now_ns;
    ftp->arrived_octets = 0;
    ftp->request_left = ftp->config.request_octets;
    flow_connect(ftp->flow, now_ns);
}

// Whoever opened the connection resets it.
static void ftp_stop(struct app *app, uint64_t now_ns)
{
    struct app_ftp *ftp = (struct app_ftp *)app;
    struct flow *flow = ftp->flow;
    ftp->flow = NULL;
    if (flow)
        flow_abort(flow, (enum flow_end)ftp->config.opener, now_ns);
}

const struct app_kind app_ftp_kind = {
    .name = "ftp",
    .help = "file transfers over TCP, down or up",
    .config = &app_ftp_config_record,
    .octets = sizeof(struct app_ftp),
    .config_at = offsetof(struct app_ftp, config),
    .start = ftp_fire,
    .fire = ftp_fire,
    .stop = ftp_stop,
};
