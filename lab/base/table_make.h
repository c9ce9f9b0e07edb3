// Makes the tables of a list; table.h says what is in one. In front of the #include stand
//
//     #define TABLE_FILE  "lab/kitchen/beans.def"
//     #define TABLE_OWNER const struct kitchen *kitchen
//
// In the list's expressions `row` is the row, `kitchen` what the tables are of, and room[0] and
// room[1] take texts that are made for the row. No guard: each list makes its own tables.
#include "lab/base/table.h"

#define COLUMN(kind, key, csv, title, value, help) MAYBE(kind, key, csv, title, true, value, help)

// ---- What each column is ----

// clang-format off
#define TABLE(name, type, first, following, is_shown, key, csv, title, about) \
    static const struct table_column name##_columns[] = {
#define MAYBE(kind, key, csv, title, condition, value, help) \
        {TABLE_##kind, key, csv, title, help, false, NULL, NULL, NULL},
#define OR_NULL(kind, key, csv, title, condition, value, help) \
        {TABLE_##kind, key, csv, title, help, true, NULL, NULL, NULL},
#define OBJECT(key, condition, help) \
        {TABLE_OBJECT, key, NULL, NULL, help, true, NULL, NULL, NULL},
#define MAYBE_OBJECT(key, condition, help) \
        {TABLE_OBJECT, key, NULL, NULL, help, false, NULL, NULL, NULL},
#define OBJECT_END \
        {TABLE_OBJECT_END, NULL, NULL, NULL, "", false, NULL, NULL, NULL},
#define LIST(key, table, first, count, help) \
        {TABLE_LIST, key, NULL, NULL, help, false, &(table), NULL, NULL},
#define PART(put, of, describe) \
        {TABLE_PART, NULL, NULL, NULL, "", false, NULL, put, describe},
#define TABLE_END \
    };
#include TABLE_FILE
#undef TABLE
#undef MAYBE
#undef OR_NULL
#undef OBJECT
#undef MAYBE_OBJECT
#undef OBJECT_END
#undef LIST
#undef PART
#undef TABLE_END

// ---- Each table, and the cells of a row ----

#define TABLE_VALUE_WORD(value)      .text = (value)
#define TABLE_VALUE_TEXT(value)      .text = (value)
#define TABLE_VALUE_LONG_TEXT(value) .text = (value)
#define TABLE_VALUE_COUNT(value)     .number = (int64_t)(value)
#define TABLE_VALUE_FLAG(value)      .number = (int64_t)(value)
#define TABLE_VALUE_TLLI(value)      .number = (int64_t)(value)
#define TABLE_VALUE_NS(value)        .number = (int64_t)(value)
#define TABLE_VALUE_TIME(value)      .number = (int64_t)(value)
#define TABLE_VALUE_MILLISECONDS(value) .number = (int64_t)(value)
#define TABLE_VALUE_PPM(value)       .number = (int64_t)(value)
#define TABLE_VALUE_SHARE(value)     .real = (value)
#define TABLE_VALUE_MEAN(value)      .real = (value)
#define TABLE_VALUE_SECONDS(value)   .real = (value)
#define TABLE_VALUE_FIGURE(value)    .real = (value)
#define TABLE_VALUE_DECIMAL_1(value) .real = (value)
#define TABLE_VALUE_DECIMAL_2(value) .real = (value)
#define TABLE_VALUE_DECIMAL_3(value) .real = (value)
#define TABLE_VALUE_DECIMAL_6(value) .real = (value)

// A value is worked out only where its condition holds, and those of the objects around it: the
// lowest bit of `inside` is that of the innermost.
#define TABLE_PUT(condition, ...)                                                           \
    *cell++ = inside & 1 && (condition) ? (struct table_cell){.there = true, __VA_ARGS__} \
                                        : (struct table_cell){.there = false};

#define TABLE(name, type, first, following, is_shown, key, csv, title, about)                \
    static const void *name##_next(const void *owner, const void *before)                    \
    {                                                                                        \
        TABLE_OWNER __attribute__((unused)) = owner;                                         \
        const type *row = before;                                                            \
        return row ? (following) : (first);                                                  \
    }                                                                                        \
    static bool name##_shown(const void *owner, const void *at)                              \
    {                                                                                        \
        TABLE_OWNER __attribute__((unused)) = owner;                                         \
        const type *row __attribute__((unused)) = at;                                        \
        return is_shown;                                                                     \
    }                                                                                        \
    static void name##_cells(const void *owner, const void *at, struct table_row *out);      \
    enum { name##_count = sizeof name##_columns / sizeof name##_columns[0] };                \
    _Static_assert((int)name##_count <= TABLE_COLUMNS_MOST, "too many columns");             \
    const struct table name = {key,          csv,        title,        about, name##_columns, \
                               name##_count, name##_next, name##_shown, name##_cells};       \
    static void name##_cells(const void *owner, const void *at, struct table_row *out)       \
    {                                                                                        \
        TABLE_OWNER __attribute__((unused)) = owner;                                         \
        const type *row = at;                                                                \
        char(*room)[TABLE_ROOM] __attribute__((unused)) = out->room;                         \
        struct table_cell *cell = out->cell;                                                 \
        uint32_t inside = 1;
#define MAYBE(kind, key, csv, title, condition, value, help) \
        TABLE_PUT(condition, TABLE_VALUE_##kind(value))
#define OR_NULL MAYBE
#define OBJECT(key, condition, help)                          \
        inside = inside << 1 | (inside & 1 && (condition)); \
        TABLE_PUT(true)
#define MAYBE_OBJECT OBJECT
#define OBJECT_END      \
        TABLE_PUT(true) \
        inside >>= 1;
#define LIST(key, table, first, count, help) \
        TABLE_PUT((first) != NULL, .list = {first, count})
#define PART(put, of, describe) \
        TABLE_PUT((of) != NULL, .list = {of, 1})
#define TABLE_END \
        (void)inside; \
    }
#include TABLE_FILE
// clang-format on
#undef TABLE
#undef MAYBE
#undef OR_NULL
#undef OBJECT
#undef MAYBE_OBJECT
#undef OBJECT_END
#undef LIST
#undef PART
#undef TABLE_END
#undef COLUMN
#undef TABLE_PUT
#undef TABLE_FILE
#undef TABLE_OWNER
