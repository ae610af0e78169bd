/* SPDX-License-Identifier: Apache-2.0 */

/// \file
/// The variant whose table the environment describes, so that one file serves for every fault that
/// a table can have:
///
/// - FIXTURE_MAGIC, FIXTURE_SIZE, FIXTURE_MAJOR, FIXTURE_MINOR: a number for that header field;
/// - FIXTURE_NAME: the name in the table;
/// - FIXTURE_NULL: numbers of entries, separated by commas, that are null;
/// - FIXTURE_SET: numbers of entries that are not null, though nothing could call them;
/// - FIXTURE_CLAIM: numbers of capabilities that its devices claim besides those they have.
///
/// The note is right in every case: what is wrong shows only when the table is read.

/// The table and room for one more entry, as a later minor version would have.
struct longer_table {
    spoc_be_table base;
    void (*later)(void);
};

SPOC_BE_EMIT_NOTE(PLUGIN_NAME, "1.0")
SPOC_BE_EXPORT struct longer_table spoc_backend_v1;

static const spoc_be_table* table(void) { return &spoc_backend_v1.base; }

static uint64_t number_from(const char* variable, uint64_t otherwise) {
    const char* text = getenv(variable);
    return text == NULL ? otherwise : strtoull(text, NULL, 0);
}

/// Calls `use` for each number of the list in `variable`.
static void for_each_number(const char* variable, void (*use)(uint32_t number, void* context),
                            void* context) {
    const char* at = getenv(variable);
    while (at != NULL && *at != '\0') {
        char* end = NULL;
        use((uint32_t)strtoul(at, &end, 10), context);
        at = *end == ',' ? end + 1 : end;
    }
}

/// Entries are numbered from 1 and follow each other without a gap.
static void write_entry(uint32_t number, void* base, void (*entry)(void)) {
    memcpy((char*)base + offsetof(spoc_be_table, probe) + (number - 1) * sizeof entry, &entry,
           sizeof entry);
}

static void clear_entry(uint32_t number, void* base) { write_entry(number, base, NULL); }

static void set_entry(uint32_t number, void* base) { write_entry(number, base, abort); }

static void claim(uint32_t capability, void* info) {
    ((spoc_be_device_info*)info)->caps[capability / 64] |= bit(capability);
}

static void claim_capabilities(spoc_be_device_info* info) {
    for_each_number("FIXTURE_CLAIM", claim, info);
}

static void vary_table(void) {
    spoc_be_table* base = &spoc_backend_v1.base;
    *base = built_table;
    base->header.magic = number_from("FIXTURE_MAGIC", base->header.magic);
    base->header.size = (uint32_t)number_from("FIXTURE_SIZE", base->header.size);
    base->header.major = (uint16_t)number_from("FIXTURE_MAJOR", base->header.major);
    base->header.minor = (uint16_t)number_from("FIXTURE_MINOR", base->header.minor);
    const char* name = getenv("FIXTURE_NAME");
    base->name = name == NULL ? base->name : name;
    for_each_number("FIXTURE_NULL", clear_entry, base);
    for_each_number("FIXTURE_SET", set_entry, base);
}
