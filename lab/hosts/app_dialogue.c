// See app_dialogue.h. Each end of a connection has its next step and one timer, for the time that
// it thinks. A step is looked at again whenever one of its conditions may have become true.
#include "lab/hosts/app_dialogue.h"

#include <stdlib.h>
#include <string.h>

#include "lab/engine/need.h"

#define HOST_PORT 80

struct dialogue_connection;

struct dialogue_side {
    struct dialogue_connection *connection;
    enum flow_end end;
    uint32_t next;       // its next step, a row; the end of the connection's: none
    bool open, thinking; // thinking: the timer is set
    bool thought;        // of that step
    bool peer_closed, closed;
    uint64_t wrote_octets, acked_octets, received_octets;
    struct engine_timer timer;
};

struct dialogue_connection {
    struct app_dialogue *dialogue;
    struct flow *flow; // NULL: not open yet, or over
    bool begun, over;
    uint32_t rows, rows_end; // its steps
    uint32_t waiters;        // those of other connections that wait for this one: the next of them
    struct tcp_profile profile[FLOW_ENDS];
    struct dialogue_side side[FLOW_ENDS];
    // The answer that is to arrive next at the MS: a row, and where it ends.
    uint32_t answer;
    uint64_t answer_end;
};

// A step that waits for another connection.
struct dialogue_waiter {
    uint32_t after, connection; // from 1
    uint64_t received;
};

// What the MS waits for at a time, from its first step to the last octet of its last answer.
struct dialogue_page {
    bool begun, failed;
    uint32_t left; // answers
    uint64_t begin_ns, octets;
};

struct app_dialogue {
    struct app app;
    struct app_dialogue_config config;
    const struct dialogue_file *file;
    struct dialogue_connection *connection;
    uint32_t connections;
    struct dialogue_waiter *waiter; // in the order of what they wait for
    uint32_t waiters;
    struct dialogue_page *page; // by number
    uint32_t pages;
};

static const struct field app_dialogue_fields[] =
    FIELD_KEYS_TABLE(app_dialogue_config, APP_DIALOGUE_FIELDS);
const struct field_record app_dialogue_config_record =
    FIELD_RECORD_OF(app_dialogue_config, app_dialogue_fields);

static const char *dialogue_fault(const void *config)
{
    const struct app_dialogue_config *c = config;
    return c->file.n == 0 || c->file.n > DIALOGUE_NAME_MOST ? "file: a name of 1 to 4095 octets"
                                                            : NULL;
}

// ---- Pages ----

static void page_begins(struct app_dialogue *dialogue, const struct dialogue_row *row,
                        uint64_t now_ns)
{
    struct dialogue_page *page = &dialogue->page[row->page];
    if (!page->begun)
        page->begin_ns = now_ns;
    page->begun = true;
}

static void page_has(struct app_dialogue *dialogue, const struct dialogue_row *row, uint64_t now_ns)
{
    struct dialogue_page *page = &dialogue->page[row->page];
    page->octets += row->octets;
    page->left--;
    if (row->page && page->left == 0 && !page->failed)
        app_record(&dialogue->app, APP_RECORD_page, page->begin_ns, page->octets, now_ns);
}

// The next answer of the connection, or the end of its rows.
static void find_answer(struct dialogue_connection *c, uint32_t from)
{
    const struct dialogue_row *row = c->dialogue->file->row;
    while (from < c->rows_end && row[from].what != DIALOGUE_HOST_SENDS)
        from++;
    c->answer = from;
    if (from < c->rows_end)
        c->answer_end += row[from].octets;
}

static void take_answers(struct dialogue_connection *c, uint64_t now_ns)
{
    while (c->answer < c->rows_end && c->side[FLOW_MS].received_octets >= c->answer_end) {
        page_has(c->dialogue, &c->dialogue->file->row[c->answer], now_ns);
        find_answer(c, c->answer + 1);
    }
}

// ---- Steps ----

static bool opens(uint8_t what)
{
    return what == DIALOGUE_MS_OPENS || what == DIALOGUE_HOST_OPENS;
}

static struct dialogue_connection *connection_of(struct app_dialogue *dialogue, uint32_t number)
{
    return &dialogue->connection[number - 1];
}

static void find_step(struct dialogue_side *side, uint32_t from)
{
    const struct dialogue_connection *c = side->connection;
    const struct dialogue_row *row = c->dialogue->file->row;
    while (from < c->rows_end && dialogue_end((enum dialogue_what)row[from].what) != side->end)
        from++;
    side->next = from;
    side->thought = false;
}

