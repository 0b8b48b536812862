// Files in memory that replace the system's. They fail when a test says so, and remember what was
// read.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/file_io.h"

namespace seekless::runtime {

inline constexpr int kForever = std::numeric_limits<int>::max();

// Any read that covers the byte fails with EIO, or gets the byte flipped.
struct MediumFault {
  std::string path;
  uint64_t offset_bytes = 0;
  int times = kForever;
  bool flips = false;
};

class MemoryFiles final : public FileIo {
 public:
  struct Read {
    std::string path;
    uint64_t offset_bytes;
    uint64_t length_bytes;
  };

  MemoryFiles() = default;
  // Takes all files of a folder, by their paths.
  explicit MemoryFiles(const std::string& folder) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      std::ifstream file(entry.path(), std::ios::binary);
      files[entry.path().generic_string()] = {std::istreambuf_iterator<char>(file), {}};
    }
    folders.push_back(folder);
  }

  Result<std::unique_ptr<File>> open(const std::string& path) const override {
    const auto found = files.find(path);
    if (found == files.end())
      return std::unexpected(Error{SKL_NOT_FOUND, path + ": not there", ENOENT});
    ++opened;
    return std::make_unique<MemoryFile>(*this, path, found->second);
  }
  bool is_folder(const std::string& path) const override {
    return std::ranges::find(folders, path) != folders.end();
  }

  std::map<std::string, std::string> files;
  std::vector<std::string> folders;
  mutable std::vector<MediumFault> faults;
  mutable std::vector<Read> reads;
  mutable size_t opened = 0;

 private:
  class MemoryFile final : public File {
   public:
    MemoryFile(const MemoryFiles& of, std::string name, const std::string& bytes)
        : of_(of), name_(std::move(name)), bytes_(bytes) {}
    const std::string& name() const override { return name_; }
    uint64_t size_bytes() const override { return bytes_.size(); }
    Result<void> read_at(uint64_t offset_bytes, std::span<std::byte> into) const override {
      const std::lock_guard lock(of_.mutex_);
      of_.reads.push_back({name_, offset_bytes, into.size()});
      if (offset_bytes > bytes_.size() || into.size() > bytes_.size() - offset_bytes)
        return damaged({name_, ": the end"}, offset_bytes);
      std::memcpy(into.data(), bytes_.data() + offset_bytes, into.size());
      for (MediumFault& fault : of_.faults) {
        const bool hit = fault.path == name_ && fault.offset_bytes >= offset_bytes &&
                         fault.offset_bytes - offset_bytes < into.size() && fault.times > 0;
        if (!hit) continue;
        if (fault.times != kForever) --fault.times;
        if (!fault.flips)
          return std::unexpected(Error{SKL_IO, name_ + ": cannot read", EIO, offset_bytes});
        into[fault.offset_bytes - offset_bytes] ^= std::byte{1};
      }
      return {};
    }
    void will_need(uint64_t, uint64_t) const override {}

   private:
    const MemoryFiles& of_;
    std::string name_;
    const std::string& bytes_;
  };

  mutable std::mutex mutex_;
};

}  // namespace seekless::runtime
