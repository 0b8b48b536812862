/* Reads a file in each of the ways that Windows has, for the tests of `seekless record`.
 *
 *   file_calls FILE             all ways, in the order of integration/test_record_on_windows.py
 *   file_calls child FILE       what it starts itself, as a child
 *   file_calls inherited H      reads 5 bytes from a handle that it was given
 *   file_calls loop FILE COUNT BYTES [DONE]
 *                               COUNT reads from the front; prints the seconds that they took, and
 *                               the thread's of the processor; then makes the file DONE
 *   file_calls work FILE COUNT BYTES US
 *                               the same, and computes for US microseconds before each read
 *   file_calls wait FILE        prints its process number, and reads a byte every 50 ms
 *   file_calls crash FILE       one read, and an access violation
 *
 * FILE has 100,000 bytes at least. */
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

static char buffer[1 << 20];

static void fail(const char* what) {
  fprintf(stderr, "%s: error %lu\n", what, GetLastError());
  exit(9);
}

static HANDLE open_file(const wchar_t* name, DWORD flags) {
  SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};
  HANDLE file =
      CreateFileW(name, GENERIC_READ, FILE_SHARE_READ, &inherited, OPEN_EXISTING, flags, NULL);
  if (file == INVALID_HANDLE_VALUE) fail("open");
  return file;
}

static DWORD read_here(HANDLE file, DWORD bytes) {
  DWORD got = 0;
  if (!ReadFile(file, buffer, bytes, &got, NULL)) fail("read");
  return got;
}

static void go_to(HANDLE file, LONGLONG to, DWORD from) {
  LARGE_INTEGER distance;
  distance.QuadPart = to;
  if (!SetFilePointerEx(file, distance, NULL, from)) fail("go to");
}

static void read_at(HANDLE file, DWORD offset, DWORD bytes, HANDLE event) {
  OVERLAPPED place = {.Offset = 0};
  DWORD got = 0;
  place.Offset = offset;
  place.hEvent = event;
  if (!ReadFile(file, buffer, bytes, NULL, &place) && GetLastError() != ERROR_IO_PENDING)
    fail("read at");
  if (!GetOverlappedResult(file, &place, &got, TRUE)) fail("wait");
}

static void run(wchar_t* command) {
  STARTUPINFOW startup = {.cb = sizeof startup};
  PROCESS_INFORMATION made;
  if (!CreateProcessW(NULL, command, NULL, NULL, TRUE, 0, NULL, NULL, &startup, &made))
    fail("start");
  WaitForSingleObject(made.hProcess, INFINITE);
  CloseHandle(made.hThread);
  CloseHandle(made.hProcess);
}

static DWORD WINAPI on_a_thread(void* name) {
  HANDLE file = open_file(name, 0);
  read_here(file, 321);
  CloseHandle(file);
  return 0;
}

static void through_a_port(const wchar_t* name) {
  HANDLE file = open_file(name, FILE_FLAG_OVERLAPPED);
  HANDLE port = CreateIoCompletionPort(file, NULL, 7, 1);
  OVERLAPPED places[3] = {{0}, {0}, {0}};
  for (int i = 0; i < 3; ++i) {
    places[i].Offset = 60000 + 1000 * i;
    if (!ReadFile(file, buffer + 5000 * i, 500, NULL, &places[i]) &&
        GetLastError() != ERROR_IO_PENDING)
      fail("read");
  }
  for (int i = 0; i < 3; ++i) {
    DWORD got;
    ULONG_PTR key;
    OVERLAPPED* which;
    if (!GetQueuedCompletionStatus(port, &got, &key, &which, 5000)) fail("port");
  }
  CloseHandle(port);
  CloseHandle(file);
}

static void scattered(const wchar_t* name) {
  HANDLE file = open_file(name, FILE_FLAG_OVERLAPPED | FILE_FLAG_NO_BUFFERING);
  char* pages = VirtualAlloc(NULL, 3 * 4096, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE);
  FILE_SEGMENT_ELEMENT parts[3] = {{0}};
  OVERLAPPED place = {.Offset = 0};
  DWORD got = 0;
  parts[0].Buffer = pages + 4096;
  parts[1].Buffer = pages;
  place.Offset = 8192;
  if (!ReadFileScatter(file, parts, 2 * 4096, NULL, &place) && GetLastError() != ERROR_IO_PENDING)
    fail("scatter");
  if (!GetOverlappedResult(file, &place, &got, TRUE)) fail("wait");
  CloseHandle(file);
}

static void mapped(const wchar_t* name) {
  HANDLE file = open_file(name, 0);
  HANDLE section = CreateFileMappingW(file, NULL, PAGE_READONLY, 0, 0, NULL);
  if (section == NULL) fail("section");
  CloseHandle(file);
  volatile char* all = MapViewOfFile(section, FILE_MAP_READ, 0, 0, 0);
  volatile char* part = MapViewOfFile(section, FILE_MAP_READ, 0, 65536, 1000);
  if (all == NULL || part == NULL || all[65536] != part[0]) fail("map");
  CloseHandle(section);
}

