// See packet.h.
#include "dataplane/port/packet.h"

struct port_watch port_watch;
