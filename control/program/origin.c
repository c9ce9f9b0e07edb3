// See origin.h.
#include "control/program/origin.h"

#include <stdlib.h>
#include <string.h>

#include "control/program/version.h"

struct tree *origin_ask(struct bind *lua, const char *name)
{
    char *text = NULL;
    size_t octets;
    FILE *out = open_memstream(&text, &octets);
    if (!out || !bind_variants(lua, name, out) || fclose(out) != 0)
        abort(); // our own text; the reason is on stderr
    struct tree *said = tree_parse(text);
    free(text);
    return said;
}

// ---- Writing: texts, lists and objects ----

static void put_value(struct json *json, struct tree *value)
{
    const char *text = tree_text(value);
    if (text) {
        json_text(json, text);
        return;
    }
    bool list = tree_is_list(value);
    (list ? json_array : json_object)(json);
    for (size_t i = 0; i < tree_count(value); i++) {
        if (!list)
            json_key(json, tree_key(value, i));
        put_value(json, tree_item(value, i));
    }
    json_close(json);
}

static void put_member(const struct tree *origin, const char *key, struct json *json)
{
    json_key(json, key);
    put_value(json, tree_at(origin, key));
}

void origin_put(const void *self, struct json *json)
{
    json_put_text(json, "version", sluice_version);
    for (size_t i = 0; i < tree_count(self); i++)
        put_member(self, tree_key(self, i), json);
}

void origin_put_shared(const struct tree *origin, struct json *json)
{
    json_put_text(json, "version", sluice_version);
    put_member(origin, "config_sha256", json);
    put_member(origin, "files", json);
}

void origin_put_overrides(const struct tree *origin, struct json *json)
{
    put_member(origin, "overrides", json);
}

// ---- Comparing ----

const char *origin_differs(const struct tree *origin, uint64_t seed, const struct tree *summary)
{
    static const struct {
        const char *key, *differs;
    } parts[] = {{"config_sha256", "another configuration file"},
                 {"files", "other files that the configuration names"},
                 {"variant", "another variant"},
                 {"point", "another point"},
                 {"overrides", "other overrides"}};
    const char *version = tree_text(tree_at(summary, "version"));
    if (!version || strcmp(version, sluice_version) != 0)
        return "another version of Sluice";
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (!tree_equal(tree_at(origin, parts[i].key), tree_at(summary, parts[i].key)))
            return parts[i].differs;
    return tree_integer(tree_at(summary, "seed")) == seed ? NULL : "another seed";
}

bool origin_may_replace(const struct tree *origin, uint64_t seed, const struct results *results,
                        bool force)
{
    struct tree *summary = tree_read(results->folder, "summary.json");
    bool several = tree_at(summary, "runs") != NULL;
    const char *differs = summary ? origin_differs(origin, seed, summary) : NULL;
    tree_free(summary);
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
