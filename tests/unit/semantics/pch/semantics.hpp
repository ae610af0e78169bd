// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compiled once for all of these tests, since what they include takes longer to read than most of
/// them. Nothing may rest on it: the builds with clang go without (-Db_pch=false).

#include "../../pch/unit_test.hpp"
#include "../launch_fixture.hpp"
#include "../vector_fixture.hpp"
