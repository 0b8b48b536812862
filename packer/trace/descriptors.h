// Tracks which file each descriptor of a traced process stands for, and the position in it.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace seekless {

// Describes an open file, as open(2) does. Descriptors that dup and fork copy share it, and so
// share its position.
struct OpenDescription {
  uint32_t path = 0;
  uint64_t position_bytes = 0;
  // On Windows, files opened for synchronous reads move their position even if a read gives an
  // offset.
  bool moves_always = false;
};

// Holds the descriptors of one process; its threads share one table.
class DescriptorTable {
 public:
  // `total` counts the entries of all tables, and must outlive them.
  explicit DescriptorTable(size_t& total) : total_(total) {}
  DescriptorTable(const DescriptorTable&) = delete;
  DescriptorTable& operator=(const DescriptorTable&) = delete;
  ~DescriptorTable() { total_ -= files_.size(); }

  // Returns null if the descriptor is no file, or isn't known.
  std::shared_ptr<OpenDescription> find(int32_t number) const;
  // Returns true if the descriptor was set and hasn't been closed since.
  bool knows(int32_t number) const { return files_.contains(number); }
  // A null `file` marks the descriptor as open, but not a file. It stays open over exec.
  void set(int32_t number, std::shared_ptr<OpenDescription> file);
  // Sets whether exec closes the descriptor; does nothing if the descriptor isn't known.
  void set_closes_on_exec(int32_t number, bool closes);
  void set_closes_on_exec(int64_t first, int64_t last);
  void close(int32_t number);
  void close_range(int64_t first, int64_t last);
  // Closes all descriptors except `numbers`, which are sorted; those stay open over exec.
  void keep_only(const std::vector<int32_t>& numbers);

  // Copies the table as fork does. If all tables together would exceed kMaxTotal entries, the copy
  // starts empty, so that a trace can't ask for memory out of proportion to its size.
  std::shared_ptr<DescriptorTable> copy() const;
  static constexpr size_t kMaxTotal = size_t{1} << 20;
  // Copies the table as exec does: without the descriptors that exec closes.
  std::shared_ptr<DescriptorTable> copy_for_exec() const;

 private:
  struct OpenDescriptor {
    std::shared_ptr<OpenDescription> file;
    bool closes_on_exec = false;
  };

  size_t& total_;
  std::unordered_map<int32_t, OpenDescriptor> files_;
};

}  // namespace seekless
