// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <vector>

#include "cases.hpp"
#include "check.hpp"
#include "device.hpp"
#include "launch_trials.hpp"

/// \file
/// Buffers of the device's own memory: sizes, contents that stay apart, limits and exhaustion.

namespace spoc::conformance {
namespace {

/// Sizes around the ones at which allocators change their ways.
/// Around what pages and caches are, as far as the device makes buffers so large.
std::vector<std::uint64_t> sizes_for(const device& dev) {
    std::vector<std::uint64_t> sizes{1,  2,   3,   7,    15,   16,   63,    64,
                                     65, 255, 256, 4095, 4096, 4097, 65537, 1048577};
    for (std::uint64_t& bytes : sizes) {
        bytes = std::min(bytes, dev.info.max_alloc);
    }
    return sizes;
}

/// The first offset that 32 bits cannot hold.
constexpr std::uint64_t far_away = std::uint64_t{1} << 32;

/// What the entry answers to a wish, without the wrapper's expectation that it is granted.
std::int32_t try_to_make(device& dev, spoc_be_buffer_desc desc, spoc_be_buffer_result& made,
                         spoc_be_error& error) {
    desc.size = sizeof desc;
    made = sized<spoc_be_buffer_result>();
    error = sized<spoc_be_error>();
    return dev.be.buffer_create(dev.handle, &desc, &made, &error);
}

void expect_nothing_made(const spoc_be_buffer_result& made, const char* when) {
    require(made.buffer == nullptr && made.host_address == nullptr && made.device_address == 0 &&
                made.allocated == 0,
            "buffer_create failed ", when, " and wrote into its result.");
}

void every_size_holds_its_bytes(device& dev) {
    for (const std::uint64_t bytes : sizes_for(dev)) {
        const byte_vector contents = pattern(bytes, bytes);
        const spoc_be_buffer made = dev.buffer(contents);
        expect_bytes(contents, dev.download(made, 0, bytes), text("A buffer of ", bytes, " bytes"));
    }
}

void live_buffers_do_not_overlap(device& dev) {
    const std::vector<std::uint64_t> sizes = sizes_for(dev);
    std::vector<spoc_be_buffer> made;
    made.reserve(sizes.size());
    for (const std::uint64_t bytes : sizes) {
        made.push_back(dev.buffer(bytes));
    }
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        dev.upload(made[i], 0, pattern(sizes[i], i));
    }
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        expect_bytes(pattern(sizes[i], i), dev.download(made[i], 0, sizes[i]),
                     text("Buffer ", i, " after all others were written"));
    }
}

void handles_differ(device& dev) {
    std::set<spoc_be_buffer> seen;
    for (int i = 0; i < 500; ++i) {
        const spoc_be_buffer made = dev.buffer(std::uint64_t{16});
        require(seen.insert(made).second, "Two live buffers have the same handle.");
    }
}

/// Whether the device's memory is the host's, which a test neither exhausts nor fills.
bool uses_host_memory(const device& dev) {
    return dev.can(SPOC_BE_CAP_SHARED_MEMORY) || dev.info.kind == SPOC_BE_KIND_CPU;
}

/// More in all than the device has, so that it works only if each buffer is given back. Of the
/// host's memory only as much as shows what a leak of every buffer would do to the free memory.
void destroyed_memory_comes_back(device& dev) {
    const std::uint64_t bytes = dev.large_size(std::uint64_t{64} << 20);
    const bool is_bounded = dev.info.memory_total != SPOC_BE_UNKNOWN_64 && !uses_host_memory(dev);
    const std::uint64_t rounds =
        is_bounded ? std::min<std::uint64_t>(dev.info.memory_total / bytes + 16, 4096) : 32;
    for (std::uint64_t i = 0; i < rounds; ++i) {
        dev.destroy(dev.buffer(bytes));
    }
    const std::int64_t kept = dev.owner.services.live_blocks();
    dev.destroy(dev.buffer(bytes));
    require(dev.owner.services.live_blocks() == kept,
            "A buffer that was made and destroyed left a block of the host's memory behind.");
}

