// See tun.h. A round: the engine up to now, all packets that have come, and what follows from them
// at this instant; then sleep until the engine's next time or the next packet.
#include "control/run/tun.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "dataplane/base/units.h"

#define PACKET_ROOM   65535
#define ROUND_MOST    64             // packets of a device before time goes on
#define SLEEP_MOST_NS (S_IN_NS / 10) // a signal between two looks is seen then

static uint64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * S_IN_NS + (uint64_t)t.tv_nsec;
}

static uint64_t min_ns(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void fail(struct tun *tun)
{
    tun->fault = tun->fault ? tun->fault : errno;
    engine_stop(lab_engine(tun->lab));
}

static void arrived(void *self, enum flow_end at, const uint8_t *ip, uint32_t octets)
{
    struct tun *tun = self;
    if (write(tun->descriptor[at], ip, octets) != (ssize_t)octets)
        fail(tun);
}

static bool has_packet(struct tun *tun, enum flow_end end)
{
    struct pollfd one = {.fd = tun->descriptor[end], .events = POLLIN};
    return poll(&one, 1, 0) == 1;
}

// Returns whether there was any.
static bool take(struct tun *tun, enum flow_end from)
{
    static uint8_t packet[PACKET_ROOM];
    int taken = 0;
    for (; taken < ROUND_MOST && !tun->fault && has_packet(tun, from); taken++) {
        ssize_t octets = read(tun->descriptor[from], packet, sizeof packet);
        if (octets > 0) {
            lab_from_outside(tun->lab, from, packet, (uint32_t)octets);
        } else {
            errno = octets == 0 ? EPIPE : errno;
            fail(tun);
        }
    }
    return taken > 0;
}

// Until the engine's next time on the clock, or a packet.
static void sleep_until(const struct tun *tun, uint64_t next_ns)
{
    struct pollfd both[] = {{.fd = tun->descriptor[FLOW_HOST], .events = POLLIN},
                            {.fd = tun->descriptor[FLOW_MS], .events = POLLIN}};
    uint64_t now_ns = clock_ns();
    uint64_t wait_ns = next_ns > now_ns ? next_ns - now_ns : 0;
    if (wait_ns > SLEEP_MOST_NS)
        wait_ns = SLEEP_MOST_NS;
    ppoll(both, 2, &(struct timespec){.tv_nsec = (long)wait_ns}, NULL);
}

static int run_to(struct tun *tun, uint64_t until_ns)
{
    return engine_run(lab_engine(tun->lab), until_ns, tun->progress, tun->self);
}

// From here on the engine's time is the clock's, less a constant.
static int run(void *self, uint64_t until_ns)
{
    struct tun *tun = self;
    struct engine *engine = lab_engine(tun->lab);
    uint64_t zero_ns = clock_ns() - engine_now_ns(engine), now_ns = engine_now_ns(engine);
    int fault = 0;
    fprintf(stderr, "--tun: real time from %.3f s on\n", (double)now_ns / 1e9);
    while (!fault) {
        bool came = take(tun, FLOW_HOST);
        came |= take(tun, FLOW_MS);
        fault = run_to(tun, now_ns);
        if (fault || now_ns == until_ns)
            break;
        if (!came)
            sleep_until(tun, min_ns(engine_next_ns(engine), until_ns) + zero_ns);
        uint64_t next_ns = engine_next_ns(engine), clock = clock_ns() - zero_ns;
        now_ns = min_ns(clock, until_ns);
        if (now_ns > next_ns && now_ns - next_ns > tun->latest_ns)
            tun->latest_ns = now_ns - next_ns;
        fault = run_to(tun, now_ns);
    }
    return fault;
}

void tun_join(struct tun *tun, struct lab *lab, const int descriptor[FLOW_ENDS],
              engine_fire_fn *progress, void *self)
{
    *tun = (struct tun){.descriptor = {descriptor[FLOW_HOST], descriptor[FLOW_MS]},
                        .lab = lab,
                        .progress = progress,
                        .self = self};
    lab_set_outside(lab, &(struct lab_outside){tun, arrived, run});
}

int tun_fault(const struct tun *tun)
{
    return tun->fault;
}
