#include "packer/content/asset_reader.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "packer/content/asset_stream.h"
#include "packer/content/flat_archive.h"
#include "packer/host/file_stamp.h"
#include "runtime/asset_path.h"
#include "runtime/zip_fields.h"

namespace seekless {
namespace {

constexpr uint32_t kNoArchive = UINT32_MAX;

std::unexpected<Error> changed(const std::string& file, const AssetRef& asset, std::string expected,
                               std::string found) {
  return failed({.file = file,
                 .place = fmt::format("asset '{}'", asset.path),
                 .expected = std::move(expected),
                 .found = std::move(found),
                 .advice = kContentChanged});
}

// Checks that the path ends with the entry's name; the front is the path of a folder or an archive.
// Comparing the end is enough, since zips also have a checksum of each entry.
bool ends_with_name(std::string_view path, std::string_view name) {
  if (!path.ends_with(name)) return false;
  const size_t front = path.size() - name.size();
  return front == 0 || path[front - 1] == '/';
}

Result<void> check_entry(const std::string& file, const AssetRef& asset, const ZipEntry& entry) {
  if (entry.is_directory || !ends_with_name(asset.path, entry.name))
    return changed(file, asset, fmt::format("it as entry {}", asset.entry),
                   fmt::format("'{}' there", entry.name));
  if (entry.size_bytes != asset.size_bytes)
    return changed(file, asset, fmt::format("{} bytes", asset.size_bytes),
                   fmt::format("{}", entry.size_bytes));
  if (entry.crc32 != asset.crc32)
    return changed(file, asset, fmt::format("CRC-32 {:08x}", asset.crc32),
                   fmt::format("{:08x}", entry.crc32));
  return check_readable(file, place_of(entry), entry.method, entry.is_encrypted());
}

// Returns true for what the scan puts in front of an entry's name: the path of the archive's
// folder, or the archive's own path, both below a root.
bool is_front_of_entries(std::string_view front, const std::string& archive) {
  const auto ends_with_front = [&](std::string_view path) {
    return path.ends_with(front) &&
           (path.size() == front.size() || path[path.size() - front.size() - 1] == '/');
  };
  return front.empty() || ends_with_front(archive + "/") ||
         ends_with_front(std::string_view(archive).substr(0, archive.rfind('/') + 1));
}

// The two kinds of headers are those of FlatEntry.
bool is_end_of_path(std::string header, std::string_view path) {
  std::ranges::replace(header, '\\', '/');
  const std::string_view text = std::string_view(header).substr(1);
  return static_cast<uint8_t>(header[0]) == text.size() && text.size() <= path.size() &&
         compare_folded(text, path.substr(path.size() - text.size())) == 0;
}

bool is_record_of(std::string_view header, uint64_t size_bytes) {
  constexpr size_t kComparedBytes = 25;
  const auto bytes = bytes_of(header);
  return bytes.size() >= kComparedBytes && load<uint64_t>(bytes, 0) == 0 &&
         load<uint64_t>(bytes, 8) == size_bytes && load<uint64_t>(bytes, 16) == size_bytes &&
         bytes[24] == std::byte{0};
}

uint32_t hash_of_name(std::string_view name) {
  return static_cast<uint32_t>(hash_asset_path(name, 0, false));
}

}  // namespace

Result<void> read_whole(AssetStream& stream, std::span<std::byte> into) {
  while (!into.empty()) {
    const auto got = stream.read(into);  // never 0: the stream knows the size, and fails instead
    if (!got) return std::unexpected(got.error());
    into = into.subspan(*got);
  }
  return {};
}

ContentReader::ContentReader(std::span<const Source> sources, size_t max_open_archives)
    : sources_(sources),
      max_open_archives_(std::max<size_t>(max_open_archives, 1)),
      archive_index_(sources_.size(), kNoArchive),
      written_keys_(sources_.size()) {
  uint32_t count = 0;
  for (size_t i = 0; i < sources_.size(); ++i)
    if (sources_[i].is_archive()) archive_index_[i] = count++;
  archives_.resize(count);
}

ContentReader::~ContentReader() = default;

Result<std::unique_ptr<AssetStream>> ContentReader::open(const AssetRef& asset) {
  SKL_TRY_DO(check_source(asset));
  SKL_TRY_DO(note_source(asset.source));
  if (asset.entry != kWholeSource) return open_entry(asset);
  const Source& source = sources_[asset.source];
  return open_loose_stream(source.path, source.size_bytes);
}

Result<uint64_t> ContentReader::stored_bytes(const AssetRef& asset) {
  SKL_TRY_DO(check_source(asset));
  SKL_TRY_DO(note_source(asset.source));
  if (asset.entry == kWholeSource) return asset.size_bytes;
  if (sources_[asset.source].kind == SourceKind::flat) {
    SKL_TRY_DROP(find_place(asset));
    return asset.size_bytes;
  }
  SKL_TRY(const auto found, find_entry(asset));
  return found.entry.stored_bytes;
}

Result<void> ContentReader::check_unchanged() const {
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < sources_.size(); ++i)
    if (written_keys_[i] != 0) SKL_TRY_DO(check_unwritten(sources_[i].path, written_keys_[i]));
  return {};
}

