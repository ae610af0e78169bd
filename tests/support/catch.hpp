// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Catch2 of either major version: 2.13 has one header, 3 has one that includes all of its own.

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
