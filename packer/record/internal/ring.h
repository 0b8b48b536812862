// What a recorded program on Windows tells the recorder: the layout of the memory that the two
// share, one for each process. The hooks in it write records (hook/ring_writer.h), the recorder
// takes them (ring_reader.h). Neither waits for the other, unless the ring is full: then the
// program does, so that no record is lost.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace seekless {

inline constexpr uint32_t kRingVersion = 2;

enum class RecordKind : uint16_t {
  open = 1,   // `handle` is the file in the text; or none, if it couldn't be opened: `other` is why
  known,      // `handle` was a file all along, and stands at `offset`
  close,      // `handle` is free for others
  duplicate,  // `other` is the same file as `handle`
  position,   // the file stands at `offset`
  read,       // `length` was read at `offset`, or where the file stands
  pending,    // a read that goes on under the number `other`; `length` is its most
  completed,  // of the number `other`: `length` was read
  section,    // `other` is `handle`'s file, of `length`, made ready to be mapped
  map,        // `length` from `offset` of the section `handle`
  child,      // the process `other` waits for being recorded, under the number `handle`
};

// Of a record.
inline constexpr uint32_t kIsForReading = 1;     // open
inline constexpr uint32_t kIsSynchronous = 2;    // open, known: every read moves the position
inline constexpr uint32_t kIsWhereItStands = 4;  // read, pending: there is no offset

// Where a file's text goes on in slots that follow, in UTF-16.
struct RecordSlot {
  std::atomic<uint32_t> turn;  // its number since the beginning, plus 1, once it is whole
  RecordKind kind;
  uint16_t text_slots;  // that follow
  uint32_t thread;
  uint32_t flags;
  int64_t start_ticks;  // of the counter that the header names
  int64_t end_ticks;
  uint64_t handle;
  uint64_t offset;
  uint64_t length;  // of an open and of `known`: characters of text
  uint64_t other;
};
static_assert(sizeof(RecordSlot) == 64 && offsetof(RecordSlot, start_ticks) == 16);

inline constexpr size_t kSlotCharacters = (sizeof(RecordSlot) - sizeof(uint32_t)) / 2;
struct TextSlot {
  std::atomic<uint32_t> turn;  // left as it was: no record begins here
  std::array<char16_t, kSlotCharacters> characters;
};
static_assert(sizeof(TextSlot) == sizeof(RecordSlot));

// 16 MB. At a million reads a second, more than games make, it takes a quarter of a second to fill:
// so long the recorder may have to wait for a processor without holding up anybody.
inline constexpr uint32_t kRingSlots = uint32_t{1} << 18;
static_assert((kRingSlots & (kRingSlots - 1)) == 0, "numbers of slots wrap with 32 bits");
inline constexpr uint32_t kWakeSlots = kRingSlots / 4;  // that wait wake the recorder
inline constexpr size_t kMaxTextCharacters = 32767;     // what a UNICODE_STRING holds

enum class HookState : uint32_t { loading, recording, failed };

struct RingHeader {
  uint32_t version;
  std::atomic<HookState> state;
  uint32_t failed_hook;                     // its place in kHookNames
  uint32_t failure;                         // MinHook's number
  uint32_t counts_cycles;                   // times are cycles, not the performance counter's
  std::atomic<uint32_t> is_over;            // nobody takes records any more
  uint64_t recorder_handle;                 // in the program: ends with the recorder
  uint64_t wake_handle;                     // in the program: an event that the recorder waits for
  alignas(64) std::atomic<uint32_t> head;   // slots that were given to writers
  alignas(64) std::atomic<uint32_t> tail;   // of them, those that the recorder has taken
  alignas(64) std::atomic<uint64_t> waits;  // records that found the ring full
  std::atomic<uint32_t> children;           // that were asked for
  // By a child's number: set to it once the child may run.
  std::array<std::atomic<uint32_t>, 64> answers;
};
inline constexpr size_t kRingHeaderBytes = 4096;
static_assert(sizeof(RingHeader) <= kRingHeaderBytes);
static_assert(offsetof(RingHeader, recorder_handle) == 24 && offsetof(RingHeader, waits) == 192,
              "the same in programs of 32 bits and of 64");
static_assert(std::atomic<uint32_t>::is_always_lock_free, "shared by processes");

inline constexpr size_t kRingBytes = kRingHeaderBytes + kRingSlots * sizeof(RecordSlot);

// The memory's name, in the session of the user; its process's number follows.
inline constexpr wchar_t kRingName[] = L"Local\\seekless-record-";

// What the hooks stand in for, all of ntdll.
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
