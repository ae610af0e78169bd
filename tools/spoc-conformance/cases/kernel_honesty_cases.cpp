// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <spoc/backend.h>

#include "capability_row.hpp"
#include "cases.hpp"
#include "check.hpp"
#include "device.hpp"
#include "kernels.hpp"
#include "launch_request.hpp"
#include "launch_trials.hpp"
#include "program_trials.hpp"

/// \file
/// One case for each capability of programs and kernels. Where the suite has no kernel for a yes in
/// a format that the device takes, the case says so.

namespace spoc::conformance {
namespace {

/* ---- launches ---- */

void try_enqueued(device& dev) { try_row(dev, 64); }

/// One kernel in blocks that no two drivers round alike.
void try_free_block(device& dev) {
    const ready_kernel scale = kernel_of(dev, known_kernel::scale, {1, 1, 1});
    if (kernel_info(dev, scale.handle).fixed_block[0] != 0) {
        skip("The kernel's block is fixed by its program.");
    }
    const std::uint32_t most = std::min(dev.info.max_block_threads, dev.info.max_block[0]);
    for (const std::uint32_t threads : {7U, 64U, 1U, 33U}) {
        if (threads <= most) {
            try_block_size(dev, scale, threads);
        }
    }
}

void try_dynamic_shared(device& dev) { try_block_memory(dev, known_kernel::mirror_shared, 3); }

void try_local_args(device& dev) { try_block_memory(dev, known_kernel::mirror_local, 3); }

void try_arg_offset(device& dev) { try_offsets(dev, kernel_of(dev, known_kernel::scale), 1, 2); }

/// The kernel reads and writes memory that it was told of by address alone.
void try_raw_pointer(device& dev) {
    const ready_kernel through = kernel_of(dev, known_kernel::through_address);
    const std::uint32_t count = 2 * through.threads();
    const byte_vector contents = pattern(count * word_bytes, 1);
    const auto made = dev.make_buffer(SPOC_BE_BUFFER_DEVICE, contents.size());
    require(made.device_address != 0,
            "The device takes raw addresses, and a buffer has no device address.");
    dev.upload(made.buffer, 0, contents);
    const spoc_be_buffer out = dev.buffer(contents.size());
    launch_request request(through, {2, 1, 1});
    request.shows(out, SPOC_BE_ACCESS_WRITE).takes(made.device_address);
    request.run(dev, dev.default_stream, SPOC_BE_WAIT);
    expect_bytes(contents, dev.download(out, 0, contents.size()),
                 "What a kernel read at an address that it was given");
    std::vector<std::uint32_t> numbers(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        numbers[i] = i;
    }
    expect_bytes(bytes_of(numbers), dev.download(made.buffer, 0, contents.size()),
                 "What a kernel wrote at an address that it was given");
}

/* ---- programs ---- */

/// Kernels of one program with other constants are other kernels.
void try_constants(device& dev) {
    const kernel_set kernels = kernel_set::with(dev, known_kernel::constants);
    const program_form& form = kernels.form();
    const spoc_be_program program = load_program(dev, form, known_kernel::constants);
    const spoc_be_buffer out = dev.buffer(2 * word_bytes);
    for (const std::uint32_t first : {40000U, 7U}) {
        const std::array constants{spoc_be_constant{1, 4, first},
                                   spoc_be_constant{2, 4, 0x89ABCDEF}};
        const spoc_be_kernel kernel = get_kernel(dev, program, form, known_kernel::constants,
                                                 block_to_say(dev, form), constants);
        launch_request request(with_own_block(dev, kernel), {1, 1, 1});
        request.shows(out, SPOC_BE_ACCESS_WRITE);
        request.run(dev, dev.default_stream, SPOC_BE_WAIT);
        expect_bytes(bytes_of(std::vector<std::uint32_t>{first, 0x89ABCDEF}),
                     dev.download(out, 0, 2 * word_bytes),
                     "The constants 1 and 2 that a kernel was made with");
        destroy(dev, kernel);
    }
    destroy(dev, program);
}

void expect_arity(device& dev, const program_form& form, known_kernel kernel) {
    const spoc_be_program program = load_program(dev, form, kernel);
    const spoc_be_kernel got = get_undeclared(dev, program, form, kernel);
    const spoc_be_kernel_info info = kernel_info(dev, got);
    const std::size_t wanted = declared_params(kernel).size();
    require(info.reflection >= SPOC_BE_REFLECTION_ARITY,
            "The device offers reflection, and kernel_info says that nothing is known of \"",
            name_of(kernel), "\" in the form ", form.name, ".");
    const std::uint32_t whole = read_params(dev, got, nullptr, 0);
    require(info.param_count == wanted && whole == wanted, "kernel_info says ", info.param_count,
            " parameters, kernel_params ", whole, ", and the kernel \"", name_of(kernel), "\" has ",
            wanted, ".");
    destroy(dev, got);
    destroy(dev, program);
}

/// Nobody declares anything, in any form that the device takes.
void try_reflection(device& dev) {
    bool is_tried = false;
    for (const program_form& form : program_forms()) {
        for (const known_kernel kernel :
             {known_kernel::scale, known_kernel::spin, known_kernel::who, known_kernel::wide}) {
            if (takes(dev, form) && has(form, kernel)) {
                expect_arity(dev, form, kernel);
                is_tried = true;
            }
        }
    }
    if (!is_tried) {
        skip("The suite has no kernels in a format that the device takes.");
    }
}

void try_binary(device& dev) {
    const kernel_set kernels = kernel_set::with(dev, known_kernel::scale);
    const spoc_be_program source = load_program(dev, kernels.form(), known_kernel::scale);
    const std::string binary = whole_binary(dev, source);
    destroy(dev, source);
    const spoc_be_program again = load_binary(dev, binary);
    const spoc_be_kernel kernel = get_scale(dev, again, kernels.form());
    try_scale(dev, kernel, 11);
    destroy(dev, kernel);
    destroy(dev, again);
}

/* ---- what kernels compute with ---- */

/// Runs a kernel with parameters (in, out) in several blocks. `in` and `wanted` say what each
/// thread is given and what it is to make of that.
template <typename Value>
void try_scaling(device& dev, known_kernel kernel, Value (*in)(std::uint32_t),
                 Value (*wanted)(std::uint32_t)) {
    constexpr std::uint32_t blocks = 5;
    const ready_kernel scale = kernel_of(dev, kernel);
    std::vector<Value> given(blocks * scale.threads());
    std::vector<Value> results(given.size());
    for (std::uint32_t i = 0; i < given.size(); ++i) {
        given[i] = in(i);
        results[i] = wanted(i);
    }
    const spoc_be_buffer source = dev.buffer(bytes_of(given));
    const std::uint64_t bytes = given.size() * sizeof(Value);
    const spoc_be_buffer target = dev.buffer(bytes);
    launch_request request(scale, {blocks, 1, 1});
    request.shows(source, SPOC_BE_ACCESS_READ).shows(target, SPOC_BE_ACCESS_WRITE);
    request.run(dev, dev.default_stream, SPOC_BE_WAIT);
    expect_bytes(bytes_of(results), dev.download(target, 0, bytes),
                 text("What the kernel \"", name_of(kernel), "\" wrote"));
}

/// More digits than a 32-bit float has, and all results exact.
double long_number(std::uint32_t i) { return 0x1p40 + i + 0.125; }

void try_fp64(device& dev) {
    try_scaling<double>(dev, known_kernel::scale_fp64, long_number,
                        [](std::uint32_t i) { return long_number(i) * 1.5 + i; });
}

/// The 16-bit float of so many quarters, which are 1 to 2047.
std::uint32_t half_of(std::uint32_t quarters) {
    std::uint32_t exponent = 0;
    while (quarters >> (exponent + 1) != 0) {
        ++exponent;
    }
    constexpr std::uint32_t bias = 15;
    return (exponent + bias - 2) << 10U | (quarters << (10 - exponent) & 0x3FFU);
}

std::uint32_t pair_of(std::uint32_t low, std::uint32_t high) {
    return half_of(low) | half_of(high) << 16U;
}

void try_fp16(device& dev) {
    // The numbers 1 to 200 and their doubles: 1.5 times as much and a quarter is exact.
    try_scaling<std::uint32_t>(
        dev, known_kernel::scale_fp16,
        [](std::uint32_t i) { return pair_of(4 * (i % 100 + 1), 8 * (i % 100 + 1)); },
        [](std::uint32_t i) { return pair_of(6 * (i % 100 + 1) + 1, 12 * (i % 100 + 1) + 1); });
}

/// Nothing in it can be left out without another product.
std::uint64_t wide_number(std::uint32_t i) { return 0x0123456789ABCDEF + i * 0x100000001ULL; }

void try_int64(device& dev) {
    try_scaling<std::uint64_t>(dev, known_kernel::scale_int64, wide_number, [](std::uint32_t i) {
        return wide_number(i) * 0x9E3779B97F4A7C15 + i;
    });
}

/// Every thread draws a number from one counter, and no two may get the same.
template <typename Word>
void try_tickets(device& dev, known_kernel kernel, Word first) {
    constexpr std::uint32_t blocks = 256;
    const ready_kernel tickets = kernel_of(dev, kernel);
    const std::uint32_t threads = blocks * tickets.threads();
    const spoc_be_buffer total = dev.buffer(bytes_of(std::vector<Word>{first}));
    const spoc_be_buffer drawn = dev.buffer(threads * sizeof(Word));
    launch_request request(tickets, {blocks, 1, 1});
    request.shows(total, SPOC_BE_ACCESS_READ_WRITE).shows(drawn, SPOC_BE_ACCESS_WRITE);
    request.run(dev, dev.default_stream, SPOC_BE_WAIT);
    const Word left = values_of<Word>(dev.download(total, 0, sizeof(Word))).front();
    require(left == first + threads, threads, " threads that each add 1 to ", first, " left ", left,
            ".");
    std::vector<Word> numbers = values_of<Word>(dev.download(drawn, 0, threads * sizeof(Word)));
    std::sort(numbers.begin(), numbers.end());
    for (std::uint32_t i = 0; i < threads; ++i) {
        require(numbers[i] == first + i, "The sums that ", threads,
                " threads found as each added 1 to ", first, " lack ", first + i, ".");
    }
}

void try_atomics32(device& dev) { try_tickets<std::uint32_t>(dev, known_kernel::tickets32, 1000); }

/// On the way the lower half of the counter overflows.
void try_atomics64(device& dev) {
    try_tickets<std::uint64_t>(dev, known_kernel::tickets64, 0xFFFFFF80);
}

/// What one thread of `subgroup_sum` writes.
struct place {
    std::uint32_t subgroup;  // its number in the block
    std::uint32_t lane;
    std::uint32_t count;  // sum of 1 over the subgroup
    std::uint32_t sum;    // of the threads' numbers in the block, likewise
};

/// What the threads of one subgroup make of it.
struct members {
    std::vector<std::uint32_t> lanes;
    std::uint32_t sum = 0;
};

/// The members by the subgroup's number. Fails when two of them have the same lane.
std::map<std::uint32_t, members> gather(const std::vector<place>& block) {
    std::map<std::uint32_t, members> all;
    for (std::uint32_t i = 0; i < block.size(); ++i) {
        members& own = all[block[i].subgroup];
        own.lanes.push_back(block[i].lane);
        own.sum += i;
    }
    for (auto& [number, one] : all) {
        std::sort(one.lanes.begin(), one.lanes.end());
        require(std::adjacent_find(one.lanes.begin(), one.lanes.end()) == one.lanes.end(),
                "Two threads of subgroup ", number, " have the same place in it.");
    }
    return all;
}

/// How threads are spread over subgroups is the device's affair; that the threads of each agree on
/// what they get from each other is not.
void check_subgroups(const std::vector<place>& block) {
    const std::map<std::uint32_t, members> all = gather(block);
    for (std::uint32_t i = 0; i < block.size(); ++i) {
        const members& own = all.at(block[i].subgroup);
        require(block[i].count == own.lanes.size(), "Thread ", i, " counts ", block[i].count,
                " threads in its subgroup of ", own.lanes.size(), ".");
        require(block[i].sum == own.sum, "Thread ", i, " gets a sum of ", block[i].sum,
                " over its subgroup, whose threads' numbers add up to ", own.sum, ".");
    }
}

void try_subgroups(device& dev) {
    constexpr std::uint32_t blocks = 2;
    const ready_kernel kernel = kernel_of(dev, known_kernel::subgroup_sum);
    const std::uint64_t block_bytes = kernel.threads() * sizeof(place);
    const spoc_be_buffer out = dev.buffer(blocks * block_bytes);
    launch_request request(kernel, {blocks, 1, 1});
    request.shows(out, SPOC_BE_ACCESS_WRITE);
    request.run(dev, dev.default_stream, SPOC_BE_WAIT);
    for (std::uint32_t block = 0; block < blocks; ++block) {
        check_subgroups(values_of<place>(dev.download(out, block * block_bytes, block_bytes)));
    }
}

/* ---- the capabilities ---- */

constexpr capability_row rows[] = {
    {SPOC_BE_CAP_LAUNCH_ENQUEUED, NEEDS(launch), try_enqueued, nullptr, nullptr},
    {SPOC_BE_CAP_FREE_BLOCK, NEEDS_NONE, try_free_block, nullptr, nullptr},
    {SPOC_BE_CAP_SPEC_CONSTANTS, NEEDS_NONE, try_constants, nullptr, nullptr},
    {SPOC_BE_CAP_DYNAMIC_SHARED, NEEDS_NONE, try_dynamic_shared, nullptr, nullptr},
    {SPOC_BE_CAP_LOCAL_ARGS, NEEDS_NONE, try_local_args, nullptr, nullptr},
    {SPOC_BE_CAP_RAW_POINTER_ARGS, NEEDS_NONE, try_raw_pointer, nullptr, nullptr},
    {SPOC_BE_CAP_ARG_OFFSET, NEEDS_NONE, try_arg_offset, nullptr, nullptr},
    {SPOC_BE_CAP_REFLECTION, NEEDS(kernel_params), try_reflection, nullptr, nullptr},
    {SPOC_BE_CAP_PROGRAM_BINARY, NEEDS(program_binary), try_binary, nullptr, nullptr},
    {SPOC_BE_CAP_FP64, NEEDS_NONE, try_fp64, nullptr, nullptr},
    {SPOC_BE_CAP_FP16, NEEDS_NONE, try_fp16, nullptr, nullptr},
    {SPOC_BE_CAP_INT64, NEEDS_NONE, try_int64, nullptr, nullptr},
    {SPOC_BE_CAP_ATOMICS32, NEEDS_NONE, try_atomics32, nullptr, nullptr},
    {SPOC_BE_CAP_ATOMICS64, NEEDS_NONE, try_atomics64, nullptr, nullptr},
    {SPOC_BE_CAP_SUBGROUPS, NEEDS_NONE, try_subgroups, nullptr, nullptr},
};

/* ---- what goes with several capabilities ---- */

bool takes_format(const device& dev, std::uint32_t format) {
    return (dev.info.formats >> format & 1) != 0;
}

void binary_goes_with_its_format(device& dev) {
    require(dev.can(SPOC_BE_CAP_PROGRAM_BINARY) == takes_format(dev, SPOC_BE_FORMAT_DRIVER_BINARY),
            "The device says ", dev.can(SPOC_BE_CAP_PROGRAM_BINARY) ? "yes" : "no",
            " to PROGRAM_BINARY and ",
            takes_format(dev, SPOC_BE_FORMAT_DRIVER_BINARY) ? "takes" : "does not take",
            " the format DRIVER_BINARY.");
}

void formats_go_with_programs(device& dev) {
    require(dev.info.formats == 0 || dev.be.program_load != nullptr,
            "The device takes program formats, and the table has no program_load.");
    require(dev.info.formats != 0 || !dev.can(SPOC_BE_CAP_LAUNCH_ENQUEUED),
            "The device enqueues launches and takes no format of programs.");
}

void format_not_offered(device& dev) {
    if (dev.be.program_load == nullptr) {
        skip("The backend loads no programs.");
    }
    constexpr std::array bytes{'n', 'o', 'n', 'e'};
    for (std::uint32_t format = 0; format <= SPOC_BE_FORMAT_DRIVER_BINARY; ++format) {
        if (takes_format(dev, format)) {
            continue;
        }
        auto desc = sized<spoc_be_program_desc>();
        desc.format = std::uint64_t{1} << format;
        desc.data = bytes.data();
        desc.bytes = bytes.size();
        spoc_be_program made = nullptr;
        auto error = sized<spoc_be_error>();
        const std::int32_t status = dev.be.program_load(dev.handle, &desc, &made, &error);
        require(status == SPOC_BE_FORMAT || status == SPOC_BE_UNSUPPORTED, "program_load answered ",
                status_text(status), " to format ", format,
                ", which the device does not take; it is to answer FORMAT or UNSUPPORTED.");
        expect_status(status, status, "program_load", error);
        require(made == nullptr, "program_load failed and wrote to its answer.");
    }
}

}  // namespace

void add_kernel_honesty_cases(case_list& cases) {
    for (const capability_row& row : rows) {
        cases.push_back(honesty_case(row));
    }
    cases.push_back(on_device("honesty/binary_and_its_format", binary_goes_with_its_format));
    cases.push_back(on_device("honesty/formats_and_programs", formats_go_with_programs));
    cases.push_back(on_device("honesty/format_not_offered", format_not_offered));
}

}  // namespace spoc::conformance
