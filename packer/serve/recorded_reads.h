// Writes what is read of a served folder as a trace, and hands each read on to whoever answers it.
// Only what the kernel doesn't have in its memory is seen: of a folder that was just mounted that
// is everything, once, in the pieces in which the kernel reads ahead.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "packer/record/recording.h"
#include "packer/serve/internal/file_reader.h"

namespace seekless {

class RecordedReads final : public FileReader {
 public:
  // Both outlive it; the recording has begun. `folder` is what paths in the trace begin with.
  RecordedReads(std::string folder, Recording& recording, FileReader& next)
      : folder_(std::move(folder)), recording_(recording), next_(next) {}

  // What was only read ahead would be taken for what a scenario needs.
  bool wants_exact_reads() const override { return true; }
  void looks_up() override { next_.looks_up(); }
  uint32_t open(const std::string& path, const ChangeStamp& stamp, uint32_t thread) override;
  ssize_t read(const FileRead& read, std::span<std::byte> into) override;
  void changes(const std::string& path) override { next_.changes(path); }

 private:
  // What cannot be written is told once the recording ends; the game goes on.
  void add(const Event& event);

  struct Numbers {
    uint32_t in_trace;
    uint32_t in_next;
  };
  std::string folder_;
  Recording& recording_;
  FileReader& next_;
  std::unordered_map<std::string, uint32_t> files_;
  std::vector<Numbers> numbers_;  // these two under the recording's lock
};

}  // namespace seekless
