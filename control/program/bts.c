// sluice bts: BTSs with the MSs of a configuration's cells, each for a PCU to connect to. The
// numbers of NSE, NS-VC, cell and MSs, and the SGSN's endpoint, are those of the file that the SGSN
// runs with.
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control/bind/bind.h"
#include "control/cli/commands.h"
#include "control/client/value.h"
#include "control/run/load.h"
#include "control/process/signals.h"
#include "dataplane/wire/bytes.h"
#include "lab/live/bts/serve.h"
#include "lab/live/device/device.h"

#define UP_QUEUE_MOST_S 60
#define PHONES_MOST     64
#define PHONES_EACH     1000
#define LINK_MOST_DB    60

struct bts_options {
    const char *socket[SERVE_CELLS_MOST], *tun, *netns, *cell, *set[OPTIONS_SETS_MAX];
    uint32_t sockets, sets, pdchs, coding, loss_down_ppm, loss_up_ppm, seconds, seed;
    uint32_t up_queue_s;
    struct bts_phones {
        uint64_t imsi;
        int digits;
        uint32_t count;
        uint32_t link_db; // of `link`
    } phone[PHONES_MOST], link[PHONES_MOST];
    uint32_t phones, links;
    bool json;
};

// ---- The command line ----

// A share such as 10% or 0.5%.
static bool take_loss(const char *option, const char *text, uint32_t *ppm)
{
    char *end;
    double percent = strtod(text, &end);
    while (*end == ' ')
        end++;
    if (end == text || strcmp(end, "%") != 0 || !(percent >= 0 && percent <= 100))
        return cli_refuse("bts", option, text, "a share of blocks, such as 10%");
    *ppm = (uint32_t)(percent * 10000 + 0.5);
    return true;
}

static bool take_loss_down(void *target, const char *text)
{
    return take_loss("loss-down", text, &((struct bts_options *)target)->loss_down_ppm);
}

static bool take_loss_up(void *target, const char *text)
{
    return take_loss("loss-up", text, &((struct bts_options *)target)->loss_up_ppm);
}

static bool take_up_queue(void *target, const char *text)
{
    struct bts_options *options = target;
    char *end;
    unsigned long seconds = strtoul(text, &end, 10);
    if (strcmp(text, "64kB") == 0) {
        options->up_queue_s = 0;
        return true;
    }
    if (text[0] < '1' || text[0] > '9' || strcmp(end, "s") != 0 || seconds > UP_QUEUE_MOST_S)
        return cli_refuse("bts", "up-queue", text, "1s to 60s, or 64kB");
    options->up_queue_s = (uint32_t)seconds;
    return true;
}

static const char *coding_name(size_t i)
{
    static const char *const names[] = {"CS-1", "CS-2", "CS-3", "CS-4", NULL};
    return names[i];
}

static bool take_coding(void *target, const char *text)
{
    struct bts_options *options = target;
    options->coding = (uint32_t)(text[3] - '0');
    return true;
}

static bool take_socket(void *target, const char *path)
{
    struct bts_options *options = target;
    if (options->sockets == SERVE_CELLS_MOST)
        return cli_refuse("bts", "socket", path, "8 at most");
    options->socket[options->sockets++] = path;
    return true;
}

// IMSI or IMSI,N. Returns what stands behind it; NULL: it is none.
static const char *read_phones(const char *text, struct bts_phones *phones)
{
    size_t digits = strspn(text, "0123456789");
    unsigned long count = 1;
    char *end = (char *)text + digits;
    if (*end == ',' && end[1] >= '1' && end[1] <= '9')
        count = strtoul(end + 1, &end, 10);
    *phones = (struct bts_phones){strtoull(text, NULL, 10), (int)digits, (uint32_t)count, 0};
    return digits < 6 || digits > 15 || count > PHONES_EACH ? NULL : end;
}

