// The DLL that `seekless record` puts into a program on Windows. It replaces the calls of ntdll
// that open, read, map and close files: each replacement makes the real call, and reports the
// result to the recorder. MinHook puts the jumps into ntdll. They stay until the program ends; once
// the recorder has ended, they only make the real call.
#include <array>
#include <cstring>

#include <MinHook.h>
#include <windows.h>

#include "packer/record/hook/handles.h"
#include "packer/record/hook/native.h"
#include "packer/record/hook/pending_reads.h"
#include "packer/record/hook/ring_writer.h"

namespace seekless::hook {
namespace {

RingWriter ring;
Handles handles;
PendingReads pending(ring);

// Holds pointers to the system's own calls, once the hooks are installed.
struct Calls {
  NtCreateFileCall create_file;
  NtOpenFileCall open_file;
  NtTransferCall read_file, read_file_scatter, write_file, write_file_gather;
  NtSetInformationFileCall set_information_file;
  NtCreateSectionCall create_section;
  NtMapViewOfSectionCall map_view;
  NtDuplicateObjectCall duplicate;
  NtCloseCall close;
  NtWaitForSingleObjectCall wait_one;
  NtWaitForMultipleObjectsCall wait_many;
  NtRemoveIoCompletionCall remove_completion;
  NtRemoveIoCompletionExCall remove_completions;
  NtCreateUserProcessCall create_process;
  NtResumeThreadCall resume_thread;
} calls;

bool is_done(NTSTATUS status) {
  return status >= 0 && status != kPending;
}

// Holds the result of NtQueryObject. A file's name is rarely long, but can be.
class ObjectName {
 public:
  explicit ObjectName(HANDLE handle) {
    ULONG needed = 0;
    const auto name = static_cast<OBJECT_INFORMATION_CLASS>(kObjectName);
    NTSTATUS status = ::NtQueryObject(handle, name, near_.data(), sizeof(near_), &needed);
    if (status >= 0) {
      take(near_.data());
      return;
    }
    SIZE_T bytes = sizeof(UNICODE_STRING) + 2 * (kMaxTextCharacters + 1);
    if (::NtAllocateVirtualMemory(this_process(), &far_, 0, &bytes, MEM_COMMIT | MEM_RESERVE,
                                  PAGE_READWRITE) < 0)
      return;
    status = ::NtQueryObject(handle, name, far_, static_cast<ULONG>(bytes), &needed);
    if (status >= 0) take(far_);
  }
  ObjectName(const ObjectName&) = delete;
  ObjectName& operator=(const ObjectName&) = delete;
  ~ObjectName() {
    SIZE_T bytes = 0;
    if (far_ != nullptr) ::NtFreeVirtualMemory(this_process(), &far_, &bytes, MEM_RELEASE);
  }

  const wchar_t* text() const { return text_; }
  size_t characters() const { return characters_; }

 private:
  void take(const void* answer) {
    const auto* found = static_cast<const UNICODE_STRING*>(answer);
    text_ = found->Buffer;
    characters_ = text_ == nullptr ? 0 : found->Length / 2;
    if (characters_ > 0 && text_[characters_ - 1] == L'\\') --characters_;
  }