Result<void> ContentReader::note_source(uint32_t source) {
  {
    const std::lock_guard lock(mutex_);
    if (written_keys_[source] != 0) return {};
  }
  SKL_TRY(const auto key, written_key_of(sources_[source].path));
  const std::lock_guard lock(mutex_);
  if (written_keys_[source] == 0) written_keys_[source] = key;
  return {};
}

Result<void> ContentReader::check_source(const AssetRef& asset) const {
  if (asset.source >= sources_.size())
    return damaged({.file = "content",
                    .place = fmt::format("asset '{}'", asset.path),
                    .expected = fmt::format("one of {} sources", sources_.size()),
                    .found = fmt::format("number {}", asset.source),
                    .advice = "the layout is damaged; plan again"});
  const Source& source = sources_[asset.source];
  const bool is_whole = asset.entry == kWholeSource;
  if (is_whole != (source.kind == SourceKind::file))
    return changed(source.path, asset, is_whole ? "a file of its own" : "an archive",
                   is_whole ? "an archive" : "a file of its own");
  if (is_whole && asset.size_bytes != source.size_bytes)
    return changed(source.path, asset, fmt::format("{} bytes", asset.size_bytes),
                   fmt::format("{}", source.size_bytes));
  return {};
}

Result<ContentReader::FoundEntry> ContentReader::find_entry(const AssetRef& asset) {
  const std::string& file = sources_[asset.source].path;
  SKL_TRY(auto archive, open_archive(asset.source));
  if (asset.entry >= archive.directory->entry_count())
    return changed(file, asset, fmt::format("it as entry {}", asset.entry),
                   fmt::format("{} entries", archive.directory->entry_count()));
  ZipEntry entry = archive.directory->entry(asset.entry);
  SKL_TRY_DO(check_entry(file, asset, entry));
  return FoundEntry{std::move(archive.bytes), std::move(entry)};
}

Result<ContentReader::FoundPlace> ContentReader::find_place(const AssetRef& asset) {
  const std::string& file = sources_[asset.source].path;
  SKL_TRY(auto archive, open_archive(asset.source));
  if (asset.entry >= archive.places->size())
    return changed(file, asset, fmt::format("it as entry {}", asset.entry),
                   fmt::format("{} entries", archive.places->size()));
  const FlatPlace& place = (*archive.places)[asset.entry];
  const size_t front = asset.path.size() - std::min<size_t>(place.name_bytes, asset.path.size());
  const std::string_view name = asset.path.substr(front);
  if (name.size() != place.name_bytes || !is_front_of_entries(asset.path.substr(0, front), file) ||
      hash_of_name(name) != place.name_hash)
    return changed(file, asset, fmt::format("it as entry {}", asset.entry), "another one there");
  if (place.size_bytes != asset.size_bytes)
    return changed(file, asset, fmt::format("{} bytes", asset.size_bytes),
                   fmt::format("{}", place.size_bytes));
  return FoundPlace{std::move(archive.bytes), place};
}

