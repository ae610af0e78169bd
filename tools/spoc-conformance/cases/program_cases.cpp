// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "busy_work.hpp"
#include "cases.hpp"
#include "check.hpp"
#include "device.hpp"
#include "kernels.hpp"
#include "launch_request.hpp"
#include "onlooker.hpp"
#include "program_trials.hpp"

/// \file
/// Programs and kernels, in every form that the device takes: what loads, what is refused and how,
/// what the plugin says of a kernel, and how long each thing lives.

namespace spoc::conformance {
namespace {

/// Space for a build log between canaries, and the length that the plugin says.
class build_log {
 public:
    static constexpr std::uint64_t untouched = SPOC_BE_UNKNOWN_64;

    explicit build_log(std::size_t capacity) : space_(capacity) {}

    void give_to(spoc_be_program_desc& desc) {
        desc.log = reinterpret_cast<char*>(space_.data());
        desc.log_capacity = space_.size();
        desc.log_length = &length_;
    }

    /// What was written. Fails unless it ends inside the space and agrees with the length.
    std::string read() {
        space_.expect_intact("The build log");
        require(length_ != untouched, "program_load did not say how long the log is.");
        if (space_.size() == 0) {
            return {};
        }
        const char* first = reinterpret_cast<const char*>(space_.data());
        const char* end = std::find(first, first + space_.size(), '\0');
        require(end != first + space_.size(), "The build log has no NUL inside its capacity of ",
                space_.size(), " bytes.");
        const auto written = static_cast<std::uint64_t>(end - first);
        require(written <= length_, "The build log has ", written, " bytes, and its length says ",
                length_, ".");
        require(length_ >= space_.size() || written == length_, "The build log of ", length_,
                " bytes fits into ", space_.size(), ", and only ", written, " are there.");
        return {first, end};
    }

    std::uint64_t length() const { return length_; }

