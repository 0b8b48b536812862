#include <fmt/format.h>
#include <windows.h>

#include "packer/host/machine.h"

namespace seekless {

// Uses the kernel's own call, because GetVersion answers with the version that a program was made
// for.
std::string machine_and_system() {
  using GetVersionCall = LONG(WINAPI*)(OSVERSIONINFOW*);
  const FARPROC found = ::GetProcAddress(::GetModuleHandleW(L"ntdll.dll"), "RtlGetVersion");
  const auto get = reinterpret_cast<GetVersionCall>(reinterpret_cast<void*>(found));
  OSVERSIONINFOW version = {};
  version.dwOSVersionInfoSize = sizeof(version);
  if (get == nullptr || get(&version) < 0) return {};
  return fmt::format("Windows {}.{}.{} x86_64", version.dwMajorVersion, version.dwMinorVersion,
                     version.dwBuildNumber);
}

uint64_t memory_bytes() {
  MEMORYSTATUSEX memory = {};
  memory.dwLength = sizeof(memory);
  return ::GlobalMemoryStatusEx(&memory) != 0 ? memory.ullTotalPhys : 0;
}

}  // namespace seekless
