// See mirror.h: the ring's memory, and the blocks around the packets of a file (pcapng 4.1, 4.2,
// 4.6).
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dataplane/base/near.h"
#include "dataplane/mirror/mirror_parts.h"

#define LINK_ETHERNET 1u
#define LINK_RAW_IP   101u

// ---- Memory ----

static bool map(uint8_t *at, int memory, int populate)
{
    return mmap(at, MIRROR_OCTETS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | populate,
                memory, 0) != MAP_FAILED;
}

// Every page is there from the beginning: the worker meets no fault.
static bool map_twice(uint8_t *at, int memory, int node)
{
    if (!map(at, memory, 0))
        return false;
    near_place(at, MIRROR_OCTETS, node);
    return map(at + MIRROR_OCTETS, memory, MAP_POPULATE);
}

// The same memory twice in a row; NULL: there is none.
static uint8_t *ring_open(int node)
{
    int memory = memfd_create("mirror", MFD_CLOEXEC);
    if (memory < 0)
        return NULL;
    uint8_t *ring = mmap(NULL, 2ul * MIRROR_OCTETS, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool good = ring != MAP_FAILED && ftruncate(memory, MIRROR_OCTETS) == 0 &&
                map_twice(ring, memory, node);
    int fault = errno;
    close(memory);
    if (good)
        return ring;
    if (ring != MAP_FAILED)
        munmap(ring, 2ul * MIRROR_OCTETS);
    errno = fault;
    return NULL;
}

struct mirror *mirror_open(uint32_t snap_octets, uint64_t epoch_ns, struct stats_worker *stats,
                           int node)
{
    uint8_t *ring = ring_open(node);
    struct mirror *mirror = ring ? near_alloc(sizeof *mirror, node) : NULL;
    if (!mirror) {
        if (ring)
            munmap(ring, 2ul * MIRROR_OCTETS);
        return NULL;
    }
    *mirror = (struct mirror){
        .ring = ring, .snap_octets = snap_octets, .epoch_ns = epoch_ns, .stats = stats};
    return mirror;
}

void mirror_close(struct mirror *mirror)
{
    if (mirror)
        munmap(mirror->ring, 2ul * MIRROR_OCTETS);
    near_free(mirror, sizeof *mirror);
}

// ---- The file ----

const char *const mirror_interface_names[MIRROR_INTERFACES] = {"gn", "gb", "npdu"};

// A block's type, its content and, behind it, its length; the first length is written last.
static uint8_t *begin(uint8_t *at, uint32_t type)
{
    return mirror_put_32(mirror_put_32(at, type), 0);
}

static uint8_t *end(uint8_t *block, uint8_t *at)
{
    uint32_t octets = (uint32_t)(at - block) + 8;
    mirror_put_32(block + 4, octets);
    return mirror_put_32(mirror_put_32(at, 0), octets); // behind the end of its options
}

static uint8_t *put_text(uint8_t *at, uint16_t code, const char *text)
{
    return mirror_put_option(at, code, text, (uint16_t)strnlen(text, 64));
}

static uint8_t *put_section(uint8_t *block, const char *application)
{
    static const uint16_t version[] = {1, 0};
    static const int64_t unknown_octets = -1;
    uint8_t *at = mirror_put_32(begin(block, MIRROR_SECTION), 0x1a2b3c4d);
    memcpy(at, version, sizeof version);
    memcpy(at + 4, &unknown_octets, sizeof unknown_octets);
    return end(block, put_text(at + 12, 4, application)); // shb_userappl
}

static uint8_t *put_interface(uint8_t *block, enum mirror_interface interface, uint32_t snap_octets)
{
    static const uint8_t nanoseconds = 9;
    uint8_t *at = begin(block, MIRROR_INTERFACE);
    at = mirror_put_16(at, interface == MIRROR_NPDU ? LINK_RAW_IP : LINK_ETHERNET);
    at = mirror_put_32(mirror_put_16(at, 0), snap_octets);
    at = put_text(at, 2, mirror_interface_names[interface]);      // if_name
    return end(block, mirror_put_option(at, 9, &nanoseconds, 1)); // if_tsresol
}

uint32_t mirror_file_begin(uint8_t at[MIRROR_ENDS_OCTETS], uint32_t snap_octets,
                           const char *application)
{
    uint8_t *to = put_section(at, application);
    for (int i = 0; i < MIRROR_INTERFACES; i++)
        to = put_interface(to, (enum mirror_interface)i, snap_octets);
    return (uint32_t)(to - at);
}

uint32_t mirror_file_end(uint8_t at[MIRROR_ENDS_OCTETS], uint64_t now_ns,
                         const struct mirror_count sums[MIRROR_INTERFACES])
{
    uint8_t *to = at;
    for (uint32_t i = 0; i < MIRROR_INTERFACES; i++) {
        uint64_t all = sums[i].copied + sums[i].missed;
        uint8_t *block = to;
        to = mirror_put_32(begin(block, MIRROR_STATISTICS), i);
        to = mirror_put_32(mirror_put_32(to, (uint32_t)(now_ns >> 32)), (uint32_t)now_ns);
        to = mirror_put_option(to, 4, &all, sizeof all);                       // isb_ifrecv
        to = mirror_put_option(to, 5, &sums[i].missed, sizeof sums[i].missed); // isb_ifdrop
        to = end(block, to);
    }
    return (uint32_t)(to - at);
}
