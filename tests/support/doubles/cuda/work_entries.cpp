// SPDX-License-Identifier: Apache-2.0
//
// Streams, events, copies, fills and launches.
#include <algorithm>
#include <cstring>

#include "call.hpp"
#include "module.hpp"

using namespace cuda_double;
using spoc::driver::address;
using spoc::driver::function;
using spoc::driver::module;

namespace {

bool is_legacy(const CUstream_st* stream) {
    return stream == nullptr || stream == api::legacy_stream();
}

/// What a piece of work on the stream has to wait for, beside the stream itself.
std::vector<mark_pointer> ordered_after(CUctx_st& context, const CUstream_st* stream) {
    std::vector<mark_pointer> after;
    if (is_legacy(stream)) {
        const std::lock_guard lock(machine::the().mutex());
        for (const CUstream_st* one : context.streams) {
            if (one->blocking) {
                after.push_back(engine::the().newest(*one->work));
            }
        }
    } else if (stream->blocking) {
        after.push_back(engine::the().newest(*stream->context->legacy));
    }
    after.erase(std::remove(after.begin(), after.end(), nullptr), after.end());
    return after;
}

queue& queue_of(CUctx_st& context, CUstream_st* stream) {
    return is_legacy(stream) ? *context.legacy : *stream->work;
}

mark_pointer enqueue(CUctx_st& context, CUstream_st* stream, std::function<void()> run) {
    return engine::the().add(queue_of(context, stream), ordered_after(context, stream),
                             std::move(run));
}

bool is_device_memory(address start, std::size_t bytes) {
    address begin = 0;
    const allocation* found = machine::the().find(start, bytes, begin);
    return found != nullptr &&
           (found->what == allocation::kind::device || found->what == allocation::kind::managed);
}

bool is_page_locked(const void* start, std::size_t bytes) {
    address begin = 0;
    const allocation* found = machine::the().find(reinterpret_cast<address>(start), bytes, begin);
    return found != nullptr &&
           (found->what == allocation::kind::host || found->what == allocation::kind::registered);
}

/// Whether the range lies in one registration or page-locked block, or touches none.
bool is_undivided(const void* start, std::size_t bytes) {
    return is_page_locked(start, bytes) ||
           (!is_page_locked(start, 1) &&
            !is_page_locked(static_cast<const char*>(start) + bytes - 1, 1));
}

void* at(address where) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the double's device addresses are the host's
    return reinterpret_cast<void*>(where);
}

result copy_between(CUctx_st& context, address to, address from, std::size_t bytes,
                    CUstream_st* stream) {
    if (!is_device_memory(to, bytes) || !is_device_memory(from, bytes)) {
        return api::invalid_value;
    }
    enqueue(context, stream, [=] { std::memmove(at(to), at(from), bytes); });
    return api::success;
}

template <typename Value>
result set(CUctx_st& context, address to, Value value, std::size_t count, CUstream_st* stream) {
    if (to % sizeof value != 0 || !is_device_memory(to, count * sizeof value)) {
        return api::invalid_value;
    }
    enqueue(context, stream, [=] {
        for (std::size_t i = 0; i < count; ++i) {
            std::memcpy(static_cast<char*>(at(to)) + i * sizeof value, &value, sizeof value);
        }
    });
    return api::success;
}

}  // namespace

