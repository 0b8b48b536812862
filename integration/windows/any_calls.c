/* Makes random calls on files, of every kind that reads, and prints a sum of all that they gave:
 * status codes, IO_STATUS_BLOCKs, bytes and positions. integration/test_fidelity_on_windows.py runs
 * it with and without `seekless play`, which must make no difference.
 *
 *   any_calls FOLDER CALLS SEED [FROM TO [HELPER]]
 *                        prints the sum after every 500 calls, and each call from FROM to before
 * TO; runs itself and HELPER as other processes that change files, too any_calls helper FOLDER
 *                        takes such changes, one a line
 *   any_calls child H    reads and writes through a handle that it was given
 *
 * FOLDER has the files 00.dat to 11.dat. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>
#include <winternl.h>

enum { kFiles = 12, kHandles = 24, kMostBytes = 1 << 18, kMostPlace = 4 << 20, kStep = 500 };

NTSTATUS NTAPI NtReadFile(HANDLE, HANDLE, PIO_APC_ROUTINE, void*, IO_STATUS_BLOCK*, void*, ULONG,
                          LARGE_INTEGER*, ULONG*);
NTSTATUS NTAPI NtWriteFile(HANDLE, HANDLE, PIO_APC_ROUTINE, void*, IO_STATUS_BLOCK*, void*, ULONG,
                           LARGE_INTEGER*, ULONG*);
NTSTATUS NTAPI NtReadFileScatter(HANDLE, HANDLE, PIO_APC_ROUTINE, void*, IO_STATUS_BLOCK*,
                                 FILE_SEGMENT_ELEMENT*, ULONG, LARGE_INTEGER*, ULONG*);
NTSTATUS NTAPI NtWriteFileGather(HANDLE, HANDLE, PIO_APC_ROUTINE, void*, IO_STATUS_BLOCK*,
                                 FILE_SEGMENT_ELEMENT*, ULONG, LARGE_INTEGER*, ULONG*);

static uint64_t seed, sum = 14695981039346656037ull;
static int is_told;
static wchar_t folder[4096];
static char* buffer;
static struct open_file {
  HANDLE file;
  int number;
  DWORD flags;
} opened[kHandles];

static void die(const char* what) {
  fprintf(stderr, "%s: error %lu\n", what, GetLastError());
  exit(9);
}

static uint32_t chance(uint32_t below) {
  seed = seed * 6364136223846793005ull + 1442695040888963407ull;
  return (uint32_t)((seed >> 33) % below);
}

static uint64_t sum_of(const void* bytes, size_t count) {
  const unsigned char* at = bytes;
  uint64_t made = count;
  for (; count >= 8; count -= 8, at += 8) {
    uint64_t word;
    memcpy(&word, at, 8);
    made = (made ^ word) * 0x9e3779b97f4a7c15ull;
    made ^= made >> 29;
  }
  for (; count > 0; --count) made = (made ^ *at++) * 1099511628211ull;
  return made;
}

static void note(const char* what, uint64_t value) {
  sum = (sum ^ value) * 1099511628211ull;
  sum ^= sum >> 31;
  if (is_told) printf("  %s %llx\n", what, (unsigned long long)value);
}

static void name_of(wchar_t* path, int number) {
  swprintf(path, 4200, L"%ls\\%02d.dat", folder, number);
}

static void fill(void* into, size_t count, uint32_t with) {
  uint32_t* words = into;
  for (size_t i = 0; i < count / 4; ++i) words[i] = with + (uint32_t)i * 2654435761u;
}

static void note_position(HANDLE file) {
  IO_STATUS_BLOCK done = {{0}, 0};
  LARGE_INTEGER position = {.QuadPart = -1};
  note("position's status",
       (uint32_t)NtQueryInformationFile(file, &done, &position, 8, (FILE_INFORMATION_CLASS)14));
  note("position", (uint64_t)position.QuadPart);
}

/* Takes the length of a transfer: most are small, some are empty, some large. */
static ULONG any_length(void) {
  switch (chance(8)) {
    case 0:
      return chance(4);
    case 1:
      return chance(kMostBytes);
    case 2:
      return 4096 * (1 + chance(8));
    default:
      return chance(9000);
  }
}

