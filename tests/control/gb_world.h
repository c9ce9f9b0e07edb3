// What the files of gb_world share: the world, and its commands.
#ifndef TESTS_CONTROL_GB_WORLD_H
#define TESTS_CONTROL_GB_WORLD_H

#include "control/bind/bind.h"
#include "control/plane/control.h"
#include "control/run/load.h"

// The far side of a port. With a rate a frame leaves the line when its last bit has.
struct world_side {
    uint64_t rate_bit_per_s; // 0: no limit
    struct rte_mbuf *on_line;
    uint64_t leaves_ns;
    uint32_t line_worker, next; // whose frame that is; whose turn is next
};

// A tunnel as the commands to the dataplane made it.
struct world_tunnel {
    uint32_t teid, nse_id, tlli;
    uint8_t nsapi;
    bool open;
};

// A question and its answer, between the thread that asks and this one.
struct world_ctl {
    struct control *control;
    pthread_t thread;
    bool running;
    int result;
    char question[MAILBOX_QUESTION_OCTETS], answer[MAILBOX_ANSWER_OCTETS];
};

struct world {
    struct load load;
    struct control control;
    struct dp *dp;
    struct board *board;
    struct world_ctl ctl;
    bool eal, started, fault;
    bool mute;                // what comes out is only counted
    uint64_t now_ns, next_ns; // next_ns: when somebody wants to be woken
    uint64_t frames;          // that came out
    uint64_t control_ns;      // of the processor, for control
    struct world_side side[STATS_SIDES];
    struct world_tunnel *tunnel; // by pdp_id
    uint32_t *bvc_nse, *ms_bvc, *ms_tlli;
};

struct world_command {
    const char *name;
    void (*obey)(struct world *world, char *arguments);
};

// gb_world_commands.c: what goes to the dataplane is remembered as far as who sends must know it.
void world_lend_calls(struct world *world);

// gb_world_fuzz.c
void world_template(struct world *world, char *arguments);
void world_fuzz(struct world *world, char *arguments);

// gb_world_run.c
bool world_bring_up(struct world *world);
bool world_settle(struct world *world); // brings the present instant to rest
void world_clear(struct world *world);  // frees the frames that nobody took

void world_fault(struct world *world, const char *what);
bool world_octets(uint8_t *at, const char *hex, size_t octets); // from hexadecimal digits

// `frame gb|gn WORKER HEX`: the frame arrives at that worker's queue now.
void world_frame(struct world *world, char *arguments);
// `until NS`: time goes on to NS, but not beyond the first instant at which frames came out. They
// are told as `out gb|gn NS WORKER HEX`; the answer is `ok NOW NEXT`.
void world_until(struct world *world, char *arguments);
// `rate gb|gn BIT_PER_S`: how fast the line behind that port is; 0: without limit.
void world_rate(struct world *world, char *arguments);

// gb_world_look.c
void world_tunnels(struct world *world, char *arguments); // `tunnel NSE_ID TLLI NSAPI TEID PDP_ID`
void world_stats(struct world *world, char *arguments);   // `stat WORKER SCOPE NAME VALUE` each
void world_counts(struct world *world, char *arguments);  // `count NAME VALUE` each
void world_lua(struct world *world, char *arguments);     // `value TEXT`: what the chunk returns
void world_memory(struct world *world, char *arguments);  // `ok OCTETS`: Lua's
void world_used(struct world *world, char *arguments);    // `ok NS`: of the processor, by control
void world_kill(struct world *world, char *arguments);    // the procedures end

// gb_world_ctl.c: what `sluice ctl` asks, by a thread as in the program. `ctl TEXT` asks; `answer`
// tells `ok yes|no TEXT`, its newlines as \n, or `ok pending`.
void world_ctl(struct world *world, char *arguments);
void world_answer(struct world *world, char *arguments);
void world_ctl_end(struct world *world);

#endif