void many_small_buffers(device& dev) {
    std::vector<spoc_be_buffer> made;
    for (std::uint64_t i = 0; i < 5000; ++i) {
        made.push_back(dev.buffer(std::uint64_t{24}));
    }
    for (std::uint64_t i = 0; i < made.size(); i += 97) {
        dev.upload(made[i], 0, pattern(24, i));
    }
    for (std::uint64_t i = 0; i < made.size(); i += 97) {
        expect_bytes(pattern(24, i), dev.download(made[i], 0, 24), text("Small buffer ", i));
    }
}

/// Offsets that 32 bits cannot hold, as each entry is given them.
void fill_far_away(device& dev, spoc_be_buffer buffer, std::uint64_t place) {
    const byte_vector near = dev.download(buffer, place - far_away, 64);
    dev.fill(dev.default_stream, buffer, place, 64, 0x5A, 1, SPOC_BE_WAIT);
    expect_bytes(byte_vector(64, std::byte{0x5A}), dev.download(buffer, place, 64),
                 text("64 bytes at offset ", place, " after a fill there"));
    expect_bytes(near, dev.download(buffer, place - far_away, 64),
                 text("64 bytes at offset ", place - far_away, " after a fill 4 GiB behind them"));
}

void copy_far_away(device& dev, spoc_be_buffer buffer, std::uint64_t place) {
    const byte_vector contents = pattern(64, 7);
    const spoc_be_buffer small = dev.buffer(contents);
    const spoc_be_range there = between(small, 0, buffer, place, 64);
    dev.copy(dev.default_stream, SPOC_BE_COPY_D2D, {&there, 1}, SPOC_BE_WAIT);
    expect_bytes(contents, dev.download(buffer, place, 64),
                 text("64 bytes at offset ", place, " after a copy within the device"));
    const spoc_be_buffer other = dev.buffer(64);
    const spoc_be_range back = between(buffer, place, other, 0, 64);
    dev.copy(dev.default_stream, SPOC_BE_COPY_D2D, {&back, 1}, SPOC_BE_WAIT);
    expect_bytes(contents, dev.download(other, 0, 64),
                 text("What a copy within the device took from offset ", place));
}

/// Whether a kernel of the suite's can be shown a place in a buffer.
bool shows_places(const device& dev, std::uint64_t place) {
    const std::uint32_t step = dev.info.arg_offset_align;
    const auto& forms = program_forms();
    return dev.can(SPOC_BE_CAP_ARG_OFFSET) && dev.be.launch != nullptr &&
           step != SPOC_BE_UNKNOWN_32 && place % step == 0 &&
           std::any_of(forms.begin(), forms.end(), [&dev](const program_form& form) {
               return takes(dev, form) && has(form, known_kernel::scale);
           });
}

void launch_far_away(device& dev, spoc_be_buffer buffer, std::uint64_t place) {
    constexpr std::uint32_t words = 16;
    if (!shows_places(dev, place)) {
        return;
    }
    const ready_kernel scale = kernel_of(dev, known_kernel::scale);
    const byte_vector contents = pattern(words * word_bytes, 8);
    dev.upload(buffer, place, contents);
    const spoc_be_buffer out = dev.buffer(contents.size());
    const std::uint32_t factor = 3;
    launch_request request(scale, {scale.blocks(words), 1, 1});
    request.shows(buffer, SPOC_BE_ACCESS_READ, place, contents.size())
        .shows(out, SPOC_BE_ACCESS_WRITE)
        .takes(factor)
        .takes(words);
    request.run(dev, dev.default_stream, SPOC_BE_WAIT);
    expect_bytes(scaled(contents, factor), dev.download(out, 0, contents.size()),
                 text("What a kernel made of the words at offset ", place, " of a buffer"));
}

/// Both ends and the middle of the largest buffer that is sure to fit.
void large_buffer(device& dev) {
    const std::uint64_t bytes = dev.large_size((std::uint64_t{4} << 30) + 4099);
    if (bytes <= std::uint64_t{4} << 30) {
        skip("A buffer above 4 GiB does not fit here; ", bytes, " bytes would.");
    }
    const spoc_be_buffer made = dev.buffer(bytes);
    const std::array<std::uint64_t, 4> places{0, (std::uint64_t{1} << 31) - 5,
                                              (std::uint64_t{1} << 32) - 5, bytes - 11};
    for (std::size_t i = 0; i < places.size(); ++i) {
        dev.upload(made, places[i], pattern(11, i));
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
        expect_bytes(pattern(11, i), dev.download(made, places[i], 11),
                     text("11 bytes at offset ", places[i], " of a buffer of ", bytes, " bytes"));
    }
    fill_far_away(dev, made, far_away + 2048);
    copy_far_away(dev, made, far_away + 1024);
    launch_far_away(dev, made, far_away);
}

