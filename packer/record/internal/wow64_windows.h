// A DLL for a process of 32 bits, put in by one of 64. The system's DLLs lie elsewhere there than
// here, and before it has run no list of them is made: they are looked for in its memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <windows.h>

namespace seekless {

// Where the process has a function of its 32-bit ntdll.
std::optional<uint32_t> ntdll_function_32(HANDLE process, std::string_view name);

// What a thread there runs, and what that needs, to lie from `place` on: the code begins it.
std::vector<std::byte> loader_32(uint32_t place, uint32_t load_dll, const std::wstring& path);

}  // namespace seekless
