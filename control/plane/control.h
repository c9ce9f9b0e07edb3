// The control plane as one function of time: it brings the configuration up, then takes what the
// workers tell, runs the procedures' timers, and does what it is asked to. The procedures are Lua
// (lua/sluice); when they have come to an end by a fault of theirs, traffic goes on without them at
// the values that they set last, and what workers tell is counted and given back.
#ifndef SLUICE_CONTROL_PLANE_CONTROL_H
#define SLUICE_CONTROL_PLANE_CONTROL_H

#include <signal.h>

#include "control/plane/log.h"
#include "control/plane/mailbox.h"
#include "control/plane/procedures.h"
#include "dataplane/dataplane.h"

enum control_phase {
    CONTROL_STARTING,
    CONTROL_UP,
    CONTROL_FAILED, // it was not brought up
    CONTROL_DEAD    // it was, and its Lua has ended since
};

// An NS PDU and its endpoints on Gb, IPv4 in IPv6 form.
struct control_pdu {
    struct ipv6_address source, destination;
    uint16_t source_port, destination_port;
    struct octets pdu;
};

// Where the signalling is captured, if it is: the run's.
struct control_capture {
    void *self;
    const char *(*open)(void *self, char error[256]); // its path; NULL: it cannot be written
    void (*pdu)(void *self, uint64_t now_ns, const struct control_pdu *pdu);
    void (*close)(void *self);
};

// The last of what the user's policy got wrong, as the log has it; "": nothing.
#define CONTROL_HOOK_FAULT_OCTETS 120

struct control {
    struct host *host; // of the procedures, and how it carries them out
    const struct procedures *procedures;
    struct dp *dp;
    enum control_phase phase;
    uint64_t now_ns;
    uint64_t next_ns;             // when Lua wants to be called again
    uint64_t events[EVENT_COUNT]; // taken, by kind
    struct event event;           // the one that Lua takes; without a buffer when it has
    struct log log;
    struct mailbox mailbox;
    struct control_capture capture;             // its functions NULL: there is none
    char hook_fault[CONTROL_HOOK_FAULT_OCTETS]; // see control_hook_fault
    const volatile sig_atomic_t *ended; // not 0 there: the run is to end; NULL: nobody says so
};

// Begins to bring up the configuration that the host has loaded.
void control_start(struct control *control, const struct procedures *procedures, struct dp *dp);
void control_stop(struct control *control);

// One round. Returns now_ns while work is left, else when to call again.
uint64_t control_poll(struct control *control, uint64_t now_ns);

// At the end of a run, with workers that have ended: what they told last is counted and given back,
// which however much it is takes no time. The procedures are called no more.
void control_finish(struct control *control);

// For Lua's loop: the oldest event, which is then counted; NULL: there is none, or the run is to
// end and the procedures have had their last. Whoever has read it gives it back; who could not, by
// a fault of Lua's, need not.
const struct event *control_event(struct control *control);
void control_event_done(struct control *control);

// The policy has got this wrong.
void control_note_hook_fault(struct control *control, const char *text);

// Ends the procedures, as a fault of theirs would; once they have ended it does nothing.
void control_kill(struct control *control, const char *why);

// ---- From any thread ----

// Asks the procedures to do something, in the words of `sluice ctl`. 0: done, and `answer` says
// what; -ECANCELED: not done, and it says why; -ETIMEDOUT: no answer within that time. Waits for a
// question that was asked before.
int control_request(struct control *control, const char *question, char *answer, size_t octets,
                    uint32_t timeout_ms);

// The same without an answer, for a signal that has come. False: another is being worked on.
bool control_post(struct control *control, const char *question);

// The last that the policy got wrong.
void control_hook_fault(const struct control *control, char text[CONTROL_HOOK_FAULT_OCTETS]);

#endif
