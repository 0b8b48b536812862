#include "packer/record/internal/started_program_windows.h"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>
// The second header needs the first.
// clang-format off
#include <windows.h>
#include <shellapi.h>
// clang-format on

#include "packer/base/windows_names.h"
#include "packer/base/windows_words.h"
#include "packer/host/modes_before_windows.h"
#include "packer/record/internal/hooked_process_windows.h"
#include "packer/record/plain_program.h"
#include "runtime/names_windows.h"

namespace seekless {
namespace {

constexpr DWORD kElevationRequired = 740;  // mingw-w64's headers lack it

Result<std::wstring> wide_of(const std::string& text) {
  auto wide = runtime::to_wide(text);
  if (!wide) return failed({.file = text, .found = "a word that isn't UTF-8"});
  return *std::move(wide);
}

std::string program_of_command(const std::vector<std::string>& command) {
  std::string program = command.front();
  std::ranges::replace(program, '/', '\\');
  return program;
}

std::vector<std::string> words_of(const std::wstring& line) {
  int count = 0;
  wchar_t** words = ::CommandLineToArgvW(line.c_str(), &count);
  std::vector<std::string> found;
  for (int i = 0; words != nullptr && i < count; ++i) found.push_back(runtime::to_utf8(words[i]));
  ::LocalFree(words);
  return found;
}

// Returns the arguments as typed at the end of this program's own command line, because many games
// parse that text themselves and depend on its quotes. Returns an empty text if the command line
// doesn't end with them.
std::string arguments_as_typed(const std::vector<std::string>& command) {
  const std::wstring own = ::GetCommandLineW();
  const size_t words = words_of(own).size();
  if (words <= command.size()) return {};
  const size_t before = words - command.size() + 1;
  const std::string rest(text_after_words(runtime::to_utf8(own), before));
  const auto wide = runtime::to_wide("x" + rest);
  if (rest.empty() || !wide) return {};
  const std::vector<std::string> typed = words_of(*wide);
  const bool is_same = typed.size() == command.size() &&
                       std::equal(typed.begin() + 1, typed.end(), command.begin() + 1);
  return is_same ? rest.substr(1) : std::string();
}

bool is_batch(const std::vector<std::string>& command) {
  const std::string program = one_windows_spelling(command.front());
  return program.ends_with(".bat") || program.ends_with(".cmd");
}

// cmd has already removed its escapes from the typed text ("a^&b").
std::string arguments_of_command(const std::vector<std::string>& command) {
  std::string line = arguments_as_typed(command);
  if (!line.empty() && !(is_batch(command) && means_something_to_cmd(line))) return line;
  line.clear();
  for (const std::string& word : std::span(command).subspan(1))
    line += (line.empty() ? "" : " ") + as_one_word(word, is_batch(command));
  return line;
}

Result<std::wstring> command_line_of(const std::vector<std::string>& command) {
  const std::string arguments = arguments_of_command(command);
  return wide_of(as_one_word(program_of_command(command), is_batch(command)) +
                 (arguments.empty() ? "" : " ") + arguments);
}

std::unexpected<Error> no_start(const std::string& program, DWORD error) {
  std::string advice;
  if (error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND)
    advice = "name a program in PATH, or its file";
  else if (error == kElevationRequired)
    advice = "it runs as an administrator alone: record it from a console of one";
  return failed({.file = program,
                 .found = fmt::format("that it can't be started ({}: {})", error,
                                      runtime::text_of_error(error)),
                 .advice = advice});
}

BOOL WINAPI leave_key_to_program(DWORD kind) {
  return kind == CTRL_C_EVENT || kind == CTRL_BREAK_EVENT ? TRUE : FALSE;
}

// Returns the system's error, or 0.
DWORD create_suspended(std::wstring line, StartedProgram& started) {
  STARTUPINFOW startup = {};
  startup.cb = sizeof(startup);
  startup.dwFlags = STARTF_USESTDHANDLES;
  startup.hStdInput = ::GetStdHandle(STD_INPUT_HANDLE);
  startup.hStdOutput = ::GetStdHandle(STD_OUTPUT_HANDLE);
  startup.hStdError = ::GetStdHandle(STD_ERROR_HANDLE);
  PROCESS_INFORMATION made = {};
  const ErrorModeBefore error_mode;
  if (::CreateProcessW(nullptr, line.data(), nullptr, nullptr, TRUE, CREATE_SUSPENDED, nullptr,
                       nullptr, &startup, &made) == 0)
    return ::GetLastError();
  started = {runtime::Handle(made.hProcess), runtime::Handle(made.hThread), made.dwProcessId};
  return 0;
}

// Starts a program that wants an administrator's rights, for which Windows asks the user.
Result<runtime::Handle> start_elevated(const std::vector<std::string>& command) {
  SKL_TRY(const auto program, wide_of(program_of_command(command)));
  SKL_TRY(const auto arguments, wide_of(arguments_of_command(command)));
  SHELLEXECUTEINFOW start = {};
  start.cbSize = sizeof(start);
  start.fMask = SEE_MASK_NOCLOSEPROCESS | SEE_MASK_NOASYNC;
  start.lpFile = program.c_str();
  start.lpParameters = arguments.c_str();
  start.nShow = SW_SHOWNORMAL;
  if (::ShellExecuteExW(&start) == 0) return no_start(command.front(), ::GetLastError());
  return runtime::Handle(start.hProcess);
}

int exit_code_after_end(HANDLE process) {
  ::WaitForSingleObject(process, INFINITE);
  DWORD code = 0;
  ::GetExitCodeProcess(process, &code);
  return static_cast<int>(code);
}

}  // namespace

Result<StartedProgram> start_suspended(const std::vector<std::string>& command) {
  SKL_TRY(auto line, command_line_of(command));
  StartedProgram started;
  if (const DWORD error = create_suspended(std::move(line), started); error != 0)
    return no_start(command.front(), error);
  return started;
}

Result<int> run_plainly(const std::vector<std::string>& command) {
  SKL_TRY(auto line, command_line_of(command));
  StartedProgram started;
  const DWORD error = create_suspended(std::move(line), started);
  if (error == kElevationRequired) {
    SKL_TRY(started.process, start_elevated(command));
  } else if (error != 0) {
    return no_start(command.front(), error);
  }
  ::SetConsoleCtrlHandler(leave_key_to_program, TRUE);
  const CodePageBefore code_page;
  if (started.thread) ::ResumeThread(started.thread.get());
  const int code = exit_code_after_end(started.process.get());
  ::SetConsoleCtrlHandler(leave_key_to_program, FALSE);
  return code;
}

std::string program_of_process(uint32_t process) {
  const runtime::Handle handle(::OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, process));
  return handle ? program_of(handle.get()) : std::string();
}

}  // namespace seekless