static int64_t any_place(void) {
  const uint32_t kind = chance(16);
  if (kind == 0) return -1 - (int64_t)chance(5);
  if (kind < 6) return 4096 * (int64_t)chance(kMostPlace / 4096);
  return kind < 10 ? chance(70000) : chance(kMostPlace);
}

typedef NTSTATUS (*transfer)(HANDLE file, HANDLE event, IO_STATUS_BLOCK* done, ULONG length,
                             LARGE_INTEGER* place);

static NTSTATUS read_plainly(HANDLE file, HANDLE event, IO_STATUS_BLOCK* done, ULONG length,
                             LARGE_INTEGER* place) {
  return NtReadFile(file, event, NULL, NULL, done, buffer, length, place, NULL);
}
static NTSTATUS write_plainly(HANDLE file, HANDLE event, IO_STATUS_BLOCK* done, ULONG length,
                              LARGE_INTEGER* place) {
  return NtWriteFile(file, event, NULL, NULL, done, buffer, length, place, NULL);
}
/* Pages of the buffer, from back to front. */
static FILE_SEGMENT_ELEMENT* parts(ULONG length) {
  static FILE_SEGMENT_ELEMENT made[kMostBytes / 4096 + 2];
  const ULONG count = length / 4096 + 1;
  memset(made, 0, sizeof made);
  for (ULONG i = 0; i < count && i < kMostBytes / 4096; ++i)
    made[i].Buffer = buffer + 4096 * (size_t)(count - 1 - i);
  return made;
}
static NTSTATUS read_scattered(HANDLE file, HANDLE event, IO_STATUS_BLOCK* done, ULONG length,
                               LARGE_INTEGER* place) {
  return NtReadFileScatter(file, event, NULL, NULL, done, parts(length), length, place, NULL);
}
static NTSTATUS write_gathered(HANDLE file, HANDLE event, IO_STATUS_BLOCK* done, ULONG length,
                               LARGE_INTEGER* place) {
  return NtWriteFileGather(file, event, NULL, NULL, done, parts(length), length, place, NULL);
}

/* Makes a transfer at a place, or where the file stands, and notes all that it changes. */
static void transfers(transfer call, const struct open_file* of, int is_write) {
  static HANDLE event;
  IO_STATUS_BLOCK done;
  LARGE_INTEGER place, *at = &place;
  const uint32_t where = chance(4);
  ULONG length = any_length();
  const int is_in_pages = call == read_scattered || call == write_gathered;
  const int is_direct = (of->flags & FILE_FLAG_NO_BUFFERING) != 0;
  if (event == NULL) event = CreateEventW(NULL, TRUE, FALSE, NULL);
  if ((is_in_pages || is_direct) && chance(8) > 0) length = length / 4096 * 4096;
  if (is_in_pages && length > kMostBytes - 4096) length = kMostBytes - 4096;
  place.QuadPart = any_place();
  if (is_direct && chance(8) > 0) place.QuadPart &= ~4095ll;
  if (where == 0 && (of->flags & FILE_FLAG_OVERLAPPED) == 0) {
    at = NULL;
  } else if (where == 1) {
    place.HighPart = -1;
    place.LowPart = 0xfffffffe;
  }
  done.Status = 0x5a5a5a5a;
  done.Information = 0x77777777;
  fill(buffer, length, is_write ? chance(1 << 30) : 7);
  NTSTATUS status =
      call(of->file, (of->flags & FILE_FLAG_OVERLAPPED) != 0 || chance(2) ? event : NULL, &done,
           length, at);
  note("status", (uint32_t)status);
  if (status == STATUS_PENDING) note("waited", WaitForSingleObject(event, INFINITE));
  note("its status", (uint32_t)done.Status);
  note("its bytes", done.Information);
  if (!is_write) note("sum of bytes", sum_of(buffer, length));
  note_position(of->file);
}

static struct open_file* any_open(void) {
  struct open_file* of = &opened[chance(kHandles)];
  return of->file != NULL ? of : NULL;
}

