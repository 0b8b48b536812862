#include <array>
#include <initializer_list>

#include <windows.h>

#include "packer/host/terminal.h"

namespace seekless {

namespace {

DWORD number_of(StandardStream stream) {
  switch (stream) {
    case StandardStream::input:
      return STD_INPUT_HANDLE;
    case StandardStream::output:
      return STD_OUTPUT_HANDLE;
    case StandardStream::error:
      return STD_ERROR_HANDLE;
  }
  return STD_ERROR_HANDLE;
}

}  // namespace

bool is_terminal(StandardStream stream) {
  DWORD mode = 0;
  return ::GetConsoleMode(::GetStdHandle(number_of(stream)), &mode) != 0;
}

size_t terminal_width() {
  for (const DWORD which : {STD_OUTPUT_HANDLE, STD_ERROR_HANDLE}) {
    CONSOLE_SCREEN_BUFFER_INFO console = {};
    if (::GetConsoleScreenBufferInfo(::GetStdHandle(which), &console) == 0) continue;
    const int columns = console.srWindow.Right - console.srWindow.Left + 1;
    if (columns >= static_cast<int>(kFewestColumns)) return static_cast<size_t>(columns);
  }
  return kDefaultColumns;
}

bool has_own_terminal() {
  std::array<DWORD, 2> processes;
  return ::GetConsoleProcessList(processes.data(), static_cast<DWORD>(processes.size())) == 1;
}

void wait_for_key() {
  const HANDLE input = ::GetStdHandle(STD_INPUT_HANDLE);
  ::FlushConsoleInputBuffer(input);
  INPUT_RECORD event = {};
  DWORD count = 0;
  while (::ReadConsoleInputW(input, &event, 1, &count) != 0 && count == 1)
    if (event.EventType == KEY_EVENT && event.Event.KeyEvent.bKeyDown != 0) return;
}

}  // namespace seekless
