// See serve.h. A block ends when it is due and the PCU has sent all that it was asked for; so a
// machine that is late makes the radio late, and the blocks that follow make up for it. A PCU that
// has not answered after HOLD_NS has missed its turn, and time that is lost beyond that is not made
// up for.
#include "lab/live/bts/serve.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define HOLD_NS      (S_IN_NS / 2)
#define ROUND_MOST   64 // messages or packets before time is looked at again
#define MESSAGE_ROOM 4096
#define PACKET_ROOM  65535

static uint64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * S_IN_NS + (uint64_t)t.tv_nsec;
}

// ---- What the BTS has to say ----

static bool to_pcu(void *self, const uint8_t *message, uint32_t octets)
{
    struct serve_cell *cell = self;
    if (cell->pcu < 0)
        return false;
    ssize_t sent = send(cell->pcu, message, octets, MSG_NOSIGNAL | MSG_DONTWAIT);
    return sent == (ssize_t)octets || (sent < 0 && errno == EPIPE); // gone: as what it had not read
}

static bool to_ip(void *self, const uint8_t *packet, uint32_t octets)
{
    int tun = ((struct serve_cell *)self)->serve->tun;
    return tun >= 0 && write(tun, packet, octets) == (ssize_t)octets;
}

static void told(void *self, const char *imsi, const char *what)
{
    (void)self;
    fprintf(stderr, "MS %s: %s\n", imsi, what);
}

// The cell's name stands before it where there are several.
static void say(const struct serve_cell *cell, const char *what)
{
    FILE *out = cell->serve->say;
    if (out && cell->serve->cells > 1)
        fprintf(out, "%s: ", cell->name);
    if (out)
        fputs(what, out);
}

// ---- The socket ----

static int address_of(const char *path, struct sockaddr_un *address)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address->sun_path)
        return -ENAMETOOLONG;
    strcpy(address->sun_path, path);
    return 0;
}

// A socket at which nobody listens any more is one that a killed BTS has left.
static void remove_left(const struct sockaddr_un *address)
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    if (connect(fd, (const struct sockaddr *)address, sizeof *address) != 0 &&
        errno == ECONNREFUSED)
        unlink(address->sun_path);
    close(fd);
}

static int listen_at(const char *path)
{
    struct sockaddr_un address;
    int fault = address_of(path, &address);
    if (fault)
        return fault;
    remove_left(&address);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -errno;
    if (bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(fd, 1) == 0)
        return fd;
    fault = -errno;
    close(fd);
    return fault;
}

struct bts *serve_add(struct serve *serve, const char *path, const struct bts_config *config,
                      int *fault)
{
    struct serve_cell *cell = &serve->cell[serve->cells];
    struct bts_owner owner = {.self = cell, .to_pcu = to_pcu, .to_ip = to_ip, .told = told};
    *cell = (struct serve_cell){.serve = serve, .path = path, .pcu = -1};
    snprintf(cell->name, sizeof cell->name, "%u-%u", config->cell.nsei, config->cell.bvci);
    cell->listener = listen_at(path);
    *fault = cell->listener < 0 ? cell->listener : 0;
    if (*fault)
        return NULL;
    serve->cells++;
    return cell->bts = bts_create(config, &owner);
}

static void hang_up(struct serve_cell *cell)
{
    close(cell->pcu);
    cell->pcu = -1;
    bts_disconnected(cell->bts);
    say(cell, "the PCU is gone\n");
}

void serve_end(struct serve *serve)
{
    for (uint32_t i = 0; i < serve->cells; i++) {
        struct serve_cell *cell = &serve->cell[i];
        if (cell->pcu >= 0)
            hang_up(cell);
        close(cell->listener);
        unlink(cell->path);
    }
}

void serve_release(struct serve *serve)
{
    for (uint32_t i = 0; i < serve->cells; i++)
        bts_destroy(serve->cell[i].bts);
    serve->cells = 0;
}

