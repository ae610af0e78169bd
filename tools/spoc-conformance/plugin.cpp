// SPDX-License-Identifier: Apache-2.0
#include "plugin.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "check.hpp"

namespace spoc::conformance {
namespace {

/// To the end of the last entry that must be there: those after it are optional.
constexpr std::uint32_t least_size = offsetof(spoc_be_table, fill) + sizeof(spoc_be_table::fill);
/// Far above what any table will need: what is larger is no size.
constexpr std::uint32_t most_size = 1U << 20;

void check_header(const spoc_be_header& header) {
    require(header.magic == SPOC_BE_MAGIC, "The table does not begin with \"SPOCBEv1\".");
    require(header.major == SPOC_BE_ABI_MAJOR, "The table says major version ", header.major,
            ", and this suite judges version ", SPOC_BE_ABI_MAJOR, ".");
    require(header.size >= least_size && header.size <= most_size && header.size % 8 == 0,
            "The table says it is ", header.size, " bytes long; version 1 tables have ", least_size,
            " or more, a multiple of 8.");
}

}  // namespace

const spoc_be_table& load_plugin(const std::string& path) {
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == nullptr) {
        fail("The system's loader refuses the file: ", dlerror());
    }
    const void* symbol = dlsym(library, SPOC_BE_SYMBOL);
    require(symbol != nullptr, "The file exports no \"" SPOC_BE_SYMBOL "\".");
    const auto& table = *static_cast<const spoc_be_table*>(symbol);
    check_header(table.header);
    return table;
}

spoc_be_table read_table(const spoc_be_table& table) {
    spoc_be_table known{};
    std::memcpy(&known, &table, std::min<std::size_t>(table.header.size, sizeof known));
    return known;
}

}  // namespace spoc::conformance
