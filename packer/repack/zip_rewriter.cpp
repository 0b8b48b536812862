#include <optional>
#include <utility>

#include "packer/repack/internal/archive_rewriter.h"
#include "packer/repack/internal/fetched_ahead.h"
#include "packer/repack/internal/old_archive.h"
#include "packer/repack/internal/verify_zip.h"
#include "packer/repack/overlay_file.h"

namespace seekless {
namespace {

constexpr const char* kIsOverlay =
    "it is an overlay; 'repack --overlay' makes it anew, 'restore' deletes it";

class ZipRewriter final : public ArchiveRewriter {
 public:
  ZipRewriter(std::shared_ptr<const ByteSource> bytes, std::string path, ZipDirectory directory,
              std::string obstacle)
      : bytes_(std::move(bytes)),
        path_(std::move(path)),
        directory_(std::move(directory)),
        obstacle_(std::move(obstacle)) {}

  size_t entry_count() const override { return directory_.entry_count(); }

  std::string obstacle() const override { return obstacle_; }

  uint64_t expected_bytes(std::span<const uint32_t> read_entries,
                          const RewriteOptions& options) const override {
    return seekless::expected_bytes(bytes_->size_bytes(), directory_, read_entries, options);
  }

  Result<std::string> prepare(bool verifies) override {
    SKL_TRY(const bool is_fetched, fetch_whole(*bytes_));
    SKL_TRY(old_, survey_archive(bytes_, directory_));
    old_.is_fetched = is_fetched;
    if (!old_.obstacle.empty() || !verifies) return old_.obstacle;
    SKL_TRY(auto reader, SecondReader::open(path_, directory_));
    second_.emplace(std::move(reader));
    return std::string();
  }

  Result<RewriteReport> rewrite(std::span<const uint32_t> read_entries,
                                const RewriteOptions& options, const std::string& new_path,
                                std::atomic<uint64_t>* done_bytes) const override {
    return rewrite_zip(bytes_, directory_, old_, read_entries, options, new_path, done_bytes);
  }

  Result<void> verify(const std::string& new_path, const RewriteReport& report,
                      std::atomic<uint64_t>* done_bytes) const override {
    return verify_zip({bytes_, directory_, old_, *second_, report.hashes}, new_path, report,
                      done_bytes);
  }

 private:
  const std::shared_ptr<const ByteSource> bytes_;
  const std::string path_;
  const ZipDirectory directory_;
  const std::string obstacle_;
  OldArchive old_;
  std::optional<SecondReader> second_;
};

}  // namespace

Result<std::unique_ptr<ArchiveRewriter>> open_zip_rewriter(std::shared_ptr<const ByteSource> bytes,
                                                           std::string path) {
  SKL_TRY(auto directory, read_zip_directory(*bytes));
  SKL_TRY(auto obstacle, is_overlay(directory) ? Result<std::string>(kIsOverlay)
                                               : directory_obstacle(*bytes, directory));
  return std::make_unique<ZipRewriter>(std::move(bytes), std::move(path), std::move(directory),
                                       std::move(obstacle));
}

}  // namespace seekless
