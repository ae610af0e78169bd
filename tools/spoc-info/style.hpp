// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <spoc/spoc.h>

#include "common/text.hpp"

namespace spoc::info {

enum class colour { plain, bold, dim, green, yellow, red };

/// How text for people is laid out.
class style {
 public:
    style(bool coloured, std::size_t width) : coloured_(coloured), width_(width) {}

    /// Columns of a line.
    std::size_t width() const { return width_; }

    /// `text` between the escape sequences of a colour, or as it is.
    std::string paint(colour c, std::string_view text) const;

    /// Appends a line to `out` that begins with `lead` (which may be painted and takes
    /// `lead_columns`) and goes on with `text`, wrapped under itself. Foreign text is made
    /// printable first.
    void hang(std::string& out, std::string_view lead, std::size_t lead_columns,
              std::string_view text) const;

    /// Appends "  label   text", the label padded to `label_columns`; nothing when `text` is empty.
    void field(std::string& out, std::size_t indent, std::string_view label,
               std::size_t label_columns, std::string_view text) const;

 private:
    bool coloured_;
    std::size_t width_;
};

/// Colour of a backend's state.
colour state_colour(std::uint32_t state);

}  // namespace spoc::info
