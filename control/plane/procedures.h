// What the control plane asks of its procedures: begun once, then let run a step at a time. Who
// carries them out is not known here; control/bind does, in Lua.
#ifndef SLUICE_CONTROL_PLANE_PROCEDURES_H
#define SLUICE_CONTROL_PLANE_PROCEDURES_H

#include <stddef.h>
#include <stdint.h>

struct control;
struct host; // that carries them out

enum procedures_step {
    PROCEDURES_IDLE,  // to be called when something has come, or at *next_ns
    PROCEDURES_WAIT,  // to be called when a worker has been
    PROCEDURES_FAILED // they have ended by a fault of theirs
};

struct procedures {
    void (*begin)(struct host *host, struct control *control);
    enum procedures_step (*step)(struct host *host, uint64_t now_ns, uint64_t *next_ns);
    // From here on they may use that many octets more than they use now.
    void (*limit_growth)(struct host *host, size_t octets);
    // Ends them in the middle of whatever they were doing; nothing else here may follow.
    void (*end)(struct host *host);
};

#endif
