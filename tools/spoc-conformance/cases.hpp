// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "test_case.hpp"

/// \file
/// The groups, one file each in cases/, in the order in which they run.

namespace spoc::conformance {

void add_file_cases(case_list& cases);
void add_negotiation_cases(case_list& cases);
void add_request_cases(case_list& cases);
void add_record_cases(case_list& cases);
void add_probe_cases(case_list& cases);
void add_absence_cases(case_list& cases);
void add_device_cases(case_list& cases);
void add_honesty_cases(case_list& cases);
void add_kernel_honesty_cases(case_list& cases);
void add_buffer_cases(case_list& cases);
void add_host_buffer_cases(case_list& cases);
void add_pinned_cases(case_list& cases);
void add_copy_cases(case_list& cases);
void add_copy_order_cases(case_list& cases);
void add_peer_cases(case_list& cases);
void add_fill_cases(case_list& cases);
void add_stream_cases(case_list& cases);
void add_event_cases(case_list& cases);
void add_program_cases(case_list& cases);
void add_launch_cases(case_list& cases);
void add_thread_cases(case_list& cases);
void add_contention_cases(case_list& cases);
void add_lifecycle_cases(case_list& cases);
void add_process_cases(case_list& cases);

/// All of them.
case_list all_cases();

}  // namespace spoc::conformance
