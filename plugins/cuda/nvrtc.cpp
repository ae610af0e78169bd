// SPDX-License-Identifier: Apache-2.0
#include "nvrtc.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "common/status.hpp"

namespace spoc::cuda {
namespace {

constexpr std::int32_t success = 0;
constexpr std::int32_t out_of_memory = 1;

/// Newest first. From CUDA 12 on the name has the major version only.
constexpr const char* library_names[] = {"libnvrtc.so.13",   "libnvrtc.so.12", "libnvrtc.so.11.2",
                                         "libnvrtc.so.11.1", "libnvrtc.so",    nullptr};

/// The words of a command line, divided at spaces; quotes keep spaces together.
std::vector<std::string> words_of(const char* options) {
    std::vector<std::string> words;
    bool in_word = false;
    char quote = '\0';
    for (const char* at = options == nullptr ? "" : options; *at != '\0'; ++at) {
        const bool is_quote = *at == '"' || *at == '\'';
        if (quote == '\0' && (*at == ' ' || *at == '\t' || *at == '\n')) {
            in_word = false;
            continue;
        }
        if (!in_word) {
            words.emplace_back();
            in_word = true;
        }
        if (is_quote && (quote == '\0' || quote == *at)) {
            quote = quote == '\0' ? *at : '\0';
        } else {
            words.back() += *at;
        }
    }
    return words;
}

bool names_architecture(const std::string& option) {
    for (const std::string_view name : {"--gpu-architecture", "-arch"}) {
        if (std::string_view(option).substr(0, name.size()) == name) {
            return true;
        }
    }
    return false;
}

}  // namespace

/// A program of the compiler's, from source to image.
class nvrtc::source {
 public:
    explicit source(const functions& api) noexcept : api_(api) {}
    source(const source&) = delete;
    source& operator=(const source&) = delete;
    ~source() {
        if (program_ != nullptr) {
            static_cast<void>(api_.destroy(&program_));
        }
    }

    result create(const std::string& text, const char* name) {
        return api_.create(&program_, text.c_str(), name, 0, nullptr, nullptr);
    }

    result compile(const std::vector<std::string>& options, std::string& log) {
        std::vector<const char*> arguments;
        std::transform(options.begin(), options.end(), std::back_inserter(arguments),
                       [](const std::string& option) { return option.c_str(); });
        const result compiled =
            api_.compile(program_, static_cast<int>(arguments.size()), arguments.data());
        static_cast<void>(read(api_.log_size, api_.log, log));
        log.resize(std::min(log.size(), log.find('\0')));
        return compiled;
    }

    result image(bool binary, std::string& out) {
        return binary ? read(api_.binary_size, api_.binary, out)
                      : read(api_.ptx_size, api_.ptx, out);
    }

 private:
    result read(result (*size)(program, std::size_t*), result (*get)(program, char*),
                std::string& out) {
        std::size_t bytes = 0;
        if (const result sized = size(program_, &bytes); sized != success) {
            return sized;
        }
        std::string text(bytes, '\0');
        if (const result got = get(program_, text.data()); got != success) {
            return got;
        }
        out = std::move(text);
        return success;
    }

    const functions& api_;
    program program_ = nullptr;
};

void nvrtc::open(plugin::host& host) noexcept {
    if (tried_) {
        return;
    }
    tried_ = true;
    spoc_be_error error{};
    error.size = sizeof error;
    void* library = host.open_library(library_names, nullptr, 0, &error);
    if (library == nullptr) {
        plugin::copy_text(reason_,
                          "CUDA C is compiled by NVIDIA's run-time compiler, which is not "
                          "installed (libnvrtc.so).");
        return;
    }
    functions found;
    bool complete = true;
    const auto find = [&](auto& member, const char* name, bool required) {
        member = reinterpret_cast<std::decay_t<decltype(member)>>(host.symbol(library, name));
        complete = complete && (member != nullptr || !required);
    };
    find(found.version, "nvrtcVersion", true);
    find(found.error_text, "nvrtcGetErrorString", true);
    find(found.create, "nvrtcCreateProgram", true);
    find(found.destroy, "nvrtcDestroyProgram", true);
    find(found.compile, "nvrtcCompileProgram", true);
    find(found.log_size, "nvrtcGetProgramLogSize", true);
    find(found.log, "nvrtcGetProgramLog", true);
    find(found.binary_size, "nvrtcGetCUBINSize", true);
    find(found.binary, "nvrtcGetCUBIN", true);
    find(found.ptx_size, "nvrtcGetPTXSize", true);
    find(found.ptx, "nvrtcGetPTX", true);
    find(found.arch_count, "nvrtcGetNumSupportedArchs", false);
    find(found.archs, "nvrtcGetSupportedArchs", false);
    if (!complete) {
        plugin::copy_text(reason_,
                          "The run-time compiler that is installed is too old: it gives no "
                          "device binaries (libnvrtc.so).");
        return;
    }
    api_ = found;
}

int nvrtc::best_arch(int arch) const noexcept {
    int count = 0;
    std::array<int, 128> known{};
    if (api_.arch_count == nullptr || api_.archs == nullptr || api_.arch_count(&count) != success ||
        count <= 0 || static_cast<std::size_t>(count) > known.size() ||
        api_.archs(known.data()) != success) {
        return arch;
    }
    int best = 0;
    std::for_each_n(known.begin(), count, [&](int one) {
        if (one <= arch && one > best) {
            best = one;
        }
    });
    return best == 0 ? arch : best;
}

std::int32_t nvrtc::compile(const spoc_be_program_desc& desc, std::uint32_t major,
                            std::uint32_t minor, std::string& out_image, std::string& log,
                            spoc_be_error* error) const {
    const auto refuse = [&](std::int32_t status, result code, const char* origin) {
        return plugin::fail(error,
                            {.status = status,
                             .native_code = code,
                             .native_domain = "nvrtcResult",
                             .origin = origin},
                            "The program did not compile (%s).", api_.error_text(code));
    };
    const auto arch = static_cast<int>(major * 10 + minor);
    const int best = best_arch(arch);
    std::vector<std::string> options = words_of(desc.options);
    // A device binary is for one architecture; an older compiler makes text that the driver
    // compiles.
    const bool binary = best == arch;
    if (std::none_of(options.begin(), options.end(), names_architecture)) {
        options.push_back((binary ? "--gpu-architecture=sm_" : "--gpu-architecture=compute_") +
                          std::to_string(best));
    }
    source made_of(api_);
    const std::string text(static_cast<const char*>(desc.data), desc.bytes);
    if (const result made = made_of.create(text, desc.name); made != success) {
        return refuse(made == out_of_memory ? SPOC_BE_HOST_MEMORY : SPOC_BE_COMPILE, made,
                      "nvrtcCreateProgram");
    }
    if (const result compiled = made_of.compile(options, log); compiled != success) {
        return refuse(SPOC_BE_COMPILE, compiled, "nvrtcCompileProgram");
    }
    // With an architecture of the caller's own there may be no binary.
    result got = made_of.image(true, out_image);
    if (got != success || out_image.empty()) {
        got = made_of.image(false, out_image);
    }
    return got == success ? SPOC_BE_OK : refuse(SPOC_BE_COMPILE, got, "nvrtcGetPTX");
}

}  // namespace spoc::cuda
