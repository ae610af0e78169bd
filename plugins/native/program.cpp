// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <dlfcn.h>
#include <link.h>

#include <string>
#include <string_view>

#include "backend.hpp"
#include "common/build_log.hpp"
#include "common/object.hpp"
#include "common/request.hpp"
#include "registry.hpp"

namespace spoc::native {
namespace {

/// The words of the system loader about its last failure on this thread.
const char* loader_words() noexcept {
    const char* words = ::dlerror();
    return words == nullptr ? "no reason given" : words;
}

int32_t open_library(const spoc_be_program_desc& desc, void*& library, spoc_be_error* error) {
    std::string path(static_cast<const char*>(desc.data), desc.bytes);
    if (path.back() == '\0') {
        path.pop_back();
    }
    if (path.empty() || path.front() != '/' || path.find('\0') != std::string::npos) {
        return plugin::fail(error, {.status = SPOC_BE_FORMAT},
                            "The program is not the absolute path of a shared object (\"%s\").",
                            path.c_str());
    }
    library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char* words = loader_words();
        plugin::write_build_log(desc, words);
        return plugin::fail(error, {.status = SPOC_BE_COMPILE, .origin = "dlopen"},
                            "The shared object cannot be loaded (%s).", words);
    }
    return SPOC_BE_OK;
}

/// Whether a symbol is data as long as a description. Anything else of that name must not be read
/// as one.
bool holds_description(const void* address) noexcept {
    Dl_info info{};
    void* extra = nullptr;
    if (::dladdr1(address, &info, &extra, RTLD_DL_SYMENT) == 0 || extra == nullptr) {
        return false;
    }
    const auto* symbol = static_cast<const ElfW(Sym)*>(extra);
    // The type has the same bits in both classes of ELF.
    return ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT &&
           symbol->st_size >= sizeof(spoc_native_kernel);
}

const spoc_native_kernel* find_exported(void* library, const char* name) {
    const std::string symbol = std::string(SPOC_NATIVE_KERNEL_PREFIX) + name;
    const auto* kernel = static_cast<const spoc_native_kernel*>(::dlsym(library, symbol.c_str()));
    if (kernel == nullptr || !holds_description(kernel) ||
        kernel->magic != SPOC_NATIVE_KERNEL_MAGIC) {
        return nullptr;
    }
    return kernel;
}

}  // namespace

int32_t program_load(spoc_be_device /*device*/, const spoc_be_program_desc* desc,
                     spoc_be_program* out, spoc_be_error* error) {
    plugin::write_build_log(*desc, "");
    if (const int32_t status = plugin::check_request(desc->flags, 0, desc->ext, error);
        status != SPOC_BE_OK) {
        return status;
    }
    if (desc->format != uint64_t{1} << SPOC_BE_FORMAT_NATIVE_SYMBOL) {
        return plugin::fail(error, {.status = SPOC_BE_FORMAT},
                            "The device takes programs of the format NATIVE_SYMBOL only.");
    }
    void* library = nullptr;
    if (desc->data != nullptr && desc->bytes > 0) {
        if (const int32_t status = open_library(*desc, library, error); status != SPOC_BE_OK) {
            return status;
        }
    }
    return plugin::make(the_backend.host, *out, error, library, registry_age());
}

int32_t program_destroy(spoc_be_program program, spoc_be_error* /*error*/) {
    plugin::destroy(the_backend.host, program);
    return SPOC_BE_OK;
}

const spoc_native_kernel* find_kernel(const spoc_be_program_s& program, const char* name) {
    return program.library == nullptr ? find_registered(name, program.registry_age)
                                      : find_exported(program.library, name);
}

}  // namespace spoc::native
