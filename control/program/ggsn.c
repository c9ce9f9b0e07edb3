// sluice ggsn: the far end of an instance's Gn in real time, by the contexts.json of that instance.
// The file is read again when it has changed, so that an instance may start again.
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control/cli/cli.h"
#include "control/cli/commands.h"
#include "control/program/ggsn_contexts.h"
#include "control/process/signals.h"
#include "lab/live/device/device.h"
#include "lab/live/gateway/gateway.h"

struct ggsn_options {
    const char *tun, *netns, *address, *sgsn;
    bool json;
};

#define INTO(member) .at = offsetof(struct ggsn_options, member)
static const struct cli_option ggsn_options[] = {
    {"tun", "NAME", "the tun device with the Internet behind it; created if missing (gi)",
     INTO(tun)},
    {"netns", "NAME", "the network namespace of the tun device; GTP-U stays in this one",
     INTO(netns)},
    {"address", "ADDRESS", "address of the GGSN on Gn (192.0.2.2)", INTO(address)},
    {"sgsn", "ADDRESS", "address of the SGSN on Gn (192.0.2.1)", INTO(sgsn)},
    {"json", NULL, "print all counters as JSON at the end", INTO(json)}};

const struct cli cli_of_ggsn = {
    .name = "ggsn",
    .words = "CONTEXTS",
    .about = "run a GGSN's GTP-U with Linux as the Internet",
    .more =
        "CONTEXTS is the contexts.json that sluice run writes to its results; it may appear\n"
        "later. You set the addresses and routes of the device. For the uplink each pdp { } of\n"
        "the SGSN's file needs a ggsn_teid.",
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
    gateway->each_second = look;
    gateway->self = &contexts;
    gateway->ended = &signals_ended;
    fault = gateway_run(gateway);
    int status = report(options, gateway);
    gateway_close(gateway);
    close(gateway->tun);
    return fault ? fail(options->tun, fault) : status;
}

int command_ggsn(int argc, char **argv)
{
    struct ggsn_options options = {.tun = "gi", .address = "192.0.2.2", .sgsn = "192.0.2.1"};
    struct gateway gateway = {.socket = -1};
    int first;
    enum cli_end end = cli_parse(&cli_of_ggsn, argc, argv, &options, &first);
    if (end != CLI_GO)
        return cli_status(end);
    if (first != argc - 1) {
        fprintf(stderr, "sluice ggsn: one contexts.json needed\n");
        return EXIT_USAGE;
    }
    if (!take_address("address", options.address, &gateway.address) ||
        !take_address("sgsn", options.sgsn, &gateway.sgsn))
        return EXIT_USAGE;
    signals_begin();
    signals_take_ends();
    return serve(&options, &gateway, argv[first]);
}