static bool take_phone(void *target, const char *text)
{
    struct bts_options *options = target;
    struct bts_phones phones;
    const char *end = read_phones(text, &phones);
    if (!end || *end)
        return cli_refuse("bts", "phone", text, "an IMSI, and up to 1000: 001010000000001,8");
    if (options->phones == PHONES_MOST)
        return cli_refuse("bts", "phone", text, "64 at most");
    options->phone[options->phones++] = phones;
    return true;
}

static bool take_link(void *target, const char *text)
{
    struct bts_options *options = target;
    struct bts_phones phones;
    const char *at = read_phones(text, &phones);
    char *end = NULL;
    unsigned long link_db = at && *at == '=' && at[1] >= '0' && at[1] <= '9'
                                ? strtoul(at + 1, &end, 10)
                                : LINK_MOST_DB + 1;
    if (link_db > LINK_MOST_DB || strcmp(end, "dB") != 0)
        return cli_refuse("bts", "link", text,
                          "an IMSI, and up to 1000, and 0 to 60 dB: 001010000000001,8=6dB");
    if (options->links == PHONES_MOST)
        return cli_refuse("bts", "link", text, "64 at most");
    phones.link_db = (uint32_t)link_db;
    options->link[options->links++] = phones;
    return true;
}

static bool take_set(void *target, const char *set)
{
    struct bts_options *options = target;
    if (options->sets == OPTIONS_SETS_MAX)
        return cli_refuse("bts", "set", set, "64 at most");
    options->set[options->sets++] = set;
    return true;
}

#define INTO(member) .at = offsetof(struct bts_options, member)
static const struct cli_option bts_options[] = {
    {"socket", "PATH",
     "the PCU's socket; the BTS is its server (/tmp/pcu_bts);\n"
     "repeat it for further cells, in the file's order",
     .take = take_socket},
    {"pdchs", "N", "time slots of the cell for packets (4)", INTO(pdchs), .least = 1,
     .most = PCUIF_SLOTS},
    {"coding", "CS-N", "the best coding scheme of the cell (CS-2)", .take = take_coding,
     .value = coding_name},
    {"loss-down", "SHARE", "share of downlink blocks that an MS does not receive (0%)",
     .take = take_loss_down},
    {"loss-up", "SHARE", "share of uplink blocks that the BTS does not receive (0%)",
     .take = take_loss_up},
    {"up-queue", "TIME",
     "limit of an MS's queue: what it sends in that time, and one packet (1s); or a\n"
     "size such as 64kB",
     .take = take_up_queue},
    {"phone", "IMSI[,N]",
     "a phone of this IMSI in the first cell, which attaches and gets its address from the\n"
     "network, with the card whose keys the file has; or N of them, with running IMSIs; may\n"
     "be repeated",
     .take = take_phone},
    {"link", "IMSI[,N]=dB",
     "C/I of the blocks of the MS or phone of this IMSI, or of N of them, both ways (20dB):\n"
     "at less than 5, 7, 12 dB blocks of CS-2, CS-3, CS-4 are lost; may be repeated",
     .take = take_link},
    {"tun", "NAME", "the tun device with the MSs behind it; created if missing", INTO(tun)},
    {"netns", "NAME", "the network namespace of the tun device", INTO(netns)},
    {"cell", "NSEI-BVCI", "the cell of the file, or the first of several (the file's first)",
     INTO(cell)},
    {"set", "KEY=VALUE", "replace a value of the file, as for sluice run; may be repeated",
     .take = take_set},
    {"seconds", "N", "end after this time (until SIGINT)", INTO(seconds), .least = 1,
     .most = 86400},
    {"seed", "N", "seed of the random numbers: losses, access bursts (1)", INTO(seed), .least = 1,
     .most = UINT32_MAX},
    {"json", NULL, "print all counters as JSON at the end, instead of a line each second",
     INTO(json)}};