static void all_ways(const wchar_t* self, wchar_t* name) {
  wchar_t command[40000];
  HANDLE file = open_file(name, 0), other;
  read_here(file, 100);                              /* 0 */
  go_to(file, 1000, FILE_BEGIN), read_here(file, 7); /* 1000 */
  go_to(file, 3, FILE_CURRENT), read_here(file, 1);  /* 1010 */
  go_to(file, -5, FILE_END), read_here(file, 9);     /* the last 5 */
  read_here(file, 9);                                /* none */
  read_at(file, 2000, 11, NULL); /* 2000; synchronous, so the position is 2011 afterwards */
  read_here(file, 2);            /* 2011 */
  if (!DuplicateHandle(GetCurrentProcess(), file, GetCurrentProcess(), &other, 0, FALSE,
                       DUPLICATE_SAME_ACCESS))
    fail("duplicate");
  read_here(other, 3); /* 2013 */
  read_here(file, 4);  /* 2016 */
  CloseHandle(file);
  read_here(other, 5); /* 2020 */
  if (!DuplicateHandle(GetCurrentProcess(), other, GetCurrentProcess(), &file, 0, TRUE,
                       DUPLICATE_SAME_ACCESS | DUPLICATE_CLOSE_SOURCE))
    fail("duplicate");
  read_here(file, 6); /* 2025 */
  swprintf(command, 40000, L"\"%ls\" inherited %llu", self, (unsigned long long)(ULONG_PTR)file);
  run(command);       /* 2031: 5, in the child */
  read_here(file, 7); /* 2036 */
  CloseHandle(file);
  file = open_file(name, FILE_FLAG_OVERLAPPED);
  HANDLE event = CreateEventW(NULL, TRUE, FALSE, NULL);
  read_at(file, 30000, 1234, event); /* 30000 */
  read_at(file, 40000, 77, NULL);    /* 40000 */
  CloseHandle(event);
  CloseHandle(file);
  through_a_port(name); /* 60000, 61000, 62000: 500 each */
  scattered(name);      /* 8192: 8192 */
  mapped(name);         /* the whole, and 65536: 1000 */
  HANDLE thread = CreateThread(NULL, 0, on_a_thread, name, 0, NULL);
  WaitForSingleObject(thread, INFINITE); /* 0: 321 */
  swprintf(command, 40000, L"\"%ls\" child \"%ls\"", self, name);
  run(command); /* 4000: 40 */
  if (CreateFileW(L"missing.file", GENERIC_READ, 0, NULL, OPEN_EXISTING, 0, NULL) !=
      INVALID_HANDLE_VALUE)
    fail("open");
}

static void compute(LONGLONG ticks) {
  LARGE_INTEGER begin, now;
  QueryPerformanceCounter(&begin);
  do QueryPerformanceCounter(&now);
  while (now.QuadPart - begin.QuadPart < ticks);
}

static void loop(const wchar_t* name, long count, DWORD bytes, long between_us,
                 const wchar_t* done) {
  LARGE_INTEGER begin, end, frequency;
  HANDLE file = open_file(name, FILE_FLAG_SEQUENTIAL_SCAN);
  QueryPerformanceFrequency(&frequency);
  QueryPerformanceCounter(&begin);
  for (long i = 0; i < count; ++i) {
    if (between_us > 0) compute(frequency.QuadPart * between_us / 1000000);
    if (read_here(file, bytes) < bytes) go_to(file, 0, FILE_BEGIN);
  }
  QueryPerformanceCounter(&end);
  if (done != NULL) CloseHandle(CreateFileW(done, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL));
  FILETIME born, ended, kernel, user;
  GetThreadTimes(GetCurrentThread(), &born, &ended, &kernel, &user);
  printf("%.6f %.6f\n", (double)(end.QuadPart - begin.QuadPart) / frequency.QuadPart,
         1e-7 * ((double)kernel.dwLowDateTime + user.dwLowDateTime));
}

int wmain(int count, wchar_t** words) {
  if (count == 2) return all_ways(words[0], words[1]), 3;
  if (wcscmp(words[1], L"inherited") == 0)
    return read_here((HANDLE)(ULONG_PTR)_wcstoui64(words[2], NULL, 10), 5) != 5;
  if (wcscmp(words[1], L"loop") == 0)
    return loop(words[2], _wtol(words[3]), _wtol(words[4]), 0, count > 5 ? words[5] : NULL), 0;
  if (wcscmp(words[1], L"work") == 0)
    return loop(words[2], _wtol(words[3]), _wtol(words[4]), _wtol(words[5]), NULL), 0;
  HANDLE file = open_file(words[2], 0);
  if (wcscmp(words[1], L"child") == 0)
    return go_to(file, 4000, FILE_BEGIN), read_here(file, 40) != 40;
  if (wcscmp(words[1], L"crash") == 0) return read_here(file, 17), *(volatile int*)16;
  printf("%lu\n", GetCurrentProcessId());
  fflush(stdout);
  for (int i = 0; i < 1200; ++i) {
    read_here(file, 1);
    Sleep(50);
  }
  return 0;
}
