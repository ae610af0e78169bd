// SPDX-License-Identifier: Apache-2.0
#include "driver_library.hpp"

#include "common/status.hpp"

namespace spoc::cudalike {
namespace {

/// The run-time name: the bare one is that of the toolkit's stub.
constexpr const char* library_names[] = {"libcuda.so.1", nullptr};

// Of the driver's own resolver: functions for one default stream of the process, not of each
// thread.
constexpr std::uint64_t legacy_stream_functions = 1;
using resolver = driver::result (*)(const char*, void**, int, std::uint64_t, int*);
using first_resolver = driver::result (*)(const char*, void**, int, std::uint64_t);

constexpr bool required = true;
constexpr bool optional = false;

}  // namespace

/// The driver's resolver knows each function in the version that the plugin was written for, also
/// when a later one has other parameters. Drivers before CUDA 11.3 have none, and each name in the
/// library has one meaning.
void* driver_library::find(const char* name, const char* library_name, int version) const {
    void* found = nullptr;
    int what = 0;
    if (auto* resolve = reinterpret_cast<resolver>(host_->symbol(handle_, "cuGetProcAddress_v2"))) {
        return resolve(name, &found, version, legacy_stream_functions, &what) == driver::success
                   ? found
                   : nullptr;
    }
    if (auto* resolve =
            reinterpret_cast<first_resolver>(host_->symbol(handle_, "cuGetProcAddress"))) {
        return resolve(name, &found, version, legacy_stream_functions) == driver::success ? found
                                                                                          : nullptr;
    }
    return host_->symbol(handle_, library_name);
}

bool driver_library::open(plugin::host& host, char* out_path, std::size_t path_capacity,
                          spoc_be_error* words) {
    host_ = &host;
    handle_ = host.open_library(library_names, out_path, path_capacity, words);
    if (handle_ == nullptr) {
        return false;
    }
    const char* missing = nullptr;
#define SPOC_DRIVER_FIND(member, name, library_name, version, need, parameters)             \
    functions_.member =                                                                     \
        reinterpret_cast<decltype(functions_.member)>(find(#name, #library_name, version)); \
    if (functions_.member == nullptr && (need) && missing == nullptr) {                     \
        missing = #name;                                                                    \
    }
    SPOC_CUDA_SYMBOLS(SPOC_DRIVER_FIND)
#undef SPOC_DRIVER_FIND
    if (missing != nullptr) {
        static_cast<void>(plugin::fail(
            words, {.status = SPOC_BE_UNAVAILABLE, .reason = SPOC_BE_REASON_DRIVER_MISSING_SYMBOL},
            "The driver's library lacks a function that the plugin "
            "needs (%s).",
            missing));
    }
    return missing == nullptr;
}

}  // namespace spoc::cudalike
