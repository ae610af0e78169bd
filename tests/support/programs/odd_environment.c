/* SPDX-License-Identifier: Apache-2.0 */

/// \file
/// Becomes another program, with its own environment and strings in it that are no variables,
/// because they have no '=':
///
///     odd_environment PROGRAM [ARGUMENT]...

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { most_variables = 4096 };

int main(int argc, char** argv) {
    (void)argc;
    static char* odd[] = {"", "SPOC", "SPOC_", "SPOC_PROBE", "SPOC_BACKENDS", "WORD"};
    enum { odd_count = sizeof odd / sizeof odd[0] };
    static char* variables[most_variables + odd_count + 1];
    memcpy(variables, odd, sizeof odd);
    for (size_t i = 0; i < most_variables && environ[i] != NULL; ++i) {
        variables[odd_count + i] = environ[i];
    }
    (void)execve(argv[1], argv + 1, variables);
    perror(argv[1]);
    return 70;
}
