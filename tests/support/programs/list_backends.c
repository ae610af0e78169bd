/* SPDX-License-Identifier: Apache-2.0 */

/// \file
/// Prints what the C interface says about backends, places and devices, in lines of fields
/// separated by tabs:
///
///     list_backends [--dir DIR]... [--isolated | --in-process] [--timeout MS] WHAT...
///
/// WHAT is done in the order given: `passive`, `enumerate` (probe), `backends`, `places`, `devices`
/// (list), `settings`, `require NAME`, `select SELECTORS`, `chdir DIR` (go to another current
/// directory). A call that fails prints a line "error" and ends the program with status 1.

#include <unistd.h>

#include "check.h"

enum { most_dirs = 8, most_devices = 16 };

static void give_up(const spoc_error* error) {
    printf("error\t%s\t%s\t%s\t%s\n", spoc_status_name(error->status),
           spoc_sub_code_name(error->sub_code), spoc_reason_name(error->reason), error->message);
    exit(1);
}

static void must(spoc_status status, const spoc_error* error) {
    if (status != SPOC_OK) {
        give_up(error);
    }
}

static void list_backends(void) {
    spoc_error error = SPOC_ERROR_INIT;
    uint32_t count = 0;
    must(spoc_backend_count(&count, &error), &error);
    for (uint32_t i = 0; i < count; ++i) {
        spoc_backend_info info = {.size = sizeof info};
        must(spoc_backend_get(i, &info, &error), &error);
        printf("backend\t%s\t%s\t%s\t%s\t%d\t%u\t%s\t%s\t%s\n", info.name,
               spoc_state_name(info.state), spoc_reason_name(info.reason),
               spoc_stage_name(info.stage), (int)info.device_count, info.threads_started, info.file,
               info.driver_path, info.message);
    }
}

static void list_places(void) {
    spoc_error error = SPOC_ERROR_INIT;
    uint32_t count = 0;
    must(spoc_search_count(&count, &error), &error);
    for (uint32_t i = 0; i < count; ++i) {
        spoc_search_place place = {.size = sizeof place};
        must(spoc_search_get(i, &place, &error), &error);
        printf("place\t%s\t%s\t%u\t%s\n", spoc_search_source_name(place.source),
               spoc_place_verdict_name(place.verdict), place.files, place.path);
    }
}

static void print_device(spoc_device device) {
    spoc_error error = SPOC_ERROR_INIT;
    spoc_device_info info = {.size = sizeof info};
    must(spoc_device_describe(device, &info, &error), &error);
    printf("device\t%u\t%s\t%s\t%u\t%s\n", info.id, info.selector, info.backend, info.index,
           info.properties->name);
}

static void list_devices(void) {
    spoc_error error = SPOC_ERROR_INIT;
    uint32_t count = 0;
    must(spoc_device_count(&count, &error), &error);
    for (uint32_t i = 0; i < count; ++i) {
        spoc_device device = NULL;
        must(spoc_device_get(i, &device, &error), &error);
        print_device(device);
    }
}

static void select_devices(const char* selectors) {
    spoc_error error = SPOC_ERROR_INIT;
    spoc_device devices[most_devices];
    uint32_t count = 0;
    must(spoc_device_select(selectors, devices, most_devices, &count, &error), &error);
    for (uint32_t i = 0; i < count && i < most_devices; ++i) {
        print_device(devices[i]);
    }
}

static void list_settings(void) {
    spoc_setting setting = {.size = sizeof setting};
    for (uint32_t i = 0; spoc_setting_get(i, &setting) != 0; ++i) {
        printf("setting\t%s\t%u\t%s\n", setting.name, setting.flags,
               setting.value == NULL ? "" : setting.value);
    }
}

/// Does what the word at `words` asks for and returns how many words it took.
static int carry_out(char** words) {
    spoc_error error = SPOC_ERROR_INIT;
    const char* what = words[0];
    if (strcmp(what, "passive") == 0) {
        must(spoc_backends_probe(SPOC_BE_PROBE_PASSIVE, &error), &error);
    } else if (strcmp(what, "enumerate") == 0) {
        must(spoc_backends_probe(SPOC_BE_PROBE_ENUMERATE, &error), &error);
    } else if (strcmp(what, "backends") == 0) {
        list_backends();
    } else if (strcmp(what, "places") == 0) {
        list_places();
    } else if (strcmp(what, "devices") == 0) {
        list_devices();
    } else if (strcmp(what, "settings") == 0) {
        list_settings();
    } else if (strcmp(what, "require") == 0 && words[1] != NULL) {
        must(spoc_backend_require(words[1], &error), &error);
        return 2;
    } else if (strcmp(what, "select") == 0 && words[1] != NULL) {
        select_devices(words[1]);
        return 2;
    } else if (strcmp(what, "chdir") == 0 && words[1] != NULL) {
        CHECK(chdir(words[1]) == 0);
        return 2;
    } else {
        (void)fprintf(stderr, "list_backends: unknown word %s\n", what);
        exit(2);
    }
    return 1;
}

/// Reads the options at the front of `words` and returns where they end.
static char** read_options(char** words, spoc_options* options, const char** dirs) {
    for (; *words != NULL && strncmp(*words, "--", 2) == 0; ++words) {
        if (strcmp(*words, "--isolated") == 0) {
            options->flags |= SPOC_ISOLATE_PROBES;
        } else if (strcmp(*words, "--in-process") == 0) {
            options->flags |= SPOC_NEVER_ISOLATE;
        } else if (strcmp(*words, "--timeout") == 0) {
            options->probe_timeout_ms = (uint32_t)strtoul(*++words, NULL, 10);
        } else if (strcmp(*words, "--dir") == 0 && options->plugin_dir_count < most_dirs) {
            dirs[options->plugin_dir_count++] = *++words;
        }
    }
    return words;
}

int main(int argc, char** argv) {
    (void)argc;
    const char* dirs[most_dirs];
    spoc_options options = {.size = sizeof options, .plugin_dirs = dirs};
    char** words = read_options(argv + 1, &options, dirs);
    spoc_error error = SPOC_ERROR_INIT;
    must(spoc_init(&options, &error), &error);
    while (*words != NULL) {
        words += carry_out(words);
    }
    must(spoc_shutdown(&error), &error);
    return 0;
}
