// One port over net_ring for tests of what stands on ports, without a dataplane around it. The far
// end's rings are those of the device.
#ifndef TESTS_DATAPLANE_PORTS_FIXTURE_H
#define TESTS_DATAPLANE_PORTS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dataplane/port/port.h"

struct ports_fixture {
    struct port_device device;
    struct stats_port stats;
    struct port port;
};

// Its address is ipv4 and fd00::N, its MAC 02:00:00:00:00:N.
static inline void ports_fixture_open(struct ports_fixture *p, const char *name, uint8_t number,
                                      uint32_t ipv4, uint16_t udp_port)
{
    const struct port_config config = {.name = name,
                                       .device = PORT_DEVICE_RING,
                                       .queues = 1,
                                       .rx_frames = 64,
                                       .tx_frames = 64,
                                       .buffers = 255,
                                       .neighbours = 128,
                                       .host = {.mac = {{2, 0, 0, 0, 0, number}},
                                                .ipv4 = ipv4,
                                                .ipv6 = {{0xfd, [15] = number}},
                                                .udp_port = udp_port,
                                                .mtu_octets = 1600}};
    const char *why = "";
    *p = (struct ports_fixture){0};
    if (port_device_open(&p->device, &config, &why) != 0)
        fail_msg("no device: %s", why);
    assert_int_equal(port_setup(&p->port, &p->device, 0, &config, &p->stats), 0);
}

static inline void ports_fixture_drain(struct ports_fixture *p)
{
    struct rte_mbuf *m;
    while (rte_ring_dequeue(p->device.tx_ring[0], (void **)&m) == 0)
        rte_pktmbuf_free(m);
}

static inline void ports_fixture_close(struct ports_fixture *p)
{
    ports_fixture_drain(p);
    port_release(&p->port);
    port_device_close(&p->device);
}

#endif
