#include "packer/record/internal/started_program_windows.h"

#include <algorithm>

#include <fmt/format.h>
#include <windows.h>

#include "packer/record/plain_program.h"
#include "runtime/names_windows.h"

namespace seekless {
namespace {

constexpr DWORD kElevationRequired = 740;  // mingw-w64's headers lack it

// Quotes a word so that C libraries parse it as one: if it needs quotes, backslashes before quotes
// are doubled.
std::wstring as_one_word(const std::wstring& word) {
  if (!word.empty() && word.find_first_of(L" \t\n\v\"") == std::wstring::npos) return word;
  std::wstring out = L"\"";
  size_t backslashes = 0;
  for (const wchar_t c : word) {
    if (c == L'"') out.append(backslashes + 1, L'\\');
    backslashes = c == L'\\' ? backslashes + 1 : 0;
    out += c;
  }
  return out.append(backslashes, L'\\') + L'"';
}

Result<std::wstring> command_line_of(const std::vector<std::string>& command) {
  std::wstring line;
  for (const std::string& word : command) {
    auto wide = runtime::to_wide(word);
    if (!wide) return failed({.file = word, .found = "a word that isn't UTF-8"});
    if (line.empty()) std::ranges::replace(*wide, L'/', L'\\');
    line += (line.empty() ? L"" : L" ") + as_one_word(*wide);
  }
  return line;
}

std::unexpected<Error> no_start(const std::string& program) {
  const DWORD error = ::GetLastError();
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

}  // namespace

Result<StartedProgram> start_suspended(const std::vector<std::string>& command) {
  SKL_TRY(auto line, command_line_of(command));
  STARTUPINFOW startup = {};
  startup.cb = sizeof(startup);
  startup.dwFlags = STARTF_USESTDHANDLES;
  startup.hStdInput = ::GetStdHandle(STD_INPUT_HANDLE);
  startup.hStdOutput = ::GetStdHandle(STD_OUTPUT_HANDLE);
  startup.hStdError = ::GetStdHandle(STD_ERROR_HANDLE);
  PROCESS_INFORMATION made = {};
  if (::CreateProcessW(nullptr, line.data(), nullptr, nullptr, TRUE, CREATE_SUSPENDED, nullptr,
                       nullptr, &startup, &made) == 0)
    return no_start(command.front());
  return StartedProgram{runtime::Handle(made.hProcess), runtime::Handle(made.hThread),
                        made.dwProcessId};
}

Result<int> run_plainly(const std::vector<std::string>& command) {
  SKL_TRY(const auto started, start_suspended(command));
  ::SetConsoleCtrlHandler(leave_key_to_program, TRUE);
  ::ResumeThread(started.thread.get());
  ::WaitForSingleObject(started.process.get(), INFINITE);
  ::SetConsoleCtrlHandler(leave_key_to_program, FALSE);
  DWORD code = 0;
  ::GetExitCodeProcess(started.process.get(), &code);
  return static_cast<int>(code);
}

}  // namespace seekless
