// SPDX-License-Identifier: Apache-2.0

/// \file
/// `spoc_device_self_test`: each step uses the plugin's table as the library does and checks every
/// byte.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <spoc/device.h>
#include <spoc/native.h>

#include "device.hpp"
#include "session.hpp"
#include "stream.hpp"
#include "text.hpp"

using namespace spoc::detail;

namespace {

/// Odd on purpose: not a multiple of anything.
constexpr std::uint64_t test_bytes = 65537;
constexpr std::uint32_t words = 4096;
constexpr std::uint64_t word_bytes = std::uint64_t{words} * sizeof(std::uint32_t);

/// How a step ended: empty text is success.
struct verdict {
    std::uint32_t outcome = SPOC_STEP_PASSED;
    std::string message;
};

verdict failed(std::string message) { return {SPOC_STEP_FAILED, std::move(message)}; }
verdict skipped(std::string message) { return {SPOC_STEP_SKIPPED, std::move(message)}; }
bool passed(const verdict& v) { return v.outcome == SPOC_STEP_PASSED; }

verdict judge(std::string_view entry, std::int32_t status, const plugin_error& error) {
    return status == SPOC_BE_OK
               ? verdict{}
               : failed(say(entry, " fails with status ", status, ": ", field_text(error.message)));
}

/// Returns from the enclosing function unless the step so far has passed.
#define SPOC_STEP(expression)                                   \
    do {                                                        \
        if (verdict stepped = (expression); !passed(stepped)) { \
            return stepped;                                     \
        }                                                       \
    } while (false)

std::vector<std::byte> pattern(std::uint64_t bytes, unsigned seed) {
    std::vector<std::byte> data(bytes);
    for (std::size_t i = 0; i < data.size(); ++i) {
        data[i] = static_cast<std::byte>((i * 131 + i / 251 + seed) & 0xFFU);
    }
    return data;
}

verdict compare(const std::vector<std::byte>& wanted, const std::vector<std::byte>& got) {
    const auto [want, have] = std::mismatch(wanted.begin(), wanted.end(), got.begin());
    if (want == wanted.end()) {
        return {};
    }
    return failed(say("Byte ", want - wanted.begin(), " is ", std::to_integer<unsigned>(*have),
                      " where ", std::to_integer<unsigned>(*want), " was written."));
}

/// A buffer of the plugin's, destroyed at the end of its scope.
class test_buffer {
 public:
    test_buffer(spoc_device_s& device, std::uint64_t bytes) : device_(device) {
        spoc_be_buffer_desc desc{};
        desc.size = sizeof desc;
        desc.bytes = bytes;
        spoc_be_buffer_result result{};
        result.size = sizeof result;
        plugin_error error;
        made_ = judge("buffer_create",
                      device.table().buffer_create(device.handle(), &desc, &result, &error), error);
        handle_ = result.buffer;
    }
    ~test_buffer() {
        if (passed(made_)) {
            static_cast<void>(device_.table().buffer_destroy(handle_, nullptr));
        }
    }
    test_buffer(const test_buffer&) = delete;
    test_buffer& operator=(const test_buffer&) = delete;
    const verdict& made() const noexcept { return made_; }
    spoc_be_buffer handle() const noexcept { return handle_; }

 private:
    spoc_device_s& device_;
    spoc_be_buffer handle_ = nullptr;
    verdict made_;
};

/// Page-locked memory of the plugin's, freed at the end of its scope; none where the device offers
/// none.
class test_pinned {
 public:
    test_pinned(spoc_device_s& device, std::uint64_t bytes) : device_(device) {
        if (!device.offers(SPOC_BE_CAP_PINNED)) {
            return;
        }
        spoc_be_hostmem_desc desc{};
        desc.size = sizeof desc;
        desc.bytes = bytes;
        result_.size = sizeof result_;
        plugin_error error;
        made_ = judge("pinned_alloc",
                      device.table().pinned_alloc(device.handle(), &desc, &result_, &error), error);
    }
    ~test_pinned() {
        if (result_.hostmem != nullptr) {
            static_cast<void>(device_.table().pinned_free(result_.hostmem, nullptr));
        }
    }
    test_pinned(const test_pinned&) = delete;
    test_pinned& operator=(const test_pinned&) = delete;
    const verdict& made() const noexcept { return made_; }
    const spoc_be_hostmem_result& get() const noexcept { return result_; }

