#include <cstdio>
#include <cstdlib>
#include <new>

#include <fcntl.h>
#include <io.h>
#include <shellapi.h>
#include <windows.h>

#include "packer/host/modes_before_windows.h"
#include "packer/host/standard_streams.h"
#include "runtime/names_windows.h"

namespace seekless {
namespace {

UINT error_mode_before = 0;
UINT code_page_before = 0;  // 0: there is no console

bool changes_code_page() {
  return code_page_before != 0 && code_page_before != CP_UTF8;
}

void give_back_code_page() {
  ::SetConsoleOutputCP(code_page_before);
}

}  // namespace

void prepare_process() noexcept {
  // Streams are binary, so that the output is the same everywhere: line ends stay single bytes.
  for (std::FILE* stream : {stdin, stdout, stderr}) ::_setmode(::_fileno(stream), _O_BINARY);
  // Makes a drive without a medium give an error instead of a dialog window.
  error_mode_before = ::SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOOPENFILEERRORBOX);
  code_page_before = ::GetConsoleOutputCP();
  if (!changes_code_page()) return;
  if (::SetConsoleOutputCP(CP_UTF8) != 0) std::atexit(give_back_code_page);
}

void outlive_closed_pipes() noexcept {}

ErrorModeBefore::ErrorModeBefore() : own_(::SetErrorMode(error_mode_before)) {}

ErrorModeBefore::~ErrorModeBefore() {
  ::SetErrorMode(own_);
}

CodePageBefore::CodePageBefore() {
  if (changes_code_page()) give_back_code_page();
}

CodePageBefore::~CodePageBefore() {
  if (changes_code_page()) ::SetConsoleOutputCP(CP_UTF8);
}

// Asks the system for the arguments, because main() gets only the characters of its code page.
std::vector<std::string> arguments_of(int, char**) {
  int count = 0;
  wchar_t** words = ::CommandLineToArgvW(::GetCommandLineW(), &count);
  if (words == nullptr) throw std::bad_alloc();
  std::vector<std::string> arguments;
  for (int i = 0; i < count; ++i) arguments.push_back(runtime::to_utf8(words[i]));
  ::LocalFree(words);
  return arguments;
}

void say(std::string_view text) noexcept {
  const HANDLE where = ::GetStdHandle(STD_ERROR_HANDLE);
  while (!text.empty()) {
    DWORD put = 0;
    if (::WriteFile(where, text.data(), static_cast<DWORD>(text.size()), &put, nullptr) == 0 ||
        put == 0)
      return;
    text.remove_prefix(put);
  }
}

}  // namespace seekless