// A directory that doesn't belong to the data would go unnoticed otherwise.
Result<void> ContentReader::check_header(const FoundPlace& found, std::string_view path,
                                         const std::string& where) {
  const FlatPlace& place = found.place;
  if (place.header_bytes == 0) return {};
  SKL_TRY(const std::string header, bytes_at(*found.bytes, place.offset_bytes, place.header_bytes));
  const bool is_record = place.is_header_record;
  if (is_record ? is_record_of(header, place.size_bytes) : is_end_of_path(header, path)) return {};
  return damaged(
      {.file = found.bytes->name(),
       .place = where,
       .expected =
           is_record
               ? fmt::format("the record of a file of {} bytes, not compressed", place.size_bytes)
               : fmt::format("a header that begins with {} and holds the end of its path",
                             header.size() - 1),
       .found = is_record ? "another record"
                          : fmt::format("{} and '{}'", static_cast<uint8_t>(header[0]),
                                        std::string_view(header).substr(1)),
       .advice = kArchiveAdvice});
}

Result<std::unique_ptr<AssetStream>> ContentReader::open_place(const AssetRef& asset) {
  SKL_TRY(auto found, find_place(asset));
  const FlatPlace& place = found.place;
  std::string where = fmt::format("entry '{}' at byte {}", asset.path, place.offset_bytes);
  SKL_TRY_DO(check_header(found, asset.path, where));
  return make_entry_stream({.archive = std::move(found.bytes),
                            .place = std::move(where),
                            .offset_bytes = place.offset_bytes + place.header_bytes,
                            .stored_bytes = place.size_bytes,
                            .size_bytes = place.size_bytes,
                            .crc32 = place.crc32,
                            .md5 = place.md5});
}

Result<std::unique_ptr<AssetStream>> ContentReader::open_entry(const AssetRef& asset) {
  if (sources_[asset.source].kind == SourceKind::flat) return open_place(asset);
  SKL_TRY(auto found, find_entry(asset));
  SKL_TRY(auto data, read_local_header(std::move(found.bytes), found.entry));
  return make_entry_stream(std::move(data));
}

Result<ContentReader::OpenArchive> ContentReader::open_archive(uint32_t source) {
  const Source& from = sources_[source];
  const std::lock_guard lock(mutex_);
  Archive& archive = archives_[archive_index_[source]];
  archive.last_use = ++uses_;
  if (!archive.bytes) {
    SKL_TRY(auto opened, open_source(from.path));
    if (opened->size_bytes() != from.size_bytes)
      return failed({.file = from.path,
                     .expected = fmt::format("an archive of {} bytes", from.size_bytes),
                     .found = fmt::format("{}", opened->size_bytes()),
                     .advice = kContentChanged});
    SKL_TRY_DO(read_directory(from, *opened, archive));
    if (open_count_ == max_open_archives_) close_least_recent();
    archive.bytes = std::move(opened);
    ++open_count_;
  }
  return OpenArchive{archive.bytes, archive.directory.get(), archive.places.get()};
}

Result<void> ContentReader::read_directory(const Source& source, const ByteSource& bytes,
                                           Archive& archive) {
  if (archive.directory || archive.places) return {};
  if (source.kind == SourceKind::zip) {
    SKL_TRY(auto directory, read_zip_directory(bytes));
    archive.directory = std::make_unique<const ZipDirectory>(std::move(directory));
    return {};
  }
  SKL_TRY(const auto directory, read_flat_directory(bytes));
  std::vector<FlatPlace> places;
  if (directory)
    for (const FlatEntry& entry : directory->entries) {
      const bool is_file = entry.stored_as.empty();  // the scan refused all others
      const std::string name = directory->mount + entry.name;
      places.push_back({.offset_bytes = entry.offset_bytes,
                        .size_bytes = entry.size_bytes - entry.header_bytes,
                        .name_bytes = is_file ? static_cast<uint32_t>(name.size()) : 0,
                        .name_hash = hash_of_name(name),
                        .header_bytes = entry.header_bytes,
                        .is_header_record = entry.is_header_record,
                        .crc32 = entry.crc32,
                        .md5 = entry.md5});
    }
  archive.places = std::make_unique<const std::vector<FlatPlace>>(std::move(places));
  return {};
}

// Closes the archive that hasn't been used for the longest time. Streams keep their archive open
// until they end.
void ContentReader::close_least_recent() {
  Archive* oldest = nullptr;
  for (Archive& archive : archives_)
    if (archive.bytes && (oldest == nullptr || archive.last_use < oldest->last_use))
      oldest = &archive;
  if (oldest == nullptr) return;
  oldest->bytes.reset();
  --open_count_;
}

}  // namespace seekless
