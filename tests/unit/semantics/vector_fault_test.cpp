// SPDX-License-Identifier: Apache-2.0

/// \file
/// Every call of a plugin that operations on shared memory make fails once: what the vector holds,
/// its buffers and its owner stay, and the operation works when it is tried again.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vector_fixture.hpp"

namespace spoc::test {
namespace {

using numbers_vector = vector<std::int32_t>;

/// Device d is integrated and guards its unified memory, device e is discrete.
struct world : two_devices {
    world() {
        mock.gate.describe(0, SPOC_BE_KIND_INTEGRATED);
        begin();
        in_place.emplace(host_ptr_buffer<std::int32_t>::of_span(*d, memory));
        in_place->write_range(0, numbers(2));
        unified.emplace(*d, elements);
        unified->fill(3);
        plain.emplace(elements);
        plain->fill(4);
        view.emplace(plain->view(0, 4));
        view->to_device(*e);
        view->write_range(0, std::vector<std::int32_t>(4, 5));
        moved.emplace(elements);
        moved->fill(6);
        moved->to_device(*e);
        moved->write_range(0, numbers(7));
        mock.forget();
    }

    /// States, links and objects: what a failed call leaves.
    std::string look() const {
        std::string text;
        for (const numbers_vector* const one : std::initializer_list<const numbers_vector*>{
                 &*in_place, &*unified, &*plain, &*view, &*moved}) {
            text += place(*one) + ' ' + std::to_string(one->link(*d)) +
                    std::to_string(one->link(*e)) + ' ';
        }
        return text + std::to_string(mock.gate.alive(SPOC_MOCK_BUFFERS)) + ' ' +
               std::to_string(lent.use_count());
    }

    void check_contents() {
        plain->gather();
        CHECK(copy_of(in_place->read()) == numbers(2));
        CHECK(plain->at(3) == 5);
        CHECK(plain->at(4) == 4);
        CHECK(copy_of(moved->read()) == numbers(7));
        CHECK(unified->at(7) == 3);
    }

    std::vector<std::int32_t> memory = numbers(1);
    std::vector<std::int32_t> more = numbers(8);
    std::shared_ptr<int> lent = std::make_shared<int>(0);
    std::optional<host_ptr_buffer<std::int32_t>> in_place, made;
    std::optional<unified_vector<std::int32_t>> unified, made_unified;
    std::optional<numbers_vector> plain, view, moved, copied;
};

struct operation {
    const char* name;
    std::function<void(world&)> call;
    bool ends_object = false;  ///< which happens also when the call fails
};

const std::vector<operation>& operations() {
    static const std::vector<operation> all = {
        {"create_host_pointer",
         [](world& w) {
             w.made.emplace(host_ptr_buffer<std::int32_t>::of_span(*w.d, w.more, w.lent));
         }},
        {"attach", [](world& w) { host_ptr_buffer<std::int32_t>::attach(*w.moved, *w.d); }},
        {"acquire", [](world& w) { w.in_place->acquire_device_writes(); }},
        {"in place, read", [](world& w) { w.in_place->read(); }},
        {"in place, to_device(e)", [](world& w) { w.in_place->to_device(*w.e); }},
        {"in place, free", [](world& w) { w.in_place->free_buffer(*w.d); }, true},
        {"create_unified", [](world& w) { w.made_unified.emplace(*w.d, 16); }},
        {"unified, read", [](world& w) { w.unified->read(); }},
        {"unified, to_device(e)", [](world& w) { w.unified->to_device(*w.e); }},
        {"unified, free", [](world& w) { w.unified->free_buffer(*w.d); }, true},
        {"copy", [](world& w) { w.copied.emplace(w.moved->copy()); }},
    };
    return all;
}

std::vector<std::uint32_t> entries_of(const operation& one) {
    world fresh;
    one.call(fresh);
    std::vector<std::uint32_t> found;
    for (const spoc_mock_call& call : fresh.mock.records()) {
        found.push_back(call.entry);
    }
    return found;
}

}  // namespace

TEST_CASE("A call of a plugin that fails leaves vectors in shared memory as they were",
          "[R-003][R-320][U-2]") {
    std::size_t faults = 0;
    for (const operation& one : operations()) {
        const std::vector<std::uint32_t> entries = entries_of(one);
        CHECK_FALSE(entries.empty());
        for (std::size_t index = 0; index < entries.size(); ++index) {
            CAPTURE(std::string(one.name), index, entries[index]);
            world fresh;
            const std::string before = fresh.look();
            spoc_mock_fault fault{};
            fault.size = sizeof fault;
            fault.entry = entries[index];
            fault.status = SPOC_BE_DRIVER;
            fault.skip = static_cast<std::uint64_t>(
                std::count(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(index),
                           entries[index]));
            fresh.mock.fail(fault);
            CHECK(thrown([&] { one.call(fresh); }).substr(0, 13) == "backend_error");
            const bool ended = one.ends_object && index + 1 == entries.size();
            CHECK((ended || fresh.look() == before));
            CHECK(thrown([&] { one.call(fresh); }) == "ok");
            fresh.check_contents();
            ++faults;
        }
    }
    CHECK(faults >= operations().size());
}

}  // namespace spoc::test
