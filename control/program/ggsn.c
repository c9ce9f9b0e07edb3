// sluice ggsn: the far end of an instance's Gn in real time, by the contexts.json of that instance.
// The file is read again when it has changed, so that an instance may start again.
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control/cli/cli.h"
#include "control/cli/commands.h"
#include "control/client/value.h"
#include "control/process/signals.h"
#include "lab/live/device/device.h"
#include "lab/live/gateway/gateway.h"

struct ggsn_options {
    const char *tun, *netns, *address, *sgsn;
    bool json;
};

#define INTO(member) .at = offsetof(struct ggsn_options, member)
static const struct cli_option ggsn_options[] = {
    {"tun", "NAME", "the tun device with the Internet behind it: made, unless it exists (gi)",
     INTO(tun)},
    {"netns", "NAME", "the network namespace of the tun device; GTP-U stays in this one",
     INTO(netns)},
    {"address", "ADDRESS", "of the GGSN on Gn (192.0.2.2)", INTO(address)},
    {"sgsn", "ADDRESS", "of the SGSN on Gn (192.0.2.1)", INTO(sgsn)},
    {"json", NULL, "all that was counted as JSON at the end", INTO(json)}};

const struct cli cli_of_ggsn = {
    .name = "ggsn",
    .words = "CONTEXTS",
    .about = "a GGSN's GTP-U with Linux as the Internet",
    .more =
        "CONTEXTS is the contexts.json that sluice run leaves in its folder of results; it need\n"
        "not be there yet. Addresses and routes of the device are the user's. For the way up\n"
        "each pdp { } of the SGSN's file needs a ggsn_teid.",
    .options = ggsn_options,
    .count = sizeof ggsn_options / sizeof ggsn_options[0]};

// ---- contexts.json ----

struct contexts_file {
    const char *path;
    struct timespec changed;
    ino_t number;
    struct gateway *gateway;
};

static void take_contexts(struct gateway *gateway, struct json_object *list)
{
    size_t n = value_count(list), used = 0;
    struct gateway_context *contexts = calloc(n + 1, sizeof *contexts);
    if (!contexts)
        abort();
    for (size_t i = 0; i < n; i++) {
        char text[64];
        struct in_addr address;
        struct json_object *one = value_at(list, i);
        if (inet_pton(AF_INET, value_text(one, "address", text, sizeof text), &address) == 1)
            contexts[used++] = (struct gateway_context){ntohl(address.s_addr),
                                                        (uint32_t)value_number(one, "teid")};
    }
    gateway_set(gateway, contexts, (uint32_t)used);
    free(contexts);
    fprintf(stderr, "%zu contexts\n", used);
}

static char *read_text(FILE *file, size_t *octets)
{
    char *text = NULL;
    size_t room = 0;
    for (*octets = 0;;) {
        if (*octets == room) {
            room = room ? 2 * room : 65536;
            text = realloc(text, room);
            if (!text)
                abort();
        }
        size_t n = fread(text + *octets, 1, room - *octets, file);
        if (n == 0)
            return text;
        *octets += n;
    }
}

static void look(void *self)
{
    struct contexts_file *contexts = self;
    struct stat now;
    FILE *file = fopen(contexts->path, "re");
    if (!file)
        return;
    bool changed = fstat(fileno(file), &now) == 0 &&
                   (now.st_ino != contexts->number ||
                    memcmp(&now.st_mtim, &contexts->changed, sizeof now.st_mtim) != 0);
    if (changed) {
        size_t octets;
        char *text = read_text(file, &octets);
        struct json_object *list = value_parse(text, octets);
        if (list) { // else it is being written
            contexts->number = now.st_ino;
            contexts->changed = now.st_mtim;
            take_contexts(contexts->gateway, list);
        }
        value_free(list);
        free(text);
    }
    fclose(file);
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