 private:
    guarded space_;
    std::uint64_t length_ = untouched;
};

void load_and_run(device& dev, const program_form& form) {
    need(dev, form);
    const spoc_be_program program = load_program(dev, form, known_kernel::scale);
    const spoc_be_kernel kernel = get_scale(dev, program, form);
    try_scale(dev, kernel, 5);
    destroy(dev, kernel);
    destroy(dev, program);
}

/// The bytes are read before the call returns, and need no NUL at their end.
void bytes_are_copied(device& dev, const program_form& form) {
    need(dev, form);
    std::string bytes = program_bytes(dev, form, known_kernel::scale);
    std::string beyond = bytes + "#error this does not belong to the program";
    spoc_be_program_desc desc = program_request(form, bytes);
    desc.data = bytes.empty() ? nullptr : beyond.data();
    const spoc_be_program program = expect_load(dev, desc);
    std::fill(beyond.begin(), beyond.end(), '?');
    const spoc_be_kernel kernel = get_scale(dev, program, form);
    try_scale(dev, kernel, 6);
    destroy(dev, kernel);
    destroy(dev, program);
}

/// Names, empty options and a log change nothing; a log is written on success too.
void names_and_log(device& dev, const program_form& form) {
    need(dev, form);
    const std::string bytes = program_bytes(dev, form, known_kernel::scale);
    for (const char* name : {static_cast<const char*>(nullptr), "", "a name with \"quotes\""}) {
        build_log log(4096);
        spoc_be_program_desc desc = program_request(form, bytes);
        desc.name = name;
        desc.options = name == nullptr ? nullptr : "";
        log.give_to(desc);
        const spoc_be_program program = expect_load(dev, desc);
        static_cast<void>(log.read());
        destroy(dev, program);
    }
}

/// What no compiler or driver can take for a program of the form.
std::string garbage_for(const program_form& form) {
    if (form.format == SPOC_BE_FORMAT_NATIVE_SYMBOL) {
        return "/no/such/file/of/kernels.so";
    }
    if (form.is_source) {
        return "This is no program { in any language (;\n";
    }
    const byte_vector noise = pattern(1001, 1);
    return {reinterpret_cast<const char*>(noise.data()), noise.size()};
}

void expect_refusal(const device& dev, const program_form& form, const std::string& bytes,
                    const char* what) {
    spoc_be_program_desc desc = program_request(form, bytes);
    build_log log(16384);
    log.give_to(desc);
    spoc_be_program program = nullptr;
    auto error = sized<spoc_be_error>();
    const std::int32_t status = load(dev, desc, program, error);
    require(status == SPOC_BE_FORMAT || status == SPOC_BE_COMPILE, "program_load answered ",
            status_text(status), " for ", what, ", instead of FORMAT or COMPILE.");
    expect_status(status, status, "program_load", error);
    if (status == SPOC_BE_COMPILE) {
        require(!log.read().empty(), "program_load answered COMPILE for ", what,
                " and wrote an empty log.");
    }
    // Without a log, or with room for none, it is refused the same way.
    desc.log_capacity = 0;
    expect_status(status, load(dev, desc, program, error), "program_load", error);
    desc.log = nullptr;
    desc.log_length = nullptr;
    expect_status(status, load(dev, desc, program, error), "program_load", error);
}

void garbage(device& dev, const program_form& form) {
    if (dev.be.program_load == nullptr || !takes(dev, form)) {
        skip("The device takes no programs in the form ", form.name, ".");
    }
    expect_refusal(dev, form, garbage_for(form), "garbage");
}

/// The first bytes of a good program.
void cut_short(device& dev, const program_form& form) {
    need(dev, form);
    const std::string bytes = program_bytes(dev, form, known_kernel::scale);
    // Two thirds of any of the suite's sources end within a function; an odd number of bytes is
    // never a whole number of SPIR-V words.
    const std::size_t kept = bytes.size() * 2 / 3 | 1U;
    expect_refusal(dev, form, bytes.substr(0, kept), "the first two thirds of a program");
}

/// Source without anything in it is no program, or one without kernels.
void empty_source(device& dev, const program_form& form) {
    need(dev, form);
    const std::string nothing = "\n";
    spoc_be_program program = nullptr;
    auto error = sized<spoc_be_error>();
    const std::int32_t status = load(dev, program_request(form, nothing), program, error);
    if (status != SPOC_BE_OK) {
        require(status == SPOC_BE_FORMAT || status == SPOC_BE_COMPILE, "program_load answered ",
                status_text(status), " for a source with nothing in it.");
        expect_status(status, status, "program_load", error);
        return;
    }
    auto desc = sized<spoc_be_kernel_desc>();
    desc.name = entry_point(form, known_kernel::scale);
    spoc_be_kernel kernel = nullptr;
    expect_status(SPOC_BE_NOT_FOUND, get(dev, program, desc, kernel, error), "kernel_get", error);
    destroy(dev, program);
}

/// A log that does not fit is cut; its length is that of the whole.
void short_log(device& dev, const program_form& form) {
    need(dev, form);
    const std::string bytes = garbage_for(form);
    build_log whole(65536);
    spoc_be_program_desc desc = program_request(form, bytes);
    whole.give_to(desc);
    spoc_be_program program = nullptr;
    auto error = sized<spoc_be_error>();
    if (load(dev, desc, program, error) != SPOC_BE_COMPILE) {
        skip("The plugin refuses garbage in the form ", form.name, " without compiling it.");
    }
    static_cast<void>(whole.read());
    for (const std::size_t capacity : {0U, 1U, 2U, 9U}) {
        build_log cut(capacity);
        cut.give_to(desc);
        expect_status(SPOC_BE_COMPILE, load(dev, desc, program, error), "program_load", error);
        const std::string words = cut.read();
        // Logs of one program may differ in the names of temporary files, so not to the byte.
        require(cut.length() >= std::min<std::uint64_t>(whole.length(), capacity), "The log of ",
                whole.length(), " bytes says a length of ", cut.length(),
                " when it is given room for ", capacity, ".");
        require(words.size() + 1 <= std::max<std::size_t>(capacity, 1), "The log of a capacity of ",
                capacity, " bytes has ", words.size(), " and no room for its NUL.");
    }
}

void refused_options(device& dev, const program_form& form) {
    need(dev, form);
    const std::string bytes = program_bytes(dev, form, known_kernel::scale);
    spoc_be_program_desc desc = program_request(form, bytes);
    desc.options = "--no-compiler-has-this-option";
    spoc_be_program program = nullptr;
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_COMPILE, load(dev, desc, program, error), "program_load", error);
    desc.options = nullptr;
    destroy(dev, expect_load(dev, desc));
}

void kernel_not_found(device& dev, const program_form& form) {
    need(dev, form);
    const spoc_be_program program = load_program(dev, form, known_kernel::scale);
    for (const char* name : {"no_such_kernel", "", "scale2", "Scale"}) {
        auto desc = sized<spoc_be_kernel_desc>();
        desc.name = name;
        spoc_be_kernel kernel = nullptr;
        auto error = sized<spoc_be_error>();
        expect_status(SPOC_BE_NOT_FOUND, get(dev, program, desc, kernel, error), "kernel_get",
                      error);
    }
    const spoc_be_kernel kernel = get_scale(dev, program, form);
    try_scale(dev, kernel, 7);
    destroy(dev, kernel);
    destroy(dev, program);
}

/// Each of two loads of one source is a program of its own.
void two_programs(device& dev, const program_form& form) {
    need(dev, form);
    const spoc_be_program first = load_program(dev, form, known_kernel::scale);
    const spoc_be_program second = load_program(dev, form, known_kernel::scale);
    require(first != second, "program_load gave the same handle for two live programs.");
    const spoc_be_kernel of_first = get_scale(dev, first, form);
    const spoc_be_kernel of_second = get_scale(dev, second, form);
    const spoc_be_kernel again = get_scale(dev, second, form);
    require(of_first != of_second && of_second != again && again != of_first,
            "kernel_get gave the same handle for two live kernels.");
    destroy(dev, of_first);
    destroy(dev, first);
    try_scale(dev, of_second, 8);
    destroy(dev, of_second);
    try_scale(dev, again, 9);
    destroy(dev, again);
    destroy(dev, second);
}

void kernel_outlives_program(device& dev, const program_form& form) {
    need(dev, form);
    const spoc_be_program program = load_program(dev, form, known_kernel::scale);
    const spoc_be_kernel kernel = get_scale(dev, program, form);
    destroy(dev, program);
    // Something else may take the place of what was freed.
    destroy(dev, load_program(dev, form, known_kernel::spin));
    try_scale(dev, kernel, 10);
    destroy(dev, kernel);
}

/// The kernel and its program end while the launch is pending.
void destroyed_while_pending(device& dev, const program_form& form) {
    need(dev, form, known_kernel::spin);
    busy_work work(dev);
    onlooker eyes(dev);
    const spoc_be_stream stream = dev.stream();
    const spoc_be_buffer out = dev.buffer(sizeof(std::uint32_t));
    const spoc_be_program program = load_program(dev, form, known_kernel::spin);
    const extent block = form.one_each ? extent{} : extent{1, 1, 1};
    const ready_kernel spin{get_kernel(dev, program, form, known_kernel::spin,
                                       dev.can(SPOC_BE_CAP_FREE_BLOCK) ? extent{} : block),
                            {1, 1, 1}};
    work.start(stream);
    spin_request(spin, out, 3, 1000).run(dev, stream);
    destroy(dev, spin.handle);
    destroy(dev, program);
    destroy(dev, load_program(dev, form, known_kernel::spin));
    dev.sync(stream);
    const std::uint32_t got = eyes.read_word(out);
    const std::uint32_t wanted = spun(3, 1000);
    require(got == wanted, "A launch whose kernel was destroyed meanwhile left ", got,
            " instead of ", wanted, ".");
    work.expect_done(eyes, "After stream_sync");
}

void check_block_limits(const device& dev, const spoc_be_kernel_info& info) {
    const std::uint32_t most = info.max_block_threads;
    require(most > 0, "kernel_info says that a block has at most 0 threads.");
    require(most == SPOC_BE_UNKNOWN_32 || most <= dev.info.max_block_threads,
            "kernel_info says that a block has at most ", most, " threads, and the device says ",
            dev.info.max_block_threads, ".");
    require(info.preferred_multiple > 0, "kernel_info says a preferred multiple of 0.");
    const auto& fixed = info.fixed_block;
    const auto zeros = std::count(std::begin(fixed), std::end(fixed), 0U);
    require(zeros == 0 || zeros == 3, "kernel_info says a fixed block of ", fixed[0], " x ",
            fixed[1], " x ", fixed[2], " threads.");
    if (zeros == 0 && most != SPOC_BE_UNKNOWN_32) {
        const std::uint64_t threads = std::uint64_t{fixed[0]} * fixed[1] * fixed[2];
        require(threads <= most, "kernel_info says a fixed block of ", threads,
                " threads, and that a block has at most ", most, ".");
    }
}

void plausible_info(device& dev, const program_form& form) {
    need(dev, form);
    const spoc_be_program program = load_program(dev, form, known_kernel::scale);
    const spoc_be_kernel kernel = get_scale(dev, program, form);
    const spoc_be_kernel_info info = kernel_info(dev, kernel);
    check_block_limits(dev, info);
    require(info.reflection <= SPOC_BE_REFLECTION_FULL, "kernel_info says a reflection level of ",
            info.reflection, ".");
    require(!dev.can(SPOC_BE_CAP_REFLECTION) || info.reflection >= SPOC_BE_REFLECTION_ARITY,
            "The device offers reflection, and kernel_info says that nothing is known.");
    require(info.reflection < SPOC_BE_REFLECTION_ARITY || info.param_count == 4,
            "kernel_info says ", info.param_count, " parameters; the kernel has 4.");
    require(info.arg_bytes == SPOC_BE_UNKNOWN_32 || info.arg_bytes >= 8, "kernel_info says ",
            info.arg_bytes, " bytes of scalar arguments; the kernel has two of 4 bytes.");
    require(info.shared_static == SPOC_BE_UNKNOWN_64 ||
                dev.info.shared_per_block == SPOC_BE_UNKNOWN_64 ||
                info.shared_static <= dev.info.shared_per_block,
            "kernel_info says ", info.shared_static, " bytes of shared memory; a block has ",
            dev.info.shared_per_block, ".");
    require(info.reserved == 0, "kernel_info says ", info.reserved, " in a reserved field.");
    destroy(dev, kernel);
    destroy(dev, program);
}

void check_param(const spoc_be_param& got, const spoc_be_param& wanted, std::uint32_t level) {
    require(got.index == wanted.index, "kernel_params says index ", got.index, " at place ",
            wanted.index, ".");
    require(got.kind <= SPOC_BE_PARAM_OTHER && got.element <= SPOC_BE_ELEMENT_RECORD,
            "kernel_params says kind ", got.kind, " and element ", got.element, " of parameter ",
            got.index, ".");
    require(std::memchr(got.name, 0, sizeof got.name) != nullptr, "kernel_params gives parameter ",
            got.index, " a name without an end.");
    require_plain(got.name, "kernel_params gives parameter ", got.index, " a name");
    if (level >= SPOC_BE_REFLECTION_SIZES || got.kind != SPOC_BE_PARAM_UNKNOWN) {
        require(got.kind == wanted.kind, "kernel_params says kind ", got.kind, " of parameter ",
                got.index, ", which is of kind ", wanted.kind, ".");
    }
    const bool is_scalar = wanted.kind == SPOC_BE_PARAM_SCALAR;
    if (is_scalar && (level >= SPOC_BE_REFLECTION_SIZES || got.bytes != 0)) {
        require(got.bytes == wanted.bytes, "kernel_params says ", got.bytes,
                " bytes of scalar parameter ", got.index, ", which has ", wanted.bytes, ".");
    }
    if (!is_scalar && level >= SPOC_BE_REFLECTION_FULL) {
        const std::uint32_t needed = wanted.access & SPOC_BE_ACCESS_READ_WRITE;
        require((got.access & needed) == needed, "kernel_params says access ", got.access,
                " of buffer parameter ", got.index, ", and the kernel needs ", needed, ".");
    }
}

void params_in_order(device& dev, const program_form& form) {
    need(dev, form);
    const spoc_be_program program = load_program(dev, form, known_kernel::scale);
    const spoc_be_kernel kernel = get_undeclared(dev, program, form, known_kernel::scale);
    const spoc_be_kernel_info info = kernel_info(dev, kernel);
    if (info.reflection >= SPOC_BE_REFLECTION_ARITY) {
        const std::span<const spoc_be_param> wanted = declared_params(known_kernel::scale);
        std::vector<spoc_be_param> got(wanted.size() + 2);
        const std::uint32_t whole =
            read_params(dev, kernel, got.data(), static_cast<std::uint32_t>(got.size()));
        require(whole == wanted.size() && whole == info.param_count, "kernel_params says ", whole,
                " parameters, kernel_info says ", info.param_count, ", and the kernel has ",
                wanted.size(), ".");
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            check_param(got[i], wanted[i], info.reflection);
        }
    }
    destroy(dev, kernel);
    destroy(dev, program);
}