const struct cli cli_of_bts = {
    .name = "bts",
    .words = "FILE",
    .about = "run a BTS with MSs for osmo-pcu, without a radio",
    .more =
        "FILE is the SGSN's configuration: it has the cell, its NS-VC and the MSs. Each MS uses\n"
        "its first PDP context. The source address of a packet from the tun device selects its\n"
        "MS. You set the addresses and routes of the device: ip -n NETNS addr add ... Blocks\n"
        "take 20 ms of real time, and osmo-pcu may end and start again. With several cells,\n"
        "each with its own PCU, SIGUSR1 makes the first phone, or MS of the file, change to the\n"
        "next cell, and from the last one to the first.",
    .options = bts_options,
    .count = sizeof bts_options / sizeof bts_options[0]};

// ---- The configuration ----

static int wrong(const char *what)
{
    fprintf(stderr, "sluice bts: %s\n", what);
    return EXIT_USAGE;
}

// As JSON, which is what the configuration language comes to. NULL: the mistakes are on stderr.
static struct json_object *read_file(const struct bts_options *options, const char *file)
{
    struct options load_options = {.file = file, .sets = options->sets};
    struct load load;
    char *text = NULL;
    size_t octets;
    struct json_object *value = NULL;
    memcpy(load_options.set, options->set, sizeof options->set);
    struct bind *lua = bind_create(false);
    if (lua && load_config(lua, &load_options, &load)) {
        FILE *out = open_memstream(&text, &octets);
        bind_config_json(lua, 0, true, out);
        fclose(out);
        value = value_parse_object(text);
    }
    if (lua)
        bind_destroy(lua);
    if (text)
        explicit_bzero(text, octets); // it has the keys
    free(text);
    return value;
}

static bool is_cell(const struct json_object *nse, const struct json_object *bvc, const char *cell)
{
    char name[32];
    snprintf(name, sizeof name, "%u-%u", (unsigned)value_number(nse, "nsei"),
             (unsigned)value_number(bvc, "bvci"));
    return !cell || strcmp(name, cell) == 0;
}

struct found {
    struct json_object *nse, *bvc;
};

// One for each socket, from the cell of that name on, or from the first one. Returns how many.
static uint32_t find_cells(struct json_object *config, const struct bts_options *options,
                           struct found *found)
{
    struct json_object *nses = value_in(config, "nse");
    uint32_t n = 0;
    for (size_t i = 0; i < value_count(nses); i++) {
        struct json_object *nse = value_at(nses, i), *bvcs = value_in(nse, "bvc");
        for (size_t j = 0; j < value_count(bvcs) && n < options->sockets; j++)
            if (n > 0 || is_cell(nse, value_at(bvcs, j), options->cell))
                found[n++] = (struct found){nse, value_at(bvcs, j)};
    }
    return n;
}

static uint32_t ipv4_of(const struct json_object *object, const char *name)
{
    char text[64];
    struct in_addr address;
    bool good = inet_pton(AF_INET, value_text(object, name, text, sizeof text), &address) == 1;
    return good ? ntohl(address.s_addr) : 0;
}

// The first one that the file lists for the cell's NSE, such as 001-01-1-1, which is that of a NSE
// without any.
static struct bssgp_area area_of(const struct json_object *nse)
{
    const char *text = value_text_at(value_in(nse, "areas"), 0);
    unsigned mcc, mnc, lac, rac;
    if (sscanf(text, "%u-%u-%u-%u", &mcc, &mnc, &lac, &rac) != 4)
        return (struct bssgp_area){.mcc = 1, .mnc = 1, .mnc_digits = 2, .lac = 1, .rac = 1};
    return (struct bssgp_area){.mcc = (uint16_t)mcc,
                               .mnc = (uint16_t)mnc,
                               .mnc_digits = (uint8_t)strcspn(strchr(text, '-') + 1, "-"),
                               .lac = (uint16_t)lac,
                               .rac = (uint8_t)rac};
}

