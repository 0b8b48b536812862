// A process on Windows that has our hooks: the memory that it shares with the recorder, and how the
// hooks came into it. They are a DLL that lies in this program as a resource, and is written to the
// user's own folder of what seekless remembers, since Windows loads DLLs from files alone.
#pragma once

#include <cstdint>
#include <string>

#include "packer/host/error.h"
#include "packer/record/process_records.h"
#include "packer/record/ring_reader.h"
#include "runtime/handle_windows.h"

namespace seekless {

// The DLL's path; written if it isn't there yet.
Result<std::string> hooks_file();

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

class HookedProcess {
 public:
  // Puts the hooks into a process that `handle` may do all with; `wake` is an event that it sets
  // when the recorder is to look. `name` is what messages call it.
  static Result<HookedProcess> create(runtime::Handle handle, uint32_t id, const std::string& name,
                                      HANDLE wake, const std::string& hooks);

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

  Result<void> hand_over(HANDLE wake);
  Result<void> load(const std::string& hooks);

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
