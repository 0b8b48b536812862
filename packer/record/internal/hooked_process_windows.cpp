#include "packer/record/internal/hooked_process_windows.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <windows.h>

#include "packer/base/hasher.h"
#include "packer/host/files.h"
#include "packer/host/native_path.h"
#include "packer/host/own_folder.h"
#include "packer/record/internal/wow64_windows.h"
#include "runtime/names_windows.h"

namespace seekless {

// Owns memory in another process that a thread there uses, until the thread has ended.
class RemoteMemory {
 public:
  RemoteMemory(HANDLE process, size_t bytes, DWORD protection)
      : process_(process),
        place_(::VirtualAllocEx(process, nullptr, bytes, MEM_COMMIT | MEM_RESERVE, protection)) {}
  RemoteMemory(const RemoteMemory&) = delete;
  RemoteMemory& operator=(const RemoteMemory&) = delete;
  ~RemoteMemory() {
    if (place_ != nullptr && !is_kept_) ::VirtualFreeEx(process_, place_, 0, MEM_RELEASE);
  }
  void* get() const { return place_; }
  bool write(const void* from, size_t bytes) {
    return place_ != nullptr && ::WriteProcessMemory(process_, place_, from, bytes, nullptr) != 0;
  }
  void keep() { is_kept_ = true; }

