#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>

#include <fmt/format.h>
// Each header needs the one above it.
// clang-format off
#include <windows.h>
#include <shellapi.h>
// clang-format on

#include "packer/host/child_process.h"
#include "packer/host/errors_windows.h"
#include "packer/host/os_error.h"
#include "packer/words/shell_words.h"
#include "runtime/handle_windows.h"
#include "runtime/names_windows.h"

namespace seekless {
namespace {

constexpr DWORD kWaitMs = 200;
constexpr size_t kPieceBytes = 4096;
constexpr size_t kMostPathLetters = 32768;  // limit of Windows

// Lists the only handles that a program inherits, because libraries open files and connections.
class InheritedHandles {
 public:
  explicit InheritedHandles(std::array<HANDLE, 2> handles) : handles_(handles) {
    SIZE_T bytes = 0;
    ::InitializeProcThreadAttributeList(nullptr, 1, 0, &bytes);
    room_ = std::make_unique<std::byte[]>(bytes);
    if (::InitializeProcThreadAttributeList(list(), 1, 0, &bytes) == 0) return;
    is_made_ = true;
    ::UpdateProcThreadAttribute(list(), 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles_.data(),
                                sizeof(handles_), nullptr, nullptr);
  }
  InheritedHandles(const InheritedHandles&) = delete;
  InheritedHandles& operator=(const InheritedHandles&) = delete;
  ~InheritedHandles() {
    if (is_made_) ::DeleteProcThreadAttributeList(list());
  }

  LPPROC_THREAD_ATTRIBUTE_LIST list() {
    return reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(room_.get());
  }

 private:
  std::array<HANDLE, 2> handles_;
  std::unique_ptr<std::byte[]> room_;
  bool is_made_ = false;
};

// Starts the program with `input` and `output`, in a group of its own and without a window.
Result<runtime::Handle> start_with(const std::vector<std::string>& command, HANDLE input,
                                   HANDLE output) {
  auto line = runtime::to_wide(shell_line(command, ShellKind::windows));
  if (!line) return failed({.file = command.front(), .found = "a word that isn't UTF-8"});
  InheritedHandles inherited({input, output});
  STARTUPINFOEXW start = {};
  start.StartupInfo.cb = sizeof(start);
  start.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
  start.StartupInfo.hStdInput = input;
  start.StartupInfo.hStdOutput = start.StartupInfo.hStdError = output;
  start.lpAttributeList = inherited.list();
  PROCESS_INFORMATION process = {};
  if (::CreateProcessW(nullptr, line->data(), nullptr, nullptr, TRUE,
                       EXTENDED_STARTUPINFO_PRESENT | CREATE_NEW_PROCESS_GROUP, nullptr, nullptr,
                       &start.StartupInfo, &process) == 0)
    return failed_call(command.front(), "start", errno_of_last_error());
  ::CloseHandle(process.hThread);
  return runtime::Handle(process.hProcess);
}

}  // namespace

void set_variable(const std::string& name, const std::string& value) {
  const auto wide_name = runtime::to_wide(name);
  const auto wide_value = runtime::to_wide(value);
  if (wide_name && wide_value) ::_wputenv_s(wide_name->c_str(), wide_value->c_str());
}

std::string own_program() {
  std::wstring path(kMostPathLetters, L'\0');
  const DWORD letters = ::GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size()));
  return runtime::to_utf8(std::wstring_view(path).substr(0, letters));
}

Result<void> open_in_browser(const std::string& address) {
  const auto wide = runtime::to_wide(address);
  constexpr auto kMostErrors = 32;  // as ShellExecute's documentation has it
  const auto opened = reinterpret_cast<INT_PTR>(
      wide ? ::ShellExecuteW(nullptr, L"open", wide->c_str(), nullptr, nullptr, SW_SHOWNORMAL)
           : nullptr);
  if (opened > kMostErrors) return {};
  return failed({.file = "the browser",
                 .expected = "a program that opens pages",
                 .found = fmt::format("error {}", opened)});
}

struct ChildProcess::Running {
  runtime::Handle process;
  runtime::Handle pipe;
  bool is_over = false;
  int exit_code = 0;
};

ChildProcess::ChildProcess(std::unique_ptr<Running> running) : running_(std::move(running)) {}
ChildProcess::ChildProcess(ChildProcess&&) noexcept = default;
ChildProcess& ChildProcess::operator=(ChildProcess&&) noexcept = default;
ChildProcess::~ChildProcess() = default;

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& command) {
  SECURITY_ATTRIBUTES inherits = {sizeof(inherits), nullptr, TRUE};
  HANDLE from = nullptr, to = nullptr;
  if (::CreatePipe(&from, &to, &inherits, 0) == 0)
    return failed_call(command.front(), "make a pipe for", errno_of_last_error());
  runtime::Handle reading(from);
  const runtime::Handle writing(to);
  ::SetHandleInformation(reading.get(), HANDLE_FLAG_INHERIT, 0);
  const runtime::Handle nothing(::CreateFileW(L"NUL", GENERIC_READ,
                                              FILE_SHARE_READ | FILE_SHARE_WRITE, &inherits,
                                              OPEN_EXISTING, 0, nullptr));
  SKL_TRY(auto process, start_with(command, nothing.get(), writing.get()));
  return ChildProcess(std::make_unique<Running>(std::move(process), std::move(reading)));
}

// Programs that a game leaves behind may keep the pipe open, so its end isn't waited for.
std::optional<std::string> ChildProcess::output() {
  Running& of = *running_;
  DWORD waiting = 0;
  if (::PeekNamedPipe(of.pipe.get(), nullptr, 0, nullptr, &waiting, nullptr) != 0 && waiting > 0) {
    std::string piece(kPieceBytes, '\0');
    DWORD got = 0;
    ::ReadFile(of.pipe.get(), piece.data(), static_cast<DWORD>(piece.size()), &got, nullptr);
    piece.resize(got);
    if (got > 0) return piece;
  }
  if (of.is_over) return std::nullopt;
  of.is_over = ::WaitForSingleObject(of.process.get(), kWaitMs) == WAIT_OBJECT_0;
  DWORD code = 0;
  if (of.is_over && ::GetExitCodeProcess(of.process.get(), &code) != 0)
    of.exit_code = static_cast<int>(code);
  return std::string();
}

// A process group of its own receives Ctrl-Break, but not Ctrl-C.
void ChildProcess::interrupt() const {
  if (!running_->is_over)
    ::GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, ::GetProcessId(running_->process.get()));
}

int ChildProcess::exit_code() const {
  return running_->exit_code;
}

}  // namespace seekless