/// With little room, or none, the whole number is said, and nothing is written beyond the room.
void params_with_little_room(device& dev, const program_form& form) {
    need(dev, form);
    const spoc_be_program program = load_program(dev, form, known_kernel::scale);
    const spoc_be_kernel kernel = get_scale(dev, program, form);
    std::array<spoc_be_param, 8> all{};
    const std::uint32_t whole = read_params(dev, kernel, all.data(), all.size());
    require(read_params(dev, kernel, nullptr, 0) == whole,
            "kernel_params with no room says another number than ", whole, ".");
    for (std::uint32_t capacity = 1; capacity <= whole && capacity < all.size(); ++capacity) {
        guarded room(capacity * sizeof(spoc_be_param));
        auto* params = reinterpret_cast<spoc_be_param*>(room.data());
        const std::uint32_t said = read_params(dev, kernel, params, capacity);
        require(said == whole, "kernel_params with room for ", capacity, " says ", said,
                " parameters, and with room for all ", whole, ".");
        room.expect_intact("The room for parameters");
        for (std::uint32_t i = 0; i < capacity; ++i) {
            require(params[i].index == all[i].index && params[i].kind == all[i].kind,
                    "kernel_params with room for ", capacity, " says something else of parameter ",
                    i, " than with room for all.");
        }
    }
    destroy(dev, kernel);
    destroy(dev, program);
}

