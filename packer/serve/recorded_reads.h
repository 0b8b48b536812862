// Records the reads of a served folder as a trace, and passes each read on to the next reader. Sees
// only reads that the page cache can't answer. In a folder that was just mounted, these are all
// reads, once, in the pieces of the kernel's read-ahead.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "packer/record/recording.h"
#include "packer/serve/internal/file_reader.h"

namespace seekless {

class RecordedReads final : public FileReader {
 public:
  // Both must outlive this object; the recording has begun. Paths in the trace begin with `folder`.
  RecordedReads(std::string folder, Recording& recording, FileReader& next)
      : folder_(std::move(folder)), recording_(recording), next_(next) {}

  // Otherwise data that was only read ahead would count as needed by a scenario.
  bool wants_exact_reads() const override { return true; }
  void looks_up(const std::string& path) override { next_.looks_up(path); }
  uint32_t open(const std::string& path, const ChangeStamp& stamp, uint32_t thread) override;
  ssize_t read(const FileRead& read, std::span<std::byte> into) override;
  void changes(const std::string& path) override { next_.changes(path); }

 private:
  // Files of folders served beside the game's begin with "../".
  std::string path_in_trace(const std::string& path) const;
  // A failed write is reported when the recording ends; the game continues. A call that another
  // machine answers after that end is dropped.
  void add(const Event& event);

  struct Numbers {
    uint32_t in_trace;
    uint32_t in_next;
  };
  std::string folder_;
  Recording& recording_;
  FileReader& next_;
  std::unordered_map<std::string, uint32_t> files_;
  std::vector<Numbers> numbers_;  // guarded, like files_, by the recording's lock
};

}  // namespace seekless
