// SPDX-License-Identifier: Apache-2.0
//
// A double of NVIDIA's run-time compiler, for the double of its driver: it reads the kernels' names
// and parameters out of CUDA C, and writes PTX that says the same and no more. The real one asks
// the driver for things that the double has not.
#include <cstddef>
#include <cstring>
#include <regex>
#include <string>
#include <string_view>

#include "brackets.hpp"

struct _nvrtcProgram {
    std::string source;
    std::string log;
    std::string ptx;
};

namespace {

constexpr int success = 0;
constexpr int invalid_program = 4;
constexpr int invalid_option = 5;
constexpr int compilation = 6;

std::string ptx_type(const std::string& parameter) {
    const auto has = [&](const char* word) { return parameter.find(word) != std::string::npos; };
    if (has("*") || has("long") || has("double")) {
        return ".u64";
    }
    if (has("triple")) {  // a structure of the conformance suite's
        return ".align 4 .b8";
    }
    return ".u32";
}

std::string ptx_parameters(const std::string& text) {
    std::string out;
    std::size_t number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t comma = std::min(text.find(',', begin), text.size());
        const std::string type = ptx_type(text.substr(begin, comma - begin));
        out += (number == 0 ? "" : ", ") + (".param " + type) + " p" + std::to_string(number);
        out += type.find("b8") != std::string::npos ? "[12]" : "";
        ++number;
        begin = comma + 1;
    }
    return out;
}

int copy_out(const std::string& text, std::size_t* bytes) {
    *bytes = text.size() + 1;
    return success;
}

}  // namespace

#define SPOC_EXPORT extern "C" __attribute__((visibility("default")))

SPOC_EXPORT int nvrtcVersion(int* major, int* minor) {
    *major = 13;
    *minor = 0;
    return success;
}

SPOC_EXPORT const char* nvrtcGetErrorString(int code) {
    return code == invalid_option ? "NVRTC_ERROR_INVALID_OPTION"
           : code == compilation  ? "NVRTC_ERROR_COMPILATION"
                                  : "NVRTC_ERROR";
}

SPOC_EXPORT int nvrtcCreateProgram(_nvrtcProgram** out, const char* source, const char* /*name*/,
                                   int /*count*/, const char* const* /*headers*/,
                                   const char* const* /*names*/) {
    *out = new _nvrtcProgram{source, "", ""};
    return success;
}

SPOC_EXPORT int nvrtcDestroyProgram(_nvrtcProgram** program) {
    delete *program;
    *program = nullptr;
    return success;
}

SPOC_EXPORT int nvrtcCompileProgram(_nvrtcProgram* program, int count, const char* const* options) {
    for (int i = 0; i < count; ++i) {
        const std::string_view option = options[i];
        if (option.find("arch") == std::string_view::npos && option.substr(0, 2) != "-D" &&
            option.substr(0, 2) != "-I") {
            program->log = "nvrtc: error: unrecognized option " + std::string(option) + " found";
            return invalid_option;
        }
    }
    const bool is_blank = program->source.find_first_not_of(" \n") == std::string::npos;
    if (!cuda_double::brackets_match(program->source) ||
        (!is_blank && program->source.find("__global__") == std::string::npos)) {
        program->log = "program(1): error: this is no program";
        return compilation;
    }
    static const std::regex kernel(R"(__global__\s+void\s+(\w+)\s*\(([^)]*)\))");
    program->ptx = ".version 8.0\n.target sm_90\n.address_size 64\n";
    const std::string& source = program->source;
    for (std::sregex_iterator at(source.begin(), source.end(), kernel), end; at != end; ++at) {
        program->ptx += ".visible .entry " + (*at)[1].str() + "(" + ptx_parameters((*at)[2]) +
                        ")\n{\n    ret;\n}\n";
    }
    return success;
}

SPOC_EXPORT int nvrtcGetProgramLogSize(_nvrtcProgram* program, std::size_t* bytes) {
    return copy_out(program->log, bytes);
}

SPOC_EXPORT int nvrtcGetProgramLog(_nvrtcProgram* program, char* log) {
    std::memcpy(log, program->log.c_str(), program->log.size() + 1);
    return success;
}

// No device binaries: those are the driver's to make here.
SPOC_EXPORT int nvrtcGetCUBINSize(_nvrtcProgram* /*program*/, std::size_t* bytes) {
    *bytes = 0;
    return success;
}

SPOC_EXPORT int nvrtcGetCUBIN(_nvrtcProgram* /*program*/, char* /*image*/) {
    return invalid_program;
}

SPOC_EXPORT int nvrtcGetPTXSize(_nvrtcProgram* program, std::size_t* bytes) {
    return copy_out(program->ptx, bytes);
}

SPOC_EXPORT int nvrtcGetPTX(_nvrtcProgram* program, char* text) {
    std::memcpy(text, program->ptx.c_str(), program->ptx.size() + 1);
    return success;
}