static void opens(void) {
  static const DWORD kFlags[] = {0,
                                 0,
                                 0,
                                 FILE_FLAG_OVERLAPPED,
                                 FILE_FLAG_NO_BUFFERING,
                                 FILE_FLAG_NO_BUFFERING | FILE_FLAG_OVERLAPPED,
                                 FILE_FLAG_SEQUENTIAL_SCAN,
                                 FILE_FLAG_RANDOM_ACCESS};
  static const DWORD kHow[] = {OPEN_EXISTING, OPEN_EXISTING,     OPEN_EXISTING, OPEN_EXISTING,
                               OPEN_ALWAYS,   TRUNCATE_EXISTING, CREATE_ALWAYS, CREATE_NEW};
  struct open_file* of = &opened[chance(kHandles)];
  wchar_t path[4200];
  const DWORD all = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  const uint32_t access = chance(8);
  if (of->file != NULL) return;
  of->number = (int)chance(kFiles);
  of->flags = kFlags[chance(8)];
  name_of(path, of->number);
  HANDLE file = CreateFileW(path,
                            access == 0  ? GENERIC_WRITE
                            : access < 3 ? GENERIC_READ | GENERIC_WRITE
                                         : GENERIC_READ,
                            chance(12) > 0 ? all : chance(8), NULL,
                            kHow[chance(chance(4) == 0 ? 8 : 4)], of->flags, NULL);
  note("opened", file == INVALID_HANDLE_VALUE ? GetLastError() : 0);
  of->file = file == INVALID_HANDLE_VALUE ? NULL : file;
}

static void closes(void) {
  struct open_file* of = any_open();
  if (of == NULL) return;
  note("closed", (uint64_t)CloseHandle(of->file));
  of->file = NULL;
}

static void duplicates(void) {
  struct open_file* of = any_open();
  struct open_file* to = &opened[chance(kHandles)];
  HANDLE made = NULL;
  const DWORD how = chance(3) == 0 ? DUPLICATE_CLOSE_SOURCE : 0;
  if (of == NULL || to->file != NULL) return;
  const HANDLE self = GetCurrentProcess();
  note("duplicated", (uint64_t)DuplicateHandle(self, of->file, self, &made, 0, chance(2) == 0,
                                               how | DUPLICATE_SAME_ACCESS));
  *to = *of;
  to->file = made;
  if (how != 0) of->file = NULL;
}

static void seeks(void) {
  struct open_file* of = any_open();
  LARGE_INTEGER by, now = {.QuadPart = -1};
  if (of == NULL) return;
  by.QuadPart = any_place() - (chance(3) == 0 ? 50000 : 0);
  SetLastError(0);
  note("sought", (uint64_t)SetFilePointerEx(of->file, by, &now, chance(3)));
  note("now at", (uint64_t)now.QuadPart);
}

/* The calls of Win32, by position. */
static void reads_by_win32(void) {
  struct open_file* of = any_open();
  OVERLAPPED place = {0};
  DWORD got = 0x1234;
  const ULONG length = any_length();
  if (of == NULL) return;
  const int64_t at = any_place();
  place.Offset = (DWORD)at;
  place.OffsetHigh = (DWORD)(at >> 32);
  fill(buffer, length, 9);
  SetLastError(0);
  const BOOL is_sync = (of->flags & FILE_FLAG_OVERLAPPED) == 0;
  BOOL is_good = ReadFile(of->file, buffer, length, is_sync ? &got : NULL,
                          is_sync && chance(2) ? NULL : &place);
  note("read", is_good ? 0 : GetLastError());
  if (!is_sync && (is_good || GetLastError() == ERROR_IO_PENDING)) {
    is_good = GetOverlappedResult(of->file, &place, &got, TRUE);
    note("result", is_good ? 0 : GetLastError());
  }
  note("got", got);
  note("sum of bytes", sum_of(buffer, length));
  note_position(of->file);
}

static volatile LONG apc_code, apc_bytes;
static void CALLBACK told(DWORD code, DWORD bytes, OVERLAPPED* place) {
  (void)place;
  apc_code = (LONG)code;
  apc_bytes = (LONG)bytes;
}

static void reads_by_routine(void) {
  struct open_file* of = any_open();
  OVERLAPPED place = {0};
  const ULONG length = any_length();
  if (of == NULL || (of->flags & FILE_FLAG_OVERLAPPED) == 0) return;
  place.Offset = (DWORD)(any_place() & 0x3fffff);
  fill(buffer, length, 11);
  SetLastError(0);
  apc_code = -1;
  if (!ReadFileEx(of->file, buffer, length, &place, told)) {
    note("no read", GetLastError());
    return;
  }
  for (int i = 0; i < 100 && apc_code == -1; ++i) SleepEx(1000, TRUE);
  note("told", (uint32_t)apc_code);
  note("bytes", (uint32_t)apc_bytes);
  note("sum of bytes", sum_of(buffer, length));
}

