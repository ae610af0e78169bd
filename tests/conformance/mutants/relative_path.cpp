// SPDX-License-Identifier: Apache-2.0
// Its libraries are searched in a folder of the current one.
// Case: file/search_path
#include "mutant.hpp"

namespace spoc::mutant {
namespace {

constexpr void change(spoc_be_table& be) { static_cast<void>(be); }

}  // namespace
}  // namespace spoc::mutant

SPOC_MUTANT(spoc::mutant::change);