void load_extensions(device& dev, const program_form& form) {
    need(dev, form);
    const std::string bytes = program_bytes(dev, form, known_kernel::scale);
    const spoc_be_ext must{SPOC_BE_EXT_REQUIRED | 0x1234, sizeof(spoc_be_ext), nullptr};
    const spoc_be_ext may_then_must{0x1234, sizeof(spoc_be_ext), &must};
    const spoc_be_ext may{0x1234, sizeof(spoc_be_ext), nullptr};
    spoc_be_program_desc load_desc = program_request(form, bytes);
    spoc_be_program program = nullptr;
    auto error = sized<spoc_be_error>();
    load_desc.ext = &may_then_must;
    expect_status(SPOC_BE_EXTENSION, load(dev, load_desc, program, error), "program_load", error);
    load_desc.ext = &may;
    program = expect_load(dev, load_desc);

    auto get_desc = sized<spoc_be_kernel_desc>();
    get_desc.name = entry_point(form, known_kernel::scale);
    const extent block = block_to_say(dev, form);
    std::copy(block.begin(), block.end(), std::begin(get_desc.block));
    spoc_be_kernel kernel = nullptr;
    get_desc.ext = &may_then_must;
    expect_status(SPOC_BE_EXTENSION, get(dev, program, get_desc, kernel, error), "kernel_get",
                  error);
    get_desc.ext = &may;
    expect_status(SPOC_BE_OK, get(dev, program, get_desc, kernel, error), "kernel_get", error);
    destroy(dev, kernel);
    destroy(dev, program);
}

