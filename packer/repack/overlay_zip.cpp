#include "packer/repack/overlay_zip.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "packer/host/pending_file.h"
#include "packer/host/whole_files.h"
#include "packer/output/folder_tree.h"
#include "packer/repack/internal/verify_zip.h"
#include "packer/repack/originals.h"

namespace seekless {
namespace {

constexpr std::string_view kOverlayComment =
    "copies of what loads read in the archives beside it, in load order. It can be deleted at any "
    "time; make it anew ('seekless repack --overlay') when those change.";

// An archive that entries come from.
struct SourceArchive {
  const SiteArchive* opened = nullptr;
  OldArchive old;
  std::optional<SecondReader> second;
  std::unique_ptr<EntryWriter> writer;
};

class OverlayWriter {
 public:
  OverlayWriter(const OverlaySite& site, std::span<const OverlayEntry> entries,
                const RewriteOptions& options, std::atomic<uint64_t>* done_bytes)
      : site_(site),
        entries_(entries),
        options_(options),
        done_bytes_(done_bytes),
        parts_(site.opened.size()) {}

  // Reads the local headers of all entries.
  Result<void> survey(bool verify) {
    std::vector<std::vector<uint32_t>> numbers(parts_.size());
    for (const OverlayEntry& entry : entries_) numbers[entry.archive].push_back(entry.entry);
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (numbers[i].empty()) continue;
      const SiteArchive& opened = site_.opened[i];
      SKL_TRY(auto old, survey_entries(opened.bytes, opened.directory, std::move(numbers[i])));
      parts_[i].opened = &opened;
      parts_[i].old = std::move(old);
      if (!verify) continue;
      SKL_TRY(auto second, SecondReader::open(opened.archive.bytes, opened.directory));
      parts_[i].second.emplace(std::move(second));
    }
    return {};
  }

  Result<OverlayReport> write(const std::string& path) {
    SKL_TRY(auto file, PendingFile::create(path, most_bytes(), site_.path()));
    SequentialOutput output(file);
    for (SourceArchive& part : parts_)
      if (part.opened != nullptr)
        part.writer = std::make_unique<EntryWriter>(part.opened->bytes, part.opened->directory,
                                                    part.old, options_, output, 0, done_bytes_);
    for (const OverlayEntry& entry : entries_)
      SKL_TRY_DO(parts_[entry.archive].writer->write_entry(entry.entry, true));
    SKL_TRY_DO(write_directory(output));
    OverlayReport report = {.file_bytes = output.position_bytes()};
    SKL_TRY_DROP(output.finish());
    SKL_TRY_DO(file.truncate(report.file_bytes));
    SKL_TRY_DO(file.commit(true));
    for (const SourceArchive& part : parts_) {
      if (!part.writer) continue;
      report.unpacked_entries += part.writer->written().unpacked_entries;
      report.packed_entries += part.writer->written().packed_entries;
      report.aligned_entries += part.writer->written().aligned_entries;
    }
    return report;
  }

  Result<void> verify(const std::string& path) const {
    std::vector<EntriesWritten> old;
    std::vector<uint32_t> number(parts_.size());
    for (size_t i = 0; i < parts_.size(); ++i) {
      const SourceArchive& part = parts_[i];
      if (!part.second) continue;
      number[i] = static_cast<uint32_t>(old.size());
      old.push_back({part.opened->bytes, part.opened->directory, part.old, *part.second,
                     part.writer->written().hashes});
    }
    WrittenDirectory expected = {.origins = {}, .comment = comment(), .shift_bytes = 0};
    for (const OverlayEntry& entry : listed())
      expected.origins.push_back({number[entry.archive], entry.entry});
    return verify_entries(old, expected, path, done_bytes_);
  }

 private:
  static std::string comment() { return std::string(kOverlayTitle).append(kOverlayComment); }

  // Returns the entries in the order of the directory.
  std::vector<OverlayEntry> listed() const {
    std::vector<size_t> rank(site_.opened.size());
    const std::vector<uint32_t> archives = site_.precedence.winners_first();
    for (size_t i = 0; i < archives.size(); ++i) rank[archives[i]] = i;
    std::vector<OverlayEntry> order(entries_.begin(), entries_.end());
    std::ranges::sort(
        order, {}, [&](const OverlayEntry& of) { return std::pair(rank[of.archive], of.entry); });
    return order;
  }

  uint64_t most_bytes() const {
    uint64_t bytes = 0;
    for (const OverlayEntry& of : entries_) {
      const SourceArchive& part = parts_[of.archive];
      const ZipEntry entry = part.opened->directory.entry(of.entry);
      bytes +=
          most_header_bytes(entry, part.old.local_extra_bytes[of.entry], options_.alignment.bytes);
      bytes += treatment_of(entry, true, options_) == Compression::store ? entry.size_bytes
                                                                         : entry.stored_bytes;
    }
    return bytes;
  }

  Result<void> write_directory(SequentialOutput& output) const {
    std::string records;
    const std::vector<OverlayEntry> order = listed();
    for (const OverlayEntry& of : order)
      SKL_TRY_DO(parts_[of.archive].writer->append_record(records, of.entry));
    const std::string text = comment();
    const ArchiveEnd end = {.entry_count = order.size(),
                            .directory_offset_bytes = output.position_bytes(),
                            .directory_bytes = records.size(),
                            .comment = text};
    SKL_TRY_DO(output.append(records));
    return output.append(end_records(end));
  }

  const OverlaySite& site_;
  const std::span<const OverlayEntry> entries_;
  const RewriteOptions& options_;
  std::atomic<uint64_t>* done_bytes_;
  std::vector<SourceArchive> parts_;  // indexed by archive; those without entries are empty
};

}  // namespace

Result<OverlayReport> write_overlay(const OverlaySite& site, std::span<const OverlayEntry> entries,
                                    const RewriteOptions& options, bool verify,
                                    std::atomic<uint64_t>* done_bytes) {
  OverlayWriter writer(site, entries, options, done_bytes);
  SKL_TRY_DO(writer.survey(verify));
  SKL_TRY_DO(make_folders(site.folder));
  SKL_TRY(auto originals, Originals::open(site.folder));
  SKL_TRY(const auto staged, originals.stage(site.name));
  auto report = writer.write(staged);
  if (!report) return report;
  if (verify) SKL_TRY_DO(writer.verify(staged));
  SKL_TRY_DO(site.read.check());
  SKL_TRY_DO(originals.put_beside(site.name));
  SKL_TRY_DO(originals.close());
  return report;
}

uint64_t overlay_bytes(const OverlaySite& site, std::span<const OverlayEntry> entries,
                       bool verify) {
  uint64_t bytes = 0;
  for (const OverlayEntry& of : entries)
    bytes += site.opened[of.archive].directory.entry(of.entry).stored_bytes * (verify ? 2 : 1);
  return bytes;
}

}  // namespace seekless
