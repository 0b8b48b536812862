#include "packer/repack/rewrite_zip.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "packer/host/pending_file.h"
#include "packer/repack/internal/extra_fields.h"
#include "packer/repack/internal/fetched_ahead.h"
#include "packer/repack/internal/name_key.h"
#include "packer/repack/internal/sequential_output.h"
#include "packer/repack/internal/zip_writer.h"

namespace seekless {
namespace {

Result<void> write_directory(const EntryWriter& writer, const ZipDirectory& directory,
                             std::span<const uint32_t> order, SequentialOutput& output) {
  std::string records;
  for (const uint32_t index : order) SKL_TRY_DO(writer.append_record(records, index));
  const ArchiveEnd end = {
      .entry_count = order.size(),
      .directory_offset_bytes = output.position_bytes() - directory.shift_bytes(),
      .directory_bytes = records.size(),
      .comment = directory.comment()};
  SKL_TRY_DO(output.append(records));
  return output.append(end_records(end));
}

// Returns where a stored entry's data lie according to the directory; nothing for other entries.
std::optional<uint64_t> told_data(const ZipEntry& entry) {
  if (entry.method != zip_method::kStored) return std::nullopt;
  return entry.header_offset_bytes + entry.header_bytes();
}

KeptAlignment told_alignment(const ZipDirectory& directory) {
  KeptAlignment kept;
  for (size_t i = 0; i < directory.entry_count(); ++i) {
    const ZipEntry entry = directory.entry(i);
    if (const auto data = told_data(entry); data && entry.size_bytes > 0) kept.add(*data);
  }
  return kept;
}

std::vector<ArchivePiece> pieces_of(const ZipDirectory& directory, const OldArchive& old,
                                    std::span<const uint32_t> entries) {
  std::vector<ArchivePiece> pieces;
  for (const uint32_t i : entries) {
    const ZipEntry entry = directory.entry(i);
    pieces.push_back({entry.header_offset_bytes, old.data_offset_bytes[i] + entry.stored_bytes});
  }
  return pieces;
}

}  // namespace

std::vector<uint32_t> order_of_data(std::span<const uint32_t> read_entries,
                                    std::span<const uint32_t> by_place) {
  std::vector<uint32_t> order;
  order.reserve(by_place.size());
  std::vector<bool> is_taken(by_place.size(), false);
  for (const auto entries : {read_entries, by_place})
    for (const uint32_t entry : entries) {
      if (entry >= is_taken.size() || is_taken[entry]) continue;
      is_taken[entry] = true;
      order.push_back(entry);
    }
  return order;
}

std::vector<uint32_t> order_of_records(const ZipDirectory& directory,
                                       std::span<const uint32_t> order) {
  // Entries with the same name keep their old sequence among themselves, at the ranks that `order`
  // gives them.
  std::unordered_map<std::string, std::vector<uint32_t>> entries_of;
  for (uint32_t i = 0; i < order.size(); ++i)
    entries_of[name_key(directory.entry(i).name)].push_back(i);
  std::unordered_map<std::string, size_t> taken;
  std::vector<uint32_t> records;
  records.reserve(order.size());
  for (const uint32_t entry : order) {
    const std::string key = name_key(directory.entry(entry).name);
    records.push_back(entries_of[key][taken[key]++]);
  }
  return records;
}

uint64_t expected_bytes(uint64_t old_bytes, const ZipDirectory& directory,
                        std::span<const uint32_t> read_entries, const RewriteOptions& options) {
  const KeptAlignment kept = told_alignment(directory);
  std::vector<bool> is_read(directory.entry_count(), false);
  for (const uint32_t entry : read_entries)
    if (entry < is_read.size()) is_read[entry] = true;
  uint64_t bytes = old_bytes;
  for (size_t i = 0; i < directory.entry_count(); ++i) {
    const ZipEntry entry = directory.entry(i);
    const Compression treatment = treatment_of(entry, is_read[i], options);
    if (treatment == Compression::store)
      bytes += entry.size_bytes - std::min(entry.size_bytes, entry.stored_bytes);
    const bool is_stored = treatment != Compression::keep || entry.method == zip_method::kStored;
    const uint32_t align_bytes =
        std::max(options.alignment.of(entry.size_bytes, is_stored, is_read[i]),
                 is_stored ? kept.of(told_data(entry)) : 1);
    if (align_bytes > 1) bytes += align_bytes + kLeastAlignmentFieldBytes;
  }
  return bytes;
}

Result<RewriteReport> rewrite_zip(const std::shared_ptr<const ByteSource>& source,
                                  const ZipDirectory& directory, const OldArchive& old,
                                  std::span<const uint32_t> read_entries,
                                  const RewriteOptions& options, const std::string& new_path,
                                  std::atomic<uint64_t>* done_bytes) {
  SKL_TRY(auto file,
          PendingFile::create(
              new_path, expected_bytes(source->size_bytes(), directory, read_entries, options),
              source->name()));
  SequentialOutput output(file);
  EntryWriter writer(source, directory, old, options, output, directory.shift_bytes(), done_bytes);
  std::vector<bool> is_read(directory.entry_count(), false);
  for (const uint32_t entry : read_entries)
    if (entry < is_read.size()) is_read[entry] = true;
  SKL_TRY_DO(writer.write_prefix());
  std::vector<uint32_t> wanted(old.by_place.begin(),
                               old.by_place.begin() + static_cast<ptrdiff_t>(old.first_entries));
  wanted.insert(wanted.end(), read_entries.begin(), read_entries.end());
  std::vector<uint32_t> order = order_of_data(wanted, old.by_place);
  FetchedPieces fetched(
      *source, old.is_fetched ? std::vector<ArchivePiece>() : pieces_of(directory, old, order));
  for (size_t i = 0; i < order.size(); ++i) {
    SKL_TRY_DO(fetched.before(i));
    SKL_TRY_DO(writer.write_entry(order[i], is_read[order[i]]));
  }
  if (options.sort_directory)
    order = order_of_records(directory, order);
  else
    for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  SKL_TRY_DO(write_directory(writer, directory, order, output));
  RewriteReport report = {writer.written(), output.position_bytes(), 0, std::move(order)};
  SKL_TRY(const auto hash, output.finish());
  report.file_hash = hash;
  SKL_TRY_DO(file.truncate(report.file_bytes));
  SKL_TRY_DO(file.commit(false));
  return report;
}

}  // namespace seekless
