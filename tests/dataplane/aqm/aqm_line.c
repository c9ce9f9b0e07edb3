// A queue under an AQM in front of a line of fixed rate, for tests that are no C.
//
//     aqm_line AQM RATE [PARAM VALUE]...    RATE in octets/s; a VALUE as aqm.h has it: ns, octets
//
// Lines in: `ARRIVAL_NS OCTETS LUCK` for each N-PDU, in the order of arrival; LUCK is the upper 32
// bits of the AQM's random number when the N-PDU is judged. Out, in the order of judgement: `go N
// NOW_NS`, `mark N NOW_NS` or `drop N NOW_NS`; N counts the arrivals from 0. An N-PDU is judged
// when the line is free for it. What comes at that moment is in the queue already.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/dataplane/aqm/asked.h"

#define PACKETS_MAX 100000

struct packet {
    uint64_t arrival_ns;
    uint32_t octets, luck, word;
};

static struct packet packets[PACKETS_MAX];
static uint32_t count, first, next; // queued: first .. next - 1
static uint32_t queue_octets, rate_octets_per_s;
static struct asked aqm;

static struct aqm_view view_of(struct packet *p, uint64_t now_ns, struct rng *rng)
{
    *rng = rng_that_says((uint64_t)p->luck << 32);
    return (struct aqm_view){.now_ns = now_ns,
                             .sojourn_ns = now_ns - p->arrival_ns,
                             .pdu_octets = p->octets,
                             .queue_octets = queue_octets,
                             .queue_pdus = next - first,
                             .share_octets_per_s = rate_octets_per_s,
                             .ect = true,
                             .rng = rng,
                             .pdu_word = &p->word};
}

static void enqueue(void)
{
    struct packet *p = &packets[next];
    struct rng rng;
    struct aqm_view view = view_of(p, p->arrival_ns, &rng);
    assert_int_equal(asked_in(&aqm, &view), AQM_PASS);
    queue_octets += p->octets;
    next++;
}

// Judges the head; the time from which on the line is free.
static uint64_t dequeue(uint64_t now_ns)
{
    static const char *const said[] = {
        [AQM_PASS] = "go", [AQM_MARK] = "mark", [AQM_DROP] = "drop", [AQM_STALE] = "drop"};
    struct packet *p = &packets[first];
    struct rng rng;
    struct aqm_view view = view_of(p, now_ns, &rng);
    enum aqm_verdict verdict = asked_out(&aqm, &view);
    printf("%s %u %" PRIu64 "\n", said[verdict], first++, now_ns);
    queue_octets -= p->octets;
    return verdict >= AQM_DROP ? now_ns : now_ns + p->octets * S_NS / rate_octets_per_s;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    aqm = asked_of(argv[1]);
    rate_octets_per_s = (uint32_t)strtoul(argv[2], NULL, 10);
    for (int i = 3; i + 1 < argc; i += 2)
        asked_param(&aqm, argv[i], strtoull(argv[i + 1], NULL, 10));
    asked_ready(&aqm);
    while (count < PACKETS_MAX &&
           scanf("%" SCNu64 "%" SCNu32 "%" SCNu32, &packets[count].arrival_ns,
                 &packets[count].octets, &packets[count].luck) == 3)
        count++;
    for (uint64_t free_ns = 0; first < count;) {
        if (first == next && packets[next].arrival_ns > free_ns)
            free_ns = packets[next].arrival_ns;
        while (next < count && packets[next].arrival_ns <= free_ns)
            enqueue();
        free_ns = dequeue(free_ns);
    }
    return 0;
}
