// Answers a served folder's reads with prefetched data, and tells Foresight what is read.
#pragma once

#include <deque>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "packer/foresee/read_around.h"
#include "packer/serve/foresight.h"
#include "packer/serve/internal/file_reader.h"

namespace seekless {

class ForeseenReads final : public FileReader {
 public:
  ForeseenReads(Learned learned, ForeseeOptions options);

  void looks_up(const std::string& path) override;
  uint32_t open(const std::string& path, const ChangeStamp& stamp, uint32_t thread) override;
  ssize_t read(const FileRead& read, std::span<std::byte> into) override;
  void changes(const std::string& path) override;

  // These call Foresight.
  void begin() { foresight_.begin(); }
  Learned finish() { return foresight_.finish(); }
  bool has_silent_files() const { return foresight_.has_silent_files(); }
  const std::vector<SeenLoad>& loads() const { return foresight_.loads(); }
  ForeseenFigures figures();

 private:
  struct ForeseenFile {
    uint32_t number;  // the file's number in the learned data
    ChangeStamp stamp;
  };
  using Clock = std::chrono::steady_clock;
  // Answers from the shadow. If a sweep is on its way to the pages, waits until it has passed them.
  bool answer_by_shadow(const ForeseenFile& file, std::span<const PageKey> pages,
                        const FileRead& read, std::span<std::byte> into);
  // Answers from the original. If no sweep has fetched the page and it isn't in memory, fetches
  // what lies around it too.
  ssize_t answer_by_original(const ForeseenFile& file, const FileRead& read,
                             std::span<std::byte> into);
  bool has_changed(const ForeseenFile& file) const;
  bool is_in_shadow(const ForeseenFile& file, int descriptor) const;

  std::vector<ChangeStamp> copied_;  // each file's stamp when it was copied into the shadow
  size_t known_files_;
  Foresight foresight_;
  Sweeper& sweeper_;

  std::mutex mutex_;
  std::deque<ForeseenFile> opened_;
  std::unordered_map<uint32_t, uint32_t> entries_;  // file's number -> index in opened_
  std::unordered_set<uint32_t>
      changed_;  // files that must be read from their originals from now on
  ReadAround around_;
  uint64_t shadow_reads_ = 0;
};

}  // namespace seekless
