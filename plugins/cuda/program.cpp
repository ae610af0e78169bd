// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "backend.hpp"
#include "capability.hpp"
#include "common/build_log.hpp"
#include "common/object.hpp"
#include "common/request.hpp"
#include "device.hpp"
#include "image.hpp"
#include "open_device.hpp"

namespace spoc::cudalike {
namespace {

constexpr std::uint64_t format(std::uint32_t bit) { return std::uint64_t{1} << bit; }

/// Where the driver writes what its compiler says, and the options that tell it so.
class build_log {
 public:
    build_log() : text_(std::size_t{64} * 1024, '\0') {
        const auto half = static_cast<std::uintptr_t>(text_.size() / 2);
        // The driver takes small numbers in place of pointers.
        // NOLINTBEGIN(performance-no-int-to-ptr)
        values_ = {text_.data(), reinterpret_cast<void*>(half), text_.data() + half,
                   reinterpret_cast<void*>(half)};
        // NOLINTEND(performance-no-int-to-ptr)
    }
    build_log(const build_log&) = delete;
    build_log& operator=(const build_log&) = delete;

    unsigned count() const noexcept { return static_cast<unsigned>(options_.size()); }
    driver::jit_option* options() noexcept { return options_.data(); }
    void** values() noexcept { return values_.data(); }

    std::string words() const {
        const std::string information(text_.c_str());
        const std::string errors(text_.c_str() + text_.size() / 2);
        return errors.empty() || information.empty() ? errors + information
                                                     : errors + "\n" + information;
    }

 private:
    std::string text_;
    std::array<driver::jit_option, 4> options_ = {driver::jit_info_log, driver::jit_info_log_bytes,
                                                  driver::jit_error_log,
                                                  driver::jit_error_log_bytes};
    std::array<void*, 4> values_{};
};

/// The driver's linker, whose result is gone with it.
class linker {
 public:
    linker() = default;
    linker(const linker&) = delete;
    linker& operator=(const linker&) = delete;
    ~linker() {
        if (state_ != nullptr) {
            static_cast<void>(api().link_destroy(state_));
        }
    }

    driver::result link(const std::string& ptx, const char* name, build_log& log,
                        std::string& out) {
        driver::result done = api().link_create(log.count(), log.options(), log.values(), &state_);
        if (done == driver::success) {
            // The text is only read, whatever the declaration says; it ends in NUL, which counts.
            done = api().link_add(state_, driver::jit_input_ptx, const_cast<char*>(ptx.c_str()),
                                  ptx.size() + 1, name, 0, nullptr, nullptr);
        }
        void* binary = nullptr;
        std::size_t bytes = 0;
        if (done == driver::success) {
            done = api().link_complete(state_, &binary, &bytes);
        }
        if (done == driver::success) {
            out.assign(static_cast<const char*>(binary), bytes);
        }
        return done;
    }