static struct pcuif_cell cell_of(struct json_object *config, const struct found *found,
                                 const struct bts_options *options)
{
    struct json_object *gb = value_in(config, "gb");
    struct json_object *nsvc = value_at(value_in(found->nse, "nsvc"), 0);
    return (struct pcuif_cell){.pdchs = (uint8_t)options->pdchs,
                               .coding = (uint8_t)options->coding,
                               .nsei = (uint16_t)value_number(found->nse, "nsei"),
                               .nsvci = (uint16_t)value_number(nsvc, "nsvci"),
                               .bvci = (uint16_t)value_number(found->bvc, "bvci"),
                               .local_port = (uint16_t)value_number(nsvc, "peer_port"),
                               .remote_port = (uint16_t)value_number(gb, "port"),
                               .remote_address = ipv4_of(gb, "address"),
                               .area = area_of(found->nse)};
}

static uint8_t gea_of(const struct json_object *ms)
{
    char text[16];
    value_text(ms, "cipher", text, sizeof text);
    return (uint8_t)(strncmp(text, "gea", 3) == 0 ? atoi(text + 3) : 0);
}

static uint32_t hex_of(const char *text, uint8_t *octets, uint32_t room)
{
    uint32_t n = 0;
    while (n < room && sscanf(text + 2 * n, "%2hhx", &octets[n]) == 1)
        n++;
    return n;
}

// Of the last --link that names it.
static uint32_t link_db_of(const struct bts_options *options, const char *imsi)
{
    uint64_t number = strtoull(imsi, NULL, 10);
    for (uint32_t i = options->links; i > 0; i--) {
        const struct bts_phones *link = &options->link[i - 1];
        if (strlen(imsi) == (size_t)link->digits && number - link->imsi < link->count)
            return link->link_db;
    }
    return PCUIF_LINK_DB;
}

// IMSI, TLLI, key and address count up from MS to MS; N201-U is LLC's default until the SGSN's XID.
static int add_one(struct bts *bts, const struct bts_options *options, const struct json_object *ms,
                   struct json_object *pdp, uint32_t number)
{
    char text[64];
    uint8_t key[16];
    uint32_t octets = hex_of(value_text(ms, "key", text, sizeof text), key, sizeof key);
    struct bts_ms one = {.tlli = (uint32_t)value_number(ms, "tlli") + number,
                         .address = ipv4_of(pdp, "address") + number,
                         .nsapi = (uint8_t)value_number(pdp, "nsapi"),
                         .sapi = (uint8_t)value_number(pdp, "sapi")};
    if (octets >= 8)
        put_be32(key + octets - 4, get_be32(key + octets - 4) + number);
    one.terms = (struct ms_terms){.n201_u_octets = 500,
                                  .gea = gea_of(ms),
                                  .kc = {key, octets},
                                  .iov_ui = (uint32_t)value_number(ms, "iov_ui")};
    const char *imsi = value_text(ms, "imsi", text, sizeof text);
    snprintf(one.imsi, sizeof one.imsi, "%0*llu", (int)strlen(imsi),
             strtoull(imsi, NULL, 10) + number);
    one.link_db = link_db_of(options, one.imsi);
    int fault = bts_add_ms(bts, &one);
    explicit_bzero(key, sizeof key);
    return fault;
}

static int add_mss(struct bts *bts, const struct bts_options *options, struct json_object *bvc)
{
    struct json_object *mss = value_in(bvc, "ms");
    for (size_t i = 0; i < value_count(mss); i++) {
        struct json_object *ms = value_at(mss, i), *pdp = value_at(value_in(ms, "pdp"), 0);
        for (uint32_t n = 0; pdp && n < value_number(ms, "count"); n++) {
            int fault = add_one(bts, options, ms, pdp, n);
            if (fault)
                return fault;
        }
    }
    return 0;
}

// ---- Phones ----

#define PHONE_NSAPI 5
#define PHONE_SAPI  3
#define PHONE_APN   "internet"
// Of nobody: 001017 is for tests; then a serial number and the version of its software.
#define PHONE_IMEISV "0010170000000101"

