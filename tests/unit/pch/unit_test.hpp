// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compiled once for each program of unit tests, since Catch2 takes longer to read than most of the
/// tests. Nothing may rest on it: the builds with clang go without (-Db_pch=false).

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"