void load_flags(device& dev, const program_form& form) {
    need(dev, form);
    const std::string bytes = program_bytes(dev, form, known_kernel::scale);
    spoc_be_program_desc load_desc = program_request(form, bytes);
    load_desc.flags = 1U << 30;
    spoc_be_program program = nullptr;
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_UNSUPPORTED, load(dev, load_desc, program, error), "program_load", error);
    load_desc.flags = 0;
    program = expect_load(dev, load_desc);
    auto get_desc = sized<spoc_be_kernel_desc>();
    get_desc.name = entry_point(form, known_kernel::scale);
    get_desc.flags = 1U << 30;
    spoc_be_kernel kernel = nullptr;
    expect_status(SPOC_BE_UNSUPPORTED, get(dev, program, get_desc, kernel, error), "kernel_get",
                  error);
    destroy(dev, program);
}

/// Formats that the device does not take, those that nobody knows included.
void other_formats(device& dev) {
    if (dev.be.program_load == nullptr) {
        skip("The plugin loads no programs.");
    }
    const std::string bytes = "This is no program.\n";
    for (std::uint32_t bit = 0; bit < 64; ++bit) {
        if ((dev.info.formats >> bit & 1U) != 0) {
            continue;
        }
        auto desc = sized<spoc_be_program_desc>();
        desc.format = std::uint64_t{1} << bit;
        desc.data = bytes.data();
        desc.bytes = bytes.size();
        spoc_be_program program = nullptr;
        auto error = sized<spoc_be_error>();
        const std::int32_t status = load(dev, desc, program, error);
        require(status == SPOC_BE_FORMAT || status == SPOC_BE_UNSUPPORTED, "program_load answered ",
                status_text(status), " for format number ", bit,
                ", which the device does not take, instead of FORMAT or UNSUPPORTED.");
        expect_status(status, status, "program_load", error);
    }
}

