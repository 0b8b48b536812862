#include "packer/record/hooked_process_windows.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <windows.h>

#include "packer/host/files.h"
#include "packer/host/hasher.h"
#include "packer/host/native_path.h"
#include "packer/host/own_folder.h"
#include "runtime/names_windows.h"

namespace seekless {
namespace {

constexpr DWORD kLoadMs = 30'000;
constexpr const char* kImport =
    "record it by Process Monitor or xperf, as an administrator, and import that (docs/windows.md)";

// What Windows says of the last call, in its own words.
std::unexpected<Error> refused(const std::string& file, const std::string& action,
                               const std::string& advice = kImport) {
  const DWORD error = ::GetLastError();
  return failed({.file = file,
                 .found = fmt::format("that Windows refused to {} ({}: {})", action, error,
                                      runtime::text_of_error(error)),
                 .advice = advice});
}

// Of the program that runs here.
std::span<const std::byte> resource_bytes() {
  const HMODULE self = ::GetModuleHandleW(nullptr);
  const HRSRC found = ::FindResourceW(self, L"SEEKLESS_HOOKS", RT_RCDATA);
  if (found == nullptr) return {};
  const HGLOBAL loaded = ::LoadResource(self, found);
  const void* bytes = loaded == nullptr ? nullptr : ::LockResource(loaded);
  if (bytes == nullptr) return {};
  return {static_cast<const std::byte*>(bytes), ::SizeofResource(self, found)};
}

bool is_32_bit(HANDLE process) {
  BOOL is = FALSE;
  return ::IsWow64Process(process, &is) != 0 && is != FALSE;
}

// A thread in the other process that loads a DLL: its path lies there until that is done.
class RemotePath {
 public:
  RemotePath(HANDLE process, const std::wstring& path) : process_(process) {
    const size_t bytes = (path.size() + 1) * sizeof(wchar_t);
    place_ = ::VirtualAllocEx(process, nullptr, bytes, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE);
    if (place_ == nullptr) return;
    is_there_ = ::WriteProcessMemory(process, place_, path.c_str(), bytes, nullptr) != 0;
  }
  RemotePath(const RemotePath&) = delete;
  RemotePath& operator=(const RemotePath&) = delete;
  ~RemotePath() {
    if (place_ != nullptr && !is_kept_) ::VirtualFreeEx(process_, place_, 0, MEM_RELEASE);
  }
  void* get() const { return is_there_ ? place_ : nullptr; }
  void keep() { is_kept_ = true; }

 private:
  HANDLE process_;
  void* place_ = nullptr;
  bool is_there_ = false;
  bool is_kept_ = false;
};

}  // namespace

// Its name says what is in it, so that programs that still have an older one don't matter.
Result<std::string> hooks_file() {
  const std::span<const std::byte> bytes = resource_bytes();
  if (bytes.empty())
    return failed({.file = "record", .found = "that this program was built without its hooks"});
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
  if (auto made = make_folders(folder); !made) return std::unexpected(made.error());
  if (auto written = write_text(file, text); !written) return std::unexpected(written.error());
  return file;
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
                                            const std::string& name, HANDLE wake,
                                            const std::string& hooks) {
  if (is_32_bit(handle.get()))
    return failed({.file = name,
                   .expected = "a 64-bit program",
                   .found = "one of 32 bits, which has no room for the hooks",
                   .advice = kImport});
  auto memory = SharedMemory::create(id);
  if (!memory) return std::unexpected(memory.error());
  HookedProcess process(std::move(handle), id, name, *std::move(memory));
  if (auto done = process.hand_over(wake); !done) return std::unexpected(done.error());
  if (auto loaded = process.load(hooks); !loaded) return std::unexpected(loaded.error());
  return process;
}

// The hooks wake the recorder, and notice when it has ended.
Result<void> HookedProcess::hand_over(HANDLE wake) {
  RingHeader& header = ring_.header();
  header.version = kRingVersion;
  const HANDLE self = ::GetCurrentProcess();
  HANDLE recorder = nullptr, event = nullptr;
  if (::DuplicateHandle(self, self, handle_.get(), &recorder, SYNCHRONIZE, FALSE, 0) == 0 ||
      ::DuplicateHandle(self, wake, handle_.get(), &event, EVENT_MODIFY_STATE, FALSE, 0) == 0)
    return refused(name_, "hand handles over to it");
  header.recorder_handle = reinterpret_cast<uintptr_t>(recorder);
  header.wake_handle = reinterpret_cast<uintptr_t>(event);
  return {};
}

Result<void> HookedProcess::load(const std::string& hooks) {
  auto path = runtime::to_wide(hooks);
  if (!path) return failed({.file = hooks, .found = "a name that isn't UTF-8"});
  std::ranges::replace(*path, L'/', L'\\');  // LoadLibraryW takes no others
  RemotePath remote(handle_.get(), *path);
  if (remote.get() == nullptr) return refused(name_, "write into its memory");
  // The system's DLLs lie at the same place in every process.
  const FARPROC loader = ::GetProcAddress(::GetModuleHandleW(L"kernel32.dll"), "LoadLibraryW");
  const auto begin = reinterpret_cast<LPTHREAD_START_ROUTINE>(reinterpret_cast<void*>(loader));
  const runtime::Handle thread(
      ::CreateRemoteThread(handle_.get(), nullptr, 0, begin, remote.get(), 0, nullptr));
  if (!thread) return refused(name_, "start a thread in it");
  const std::array waited = {thread.get(), handle_.get()};
  const DWORD ended = ::WaitForMultipleObjects(2, waited.data(), FALSE, kLoadMs);
  const HookState state = ring_.header().state.load(std::memory_order_acquire);
  if (state == HookState::recording) return {};
  if (ended == WAIT_TIMEOUT) remote.keep();
  const RingHeader& header = ring_.header();
  const size_t hook = std::min<size_t>(header.failed_hook, kHookNames.size() - 1);
  std::string found = "that it didn't load the hooks (anti-cheat, or a policy of signed DLLs)";
  if (state == HookState::failed)
    found = fmt::format("that {} couldn't be hooked (MinHook's error {})", kHookNames[hook],
                        header.failure);
  else if (ended == WAIT_OBJECT_0 + 1)
    found = "that it ended before it was started";
  else if (ended == WAIT_TIMEOUT)
    found = fmt::format("that it didn't load the hooks within {} s", kLoadMs / 1000);
  return failed({.file = name_, .found = found, .advice = kImport});
}

bool HookedProcess::has_ended() const {
  return ::WaitForSingleObject(handle_.get(), 0) == WAIT_OBJECT_0;
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
