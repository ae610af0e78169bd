// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <spoc/backend.h>

namespace spoc {

/// Entries that pass each call on to those of the table `Original`, which is linked in: a constant
/// table can be made of them, as a plugin's has to be.
template <const spoc_be_table& Original>
class forward {
 public:
    /// `offers_all`: whether the original has the entries that only the asynchronous layer has.
    static constexpr spoc_be_table table(const char* name, bool offers_all) noexcept {
        spoc_be_table made{};
        made.header = SPOC_BE_TABLE_HEADER;
        made.name = name;
        made.vendor = "Acme";
        made.version = "1.0";
        made.build_id = "";
        set_life_cycle(made);
        set_memory(made, offers_all);
        set_order(made);
        set_work(made, offers_all);
        return made;
    }

 private:
    template <auto Entry>
    struct one;

    template <typename Result, typename... Arguments, Result (*spoc_be_table::*Entry)(Arguments...)>
    struct one<Entry> {
        static Result call(Arguments... arguments) { return (Original.*Entry)(arguments...); }
    };

    template <auto Entry>
    static constexpr auto call = &one<Entry>::call;

    static constexpr void set_life_cycle(spoc_be_table& made) {
        made.probe = call<&spoc_be_table::probe>;
        made.open = call<&spoc_be_table::open>;
        made.close = call<&spoc_be_table::close>;
        made.quiesce = call<&spoc_be_table::quiesce>;
        made.get_interface = call<&spoc_be_table::get_interface>;
        made.device_count = call<&spoc_be_table::device_count>;
        made.device_info = call<&spoc_be_table::device_info>;
        made.cap_reason = call<&spoc_be_table::cap_reason>;
        made.device_open = call<&spoc_be_table::device_open>;
        made.device_close = call<&spoc_be_table::device_close>;
        made.device_memory = call<&spoc_be_table::device_memory>;
    }

    static constexpr void set_memory(spoc_be_table& made, bool offers_all) {
        made.buffer_create = call<&spoc_be_table::buffer_create>;
        made.buffer_destroy = call<&spoc_be_table::buffer_destroy>;
        made.pinned_alloc = call<&spoc_be_table::pinned_alloc>;
        made.pinned_free = call<&spoc_be_table::pinned_free>;
        if (offers_all) {
            made.buffer_wait = call<&spoc_be_table::buffer_wait>;
            made.buffer_host_access = call<&spoc_be_table::buffer_host_access>;
            made.host_register = call<&spoc_be_table::host_register>;
            made.host_unregister = call<&spoc_be_table::host_unregister>;
            made.host_query = call<&spoc_be_table::host_query>;
        }
    }

    static constexpr void set_order(spoc_be_table& made) {
        made.stream_create = call<&spoc_be_table::stream_create>;
        made.stream_destroy = call<&spoc_be_table::stream_destroy>;
        made.stream_flush = call<&spoc_be_table::stream_flush>;
        made.stream_query = call<&spoc_be_table::stream_query>;
        made.stream_sync = call<&spoc_be_table::stream_sync>;
        made.stream_wait = call<&spoc_be_table::stream_wait>;
        made.event_create = call<&spoc_be_table::event_create>;
        made.event_destroy = call<&spoc_be_table::event_destroy>;
        made.event_record = call<&spoc_be_table::event_record>;
        made.event_query = call<&spoc_be_table::event_query>;
        made.event_sync = call<&spoc_be_table::event_sync>;
        made.event_elapsed = call<&spoc_be_table::event_elapsed>;
    }

    static constexpr void set_work(spoc_be_table& made, bool offers_all) {
        made.copy = call<&spoc_be_table::copy>;
        made.fill = call<&spoc_be_table::fill>;
        if (offers_all) {
            made.peer_query = call<&spoc_be_table::peer_query>;
        }
        made.program_load = call<&spoc_be_table::program_load>;
        made.program_destroy = call<&spoc_be_table::program_destroy>;
        made.kernel_get = call<&spoc_be_table::kernel_get>;
        made.kernel_info = call<&spoc_be_table::kernel_info>;
        made.kernel_params = call<&spoc_be_table::kernel_params>;
        made.kernel_destroy = call<&spoc_be_table::kernel_destroy>;
        made.launch = call<&spoc_be_table::launch>;
    }
};

}  // namespace spoc
