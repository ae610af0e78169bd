// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

namespace spoc::conformance {

case_list all_cases() {
    case_list cases;
    add_file_cases(cases);
    add_negotiation_cases(cases);
    add_request_cases(cases);
    add_record_cases(cases);
    add_probe_cases(cases);
    add_absence_cases(cases);
    add_device_cases(cases);
    add_honesty_cases(cases);
    add_kernel_honesty_cases(cases);
    add_buffer_cases(cases);
    add_host_buffer_cases(cases);
    add_pinned_cases(cases);
    add_copy_cases(cases);
    add_copy_order_cases(cases);
    add_peer_cases(cases);
    add_fill_cases(cases);
    add_stream_cases(cases);
    add_event_cases(cases);
    add_program_cases(cases);
    add_launch_cases(cases);
    add_thread_cases(cases);
    add_contention_cases(cases);
    add_lifecycle_cases(cases);
    add_process_cases(cases);
    return cases;
}

}  // namespace spoc::conformance
