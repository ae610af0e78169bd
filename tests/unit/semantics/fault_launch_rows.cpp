// SPDX-License-Identifier: Apache-2.0

/// \file
/// The table of faults: programs, kernels and launches. Kernels add nought, so that vectors hold
/// what they held.

#include <array>
#include <cstdint>
#include <string>

#include "fault_table.hpp"

namespace spoc::test {
namespace {

/// A source that is not in the cache.
constexpr const char* fresh_text = "mock_program room add";

constexpr std::uint32_t opencl = SPOC_FORMAT_OPENCL_C;

/// A kernel of 16 arguments, each of a few bytes of one of two buffers, so that what the launch
/// needs takes several entries of the ledger.
void launch_many(world& w, const stream& on) {
    std::array<spoc_argument, 16> all{};
    for (std::uint32_t i = 0; i < all.size(); ++i) {
        const buffer& from = i % 2 == 0 ? *w.source : *w.target;
        all[i] = inout(from).part(std::uint64_t{4} * (i / 2), 4).argument;
        all[i].index = i;
    }
    const spoc_launch_options options = detail::options_of({}, all);
    detail::call(spoc_launch, w.many->get(), &options, on.get());
}

}  // namespace

rows about_programs() {
    return {
        {"program_load", [](world& w) { w.made_program.emplace(*w.first, opencl, fresh_text); },
         leaves::binary},
        {"program_load, of functions",
         [](world& w) { w.made_program.emplace(*w.first, SPOC_FORMAT_NATIVE_SYMBOL, ""); }},
        {"program_load, in the cache",
         [](world& w) { w.made_program.emplace(*w.first, opencl, w.kept_text); }, leaves::source},
        {"program_destroy", [](world& w) { w.native.reset(); }, leaves::told_nobody},
        {"native_kernel_add",
         [](world& w) { add_native_kernel(*w.first, "added", named_kernel("none").description); }},
        {"kernel_get", [](world& w) { w.made_kernel.emplace(*w.native, "add"); }},
        {"kernel_get, in the cache", [](world& w) { w.made_kernel.emplace(*w.found, "add"); },
         leaves::source},
        {"kernel_destroy", [](world& w) { w.room.reset(); }, leaves::told_nobody},
        {"run_source",
         [](world& w) {
             run_source(*w.first, opencl, fresh_text, "add", one_each, inout(*w.both), 0);
         },
         leaves::binary},
        {"run_source on a stream",
         [](world& w) {
             run_source(*w.first, opencl, fresh_text, "add", one_each, *w.on, inout(*w.at_host), 0);
         },
         leaves::binary},
        {"run_source, in the cache",
         [](world& w) {
             run_source(*w.first, opencl, w.kept_text, "add", one_each, inout(*w.both), 0);
         },
         leaves::source},
        {"run_source_file",
         [](world& w) { run_source_file(*w.first, w.file(), "add", one_each, inout(*w.both), 0); },
         leaves::binary},
    };
}

rows about_launches() {
    const launch_shape half{.grid = static_cast<std::uint32_t>(elements / 2)};
    return {
        {"launch", [](world& w) { launch(*w.add, one_each, inout(*w.both), 0); }},
        {"launch, first", [](world& w) { launch(*w.add, one_each, inout(*w.at_host), 0); }},
        {"launch, out of date", [](world& w) { launch(*w.add, one_each, in(*w.stale_device), 0); }},
        {"launch, elsewhere",
         [](world& w) { launch(*w.add_there, one_each, inout(*w.stale_host), 0); }},
        {"launch, while work uses it",
         [](world& w) { launch(*w.add, one_each, inout(*w.pending), 0); }, leaves::nothing,
         SPOC_BE_NO_LIMIT, true},
        {"launch, over page-locked memory",
         [](world& w) { launch(*w.add, one_each, inout(*w.over_pinned), 0); }},
        {"launch, of a buffer", [](world& w) { launch(*w.add, one_each, inout(*w.source), 0); }},
        {"launch, of a view", [=](world& w) { launch(*w.add, half, inout(*w.part), 0); }},
        {"launch, of a view that is nowhere",
         [=](world& w) { launch(*w.add_there, half, inout(*w.rest), 0); }},
        {"launch, with local memory",
         [](world& w) { launch(*w.room, one_each, inout(*w.both), local(64)); }},
        {"launch, in host memory",
         [](world& w) { launch(*w.add_in_host, one_each, inout(*w.in_host_memory), 0); }},
        {"launch, in host memory, of what a device has newer",
         [](world& w) { launch(*w.add_in_host, one_each, inout(*w.stale_host), 0); }},
        {"launch, in place",
         [](world& w) { launch(*w.add_shared, one_each, inout(*w.in_place), 0); }},
        {"launch, unified",
         [](world& w) { launch(*w.add_shared, one_each, inout(*w.unified), 0); }},
        {"launch on a stream",
         [](world& w) { launch(*w.add, one_each, *w.on, inout(*w.both), 0); }},
        {"launch on a stream, first",
         [](world& w) { launch(*w.add, one_each, *w.on, inout(*w.at_host), 0); }},
        {"launch on a stream, elsewhere",
         [](world& w) {
             launch(*w.add_there, one_each, *w.stream_there, inout(*w.stale_host), 0);
         }},
        {"launch on a stream, over page-locked memory",
         [](world& w) { launch(*w.add, one_each, *w.on, inout(*w.over_pinned), 0); }},
        {"launch on a stream, of a buffer",
         [](world& w) { launch(*w.add, one_each, *w.on, inout(*w.source), 0); }},
        {"launch on a stream, of a view",
         [=](world& w) { launch(*w.add, half, *w.on, inout(*w.part), 0); }},
        {"launch on a stream, with local memory",
         [](world& w) { launch(*w.room, one_each, *w.on, inout(*w.both), local(64)); }},
        {"launch on a stream, of many", [](world& w) { launch_many(w, *w.on); }},
    };
}

}  // namespace spoc::test
