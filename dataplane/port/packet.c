// See packet.h.
#include "dataplane/port/packet.h"

_Thread_local struct port_watch port_watch;