 private:
  HANDLE process_;
  void* place_;
  bool is_kept_ = false;
};

namespace {

constexpr const char* kImport =
    "record it by Process Monitor or xperf, as an administrator, and import that (docs/windows.md)";

// Reports the last call's error in Windows' own words.
std::unexpected<Error> refused(const std::string& file, const std::string& action,
                               const std::string& advice = kImport) {
  const DWORD error = ::GetLastError();
  return failed({.file = file,
                 .found = fmt::format("that Windows refused to {} ({}: {})", action, error,
                                      runtime::text_of_error(error)),
                 .advice = advice});
}

// Finds a resource of the running program.
std::span<const std::byte> resource_bytes(const wchar_t* name) {
  const HMODULE self = ::GetModuleHandleW(nullptr);
  const HRSRC found = ::FindResourceW(self, name, RT_RCDATA);
  if (found == nullptr) return {};
  const HGLOBAL loaded = ::LoadResource(self, found);
  const void* bytes = loaded == nullptr ? nullptr : ::LockResource(loaded);
  if (bytes == nullptr) return {};
  return {static_cast<const std::byte*>(bytes), ::SizeofResource(self, found)};
}

// Returns the path as the system's DLL loader wants it.
std::wstring backslashed(const std::string& file) {
  std::wstring path = path_of_text(file).wstring();
  std::ranges::replace(path, L'/', L'\\');
  return path;
}

bool is_32_bit(HANDLE process) {
  BOOL is = FALSE;
  return ::IsWow64Process(process, &is) != 0 && is != FALSE;
}

// Returns false for ARM64 programs. Only Windows 11 on ARM64 runs such a program beside this one.
// If the system lacks the call, it is older and runs none.
bool is_of_this_processor(HANDLE process) {
  struct Machine {
    USHORT number;
    USHORT reserved;
    DWORD attributes;
  };
  constexpr int kMachine = 9;  // mingw-w64's headers lack this
  using Ask = BOOL(WINAPI*)(HANDLE, int, void*, DWORD);
  const FARPROC found =
      ::GetProcAddress(::GetModuleHandleW(L"kernel32.dll"), "GetProcessInformation");
  const auto ask = reinterpret_cast<Ask>(reinterpret_cast<void*>(found));
  Machine told = {};
  return ask == nullptr || ask(process, kMachine, &told, sizeof(told)) == 0 ||
         told.number == IMAGE_FILE_MACHINE_UNKNOWN || told.number == IMAGE_FILE_MACHINE_AMD64 ||
         told.number == IMAGE_FILE_MACHINE_I386;
}

// Returns the token's level of integrity: higher numbers may do more. Returns 0 if that isn't told.
DWORD integrity_of(HANDLE token) {
  alignas(TOKEN_MANDATORY_LABEL) std::array<std::byte, 256> room = {};
  DWORD bytes = 0;
  if (::GetTokenInformation(token, TokenIntegrityLevel, room.data(), room.size(), &bytes) == 0)
    return 0;
  const PSID level = reinterpret_cast<TOKEN_MANDATORY_LABEL*>(room.data())->Label.Sid;
  const UCHAR parts = *::GetSidSubAuthorityCount(level);
  return parts == 0 ? 0 : *::GetSidSubAuthority(level, parts - 1);
}

runtime::Handle token_of(HANDLE process) {
  HANDLE token = nullptr;
  if (::OpenProcessToken(process, TOKEN_QUERY, &token) == 0) return {};
  return runtime::Handle(token);
}

// Browsers start such processes. The thread that would load the hooks there has fewer rights than
// the program's own first thread, and would begin the program with them. In a sandbox of our own,
// all programs are as restricted.
bool is_in_a_sandbox(HANDLE process) {
  const runtime::Handle token = token_of(process), own = token_of(::GetCurrentProcess());
  if (!token) return true;
  DWORD is_contained = 0, bytes = 0;
  ::GetTokenInformation(token.get(), TokenIsAppContainer, &is_contained, sizeof(is_contained),
                        &bytes);
  return is_contained != 0 ||
         (::IsTokenRestricted(token.get()) != 0 && ::IsTokenRestricted(own.get()) == 0) ||
         integrity_of(token.get()) < integrity_of(own.get());
}

// Writes the hooks' file, and returns its path. The name depends on the content, so a program that
// still has an older file loaded doesn't matter.
Result<std::string> hooks_file(const wchar_t* resource) {
  const std::span<const std::byte> bytes = resource_bytes(resource);
  if (bytes.empty()) return std::string();
  const std::string state = state_folder();
  if (state.empty())
    return failed({.file = "record",
                   .expected = "a folder for the hooks",
                   .found = "no LOCALAPPDATA",
                   .advice = "set it to a folder of your own"});
  Hasher64 hasher;
  hasher.add(bytes);
  const std::string folder = state + "/record";
  const std::string file = fmt::format("{}/hooks-{:016x}.dll", folder, hasher.digest());
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (const auto there = read_text(file, text.size()); there && *there == text) return file;
  SKL_TRY_DO(make_folders(folder));
  SKL_TRY_DO(write_text(file, text));
  return file;
}

}  // namespace

Result<HookFiles> hook_files() {
  SKL_TRY(auto of_64_bits, hooks_file(L"SEEKLESS_HOOKS"));
  if (of_64_bits.empty())
    return failed({.file = "record", .found = "that this program was built without its hooks"});
  SKL_TRY(auto of_32_bits, hooks_file(L"SEEKLESS_HOOKS_32"));
  return HookFiles{std::move(of_64_bits), std::move(of_32_bits)};
}

Result<SharedMemory> SharedMemory::create(uint32_t process) {
  const std::string of = fmt::format("process {}", process);
  const std::wstring name = kRingName + std::to_wstring(process);
  runtime::Handle section(::CreateFileMappingW(INVALID_HANDLE_VALUE, nullptr, PAGE_READWRITE, 0,
                                               static_cast<DWORD>(kRingBytes), name.c_str()));
  if (!section) return refused(of, "make shared memory", "end what takes up the memory");
  if (::GetLastError() == ERROR_ALREADY_EXISTS)
    return failed({.file = of, .found = "that it is being recorded already"});
  void* view = ::MapViewOfFile(section.get(), FILE_MAP_ALL_ACCESS, 0, 0, kRingBytes);
  if (view == nullptr) return refused(of, "map shared memory", "end what takes up the memory");
  return SharedMemory(std::move(section), view);
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : section_(std::move(other.section_)), view_(std::exchange(other.view_, nullptr)) {}

SharedMemory::~SharedMemory() {
  if (view_ != nullptr) ::UnmapViewOfFile(view_);
}

Result<HookedProcess> HookedProcess::create(runtime::Handle handle, uint32_t id,
                                            const std::string& name, const HookSettings& settings,
                                            const HookFiles& hooks) {
  if (!is_of_this_processor(handle.get()))
    return failed({.file = name,
                   .expected = "a program for x64 or x86",
                   .found = "one for another processor (ARM64)",
                   .advice = kImport});
  const bool has_32_bits = is_32_bit(handle.get());
  if (has_32_bits && hooks.of_32_bits.empty())
    return failed({.file = name,
                   .expected = "a 64-bit program",
                   .found = "one of 32 bits, for which this tool was built without hooks",
                   .advice = kImport});
  SKL_TRY(auto memory, SharedMemory::create(id));
  HookedProcess process(std::move(handle), id, name, std::move(memory));
  process.most_load_ms_ = settings.most_load_ms;
  SKL_TRY_DO(process.hand_over(settings));
  const auto loaded = process.load(has_32_bits, hooks);
  if (loaded) return process;
  // It may still load them later, but nobody takes its records.
  process.ring().header().is_over = 1;
  return std::unexpected(loaded.error());
}

Result<void> HookedProcess::load(bool has_32_bits, const HookFiles& hooks) {
  return has_32_bits ? load_32(hooks.of_32_bits) : load_64(hooks.of_64_bits);
}

// Gives the hooks two handles: one to wake the recorder, one to notice that it has ended.
Result<void> HookedProcess::hand_over(const HookSettings& settings) {
  RingHeader& header = ring_.header();
  header.version = kRingVersion;
  header.counts_cycles = settings.counts_cycles ? 1 : 0;
  header.most_waits = settings.most_waits;
  const HANDLE self = ::GetCurrentProcess();
  HANDLE recorder = nullptr, event = nullptr;
  if (::DuplicateHandle(self, self, handle_.get(), &recorder, SYNCHRONIZE, FALSE, 0) == 0 ||
      ::DuplicateHandle(self, settings.wake, handle_.get(), &event, EVENT_MODIFY_STATE, FALSE, 0) ==
          0)
    return refused(name_, "hand handles over to it");
  header.recorder_handle = reinterpret_cast<uintptr_t>(recorder);
  header.wake_handle = reinterpret_cast<uintptr_t>(event);
  return {};
}

Result<void> HookedProcess::load_64(const std::string& hooks) {
  const std::wstring path = backslashed(hooks);
  const size_t bytes = (path.size() + 1) * sizeof(wchar_t);
  RemoteMemory memory(handle_.get(), bytes, PAGE_READWRITE);
  if (!memory.write(path.c_str(), bytes)) return refused(name_, "write into its memory");
  // The system's DLLs lie at the same address in every process.
  const FARPROC loader = ::GetProcAddress(::GetModuleHandleW(L"kernel32.dll"), "LoadLibraryW");
  const auto begin = reinterpret_cast<LPTHREAD_START_ROUTINE>(reinterpret_cast<void*>(loader));
  return run_there(begin, memory.get(), memory);
}

Result<void> HookedProcess::load_32(const std::string& hooks) {
  const std::wstring path = backslashed(hooks);
  const auto load_dll = ntdll_function_32(handle_.get(), "LdrLoadDll");
  if (!load_dll)
    return failed({.file = name_,
                   .expected = "ntdll.dll of 32 bits in its memory",
                   .found = "none",
                   .advice = kImport});
  RemoteMemory memory(handle_.get(), loader_32(0, 0, path).size(), PAGE_EXECUTE_READWRITE);
  const auto place = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(memory.get()));
  const std::vector<std::byte> loader = loader_32(place, *load_dll, path);
  if (!memory.write(loader.data(), loader.size())) return refused(name_, "write into its memory");
  return run_there(reinterpret_cast<LPTHREAD_START_ROUTINE>(memory.get()), nullptr, memory);
}

Result<void> HookedProcess::run_there(LPTHREAD_START_ROUTINE begin, void* argument,
                                      RemoteMemory& memory) {
  const runtime::Handle thread(
      ::CreateRemoteThread(handle_.get(), nullptr, 0, begin, argument, 0, nullptr));
  if (!thread) return refused(name_, "start a thread in it");
  const std::array waited = {thread.get(), handle_.get()};
  const DWORD ended = ::WaitForMultipleObjects(2, waited.data(), FALSE, most_load_ms_);
  const HookState state = ring_.header().state.load(std::memory_order_acquire);
  if (state == HookState::recording) return {};
  if (ended == WAIT_TIMEOUT) memory.keep();
  const RingHeader& header = ring_.header();
  const size_t hook = std::min<size_t>(header.failed_hook, kHookNames.size() - 1);
  std::string found = "that it didn't load the hooks (anti-cheat, or a policy of signed DLLs)";
  if (state == HookState::failed)
    found = fmt::format("that {} couldn't be hooked (MinHook's error {})", kHookNames[hook],
                        header.failure);
  else if (ended == WAIT_OBJECT_0 + 1)
    found = "that it ended before it was started";
  else if (ended == WAIT_TIMEOUT)
    found = fmt::format("that it didn't load the hooks within {} s", most_load_ms_ / 1000);
  return failed({.file = name_, .found = found, .advice = kImport});
}

bool HookedProcess::has_ended() const {
  return ::WaitForSingleObject(handle_.get(), 0) == WAIT_OBJECT_0;
}

bool minds_hooks(HANDLE process) {
  BOOL is_debugged = FALSE;
  ::CheckRemoteDebuggerPresent(process, &is_debugged);
  return is_debugged != FALSE || is_in_a_sandbox(process);
}

Result<runtime::Handle> open_to_hook(uint32_t process) {
  constexpr DWORD kRights = PROCESS_CREATE_THREAD | PROCESS_QUERY_INFORMATION |
                            PROCESS_VM_OPERATION | PROCESS_VM_READ | PROCESS_VM_WRITE |
                            PROCESS_DUP_HANDLE | SYNCHRONIZE;
  runtime::Handle handle(::OpenProcess(kRights, FALSE, process));
  if (handle) return handle;
  const std::string name = fmt::format("process {}", process);
  if (::GetLastError() == ERROR_INVALID_PARAMETER)
    return failed({.file = name,
                   .expected = "a program that runs",
                   .found = "none of this number",
                   .advice = "see the Task Manager's details"});
  return refused(name, "let its memory be written");
}

std::string program_of(HANDLE process) {
  std::array<wchar_t, 32768> name = {};
  auto length = static_cast<DWORD>(name.size());
  if (::QueryFullProcessImageNameW(process, 0, name.data(), &length) == 0) return {};
  return text_of_path(path_of_text(runtime::to_utf8({name.data(), length})));
}

}  // namespace seekless
