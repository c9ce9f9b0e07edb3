// See origin.h.
#include "control/run/origin.h"

#include <stdlib.h>
#include <string.h>

#include "control/process/version.h"

struct json_object *origin_ask(struct bind *lua, const char *name)
{
    char *text = NULL;
    size_t octets;
    FILE *out = open_memstream(&text, &octets);
    if (!out || !bind_variants(lua, name, out) || fclose(out) != 0)
        abort(); // our own text; the reason is on stderr
    struct json_object *said = value_parse_object(text);
    free(text);
    return said;
}

// ---- Writing: texts, lists and objects ----

static void put_value(struct json *json, struct json_object *value)
{
    const char *text = value_string(value);
    if (text) {
        json_text(json, text);
        return;
    }
    bool list = value_is_list(value);
    (list ? json_array : json_object)(json);
    for (size_t i = 0; i < value_size(value); i++) {
        if (!list)
            json_key(json, value_key(value, i));
        put_value(json, value_item(value, i));
    }
    json_close(json);
}

static void put_member(const struct json_object *origin, const char *key, struct json *json)
{
    json_key(json, key);
    put_value(json, value_in(origin, key));
}

void origin_put(const void *self, struct json *json)
{
    json_put_text(json, "version", sluice_version);
    for (size_t i = 0; i < value_size(self); i++)
        put_member(self, value_key(self, i), json);
}

void origin_describe(FILE *out)
{
    fputs("version: of Sluice, with the commit\n"
          "config_sha256: of the configuration's file\n"
          "files: other files that the configuration names\n"
          "files.path: its name\n"
          "files.sha256: of its content\n"
          "variant: of the configuration; no key: it has none\n"
          "point: of its sweep; no key: it has none\n"
          "overrides: texts of --set, in order\n",
          out);
}

void origin_put_shared(const struct json_object *origin, struct json *json)
{
    json_put_text(json, "version", sluice_version);
    put_member(origin, "config_sha256", json);
    put_member(origin, "files", json);
}

void origin_put_overrides(const struct json_object *origin, struct json *json)
{
    put_member(origin, "overrides", json);
}

// ---- Comparing ----

static const struct {
    const char *key, *differs;
} parts[] = {{"config_sha256", "another configuration file"},
             {"files", "other files that the configuration names"},
             {"variant", "another variant"},
             {"point", "another point"},
             {"overrides", "other overrides"}};
enum { SHARED_PARTS = 2, PARTS = sizeof parts / sizeof parts[0] };

static const char *first_difference(const struct json_object *origin,
                                    const struct json_object *summary, size_t count)
{
    const char *version = value_string(value_in(summary, "version"));
    if (!version || strcmp(version, sluice_version) != 0)
        return "another version of Sluice";
    for (size_t i = 0; i < count; i++)
        if (!value_equal(value_in(origin, parts[i].key), value_in(summary, parts[i].key)))
            return parts[i].differs;
    return NULL;
}

const char *origin_differs(const struct json_object *origin, uint64_t seed,
                           const struct json_object *summary)
{
    const char *differs = first_difference(origin, summary, PARTS);
    bool same_seed = value_as_integer(value_in(summary, "seed")) == seed;
    return differs ? differs : same_seed ? NULL : "another seed";
}

const char *origin_differs_shared(const struct json_object *origin,
                                  const struct json_object *summary)
{
    return first_difference(origin, summary, SHARED_PARTS);
}

bool origin_may_replace(const struct json_object *origin, uint64_t seed,
                        const struct results *results, bool force)
{
    struct json_object *summary = value_read_object(results->folder, "summary.json");
    bool several = value_in(summary, "runs") != NULL;
    const char *differs = summary ? origin_differs(origin, seed, summary) : NULL;
    value_free(summary);
    if (several && !force) {
        fprintf(stderr,
                "sluice run: %s: has the results of several runs; give another --out, or "
                "--force to replace their summary\n",
                results->dir);
        return false;
    }
    if (differs)
        fprintf(stderr, "results: %s has those of another run (%s), now replaced\n", results->dir,
                differs);
    return true;
}