static bool has_come(const struct dialogue_side *side, const struct dialogue_row *row)
{
    struct dialogue_connection *c = side->connection;
    if (!row->after)
        return true;
    if (row->after == row->connection)
        return side->received_octets >= row->received;
    const struct dialogue_connection *other = connection_of(c->dialogue, row->after);
    return other->over || other->side[FLOW_MS].received_octets >= row->received;
}

static bool may_step(const struct dialogue_side *side, const struct dialogue_row *row)
{
    if (!has_come(side, row))
        return false;
    return opens(row->what) ? !side->connection->begun
                            : side->open && side->acked_octets == side->wrote_octets;
}

static void open_connection(struct dialogue_connection *c, enum flow_end opener, uint64_t now_ns);

static void step(struct dialogue_side *side, const struct dialogue_row *row, uint64_t now_ns)
{
    struct dialogue_connection *c = side->connection;
    page_begins(c->dialogue, row, now_ns);
    if (opens(row->what)) {
        open_connection(c, side->end, now_ns);
    } else if (row->octets) {
        side->wrote_octets += row->octets;
        flow_write(c->flow, side->end, row->octets, now_ns);
    } else {
        side->closed = true;
        flow_close(c->flow, side->end, now_ns);
    }
}

// An end whose peer has closed and that has no more to do closes, too.
static void close_last(struct dialogue_side *side, uint64_t now_ns)
{
    struct dialogue_connection *c = side->connection;
    if (!c->flow || side->closed || !side->peer_closed || side->next < c->rows_end)
        return;
    side->closed = true;
    flow_close(c->flow, side->end, now_ns);
}

static void go_on(struct dialogue_side *side, uint64_t now_ns)
{
    struct dialogue_connection *c = side->connection;
    struct app_dialogue *dialogue = c->dialogue;
    while (!c->over && !side->thinking && side->next < c->rows_end) {
        const struct dialogue_row *row = &dialogue->file->row[side->next];
        if (!side->thought && !may_step(side, row))
            return;
        if (!side->thought && row->think_ns) {
            side->thinking = side->thought = true;
            engine_set(dialogue->app.place.world->engine, &side->timer, now_ns + row->think_ns);
            return;
        }
        find_step(side, side->next + 1);
        step(side, row, now_ns);
    }
    if (!side->thinking)
        close_last(side, now_ns);
}

static void end_connection(struct dialogue_connection *c, uint64_t now_ns);

static void has_thought(void *self, uint64_t now_ns)
{
    struct dialogue_side *side = self;
    struct dialogue_connection *c = side->connection;
    side->thinking = false;
    if (c->begun && !c->flow)
        end_connection(c, now_ns);
    else
        go_on(side, now_ns);
}

// Steps of other connections that wait for this one.
static void wake_waiters(struct dialogue_connection *c, uint64_t now_ns)
{
    struct app_dialogue *dialogue = c->dialogue;
    uint32_t number = (uint32_t)(c - dialogue->connection) + 1;
    while (c->waiters < dialogue->waiters) {
        const struct dialogue_waiter *waiter = &dialogue->waiter[c->waiters];
        if (waiter->after != number ||
            (!c->over && waiter->received > c->side[FLOW_MS].received_octets))
            return;
        c->waiters++;
        go_on(&connection_of(dialogue, waiter->connection)->side[FLOW_MS], now_ns);
        go_on(&connection_of(dialogue, waiter->connection)->side[FLOW_HOST], now_ns);
    }
}

// ---- The flow ----

// What it had to answer does not come: its pages have no time.
static void end_connection(struct dialogue_connection *c, uint64_t now_ns)
{
    struct app_dialogue *dialogue = c->dialogue;
    const struct dialogue_row *row = dialogue->file->row;
    if (c->over)
        return;
    c->over = true;
    c->flow = NULL;
    for (int end = 0; end < FLOW_ENDS; end++)
        engine_cancel(dialogue->app.place.world->engine, &c->side[end].timer);
    dialogue->app.figures.aborted += c->answer < c->rows_end;
    for (; c->answer < c->rows_end; find_answer(c, c->answer + 1)) {
        dialogue->page[row[c->answer].page].failed = true;
        page_has(dialogue, &row[c->answer], now_ns);
    }
    wake_waiters(c, now_ns);
}

static void dialogue_received(void *self, struct flow *flow, enum flow_end at, uint32_t number,
                              uint64_t octets, uint64_t now_ns)
{
    struct dialogue_connection *c = self;
    (void)number;
    c->dialogue->app.figures.arrived[at].octets += octets;
    if (flow != c->flow)
        return;
    c->side[at].received_octets += octets;
    if (at == FLOW_MS)
        take_answers(c, now_ns);
    go_on(&c->side[at], now_ns);
    if (at == FLOW_MS)
        wake_waiters(c, now_ns);
}

