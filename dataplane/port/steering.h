// How frames come to the queue of the worker that they are for (steering_setup.c): as wished, then
// as it is. "auto" is the first of the others that the device can do.
#ifndef SLUICE_PORT_STEERING_H
#define SLUICE_PORT_STEERING_H

#define PORT_STEERINGS(STEERING)                                                         \
    STEERING(AUTO, "auto")                                                               \
    STEERING(ADDRESS, "address") /* rules by address: each queue has one of its own */   \
    STEERING(TEID, "teid")       /* rules by the bits of the TEID that name the queue */ \
    STEERING(RSS, "rss")         /* its hash of the TEID, which is chosen accordingly */ \
    STEERING(STRAYS, "strays")   /* anywhere; the workers hand frames on */              \
    STEERING(PEER, "peer")       /* Gb: rules by the peer's address and UDP port */
enum port_steering {
#define STEERING(name, text) PORT_STEERING_##name,
    PORT_STEERINGS(STEERING)
#undef STEERING
        PORT_STEERING_COUNT
};
extern const char *const port_steering_names[];

#endif