static void reads_by_port(void) {
  wchar_t path[4200];
  OVERLAPPED places[3];
  name_of(path, (int)chance(kFiles));
  HANDLE file =
      CreateFileW(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                  OPEN_EXISTING, FILE_FLAG_OVERLAPPED, NULL);
  int begun = 0;
  note("opened", file == INVALID_HANDLE_VALUE ? GetLastError() : 0);
  if (file == INVALID_HANDLE_VALUE) return;
  HANDLE port = CreateIoCompletionPort(file, NULL, 7, 1);
  memset(places, 0, sizeof places);
  fill(buffer, 30000, 13);
  for (int i = 0; i < 3; ++i) {
    places[i].Offset = chance(kMostPlace);
    const BOOL is_good = ReadFile(file, buffer + 10000 * i, chance(10000), NULL, &places[i]);
    const DWORD error = is_good ? 0 : GetLastError();
    note("begun", error);
    begun += is_good || error == ERROR_IO_PENDING;
  }
  for (; begun > 0; --begun) {
    DWORD got = 0;
    ULONG_PTR key = 0;
    OVERLAPPED* which = NULL;
    SetLastError(0);
    note("ended", (uint64_t)GetQueuedCompletionStatus(port, &got, &key, &which, 10000));
    note("error", GetLastError());
    note("key", key);
    note("which", which == NULL ? 99 : (uint64_t)(which - places));
    note("bytes", got);
  }
  note("sum of bytes", sum_of(buffer, 30000));
  CloseHandle(file);
  CloseHandle(port);
}

static void maps(void) {
  struct open_file* of = any_open();
  LARGE_INTEGER size = {0};
  if (of == NULL || !GetFileSizeEx(of->file, &size)) return;
  HANDLE section = CreateFileMappingW(of->file, NULL, PAGE_READONLY, 0, 0, NULL);
  note("section", section == NULL ? GetLastError() : 0);
  if (section == NULL) return;
  const uint64_t at = 65536 * (uint64_t)chance((uint32_t)(size.QuadPart / 65536) + 2);
  SetLastError(0);
  const char* view = MapViewOfFile(section, FILE_MAP_READ, 0, (DWORD)at, chance(2) ? 1000 : 0);
  note("view", view == NULL ? GetLastError() : 0);
  if (view != NULL) {
    const uint64_t left = (uint64_t)size.QuadPart - at;
    note("sum of bytes", sum_of(view, left < 1000 ? (size_t)left : 1000));
    UnmapViewOfFile(view);
  }
  CloseHandle(section);
}

static void cuts(void) {
  struct open_file* of = any_open();
  LARGE_INTEGER to;
  if (of == NULL) return;
  to.QuadPart = chance(3) == 0 ? chance(5000) : chance(kMostPlace);
  SetLastError(0);
  note("sought", (uint64_t)SetFilePointerEx(of->file, to, NULL, FILE_BEGIN));
  note("cut", SetEndOfFile(of->file) ? 0 : GetLastError());
}

static void locks(void) {
  struct open_file* of = any_open();
  OVERLAPPED place = {0};
  if (of == NULL || (of->flags & FILE_FLAG_OVERLAPPED) != 0) return;
  place.Offset = chance(70000);
  const DWORD length = 1 + chance(9000);
  SetLastError(0);
  const BOOL is_locked =
      LockFileEx(of->file, LOCKFILE_FAIL_IMMEDIATELY | (chance(2) ? LOCKFILE_EXCLUSIVE_LOCK : 0), 0,
                 length, 0, &place);
  note("locked", is_locked ? 0 : GetLastError());
  if (!is_locked) return;
  for (int i = 0; i < kHandles; ++i)
    if (opened[i].file != NULL && opened[i].number == of->number)
      transfers(read_plainly, &opened[i], 0);
  note("unlocked", UnlockFileEx(of->file, 0, length, 0, &place) ? 0 : GetLastError());
}

