// SPDX-License-Identifier: Apache-2.0
#include "trace.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "env.hpp"
#include "host_services.hpp"
#include "json_string.hpp"
#include "support/captured_stderr.hpp"
#include "support/catch.hpp"
#include "support/environment.hpp"
#include "support/temporary_folder.hpp"
#include "support/trace_document.hpp"
#include "trace_file.hpp"

namespace spoc::detail {
namespace {

using test::trace_document;

std::string json_of(std::string_view text) {
    std::string out;
    append_json_string(out, text);
    return out;
}

/// A trace in a folder of the test's, which ends with it.
struct trace_fixture {
    trace_fixture() { configure_trace(path.c_str()); }
    trace_fixture(const trace_fixture&) = delete;
    trace_fixture& operator=(const trace_fixture&) = delete;
    ~trace_fixture() { configure_trace(nullptr); }

    trace_document written(const std::string& file = "trace.json") {
        flush_trace();
        return trace_document((folder.path() / file).string());
    }

    test::temporary_folder folder;
    std::string path = (folder.path() / "trace.json").string();
};

}  // namespace

TEST_CASE("A JSON string escapes what it must and keeps all else") {
    CHECK(json_of("") == R"("")");
    CHECK(json_of("a \"b\" \\ /") == R"("a \"b\" \\ /")");
    CHECK(json_of({"\0\n\x1F\x7F", 4}) == R"("\u0000\u000a\u001f\u007f")");
    const char* text =
        GENERATE("\xC2\x80", "\xC3\xA9", "\xE0\xA0\x80", "\xE2\x82\xAC", "\xED\x9F\xBF",
                 "\xEE\x80\x80", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF");
    CHECK(json_of(text) == '"' + std::string(text) + '"');
}

TEST_CASE("What is no UTF-8 is replaced byte by byte") {
    CHECK(json_of("a\xFFz") == R"("a\ufffdz")");
    CHECK(json_of("\x80") == R"("\ufffd")");
    CHECK(json_of("\xC3") == R"("\ufffd")");
    CHECK(json_of("\xC3(") == R"("\ufffd(")");
    CHECK(json_of("\xC1\xBF") == R"("\ufffd\ufffd")");  // longer than it need be
    CHECK(json_of("\xE0\x9F\xBF") == R"("\ufffd\ufffd\ufffd")");
    CHECK(json_of("\xED\xA0\x80") == R"("\ufffd\ufffd\ufffd")");  // half of a pair
    CHECK(json_of("\xF4\x90\x80\x80") == R"("\ufffd\ufffd\ufffd\ufffd")");
    CHECK(json_of("\xE2\x82") == R"("\ufffd\ufffd")");
    CHECK(json_of("\xF8\x88\x80\x80\x80").size() == 2 + 5 * 6);
}

TEST_CASE("A trace file is a whole document after every call") {
    const test::temporary_folder folder;
    const std::string path = folder.write("file.json", std::string(5000, 'x'));
    trace_file file;
    REQUIRE(file.start(path, R"({"ph":"M"})").empty());
    CHECK(trace_document(path).count("M") == 1);
    for (std::size_t n = 1; n < 4; ++n) {
        REQUIRE(file.append(R"(,{"ph":"X"},{"ph":"X"})").empty());
        CHECK(trace_document(path).count("X") == 2 * n);
    }
    std::filesystem::remove(path);
    CHECK(file.append(R"(,{"ph":"X"})") == "No such file or directory");
}

TEST_CASE("Nothing is kept while nothing is traced") {
    const test::temporary_folder folder;
    const std::string path = (folder.path() / "late.json").string();
    CHECK_FALSE(is_tracing());
    trace_begin("early", "test");
    { const traced_call call("spoc_early"); }
    const work_span work("early", 1, 2, "d");
    configure_trace(path.c_str());
    trace_end();
    configure_trace(nullptr);
    CHECK_FALSE(is_tracing());
    trace_begin("late", "test");
    const trace_document written(path);
    CHECK(written.count("M", "process_name") == 1);
    for (const char* phase : {"B", "E", "X", "b"}) {
        CHECK(written.count(phase) == 0);
    }
}

TEST_CASE_METHOD(trace_fixture, "Calls, spans, counters and work are events") {
    {
        traced_call call("spoc_good");
        call.returns(SPOC_OK);
    }
    {
        traced_call call("spoc_bad");
        CHECK(call.returns(SPOC_INVALID_ARGUMENT) == SPOC_INVALID_ARGUMENT);
    }
    trace_begin("span", "test");
    trace_end();
    trace_counter("bytes", "mock:0", UINT64_MAX);
    {
        work_span first("copy", 64, 3, "mock:0");
        work_span second(std::move(first));
        CHECK(first.is_empty());  // NOLINT(bugprone-use-after-move): that is the question
        work_span third;
        third = std::move(second);
        trace_begin("marker", "test");
        trace_end();
    }
    const trace_document found = written();
    CHECK_FALSE(found.of("X", "spoc_good").at(0).contains("args"));
    CHECK(found.of("X", "spoc_bad").at(0)["args"]["status"] == "invalid_argument");
    CHECK(found.of("B", "span").at(0)["cat"] == "test");
    CHECK(found.of("B", "span").at(0)["tid"] == ::getpid());  // the first thread
    CHECK(found.count("E") == 2);
    CHECK(found.of("C", "bytes").at(0)["args"]["mock:0"] == UINT64_MAX);
    REQUIRE(found.count("b", "copy") == 1);
    REQUIRE(found.count("e", "copy") == 1);
    const auto begun = found.of("b", "copy").at(0);
    CHECK(begun["id"] == found.of("e", "copy").at(0)["id"]);
    CHECK(begun["args"] == nlohmann::json({{"bytes", 64}, {"stream", 3}, {"device", "mock:0"}}));
    CHECK(found.time("b", "copy") <= found.time("B", "marker"));
    CHECK(found.time("B", "marker") <= found.time("e", "copy"));
    const auto entries = found.of("C", "ledger entries");
    REQUIRE(entries.size() == 2);
    CHECK(entries[0]["args"]["entries"].get<int>() - entries[1]["args"]["entries"].get<int>() == 1);
}

TEST_CASE_METHOD(trace_fixture,
                 "An end without a begin is nothing, and a thread's end ends its spans") {
    trace_end();
    std::thread([] {
        trace_begin("outer", "test");
        trace_begin("inner", "test");
    }).join();
    std::thread([] { trace_end(); }).join();
    const trace_document found = written();
    CHECK(found.count("B") == 2);
    CHECK(found.count("E") == 2);
}

TEST_CASE_METHOD(trace_fixture, "Events of many threads are all there") {
    constexpr std::size_t threads = 4;
    constexpr std::size_t rounds = 2000;
    std::vector<std::thread> running;
    for (std::size_t i = 0; i < threads; ++i) {
        running.emplace_back([] {
            for (std::size_t round = 0; round < rounds; ++round) {
                trace_begin("span", "test");
                trace_end();
            }
        });
    }
    for (int i = 0; i < 20; ++i) {
        static_cast<void>(written());  // whole at every moment
    }
    for (std::thread& one : running) {
        one.join();
    }
    const trace_document found = written();
    CHECK(found.count("B", "span") == threads * rounds);
    CHECK(found.count("E") == threads * rounds);
}

TEST_CASE_METHOD(trace_fixture, "What a thread gathered is written once it is much") {
    for (int i = 0; i < 4000; ++i) {
        trace_counter("counter", "series", 1);
    }
    CHECK(trace_document(path).count("C") > 1000);
    CHECK(written().count("C") == 4000);
}

TEST_CASE_METHOD(trace_fixture, "The same file goes on, and another one begins anew") {
    trace_counter("first", "series", 1);
    configure_trace(nullptr);
    configure_trace(path.c_str());
    trace_counter("second", "series", 1);
    CHECK(written().count("C") == 2);
    const std::string other = (folder.path() / "%p-%p.json").string();
    trace_counter("third", "series", 1);
    configure_trace(other.c_str());
    trace_counter("fourth", "series", 1);
    CHECK(trace_document(path).count("C") == 3);
    const std::string number = std::to_string(::getpid());
    CHECK(written(number + "-" + number + ".json").count("C") == 1);
}

TEST_CASE_METHOD(trace_fixture, "A file that cannot be written any more is one warning") {
    test::captured_stderr captured;
    std::filesystem::remove(path);
    for (int i = 0; i < 3; ++i) {
        trace_counter("lost", "series", 1);
        flush_trace();
    }
    CHECK(captured.text() == "spoc: warning: core: SPOC_TRACE: the file \"" + path +
                                 "\" cannot be written (No such file or directory); nothing more "
                                 "is traced\n");
    CHECK_FALSE(is_tracing());
}

TEST_CASE_METHOD(trace_fixture, "A forked child writes to no file of its parent's") {
    trace_counter("parent's", "series", 1);
    const pid_t child = ::fork();
    if (child == 0) {
        trace_counter("child's", "series", 1);
        flush_trace();
        configure_trace(path.c_str());
        trace_counter("child's", "series", 1);
        configure_trace(nullptr);
        ::_exit(is_tracing() ? 1 : 0);
    }
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    CHECK(written().count("C") == 1);
}

TEST_CASE("A plugin is offered spans while the library traces, and only then", "[abi]") {
    const test::environment variables;
    const settings config = settings::read();
    CHECK_FALSE(SPOC_HOST_HAS(host_services("rec", config).table(), trace_begin));
    CHECK_FALSE(SPOC_HOST_HAS(host_services("rec", config).table(), trace_end));
    trace_fixture tracing;
    const host_services services("rec", config);
    const spoc_be_host& host = *services.table();
    REQUIRE(SPOC_HOST_HAS(&host, trace_begin));
    REQUIRE(SPOC_HOST_HAS(&host, trace_end));
    host.trace_begin(host.ctx, "submit");
    host.trace_end(host.ctx);
    host.trace_begin(host.ctx, nullptr);
    host.trace_end(host.ctx);
    const trace_document found = tracing.written();
    CHECK(found.of("B", "submit").at(0)["cat"] == "rec");
    CHECK(found.count("B") == 2);
    CHECK(found.count("E") == 2);
}

}  // namespace spoc::detail