/// Whether a refusal for lack of room is one of those that the contract has.
bool is_refusal_of_size(std::int32_t status) {
    return status == SPOC_BE_OUT_OF_MEMORY || status == SPOC_BE_TOO_LARGE;
}

/// A buffer larger than the whole device. The host never asks above `max_alloc`, so this is only
/// asked where the limit allows it.
void more_than_there_is(device& dev) {
    const std::uint64_t total = dev.info.memory_total;
    if (total == SPOC_BE_UNKNOWN_64 || dev.info.max_alloc <= total) {
        skip("The device's largest buffer is not above its memory, so the host refuses more.");
    }
    spoc_be_buffer_desc desc{};
    desc.bytes = dev.info.max_alloc >= SPOC_BE_NO_LIMIT ? total * 2 : dev.info.max_alloc;
    spoc_be_buffer_result made{};
    spoc_be_error error{};
    const std::int32_t status = try_to_make(dev, desc, made, error);
    require(is_refusal_of_size(status), "A buffer of ", desc.bytes, " bytes on a device of ", total,
            " was answered with ", status_text(status), ".");
    expect_nothing_made(made, "for lack of memory");
}

/// Buffers until the device has no more: the refusal is OUT_OF_MEMORY, and what was made before
/// is whole.
void until_nothing_is_left(device& dev) {
    const std::uint64_t total = dev.info.memory_total;
    constexpr std::uint64_t most = std::uint64_t{4096};
    if (total == SPOC_BE_UNKNOWN_64 || uses_host_memory(dev)) {
        skip("The device's memory is the host's, which a test does not exhaust.");
    }
    spoc_be_buffer_desc desc{};
    desc.bytes = std::min(dev.info.max_alloc, std::max(total / 16, std::uint64_t{1} << 20));
    std::vector<spoc_be_buffer> all;
    spoc_be_buffer_result made{};
    spoc_be_error error{};
    std::int32_t status = SPOC_BE_OK;
    while (all.size() < most && (status = try_to_make(dev, desc, made, error)) == SPOC_BE_OK) {
        all.push_back(made.buffer);
        dev.upload(made.buffer, desc.bytes - 16, pattern(16, all.size()));
    }
    expect_status(SPOC_BE_OUT_OF_MEMORY, status, "buffer_create on a full device", error);
    expect_nothing_made(made, "on a full device");
    for (std::size_t i = 0; i < all.size(); ++i) {
        expect_bytes(pattern(16, i + 1), dev.download(all[i], desc.bytes - 16, 16),
                     text("Buffer ", i, " of a full device"));
        expect_status(SPOC_BE_OK, dev.be.buffer_destroy(all[i], nullptr), "buffer_destroy",
                      sized<spoc_be_error>());
    }
    dev.buffer(desc.bytes);
}

/// A device whose memory is the host's refuses what no machine has, and goes on.
void absurd_size_is_refused(device& dev) {
    spoc_be_buffer_desc desc{};
    desc.bytes = std::uint64_t{1} << 60;
    if (desc.bytes > dev.info.max_alloc) {
        skip("The device's largest buffer is ", dev.info.max_alloc,
             " bytes, so the host refuses more.");
    }
    spoc_be_buffer_result made{};
    spoc_be_error error{};
    const std::int32_t status = try_to_make(dev, desc, made, error);
    require(is_refusal_of_size(status), "A buffer of 2^60 bytes was answered with ",
            status_text(status), ".");
    expect_nothing_made(made, "for its size");
    every_size_holds_its_bytes(dev);
}

void allocated_is_at_least_what_was_asked(device& dev) {
    for (const std::uint64_t bytes : sizes_for(dev)) {
        const spoc_be_buffer_result made = dev.make_buffer(SPOC_BE_BUFFER_DEVICE, bytes);
        require(made.allocated >= bytes, "A buffer of ", bytes, " bytes took ", made.allocated,
                " bytes of the device.");
        require(made.host_address == nullptr,
                "A buffer of the device's own memory has an address for the host.");
    }
}

