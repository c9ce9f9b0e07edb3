// sluice ggsn: the far end of an instance's Gn in real time, by the contexts.json of that instance,
// and with contexts that the instance creates by GTP-C. The file is read again when it has changed,
// so that an instance may start again.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "control/cli/cli.h"
#include "control/cli/commands.h"
#include "control/program/ggsn_contexts.h"
#include "control/process/signals.h"
#include "lab/live/device/device.h"
#include "lab/live/gateway/gateway.h"

struct ggsn_options {
    const char *tun, *netns, *address, *sgsn, *pool, *dns[2];
    uint32_t recovery;
    bool json;
};

static bool take_dns(void *target, const char *text)
{
    struct ggsn_options *options = target;
    uint32_t i = options->dns[0] ? 1 : 0;
    if (options->dns[i])
        return cli_refuse("ggsn", "dns", text, "2 at most");
    options->dns[i] = text;
    return true;
}

#define INTO(member) .at = offsetof(struct ggsn_options, member)
static const struct cli_option ggsn_options[] = {
    {"tun", "NAME", "the tun device with the Internet behind it; created if missing (gi)",
     INTO(tun)},
    {"netns", "NAME", "the network namespace of the tun device; GTP-U stays in this one",
     INTO(netns)},
    {"address", "ADDRESS", "address of the GGSN on Gn (192.0.2.2)", INTO(address)},
    {"sgsn", "ADDRESS", "address of the SGSN on Gn (192.0.2.1)", INTO(sgsn)},
    {"pool", "NETWORK",
     "answer GTP-C: an SGSN creates PDP contexts, each with an address of this network,\n"
     "such as 10.64.0.0/15; /12 to /29, the first address is the device's",
     INTO(pool)},
    {"dns", "ADDRESS", "a name server for the MSs of the pool; twice at most", .take = take_dns},
    {"recovery", "N", "GTP-C's restart counter, another one at each start (by the clock)",
     INTO(recovery), .most = 255},
    {"json", NULL, "print all counters as JSON at the end", INTO(json)}};

const struct cli cli_of_ggsn = {
    .name = "ggsn",
    .words = "[CONTEXTS]",
    .about = "run a GGSN with Linux as the Internet",
    .more =
        "CONTEXTS is the contexts.json that sluice run writes to its results; it may appear\n"
        "later. You set the addresses and routes of the device. For the uplink each pdp { } of\n"
        "the SGSN's file needs a ggsn_teid. With --pool there may be no CONTEXTS, and contexts\n"
        "with an address of the pool come from GTP-C alone.",
    .options = ggsn_options,
    .count = sizeof ggsn_options / sizeof ggsn_options[0]};

// ---- contexts.json ----

#define CONTEXTS_OCTETS_MAX (1 << 30) // about 7 million contexts

struct contexts_file {
    const char *path;
    struct timespec changed;
    ino_t number;
    struct gateway *gateway;
};

static void take_contexts(struct contexts_file *file, const struct stat *now, const char *text)
{
    struct gateway_context *contexts;
    uint32_t count, left_out;
    if (!ggsn_contexts(text, (size_t)now->st_size, &contexts, &count, &left_out))
        return; // it is being written
    file->number = now->st_ino;
    file->changed = now->st_mtim;
    gateway_set(file->gateway, contexts, count);
    free(contexts);
    fprintf(stderr, "%u contexts", count);
    if (left_out)
        fprintf(stderr, "; %u left out, without an IPv4 address or a TEID", left_out);
    fprintf(stderr, "\n");
}

static bool has_changed(const struct contexts_file *file, const struct stat *now)
{
    return now->st_ino != file->number ||
           memcmp(&now->st_mtim, &file->changed, sizeof now->st_mtim) != 0;
}

static void look(void *self)
{
    struct contexts_file *file = self;
    struct stat now;
    int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return;
    if (fstat(fd, &now) == 0 && S_ISREG(now.st_mode) && has_changed(file, &now)) {
        char *text = now.st_size < CONTEXTS_OCTETS_MAX ? malloc((size_t)now.st_size + 1) : NULL;
        if (text && read(fd, text, (size_t)now.st_size) == now.st_size)
            take_contexts(file, &now, text);
        free(text);
    }
    close(fd);
}

// ---- The pool ----