static void queries(void) {
  struct open_file* of = any_open();
  BY_HANDLE_FILE_INFORMATION about;
  LARGE_INTEGER size = {0};
  if (of == NULL) return;
  note("size", GetFileSizeEx(of->file, &size) ? (uint64_t)size.QuadPart : GetLastError());
  if (!GetFileInformationByHandle(of->file, &about)) return;
  note("attributes", about.dwFileAttributes);
  note("links", about.nNumberOfLinks);
}

static void reads_badly(void) {
  IO_STATUS_BLOCK done = {{0x5a5a5a5a}, 0x77};
  LARGE_INTEGER place = {.QuadPart = 5};
  const HANDLE bad[] = {NULL, (HANDLE)(uintptr_t)0xfff0, INVALID_HANDLE_VALUE, GetCurrentProcess()};
  note("status",
       (uint32_t)NtReadFile(bad[chance(4)], NULL, NULL, NULL, &done, buffer, 100, &place, NULL));
  note("its status", (uint32_t)done.Status);
  note("its bytes", done.Information);
}

/* Changes files by name. A command has a kind, two files, and a number. */
static DWORD change(int kind, int number, int other, uint32_t amount) {
  wchar_t path[4200], to[4200];
  const DWORD all = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  name_of(path, number);
  name_of(to, other);
  SetLastError(0);
  if (kind == 0) return MoveFileExW(path, to, MOVEFILE_REPLACE_EXISTING) ? 0 : GetLastError();
  if (kind == 1) return MoveFileExW(path, to, 0) ? 0 : GetLastError();
  if (kind == 2) return DeleteFileW(path) ? 0 : GetLastError();
  if (kind == 3) return CopyFileW(path, to, FALSE) ? 0 : GetLastError();
  HANDLE file =
      CreateFileW(path, kind == 7 ? GENERIC_READ : GENERIC_WRITE, amount % 5 == 0 ? 0 : all, NULL,
                  kind == 6 ? CREATE_ALWAYS : OPEN_ALWAYS, 0, NULL);
  if (file == INVALID_HANDLE_VALUE) return GetLastError();
  DWORD done = 0, result = 0;
  SetFilePointer(file, (LONG)(amount % kMostPlace), NULL, FILE_BEGIN);
  if (kind == 5) {
    result = SetEndOfFile(file) ? 0 : GetLastError();
  } else {
    static char bytes[5000];
    fill(bytes, sizeof bytes, amount);
    const BOOL is_good = kind == 7 ? ReadFile(file, bytes, sizeof bytes, &done, NULL)
                                   : WriteFile(file, bytes, 1 + amount % sizeof bytes, &done, NULL);
    result = is_good ? (kind == 7 ? (DWORD)sum_of(bytes, sizeof bytes) : done) : GetLastError();
  }
  CloseHandle(file);
  return result;
}

static int help(void) {
  int kind, number, other;
  unsigned amount;
  static char line[200];
  while (fgets(line, sizeof line, stdin) != NULL) {
    if (sscanf(line, "%d %d %d %u", &kind, &number, &other, &amount) != 4) return 2;
    printf("%lu\n", change(kind, number, other, amount));
    fflush(stdout);
  }
  return 0;
}

struct helper {
  HANDLE process;
  FILE *asks, *answers;
};

#include <fcntl.h>
#include <io.h>
static void start_helper(struct helper* helper, const wchar_t* program) {
  SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};
  STARTUPINFOW startup = {.cb = sizeof startup, .dwFlags = STARTF_USESTDHANDLES};
  PROCESS_INFORMATION made;
  HANDLE in[2], out[2];
  static wchar_t command[9000];
  if (!CreatePipe(&in[0], &in[1], &inherited, 0) || !CreatePipe(&out[0], &out[1], &inherited, 0))
    die("pipe");
  SetHandleInformation(in[1], HANDLE_FLAG_INHERIT, 0);
  SetHandleInformation(out[0], HANDLE_FLAG_INHERIT, 0);
  startup.hStdInput = in[0];
  startup.hStdOutput = out[1];
  startup.hStdError = GetStdHandle(STD_ERROR_HANDLE);
  swprintf(command, 9000, L"\"%ls\" helper \"%ls\"", program, folder);
  if (!CreateProcessW(NULL, command, NULL, NULL, TRUE, 0, NULL, NULL, &startup, &made))
    die("helper");
  CloseHandle(in[0]);
  CloseHandle(out[1]);
  CloseHandle(made.hThread);
  helper->process = made.hProcess;
  helper->asks = _fdopen(_open_osfhandle((intptr_t)in[1], _O_BINARY), "wb");
  helper->answers = _fdopen(_open_osfhandle((intptr_t)out[0], _O_RDONLY | _O_BINARY), "rb");
}