extern "C" {

result cuStreamCreateWithPriority(CUstream_st** out, unsigned flags, int /*priority*/) {
    SPOC_ENTER(stream_create);
    auto* made = new CUstream_st{context, (flags & api::stream_non_blocking) == 0};
    engine::the().add_queue(made->work);
    machine::the().object_made();
    const std::lock_guard lock(machine::the().mutex());
    context->streams.push_back(made);
    *out = made;
    return api::success;
}

result cuStreamDestroy_v2(CUstream_st* stream) {
    SPOC_ENTER(stream_destroy);
    {
        const std::lock_guard lock(machine::the().mutex());
        auto& streams = stream->context->streams;
        const auto found = std::find(streams.begin(), streams.end(), stream);
        if (found == streams.end()) {
            return api::invalid_handle;
        }
        streams.erase(found);
    }
    machine::the().object_ended();
    delete stream;  // the engine keeps what is left of its work
    return api::success;
}

result cuStreamQuery(CUstream_st* stream) {
    SPOC_ENTER(stream_query);
    return engine::the().is_reached(engine::the().newest(queue_of(*context, stream)))
               ? context->sticky.load()
               : api::not_ready;
}

result cuStreamSynchronize(CUstream_st* stream) {
    SPOC_ENTER(stream_synchronize);
    engine::the().wait(engine::the().newest(queue_of(*context, stream)));
    return context->sticky.load();
}

result cuStreamWaitEvent(CUstream_st* stream, CUevent_st* event, unsigned /*flags*/) {
    SPOC_ENTER(stream_wait);
    if (!event->recorded) {
        return api::success;
    }
    std::vector<mark_pointer> after = ordered_after(*context, stream);
    if (event->point != nullptr) {
        after.push_back(event->point);
    }
    engine::the().add(queue_of(*context, stream), std::move(after), [] {});
    return api::success;
}

result cuEventCreate(CUevent_st** out, unsigned flags) {
    SPOC_ENTER(event_create);
    *out = new CUevent_st{context, (flags & api::event_disable_timing) == 0, false, nullptr};
    {
        const std::lock_guard lock(machine::the().mutex());
        context->events.insert(*out);
    }
    machine::the().object_made();
    return api::success;
}

result cuEventDestroy_v2(CUevent_st* event) {
    SPOC_ENTER(event_destroy);
    {
        const std::lock_guard lock(machine::the().mutex());
        event->context->events.erase(event);
    }
    machine::the().object_ended();
    delete event;
    return api::success;
}

result cuEventRecord(CUevent_st* event, CUstream_st* stream) {
    SPOC_ENTER(event_record);
    const CUctx_st* owner = is_legacy(stream) ? context : stream->context;
    if (event->context != owner) {
        return api::invalid_handle;
    }
    event->point = enqueue(*context, stream, [] {});
    event->recorded = true;
    return api::success;
}

result cuEventQuery(CUevent_st* event) {
    SPOC_ENTER(event_query);
    return !event->recorded || engine::the().is_reached(event->point) ? api::success
                                                                      : api::not_ready;
}

result cuEventSynchronize(CUevent_st* event) {
    SPOC_ENTER(event_synchronize);
    if (event->recorded) {
        engine::the().wait(event->point);
    }
    return context->sticky.load();
}

result cuEventElapsedTime(float* milliseconds, CUevent_st* start, CUevent_st* stop) {
    SPOC_ENTER(event_elapsed);
    if (!start->timed || !stop->timed || !start->recorded || !stop->recorded) {
        return api::invalid_handle;
    }
    if (!engine::the().is_reached(start->point) || !engine::the().is_reached(stop->point)) {
        return api::not_ready;
    }
    *milliseconds =
        static_cast<float>(static_cast<double>(stop->point->at - start->point->at) / 1e6);
    return api::success;
}

result cuMemcpyHtoDAsync_v2(address to, const void* from, std::size_t bytes, CUstream_st* stream) {
    SPOC_ENTER(copy_to_device);
    if (!is_device_memory(to, bytes) || !is_undivided(from, bytes)) {
        return api::invalid_value;
    }
    if (is_page_locked(from, bytes)) {
        enqueue(*context, stream, [=] { std::memcpy(at(to), from, bytes); });
        return api::success;
    }
    // Ordinary memory goes through memory of the driver's own: it may change once the call returns.
    auto staged = std::make_shared<std::vector<char>>(bytes);
    std::memcpy(staged->data(), from, bytes);
    enqueue(*context, stream, [=] { std::memcpy(at(to), staged->data(), bytes); });
    return api::success;
}

result cuMemcpyDtoHAsync_v2(void* to, address from, std::size_t bytes, CUstream_st* stream) {
    SPOC_ENTER(copy_to_host);
    if (!is_device_memory(from, bytes) || !is_undivided(to, bytes)) {
        return api::invalid_value;
    }
    const mark_pointer done = enqueue(*context, stream, [=] { std::memcpy(to, at(from), bytes); });
    if (!is_page_locked(to, bytes)) {
        engine::the().wait(done);
    }
    return api::success;
}

result cuMemcpyDtoDAsync_v2(address to, address from, std::size_t bytes, CUstream_st* stream) {
    SPOC_ENTER(copy_on_device);
    return copy_between(*context, to, from, bytes, stream);
}

result cuMemcpyPeerAsync(address to, CUctx_st* /*to_context*/, address from,
                         CUctx_st* /*from_context*/, std::size_t bytes, CUstream_st* stream) {
    SPOC_ENTER(copy_peer);
    return copy_between(*context, to, from, bytes, stream);
}

result cuMemsetD8Async(address to, unsigned char value, std::size_t count, CUstream_st* stream) {
    SPOC_ENTER(set_8);
    return set(*context, to, value, count, stream);
}

result cuMemsetD16Async(address to, unsigned short value, std::size_t count, CUstream_st* stream) {
    SPOC_ENTER(set_16);
    return set(*context, to, value, count, stream);
}

result cuMemsetD32Async(address to, unsigned value, std::size_t count, CUstream_st* stream) {
    SPOC_ENTER(set_32);
    return set(*context, to, value, count, stream);
}

result cuLaunchKernel(CUfunc_st* launched, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                      unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                      CUstream_st* stream, void** parameters, void** /*extra*/) {
    SPOC_ENTER(launch);
    constexpr std::uint64_t most_threads = 1024;
    const std::uint64_t threads = std::uint64_t{block_x} * block_y * block_z;
    if (threads == 0 || threads > most_threads || grid_x == 0 || grid_y == 0 || grid_z == 0 ||
        shared_bytes > static_cast<unsigned>(launched->shared_allowed.load())) {
        return api::invalid_value;
    }
    std::vector<std::vector<std::byte>> arguments;
    for (std::size_t i = 0; i < launched->parameters.size(); ++i) {
        const auto* bytes = static_cast<const std::byte*>(parameters[i]);
        arguments.emplace_back(bytes, bytes + launched->parameters[i]);
    }
    const spoc_native_kernel* native = launched->native;
    if (native == nullptr) {
        return api::not_supported;
    }
    enqueue(*context, stream, [=, arguments = std::move(arguments)] {
        run_kernel(*native, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes,
                   arguments);
    });
    return api::success;
}

}  // extern "C"