static void dialogue_event(void *self, struct flow *flow, enum flow_end at, enum tcp_event event,
                           uint64_t now_ns)
{
    struct dialogue_connection *c = self;
    struct dialogue_side *side = &c->side[at];
    if (flow != c->flow)
        return;
    if (event == TCP_ABORTED) {
        end_connection(c, now_ns);
        return;
    }
    side->open |= event == TCP_OPEN;
    side->peer_closed |= event == TCP_PEER_CLOSED;
    go_on(side, now_ns);
}

static void dialogue_ended(void *self, struct flow *flow, uint64_t now_ns)
{
    struct dialogue_connection *c = self;
    if (flow == c->flow)
        end_connection(c, now_ns);
}

// No time is given, so a step that this allows is taken with the ACK's own call of go_on.
static void dialogue_acknowledged(void *self, struct flow *flow, enum flow_end from,
                                  uint64_t octets)
{
    struct dialogue_connection *c = self;
    struct app *app = &c->dialogue->app;
    app->figures.sent[from].octets += octets;
    if (flow != c->flow)
        return;
    c->side[from].acked_octets += octets;
    go_on(&c->side[from], engine_now_ns(app->place.world->engine));
}

// What the file says of the ends, in place of what their profiles say.
static void set_profile(struct tcp_profile *profile, const struct tcp_profile *base,
                        const struct dialogue_row *row, bool is_ms)
{
    *profile = *base;
    if (row->mss_octets >= 64)
        profile->mss_octets = row->mss_octets;
    if (is_ms && row->window_octets >= 128)
        profile->receive_window_octets = row->window_octets;
    profile->timestamps &= row->timestamps;
    if (!profile->timestamps && profile->spurious == TCP_SPURIOUS_EIFEL)
        profile->spurious = TCP_SPURIOUS_NONE;
    if (row->sack)
        return;
    profile->sack = profile->dsack = 0;
    profile->recovery = TCP_RECOVERY_NEWRENO;
}

static void open_connection(struct dialogue_connection *c, enum flow_end opener, uint64_t now_ns)
{
    struct app_dialogue *dialogue = c->dialogue;
    const struct dialogue_row *row = &dialogue->file->row[c->rows];
    struct flow_config config = app_flow(&dialogue->app, FLOW_PROTOCOL_TCP, HOST_PORT);
    struct flow_user user = {c, dialogue_received, dialogue_event, dialogue_ended,
                             dialogue_acknowledged};
    for (int end = 0; end < FLOW_ENDS; end++) {
        set_profile(&c->profile[end], dialogue->app.place.profile[end], row, end == FLOW_MS);
        config.profile[end] = &c->profile[end];
    }
    config.opener = opener;
    c->begun = true;
    c->flow = flow_open(dialogue->app.place.world->table, &config, &user, now_ns);
    if (!c->flow) { // each of the MS's ports has a flow; it is over in the timer's call
        c->side[opener].thinking = true;
        engine_set(dialogue->app.place.world->engine, &c->side[opener].timer, now_ns);
        return;
    }
    dialogue->app.figures.connections++;
    flow_connect(c->flow, now_ns);
}

// ---- The application ----

static const struct dialogue_file *find(struct app_world *world, const char *name,
                                        char error[APP_ERROR_ROOM])
{
    struct dialogue_file *file = world->dialogue_files;
    while (file && strcmp(file->name, name) != 0)
        file = file->next;
    if (file || !(file = app_dialogue_read(name, error)))
        return file;
    file->next = world->dialogue_files;
    return world->dialogue_files = file;
}

static int compare_waiters(const void *a, const void *b)
{
    const struct dialogue_waiter *x = a, *y = b;
    if (x->after != y->after)
        return x->after < y->after ? -1 : 1;
    if (x->received != y->received)
        return x->received < y->received ? -1 : 1;
    return x->connection < y->connection ? -1 : x->connection > y->connection;
}

static void count(struct app_dialogue *dialogue, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; i++) {
        const struct dialogue_row *row = &dialogue->file->row[i];
        dialogue->connections = row->connection;
        dialogue->waiters += row->after && row->after != row->connection;
        if (row->page > dialogue->pages)
            dialogue->pages = row->page;
    }
}

