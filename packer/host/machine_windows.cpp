#include <fmt/format.h>
#include <windows.h>

#include "packer/host/machine.h"

namespace seekless {
namespace {

// All members are 0 if the system doesn't tell.
MEMORYSTATUSEX memory_status() {
  MEMORYSTATUSEX memory = {};
  memory.dwLength = sizeof(memory);
  ::GlobalMemoryStatusEx(&memory);
  return memory;
}

}  // namespace

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
  return memory_status().ullTotalPhys;
}

uint64_t available_memory_bytes() {
  return memory_status().ullAvailPhys;
}

}  // namespace seekless