// A phone that the SGSN's file lists with K and OPc gets a card with these. With a count the last
// 32 bits of K count up.
static void give_card(struct phone_config *config, struct json_object *file)
{
    struct json_object *listed = value_in(file, "phone");
    config->has_card = false;
    for (size_t i = 0; i < value_count(listed) && milenage_ready(); i++) {
        const struct json_object *one = value_at(listed, i);
        struct milenage_card *card = &config->card;
        char text[64];
        const char *first = value_text(one, "imsi", text, sizeof text);
        uint64_t number = strtoull(config->imsi, NULL, 10) - strtoull(first, NULL, 10);
        if (strlen(first) != strlen(config->imsi) || number >= value_number(one, "count"))
            continue;
        config->has_card =
            hex_of(value_text(one, "k", text, sizeof text), card->k, sizeof card->k) &&
            hex_of(value_text(one, "opc", text, sizeof text), card->opc, sizeof card->opc);
        explicit_bzero(text, sizeof text);
        uint8_t *last = card->k + sizeof card->k - 4;
        put_be32(last, get_be32(last) + (uint32_t)number);
    }
}

// IMSIs count up.
static int add_phone(struct bts *bts, const struct bts_options *options,
                     const struct bts_phones *phones, struct json_object *file)
{
    struct phone_config config = {
        .imeisv = PHONE_IMEISV, .apn = PHONE_APN, .nsapi = PHONE_NSAPI, .sapi = PHONE_SAPI};
    struct bts_ms one = {.terms = {.n201_u_octets = 500}, .phone = &config};
    int fault = 0;
    for (uint32_t i = 0; i < phones->count && !fault; i++) {
        snprintf(config.imsi, sizeof config.imsi, "%0*" PRIu64, phones->digits, phones->imsi + i);
        memcpy(one.imsi, config.imsi, sizeof one.imsi);
        give_card(&config, file);
        one.link_db = link_db_of(options, one.imsi);
        fault = bts_add_ms(bts, &one);
    }
    explicit_bzero(&config.card, sizeof config.card);
    return fault;
}

static int add_phones(struct bts *bts, const struct bts_options *options, struct json_object *file)
{
    for (uint32_t i = 0; i < options->phones; i++) {
        int fault = add_phone(bts, options, &options->phone[i], file);
        if (fault)
            return fault;
    }
    return 0;
}

// The MS that changes its cell when told to.
static void choose_mover(struct serve *serve, const struct bts_options *options,
                         const struct found *found)
{
    if (options->phones)
        snprintf(serve->imsi, sizeof serve->imsi, "%0*" PRIu64, options->phone[0].digits,
                 options->phone[0].imsi);
    for (uint32_t i = 0; i < serve->cells && !serve->imsi[0]; i++)
        value_text(value_at(value_in(found[i].bvc, "ms"), 0), "imsi", serve->imsi,
                   sizeof serve->imsi);
}

// ---- The run ----

static void put_cell(const struct serve_cell *cell, struct json *json)
{
    json_object(json);
    bts_put(cell->bts, json);
    json_put(json, "ticks", cell->ticks);
    json_put(json, "late_ticks", cell->late_ticks);
    json_put(json, "latest_ns", cell->latest_ns);
    json_put(json, "skipped_ns", cell->skipped_ns);
    json_close(json);
}

// One cell is the object itself, several are its "cells".
static void put_cells(const struct serve *serve)
{
    struct json json;
    json_begin(&json, stdout);
    if (serve->cells > 1) {
        json_object(&json);
        json_put_array(&json, "cells");
    }
    for (uint32_t i = 0; i < serve->cells; i++)
        put_cell(&serve->cell[i], &json);
    if (serve->cells > 1) {
        json_close(&json);
        json_close(&json);
    }
    json_end(&json);
}

static int report(const struct bts_options *options, const struct serve *serve)
{
    int status = EXIT_DONE;
    if (options->json)
        put_cells(serve);
    for (uint32_t i = 0; i < serve->cells; i++) {
        const char *what = bts_wrong(serve->cell[i].bts);
        if (!what)
            continue;
        fprintf(stderr, "sluice bts: internal error: the counts do not add up: %s\n", what);
        status = EXIT_RUN_FAILED;
    }
    return status;
}