static void changes(struct helper* helper) {
  const int kind = (int)chance(8), number = (int)chance(kFiles), other = (int)chance(kFiles);
  const uint32_t amount = chance(1 << 30);
  unsigned long result = 0;
  if (helper == NULL || helper->process == NULL) {
    note("changed", change(kind, number, other, amount));
    return;
  }
  fprintf(helper->asks, "%d %d %d %u\n", kind, number, other, amount);
  fflush(helper->asks);
  if (fscanf(helper->answers, "%lu", &result) != 1) die("the helper's answer");
  note("changed elsewhere", result);
}

static wchar_t self[4096];

static void runs_child(void) {
  STARTUPINFOW startup = {.cb = sizeof startup};
  PROCESS_INFORMATION made;
  wchar_t command[5000], path[4200];
  DWORD code = 0;
  SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};
  name_of(path, (int)chance(kFiles));
  HANDLE file =
      CreateFileW(path, GENERIC_READ | GENERIC_WRITE, 7, &inherited, OPEN_ALWAYS, 0, NULL);
  note("opened", file == INVALID_HANDLE_VALUE ? GetLastError() : 0);
  if (file == INVALID_HANDLE_VALUE) return;
  swprintf(command, 5000, L"\"%ls\" child %llu", self, (unsigned long long)(uintptr_t)file);
  if (!CreateProcessW(NULL, command, NULL, NULL, TRUE, 0, NULL, NULL, &startup, &made))
    die("child");
  WaitForSingleObject(made.hProcess, INFINITE);
  GetExitCodeProcess(made.hProcess, &code);
  CloseHandle(made.hProcess);
  CloseHandle(made.hThread);
  note("child", code);
  note_position(file);
  const struct open_file of = {file, 0, 0};
  transfers(read_plainly, &of, 0);
  CloseHandle(file);
}

static int be_child(HANDLE file) {
  DWORD got = 0, put = 0;
  ReadFile(file, buffer, 5000, &got, NULL);
  WriteFile(file, "child", 5, &put, NULL);
  return (int)(got + put);
}

static DWORD WINAPI reads_on_a_thread(void* at) {
  uint64_t* of = at;
  wchar_t path[4200];
  char bytes[4096];
  uint64_t places = *of;
  name_of(path, (int)(places % kFiles));
  HANDLE file = CreateFileW(path, GENERIC_READ, 7, NULL, OPEN_EXISTING, 0, NULL);
  for (int i = 0; i < 10 && file != INVALID_HANDLE_VALUE; ++i) {
    OVERLAPPED place = {0};
    DWORD got = 0;
    places = places * 6364136223846793005ull + 1442695040888963407ull;
    place.Offset = (DWORD)((places >> 33) % kMostPlace);
    const BOOL is_good = ReadFile(file, bytes, sizeof bytes, &got, &place);
    *of = (*of ^ (is_good ? sum_of(bytes, got) : GetLastError())) * 1099511628211ull;
  }
  CloseHandle(file);
  return 0;
}

static void reads_on_threads(void) {
  HANDLE threads[4];
  uint64_t of[4];
  for (int i = 0; i < 4; ++i) {
    of[i] = chance(1 << 30);
    threads[i] = CreateThread(NULL, 0, reads_on_a_thread, &of[i], 0, NULL);
  }
  WaitForMultipleObjects(4, threads, TRUE, INFINITE);
  for (int i = 0; i < 4; ++i) {
    CloseHandle(threads[i]);
    note("sum of a thread", of[i]);
  }
}