/// A value for a kernel that has no place for it, where the device has no such values at all.
void constants_refused(device& dev) {
    if (dev.can(SPOC_BE_CAP_SPEC_CONSTANTS)) {
        skip("The device offers constants in kernels.");
    }
    kernel_set kernels = kernel_set::with(dev, known_kernel::scale);
    const spoc_be_program program = load_program(dev, kernels.form(), known_kernel::scale);
    const spoc_be_constant constant{7, 4, 1};
    auto desc = sized<spoc_be_kernel_desc>();
    desc.name = entry_point(kernels.form(), known_kernel::scale);
    desc.constants = &constant;
    desc.constant_count = 1;
    spoc_be_kernel kernel = nullptr;
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_UNSUPPORTED, get(dev, program, desc, kernel, error), "kernel_get", error);
    destroy(dev, program);
}

/// A program's binary, loaded again, does the same.
void binary_round_trip(device& dev) {
    dev.need(SPOC_BE_CAP_PROGRAM_BINARY);
    require(dev.be.program_binary != nullptr &&
                (dev.info.formats >> SPOC_BE_FORMAT_DRIVER_BINARY & 1U) != 0,
            "The device offers program binaries without the entry or the format for them.");
    kernel_set kernels = kernel_set::with(dev, known_kernel::scale);
    const spoc_be_program source = load_program(dev, kernels.form(), known_kernel::scale);
    const std::uint64_t length = read_binary(dev, source, nullptr, 0);
    guarded little(std::min<std::uint64_t>(length - 1, 16));
    require(read_binary(dev, source, little.data(), little.size()) == length,
            "program_binary with little room says another length than ", length, ".");
    little.expect_intact("The room for a binary");
    const std::string binary = whole_binary(dev, source);
    destroy(dev, source);
    const spoc_be_program again = load_binary(dev, binary);
    const spoc_be_kernel kernel = get_scale(dev, again, kernels.form());
    try_scale(dev, kernel, 11);
    destroy(dev, kernel);
    destroy(dev, again);
}

bool is_any(const program_form& /*form*/) { return true; }

bool has_bytes(const program_form& form) { return std::string_view(form.name) != "native_symbol"; }

bool is_source(const program_form& form) { return form.is_source; }

/// Whether its compilers are known to refuse options that they do not know.
bool has_options(const program_form& form) {
    return form.format == SPOC_BE_FORMAT_OPENCL_C || form.format == SPOC_BE_FORMAT_CUDA_C ||
           form.format == SPOC_BE_FORMAT_HIP_C;
}

constexpr struct {
    const char* name;
    void (*run)(device&, const program_form&);
    bool (*is_for)(const program_form&);
} form_cases[] = {
    {"load_", load_and_run, is_any},
    {"garbage_", garbage, is_any},
    {"bytes_are_copied_", bytes_are_copied, has_bytes},
    {"names_and_log_", names_and_log, is_any},
    {"cut_short_", cut_short, has_bytes},
    {"empty_source_", empty_source, is_source},
    {"short_log_", short_log, is_any},
    {"refused_options_", refused_options, has_options},
    {"kernel_not_found_", kernel_not_found, is_any},
    {"two_programs_", two_programs, is_any},
    {"kernel_outlives_program_", kernel_outlives_program, is_any},
    {"destroyed_while_pending_", destroyed_while_pending, is_any},
    {"plausible_info_", plausible_info, is_any},
    {"params_in_order_", params_in_order, is_any},
    {"params_with_little_room_", params_with_little_room, is_any},
    {"extensions_", load_extensions, is_any},
    {"unknown_flags_", load_flags, is_any},
};

}  // namespace

void add_program_cases(case_list& cases) {
    for (const program_form& form : program_forms()) {
        for (const auto& of : form_cases) {
            // Of a format without kernels only the garbage can be tried, and "load" says why.
            // Whether there are any in SPIR-V is up to the build, and the names of the cases are
            // not.
            const bool has_none =
                form.kernels.empty() && form.format != SPOC_BE_FORMAT_SPIRV_SHADER;
            if (!of.is_for(form) || (has_none && of.run != load_and_run && of.run != garbage)) {
                continue;
            }
            cases.push_back(on_device(text("program/", of.name, form.name),
                                      [&form, run = of.run](device& dev) { run(dev, form); }));
        }
    }
    cases.push_back(on_device("program/other_formats", other_formats));
    cases.push_back(on_device("program/constants_refused", constants_refused));
    cases.push_back(on_device("program/binary_round_trip", binary_round_trip));
}

}  // namespace spoc::conformance