static int add_cell(const struct bts_options *options, struct json_object *file,
                    const struct found *found, struct serve *serve)
{
    uint32_t number = serve->cells;
    const char *path = options->socket[number];
    struct bts_config config = {.cell = cell_of(file, found, options),
                                .loss_down_ppm = options->loss_down_ppm,
                                .loss_up_ppm = options->loss_up_ppm,
                                .up_queue_s = options->up_queue_s,
                                .seed = options->seed + number};
    int fault;
    if (!config.cell.remote_address || !config.cell.local_port)
        return wrong("the PCU needs gb.address, IPv4, and an nsvc with its peer_port in the file");
    struct bts *bts = serve_add(serve, path, &config, &fault);
    if (!bts) {
        fprintf(stderr, "sluice bts: --socket %s: %s\n", path, strerror(-fault));
        return EXIT_RUN_FAILED;
    }
    if (number == 0 && add_phones(bts, options, file) != 0)
        return wrong("a phone cannot be one here");
    if (add_mss(bts, options, found->bvc) != 0)
        return wrong("an MS of the file cannot be one here: its cipher, key or PDP context");
    return EXIT_DONE;
}

static int serve_cells(const struct bts_options *options, struct serve *serve)
{
    for (uint32_t i = 0; i < serve->cells; i++)
        fprintf(stderr, "waiting for a PCU at %s\n", options->socket[i]);
    int fault = serve_run(serve);
    if (fault)
        fprintf(stderr, "sluice bts: --tun %s: %s\n", options->tun, strerror(-fault));
    serve_end(serve);
    int status = report(options, serve);
    return fault ? EXIT_RUN_FAILED : status;
}

static int with_tun(const struct bts_options *options, struct json_object *file,
                    const struct found *found, int tun)
{
    struct serve serve = {.tun = tun,
                          .until_ns = options->seconds * S_IN_NS,
                          .ended = &signals_ended,
                          .moves = &signals_moved,
                          .say = options->json ? NULL : stdout};
    int status = EXIT_DONE;
    for (uint32_t i = 0; i < options->sockets && !status; i++)
        status = add_cell(options, file, &found[i], &serve);
    choose_mover(&serve, options, found);
    if (serve.cells > 1)
        signals_take_moves();
    if (status)
        serve_end(&serve);
    else
        status = serve_cells(options, &serve);
    serve_release(&serve);
    return status;
}

static int with_config(const struct bts_options *options, struct json_object *file)
{
    struct found found[SERVE_CELLS_MOST];
    uint32_t cells = find_cells(file, options, found);
    const char *what;
    if (cells == 0)
        return wrong("the file has no such cell; --cell takes NSEI-BVCI, such as 101-2");
    if (cells < options->sockets)
        return wrong("more --socket than the file has cells");
    int tun = options->tun ? device_open(options->tun, options->netns, &what) : -1;
    if (options->tun && tun < 0) {
        fprintf(stderr, "sluice bts: --tun: %s: %s\n", what, strerror(-tun));
        return EXIT_RUN_FAILED;
    }
    int status = with_tun(options, file, found, tun);
    if (tun >= 0)
        close(tun);
    return status;
}

int command_bts(int argc, char **argv)
{
    struct bts_options options = {.pdchs = 4, .coding = 2, .seed = 1, .up_queue_s = 1};
    int first;
    enum cli_end end = cli_parse(&cli_of_bts, argc, argv, &options, &first);
    if (end != CLI_GO)
        return cli_status(end);
    if (first != argc - 1)
        return wrong("one configuration file needed");
    if (options.sockets == 0)
        options.socket[options.sockets++] = "/tmp/pcu_bts";
    signals_begin();
    signals_take_ends();
    struct json_object *file = read_file(&options, argv[first]);
    if (!file)
        return EXIT_USAGE;
    int status = with_config(&options, file);
    value_free(file);
    return status;
}
