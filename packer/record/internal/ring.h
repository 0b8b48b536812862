// Defines the memory that each recorded process on Windows shares with the recorder. The hooks in
// the program write records (hook/ring_writer.h), and the recorder takes them (ring_reader.h). Only
// when the ring is full does the program wait, so that no record is lost; `most_waits` limits that.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace seekless {

inline constexpr uint32_t kRingVersion = 4;

enum class RecordKind : uint16_t {
  // `handle` is the file named in the text; if it couldn't be opened, there is no handle, and
  // `other` is the error
  open = 1,
  known,      // `handle` was a file all along; its position is `offset`
  close,      // the number `handle` may be reused
  duplicate,  // `other` is the same file as `handle`
  position,   // the file's position is now `offset`
  read,       // `length` was read at `offset`, or at the file's position
  pending,    // a read that is still running, numbered `other`; `length` is its maximum
  completed,  // the read numbered `other` has ended; `length` was read
  section,    // `other` is a section of `handle`'s file, `length` long, ready to be mapped
  map,        // `length` was mapped from `offset` of the section `handle`
  child,      // the process `other` waits until it is recorded, as number `handle`
};

// Flags of a record. Each comment names the kinds of record that have the flag.
inline constexpr uint32_t kIsForReading = 1;   // for open
inline constexpr uint32_t kIsSynchronous = 2;  // for open and known: every read moves the position
// For read and pending: read at the file's position.
inline constexpr uint32_t kIsWhereItStands = 4;
// For open and known: reads bypass the system's cache.
inline constexpr uint32_t kIsUnbuffered = 8;

// A record; a file's text continues in the slots that follow, in UTF-16.
struct RecordSlot {
  std::atomic<uint32_t> turn;  // the slot's running number plus 1, set once the record is complete
  RecordKind kind;
  uint16_t text_slots;  // number of text slots that follow
  uint32_t thread;
  uint32_t flags;
  int64_t start_ticks;  // on the counter that the header names
  int64_t end_ticks;
  uint64_t handle;
  uint64_t offset;
  uint64_t length;  // for `open` and `known`: the number of characters in the text
  uint64_t other;
};
static_assert(sizeof(RecordSlot) == 64 && offsetof(RecordSlot, start_ticks) == 16);

inline constexpr size_t kSlotCharacters = (sizeof(RecordSlot) - sizeof(uint32_t)) / 2;
struct TextSlot {
  std::atomic<uint32_t> turn;  // never written, because no record begins in a text slot
  std::array<char16_t, kSlotCharacters> characters;
};
static_assert(sizeof(TextSlot) == sizeof(RecordSlot));

// The ring has 16 MB. It fills in a quarter of a second at a million reads a second, which is more
// than games make. The recorder may wait that long for a processor without delaying the program.
inline constexpr uint32_t kRingSlots = uint32_t{1} << 18;
static_assert((kRingSlots & (kRingSlots - 1)) == 0, "numbers of slots wrap with 32 bits");
inline constexpr uint32_t kWakeSlots = kRingSlots / 4;  // this many waiting slots wake the recorder
inline constexpr size_t kMaxTextCharacters = 32767;     // the most that a UNICODE_STRING holds

enum class HookState : uint32_t { loading, recording, failed };

struct RingHeader {
  uint32_t version;
  std::atomic<HookState> state;
  uint32_t failed_hook;           // index into kHookNames
  uint32_t failure;               // MinHook's error number
  uint32_t counts_cycles;         // true if times are processor cycles, not the performance counter
  std::atomic<uint32_t> is_over;  // set once nobody takes records any more
  uint64_t recorder_handle;  // a handle in the program that is signalled when the recorder ends
  uint64_t wake_handle;      // a handle in the program to an event that the recorder waits for
  alignas(64) std::atomic<uint32_t> head;   // slots given to writers
  alignas(64) std::atomic<uint32_t> tail;   // slots taken back by the recorder
  alignas(64) std::atomic<uint64_t> waits;  // number of records that found the ring full
  std::atomic<uint32_t> children;           // number of children that were asked about
  // Indexed by a child's number; set to that number once the child may run.
  std::array<std::atomic<uint32_t>, 64> answers;
  std::atomic<uint32_t> holds_files;   // true while the recorder holds files of the program open
  std::atomic<uint32_t> wanted_files;  // number of times that the program couldn't have a file then
  // A program that has waited this often for room, a millisecond or more each, goes on without the
  // recorder; 0: it waits without end.
  std::atomic<uint32_t> most_waits;
};
inline constexpr size_t kRingHeaderBytes = 4096;
static_assert(sizeof(RingHeader) <= kRingHeaderBytes);
static_assert(offsetof(RingHeader, recorder_handle) == 24 && offsetof(RingHeader, waits) == 192,
              "the same in programs of 32 bits and of 64");
static_assert(std::atomic<uint32_t>::is_always_lock_free, "shared by processes");

inline constexpr size_t kRingBytes = kRingHeaderBytes + kRingSlots * sizeof(RecordSlot);

// Each ring has this name in the user's session, followed by the process's number.
inline constexpr wchar_t kRingName[] = L"Local\\seekless-record-";

// Lists the hooked functions, all in ntdll.
inline constexpr std::array kHookNames = {"NtCreateFile",
                                          "NtOpenFile",
                                          "NtReadFile",
                                          "NtReadFileScatter",
                                          "NtWriteFile",
                                          "NtWriteFileGather",
                                          "NtSetInformationFile",
                                          "NtCreateSection",
                                          "NtMapViewOfSection",
                                          "NtDuplicateObject",
                                          "NtClose",
                                          "NtWaitForSingleObject",
                                          "NtWaitForMultipleObjects",
                                          "NtRemoveIoCompletion",
                                          "NtRemoveIoCompletionEx",
                                          "NtCreateUserProcess",
                                          "NtResumeThread"};

}  // namespace seekless
