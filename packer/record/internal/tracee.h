// What the operating system tells about a stopped thread: its descriptors, its memory, its folder.
// Whoever follows calls asks through this, so that tests can answer instead.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace seekless {

class Tracee {
 public:
  virtual ~Tracee() = default;
  // The path of a regular file that a descriptor stands for; nothing if it is something else.
  virtual std::optional<std::string> file_of(uint32_t thread, int32_t descriptor) = 0;
  // The path of whatever it is, a folder as a rule.
  virtual std::optional<std::string> folder_of(uint32_t thread, int32_t descriptor) = 0;
  virtual std::optional<std::string> working_folder(uint32_t thread) = 0;
  virtual uint64_t position_of(uint32_t thread, int32_t descriptor) = 0;
  // Open ones, sorted.
  virtual std::vector<int32_t> descriptors(uint32_t thread) = 0;
  virtual std::optional<uint64_t> read_number(uint32_t thread, uint64_t address) = 0;
  // Up to PATH_MAX bytes, without the zero at its end.
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

// Of the program that a process runs.
struct ProgramImage {
  std::string path;
  bool is_32_bit = false;
  bool is_set_id = false;  // would run as another user or group
};
ProgramImage image_of(uint32_t process);

// Of a thread that appeared before its birth was told; 0 where it is gone.
struct Family {
  uint32_t process = 0;
  uint32_t parent = 0;
};
Family family_of(uint32_t thread);

}  // namespace seekless