 private:
    spoc_device_s& device_;
    spoc_be_hostmem_result result_{};
    verdict made_;
};

/// A stream of the plugin's, destroyed at the end of its scope.
class test_stream {
 public:
    explicit test_stream(spoc_device_s& device) : device_(device) {
        spoc_be_stream_desc desc{};
        desc.size = sizeof desc;
        desc.flags = SPOC_BE_STREAM_NON_BLOCKING;
        plugin_error error;
        made_ =
            judge("stream_create",
                  device.table().stream_create(device.handle(), &desc, &handle_, &error), error);
    }
    ~test_stream() {
        if (handle_ != nullptr) {
            static_cast<void>(device_.table().stream_sync(handle_, SPOC_BE_FOREVER, nullptr));
            static_cast<void>(device_.table().stream_destroy(handle_, nullptr));
        }
    }
    test_stream(const test_stream&) = delete;
    test_stream& operator=(const test_stream&) = delete;
    const verdict& made() const noexcept { return made_; }
    spoc_be_stream handle() const noexcept { return handle_; }

 private:
    spoc_device_s& device_;
    spoc_be_stream handle_ = nullptr;
    verdict made_;
};

verdict copy(spoc_device_s& device, spoc_be_stream stream, std::uint32_t kind,
             const spoc_be_range& range, std::uint32_t flags) {
    spoc_be_copy request{};
    request.size = sizeof request;
    request.kind = kind;
    request.flags = flags;
    request.count = 1;
    request.ranges = &range;
    std::uint32_t done = 0;
    plugin_error error;
    return judge("copy", device.table().copy(stream, &request, &done, &error), error);
}

/// Host memory of one step: page-locked where the device has it, since some devices reach no other.
class host_block {
 public:
    host_block(spoc_device_s& device, std::uint64_t bytes)
        : pinned_(device, bytes), plain_(pinned_.get().host == nullptr ? bytes : 0) {}
    const verdict& made() const noexcept { return pinned_.made(); }
    std::byte* data() noexcept {
        return plain_.empty() ? static_cast<std::byte*>(pinned_.get().host) : plain_.data();
    }
    spoc_be_hostmem hostmem() const noexcept { return pinned_.get().hostmem; }

