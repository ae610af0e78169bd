// SPDX-License-Identifier: Apache-2.0
#include "limits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <variant>

namespace spoc::info {
namespace {

using properties_t = spoc_be_device_info;
using member = std::variant<std::uint64_t properties_t::*, std::uint32_t properties_t::*,
                            std::uint32_t (properties_t::*)[3]>;

struct row {
    const char* name;
    bool in_bytes;
    member field;
};

const std::array<row, 22> rows = {{
    {"max_alloc_bytes", true, &properties_t::max_alloc},
    {"max_binding_bytes", true, &properties_t::max_binding},
    {"max_pinned_bytes", true, &properties_t::max_pinned},
    {"pageable_max_bytes", true, &properties_t::pageable_max},
    {"inline_write_bytes", true, &properties_t::inline_write},
    {"shared_per_block_bytes", true, &properties_t::shared_per_block},
    {"arg_bytes", true, &properties_t::arg_bytes},
    {"arg_buffers", false, &properties_t::arg_buffers},
    {"max_block_threads", false, &properties_t::max_block_threads},
    {"max_block", false, &properties_t::max_block},
    {"max_grid", false, &properties_t::max_grid},
    {"subgroup", false, &properties_t::subgroup},
    {"compute_units", false, &properties_t::compute_units},
    {"clock_khz", false, &properties_t::clock_khz},
    {"registers_per_block", false, &properties_t::registers_per_block},
    {"queues", false, &properties_t::queues},
    {"copy_engines", false, &properties_t::copy_engines},
    {"host_ptr_align_bytes", true, &properties_t::host_ptr_align},
    {"register_align_bytes", true, &properties_t::register_align},
    {"arg_offset_align_bytes", true, &properties_t::arg_offset_align},
    {"inline_align_bytes", true, &properties_t::inline_align},
    {"copy_align_bytes", true, &properties_t::copy_align},
}};

/// By bit number, `SPOC_BE_FORMAT_*`.
constexpr std::array<const char*, 14> format_names = {
    "native_symbol", "opencl_c", "spirv_kernel", "spirv_shader", "glsl",
    "cuda_c",        "ptx",      "cuda_binary",  "hip_c",        "hip_binary",
    "msl",           "metallib", "wgsl",         "driver_binary"};

struct read_figures {
    const properties_t& from;

    std::vector<std::optional<std::uint64_t>> operator()(std::uint64_t properties_t::*field) const {
        return {known(from.*field)};
    }
    std::vector<std::optional<std::uint64_t>> operator()(std::uint32_t properties_t::*field) const {
        return {known(from.*field)};
    }
    std::vector<std::optional<std::uint64_t>> operator()(
        std::uint32_t (properties_t::*field)[3]) const {
        const auto& extent = from.*field;
        return {known(extent[0]), known(extent[1]), known(extent[2])};
    }
};

}  // namespace

std::optional<std::uint32_t> known(std::uint32_t figure) {
    return figure == SPOC_BE_UNKNOWN_32 ? std::nullopt : std::optional(figure);
}

std::optional<std::uint64_t> known(std::uint64_t figure) {
    return figure == SPOC_BE_UNKNOWN_64 ? std::nullopt : std::optional(figure);
}

std::vector<limit> limits_of(const spoc_be_device_info& properties) {
    std::vector<limit> list;
    for (const row& r : rows) {
        const bool is_extent = std::holds_alternative<std::uint32_t(properties_t::*)[3]>(r.field);
        list.push_back(
            {r.name, r.in_bytes, is_extent, std::visit(read_figures{properties}, r.field)});
    }
    return list;
}

std::optional<double> timer_tick_of(const spoc_be_device_info& properties) {
    const double tick = properties.timer_ns;
    return std::isfinite(tick) && tick > 0 ? std::optional(tick) : std::nullopt;
}

std::vector<std::string> formats_of(const spoc_be_device_info& properties) {
    std::vector<std::string> names;
    for (std::uint32_t bit = 0; bit < 64; ++bit) {
        if ((properties.formats >> bit & 1U) != 0) {
            names.push_back(bit < format_names.size() ? format_names[bit]
                                                      : "bit_" + std::to_string(bit));
        }
    }
    return names;
}

std::optional<std::string> version_text(const std::uint32_t (&parts)[4]) {
    const bool left_zero = std::all_of(std::begin(parts), std::end(parts),
                                       [](std::uint32_t part) { return part == 0; });
    if (left_zero) {
        return std::nullopt;
    }
    std::string text;
    for (const std::uint32_t part : parts) {
        if (part == SPOC_BE_UNKNOWN_32) {
            break;
        }
        text += text.empty() ? "" : ".";
        text += std::to_string(part);
    }
    return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace spoc::info
