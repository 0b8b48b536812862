#include "packer/record/internal/wow64_windows.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace seekless {
namespace {

constexpr uint64_t kMemoryBytes = uint64_t{1} << 32;
// ntdll has fewer functions; the limit is there because a process's memory isn't trusted.
constexpr uint32_t kMostFunctions = 65'536;

class Memory {
 public:
  explicit Memory(HANDLE process) : process_(process) {}

  bool read(uint64_t from, void* into, size_t bytes) const {
    SIZE_T got = 0;
    return from + bytes <= kMemoryBytes &&
           ::ReadProcessMemory(process_, reinterpret_cast<const void*>(from), into, bytes, &got) !=
               0 &&
           got == bytes;
  }
  template <typename T>
  std::optional<T> value(uint64_t from) const {
    T found;
    if (!read(from, &found, sizeof(found))) return std::nullopt;
    return found;
  }
  template <typename T>
  std::optional<std::vector<T>> values(uint64_t from, uint32_t count) const {
    std::vector<T> found(std::min(count, kMostFunctions));
    if (!read(from, found.data(), found.size() * sizeof(T))) return std::nullopt;
    return found;
  }
  bool holds(uint64_t from, std::string_view text) const {
    std::string found(text.size() + 1, 'x');
    return read(from, found.data(), found.size()) && found.back() == '\0' &&
           std::string_view(found).starts_with(text);
  }

 private:
  HANDLE process_;
};

// Reads the export directory of a 32-bit DLL at `base`; returns nothing if there is no DLL, or it
// exports nothing.
std::optional<IMAGE_EXPORT_DIRECTORY> exports_at(const Memory& memory, uint64_t base) {
  const auto front = memory.value<IMAGE_DOS_HEADER>(base);
  if (!front || front->e_magic != IMAGE_DOS_SIGNATURE || front->e_lfanew < 0) return std::nullopt;
  const auto headers =
      memory.value<IMAGE_NT_HEADERS32>(base + static_cast<uint32_t>(front->e_lfanew));
  if (!headers || headers->Signature != IMAGE_NT_SIGNATURE ||
      headers->FileHeader.Machine != IMAGE_FILE_MACHINE_I386 ||
      headers->OptionalHeader.Magic != IMAGE_NT_OPTIONAL_HDR32_MAGIC)
    return std::nullopt;
  const uint32_t at =
      headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_EXPORT].VirtualAddress;
  return at == 0 ? std::nullopt : memory.value<IMAGE_EXPORT_DIRECTORY>(base + at);
}

std::optional<uint32_t> function_at(const Memory& memory, uint64_t base,
                                    const IMAGE_EXPORT_DIRECTORY& exports, std::string_view name) {
  const auto names = memory.values<uint32_t>(base + exports.AddressOfNames, exports.NumberOfNames);
  const auto places =
      memory.values<uint16_t>(base + exports.AddressOfNameOrdinals, exports.NumberOfNames);
  if (!names || !places) return std::nullopt;
  for (size_t i = 0; i < names->size(); ++i) {
    if (!memory.holds(base + (*names)[i], name)) continue;
    const auto at =
        memory.value<uint32_t>(base + exports.AddressOfFunctions + 4 * uint64_t{(*places)[i]});
    if (!at) return std::nullopt;
    return static_cast<uint32_t>(base + *at);
  }
  return std::nullopt;
}

void put(std::vector<std::byte>& out, std::initializer_list<int> code, uint32_t number) {
  for (const int one : code) out.push_back(static_cast<std::byte>(one));
  for (int shift = 0; shift < 32; shift += 8)
    out.push_back(static_cast<std::byte>(number >> shift));
}

}  // namespace

std::optional<uint32_t> ntdll_function_32(HANDLE process, std::string_view name) {
  const Memory memory(process);
  MEMORY_BASIC_INFORMATION region;
  for (uint64_t at = 0; at < kMemoryBytes; at += region.RegionSize) {
    if (::VirtualQueryEx(process, reinterpret_cast<const void*>(at), &region, sizeof(region)) == 0)
      break;
    at = reinterpret_cast<uintptr_t>(region.BaseAddress);
    if (region.Type != MEM_IMAGE || region.AllocationBase != region.BaseAddress) continue;
    const auto exports = exports_at(memory, at);
    if (!exports || !memory.holds(at + exports->Name, "ntdll.dll")) continue;
    return function_at(memory, at, *exports, name);
  }
  return std::nullopt;
}

std::vector<std::byte> loader_32(uint32_t place, uint32_t load_dll, const std::wstring& path) {
  constexpr uint32_t kModuleAt = 48, kNameAt = 52, kTextAt = 60;
  const auto bytes = static_cast<uint32_t>(2 * path.size());
  std::vector<std::byte> out;
  put(out, {0x68}, place + kModuleAt);  // push: where to store the DLL's handle
  put(out, {0x68}, place + kNameAt);    // push: the DLL's name
  put(out, {0x68}, 0);                  // push: no characteristics
  put(out, {0x68}, 0);                  // push: search the usual folders
  put(out, {0xb8}, load_dll);           // mov eax
  // Calls eax, and returns with "ret 4", which removes the thread's one argument.
  for (const int one : {0xff, 0xd0, 0xc2, 0x04, 0x00}) out.push_back(static_cast<std::byte>(one));
  out.resize(kNameAt);
  put(out, {},
      (bytes + 2) << 16 | bytes);  // a UNICODE_STRING: its length without and with the final zero
  put(out, {}, place + kTextAt);
  out.resize(kTextAt + bytes + 2);
  std::memcpy(out.data() + kTextAt, path.data(), bytes);
  return out;
}

}  // namespace seekless
