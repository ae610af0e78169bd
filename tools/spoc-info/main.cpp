// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <exception>

#include "collect.hpp"
#include "common/output.hpp"
#include "host.hpp"
#include "json_view.hpp"
#include "judge.hpp"
#include "options.hpp"
#include "redaction.hpp"
#include "schema.hpp"
#include "secrets.hpp"
#include "text_view.hpp"

namespace spoc::info {
namespace {

constexpr std::size_t paper_width = 100;
/// Of a terminal that is narrower still, lines go beyond the edge.
constexpr std::size_t least_width = 20;

void report(const model& m) {
    for (const std::string& note : m.notes) {
        tools::tell(program, "note: " + note);
    }
    for (const problem& p : m.problems) {
        tools::tell(program, p.message);
        if (!p.hint.empty()) {
            tools::tell(program, "hint: " + p.hint);
        }
    }
}

style chosen_style(const options& wanted) {
    return {tools::colour_wanted(wanted.colour),
            std::max(tools::terminal_width(paper_width), least_width)};
}

/// Writes `text` and returns the exit status: `otherwise`, or that of a failed write when it would
/// have been 0.
int finish(const std::string& text, int otherwise) {
    const bool written = tools::write_stdout(program, text);
    return written || otherwise != 0 ? otherwise : tools::exit_output;
}

/// Prints everything; talk comes last, where the reader's eye is.
int conclude(const model& m, const std::string& text) {
    const int status = finish(text, m.worst() == nullptr ? 0 : m.worst()->exit_status);
    report(m);
    return status;
}

int show(const options& wanted) {
    if (wanted.redact) {
        tools::drop_foreign_talk();
    }
    std::optional<runtime> running;
    model m = collect(wanted, running);
    if (wanted.redact) {
        redact(m, secrets_of_this_process());
    }
    return conclude(m, wanted.json ? json_of(m) : text_of(m, wanted, chosen_style(wanted)));
}

/// What is left to print when nothing could be gathered: the problem, and a document where one was
/// asked for.
int give_up(problem p, int argc, const char* const* argv) {
    const bool json = asks_for("--json", argc, argv);
    model m;
    m.host = host();
    m.problems.push_back(std::move(p));
    if (asks_for("--redact", argc, argv)) {
        redact(m, secrets_of_this_process());
    }
    return conclude(m, json ? json_of(m) : std::string());
}

int run(int argc, const char* const* argv) {
    try {
        const command_line line = read_command_line(argc, argv);
        if (line.answer) {
            return finish(*line.answer, 0);
        }
        return line.wanted.schema ? finish(std::string(schema_text()), 0) : show(line.wanted);
    } catch (const mistake& wrong) {
        return give_up(problem_of(wrong), argc, argv);
    } catch (const std::exception& failure) {
        return give_up(
            {1, SPOC_INTERNAL_ERROR, SPOC_SUB_NONE, SPOC_BE_REASON_NONE, failure.what(), ""}, argc,
            argv);
    }
}

}  // namespace
}  // namespace spoc::info

int main(int argc, char** argv) {
    spoc::tools::claim_standard_streams();
    spoc::tools::leave(spoc::info::run(argc, argv));
}
