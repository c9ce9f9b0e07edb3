// See shares.h.
#include "control/run/shares.h"

#include <stdio.h>

#include "control/run/run.h"

#define SPAN_NS      10000000000
#define FRAMES_LEAST 10000 // in that time; of fewer the shares say little

// What each worker has received since the last call; returns their sum.
static uint64_t take(struct run *run, uint32_t workers, uint64_t more[DP_WORKERS_MAX])
{
    uint64_t sum = 0;
    for (uint32_t w = 0; w < workers; w++) {
        uint64_t frames = dp_stats(dp_worker(run->dp, w))->of_port[STATS_GN].rx_packets;
        more[w] = frames - run->shares.frames[w];
        run->shares.frames[w] = frames;
        sum += more[w];
    }
    return sum;
}

static void tell(struct run *run, uint32_t most, uint32_t least, const uint64_t *more, uint64_t sum,
                 uint64_t now_ns)
{
    char text[200];
    const char *lacks, *steering = dp_steering(run->dp, STATS_GN, &lacks);
    if (run->shares.unlike)
        snprintf(text, sizeof text,
                 "gn: worker %u gets %.0f %% of the frames, worker %u %.0f %%; gn.steering is %s",
                 most, 100.0 * (double)more[most] / (double)sum, least,
                 100.0 * (double)more[least] / (double)sum, steering ? steering : "not asked for");
    else
        snprintf(text, sizeof text, "gn: no worker gets more than twice another's frames any more");
    log_put(&run->control.log, run->shares.unlike ? LOG_WARN : LOG_INFO, now_ns, text);
}

void shares_look(struct run *run, uint64_t now_ns)
{
    struct shares *shares = &run->shares;
    uint64_t more[DP_WORKERS_MAX];
    uint32_t workers = run->load.dp.workers, most = 0, least = 0;
    if (workers < 2 || (shares->since_ns && now_ns - shares->since_ns < SPAN_NS))
        return;
    bool first = !shares->since_ns;
    uint64_t sum = take(run, workers, more);
    shares->since_ns = now_ns;
    for (uint32_t w = 1; w < workers; w++) {
        most = more[w] > more[most] ? w : most;
        least = more[w] < more[least] ? w : least;
    }
    bool unlike = more[most] > 2 * more[least];
    if (first || sum < FRAMES_LEAST || unlike == shares->unlike)
        return;
    shares->unlike = unlike;
    tell(run, most, least, more, sum, now_ns);
}
