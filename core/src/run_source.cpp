// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <spoc/launch.h>

#include "device.hpp"
#include "kernel.hpp"
#include "launch.hpp"
#include "program.hpp"
#include "session.hpp"
#include "text.hpp"

namespace spoc::detail {
namespace {

/// The kernels that were run from sources last, newest first. Kept until the process ends.
class recent_kernels {
 public:
    /// Null where the kernel is not among them.
    std::shared_ptr<kernel_state> find(spoc_device device, const cache_key& key) {
        const std::lock_guard lock(mutex_);
        const auto found = std::find_if(kernels_.begin(), kernels_.end(), [&](const entry& one) {
            return one.device == device && one.key.text() == key.text();
        });
        if (found == kernels_.end()) {
            return nullptr;
        }
        kernels_.splice(kernels_.begin(), kernels_, found);
        return found->kernel;
    }

    void add(spoc_device device, cache_key key, std::shared_ptr<kernel_state> kernel) {
        std::list<entry> dropped;  // ends outside of the lock
        const std::lock_guard lock(mutex_);
        kernels_.push_front({device, std::move(key), std::move(kernel)});
        for (auto one = kernels_.begin(); one != kernels_.end();) {
            const auto next = std::next(one);
            if (!one->kernel->is_alive()) {
                dropped.splice(dropped.end(), kernels_, one);
            }
            one = next;
        }
        while (kernels_.size() > most) {
            dropped.splice(dropped.end(), kernels_, std::prev(kernels_.end()));
        }
    }

 private:
    struct entry {
        spoc_device device;
        cache_key key;
        std::shared_ptr<kernel_state> kernel;
    };
    static constexpr std::size_t most = 64;

    std::mutex mutex_;
    std::list<entry> kernels_;
};

recent_kernels& recent() {
    static recent_kernels* const instance = new recent_kernels;
    return *instance;
}

outcome make_kernel(session& call, spoc_device device, program_source source, const char* name,
                    std::shared_ptr<kernel_state>& out) {
    const program_cache cache(call.config().cache_directory());
    kernel_request wanted;
    wanted.name = name;
    std::shared_ptr<program_state> program;
    SPOC_TRY(load_program(device, std::move(source), true, cache, {}, program));
    return program->get_kernel(cache, wanted, out);
}

outcome find_kernel(session& call, spoc_device device, program_source source, const char* name,
                    std::shared_ptr<kernel_state>& out) {
    if (!is_compiled(source.format)) {
        return make_kernel(call, device, std::move(source), name, out);
    }
    cache_key key = key_of(*device, source);
    key.add(name);
    out = recent().find(device, key);
    if (out != nullptr && out->is_alive()) {
        return {};
    }
    SPOC_TRY(make_kernel(call, device, std::move(source), name, out));
    recent().add(device, std::move(key), out);
    return {};
}

/// HIP compiles CUDA C.
std::uint32_t format_for(const spoc_device_s& device, std::uint32_t language) {
    const auto takes = [&device](std::uint32_t format) {
        return (device.info().formats >> format & 1U) != 0;
    };
    const bool is_hip =
        language == SPOC_FORMAT_CUDA_C && !takes(language) && takes(SPOC_FORMAT_HIP_C);
    return is_hip ? SPOC_FORMAT_HIP_C : language;
}

outcome run_source(session& call, spoc_device device, std::uint32_t language,
                   std::string_view source, const char* name, const spoc_launch_options& options,
                   spoc_stream stream) {
    if (language > SPOC_FORMAT_DRIVER_BINARY) {
        return outcome::invalid(SPOC_SUB_VALUE, say("There is no program format ", language, "."));
    }
    if (source.empty()) {
        return outcome::invalid(SPOC_SUB_LENGTH, "The source is empty.");
    }
    if (*name == '\0') {
        return outcome::invalid(SPOC_SUB_NAME, "The kernel's name is empty.");
    }
    launch one(*device, options, stream);
    SPOC_TRY(one.check());
    SPOC_TRY(call.enter());
    const std::uint32_t format = format_for(*device, language);
    SPOC_TRY(check_format(*device, format));
    SPOC_TRY(device->open());
    std::shared_ptr<kernel_state> kernel;
    SPOC_TRY(find_kernel(call, device, {format, std::string(source), std::nullopt, std::nullopt},
                         name, kernel));
    SPOC_TRY(one.check(*kernel));
    return one.run(call, std::move(kernel));
}

/// The language of a file, of which the device decides one of two SPIR-V flavours.
outcome language_of(const spoc_device_s& device, std::string_view path, std::uint32_t& out) {
    struct row {
        std::string_view end;
        std::uint32_t language;
    };
    const bool shaders = (device.info().formats >> SPOC_FORMAT_SPIRV_SHADER & 1U) != 0;
    const row rows[] = {{".cu", SPOC_FORMAT_CUDA_C},
                        {".cl", SPOC_FORMAT_OPENCL_C},
                        {".ptx", SPOC_FORMAT_PTX},
                        {".comp", SPOC_FORMAT_GLSL},
                        {".glsl", SPOC_FORMAT_GLSL},
                        {".metal", SPOC_FORMAT_MSL},
                        {".wgsl", SPOC_FORMAT_WGSL},
                        {".spv", shaders ? SPOC_FORMAT_SPIRV_SHADER : SPOC_FORMAT_SPIRV_KERNEL}};
    const auto* const found =
        std::find_if(std::begin(rows), std::end(rows),
                     [path](const row& one) { return path.ends_with(one.end); });
    if (found == std::end(rows)) {
        return outcome::invalid(SPOC_SUB_NAME,
                                say("No language is known by the end of the name ", path, "."));
    }
    out = found->language;
    return {};
}

outcome read_source(const char* path, std::string& out) {
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    out.assign(std::istreambuf_iterator<char>(file), {});
    return file.is_open() && !file.bad()
               ? outcome{}
               : outcome::invalid(SPOC_SUB_NAME, say("The file ", path, " cannot be read (",
                                                     std::strerror(errno), ")."));
}

}  // namespace
}  // namespace spoc::detail

using namespace spoc::detail;

spoc_status spoc_run_source(spoc_device device, uint32_t language, const void* source,
                            uint64_t bytes, const char* name, const spoc_launch_options* options,
                            spoc_stream stream, spoc_error* error) noexcept {
    return boundary("spoc_run_source", error, [&]() -> outcome {
        session call;
        spoc_launch_options wanted{};
        SPOC_TRY(require_pointer(device, "device"));
        SPOC_TRY(require_pointer(source, "source"));
        SPOC_TRY(require_pointer(name, "name"));
        SPOC_TRY(read_launch_options(options, wanted));
        return run_source(call, device, language, {static_cast<const char*>(source), bytes}, name,
                          wanted, stream);
    });
}

spoc_status spoc_run_source_file(spoc_device device, const char* path, const char* name,
                                 const spoc_launch_options* options, spoc_stream stream,
                                 spoc_error* error) noexcept {
    return boundary("spoc_run_source_file", error, [&]() -> outcome {
        session call;
        spoc_launch_options wanted{};
        std::uint32_t language = 0;
        std::string source;
        SPOC_TRY(require_pointer(device, "device"));
        SPOC_TRY(require_pointer(path, "path"));
        SPOC_TRY(require_pointer(name, "name"));
        SPOC_TRY(read_launch_options(options, wanted));
        SPOC_TRY(language_of(*device, path, language));
        SPOC_TRY(read_source(path, source));
        return run_source(call, device, language, source, name, wanted, stream);
    });
}