static void make_connection(struct app_dialogue *dialogue, uint32_t number, uint32_t begin,
                            uint32_t end)
{
    struct dialogue_connection *c = connection_of(dialogue, number);
    c->dialogue = dialogue;
    c->rows = begin;
    c->rows_end = end;
    for (int e = 0; e < FLOW_ENDS; e++) {
        c->side[e].connection = c;
        c->side[e].end = (enum flow_end)e;
        engine_timer_init(&c->side[e].timer, has_thought, &c->side[e]);
        find_step(&c->side[e], begin);
    }
    find_answer(c, begin);
}

static void make_all(struct app_dialogue *dialogue, uint32_t begin, uint32_t end)
{
    const struct dialogue_row *row = dialogue->file->row;
    uint32_t first = begin, waiters = 0;
    for (uint32_t i = begin; i < end; i++) {
        if (row[i].what == DIALOGUE_HOST_SENDS)
            dialogue->page[row[i].page].left++;
        if (row[i].after && row[i].after != row[i].connection)
            dialogue->waiter[waiters++] =
                (struct dialogue_waiter){row[i].after, row[i].connection, row[i].received};
        if (i + 1 < end && row[i + 1].connection == row[i].connection)
            continue;
        make_connection(dialogue, row[i].connection, first, i + 1);
        first = i + 1;
    }
    qsort(dialogue->waiter, waiters, sizeof *dialogue->waiter, compare_waiters);
    for (uint32_t i = waiters; i-- > 0;)
        connection_of(dialogue, dialogue->waiter[i].after)->waiters = i;
}

static bool dialogue_setup(struct app *app, char error[APP_ERROR_ROOM])
{
    struct app_dialogue *dialogue = (struct app_dialogue *)app;
    struct octets *file = &dialogue->config.file;
    char name[DIALOGUE_NAME_MOST + 1];
    memcpy(name, file->at, file->n);
    name[file->n] = 0;
    *file = (struct octets){0}; // the caller's memory
    dialogue->file = find(app->place.world, name, error);
    if (!dialogue->file)
        return false;
    uint64_t user = dialogue->config.user;
    if (user > dialogue->file->users)
        return true; // a user without connections
    uint32_t begin = dialogue->file->begin[user], end = dialogue->file->begin[user + 1];
    count(dialogue, begin, end);
    dialogue->connection = need(calloc(dialogue->connections + 1, sizeof *dialogue->connection));
    dialogue->waiter = need(calloc(dialogue->waiters + 1, sizeof *dialogue->waiter));
    dialogue->page = need(calloc(dialogue->pages + 1, sizeof *dialogue->page));
    for (uint32_t i = 0; i < dialogue->connections; i++)
        dialogue->connection[i].waiters = dialogue->waiters; // none
    make_all(dialogue, begin, end);
    return true;
}

static void dialogue_start(struct app *app, uint64_t now_ns)
{
    struct app_dialogue *dialogue = (struct app_dialogue *)app;
    for (uint32_t i = 0; i < dialogue->connections; i++)
        for (int end = 0; end < FLOW_ENDS; end++)
            go_on(&dialogue->connection[i].side[end], now_ns);
}

static void dialogue_fire(struct app *app, uint64_t now_ns)
{
    (void)app, (void)now_ns; // the timers are those of the ends
}

// The MS resets what it has.
static void dialogue_stop(struct app *app, uint64_t now_ns)
{
    struct app_dialogue *dialogue = (struct app_dialogue *)app;
    for (uint32_t i = 0; i < dialogue->connections; i++) {
        struct dialogue_connection *c = &dialogue->connection[i];
        struct flow *flow = c->flow;
        c->over = true;
        c->flow = NULL;
        for (int end = 0; end < FLOW_ENDS; end++)
            engine_cancel(app->place.world->engine, &c->side[end].timer);
        if (flow)
            flow_abort(flow, FLOW_MS, now_ns);
    }
}

static void dialogue_release(struct app *app)
{
    struct app_dialogue *dialogue = (struct app_dialogue *)app;
    for (uint32_t i = 0; i < dialogue->connections; i++)
        for (int end = 0; end < FLOW_ENDS; end++)
            engine_cancel(app->place.world->engine, &dialogue->connection[i].side[end].timer);
    free(dialogue->connection);
    free(dialogue->waiter);
    free(dialogue->page);
}

const struct app_kind app_dialogue_kind = {
    .name = "dialogue",
    .help =
        "a user's connections from a file: who sends how much, in which order, after which time",
    .config = &app_dialogue_config_record,
    .octets = sizeof(struct app_dialogue),
    .config_at = offsetof(struct app_dialogue, config),
    .fault = dialogue_fault,
    .setup = dialogue_setup,
    .start = dialogue_start,
    .fire = dialogue_fire,
    .stop = dialogue_stop,
    .release = dialogue_release,
};
