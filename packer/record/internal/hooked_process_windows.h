// A process on Windows that has our hooks: the memory that it shares with the recorder, and how the
// hooks came into it. They are a DLL that lies in this program as a resource, and is written to the
// user's own folder of what seekless remembers, since Windows loads DLLs from files alone.
#pragma once

#include <cstdint>
#include <string>

#include "packer/base/error.h"
#include "packer/record/internal/process_records.h"
#include "packer/record/internal/ring_reader.h"
#include "runtime/handle_windows.h"

namespace seekless {

// The DLLs' paths.
struct HookFiles {
  std::string of_64_bits;
  std::string of_32_bits;  // empty if this program was built without it
};
// They are written if they aren't there yet.
Result<HookFiles> hook_files();

// Memory that both see. The process finds it by its own number.
class SharedMemory {
 public:
  static Result<SharedMemory> create(uint32_t process);
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&&) = delete;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  void* get() const { return view_; }

 private:
  SharedMemory(runtime::Handle section, void* view) : section_(std::move(section)), view_(view) {}
  runtime::Handle section_;
  void* view_ = nullptr;
};

class RemoteMemory;

class HookedProcess {
 public:
  // Puts the hooks into a process that `handle` may do all with; `wake` is an event that it sets
  // when the recorder is to look. `name` is what messages call it; for `counts_cycles` see
  // HookClock.
  static Result<HookedProcess> create(runtime::Handle handle, uint32_t id, const std::string& name,
                                      HANDLE wake, bool counts_cycles, const HookFiles& hooks);

  uint32_t id() const { return id_; }
  HANDLE handle() const { return handle_.get(); }
  const std::string& name() const { return name_; }
  RingReader& ring() { return ring_; }
  bool has_ended() const;

 private:
  HookedProcess(runtime::Handle handle, uint32_t id, std::string name, SharedMemory memory)
      : handle_(std::move(handle)),
        id_(id),
        name_(std::move(name)),
        memory_(std::move(memory)),
        ring_(memory_.get()) {}

  Result<void> hand_over(HANDLE wake, bool counts_cycles);
  Result<void> load_64(const std::string& hooks);
  Result<void> load_32(const std::string& hooks);
  // A thread there, until it has ended; what lies in `memory` remains if it doesn't.
  Result<void> run_there(LPTHREAD_START_ROUTINE begin, void* argument, RemoteMemory& memory);

  runtime::Handle handle_;
  uint32_t id_ = 0;
  std::string name_;
  SharedMemory memory_;
  RingReader ring_;
};

// Of a process that runs: with the rights that this needs.
Result<runtime::Handle> open_to_hook(uint32_t process);
// Its program's file, as far as it can be told; with slashes.
std::string program_of(HANDLE process);

}  // namespace seekless
