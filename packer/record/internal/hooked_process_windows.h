// Puts our hooks into a process on Windows, and owns the memory that the process shares with the
// recorder. The hooks are a DLL, stored in this program as a resource. It is written to the user's
// own state folder, because Windows loads DLLs only from files.
#pragma once

#include <cstdint>
#include <string>

#include "packer/base/error.h"
#include "packer/record/internal/process_records.h"
#include "packer/record/internal/ring_reader.h"
#include "runtime/handle_windows.h"

namespace seekless {

// Holds the paths of the DLLs.
struct HookFiles {
  std::string of_64_bits;
  std::string of_32_bits;  // empty if this program was built without that DLL
};
// Writes the files if they don't exist yet.
Result<HookFiles> hook_files();

// Owns memory that both processes see. The recorded process finds it by its own process number.
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

struct HookSettings {
  HANDLE wake = nullptr;       // an event that the process sets to wake the recorder
  bool counts_cycles = false;  // HookClock explains this
  uint32_t most_waits = 0;     // as in RingHeader
  DWORD most_load_ms = 0;      // how long the process may take to load the hooks
};

class HookedProcess {
 public:
  // Puts the hooks into a process; `handle` needs all rights to it.
  static Result<HookedProcess> create(runtime::Handle handle, uint32_t id, const std::string& name,
                                      const HookSettings& settings, const HookFiles& hooks);

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

  Result<void> hand_over(const HookSettings& settings);
  Result<void> load(bool has_32_bits, const HookFiles& hooks);
  Result<void> load_64(const std::string& hooks);
  Result<void> load_32(const std::string& hooks);
  // Runs a thread in the process, and waits for its end. If it doesn't end, `memory` is kept.
  Result<void> run_there(LPTHREAD_START_ROUTINE begin, void* argument, RemoteMemory& memory);

  runtime::Handle handle_;
  uint32_t id_ = 0;
  std::string name_;
  SharedMemory memory_;
  RingReader ring_;
  DWORD most_load_ms_ = 0;
};

// Returns true if foreign code, or a thread that isn't the program's own, may end the process or
// hold it up: a sandbox, or a debugger that minds each thread.
bool minds_hooks(HANDLE process);

// Opens a running process with the rights that hooking needs.
Result<runtime::Handle> open_to_hook(uint32_t process);
// Returns the path of the process's program, with slashes; empty if unknown.
std::string program_of(HANDLE process);

}  // namespace seekless