 private:
    test_pinned pinned_;
    std::vector<std::byte> plain_;
};

verdict transfer(spoc_device_s& device, std::uint32_t kind, spoc_be_buffer buffer,
                 std::uint64_t offset, host_block& host, std::uint64_t bytes) {
    spoc_be_range range{};
    (kind == SPOC_BE_COPY_H2D ? range.dst : range.src) = buffer;
    (kind == SPOC_BE_COPY_H2D ? range.dst_offset : range.src_offset) = offset;
    range.host = host.data();
    range.hostmem = host.hostmem();
    range.bytes = bytes;
    const auto held = device.default_queue()->hold();
    return copy(device, device.default_stream(), kind, range, SPOC_BE_WAIT);
}

verdict upload(spoc_device_s& device, spoc_be_buffer buffer, std::uint64_t offset,
               const std::vector<std::byte>& data) {
    host_block host(device, data.size());
    SPOC_STEP(host.made());
    std::copy(data.begin(), data.end(), host.data());
    return transfer(device, SPOC_BE_COPY_H2D, buffer, offset, host, data.size());
}

verdict expect(spoc_device_s& device, spoc_be_buffer buffer, std::uint64_t offset,
               const std::vector<std::byte>& wanted) {
    host_block host(device, wanted.size());
    SPOC_STEP(host.made());
    std::fill_n(host.data(), wanted.size(), std::byte{0xA5});
    SPOC_STEP(transfer(device, SPOC_BE_COPY_D2H, buffer, offset, host, wanted.size()));
    return compare(wanted, {host.data(), host.data() + wanted.size()});
}

verdict allocate(spoc_device_s& device) { return test_buffer(device, test_bytes).made(); }

verdict allocate_pinned(spoc_device_s& device) {
    if (!device.offers(SPOC_BE_CAP_PINNED)) {
        return skipped("The device has no page-locked memory.");
    }
    const test_pinned memory(device, test_bytes);
    SPOC_STEP(memory.made());
    std::memset(memory.get().host, 0x5A, test_bytes);
    const bool aligned = reinterpret_cast<std::uintptr_t>(memory.get().host) % 4096 == 0;
    return aligned && memory.get().bytes >= test_bytes
               ? verdict{}
               : failed("The memory is not page-aligned or too short.");
}

/// Up and down again, unaligned, between guards that must stay as they were.
verdict copy_both_ways(spoc_device_s& device) {
    const test_buffer buffer(device, test_bytes);
    SPOC_STEP(buffer.made());
    std::vector<std::byte> whole = pattern(test_bytes, 1);
    const std::vector<std::byte> part = pattern(test_bytes / 2, 77);
    constexpr std::uint64_t offset = 4099;
    SPOC_STEP(upload(device, buffer.handle(), 0, whole));
    SPOC_STEP(upload(device, buffer.handle(), offset, part));
    std::copy(part.begin(), part.end(), whole.begin() + offset);
    SPOC_STEP(expect(device, buffer.handle(), 0, whole));
    return expect(device, buffer.handle(), offset, part);
}

verdict copy_on_device(spoc_device_s& device) {
    const test_buffer source(device, test_bytes);
    const test_buffer destination(device, test_bytes);
    SPOC_STEP(source.made());
    SPOC_STEP(destination.made());
    const std::vector<std::byte> data = pattern(test_bytes, 3);
    SPOC_STEP(upload(device, source.handle(), 0, data));
    spoc_be_range range{};
    range.src = source.handle();
    range.src_offset = 1;
    range.dst = destination.handle();
    range.dst_offset = 3;
    range.bytes = test_bytes - 3;
    {
        const auto held = device.default_queue()->hold();
        SPOC_STEP(copy(device, device.default_stream(), SPOC_BE_COPY_D2D, range, SPOC_BE_WAIT));
    }
    return expect(device, destination.handle(), 3, {data.begin() + 1, data.end() - 2});
}

verdict fill_stream(spoc_device_s& device, spoc_be_stream stream, spoc_be_buffer buffer,
                    std::uint32_t value, std::uint32_t flags) {
    spoc_be_fill request{};
    request.size = sizeof request;
    request.flags = flags;
    request.buffer = buffer;
    request.bytes = word_bytes;
    request.pattern = value;
    request.pattern_size = sizeof value;
    std::uint32_t done = 0;
    plugin_error error;
    return judge("fill", device.table().fill(stream, &request, &done, &error), error);
}

std::vector<std::byte> repeated(std::uint32_t value) {
    std::vector<std::byte> data(word_bytes);
    for (std::uint64_t i = 0; i < words; ++i) {
        std::memcpy(data.data() + i * sizeof value, &value, sizeof value);
    }
    return data;
}

verdict fill(spoc_device_s& device) {
    const test_buffer buffer(device, word_bytes);
    SPOC_STEP(buffer.made());
    constexpr std::uint32_t value = 0x01C0FFEE;
    {
        const auto held = device.default_queue()->hold();
        SPOC_STEP(
            fill_stream(device, device.default_stream(), buffer.handle(), value, SPOC_BE_WAIT));
    }
    return expect(device, buffer.handle(), 0, repeated(value));
}

/// One stream writes and records an event; another waits for it and copies what was written.
verdict order_by_event(spoc_device_s& device, const test_buffer& first, const test_buffer& second,
                       spoc_be_event event) {
    const test_stream writer(device);
    const test_stream reader(device);
    SPOC_STEP(writer.made());
    SPOC_STEP(reader.made());
    const spoc_be_table& table = device.table();
    constexpr std::uint32_t value = 0x0B5E55ED;
    plugin_error error;
    SPOC_STEP(fill_stream(device, writer.handle(), first.handle(), value, 0));
    SPOC_STEP(judge("event_record", table.event_record(event, writer.handle(), &error), error));
    SPOC_STEP(judge("stream_wait", table.stream_wait(reader.handle(), event, &error), error));
    spoc_be_range range{};
    range.src = first.handle();
    range.dst = second.handle();
    range.bytes = word_bytes;
    SPOC_STEP(copy(device, reader.handle(), SPOC_BE_COPY_D2D, range, 0));
    SPOC_STEP(
        judge("stream_sync", table.stream_sync(reader.handle(), SPOC_BE_FOREVER, &error), error));
    SPOC_STEP(judge("event_query", table.event_query(event, &error), error));
    return expect(device, second.handle(), 0, repeated(value));
}

verdict event_order(spoc_device_s& device) {
    const test_buffer first(device, word_bytes);
    const test_buffer second(device, word_bytes);
    SPOC_STEP(first.made());
    SPOC_STEP(second.made());
    spoc_be_event event = nullptr;
    plugin_error error;
    SPOC_STEP(judge("event_create", device.table().event_create(device.handle(), 0, &event, &error),
                    error));
    verdict result = order_by_event(device, first, second, event);
    static_cast<void>(device.table().event_destroy(event, nullptr));
    return result;
}

/// The test kernel of the native backend: adds a number to each word, one block a run of words.
void add_words(const spoc_native_block* block, void* const* args) {
    auto* data = static_cast<std::uint32_t*>(args[0]);
    const std::uint32_t number = *static_cast<const std::uint32_t*>(args[1]);
    const std::uint64_t first = std::uint64_t{block->index[0]} * block->block[0];
    for (std::uint64_t i = first; i < std::min<std::uint64_t>(words, first + block->block[0]);
         ++i) {
        data[i] += number;
    }
}

constexpr spoc_be_param add_param(std::uint32_t index, std::uint32_t kind, std::uint32_t access,
                                  std::uint64_t least_bytes) {
    spoc_be_param param{};
    param.index = index;
    param.kind = kind;
    param.access = access;
    param.element = SPOC_BE_ELEMENT_I32;
    param.bytes = sizeof(std::uint32_t);
    param.set = param.binding = param.offset = SPOC_BE_UNKNOWN_32;
    param.min_bytes = least_bytes;
    return param;
}

constexpr spoc_be_param add_params[] = {
    add_param(0, SPOC_BE_PARAM_BUFFER, SPOC_BE_ACCESS_READ_WRITE, word_bytes),
    add_param(1, SPOC_BE_PARAM_SCALAR, SPOC_BE_ACCESS_READ, 0),
};
constexpr spoc_native_kernel add_kernel = {SPOC_NATIVE_KERNEL_MAGIC, sizeof(spoc_native_kernel), 2,
                                           add_params, add_words};
constexpr const char* add_name = "spoc_self_test_add";

verdict offer_native_kernel(spoc_device_s& device) {
    const void* found = nullptr;
    plugin_error error;
    SPOC_STEP(judge("get_interface",
                    device.table().get_interface(SPOC_NATIVE_KERNELS_INTERFACE,
                                                 sizeof(spoc_native_kernels), &found, &error),
                    error));
    return judge("native.kernels add",
                 static_cast<const spoc_native_kernels*>(found)->add(add_name, &add_kernel, &error),
                 error);
}

verdict launch_kernel(spoc_device_s& device, spoc_be_kernel kernel) {
    const test_buffer buffer(device, word_bytes);
    SPOC_STEP(buffer.made());
    SPOC_STEP(upload(device, buffer.handle(), 0, repeated(1000)));
    const std::uint32_t number = 234;
    std::array<spoc_be_arg, 2> args{};
    args[0].kind = SPOC_BE_PARAM_BUFFER;
    args[0].access = SPOC_BE_ACCESS_READ_WRITE;
    args[0].buffer = buffer.handle();
    args[1].index = 1;
    args[1].kind = SPOC_BE_PARAM_SCALAR;
    args[1].data = &number;
    args[1].bytes = sizeof number;
    spoc_be_launch request{};
    request.size = sizeof request;
    request.flags = SPOC_BE_WAIT;
    request.kernel = kernel;
    std::fill(std::begin(request.grid), std::end(request.grid), 1U);
    std::fill(std::begin(request.block), std::end(request.block), 1U);
    request.block[0] = 64;
    request.grid[0] = words / request.block[0];
    request.arg_count = args.size();
    request.args = args.data();
    std::uint32_t done = 0;
    plugin_error error;
    {
        const auto held = device.default_queue()->hold();
        SPOC_STEP(judge("launch",
                        device.table().launch(device.default_stream(), &request, &done, &error),
                        error));
    }
    return expect(device, buffer.handle(), 0, repeated(1000 + number));
}

verdict launch_from(spoc_device_s& device, spoc_be_program program) {
    spoc_be_kernel_desc desc{};
    desc.size = sizeof desc;
    desc.name = add_name;
    spoc_be_kernel kernel = nullptr;
    plugin_error error;
    SPOC_STEP(
        judge("kernel_get", device.table().kernel_get(program, &desc, &kernel, &error), error));
    verdict result = launch_kernel(device, kernel);
    static_cast<void>(device.table().kernel_destroy(kernel, nullptr));
    return result;
}

verdict launch(spoc_device_s& device) {
    constexpr std::uint64_t native_symbol = std::uint64_t{1} << SPOC_BE_FORMAT_NATIVE_SYMBOL;
    if (device.table().launch == nullptr) {
        return skipped("The backend launches no kernels.");
    }
    if ((device.info().formats & native_symbol) == 0) {
        return skipped("This version has no test kernel in a format that the device takes.");
    }
    SPOC_STEP(offer_native_kernel(device));
    spoc_be_program_desc desc{};
    desc.size = sizeof desc;
    desc.format = native_symbol;
    desc.name = "self-test";
    spoc_be_program program = nullptr;
    plugin_error error;
    SPOC_STEP(judge("program_load",
                    device.table().program_load(device.handle(), &desc, &program, &error), error));
    verdict result = launch_from(device, program);
    static_cast<void>(device.table().program_destroy(program, nullptr));
    return result;
}

struct step {
    const char* name;
    verdict (*run)(spoc_device_s& device);
};

constexpr step steps[] = {
    {"allocate", allocate},   {"allocate_pinned", allocate_pinned},
    {"copy", copy_both_ways}, {"copy_on_device", copy_on_device},
    {"fill", fill},           {"event_order", event_order},
    {"launch", launch},
};

void write_step(spoc_self_test_step& out, const char* name, const verdict& result) {
    out = {};
    out.outcome = result.outcome;
    copy_text(out.name, name);
    copy_text(out.message, result.message);
}

/// Runs every step, then a second round: what is still held after it beyond the first round's end
/// is a leak. The first round may leave caches behind.
std::vector<spoc_self_test_step> run_steps(spoc_device_s& device) {
    std::vector<spoc_self_test_step> results;
    for (const step& one : steps) {
        write_step(results.emplace_back(), one.name, one.run(device));
    }
    const std::uint64_t before = device.owner().live_blocks();
    for (const step& one : steps) {
        static_cast<void>(one.run(device));
    }
    const std::uint64_t after = device.owner().live_blocks();
    write_step(results.emplace_back(), "free_all",
               after <= before
                   ? verdict{}
                   : failed(say("The plugin holds ", after - before, " blocks more than before.")));
    return results;
}

}  // namespace

spoc_status spoc_device_self_test(spoc_device device, spoc_self_test_step* out_steps,
                                  uint32_t capacity, uint32_t* out_count,
                                  spoc_error* error) noexcept {
    return boundary("spoc_device_self_test", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(device, "device"));
        SPOC_TRY(require_pointer(out_count, "out_count"));
        SPOC_TRY(require_pointer_for(capacity, out_steps, "out_steps"));
        SPOC_TRY(call.enter());
        SPOC_TRY(device->open());
        const std::vector<spoc_self_test_step> results = run_steps(*device);
        std::copy_n(results.begin(), std::min<std::size_t>(capacity, results.size()), out_steps);
        *out_count = static_cast<std::uint32_t>(results.size());
        return {};
    });
}