void addresses_are_apart(device& dev) {
    dev.need(SPOC_BE_CAP_BUFFER_ADDRESS);
    struct span_of_device {
        std::uint64_t begin;
        std::uint64_t end;
    };
    std::vector<span_of_device> spans;
    for (const std::uint64_t bytes : sizes_for(dev)) {
        const spoc_be_buffer_result made = dev.make_buffer(SPOC_BE_BUFFER_DEVICE, bytes);
        require(made.device_address != 0, "A buffer of ", bytes, " bytes has the address 0.");
        spans.push_back({made.device_address, made.device_address + bytes});
    }
    std::sort(spans.begin(), spans.end(),
              [](const auto& a, const auto& b) { return a.begin < b.begin; });
    for (std::size_t i = 1; i < spans.size(); ++i) {
        require(spans[i - 1].end <= spans[i].begin,
                "Two live buffers overlap in the device's "
                "addresses.");
    }
}

/// Memory of a destroyed buffer whose copies are pending: they must end in it, not in another's.
void destroyed_while_copies_are_pending(device& dev) {
    constexpr std::uint64_t bytes = std::uint64_t{1} << 20;
    const spoc_be_stream stream = dev.stream();
    const byte_vector contents = pattern(bytes, 1);
    const spoc_be_buffer source = dev.buffer(contents);
    const spoc_be_buffer target = dev.buffer(bytes);
    for (int round = 0; round < 50; ++round) {
        const spoc_be_buffer middle = dev.buffer(bytes);
        const spoc_be_range in = between(source, 0, middle, 0, bytes);
        const spoc_be_range out = between(middle, 0, target, 0, bytes);
        dev.copy(stream, SPOC_BE_COPY_D2D, {&in, 1});
        dev.copy(stream, SPOC_BE_COPY_D2D, {&out, 1});
        dev.destroy(middle);
        // The next round's buffer may get the same memory and is filled with something else.
        dev.fill(dev.default_stream, dev.buffer(bytes), 0, bytes, 0xEEEEEEEEU, 4, SPOC_BE_WAIT);
    }
    dev.sync(stream);
    expect_bytes(contents, dev.download(target, 0, bytes),
                 "What went through a buffer that was destroyed meanwhile");
}

void memory_info_follows(device& dev) {
    dev.need(SPOC_BE_CAP_MEMORY_FREE);
    auto before = sized<spoc_be_memory_info>();
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, dev.be.device_memory(dev.handle, &before, &error), "device_memory",
                  error);
    require(before.free <= before.total, "The device says ", before.free, " bytes are free of ",
            before.total, ".");
    require(before.total == dev.info.memory_total || dev.info.memory_total == SPOC_BE_UNKNOWN_64,
            "device_memory says the device has ", before.total, " bytes, device_info says ",
            dev.info.memory_total, ".");
}

}  // namespace

void add_buffer_cases(case_list& cases) {
    const struct {
        const char* name;
        void (*run)(device&);
    } all[] = {
        {"every_size_holds_its_bytes", every_size_holds_its_bytes},
        {"live_buffers_do_not_overlap", live_buffers_do_not_overlap},
        {"handles_differ", handles_differ},
        {"destroyed_memory_comes_back", destroyed_memory_comes_back},
        {"many_small_buffers", many_small_buffers},
        {"more_than_there_is", more_than_there_is},
        {"until_nothing_is_left", until_nothing_is_left},
        {"absurd_size_is_refused", absurd_size_is_refused},
        {"allocated_is_at_least_what_was_asked", allocated_is_at_least_what_was_asked},
        {"addresses_are_apart", addresses_are_apart},
        {"destroyed_while_copies_are_pending", destroyed_while_copies_are_pending},
        {"memory_info_follows", memory_info_follows},
    };
    for (const auto& each : all) {
        cases.push_back(on_device(std::string("buffer/") + each.name, each.run));
    }
    cases.push_back(on_device("buffer/large_buffer", large_buffer));
    cases.back().patience = 10;
}

}  // namespace spoc::conformance
