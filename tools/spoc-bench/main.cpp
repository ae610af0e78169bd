// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>
#include <string>

#include <CLI/CLI.hpp>

#include <spoc/runtime.h>

#include "bench_case.hpp"
#include "byte_count.hpp"
#include "common/arguments.hpp"
#include "common/output.hpp"
#include "common/text.hpp"
#include "exit_status.hpp"
#include "load_command.hpp"
#include "run_command.hpp"

namespace spoc::bench {
namespace {

constexpr const char* load_summary = "stream a file into device memory, read it back and verify it";
constexpr const char* run_summary = "measure what SPOC's calls cost above those of its plugin";
constexpr std::size_t name_width = 13;

void read_slot_size(load_wish& wish, const std::string& text) {
    wish.slot_bytes = parse_byte_count(text);
    if (!wish.slot_bytes) {
        throw CLI::ValidationError(
            "--slot-size",
            "'" + text + "' is not a number of bytes, such as 65536, 512K, 16M or 1G");
    }
}

CLI::App* add_load(CLI::App& app, load_options& options) {
    CLI::App* const load = app.add_subcommand("load", load_summary);
    load->set_help_flag("-h,--help", "print this text");
    load->add_option("FILE", options.path, "a regular file, of any size")
        ->required()
        ->option_text(" ");
    load->add_option("--device", options.devices,
                     "where: native:0, cuda, '*' (each in turn); default: the best")
        ->type_name("SEL");
    load->add_option_function<std::string>(
            "--slot-size",
            [&options](const std::string& text) { read_slot_size(options.wish, text); },
            "bytes sent at once, such as 512K; default: 16M, less on a small device")
        ->type_name("BYTES");
    load->add_option("--slots", options.wish.slots, "slots in use at once, 2 to 64; default: 4")
        ->check(CLI::Range(2, 64))
        ->option_text("N");
    load->add_flag("--json", options.json, "print one JSON document");
    return load;
}

void add_run(CLI::App& app, run_options& options) {
    CLI::App* const run = app.add_subcommand("run", run_summary);
    run->set_help_flag("-h,--help", "print this text");
    run->add_option("NAME", options.names, "benchmarks, as 'list' prints them, or 'disp.*'")
        ->required()
        ->option_text("...");
    run->add_option("--device", options.devices,
                    "where: native:0, cuda, '*' (each in turn); default: the best")
        ->type_name("SEL");
    run->add_flag("--json", options.json, "print one JSON document");
}

int run_list() {
    std::string text = tools::pad("load", name_width) + load_summary + "\n";
    for (const bench_case& one : bench_cases()) {
        text += tools::pad(one.name, name_width) + one.summary + "\n";
    }
    return tools::write_stdout(program_name, text) ? exit_ok : tools::exit_output;
}

int run(int argc, char** argv) {
    CLI::App app("Measures SPOC on this machine's devices.", program_name);
    app.set_help_flag("-h,--help", "print this text");
    app.set_version_flag("--version", std::string("spoc-bench ") + spoc_version(),
                         "print the version");
    app.require_subcommand(1);
    // Before the commands are added, since they take it over.
    app.footer(
        "Exit status: 0 verified, or measured; 1 a device failed or gave other bytes back;\n"
        "2 wrong use; 77 no such device.");
    CLI::App* const list = app.add_subcommand("list", "list what can be measured");
    list->set_help_flag("-h,--help", "print this text");
    load_options options;
    run_options wanted;
    const CLI::App* const load = add_load(app, options);
    add_run(app, wanted);
    if (const auto status = tools::parse_arguments(app, argc, argv)) {
        return *status;
    }
    if (list->parsed()) {
        return run_list();
    }
    return load->parsed() ? run_load(options) : run_benchmarks(wanted);
}

}  // namespace
}  // namespace spoc::bench

int main(int argc, char** argv) {
    try {
        spoc::tools::claim_standard_streams();
        spoc::tools::leave(spoc::bench::run(argc, argv));
    } catch (const std::exception& error) {
        static_cast<void>(
            std::fprintf(stderr, "%s: %s\n", spoc::bench::program_name, error.what()));
        return spoc::bench::exit_failed;
    }
}