  alignas(UNICODE_STRING) std::array<unsigned char, 1024> near_;
  void* far_ = nullptr;
  const wchar_t* text_ = nullptr;
  size_t characters_ = 0;
};

int64_t position_of(HANDLE file) {
  IO_STATUS_BLOCK done;
  LARGE_INTEGER position = {};
  const auto kind = static_cast<FILE_INFORMATION_CLASS>(kFilePosition);
  if (::NtQueryInformationFile(file, &done, &position, sizeof(position), kind) < 0) return 0;
  return position.QuadPart;
}

uint64_t size_of(HANDLE file) {
  IO_STATUS_BLOCK done;
  FileStandard standard = {};
  const auto kind = static_cast<FILE_INFORMATION_CLASS>(kFileStandard);
  if (::NtQueryInformationFile(file, &done, &standard, sizeof(standard), kind) < 0) return 0;
  return static_cast<uint64_t>(standard.end_of_file.QuadPart);
}

bool is_on_a_drive(HANDLE file) {
  IO_STATUS_BLOCK done;
  VolumeDevice device = {};
  const auto kind = static_cast<FS_INFORMATION_CLASS>(kVolumeDevice);
  if (::NtQueryVolumeInformationFile(file, &done, &device, sizeof(device), kind) < 0) return false;
  constexpr ULONG kCdRom = 2, kDisk = 7, kNetwork = 0x14, kVirtualDisk = 0x24, kDvd = 0x33;
  return device.type == kDisk || device.type == kNetwork || device.type == kCdRom ||
         device.type == kVirtualDisk || device.type == kDvd || device.type == kCdRom + 1 ||
         device.type == kDisk + 1;  // file systems of disks
}

// Options of a file.
constexpr ULONG kUnbuffered = 0x8, kSynchronous = 0x30, kDeleteOnClose = 0x1000;

uint32_t flags_of(ULONG options) {
  return ((options & kSynchronous) != 0 ? kIsSynchronous : 0) |
         ((options & kUnbuffered) != 0 ? kIsUnbuffered : 0);
}

// Examines a handle that was inherited, came from another process, or was open before the hooks
// were installed.
HandleKind learn(HANDLE handle) {
  if (!is_on_a_drive(handle)) {
    handles.set(handle, HandleKind::other);
    return HandleKind::other;
  }
  const ObjectName name(handle);
  if (name.characters() == 0) return HandleKind::other;
  IO_STATUS_BLOCK done;
  ULONG mode = 0;
  ::NtQueryInformationFile(handle, &done, &mode, sizeof(mode),
                           static_cast<FILE_INFORMATION_CLASS>(kFileMode));
  ring.put({.kind = RecordKind::known,
            .handle = handle,
            .offset = static_cast<uint64_t>(position_of(handle)),
            .flags = flags_of(mode)},
           {.rest = name.text(), .rest_characters = name.characters()});
  const HandleKind kind = (mode & kSynchronous) != 0 ? HandleKind::shared : HandleKind::overlapped;
  handles.set(handle, kind);
  return kind;
}

HandleKind known_kind(HANDLE handle) {
  const HandleKind kind = handles.kind(handle);
  return kind == HandleKind::unknown ? learn(handle) : kind;
}

// The next functions handle opening.

bool begins_with(const UNICODE_STRING& name, const wchar_t* front) {
  const size_t length = ::wcslen(front);
  return name.Length / 2 >= length && std::memcmp(name.Buffer, front, 2 * length) == 0;
}

// Returns true for names with a drive or a server: "\??\C:\...", "\??\UNC\...", "\??\unix\...".
bool may_be_file(const OBJECT_ATTRIBUTES& attributes) {
  const UNICODE_STRING* name = attributes.ObjectName;
  if (name == nullptr || name->Buffer == nullptr) return false;
  if (attributes.RootDirectory != nullptr) return true;
  constexpr size_t kColonAt = 5;
  if (begins_with(*name, L"\\??\\"))
    return (name->Length / 2 > kColonAt && name->Buffer[kColonAt] == L':') ||
           begins_with(*name, L"\\??\\UNC\\") || begins_with(*name, L"\\??\\unix\\");
  return begins_with(*name, L"\\Device\\Harddisk") || begins_with(*name, L"\\Device\\Mup\\");
}

struct Opening {
  ACCESS_MASK access;
  const OBJECT_ATTRIBUTES* attributes;
  ULONG options;
};

HandleKind kind_of(const Opening& opening) {
  if ((opening.options & kSynchronous) == 0) return HandleKind::overlapped;
  const bool inherits = (opening.attributes->Attributes & kInherits) != 0;
  return inherits ? HandleKind::heirloom : HandleKind::file;
}

void opened(const Opening& opening, const HANDLE* handle, NTSTATUS status, int64_t start_ticks) {
  constexpr ACCESS_MASK kReads = FILE_READ_DATA | GENERIC_READ | GENERIC_ALL | MAXIMUM_ALLOWED;
  constexpr ACCESS_MASK kRuns = FILE_EXECUTE | GENERIC_EXECUTE;
  constexpr ULONG kFolder = 0x1, kByNumber = 0x2000;
  if (is_done(status))
    handles.set(*handle,
                HandleKind::unknown);  // the kind stays unknown until the recorder is told the file
  if ((opening.access & (kReads | kRuns)) == 0 || (opening.options & (kFolder | kByNumber)) != 0 ||
      opening.attributes == nullptr || !may_be_file(*opening.attributes))
    return;
  const UNICODE_STRING& rest = *opening.attributes->ObjectName;
  RingRecord record = {
      .kind = RecordKind::open,
      .handle = is_done(status) ? *handle : nullptr,
      .other = static_cast<uint32_t>(is_done(status) ? 0 : status),
      .flags = ((opening.access & kReads) != 0 ? kIsForReading : 0) | flags_of(opening.options),
      .start_ticks = start_ticks,
      .end_ticks = ring.ticks_now(),
  };
  if (opening.attributes->RootDirectory == nullptr) {
    ring.put(record, {.rest = rest.Buffer, .rest_characters = rest.Length / 2U});
  } else {
    const ObjectName folder(opening.attributes->RootDirectory);
    if (folder.characters() == 0) return;
    ring.put(record, {folder.text(), folder.characters(), rest.Buffer, rest.Length / 2U});
  }
  if (is_done(status)) handles.set(*handle, kind_of(opening));
}

// These are what a call fails with if someone else has the file open, or had it open when it was
// deleted, or has open what would be replaced.
bool is_kept_by_others(NTSTATUS status) {
  constexpr auto kSharingViolation = static_cast<NTSTATUS>(0xc0000043);
  constexpr auto kDeletePending = static_cast<NTSTATUS>(0xc0000056);
  return status == kSharingViolation || status == kDeletePending;
}

// true once the recorder didn't let go of a file in time: it is stuck
std::atomic<bool> has_waited_in_vain = false;

// Makes a call on a file. If it fails because the recorder has the file open to read it in advance,
// that lets go of it, and the call is made again. The program must not notice. This also holds once
// the program has given up on the recorder.
template <typename Call, typename IsKept>
NTSTATUS past_recorder(const Call& call, const IsKept& is_kept) {
  constexpr ULONGLONG kMostMs = 5'000;  // a piece of the file may be being read by a slow disk
  const ULONGLONG begun_ms = ::GetTickCount64();
  bool was_held = ring.is_holding_files();
  NTSTATUS status = call();
  while (is_kept(status)) {
    const bool is_held = ring.is_holding_files();
    if (!was_held && !is_held) break;
    const bool lives = ring.ask_for_files();
    was_held = is_held;
    status = call();
    if (!lives || has_waited_in_vain.load(std::memory_order_relaxed)) break;
    if (::GetTickCount64() - begun_ms < kMostMs) continue;
    has_waited_in_vain = true;
    ring.give_up();
    break;
  }
  return status;
}

std::atomic<uint32_t> waited_for_deletions_ms = 0;

// Has the recorder close the program's files, so that a deleted one is gone once the program has
// closed it. A program that deletes many files doesn't wait for all.
void have_files_let_go() {
  constexpr uint32_t kMostMs = 1'000;
  const ULONGLONG begun_ms = ::GetTickCount64();
  const uint32_t before_ms = waited_for_deletions_ms.load(std::memory_order_relaxed);
  uint32_t waited_ms = 0;
  while (before_ms + waited_ms < kMostMs && ring.is_holding_files()) {
    if (!ring.ask_for_files()) break;
    waited_ms = static_cast<uint32_t>(::GetTickCount64() - begun_ms);
  }
  waited_for_deletions_ms.fetch_add(waited_ms, std::memory_order_relaxed);
}

NTSTATUS NTAPI create_file(HANDLE* handle, ACCESS_MASK access, OBJECT_ATTRIBUTES* attributes,
                           IO_STATUS_BLOCK* done, LARGE_INTEGER* size, ULONG kinds, ULONG share,
                           ULONG disposition, ULONG options, void* extra, ULONG extra_bytes) {
  const int64_t start = ring.ticks_now();
  const NTSTATUS status = past_recorder(
      [&] {
        return calls.create_file(handle, access, attributes, done, size, kinds, share, disposition,
                                 options, extra, extra_bytes);
      },
      is_kept_by_others);
  if (ring.is_wanted()) opened({access, attributes, options}, handle, status, start);
  if (is_done(status) && (options & kDeleteOnClose) != 0) have_files_let_go();
  return status;
}

NTSTATUS NTAPI open_file(HANDLE* handle, ACCESS_MASK access, OBJECT_ATTRIBUTES* attributes,
                         IO_STATUS_BLOCK* done, ULONG share, ULONG options) {
  const int64_t start = ring.ticks_now();
  const NTSTATUS status = past_recorder(
      [&] { return calls.open_file(handle, access, attributes, done, share, options); },
      is_kept_by_others);
  if (ring.is_wanted()) opened({access, attributes, options}, handle, status, start);
  if (is_done(status) && (options & kDeleteOnClose) != 0) have_files_let_go();
  return status;
}

// The next functions handle reading and writing.

bool is_where_it_stands(const LARGE_INTEGER* offset) {
  constexpr ULONG kStands = 0xfffffffe;
  return offset == nullptr || (offset->HighPart == -1 && offset->LowPart == kStands);
}

// true once a child has inherited handles of this process
std::atomic<bool> has_heirs = false;

bool may_be_moved_by_others(HandleKind kind) {
  return kind == HandleKind::shared ||
         (kind == HandleKind::heirloom && has_heirs.load(std::memory_order_relaxed));
}

// Reports a read of an overlapped file, which may be still running. Another thread of the program
// may already know that it has ended.
void read_goes_on(RingRecord record, HANDLE event, void* context, const IO_STATUS_BLOCK* done) {
  IO_STATUS_BLOCK now;
  const bool is_there = PendingReads::copy(done, now);
  if (!is_there || now.Status != kPending) {
    if (is_there) record.length = PendingReads::bytes_of(now, record.length);
    if (record.length > 0) ring.put(record);
    return;
  }
  const uint64_t size = size_of(record.handle);
  const uint64_t left = record.offset < size ? size - record.offset : 0;
  if ((record.flags & kIsWhereItStands) == 0 && left < record.length) record.length = left;
  pending.add(record, event, context, done);
}

NTSTATUS read_by(NtTransferCall call, HANDLE file, HANDLE event, PIO_APC_ROUTINE routine,
                 void* context, IO_STATUS_BLOCK* done, void* buffer, ULONG length,
                 LARGE_INTEGER* offset, ULONG* key) {
  if (!ring.is_wanted() || done == nullptr)
    return call(file, event, routine, context, done, buffer, length, offset, key);
  const HandleKind kind = known_kind(file);
  if (!is_file(kind)) return call(file, event, routine, context, done, buffer, length, offset, key);
  if (pending.any()) pending.reused(done);
  RingRecord record = {.kind = RecordKind::read, .handle = file, .length = length};
  if (is_where_it_stands(offset))
    record.flags = kIsWhereItStands;
  else
    record.offset = static_cast<uint64_t>(offset->QuadPart);
  record.start_ticks = ring.ticks_now();
  const NTSTATUS left_status = done->Status;
  done->Status = kPending;  // no documentation says what an unfinished read leaves there
  const NTSTATUS status = call(file, event, routine, context, done, buffer, length, offset, key);
  record.end_ticks = ring.ticks_now();
  // A call that fails at once leaves the program's memory as it was. Of a warning the program may
  // already have learned.
  IO_STATUS_BLOCK left;
  if (status < 0 && PendingReads::copy(done, left) && left.Status == kPending)
    done->Status = left_status;
  if (status == kPending || (status >= 0 && kind == HandleKind::overlapped)) {
    read_goes_on(record, event, context, done);
  } else if (status >= 0 && done->Information > 0) {
    record.length = PendingReads::bytes_of(*done, length);
    if (record.flags != 0 && may_be_moved_by_others(kind)) {
      record.flags = 0;
      record.offset = static_cast<uint64_t>(position_of(file)) - record.length;
    }
    ring.put(record);
  }
  return status;
}

NTSTATUS NTAPI read_file(HANDLE file, HANDLE event, PIO_APC_ROUTINE routine, void* context,
                         IO_STATUS_BLOCK* done, void* buffer, ULONG length, LARGE_INTEGER* offset,
                         ULONG* key) {
  return read_by(calls.read_file, file, event, routine, context, done, buffer, length, offset, key);
}

NTSTATUS NTAPI read_file_scatter(HANDLE file, HANDLE event, PIO_APC_ROUTINE routine, void* context,
                                 IO_STATUS_BLOCK* done, void* parts, ULONG length,
                                 LARGE_INTEGER* offset, ULONG* key) {
  return read_by(calls.read_file_scatter, file, event, routine, context, done, parts, length,
                 offset, key);
}

// Makes a write, and reports the new position: a write also moves the position that reads use.
NTSTATUS write_by(NtTransferCall call, HANDLE file, HANDLE event, PIO_APC_ROUTINE routine,
                  void* context, IO_STATUS_BLOCK* done, void* buffer, ULONG length,
                  LARGE_INTEGER* offset, ULONG* key) {
  const NTSTATUS status = call(file, event, routine, context, done, buffer, length, offset, key);
  if (is_done(status) && ring.is_wanted() && is_file(handles.kind(file)))
    ring.put({.kind = RecordKind::position,
              .handle = file,
              .offset = static_cast<uint64_t>(position_of(file))});
  return status;
}

NTSTATUS NTAPI write_file(HANDLE file, HANDLE event, PIO_APC_ROUTINE routine, void* context,
                          IO_STATUS_BLOCK* done, void* buffer, ULONG length, LARGE_INTEGER* offset,
                          ULONG* key) {
  return write_by(calls.write_file, file, event, routine, context, done, buffer, length, offset,
                  key);
}

NTSTATUS NTAPI write_file_gather(HANDLE file, HANDLE event, PIO_APC_ROUTINE routine, void* context,
                                 IO_STATUS_BLOCK* done, void* parts, ULONG length,
                                 LARGE_INTEGER* offset, ULONG* key) {
  return write_by(calls.write_file_gather, file, event, routine, context, done, parts, length,
                  offset, key);
}

NTSTATUS NTAPI set_information_file(HANDLE file, IO_STATUS_BLOCK* done, void* information,
                                    ULONG bytes, int kind) {
  constexpr auto kAccessDenied = static_cast<NTSTATUS>(0xc0000022);
  constexpr auto kNotEmpty = static_cast<NTSTATUS>(0xc0000101);
  constexpr int kRename = 10, kRenameEx = 65, kDisposition = 13, kDispositionEx = 64;
  constexpr ULONG kAsPosix = 0x2;
  const bool renames = kind == kRename || kind == kRenameEx;
  const bool deletes = kind == kDisposition || kind == kDispositionEx;
  // A deleted file stays in its folder while the recorder has it open. But most folders that aren't
  // empty hold other files.
  int tries_left = 2;
  const NTSTATUS status = past_recorder(
      [&] { return calls.set_information_file(file, done, information, bytes, kind); },
      [&](NTSTATUS of) {
        if (deletes) return of == kNotEmpty && tries_left-- > 0;
        return renames && (of == kAccessDenied || is_kept_by_others(of));
      });
  // Names that are deleted as POSIX has it are gone at once. The caller's memory can be read, since
  // the system has read it.
  const auto is_gone = [&] {
    return kind == kDispositionEx && (*static_cast<ULONG*>(information) & kAsPosix) != 0;
  };
  if (deletes && status >= 0 && !is_gone()) have_files_let_go();
  if (kind == kFilePosition && status >= 0 && ring.is_wanted() && is_file(handles.kind(file)))
    ring.put({.kind = RecordKind::position,
              .handle = file,
              .offset = static_cast<uint64_t>(static_cast<LARGE_INTEGER*>(information)->QuadPart)});
  return status;
}

// The next functions handle mapping.

NTSTATUS NTAPI create_section(HANDLE* section, ACCESS_MASK access, OBJECT_ATTRIBUTES* attributes,
                              LARGE_INTEGER* size, ULONG protection, ULONG kind, HANDLE file) {
  const NTSTATUS status =
      calls.create_section(section, access, attributes, size, protection, kind, file);
  if (status < 0 || !ring.is_wanted()) return status;
  handles.set(*section, HandleKind::other);
  if (file == nullptr || !is_file(known_kind(file))) return status;
  ring.put({.kind = RecordKind::section,
            .handle = file,
            .other = reinterpret_cast<uintptr_t>(*section),
            .length = size_of(file)});
  handles.set(*section, HandleKind::section);
  return status;
}

NTSTATUS NTAPI map_view(HANDLE section, HANDLE process, void** base, ULONG_PTR zero_bits,
                        SIZE_T commit, LARGE_INTEGER* offset, SIZE_T* size, int inherit, ULONG kind,
                        ULONG protection) {
  const int64_t start = ring.ticks_now();
  const NTSTATUS status = calls.map_view(section, process, base, zero_bits, commit, offset, size,
                                         inherit, kind, protection);
  if (status >= 0 && process == this_process() && ring.is_wanted() &&
      handles.kind(section) == HandleKind::section)
    ring.put({.kind = RecordKind::map,
              .handle = section,
              .offset = offset == nullptr ? 0 : static_cast<uint64_t>(offset->QuadPart),
              .length = *size,
              .start_ticks = start,
              .end_ticks = ring.ticks_now()});
  return status;
}

// The next functions follow handles.

bool is_told_of(HandleKind kind) {
  return kind == HandleKind::section || is_file(kind);
}

void closes(HANDLE handle) {
  if (pending.any()) pending.closed(handle);
  const HandleKind kind = handles.forget(handle);
  // The number may be reused as soon as closing has begun.
  if (is_told_of(kind) && ring.is_wanted()) ring.put({.kind = RecordKind::close, .handle = handle});
}

NTSTATUS NTAPI close(HANDLE handle) {
  closes(handle);
  return calls.close(handle);
}

NTSTATUS NTAPI duplicate(HANDLE from_process, HANDLE from, HANDLE to_process, HANDLE* to,
                         ACCESS_MASK access, ULONG attributes, ULONG options) {
  const bool is_ours = from_process == this_process();
  const bool closes_it = is_ours && (options & DUPLICATE_CLOSE_SOURCE) != 0;
  const HandleKind kind = is_ours ? handles.kind(from) : HandleKind::unknown;
  if (closes_it) closes(from);
  const NTSTATUS status =
      calls.duplicate(from_process, from, to_process, to, access, attributes, options);
  if (status < 0 || to == nullptr || to_process != this_process()) return status;
  // If the handle was closed meanwhile, or came from elsewhere, it is examined at its next read.
  handles.set(*to, closes_it && is_told_of(kind) ? HandleKind::unknown : kind);
  const bool inherits = (attributes & kInherits) != 0 && (options & kSameAttributes) == 0;
  if (inherits && !closes_it && kind == HandleKind::file) {
    handles.set(from, HandleKind::heirloom);  // the two handles share one position
    handles.set(*to, HandleKind::heirloom);
  }
  if (is_told_of(kind) && !closes_it && ring.is_wanted())
    ring.put(
        {.kind = RecordKind::duplicate, .handle = from, .other = reinterpret_cast<uintptr_t>(*to)});
  return status;
}

// The next functions handle waiting for reads.

NTSTATUS NTAPI wait_one(HANDLE handle, BOOLEAN is_alertable, LARGE_INTEGER* timeout) {
  const NTSTATUS status = calls.wait_one(handle, is_alertable, timeout);
  if (pending.any()) pending.waited(&handle, 1);
  return status;
}

NTSTATUS NTAPI wait_many(ULONG count, const HANDLE* waited, int kind, BOOLEAN is_alertable,
                         LARGE_INTEGER* timeout) {
  const NTSTATUS status = calls.wait_many(count, waited, kind, is_alertable, timeout);
  if (pending.any()) pending.waited(waited, count);
  return status;
}

NTSTATUS NTAPI remove_completion(HANDLE port, void** key, void** context, IO_STATUS_BLOCK* done,
                                 LARGE_INTEGER* timeout) {
  const NTSTATUS status = calls.remove_completion(port, key, context, done, timeout);
  if (status == 0 && pending.any()) pending.told(*context, *done);
  return status;
}

NTSTATUS NTAPI remove_completions(HANDLE port, CompletedIo* completed, ULONG most, ULONG* count,
                                  LARGE_INTEGER* timeout, BOOLEAN is_alertable) {
  const NTSTATUS status =
      calls.remove_completions(port, completed, most, count, timeout, is_alertable);
  if (status != 0 || !pending.any()) return status;
  for (ULONG i = 0; i < *count; ++i) pending.told(completed[i].context, completed[i].done);
  return status;
}

// Every child is created suspended. It is reported just before it runs, because only then does the
// system know everything about it.

std::array<std::atomic<uintptr_t>, 64> unborn = {};
std::atomic<int32_t> unborn_count = 0;

// A new thread in a debugged process waits until its debugger lets it run. The debugger is this
// process, and would be waiting for the recorder.
bool is_debugged(HANDLE process) {
  ULONG_PTR port = 0;
  return ::NtQueryInformationProcess(process, ProcessDebugPort, &port, sizeof(port), nullptr) >=
             0 &&
         port != 0;
}

NTSTATUS NTAPI create_process(HANDLE* process, HANDLE* thread, ACCESS_MASK process_access,
                              ACCESS_MASK thread_access, OBJECT_ATTRIBUTES* process_attributes,
                              OBJECT_ATTRIBUTES* thread_attributes, ULONG process_flags,
                              ULONG thread_flags, void* parameters, void* information,
                              void* attributes) {
  const NTSTATUS status = calls.create_process(process, thread, process_access, thread_access,
                                               process_attributes, thread_attributes, process_flags,
                                               thread_flags, parameters, information, attributes);
  if (status < 0 || !ring.is_wanted()) return status;
  if ((process_flags & kHandsHandlesOn) != 0) has_heirs.store(true, std::memory_order_relaxed);
  PROCESS_BASIC_INFORMATION basic = {};
  if (::NtQueryInformationProcess(*process, ProcessBasicInformation, &basic, sizeof(basic),
                                  nullptr) < 0 ||
      is_debugged(*process))
    return status;
  for (std::atomic<uintptr_t>& place : unborn) {
    uintptr_t free = 0;
    if (!place.compare_exchange_strong(free, basic.UniqueProcessId)) continue;
    unborn_count.fetch_add(1);
    break;
  }
  return status;
}

void about_to_run(HANDLE thread) {
  ThreadBasic basic = {};
  if (::NtQueryInformationThread(thread, static_cast<THREADINFOCLASS>(kThreadBasic), &basic,
                                 sizeof(basic), nullptr) < 0)
    return;
  const auto process = reinterpret_cast<uintptr_t>(basic.id.UniqueProcess);
  for (std::atomic<uintptr_t>& place : unborn) {
    uintptr_t wanted = process;
    if (process == 0 || !place.compare_exchange_strong(wanted, 0)) continue;
    unborn_count.fetch_sub(1);
    ring.ask_about_child(process);
    return;
  }
}

NTSTATUS NTAPI resume_thread(HANDLE thread, ULONG* count) {
  if (unborn_count.load(std::memory_order_relaxed) > 0 && ring.is_wanted()) about_to_run(thread);
  return calls.resume_thread(thread, count);
}

// The rest installs the hooks.

struct Hook {
  void* ours;
  void* original;  // receives a pointer to the system's own call
};

template <typename Call>
Hook hook(Call* ours, Call** original) {
  return {reinterpret_cast<void*>(ours), static_cast<void*>(original)};
}

// Installs the hooks, in the order of kHookNames.
bool install(RingHeader& header) {
  const std::array all = {
      hook(create_file, &calls.create_file),
      hook(open_file, &calls.open_file),
      hook(read_file, &calls.read_file),
      hook(read_file_scatter, &calls.read_file_scatter),
      hook(write_file, &calls.write_file),
      hook(write_file_gather, &calls.write_file_gather),
      hook(set_information_file, &calls.set_information_file),
      hook(create_section, &calls.create_section),
      hook(map_view, &calls.map_view),
      hook(duplicate, &calls.duplicate),
      hook(close, &calls.close),
      hook(wait_one, &calls.wait_one),
      hook(wait_many, &calls.wait_many),
      hook(remove_completion, &calls.remove_completion),
      hook(remove_completions, &calls.remove_completions),
      hook(create_process, &calls.create_process),
      hook(resume_thread, &calls.resume_thread),
  };
  static_assert(all.size() == kHookNames.size());
  MH_STATUS status = MH_Initialize();
  for (size_t i = 0; i < all.size() && status == MH_OK; ++i) {
    header.failed_hook = static_cast<uint32_t>(i);
    status = MH_CreateHookApi(L"ntdll.dll", kHookNames[i], all[i].ours,
                              static_cast<void**>(all[i].original));
  }
  if (status == MH_OK) {
    ring.open(&header, calls.wait_one);
    ring.touch();
    status = MH_EnableHook(MH_ALL_HOOKS);
  }
  header.failure = static_cast<uint32_t>(status);
  if (status != MH_OK) MH_Uninitialize();
  return status == MH_OK;
}

// Opens the memory that the recorder has created under this process's number.
bool get_in() {
  std::array<wchar_t, 64> name = {};
  size_t length = 0;
  while (kRingName[length] != 0) {
    name[length] = kRingName[length];
    ++length;
  }
  std::array<wchar_t, 10> digits = {};
  size_t count = 0;
  for (DWORD process = ::GetCurrentProcessId(); process > 0; process /= 10)
    digits[count++] = static_cast<wchar_t>(L'0' + process % 10);
  while (count > 0) name[length++] = digits[--count];
  HANDLE section = ::OpenFileMappingW(FILE_MAP_READ | FILE_MAP_WRITE, FALSE, name.data());
  if (section == nullptr) return false;
  void* memory = ::MapViewOfFile(section, FILE_MAP_READ | FILE_MAP_WRITE, 0, 0, kRingBytes);
  ::CloseHandle(section);
  if (memory == nullptr) return false;
  auto* header = static_cast<RingHeader*>(memory);
  const bool is_in = header->version == kRingVersion && install(*header);
  header->state.store(is_in ? HookState::recording : HookState::failed, std::memory_order_release);
  return is_in;
}

}  // namespace
}  // namespace seekless::hook

extern "C" BOOL WINAPI DllMain(HINSTANCE, DWORD reason, void*) {
  return reason != DLL_PROCESS_ATTACH || seekless::hook::get_in() ? TRUE : FALSE;
}
