// The control plane as one function of time: it brings the configuration up, then handles the
// workers' events, the procedures' timers and requests. The procedures are Lua (lua/sluice). After
// an error that ends Lua, traffic goes on with the last values, and the workers' events are counted
// and released.
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
    CONTROL_FAILED, // the configuration did not come up
    CONTROL_DEAD    // Lua has ended after the configuration came up
};

// An NS PDU and its endpoints on Gb, IPv4 in IPv6 form.
struct control_pdu {
    struct ipv6_address source, destination;
    uint16_t source_port, destination_port;
    struct octets pdu;
};

// The capture of signalling, which the run provides.
struct control_capture {
    void *self;
    const char *(*open)(void *self, char error[256]); // returns the path; NULL: a fault
    void (*pdu)(void *self, uint64_t now_ns, const struct control_pdu *pdu);
    void (*close)(void *self);
};

// The capture of user traffic, which a run in real time provides.
#define CONTROL_USER_CAPTURE_OCTETS 512
struct control_user_capture {
    void *self;
    // Starts it, with at most so many octets of each frame, and of the file. False: it does not
    // run. `text`: the file's path, or why not.
    bool (*on)(void *self, uint32_t snap_octets, uint64_t most_octets,
               char text[CONTROL_USER_CAPTURE_OCTETS]);
    // It ends as soon as all is written.
    void (*off)(void *self);
    // Whether it runs. `text`: what this capture, or the last one, has; "": there was none.
    bool (*tell)(void *self, char text[CONTROL_USER_CAPTURE_OCTETS]);
};

// The number of this run among the restarts, which a run in real time keeps: 0 to 255, or a
// negative errno.
struct control_restarts {
    void *self;
    int (*next)(void *self);
};

// The text of the user's policy's last fault, as in the log; "": none.
#define CONTROL_HOOK_FAULT_OCTETS 120

struct control {
    struct bind *lua; // runs the procedures
    const struct procedures *procedures;
    struct dp *dp;
    enum control_phase phase;
    uint64_t now_ns;
    uint64_t next_ns;             // the next time to call Lua
    uint64_t events[EVENT_COUNT]; // events taken, by kind
    struct event event;           // the event that Lua handles; its buffer is NULL afterwards
    struct log log;
    struct mailbox mailbox;
    struct control_capture capture;             // functions NULL: no capture
    struct control_user_capture user_capture;   // as there
    struct control_restarts restarts;           // as there
    char hook_fault[CONTROL_HOOK_FAULT_OCTETS]; // see control_hook_fault
    const volatile sig_atomic_t *ended;         // not 0 there: the run is to end; may be NULL
};

// Starts to bring up the configuration that Lua has loaded.
void control_start(struct control *control, const struct procedures *procedures, struct dp *dp);
void control_stop(struct control *control);

// One round. Returns now_ns while work is left, else when to call again.
uint64_t control_poll(struct control *control, uint64_t now_ns);

// At the end of a run, after the workers have ended: counts and releases their last events. The
// procedures are not called any more.
void control_finish(struct control *control);

// For Lua's loop: takes and counts the oldest event; NULL if there is none, or the run is to end.
// The caller releases the event with control_event_done; after an error in Lua the next take does.
const struct event *control_event(struct control *control);
void control_event_done(struct control *control);

// Stores a fault of the user's policy.
void control_note_hook_fault(struct control *control, const char *text);

// Ends the procedures as an error in them would; does nothing after their end.
void control_kill(struct control *control, const char *why);

// ---- From any thread ----

// Sends a request in the words of `sluice ctl` and waits for the answer; an earlier request goes
// first. Returns 0: done; -ECANCELED: not done, and `answer` says why; -ETIMEDOUT: no answer in
// time.
int control_request(struct control *control, const char *question, char *answer, size_t octets,
                    uint32_t timeout_ms);

// Sends a request without waiting for an answer. Returns false while another request is handled.
bool control_post(struct control *control, const char *question);

// Copies the last fault of the policy.
void control_hook_fault(const struct control *control, char text[CONTROL_HOOK_FAULT_OCTETS]);

#endif
