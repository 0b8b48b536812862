// Which file each descriptor of a traced process stands for, and where in it reading goes on.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace seekless {

// What open(2) makes ("open file description"): descriptors made by dup and fork share it, and with
// it the position.
struct OpenDescription {
  uint32_t path = 0;
  uint64_t position_bytes = 0;
  // By reads that say where they read, too: what Windows does to a file that is opened for
  // synchronous reads.
  bool moves_always = false;
};

// The descriptors of one process; threads share one table.
class DescriptorTable {
 public:
  // `total` counts the entries of every table there is, and must outlive them.
  explicit DescriptorTable(size_t& total) : total_(total) {}
  DescriptorTable(const DescriptorTable&) = delete;
  DescriptorTable& operator=(const DescriptorTable&) = delete;
  ~DescriptorTable() { total_ -= files_.size(); }

  // Null for what isn't a file, or isn't known.
  std::shared_ptr<OpenDescription> find(int32_t number) const;
  // Whether it was set and not closed since.
  bool knows(int32_t number) const { return files_.contains(number); }
  // Null says that it is open, but no file. It stays open over exec.
  void set(int32_t number, std::shared_ptr<OpenDescription> file);
  // Whether exec closes it; nothing if it isn't known.
  void set_closes_on_exec(int32_t number, bool closes);
  void set_closes_on_exec(int64_t first, int64_t last);
  void close(int32_t number);
  void close_range(int64_t first, int64_t last);
  // Closes all but these, which are sorted: what exec leaves open.
  void keep_only(const std::vector<int32_t>& numbers);

  // What fork does. Tables that would hold more than kMaxTotal entries in all are not copied, but
  // begin empty, so that a trace can't ask for memory out of proportion to its size.
  std::shared_ptr<DescriptorTable> copy() const;
  static constexpr size_t kMaxTotal = size_t{1} << 20;
  // What exec does: a copy without those that it closes.
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
