// Asks the operating system about a stopped thread: its descriptors, memory and folder. Code that
// tracks calls uses this interface, so that tests can answer instead.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace seekless {

class Tracee {
 public:
  virtual ~Tracee() = default;
  // Returns the path of a descriptor's regular file; nothing if it is something else.
  virtual std::optional<std::string> file_of(uint32_t thread, int32_t descriptor) = 0;
  // Returns the path that the descriptor stands for, usually a folder's.
  virtual std::optional<std::string> folder_of(uint32_t thread, int32_t descriptor) = 0;
  virtual std::optional<std::string> working_folder(uint32_t thread) = 0;
  virtual uint64_t position_of(uint32_t thread, int32_t descriptor) = 0;
  // Returns the open descriptors, sorted.
  virtual std::vector<int32_t> descriptors(uint32_t thread) = 0;
  virtual std::optional<uint64_t> read_number(uint32_t thread, uint64_t address) = 0;
  // Returns up to PATH_MAX bytes, without the terminating zero.
  virtual std::optional<std::string> read_string(uint32_t thread, uint64_t address) = 0;
};

// Asks /proc, and reads memory with process_vm_readv.
class LinuxTracee final : public Tracee {
 public:
  std::optional<std::string> file_of(uint32_t thread, int32_t descriptor) override;
  std::optional<std::string> folder_of(uint32_t thread, int32_t descriptor) override;
  std::optional<std::string> working_folder(uint32_t thread) override;
  uint64_t position_of(uint32_t thread, int32_t descriptor) override;
  std::vector<int32_t> descriptors(uint32_t thread) override;
  std::optional<uint64_t> read_number(uint32_t thread, uint64_t address) override;
  std::optional<std::string> read_string(uint32_t thread, uint64_t address) override;
};

// Describes the program that a process runs.
struct ProgramImage {
  std::string path;
  bool is_32_bit = false;
  bool is_set_id = false;  // the program would run as a different user or group
};
ProgramImage image_of(uint32_t process);

// Describes the family of a thread that appeared before its birth was reported; 0 if the thread is
// gone.
struct Family {
  uint32_t process = 0;
  uint32_t parent = 0;
};
Family family_of(uint32_t thread);

}  // namespace seekless
