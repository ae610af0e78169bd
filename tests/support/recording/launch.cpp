// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "access.hpp"
#include "call.hpp"
#include "entries.hpp"
#include "request.hpp"
#include "work.hpp"

namespace spoc::mock {
namespace {

constexpr std::size_t scalar_alignment = 16;
constexpr std::size_t scratch_alignment = 64;

/// One argument once it is held. Its scalar's bytes, or room for a LOCAL, are its own.
struct argument {
    std::shared_ptr<memory> own;
    std::shared_ptr<buffer_part> part;
};

/// A launch once it is held.
struct held_launch {
    const spoc_native_kernel* kernel = nullptr;
    std::vector<argument> arguments;
    spoc_native_block block{};
    std::shared_ptr<memory> shared;

    void run(state& all) const {
        std::vector<void*> pointers;
        for (const argument& one : arguments) {
            pointers.push_back(one.part != nullptr ? one.part->bytes(all) : one.own->bytes);
            if (pointers.back() == nullptr) {
                return;
            }
        }
        spoc_native_block at = block;
        for (at.index[2] = 0; at.index[2] < block.grid[2]; ++at.index[2]) {
            for (at.index[1] = 0; at.index[1] < block.grid[1]; ++at.index[1]) {
                for (at.index[0] = 0; at.index[0] < block.grid[0]; ++at.index[0]) {
                    kernel->run(&at, pointers.data());
                }
            }
        }
    }
};

bool writes(const spoc_be_arg& arg) {
    return arg.access == SPOC_BE_ACCESS_UNKNOWN || (arg.access & SPOC_BE_ACCESS_WRITE) != 0;
}

std::uint64_t shown_bytes(const spoc_be_arg& arg) {
    return arg.bytes != 0 || arg.offset > arg.buffer->bytes ? arg.bytes
                                                            : arg.buffer->bytes - arg.offset;
}

void write_args(call& now, const spoc_be_launch& launch) {
    if (now.quiet()) {
        return;
    }
    std::vector<spoc_mock_arg> args;
    for (std::uint32_t i = 0; i < launch.arg_count; ++i) {
        const spoc_be_arg& arg = launch.args[i];
        spoc_mock_arg& one = args.emplace_back();
        one = {};
        one.index = arg.index;
        one.kind = arg.kind;
        one.access = arg.access;
        one.buffer = arg.kind == SPOC_BE_PARAM_BUFFER ? arg.buffer->number : 0;
        one.offset = arg.offset;
        one.bytes = arg.bytes;
        if (arg.kind == SPOC_BE_PARAM_SCALAR) {
            std::memcpy(one.scalar, arg.data,
                        std::min<std::uint64_t>(arg.bytes, sizeof one.scalar));
        }
    }
    now.all.log.add_args(now.record.number, std::move(args));
}

/// A buffer that a launch is shown. Null: the call failed.
std::shared_ptr<buffer_part> show_buffer(call& now, spoc_be_device device, const spoc_be_arg& arg) {
    const spoc_be_device_info& info = device->info;
    const std::uint64_t step = offers(info, SPOC_BE_CAP_ARG_OFFSET) ? info.arg_offset_align : 0;
    if (arg.offset != 0 && (step == 0 || arg.offset % step != 0)) {
        now.breach("An argument begins where the device does not let it.");
        return nullptr;
    }
    const auto part = part_of(now, arg.buffer, arg.offset, shown_bytes(arg), device);
    if (!part) {
        return nullptr;
    }
    if (shown_bytes(arg) > info.max_binding) {
        now.breach("An argument shows more than the device binds.");
        return nullptr;
    }
    return std::make_shared<buffer_part>(*part);
}

/// False: the call failed.
bool prepare_argument(call& now, spoc_be_device device, const spoc_be_arg& arg,
                      const spoc_be_param& param, argument& out) {
    if (arg.kind != param.kind ||
        (arg.kind == SPOC_BE_PARAM_SCALAR && param.bytes != 0 && arg.bytes != param.bytes)) {
        now.breach("Argument " + std::to_string(arg.index) + " does not fit its parameter.");
        return false;
    }
    if (arg.kind == SPOC_BE_PARAM_BUFFER) {
        out.part = show_buffer(now, device, arg);
        return out.part != nullptr;
    }
    if (arg.kind == SPOC_BE_PARAM_LOCAL) {
        out.own = std::make_shared<memory>(arg.bytes, scratch_alignment);
        return has(now, SPOC_BE_CAP_LOCAL_ARGS);
    }
    out.own = std::make_shared<memory>(arg.bytes, scalar_alignment);
    std::memcpy(out.own->bytes, arg.data, arg.bytes);
    return true;
}

/// Ranges that arguments share may only be read. False: a breach.
bool check_sharing(call& now, const spoc_be_launch& launch) {
    for (std::uint32_t i = 0; i < launch.arg_count; ++i) {
        for (std::uint32_t j = 0; j < launch.arg_count; ++j) {
            const spoc_be_arg& one = launch.args[i];
            const spoc_be_arg& other = launch.args[j];
            if (i != j && one.kind == SPOC_BE_PARAM_BUFFER && other.kind == SPOC_BE_PARAM_BUFFER &&
                one.buffer == other.buffer && writes(one) &&
                one.offset < other.offset + shown_bytes(other) &&
                other.offset < one.offset + shown_bytes(one)) {
                now.breach("A launch writes a range that two of its arguments share.");
                return false;
            }
        }
    }
    return true;
}

/// False: the call failed.
bool check_extent(call& now, const spoc_be_device_info& info, const spoc_be_launch& launch) {
    std::uint64_t threads = 1;
    for (int i = 0; i < 3; ++i) {
        threads *= launch.block[i];
        if (launch.grid[i] == 0 || launch.block[i] == 0 || launch.grid[i] > info.max_grid[i] ||
            launch.block[i] > info.max_block[i]) {
            now.breach("A launch's extent is none that the device takes.");
            return false;
        }
    }
    const std::uint32_t fixed = launch.kernel->fixed_block;
    if (threads > info.max_block_threads ||
        (fixed != 0 && (launch.block[0] != fixed || threads != fixed))) {
        now.breach("A launch's block is none that the kernel takes.");
        return false;
    }
    if (launch.shared_bytes > info.shared_per_block) {
        now.breach("A launch asks for more shared memory than a block has.");
        return false;
    }
    return launch.shared_bytes == 0 || has(now, SPOC_BE_CAP_DYNAMIC_SHARED);
}

/// Everything a launch needs later. False: the call failed.
bool prepare(call& now, spoc_be_device device, const spoc_be_launch& launch, operation& work) {
    const spoc_native_kernel& kernel = launch.kernel->kernel;
    if (launch.arg_count != kernel.param_count) {
        now.breach("A launch has other arguments than its kernel has parameters.");
        return false;
    }
    if (!check_extent(now, device->info, launch) || !check_sharing(now, launch)) {
        return false;
    }
    auto held = std::make_shared<held_launch>();
    held->kernel = &kernel;
    held->arguments.resize(launch.arg_count);
    for (std::uint32_t i = 0; i < launch.arg_count; ++i) {
        if (!prepare_argument(now, device, launch.args[i], kernel.params[i], held->arguments[i])) {
            return false;
        }
        if (launch.args[i].kind == SPOC_BE_PARAM_BUFFER) {
            work.uses.push_back({launch.args[i].buffer->number, writes(launch.args[i])});
        }
    }
    held->block.size = sizeof held->block;
    std::copy_n(launch.grid, 3, held->block.grid);
    std::copy_n(launch.block, 3, held->block.block);
    held->block.shared_bytes = launch.shared_bytes;
    if (launch.shared_bytes != 0) {
        held->shared = std::make_shared<memory>(launch.shared_bytes, scratch_alignment);
        held->block.shared = held->shared->bytes;
    }
    work.run = [held, &all = now.all] { held->run(all); };
    work.tag = launch.tag;
    return true;
}

void write_launch(call& now, spoc_be_stream stream, const spoc_be_launch& launch) {
    now.record.flags = launch.flags;
    now.record.stream = stream->number;
    now.record.kernel = launch.kernel->number;
    now.record.count = launch.arg_count;
    now.record.shared_bytes = launch.shared_bytes;
    now.record.tag = launch.tag;
    std::copy_n(launch.grid, 3, now.record.grid);
    std::copy_n(launch.block, 3, now.record.block);
}

}  // namespace

std::int32_t launch(spoc_be_stream stream, const spoc_be_launch* launch, std::uint32_t* done,
                    spoc_be_error* error) {
    const exclusive on_stream(*stream);
    call now(spoc_mock_entry_launch, stream->device, error);
    *done = SPOC_BE_DONE_ALL;
    now.record.done = *done;
    write_launch(now, stream, *launch);
    const bool goes_on = now.begin();
    write_args(now, *launch);
    if (!goes_on) {
        if (now.told() && (now.told()->told.flags & SPOC_MOCK_FAULT_DONE) != 0) {
            now.record.done = *done = now.told()->told.done;
        }
        return now.status();
    }
    operation work;
    if (!now.is_alive(*stream, "stream") || !now.is_alive(*launch->kernel, "kernel") ||
        !on_stream.holds(now) || !takes(now, launch->flags, SPOC_BE_WAIT, launch->ext) ||
        !tell_late_failure(now, stream) || !prepare(now, stream->device, *launch, work)) {
        return now.status();
    }
    if (now.told()) {
        work.late_status = now.told()->told.status;
    }
    const bool complete =
        (launch->flags & SPOC_BE_WAIT) != 0 || !now.offers(SPOC_BE_CAP_LAUNCH_ENQUEUED);
    work.submitted = !now.offers(SPOC_BE_CAP_STREAM_DEFERRED);
    if (enqueue(now, stream, std::move(work), complete)) {
        const bool pending = !now.quiet() && !has_run(stream, now.all.sequence);
        say_done(now, stream, complete, pending, true, done);
    }
    if (complete && now.status() == SPOC_BE_OK) {
        tell_late_failure(now, stream);
    }
    return now.status();
}

}  // namespace spoc::mock
