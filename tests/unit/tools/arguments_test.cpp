// SPDX-License-Identifier: Apache-2.0
#include "common/arguments.hpp"

#include <vector>

#include "support/catch.hpp"

using namespace spoc::tools;

namespace {

/// A program with two options, and a command that takes a file and an option of its own.
struct program {
    CLI::App app{"What it does.", "tool"};
    bool verbose = false;
    std::vector<std::string> names;
    std::string file;
    bool fast = false;

    program() {
        app.add_flag("--verbose", verbose, "say more");
        app.add_option("--name", names, "names")->allow_extra_args(false);
    }

    program& with_command() {
        app.require_subcommand(1);
        CLI::App* load = app.add_subcommand("load", "load a file");
        load->add_option("FILE", file, "file")->required();
        load->add_flag("--fast", fast, "go faster");
        return *this;
    }

    arguments_result read(std::vector<const char*> words) {
        words.insert(words.begin(), "tool");
        return read_arguments(app, static_cast<int>(words.size()), words.data());
    }

    std::string mistake(const std::vector<const char*>& words) {
        return read(words).mistake.value_or("none");
    }
};

}  // namespace

TEST_CASE("arguments that fit leave nothing to print", "[arguments]") {
    program p;
    const arguments_result result = p.read({"--name", "a", "--verbose", "--name=b"});
    CHECK_FALSE(result.answer);
    CHECK_FALSE(result.mistake);
    CHECK(p.verbose);
    CHECK(p.names == std::vector<std::string>{"a", "b"});
}

TEST_CASE("help is an answer, of the command when one is named", "[arguments]") {
    CHECK(program().read({"--help"}).answer.value_or("").find("--verbose") != std::string::npos);
    const std::string text = program().with_command().read({"load", "--help"}).answer.value_or("");
    CHECK(text.find("--fast") != std::string::npos);
    CHECK(text.find("--verbose") == std::string::npos);
}

TEST_CASE("an unknown option is named with the nearest one", "[arguments]") {
    CHECK(program().mistake({"--verbsoe"}) == "unknown option --verbsoe; did you mean --verbose?");
    CHECK(program().mistake({"--nam=x"}) == "unknown option --nam; did you mean --name?");
}

TEST_CASE("an unknown option of a command is named before the file that is missing",
          "[arguments]") {
    CHECK(program().with_command().mistake({"load", "--fats"}) ==
          "unknown option --fats; did you mean --fast?");
    CHECK(program().with_command().mistake({"load", "x", "--fats"}) ==
          "unknown option --fats; did you mean --fast?");
    CHECK(program().with_command().mistake({"--verbos"}) ==
          "unknown option --verbos; did you mean --verbose?");
}

TEST_CASE("an unknown command is named with the nearest one", "[arguments]") {
    CHECK(program().with_command().mistake({"laod", "x"}) ==
          "unknown command laod; did you mean load?");
}

TEST_CASE("a word that nobody asked for is named", "[arguments]") {
    CHECK(program().mistake({"extra"}) == "unexpected argument extra");
    CHECK(program().mistake({"--", "--verbsoe"}) == "unexpected argument --verbsoe");
    CHECK(program().with_command().mistake({"load", "a", "b"}) == "unexpected argument b");
}

TEST_CASE("what is missing is said", "[arguments]") {
    CHECK(program().mistake({"--name"}).find("--name") != std::string::npos);
    CHECK(program().with_command().mistake({"load"}).find("FILE") != std::string::npos);
    CHECK(program().with_command().mistake({}) != "none");
}

TEST_CASE("a mistake cannot steer the terminal", "[arguments]") {
    CHECK(program().mistake({"--\x1b[31m"}).find('\x1b') == std::string::npos);
}