static void welcome(struct serve_cell *cell)
{
    cell->pcu = accept4(cell->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (cell->pcu < 0)
        return;
    bts_connected(cell->bts);
    say(cell, "a PCU has connected\n");
}

static void read_pcu(struct serve_cell *cell)
{
    uint8_t message[MESSAGE_ROOM];
    for (int i = 0; i < ROUND_MOST && cell->pcu >= 0; i++) {
        ssize_t octets = recv(cell->pcu, message, sizeof message, 0);
        if (octets > 0)
            bts_take(cell->bts, message, (uint32_t)octets);
        else if (octets == 0 || (errno != EAGAIN && errno != EINTR))
            hang_up(cell);
        else
            return;
    }
}

// To the cell of the MS that sends it; a stray one to the first.
static void send_packet(struct serve *serve, const uint8_t *packet, uint32_t octets)
{
    struct bts *bts = serve->cell[0].bts;
    for (uint32_t i = 1; i < serve->cells; i++)
        if (bts_sends(serve->cell[i].bts, packet, octets))
            bts = serve->cell[i].bts;
    bts_send(bts, packet, octets);
}

static int read_tun(struct serve *serve)
{
    static uint8_t packet[PACKET_ROOM];
    for (int i = 0; i < ROUND_MOST; i++) {
        ssize_t octets = read(serve->tun, packet, sizeof packet);
        if (octets > 0)
            send_packet(serve, packet, (uint32_t)octets);
        else
            return octets == 0 ? -EPIPE : errno == EAGAIN || errno == EINTR ? 0 : -errno;
    }
    return 0;
}

// ---- The course of time ----

// Returns when there is something to do without anything coming in.
static uint64_t go_on(struct serve_cell *cell, uint64_t now_ns)
{
    if (!bts_runs(cell->bts)) {
        cell->due_ns = 0;
        return TIME_NEVER;
    }
    if (cell->due_ns == 0)
        cell->due_ns = now_ns + BTS_BLOCK_NS;
    bool waits = bts_waits(cell->bts);
    uint64_t late_ns = now_ns > cell->due_ns ? now_ns - cell->due_ns : 0;
    if (now_ns < cell->due_ns)
        return cell->due_ns;
    if (waits && late_ns < HOLD_NS)
        return cell->due_ns + HOLD_NS;
    cell->ticks++;
    cell->late_ticks += late_ns >= BTS_BLOCK_NS;
    cell->latest_ns = late_ns > cell->latest_ns ? late_ns : cell->latest_ns;
    cell->due_ns += BTS_BLOCK_NS;
    if (late_ns >= HOLD_NS) {
        cell->skipped_ns += now_ns - cell->due_ns;
        cell->due_ns = now_ns;
    }
    bts_tick(cell->bts);
    return now_ns;
}

static uint64_t all_go_on(struct serve *serve, uint64_t now_ns)
{
    uint64_t then_ns = TIME_NEVER;
    for (uint32_t i = 0; i < serve->cells; i++) {
        uint64_t due_ns = go_on(&serve->cell[i], now_ns);
        then_ns = due_ns < then_ns ? due_ns : then_ns;
    }
    return then_ns;
}

static void say_counts(struct serve *serve)
{
    for (uint32_t i = 0; serve->say && i < serve->cells; i++) {
        say(&serve->cell[i], "");
        bts_say(serve->cell[i].bts, serve->say);
    }
}

// The MS goes to the next cell, from the last one to the first.
static void move(struct serve *serve)
{
    *serve->moves = 0;
    for (uint32_t i = 0; i < serve->cells; i++) {
        struct serve_cell *from = &serve->cell[i], *to = &serve->cell[(i + 1) % serve->cells];
        if (!bts_move(from->bts, to->bts, serve->imsi))
            continue;
        fprintf(stderr, "MS %s changes from cell %s to %s\n", serve->imsi, from->name, to->name);
        return;
    }
}

// Sleeps until then, or until something comes.
static int wait_until(struct serve *serve, uint64_t then_ns)
{
    struct pollfd fds[SERVE_CELLS_MOST + 1];
    struct serve_cell *cell = serve->cell;
    uint64_t now_ns = clock_ns(), wait_ns = then_ns > now_ns ? then_ns - now_ns : 0;
    if (wait_ns > S_IN_NS / 10) // a signal between two looks is seen then
        wait_ns = S_IN_NS / 10;
    for (uint32_t i = 0; i < serve->cells; i++)
        fds[i] = (struct pollfd){.fd = cell[i].pcu < 0 ? cell[i].listener : cell[i].pcu,
                                 .events = POLLIN};
    fds[serve->cells] = (struct pollfd){.fd = serve->tun, .events = POLLIN};
    if (ppoll(fds, serve->cells + 1, &(struct timespec){.tv_nsec = (long)wait_ns}, NULL) <= 0)
        return 0;
    for (uint32_t i = 0; i < serve->cells; i++)
        if (fds[i].revents)
            (cell[i].pcu < 0 ? welcome : read_pcu)(&cell[i]);
    return fds[serve->cells].revents ? read_tun(serve) : 0;
}

int serve_run(struct serve *serve)
{
    uint64_t start_ns = clock_ns(), now_ns = start_ns, said_ns = start_ns;
    int fault = 0;
    while (!fault && !*serve->ended && (!serve->until_ns || now_ns < start_ns + serve->until_ns)) {
        fault = wait_until(serve, all_go_on(serve, now_ns));
        now_ns = clock_ns();
        if (*serve->moves)
            move(serve);
        if (now_ns >= said_ns + S_IN_NS) {
            said_ns = now_ns;
            say_counts(serve);
        }
    }
    return fault;
}
