// SPDX-License-Identifier: Apache-2.0
#include "recorder.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

/// 15 characters in the place of a name; a test writes another over it in its copy of the file.
#define RECORDER_NAME "recorder_name_x"

namespace spoc::test {
namespace {

/// What an entry that only one thread may be in notices: a second thread.
class solo {
 public:
    explicit solo(const char* what) : what_(what) {}
    bool enter() { return !busy_.exchange(true); }
    void leave() { busy_.store(false); }
    const char* what() const { return what_; }

 private:
    const char* what_;
    std::atomic<bool> busy_{false};
};

}  // namespace
}  // namespace spoc::test

using spoc::test::fault;
using spoc::test::recorded_call;
using spoc::test::recorder;
using spoc::test::solo;

struct spoc_be_stream_s {
    spoc_be_device device = nullptr;
    solo use{"two threads use one stream at once"};
    std::uint64_t uses = 0;          ///< not atomic on purpose: ThreadSanitizer watches it
    std::atomic<int> unfinished{0};  ///< several threads may wait for one stream
};

struct spoc_be_device_s {
    std::uint32_t index = 0;
    spoc_be_stream_s default_stream;
    std::atomic<int> alive{0};  ///< objects made on it
};

struct spoc_be_buffer_s {
    spoc_be_device device;
    std::vector<std::byte> bytes;
};

struct spoc_be_hostmem_s {
    spoc_be_device device;
    std::unique_ptr<std::byte, void (*)(void*)> block;
    std::uint64_t bytes;
};

struct spoc_be_event_s {
    spoc_be_device device;
};

namespace {

recorder& state() {
    static recorder instance;
    static const bool prepared = [] {
        spoc_be_device_info info{};
        info.size = sizeof info;
        info.kind = SPOC_BE_KIND_DISCRETE;
        std::strcpy(info.name, "Recorder");
        std::strcpy(info.framework, "Recorder/Test");
        for (std::uint64_t& word : info.caps_known) {
            word = ~std::uint64_t{0};
        }
        info.memory_total = std::uint64_t{8} << 30;
        info.max_alloc = std::uint64_t{1} << 30;
        info.pageable_max = SPOC_BE_NO_LIMIT;
#ifndef RECORDER_BARE
        spoc::test::set_capability(info, SPOC_BE_CAP_PINNED, true);
        spoc::test::set_capability(info, SPOC_BE_CAP_PEER_COPY, true);
#endif
        instance.devices.push_back(info);
        instance.report.device_count = SPOC_BE_UNKNOWN_32;
        return true;
    }();
    static_cast<void>(prepared);
    return instance;
}

std::vector<std::unique_ptr<spoc_be_device_s>>& devices() {
    static std::vector<std::unique_ptr<spoc_be_device_s>> instance;
    return instance;
}

solo& lifecycle() {
    static solo instance("two calls of class I at once");
    return instance;
}

/// Holds a solo for the length of a scope.
class occupied {
 public:
    explicit occupied(solo& what) : what_(what), alone_(what.enter()) {
        if (!alone_) {
            state().breach(what.what());
        }
    }
    ~occupied() {
        if (alone_) {
            what_.leave();
        }
    }
    occupied(const occupied&) = delete;
    occupied& operator=(const occupied&) = delete;

