// Loads a DLL into a 32-bit process from a 64-bit one. The system's DLLs lie at other addresses
// there, and a process has no list of them before it runs, so this searches the process's memory
// for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <windows.h>

namespace seekless {

// Returns the address of a function in the process's 32-bit ntdll.
std::optional<uint32_t> ntdll_function_32(HANDLE process, std::string_view name);

// Returns the code for a thread in that process, followed by its data, to be placed at `place`.
std::vector<std::byte> loader_32(uint32_t place, uint32_t load_dll, const std::wstring& path);

}  // namespace seekless
