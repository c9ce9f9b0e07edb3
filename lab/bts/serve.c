// See serve.h. A block ends when it is due and the PCU has sent all that it was asked for; so a
// machine that is late makes the radio late, and the blocks that follow make up for it. A PCU that
// has not answered after HOLD_NS has missed its turn, and time that is lost beyond that is not made
// up for.
#include "lab/bts/serve.h"

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
    struct serve *serve = self;
    if (serve->pcu < 0)
        return false;
    ssize_t sent = send(serve->pcu, message, octets, MSG_NOSIGNAL | MSG_DONTWAIT);
    return sent == (ssize_t)octets || (sent < 0 && errno == EPIPE); // gone: as what it had not read
}

static bool to_ip(void *self, const uint8_t *packet, uint32_t octets)
{
    struct serve *serve = self;
    return serve->tun >= 0 && write(serve->tun, packet, octets) == (ssize_t)octets;
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

struct bts *serve_begin(struct serve *serve, const struct bts_config *config, int *fault)
{
    struct bts_owner owner = {.self = serve, .to_pcu = to_pcu, .to_ip = to_ip};
    serve->pcu = -1;
    serve->listener = listen_at(serve->path);
    *fault = serve->listener < 0 ? serve->listener : 0;
    serve->bts = *fault ? NULL : bts_create(config, &owner);
    return serve->bts;
}

static void hang_up(struct serve *serve)
{
    close(serve->pcu);
    serve->pcu = -1;
    bts_disconnected(serve->bts);
    if (serve->say)
        fprintf(serve->say, "the PCU is gone\n");
}

void serve_end(struct serve *serve)
{
    if (serve->pcu >= 0)
        hang_up(serve);
    close(serve->listener);
    unlink(serve->path);
}

static void welcome(struct serve *serve)
{
    serve->pcu = accept4(serve->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (serve->pcu < 0)
        return;
    bts_connected(serve->bts);
    if (serve->say)
        fprintf(serve->say, "a PCU has connected\n");
}

static void read_pcu(struct serve *serve)
{
    uint8_t message[MESSAGE_ROOM];
    for (int i = 0; i < ROUND_MOST && serve->pcu >= 0; i++) {
        ssize_t octets = recv(serve->pcu, message, sizeof message, 0);
        if (octets > 0)
            bts_take(serve->bts, message, (uint32_t)octets);
        else if (octets == 0 || (errno != EAGAIN && errno != EINTR))
            hang_up(serve);
        else
            return;
    }
}

static int read_tun(struct serve *serve)
{
    static uint8_t packet[PACKET_ROOM];
    for (int i = 0; i < ROUND_MOST; i++) {
        ssize_t octets = read(serve->tun, packet, sizeof packet);
        if (octets > 0)
            bts_send(serve->bts, packet, (uint32_t)octets);
        else
            return octets == 0 ? -EPIPE : errno == EAGAIN || errno == EINTR ? 0 : -errno;
    }
    return 0;
}

// ---- The course of time ----

struct course {
    uint64_t due_ns, said_ns; // due_ns 0: the clock stands
};

// Returns when there is something to do without anything coming in.
static uint64_t go_on(struct serve *serve, struct course *course, uint64_t now_ns)
{
    if (!bts_runs(serve->bts)) {
        course->due_ns = 0;
        return TIME_NEVER;
    }
    if (course->due_ns == 0)
        course->due_ns = now_ns + BTS_BLOCK_NS;
    bool waits = bts_waits(serve->bts);
    uint64_t late_ns = now_ns > course->due_ns ? now_ns - course->due_ns : 0;
    if (now_ns < course->due_ns)
        return course->due_ns;
    if (waits && late_ns < HOLD_NS)
        return course->due_ns + HOLD_NS;
    serve->ticks++;
    serve->late_ticks += late_ns >= BTS_BLOCK_NS;
    serve->latest_ns = late_ns > serve->latest_ns ? late_ns : serve->latest_ns;
    course->due_ns += BTS_BLOCK_NS;
    if (late_ns >= HOLD_NS) {
        serve->skipped_ns += now_ns - course->due_ns;
        course->due_ns = now_ns;
    }
    bts_tick(serve->bts);
    return now_ns;
}

static void say(struct serve *serve, struct course *course, uint64_t now_ns)
{
    if (now_ns < course->said_ns + S_IN_NS)
        return;
    course->said_ns = now_ns;
    if (serve->say)
        bts_say(serve->bts, serve->say);
}

// Sleeps until then, or until something comes.
static int wait_until(struct serve *serve, uint64_t then_ns)
{
    struct pollfd fds[] = {{.fd = serve->pcu, .events = POLLIN},
                           {.fd = serve->tun, .events = POLLIN},
                           {.fd = serve->pcu < 0 ? serve->listener : -1, .events = POLLIN}};
    uint64_t now_ns = clock_ns(), wait_ns = then_ns > now_ns ? then_ns - now_ns : 0;
    if (wait_ns > S_IN_NS / 10) // a signal between two looks is seen then
        wait_ns = S_IN_NS / 10;
    if (ppoll(fds, 3, &(struct timespec){.tv_nsec = (long)wait_ns}, NULL) <= 0)
        return 0;
    if (fds[0].revents)
        read_pcu(serve);
    if (fds[2].revents)
        welcome(serve);
    return fds[1].revents ? read_tun(serve) : 0;
}

int serve_run(struct serve *serve)
{
    uint64_t start_ns = clock_ns(), now_ns = start_ns;
    struct course course = {.said_ns = start_ns};
    int fault = 0;
    while (!fault && !*serve->ended && (!serve->until_ns || now_ns < start_ns + serve->until_ns)) {
        fault = wait_until(serve, go_on(serve, &course, now_ns));
        now_ns = clock_ns();
        say(serve, &course, now_ns);
    }
    return fault;
}