 private:
    solo& what_;
    bool alone_;
};

/// Writes as much of `record` as the caller has room for, which its own size says.
template <typename Record>
void deliver(Record* out, Record record) {
    record.size = out->size;
    std::memcpy(out, &record, std::min<std::size_t>(out->size, sizeof record));
}

std::int32_t fail(const fault& told, spoc_be_error* error) {
    if (error != nullptr) {
        spoc_be_error record{};
        record.status = told.status;
        record.reason = told.reason;
        record.native_code = told.native_code;
        record.asked = told.asked;
        record.limit = told.limit;
        std::strcpy(record.native_domain, "RecorderResult");
        std::strncpy(record.origin, std::string(told.entry).c_str(), sizeof record.origin - 1);
        std::strncpy(record.message, told.message.c_str(), sizeof record.message - 1);
        deliver(error, record);
    }
    return told.status;
}

/// What every entry begins with. A negative status is the entry's answer.
std::int32_t begin(const recorded_call& call, spoc_be_error* error) {
    recorder& self = state();
    if (self.recording.load(std::memory_order_relaxed)) {
        self.record(call);
    }
    if (self.hook) {
        self.hook(call.entry);
    }
    fault told;
    if (self.recording.load(std::memory_order_relaxed) && self.take_fault(call.entry, told)) {
        return fail(told, error);
    }
    return SPOC_BE_OK;
}

std::int32_t begin(const char* entry, spoc_be_error* error) {
    recorded_call call;
    call.entry = entry;
    return begin(call, error);
}

#define BEGIN(what, error)                                            \
    do {                                                              \
        if (const std::int32_t told = begin(what, error); told < 0) { \
            return told;                                              \
        }                                                             \
    } while (false)

std::int32_t probe(const spoc_be_host*, std::uint32_t level, spoc_be_probe_report* report,
                   spoc_be_error* error) {
    const occupied one(lifecycle());
    if (level != SPOC_BE_PROBE_PASSIVE) {
        state().held = true;
    }
    BEGIN(level == SPOC_BE_PROBE_PASSIVE ? "probe" : "probe_enumerate", error);
    spoc_be_probe_report found = state().report;
    found.level = level;
    deliver(report, found);
    if (found.reason == SPOC_BE_REASON_NONE) {
        return SPOC_BE_OK;
    }
    fault told;
    told.status = SPOC_BE_UNAVAILABLE;
    told.reason = found.reason;
    return fail(told, error);
}

std::int32_t open(const spoc_be_host*, const spoc_be_ext*, spoc_be_error* error) {
    const occupied one(lifecycle());
    state().held = true;
    BEGIN("open", error);
    state().open = true;
    return SPOC_BE_OK;
}

std::int32_t close(spoc_be_error* error) {
    const occupied one(lifecycle());
    const std::int32_t told = begin("close", error);
    if (!state().held.exchange(false)) {
        state().breach("close of what was never tried to be opened");
    }
    state().open = false;
    if (state().opened != 0) {
        state().breach("close before every device was closed");
    }
    return told;
}

void quiesce(std::uint32_t) {}

std::int32_t get_interface(const char* name, std::uint32_t min_size, const void** out,
                           spoc_be_error* error) {
    if (std::strcmp(name, spoc::test::recorder_interface) == 0 && min_size <= sizeof(recorder)) {
        *out = &state();
        return SPOC_BE_OK;
    }
    fault told;
    told.status = SPOC_BE_UNSUPPORTED;
    return fail(told, error);
}

std::int32_t device_count(std::uint32_t* count, spoc_be_error* error) {
    BEGIN("device_count", error);
    *count = static_cast<std::uint32_t>(state().devices.size());
    return SPOC_BE_OK;
}

std::int32_t device_info(std::uint32_t index, spoc_be_device_info* info, spoc_be_error* error) {
    BEGIN("device_info", error);
    spoc_be_device_info found = state().devices.at(index);
    found.index = index;
    deliver(info, found);
    return SPOC_BE_OK;
}

std::int32_t device_open(std::uint32_t index, const spoc_be_device_desc*,
                         spoc_be_device_result* result, spoc_be_error* error) {
    const occupied one(lifecycle());
    BEGIN("device_open", error);
    for (const auto& opened : devices()) {
        if (opened->index == index) {
            state().breach("a device is opened twice");
        }
    }
    auto& device = devices().emplace_back(std::make_unique<spoc_be_device_s>());
    device->index = index;
    device->default_stream.device = device.get();
    ++state().opened;
    spoc_be_device_result made{};
    made.device = device.get();
    made.default_stream = &device->default_stream;
    deliver(result, made);
    return SPOC_BE_OK;
}

std::int32_t device_close(spoc_be_device device, spoc_be_error* error) {
    const std::int32_t told = begin("device_close", error);
    if (device->alive != 0) {
        state().breach("a device is closed before everything on it was destroyed");
    }
    if (device->default_stream.unfinished != 0) {
        state().breach("a device is closed before its work was proved complete");
    }
    std::erase_if(devices(), [device](const auto& one) { return one.get() == device; });
    --state().opened;
    return told;
}

std::int32_t device_memory(spoc_be_device, spoc_be_memory_info* info, spoc_be_error* error) {
    BEGIN("device_memory", error);
    spoc_be_memory_info now{};
    now.total = 8000;
    now.free = 3000;
    now.pinned_budget = SPOC_BE_UNKNOWN_64;
    deliver(info, now);
    return SPOC_BE_OK;
}

std::int32_t buffer_create(spoc_be_device device, const spoc_be_buffer_desc* desc,
                           spoc_be_buffer_result* result, spoc_be_error* error) {
    recorded_call call;
    call.entry = "buffer_create";
    call.bytes = desc->bytes;
    BEGIN(call, error);
    if (desc->bytes == 0 || desc->bytes > state().devices[device->index].max_alloc) {
        state().breach("a buffer of a size that the device does not take is asked for");
    }
    auto buffer = std::make_unique<spoc_be_buffer_s>();
    buffer->device = device;
    buffer->bytes.resize(desc->bytes);
    ++device->alive;
    ++state().buffers;
    spoc_be_buffer_result made{};
    made.allocated = desc->bytes + 7;
    made.device_address = 0x1000;
    made.buffer = buffer.release();
    deliver(result, made);
    return SPOC_BE_OK;
}

std::int32_t buffer_destroy(spoc_be_buffer buffer, spoc_be_error* error) {
    const std::int32_t told = begin("buffer_destroy", error);
    --buffer->device->alive;
    --state().buffers;
    delete buffer;
    return told;
}

#ifndef RECORDER_BARE
std::int32_t cap_reason(std::uint32_t, std::uint32_t, spoc_be_error* error) {
    if (!state().open) {
        state().breach("an entry is called that is only to be called after open");
    }
    BEGIN("cap_reason", error);
    fault told;
    told.message = state().why_not;
    static_cast<void>(fail(told, error));
    return SPOC_BE_OK;
}

std::int32_t pinned_alloc(spoc_be_device device, const spoc_be_hostmem_desc* desc,
                          spoc_be_hostmem_result* result, spoc_be_error* error) {
    recorded_call call;
    call.entry = "pinned_alloc";
    call.bytes = desc->bytes;
    BEGIN(call, error);
    const std::uint64_t bytes = std::min(desc->bytes, state().pinned_bytes);
    if (bytes == 0) {
        return SPOC_BE_OK;
    }
    constexpr std::uint64_t page = 4096;
    auto* block =
        static_cast<std::byte*>(std::aligned_alloc(page, (bytes + page - 1) / page * page));
    auto* made = new spoc_be_hostmem_s{device, {block, std::free}, bytes};
    ++device->alive;
    ++state().hostmems;
    spoc_be_hostmem_result answer{};
    answer.hostmem = made;
    answer.host = block;
    answer.bytes = bytes;
    deliver(result, answer);
    return SPOC_BE_OK;
}

std::int32_t pinned_free(spoc_be_hostmem hostmem, spoc_be_error* error) {
    const std::int32_t told = begin("pinned_free", error);
    --hostmem->device->alive;
    --state().hostmems;
    delete hostmem;
    return told;
}

std::int32_t peer_query(spoc_be_device src, spoc_be_device dst, std::uint32_t* flags,
                        spoc_be_error* error) {
    recorded_call call;
    call.entry = "peer_query";
    call.src_offset = src->index;
    call.dst_offset = dst->index;
    BEGIN(call, error);
    *flags = state().peer;
    return SPOC_BE_OK;
}
#endif

std::int32_t stream_create(spoc_be_device device, const spoc_be_stream_desc*, spoc_be_stream* out,
                           spoc_be_error* error) {
    BEGIN("stream_create", error);
    auto stream = std::make_unique<spoc_be_stream_s>();
    stream->device = device;
    ++device->alive;
    ++state().streams;
    *out = stream.release();
    return SPOC_BE_OK;
}

std::int32_t stream_destroy(spoc_be_stream stream, spoc_be_error* error) {
    const std::int32_t told = begin("stream_destroy", error);
    if (stream->unfinished != 0) {
        state().breach("a stream is destroyed before its work was proved complete");
    }
    --stream->device->alive;
    --state().streams;
    delete stream;
    return told;
}

std::int32_t stream_query(spoc_be_stream, spoc_be_error* error) {
    BEGIN("stream_query", error);
    return SPOC_BE_OK;
}

std::int32_t stream_sync(spoc_be_stream stream, std::uint64_t timeout_ns, spoc_be_error* error) {
    recorded_call call;
    call.entry = "stream_sync";
    call.timeout_ns = timeout_ns;
    const std::int32_t told = begin(call, error);
    state().unfinished -= stream->unfinished.exchange(0);
    return told;
}

std::int32_t stream_wait(spoc_be_stream, spoc_be_event, spoc_be_error* error) {
    BEGIN("stream_wait", error);
    return SPOC_BE_OK;
}

std::int32_t event_create(spoc_be_device device, std::uint32_t, spoc_be_event* out,
                          spoc_be_error* error) {
    BEGIN("event_create", error);
    ++device->alive;
    ++state().events;
    *out = new spoc_be_event_s{device};
    return SPOC_BE_OK;
}

std::int32_t event_destroy(spoc_be_event event, spoc_be_error* error) {
    const std::int32_t told = begin("event_destroy", error);
    --event->device->alive;
    --state().events;
    delete event;
    return told;
}

std::int32_t event_record(spoc_be_event, spoc_be_stream, spoc_be_error* error) {
    BEGIN("event_record", error);
    return SPOC_BE_OK;
}

std::int32_t event_query(spoc_be_event, spoc_be_error* error) {
    BEGIN("event_query", error);
    return SPOC_BE_OK;
}

std::int32_t event_sync(spoc_be_event, std::uint64_t, spoc_be_error* error) {
    BEGIN("event_sync", error);
    return SPOC_BE_OK;
}

/// Bytes `offset` to `offset + bytes` of a buffer, which must be in it and on a device.
std::byte* inside(spoc_be_buffer buffer, std::uint64_t offset, std::uint64_t bytes,
                  spoc_be_device device) {
    if (bytes == 0 || offset > buffer->bytes.size() || bytes > buffer->bytes.size() - offset) {
        state().breach("a range that is empty or beyond its buffer reaches the plugin");
        std::abort();
    }
    if (buffer->device != device) {
        state().breach("a buffer of another device reaches the plugin");
    }
    return buffer->bytes.data() + offset;
}

void check_host(const spoc_be_range& range, spoc_be_device device) {
    const std::uint64_t limit = state().devices[device->index].pageable_max;
    if (range.hostmem == nullptr && range.bytes > limit) {
        state().breach("more ordinary memory than the device takes reaches the plugin");
    }
    if (range.hostmem != nullptr && (range.hostmem->block.get() + range.host_offset != range.host ||
                                     range.host_offset + range.bytes > range.hostmem->bytes)) {
        state().breach("a host range is not where its block says");
    }
}

void copy_range(const spoc_be_copy& copy, const spoc_be_range& range, spoc_be_device device) {
    switch (copy.kind) {
        case SPOC_BE_COPY_H2D:
            check_host(range, device);
            std::memcpy(inside(range.dst, range.dst_offset, range.bytes, device), range.host,
                        range.bytes);
            return;
        case SPOC_BE_COPY_D2H:
            check_host(range, device);
            std::memcpy(range.host, inside(range.src, range.src_offset, range.bytes, device),
                        range.bytes);
            return;
        default:
            // A D2D copy has both ends on one device, a PEER copy has not.
            if ((range.src->device == device) != (copy.kind == SPOC_BE_COPY_D2D)) {
                state().breach("the kind of a copy does not fit its devices");
            }
            std::memmove(inside(range.dst, range.dst_offset, range.bytes, device),
                         inside(range.src, range.src_offset, range.bytes, range.src->device),
                         range.bytes);
    }
}

/// How far a copy or fill says that it is.
void leave_unfinished(spoc_be_stream stream, std::uint32_t* done) {
    *done = state().done;
    if (*done != SPOC_BE_DONE_ALL) {
        ++stream->unfinished;
        ++state().unfinished;
    }
}

std::int32_t copy(spoc_be_stream stream, const spoc_be_copy* copy, std::uint32_t* done,
                  spoc_be_error* error) {
    const occupied one(stream->use);
    ++stream->uses;
    const spoc_be_range& first = copy->ranges[0];
    recorded_call call;
    call.entry = "copy";
    call.kind = copy->kind;
    call.flags = copy->flags;
    call.bytes = first.bytes;
    call.dst_offset = first.dst_offset;
    call.src_offset = first.src_offset;
    call.host = first.host;
    call.pinned = first.hostmem != nullptr;
    const std::int32_t told = begin(call, error);
    leave_unfinished(stream, done);
    for (std::uint32_t i = 0; told >= 0 && i < copy->count; ++i) {
        copy_range(*copy, copy->ranges[i], stream->device);
    }
    return told;
}

std::int32_t fill(spoc_be_stream stream, const spoc_be_fill* fill, std::uint32_t* done,
                  spoc_be_error* error) {
    const occupied one(stream->use);
    ++stream->uses;
    recorded_call call;
    call.entry = "fill";
    call.flags = fill->flags;
    call.bytes = fill->bytes;
    call.dst_offset = fill->offset;
    call.pattern = fill->pattern;
    const std::int32_t told = begin(call, error);
    leave_unfinished(stream, done);
    if (told >= 0) {
        std::byte* place = inside(fill->buffer, fill->offset, fill->bytes, stream->device);
        for (std::uint64_t i = 0; i < fill->bytes; ++i) {
            place[i] = static_cast<std::byte>(fill->pattern >> (8 * (i % fill->pattern_size)));
        }
    }
    return told;
}

}  // namespace

