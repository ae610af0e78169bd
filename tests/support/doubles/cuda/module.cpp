// SPDX-License-Identifier: Apache-2.0
#include "module.hpp"

#include <dlfcn.h>
#include <elf.h>

#include <cstring>
#include <regex>

#include "brackets.hpp"

namespace cuda_double {
namespace {

constexpr std::string_view elf_magic("\177ELF", 4);

struct binary_head {
    Elf64_Ehdr head;
    Elf64_Shdr sections[2];
};

const spoc_native_kernel* find_native(const std::string& name) {
    // The double is linked with the conformance suite's kernels.
    static const char anchor = 0;
    Dl_info self{};
    if (::dladdr(&anchor, &self) == 0) {
        return nullptr;
    }
    void* library = ::dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    return static_cast<const spoc_native_kernel*>(
        ::dlsym(library, (SPOC_NATIVE_KERNEL_PREFIX + name).c_str()));
}

std::size_t size_of_type(const std::string& type) {
    const std::string bits = type.substr(1);
    return bits == "64" ? 8 : bits == "32" ? 4 : bits == "16" ? 2 : 1;
}

std::vector<std::size_t> parameters_of(const std::string& text) {
    static const std::regex parameter(
        R"(\.param\s+(?:\.align\s+\d+\s+)?\.([a-z]\d+)\s+\w+(?:\[(\d+)\])?)");
    std::vector<std::size_t> sizes;
    for (std::sregex_iterator at(text.begin(), text.end(), parameter), end; at != end; ++at) {
        const std::size_t count = (*at)[2].matched ? std::stoul((*at)[2]) : 1;
        sizes.push_back(size_of_type((*at)[1]) * count);
    }
    return sizes;
}

/// Kernels and the sizes of their parameters. Nothing of their code is looked at.
void read_functions(const std::string& ptx, CUmod_st& out) {
    static const std::regex entry(R"(\.entry\s+([\w$]+)\s*(?:\(([^)]*)\))?)");
    for (std::sregex_iterator at(ptx.begin(), ptx.end(), entry), end; at != end; ++at) {
        auto function = std::make_unique<CUfunc_st>();
        function->context = out.context;
        function->parameters = parameters_of((*at)[2]);
        function->native = find_native((*at)[1]);
        out.functions[(*at)[1]] = std::move(function);
    }
}

bool is_ptx(std::string_view text) {
    return text.find(".version") != std::string_view::npos &&
           text.find(".target") != std::string_view::npos && brackets_match(text);
}

}  // namespace

result to_binary(std::string_view ptx, std::string& out, std::string& log) {
    if (!is_ptx(ptx)) {
        log = "ptxas fatal   : Missing .version directive at start of file";
        return api::invalid_ptx;
    }
    binary_head binary{};
    std::memcpy(binary.head.e_ident, ELFMAG, SELFMAG);
    binary.head.e_ident[EI_CLASS] = ELFCLASS64;
    binary.head.e_shoff = offsetof(binary_head, sections);
    binary.head.e_shentsize = sizeof(Elf64_Shdr);
    binary.head.e_shnum = 2;
    binary.sections[1].sh_type = SHT_PROGBITS;
    binary.sections[1].sh_offset = sizeof binary;
    binary.sections[1].sh_size = ptx.size();
    out.assign(reinterpret_cast<const char*>(&binary), sizeof binary);
    out.append(ptx);
    return api::success;
}

result load_module(CUctx_st& context, const char* image, std::unique_ptr<CUmod_st>& out,
                   std::string& log) {
    std::string ptx;
    if (std::memcmp(image, elf_magic.data(), elf_magic.size()) == 0) {
        binary_head binary{};
        std::memcpy(&binary, image, sizeof binary);
        if (binary.head.e_shoff != offsetof(binary_head, sections) || binary.head.e_shnum != 2) {
            return api::no_binary_for_gpu;
        }
        ptx.assign(image + binary.sections[1].sh_offset, binary.sections[1].sh_size);
    } else {
        ptx = image;
    }
    if (ptx.find(".version") == std::string::npos) {
        return api::invalid_image;  // not taken for PTX at all
    }
    if (!is_ptx(ptx)) {
        log = "ptxas fatal   : Missing .target directive";
        return api::invalid_ptx;
    }
    out = std::make_unique<CUmod_st>();
    out->context = &context;
    read_functions(ptx, *out);
    return api::success;
}

void run_kernel(const spoc_native_kernel& kernel, const std::uint32_t (&grid)[3],
                const std::uint32_t (&block)[3], std::uint32_t shared_bytes,
                const std::vector<std::vector<std::byte>>& arguments) {
    std::vector<void*> places;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        void* place = const_cast<std::byte*>(arguments[i].data());
        if (i < kernel.param_count && kernel.params[i].kind == SPOC_BE_PARAM_BUFFER) {
            std::memcpy(&place, arguments[i].data(), sizeof place);
        }
        places.push_back(place);
    }
    std::vector<std::uint64_t> shared((shared_bytes + 63U) / 8U + 8U);
    void* scratch = shared.data();
    std::size_t room = shared.size() * 8;
    spoc_native_block at{};
    at.size = sizeof at;
    std::memcpy(at.grid, grid, sizeof grid);
    std::memcpy(at.block, block, sizeof block);
    at.shared_bytes = shared_bytes;
    at.shared = shared_bytes == 0 ? nullptr : std::align(64, shared_bytes, scratch, room);
    for (at.index[2] = 0; at.index[2] < grid[2]; ++at.index[2]) {
        for (at.index[1] = 0; at.index[1] < grid[1]; ++at.index[1]) {
            for (at.index[0] = 0; at.index[0] < grid[0]; ++at.index[0]) {
                kernel.run(&at, places.data());
            }
        }
    }
}

}  // namespace cuda_double