 private:
    driver::link_state state_ = nullptr;
};

bool is_text(const std::string& image) {
    return image.compare(0, 4, "\177ELF", 4) != 0 && image.find("\x50\xED\x55\xBA") != 0;
}

/// The program's own bytes, or those that CUDA C was compiled to.
std::int32_t read_image(const spoc_be_device_s& device, const spoc_be_program_desc& desc,
                        std::string& out, std::string& log, spoc_be_error* error) {
    if (desc.format == format(SPOC_BE_FORMAT_CUDA_C)) {
        const int number = capability_number(device.index);
        return the_backend.compiler.compile(desc, static_cast<std::uint32_t>(number / 10),
                                            static_cast<std::uint32_t>(number % 10), out, log,
                                            error);
    }
    if (desc.options != nullptr && desc.options[0] != '\0') {
        log = "The driver takes no options with this format.";
        return plugin::fail(error, {.status = SPOC_BE_COMPILE},
                            "The driver takes no compiler options with this format (\"%s\").",
                            desc.options);
    }
    out.assign(static_cast<const char*>(desc.data), desc.bytes);
    if (desc.format != format(SPOC_BE_FORMAT_PTX)) {
        return check_image(desc.data, desc.bytes, error);
    }
    out.resize(std::min(out.size(), out.find('\0')));
    return SPOC_BE_OK;
}

/// Text of the driver's assembler, as a binary of this device where the driver links.
std::int32_t assemble(spoc_be_device_s& device, const spoc_be_program_desc& desc,
                      std::string& image, std::string& log, spoc_be_error* error) {
    if (!is_text(image) || !offers(device.index, SPOC_BE_CAP_PROGRAM_BINARY)) {
        return SPOC_BE_OK;
    }
    build_log said;
    std::string binary;
    const driver::result linked =
        linker().link(image, desc.name == nullptr ? "program" : desc.name, said, binary);
    log += said.words();
    const std::int32_t status =
        check(device, linked, driver::call::link_complete, "Assembling the program", error);
    if (status == SPOC_BE_OK) {
        image = std::move(binary);
    }
    return status;
}

std::int32_t load(spoc_be_device_s& device, const std::string& image, driver::module& out,
                  std::string& log, spoc_be_error* error) {
    build_log said;
    const driver::result loaded =
        api().module_load(&out, image.c_str(), said.count(), said.options(), said.values());
    log += said.words();
    return check(device, loaded, driver::call::module_load, "Loading the program", error,
                 image.size());
}

std::int32_t make_program(spoc_be_device device, const spoc_be_program_desc& desc,
                          spoc_be_program* out, std::string& log, spoc_be_error* error) {
    std::string image;
    driver::module module = nullptr;
    std::int32_t status = read_image(*device, desc, image, log, error);
    if (status == SPOC_BE_OK) {
        status = assemble(*device, desc, image, log, error);
    }
    if (status == SPOC_BE_OK) {
        status = load(*device, image, module, log, error);
    }
    if (status != SPOC_BE_OK) {
        return status;
    }
    status = plugin::make(the_backend.host, *out, error, device, module, std::move(image));
    if (status != SPOC_BE_OK) {
        static_cast<void>(api().module_unload(module));
    }
    return status;
}

}  // namespace

std::int32_t program_load(spoc_be_device device, const spoc_be_program_desc* desc,
                          spoc_be_program* out, spoc_be_error* error) {
    plugin::write_build_log(*desc, "");
    if (const std::int32_t status = plugin::check_request(desc->flags, 0, desc->ext, error);
        status != SPOC_BE_OK) {
        return status;
    }
    if ((formats_of(device->index) & desc->format) == 0) {
        return plugin::fail(error, {.status = SPOC_BE_FORMAT},
                            "The device does not take programs of this format (%s).",
                            desc->format == format(SPOC_BE_FORMAT_CUDA_C)
                                ? the_backend.compiler.reason()
                                : "it takes PTX, device binaries and CUDA C");
    }
    std::string log;
    const std::int32_t status =
        on_device(*device, error, [&] { return make_program(device, *desc, out, log, error); });
    plugin::write_build_log(*desc, log);
    return status;
}

std::int32_t release(spoc_be_program program, spoc_be_error* error) {
    if (program->users.fetch_sub(1, std::memory_order_acq_rel) != 1) {
        return SPOC_BE_OK;
    }
    spoc_be_device_s& device = *program->device;
    // The driver waits for launches that are pending.
    const std::int32_t status = end_on_device(device, error, [&] {
        return check(device, api().module_unload(program->module), driver::call::module_unload,
                     "Unloading a program", error);
    });
    plugin::destroy(the_backend.host, program);
    return status;
}

std::int32_t program_destroy(spoc_be_program program, spoc_be_error* error) {
    return release(program, error);
}

std::int32_t program_binary(spoc_be_program program, void* data, std::uint64_t capacity,
                            std::uint64_t* bytes, spoc_be_error* error) {
    if (!offers(program->device->index, SPOC_BE_CAP_PROGRAM_BINARY)) {
        return plugin::fail(error, {.status = SPOC_BE_UNSUPPORTED},
                            "The driver gives no device binaries.");
    }
    const std::string& binary = program->binary;
    if (capacity > 0) {
        std::memcpy(data, binary.data(), std::min<std::uint64_t>(capacity, binary.size()));
    }
    *bytes = binary.size();
    return SPOC_BE_OK;
}

}  // namespace spoc::cudalike
