// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

namespace spoc {

/// The machine that ELF files have to be built for, to be loaded by this program.
#if defined(__x86_64__)
inline constexpr Elf64_Half own_machine = EM_X86_64;
#elif defined(__aarch64__)
inline constexpr Elf64_Half own_machine = EM_AARCH64;
#elif defined(__riscv)
inline constexpr Elf64_Half own_machine = EM_RISCV;
#elif defined(__powerpc64__)
inline constexpr Elf64_Half own_machine = EM_PPC64;
#elif defined(__s390x__)
inline constexpr Elf64_Half own_machine = EM_S390;
#elif defined(__loongarch64)
inline constexpr Elf64_Half own_machine = EM_LOONGARCH;
#else
#error "elf_machine.hpp: the ELF machine number of this architecture is not known; add it here"
#endif

}  // namespace spoc
