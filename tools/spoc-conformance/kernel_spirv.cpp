// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "kernel_text.hpp"

#if SPOC_CONFORMANCE_SPIRV
#include "scale.spv.h"
#include "spin.spv.h"
#include "who.spv.h"
#include "wide.spv.h"
#endif

namespace spoc::conformance::kernel_text {

#if SPOC_CONFORMANCE_SPIRV

namespace {

template <std::size_t Words>
std::string_view bytes_of(const std::uint32_t (&words)[Words]) {
    return {reinterpret_cast<const char*>(words), sizeof words};
}

}  // namespace

std::string_view spirv_scale() { return bytes_of(spirv_words_scale); }
std::string_view spirv_spin() { return bytes_of(spirv_words_spin); }
std::string_view spirv_who() { return bytes_of(spirv_words_who); }
std::string_view spirv_wide() { return bytes_of(spirv_words_wide); }

#else

std::string_view spirv_scale() { return {}; }
std::string_view spirv_spin() { return {}; }
std::string_view spirv_who() { return {}; }
std::string_view spirv_wide() { return {}; }

#endif

}  // namespace spoc::conformance::kernel_text
