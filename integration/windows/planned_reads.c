/* Reads files as a plan says, as a game would: integration/test_play_on_windows.py and
measure_play_windows.py give it one.

Usage: planned_reads.exe PLAN [MILLISECONDS [COMMAND...]]
Each line of the plan is "OFFSET LENGTH PATH"; a file stays open while the next line names it, too.
A line "want PATH" opens the file with nobody else allowed to, and "save PATH" writes another file
and puts it in its place. "tell -" prints the command line, the error mode and the console's code
page, and the number of recorder's DLLs in this process. "dies -" ends it with a system's error.
"catch PROGRAM" runs it as its debugger, with the plan PROGRAM.plan. "free PATH" makes 2,000
overlapped reads, while another thread frees the memory of each result at once. Waits so many
milliseconds after each line, and then runs the command as a child. Prints "begun", and a sum of the
bytes. Exits with 7, with the child's code, or with 1 if anything failed.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

BOOL WINAPI K32EnumProcessModules(HANDLE, HMODULE*, DWORD, DWORD*);
DWORD WINAPI K32GetModuleBaseNameW(HANDLE, HMODULE, wchar_t*, DWORD);

#define MOST_BYTES (4 << 20)

static char buffer[MOST_BYTES];
static unsigned long long sum;

static int failed(const char* what, const wchar_t* path) {
  fprintf(stderr, "%s %ls: error %lu\n", what, path, GetLastError());
  return 1;
}

static int want(const wchar_t* path) {
  HANDLE file = CreateFileW(path, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL);
  if (file == INVALID_HANDLE_VALUE) return failed("want", path);
  CloseHandle(file);
  return 0;
}

static int save(const wchar_t* path) {
  wchar_t other[4096];
  DWORD put = 0;
  swprintf(other, 4096, L"%ls.new", path);
  HANDLE file = CreateFileW(other, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL);
  if (file == INVALID_HANDLE_VALUE) return failed("save", other);
  WriteFile(file, buffer, 4096, &put, NULL);
  CloseHandle(file);
  return MoveFileExW(other, path, MOVEFILE_REPLACE_EXISTING) ? 0 : failed("replace", path);
}

static int hooks(void) {
  static HMODULE all[1000];
  DWORD bytes = 0;
  int found = 0;
  if (!K32EnumProcessModules(GetCurrentProcess(), all, sizeof(all), &bytes)) return -1;
  for (DWORD i = 0; i < bytes / sizeof(all[0]); ++i) {
    wchar_t name[MAX_PATH] = L"";
    K32GetModuleBaseNameW(GetCurrentProcess(), all[i], name, MAX_PATH);
    found += wcsncmp(name, L"hooks-", 6) == 0;
  }
  return found;
}

static int tell(void) {
  char line[32768];
  WideCharToMultiByte(CP_UTF8, 0, GetCommandLineW(), -1, line, sizeof(line), NULL, NULL);
  printf("line %s\nmodes %u %u\nhooks %d\n", line, GetErrorMode(), GetConsoleOutputCP(), hooks());
  fflush(stdout);
  return 0;
}

static void debug(void) {
  DEBUG_EVENT event;
  do {
    if (!WaitForDebugEvent(&event, INFINITE)) return;
    ContinueDebugEvent(event.dwProcessId, event.dwThreadId, DBG_CONTINUE);
  } while (event.dwDebugEventCode != EXIT_PROCESS_DEBUG_EVENT);
}

static int run_debugged(const wchar_t* program) {
  wchar_t line[8192];
  STARTUPINFOW startup = {.cb = sizeof(startup)};
  PROCESS_INFORMATION made;
  const DWORD begun = GetTickCount();
  fflush(stdout);
  swprintf(line, 8192, L"\"%ls\" \"%ls.plan\"", program, program);
  if (!CreateProcessW(NULL, line, NULL, NULL, TRUE, DEBUG_ONLY_THIS_PROCESS, NULL, NULL, &startup,
                      &made))
    return failed("run", program);
  printf("started in %lu ms\n", GetTickCount() - begun);
  debug();
  return 0;
}

static DWORD WINAPI free_results(void* port) {
  for (int i = 0; i < 2000; ++i) {
    DWORD got;
    ULONG_PTR key;
    OVERLAPPED* place;
    if (!GetQueuedCompletionStatus(port, &got, &key, &place, 10000)) return 1;
    sum = sum * 31 + got;
    VirtualFree(place, 0, MEM_RELEASE);
  }
  return 0;
}

static int read_and_free(const wchar_t* path) {
  DWORD code = 1;
  HANDLE file = CreateFileW(path, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING,
                            FILE_FLAG_OVERLAPPED, NULL);
  HANDLE port = CreateIoCompletionPort(file, NULL, 1, 2);
  HANDLE thread = CreateThread(NULL, 0, free_results, port, 0, NULL);
  if (file == INVALID_HANDLE_VALUE || port == NULL || thread == NULL) return failed("open", path);
  for (int i = 0; i < 2000; ++i) {
    OVERLAPPED* place = VirtualAlloc(NULL, sizeof(*place), MEM_COMMIT, PAGE_READWRITE);
    place->Offset = (DWORD)i * 16;
    if (!ReadFile(file, buffer, 512, NULL, place) && GetLastError() != ERROR_IO_PENDING)
      return failed("read", path);
  }
  WaitForSingleObject(thread, INFINITE);
  GetExitCodeThread(thread, &code);
  CloseHandle(thread);
  CloseHandle(file);
  CloseHandle(port);
  return (int)code;
}

static int read_piece(const wchar_t* path, unsigned long long at, unsigned long length) {
  static HANDLE file = INVALID_HANDLE_VALUE;
  static wchar_t open_path[4096];
  OVERLAPPED place = {0};
  DWORD got = 0;
  if (file == INVALID_HANDLE_VALUE || wcscmp(path, open_path) != 0) {
    if (file != INVALID_HANDLE_VALUE) CloseHandle(file);
    file = CreateFileW(path, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
    if (file == INVALID_HANDLE_VALUE) return failed("open", path);
    wcscpy(open_path, path);
  }
  place.Offset = (DWORD)at;
  place.OffsetHigh = (DWORD)(at >> 32);
  if (!ReadFile(file, buffer, length, &got, &place)) return failed("read", path);
  for (DWORD i = 0; i < got; i += 64) sum = sum * 31 + (unsigned char)buffer[i];
  return 0;
}

static int run(int count, wchar_t** words) {
  wchar_t line[32768] = L"";
  STARTUPINFOW startup = {.cb = sizeof(startup)};
  PROCESS_INFORMATION made;
  DWORD code = 1;
  for (int i = 0; i < count; ++i) {
    wcscat(line, L"\"");
    wcscat(line, words[i]);
    wcscat(line, L"\" ");
  }
  if (!CreateProcessW(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &startup, &made))
    return failed("run", line);
  WaitForSingleObject(made.hProcess, INFINITE);
  GetExitCodeProcess(made.hProcess, &code);
  return (int)code;
}

int wmain(int count, wchar_t** words) {
  static char line[8192];
  const DWORD pause = count > 2 ? wcstoul(words[2], NULL, 10) : 0;
  FILE* plan = count > 1 ? _wfopen(words[1], L"rb") : NULL;
  if (plan == NULL) return failed("open", L"the plan");
  printf("begun\n");
  fflush(stdout);
  while (fgets(line, sizeof(line), plan) != NULL) {
    wchar_t path[4096];
    unsigned long long at = 0;
    unsigned long length = 0;
    int begin = 0, bad = 0;
    line[strcspn(line, "\r\n")] = 0;
    if (strncmp(line, "want ", 5) == 0 || strncmp(line, "save ", 5) == 0 ||
        strncmp(line, "tell ", 5) == 0 || strncmp(line, "free ", 5) == 0 ||
        strncmp(line, "dies ", 5) == 0)
      begin = 5;
    else if (strncmp(line, "catch ", 6) == 0)
      begin = 6;
    else if (sscanf(line, "%llu %lu %n", &at, &length, &begin) != 2 || length > MOST_BYTES)
      return 2;
    MultiByteToWideChar(CP_UTF8, 0, line + begin, -1, path, 4096);
    switch (line[0]) {
      case 'w':
        bad = want(path);
        break;
      case 's':
        bad = save(path);
        break;
      case 't':
        bad = tell();
        break;
      case 'c':
        bad = run_debugged(path);
        break;
      case 'd':
        TerminateProcess(GetCurrentProcess(), 0xc0000005);
        break;
      case 'f':
        bad = read_and_free(path);
        break;
      default:
        bad = read_piece(path, at, length);
    }
    if (bad) return 1;
    if (pause > 0) Sleep(pause);
  }
  fclose(plan);
  printf("sum %llx\n", sum);
  fflush(stdout);
  return count > 3 ? run(count - 3, words + 3) : 7;
}
