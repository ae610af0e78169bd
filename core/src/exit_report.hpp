// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spoc::detail {

/// What is written to stderr when the process ends; a forked child writes nothing. Replaces what
/// was asked for before. One caller at a time.
void report_at_exit(bool accounts, bool leaks);

/// Writes a line for each kind of handle that is alive, and device, if leaks are to be reported;
/// then they are not reported at exit.
void report_leaks();

}  // namespace spoc::detail