static void lists_names(void) {
  WIN32_FIND_DATAW found;
  wchar_t pattern[4200];
  uint64_t all = 0;
  swprintf(pattern, 4200, L"%ls\\*.dat", folder);
  HANDLE search = FindFirstFileW(pattern, &found);
  if (search == INVALID_HANDLE_VALUE) return;
  do all += sum_of(found.cFileName, wcslen(found.cFileName) * 2) ^ found.nFileSizeLow;
  while (FindNextFileW(search, &found));
  FindClose(search);
  note("names", all);
}

static const struct {
  const char* name;
  uint32_t weight;
} kCalls[] = {{"read", 380},   {"read by Win32", 120}, {"seek", 80},      {"write", 60},
              {"scatter", 40}, {"gather", 10},         {"map", 30},       {"cut", 15},
              {"open", 90},    {"close", 50},          {"duplicate", 25}, {"change", 12},
              {"lock", 8},     {"routine", 15},        {"port", 8},       {"threads", 1},
              {"helper", 8},   {"stranger", 8},        {"query", 20},     {"badly", 5},
              {"names", 2}};
enum { kKinds = sizeof kCalls / sizeof *kCalls };

static struct helper helper, stranger;

static void call(uint32_t kind) {
  struct open_file* of = any_open();
  if (kind <= 5 && kind != 1 && kind != 2 && of == NULL) return;
  switch (kind) {
    case 0:
      transfers(read_plainly, of, 0);
      return;
    case 1:
      reads_by_win32();
      return;
    case 2:
      seeks();
      return;
    case 3:
      transfers(write_plainly, of, 1);
      return;
    case 4:
      transfers(read_scattered, of, 0);
      return;
    case 5:
      transfers(write_gathered, of, 1);
      return;
    case 6:
      maps();
      return;
    case 7:
      cuts();
      return;
    case 8:
      opens();
      return;
    case 9:
      closes();
      return;
    case 10:
      duplicates();
      return;
    case 11:
      changes(NULL);
      return;
    case 12:
      locks();
      return;
    case 13:
      reads_by_routine();
      return;
    case 14:
      reads_by_port();
      return;
    case 15:
      reads_on_threads();
      return;
    case 16:
      changes(&helper);
      return;
    case 17:
      changes(&stranger);
      return;
    case 18:
      queries();
      return;
    case 19:
      reads_badly();
      return;
    default:
      lists_names();
      return;
  }
}

int wmain(int count, wchar_t** words) {
  buffer = VirtualAlloc(NULL, kMostBytes + 8192, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE);
  if (count == 3 && wcscmp(words[1], L"child") == 0)
    return be_child((HANDLE)(uintptr_t)wcstoull(words[2], NULL, 10));
  if (count == 3 && wcscmp(words[1], L"helper") == 0) {
    wcscpy(folder, words[2]);
    return help();
  }
  if (count < 4) return 2;
  wcscpy(folder, words[1]);
  GetModuleFileNameW(NULL, self, 4096);
  const unsigned long calls = wcstoul(words[2], NULL, 10);
  const unsigned long from = count > 5 ? wcstoul(words[4], NULL, 10) : 0;
  const unsigned long to = count > 5 ? wcstoul(words[5], NULL, 10) : 0;
  seed = wcstoull(words[3], NULL, 10);
  start_helper(&helper, self);
  if (count > 6) start_helper(&stranger, words[6]);
  uint32_t all = 0;
  for (int i = 0; i < kKinds; ++i) all += kCalls[i].weight;
  for (unsigned long i = 0; i < calls; ++i) {
    uint32_t at = chance(all), kind = 0;
    while (at >= kCalls[kind].weight) at -= kCalls[kind++].weight;
    is_told = i >= from && i < to;
    if (is_told) printf("%lu %s\n", i, kCalls[kind].name);
    call(kind);
    if (i % (calls / 20 + 1) == calls / 40) runs_child();
    if ((i + 1) % kStep == 0 || i + 1 == calls)
      printf("%lu %llx\n", i + 1, (unsigned long long)sum);
  }
  for (int i = 0; i < kHandles; ++i)
    if (opened[i].file != NULL) CloseHandle(opened[i].file);
  fclose(helper.asks);
  WaitForSingleObject(helper.process, 10000);
  if (stranger.asks != NULL) fclose(stranger.asks);
  printf("files %llx\n", (unsigned long long)(lists_names(), sum));
  return 7;
}
