// The interface from the control plane to its procedures: begin once, then run step by step.
// control/bind implements it in Lua.
#ifndef SLUICE_CONTROL_PLANE_PROCEDURES_H
#define SLUICE_CONTROL_PLANE_PROCEDURES_H

#include <stddef.h>
#include <stdint.h>

struct control;
struct bind; // runs the procedures

enum procedures_step {
    PROCEDURES_IDLE,  // call again at *next_ns, or earlier on an event
    PROCEDURES_WAIT,  // call again after a worker's poll
    PROCEDURES_FAILED // an error has ended the procedures
};

struct procedures {
    void (*begin)(struct bind *lua, struct control *control);
    enum procedures_step (*step)(struct bind *lua, uint64_t now_ns, uint64_t *next_ns);
    // From now on the procedures may use `octets` more memory than they use now.
    void (*limit_growth)(struct bind *lua, size_t octets);
    // Ends the procedures at any point; no other call may follow.
    void (*end)(struct bind *lua);
};

#endif
