// SPDX-License-Identifier: Apache-2.0
#include "raw_backend.hpp"

#include <cstdlib>
#include <stdexcept>

#include <spoc/backends.hpp>

namespace spoc::bench {
namespace {

std::filesystem::path plugin_file(std::string_view backend) {
    for (const auto& one : backends()) {
        if (one.name == backend) {
            return std::string(one.file);
        }
    }
    throw std::runtime_error("The backend " + std::string(backend) + " has no plugin file.");
}

std::filesystem::path new_folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "spoc-bench-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
        throw std::runtime_error("There is no place for a copy of the plugin.");
    }
    return pattern;
}

}  // namespace

spoc_be_error empty_error() noexcept {
    spoc_be_error error{};
    error.size = sizeof error;
    return error;
}

raw_backend::raw_backend(const device& like)
    : folder_(new_folder()), config_(detail::settings::read()) {
    try {
        const std::filesystem::path original = plugin_file(like.backend());
        const std::filesystem::path copy = folder_ / original.filename();
        std::filesystem::copy_file(original, copy);
        plugin_ =
            std::make_unique<detail::plugin>(std::string(like.backend()), copy.string(), config_);
        open(like.properties().index);
    } catch (...) {
        remove_copy();
        throw;
    }
    remove_copy();  // it is mapped
}

void raw_backend::remove_copy() noexcept {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

void raw_backend::open(std::uint32_t index) {
    plugin_->advance(SPOC_STAGE_ENUMERATED);
    if (plugin_->info().reason != SPOC_BE_REASON_NONE) {
        throw std::runtime_error("A second copy of the plugin does not start: " +
                                 std::string(plugin_->info().message));
    }
    spoc_be_device_desc desc{};
    desc.size = sizeof desc;
    device_.size = sizeof device_;
    spoc_be_error error = empty_error();
    check(table().device_open(index, &desc, &device_, &error), error);
}

void raw_backend::check(std::int32_t status, const spoc_be_error& error) {
    if (status < 0) {
        throw std::runtime_error(std::string("A call of the plugin fails: ") + error.message);
    }
}

raw_backend::~raw_backend() {
    spoc_be_error error = empty_error();
    static_cast<void>(table().device_close(device_.device, &error));
    plugin_->close();
}

}  // namespace spoc::bench
