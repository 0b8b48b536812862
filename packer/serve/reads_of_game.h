// Passes the reads of one served folder or file on to the reader of all of them, with files named
// relative to the game's folder.
#pragma once

#include <atomic>
#include <string>
#include <utility>

#include "packer/serve/internal/file_reader.h"
#include "packer/serve/internal/served_folders.h"

namespace seekless {

class ReadsOfGame final : public FileReader {
 public:
  // `folder` is served; `next` must outlive this object.
  ReadsOfGame(std::string game, std::string folder, FileReader& next)
      : game_(std::move(game)), folder_(std::move(folder)), next_(next) {}

  bool wants_exact_reads() const override { return next_.wants_exact_reads(); }
  void looks_up(const std::string& path) override { next_.looks_up(name_of(path)); }
  uint32_t open(const std::string& path, const ChangeStamp& stamp, uint32_t thread) override {
    return next_.open(name_of(path), stamp, thread);
  }
  ssize_t read(const FileRead& read, std::span<std::byte> into) override {
    was_read_.store(true, std::memory_order_relaxed);
    return next_.read(read, into);
  }
  void changes(const std::string& path) override { next_.changes(name_of(path)); }

  const std::string& folder() const { return folder_; }
  // Returns true if anything in the folder was read.
  bool was_read() const { return was_read_.load(std::memory_order_relaxed); }

 private:
  std::string name_of(const std::string& path) const {
    if (path.empty()) return relative_to_game(game_, folder_);  // a file that is served alone
    return folder_ == game_ ? path : relative_to_game(game_, folder_ + "/" + path);
  }

  std::string game_;
  std::string folder_;
  FileReader& next_;
  std::atomic<bool> was_read_ = false;
};

}  // namespace seekless
