// SPDX-License-Identifier: Apache-2.0
#include "native/machine.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <spoc/backend.h>

#include "support/catch.hpp"

namespace spoc::native {
namespace {

/// A made-up /proc and control group tree, with 1000 KiB of memory of which 800 KiB are available.
class fake_system {
 public:
    fake_system() {
        std::string name = (std::filesystem::temp_directory_path() / "spoc-XXXXXX").string();
        root_ = ::mkdtemp(name.data());
        write("proc/meminfo", "MemTotalOther: 5 kB\nMemTotal:    1000 kB\nMemAvailable:  800 kB\n");
    }
    ~fake_system() { std::filesystem::remove_all(root_); }
    fake_system(const fake_system&) = delete;
    fake_system& operator=(const fake_system&) = delete;

    void write(const std::string& file, const std::string& text) {
        std::filesystem::create_directories((root_ / file).parent_path());
        std::ofstream(root_ / file) << text;
    }

    memory_state read() { return read_memory(root_ / "proc", root_ / "groups"); }

 private:
    std::filesystem::path root_;
};

}  // namespace

TEST_CASE("Memory is the machine's where no control group limits it") {
    fake_system system;
    SECTION("no group") {}
    SECTION("version 1 only") { system.write("proc/self/cgroup", "4:memory:/a\n1:cpu:/\n"); }
    SECTION("no limit") {
        system.write("proc/self/cgroup", "0::/a\n");
        system.write("groups/a/memory.max", "max\n");
        system.write("groups/a/memory.current", "4096\n");
    }
    SECTION("larger limit") {
        system.write("proc/self/cgroup", "0::/a\n");
        system.write("groups/a/memory.max", "99999999\n");
        system.write("groups/a/memory.current", "0\n");
    }
    SECTION("nonsense") {
        system.write("proc/self/cgroup", "0::nonsense\n");
        system.write("groups/memory.max", "much\n");
    }
    CHECK(system.read().total == uint64_t{1000} * 1024);
    CHECK(system.read().available == uint64_t{800} * 1024);
}

TEST_CASE("Memory is what the tightest control group leaves, the page cache counted as free") {
    fake_system system;
    system.write("proc/self/cgroup", "1:cpu:/x\n0::/a/b\n");
    system.write("groups/a/b/memory.max", "max\n");
    system.write("groups/a/memory.max", "500000\n");
    system.write("groups/a/memory.current", "450000\n");
    system.write("groups/a/memory.stat", "anon 1\ninactive_file 100000\nactive_file 200000\n");
    CHECK(system.read().total == 500000);
    CHECK(system.read().available == 350000);
    system.write("groups/memory.max", "400000\n");
    system.write("groups/memory.current", "399999\n");
    CHECK(system.read().total == 400000);
    CHECK(system.read().available == 1);
}

TEST_CASE("Memory that the system does not tell is unknown") {
    const memory_state memory = read_memory("/nowhere", "/nowhere");
    CHECK(memory.total == SPOC_BE_UNKNOWN_64);
    CHECK(memory.available == SPOC_BE_UNKNOWN_64);
}

TEST_CASE("The machine names itself and counts its CPUs") {
    const machine& machine = this_machine();
    CHECK(std::string(machine.architecture).size() > 0);
    CHECK(std::string(machine.name).size() > 0);
    CHECK(machine.cpu_count > 0);
}

}  // namespace spoc::native