#ifdef RECORDER_BARE
#define OPTIONAL_ENTRY(entry) nullptr
#else
#define OPTIONAL_ENTRY(entry) entry
#endif

SPOC_BE_PLUGIN(RECORDER_NAME, "1") = {
    SPOC_BE_TABLE_HEADER,
    RECORDER_NAME,
    "SPOC",
    "1",
    "",
    {0, 0},
    probe,
    open,
    close,
    quiesce,
    get_interface,
    device_count,
    device_info,
    OPTIONAL_ENTRY(cap_reason),
    device_open,
    device_close,
    device_memory,
    buffer_create,
    buffer_destroy,
    nullptr,  // buffer_wait
    nullptr,  // buffer_host_access
    OPTIONAL_ENTRY(pinned_alloc),
    OPTIONAL_ENTRY(pinned_free),
    nullptr,  // host_register
    nullptr,  // host_unregister
    nullptr,  // host_query
    stream_create,
    stream_destroy,
    nullptr,  // stream_flush
    stream_query,
    stream_sync,
    stream_wait,
    event_create,
    event_destroy,
    event_record,
    event_query,
    event_sync,
    nullptr,  // event_elapsed
    copy,
    fill,
    OPTIONAL_ENTRY(peer_query),
    nullptr,  // program_load
    nullptr,  // program_destroy
    nullptr,  // program_binary
    nullptr,  // kernel_get
    nullptr,  // kernel_info
    nullptr,  // kernel_params
    nullptr,  // kernel_destroy
    nullptr,  // launch
};
