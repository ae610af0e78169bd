// SPDX-License-Identifier: Apache-2.0
#include "common/arguments.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

#include "common/output.hpp"
#include "common/text.hpp"
#include "nearest.hpp"

namespace spoc::tools {
namespace {

std::vector<std::string> subcommand_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        names.push_back(command->get_name());
    }
    return names;
}

void append_option_names(const CLI::App& app, std::vector<std::string>& names) {
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            names.push_back("--" + name);
        }
        for (const std::string& name : option->get_snames()) {
            names.push_back("-" + name);
        }
    }
}

/// Options that could have been meant: those of the subcommand in use come first.
std::vector<std::string> option_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands()) {
        append_option_names(*command, names);
    }
    append_option_names(app, names);
    return names;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates) {
    const std::string best = detail::nearest(word, candidates);
    return best.empty() ? std::string() : "; did you mean " + best + "?";
}

/// First of `words` that was meant as an option; what follows "--" was not.
std::optional<std::string> first_option(const std::vector<std::string>& words) {
    for (const std::string& word : words) {
        if (word == "--") {
            break;
        }
        if (word.size() > 1 && word.front() == '-') {
            return word.substr(0, word.find('='));
        }
    }
    return std::nullopt;
}

std::optional<std::string> first_operand(const std::vector<std::string>& words) {
    for (const std::string& word : words) {
        if (word != "--") {
            return word;
        }
    }
    return std::nullopt;
}

/// An option of the program's own, written behind a command that has none of that name.
bool stands_too_late(const CLI::App& app, const std::string& option) {
    std::vector<std::string> names;
    append_option_names(app, names);
    return !app.get_subcommands().empty() &&
           std::find(names.begin(), names.end(), option) != names.end();
}

std::string describe_mistake(const CLI::App& app, const CLI::ParseError& error) {
    // CLI11 looks at what is left over last, and would ask for a missing FILE where the option
    // before it is misspelt.
    const std::vector<std::string> left_over = app.remaining(true);
    if (const auto option = first_option(left_over)) {
        if (stands_too_late(app, *option)) {
            return "option " + *option + " stands before the command: " + app.get_name() + " " +
                   *option;
        }
        return "unknown option " + printable(*option) + did_you_mean(*option, option_names(app));
    }
    const auto operand = first_operand(left_over);
    const auto commands = subcommand_names(app);
    if (operand && !commands.empty() && app.get_subcommands().empty()) {
        return "unknown command " + printable(*operand) + did_you_mean(*operand, commands);
    }
    if (operand) {
        return "unexpected argument " + printable(*operand);
    }
    return printable(error.what());
}

}  // namespace

arguments_result read_arguments(CLI::App& app, int argc, const char* const* argv) {
    arguments_result result;
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& success) {
        std::ostringstream text;
        app.exit(success, text, text);
        result.answer = text.str();
    } catch (const CLI::ParseError& error) {
        result.mistake = describe_mistake(app, error);
    }
    return result;
}

std::optional<int> parse_arguments(CLI::App& app, int argc, const char* const* argv) {
    const arguments_result result = read_arguments(app, argc, argv);
    if (result.answer) {
        return write_stdout(app.get_name(), *result.answer) ? 0 : exit_output;
    }
    if (result.mistake) {
        return report_usage(app.get_name(), *result.mistake);
    }
    return std::nullopt;
}

int report_usage(std::string_view program, std::string_view mistake) {
    tell(program, mistake);
    tell(program, "hint: run '" + std::string(program) + " --help' for the options");
    return exit_usage;
}

}  // namespace spoc::tools