// Another one at each start, if a start takes as long.
#define RECOVERY_S 4

static uint8_t recovery_of(const struct ggsn_options *options)
{
    return (uint8_t)(options->recovery <= UINT8_MAX ? options->recovery
                                                    : (uint64_t)time(NULL) / RECOVERY_S);
}

// ---- The run ----

static bool take_address(const char *option, const char *text, uint32_t *address)
{
    struct in_addr parsed;
    if (inet_pton(AF_INET, text, &parsed) != 1)
        return cli_refuse("ggsn", option, text, "an IPv4 address");
    *address = ntohl(parsed.s_addr);
    return true;
}

static int report(const struct ggsn_options *options, const struct gateway *gateway)
{
    const char *what = gateway_wrong(gateway);
    struct json json;
    if (options->json) {
        json_begin(&json, stdout);
        json_object(&json);
        gateway_put(gateway, &json);
        json_close(&json);
        json_end(&json);
    }
    if (gateway->pool && pool_first_fault(gateway->pool)[0])
        fprintf(stderr, "sluice ggsn: %s\n", pool_first_fault(gateway->pool));
    if (what)
        fprintf(stderr, "sluice ggsn: internal error: the counts of %s do not add up\n", what);
    return what ? EXIT_RUN_FAILED : EXIT_DONE;
}

static int fail(const char *what, int fault)
{
    fprintf(stderr, "sluice ggsn: %s: %s\n", what, strerror(-fault));
    return EXIT_RUN_FAILED;
}

static int serve(const struct ggsn_options *options, struct gateway *gateway, const char *path)
{
    const char *what;
    struct contexts_file contexts = {.path = path, .gateway = gateway};
    gateway->tun = device_open(options->tun, options->netns, &what);
    if (gateway->tun < 0)
        return fail(what, gateway->tun);
    int fault = gateway_open(gateway);
    if (fault) {
        close(gateway->tun);
        return fail(options->address, fault);
    }
    gateway->each_second = path ? look : NULL;
    gateway->self = &contexts;
    if (path)
        look(&contexts);
    if (path && !contexts.number)
        fprintf(stderr, "sluice ggsn: %s: %s; it is looked at each second\n", path,
                access(path, R_OK) == 0 ? "not yet the contexts that sluice run writes"
                                        : strerror(errno));
    gateway->ended = &signals_ended;
    fault = gateway_run(gateway);
    int status = report(options, gateway);
    gateway_close(gateway);
    close(gateway->tun);
    return fault ? fail(options->tun, fault) : status;
}

// False: the reason is on stderr.
static bool make_pool(const struct ggsn_options *options, struct gateway *gateway)
{
    struct pool_config config = {
        .address = gateway->address, .sgsn = gateway->sgsn, .recovery = recovery_of(options)};
    if (!options->pool)
        return true;
    if (!pool_network(options->pool, &config.network, &config.bits))
        return cli_refuse("ggsn", "pool", options->pool,
                          "an IPv4 network of 12 to 29 bits, such as 10.64.0.0/15");
    for (uint32_t i = 0; i < 2 && options->dns[i]; i++)
        if (!take_address("dns", options->dns[i], &config.dns[i]))
            return false;
    gateway->pool = pool_create(&config);
    return true;
}

int command_ggsn(int argc, char **argv)
{
    struct ggsn_options options = {
        .tun = "gi", .address = "192.0.2.2", .sgsn = "192.0.2.1", .recovery = UINT32_MAX};
    struct gateway gateway = {.socket = -1};
    int first;
    enum cli_end end = cli_parse(&cli_of_ggsn, argc, argv, &options, &first);
    if (end != CLI_GO)
        return cli_status(end);
    if (first != argc - 1 && !(options.pool && first == argc)) {
        fprintf(stderr, "sluice ggsn: one contexts.json needed, or --pool\n");
        return EXIT_USAGE;
    }
    if (!take_address("address", options.address, &gateway.address) ||
        !take_address("sgsn", options.sgsn, &gateway.sgsn) || !make_pool(&options, &gateway))
        return EXIT_USAGE;
    signals_begin();
    signals_take_ends();
    int status = serve(&options, &gateway, first < argc ? argv[first] : NULL);
    if (gateway.pool)
        pool_destroy(gateway.pool);
    return status;
}
