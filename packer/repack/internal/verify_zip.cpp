#include "packer/repack/internal/verify_zip.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <libdeflate.h>
#include <zip.h>

#include "packer/base/hashed_file.h"
#include "packer/base/hasher.h"
#include "packer/content/asset_stream.h"
#include "packer/host/os_error.h"
#include "packer/repack/internal/extra_fields.h"
#include "packer/repack/internal/window_source.h"
#include "runtime/zip_fields.h"

namespace seekless {
namespace {

constexpr size_t kComparedAtOnceBytes = size_t{1} << 20;
constexpr const char* kAdvice = "nothing was put in its place; report this";

std::unexpected<Error> differs(const std::string& path, std::string place, std::string expected,
                               std::string found) {
  return damaged({.file = path,
                  .place = std::move(place),
                  .expected = std::move(expected),
                  .found = std::move(found),
                  .advice = kAdvice});
}

// Returns an error about the old archive, whose data were copied unchanged.
std::unexpected<Error> damaged_before(const std::string& path, const ZipEntry& entry,
                                      const Error& error) {
  if (error.kind != ErrorKind::damaged) return std::unexpected(error);
  return damaged({.file = path,
                  .place = place_of(entry),
                  .expected = fmt::format("content with CRC-32 {:08x} from what is deflated there",
                                          entry.crc32),
                  .found = "damaged data",
                  .advice = "get the archive again; --no-verify rewrites it all the same"});
}

// Returns an error about the new archive, unless it couldn't even be read.
std::unexpected<Error> differs(const std::string& path, std::string expected, const Error& error) {
  if (error.kind == ErrorKind::failed) return std::unexpected(error);
  return differs(path, "", std::move(expected), error.message);
}

std::unexpected<Error> entry_differs(const std::string& path, const ZipEntry& entry,
                                     const char* what) {
  return differs(path, place_of(entry), fmt::format("the {} that it has in the old archive", what),
                 "another");
}

// An error of the operating system says nothing about the archive.
std::unexpected<Error> zip_error(const std::string& path, zip_error_t& error) {
  const bool is_of_system = zip_error_system_type(&error) == ZIP_ET_SYS;
  const int os_error = is_of_system                                  ? zip_error_code_system(&error)
                       : zip_error_code_zip(&error) == ZIP_ER_MEMORY ? ENOMEM
                                                                     : 0;
  const std::string message = zip_error_strerror(&error);
  zip_error_fini(&error);
  if (os_error != 0) return failed_call(path, "open by libzip", os_error);
  return damaged({.file = path,
                  .expected = "an archive that libzip can check",
                  .found = message,
                  .advice = "--no-verify rewrites it all the same"});
}

Result<zip_t*> open_archive(const std::string& path, uint64_t shift_bytes) {
  zip_error_t error;
  zip_error_init(&error);
  // libzip accepts an archive after other data only if its offsets include those data.
  zip_source_t* source = zip_source_file_create(path.c_str(), shift_bytes, -1, &error);
  zip_t* archive = source == nullptr ? nullptr : zip_open_from_source(source, ZIP_RDONLY, &error);
  if (archive == nullptr) {
    if (source != nullptr) zip_source_free(source);
    return zip_error(path, error);
  }
  zip_error_fini(&error);
  return archive;
}

// libzip gives names as C strings, and takes them from the Unicode path field if that is valid.
bool is_same_name(const char* name, const ZipEntry& entry) {
  std::string_view expected = entry.raw_name;
  const auto field = runtime::find_extra_field(entry.raw_extra, runtime::kZipUnicodePathField);
  if (field && field->size() >= 5 && load<uint8_t>(*field, 0) == 1 &&
      load<uint32_t>(*field, 1) ==
          libdeflate_crc32(0, entry.raw_name.data(), entry.raw_name.size()))
    expected = text_of(field->subspan(5));
  return name != nullptr && name == expected.substr(0, expected.find('\0'));
}

// Compares the fields that a record keeps even if the data are packed or unpacked.
const char* changed_field(const ZipEntry& before, const ZipEntry& after) {
  if (before.raw_name != after.raw_name) return "name";
  if (before.size_bytes != after.size_bytes) return "size";
  if (before.crc32 != after.crc32) return "CRC-32";
  if (before.dos_time != after.dos_time || before.dos_date != after.dos_date) return "time";
  if (before.external_attributes != after.external_attributes ||
      before.internal_attributes != after.internal_attributes)
    return "attributes";
  if (before.version_made_by != after.version_made_by) return "version of its maker";
  if (before.raw_comment != after.raw_comment) return "comment";
  if (kept_extra(before.raw_extra).bytes != kept_extra(after.raw_extra).bytes)
    return "extra fields";
  constexpr uint16_t kKeptFlags = zip_flag::kEncrypted | zip_flag::kUtf8;
  if (((before.flags ^ after.flags) & kKeptFlags) != 0) return "flags";
  if (before.method == after.method && before.stored_bytes != after.stored_bytes)
    return "stored size";
  return nullptr;
}

bool is_same_extra(zip_t* before, zip_uint64_t before_index, zip_t* after, zip_uint64_t after_index,
                   zip_flags_t where) {
  const auto next =
      [where](zip_t* archive, zip_uint64_t index,
              zip_uint16_t& at) -> std::optional<std::pair<zip_uint16_t, std::string_view>> {
    for (;; ++at) {
      zip_uint16_t number = 0;
      zip_uint16_t length = 0;
      const zip_uint8_t* data =
          zip_file_extra_field_get(archive, index, at, &number, &length, where);
      if (data == nullptr) return std::nullopt;
      if (number == kZip64Field || number == kAlignmentField) continue;
      ++at;
      return std::pair(number, std::string_view(reinterpret_cast<const char*>(data), length));
    }
  };
  zip_uint16_t before_at = 0;
  zip_uint16_t after_at = 0;
  for (;;) {
    const auto a = next(before, before_index, before_at);
    const auto b = next(after, after_index, after_at);
    if (a != b) return false;
    if (!a) return true;
  }
}

bool is_same_comment(zip_t* before, zip_uint64_t before_index, zip_t* after,
                     zip_uint64_t after_index) {
  zip_uint32_t before_length = 0;
  zip_uint32_t after_length = 0;
  const char* a = zip_file_get_comment(before, before_index, &before_length, ZIP_FL_ENC_RAW);
  const char* b = zip_file_get_comment(after, after_index, &after_length, ZIP_FL_ENC_RAW);
  return std::string_view(a == nullptr ? "" : a, before_length) ==
         std::string_view(b == nullptr ? "" : b, after_length);
}

bool is_same_attributes(zip_t* before, zip_uint64_t before_index, zip_t* after,
                        zip_uint64_t after_index) {
  zip_uint8_t systems[2] = {};
  zip_uint32_t attributes[2] = {};
  return zip_file_get_external_attributes(before, before_index, 0, &systems[0], &attributes[0]) ==
             0 &&
         zip_file_get_external_attributes(after, after_index, 0, &systems[1], &attributes[1]) ==
             0 &&
         systems[0] == systems[1] && attributes[0] == attributes[1];
}

class ZipVerifier {
 public:
  ZipVerifier(const SecondReader& after, std::atomic<uint64_t>* done_bytes)
      : after_(after), done_bytes_(done_bytes), piece_(kComparedAtOnceBytes) {}

  // Compares what libzip reports for the entry: number `old_index` in `old`, `new_index` in the new
  // archive.
  Result<void> check(const EntriesWritten& old, const ZipEntry& before, const ZipEntry& after,
                     uint32_t old_index, uint32_t new_index, EntryData data) {
    zip_t* const a = old.reader.archive();
    zip_t* const b = after_.archive();
    zip_stat_t old_stat;
    zip_stat_t new_stat;
    if (zip_stat_index(a, old_index, 0, &old_stat) != 0 ||
        zip_stat_index(b, new_index, 0, &new_stat) != 0)
      return entry_differs(after_.path(), after, "figures");
    if (!is_same_name(zip_get_name(b, new_index, ZIP_FL_ENC_RAW), after))
      return entry_differs(after_.path(), after, "name");
    if (old_stat.size != new_stat.size) return entry_differs(after_.path(), after, "size");
    if (old_stat.crc != new_stat.crc) return entry_differs(after_.path(), after, "CRC-32");
    if (old_stat.mtime != new_stat.mtime) return entry_differs(after_.path(), after, "time");
    if (old_stat.encryption_method != new_stat.encryption_method)
      return entry_differs(after_.path(), after, "kind of encryption");
    if (!is_same_attributes(a, old_index, b, new_index))
      return entry_differs(after_.path(), after, "attributes");
    if (!is_same_comment(a, old_index, b, new_index))
      return entry_differs(after_.path(), after, "comment");
    if (!is_same_extra(a, old_index, b, new_index, ZIP_FL_CENTRAL) ||
        !is_same_extra(a, old_index, b, new_index, ZIP_FL_LOCAL))
      return entry_differs(after_.path(), after, "extra fields");
    const uint64_t hash = old.hashes[old_index];
    // libzip would take an encrypted entry's bytes for content, and compare them with the content's
    // CRC.
    if (after.is_encrypted()) return check_stored(after, hash, data);
    const bool is_copied = before.method == after.method;
    // Since version 1.11 libzip reads nothing of an entry without content, even if its data is a
    // byte or two.
    const bool is_empty_copy = is_copied && after.size_bytes == 0;
    SKL_TRY_DO(is_empty_copy ? check_stored(after, hash, data)
                             : check_data(after, hash, new_index, is_copied));
    if (!is_copied || after.method != zip_method::kDeflated) return {};
    const auto whole = check_content(std::move(data));
    return whole ? whole : damaged_before(old.source->name(), before, whole.error());
  }

 private:
  struct CloseFile {
    void operator()(zip_file_t* file) const { zip_fclose(file); }
  };

  // Hashes the stored bytes without libzip.
  Result<void> check_stored(const ZipEntry& entry, uint64_t hash, const EntryData& data) {
    Hasher64 hasher;
    SKL_TRY_DO(add_range(hasher, *data.archive, data.offset_bytes, data.stored_bytes));
    if (done_bytes_ != nullptr) *done_bytes_ += data.stored_bytes;
    if (hasher.digest() != hash) return entry_differs(after_.path(), entry, "content");
    return {};
  }

  // Unpacks copied data, because they may already be damaged in the old archive.
  Result<void> check_content(EntryData data) {
    uint64_t left_bytes = data.size_bytes;
    const auto stream = make_entry_stream(std::move(data));
    do {
      SKL_TRY(const auto got, stream->read(piece_));
      left_bytes -= got;
    } while (left_bytes > 0);
    return {};
  }

  // Hashes what libzip reads. When it unpacks, libzip compares the CRC itself.
  Result<void> check_data(const ZipEntry& entry, uint64_t hash, uint32_t new_index,
                          bool is_copied) {
    const bool is_raw = is_copied && entry.method != zip_method::kStored;
    const std::unique_ptr<zip_file_t, CloseFile> file(
        zip_fopen_index(after_.archive(), new_index, is_raw ? ZIP_FL_COMPRESSED : 0U));
    if (!file) return unreadable(entry, zip_strerror(after_.archive()));
    Hasher64 hasher;
    uint64_t total_bytes = 0;
    for (;;) {
      const zip_int64_t got = zip_fread(file.get(), piece_.data(), piece_.size());
      if (got < 0) return unreadable(entry, zip_file_strerror(file.get()));
      if (got == 0) break;
      hasher.add(std::span(piece_).first(static_cast<size_t>(got)));
      total_bytes += static_cast<uint64_t>(got);
      if (done_bytes_ != nullptr) *done_bytes_ += static_cast<uint64_t>(got);
    }
    if (total_bytes != (is_raw ? entry.stored_bytes : entry.size_bytes) || hasher.digest() != hash)
      return entry_differs(after_.path(), entry, "content");
    return {};
  }

  std::unexpected<Error> unreadable(const ZipEntry& entry, const char* message) const {
    return differs(after_.path(), place_of(entry), "an entry that libzip reads", message);
  }

  const SecondReader& after_;
  std::atomic<uint64_t>* done_bytes_;
  std::vector<std::byte> piece_;
};

// Checks that the local header agrees with the directory, so that readers may use either. Returns
// where the data lie.
Result<EntryData> check_local_header(const std::shared_ptr<const ByteSource>& old_source,
                                     const OldArchive& old, uint32_t old_index,
                                     const std::shared_ptr<const ByteSource>& new_source,
                                     const ZipEntry& entry) {
  auto data = read_local_header(new_source, entry);
  if (!data)
    return differs(new_source->name(), place_of(entry), "a sound local header",
                   data.error().message);
  std::string extra(
      data->offset_bytes - entry.header_offset_bytes - kLocalHeaderBytes - entry.raw_name.size(),
      '\0');
  SKL_TRY_DO(new_source->read_at(data->offset_bytes - extra.size(),
                                 std::as_writable_bytes(std::span(extra))));
  SKL_TRY(const auto before, local_extra(*old_source, old, old_index));
  if (kept_extra(before).bytes != kept_extra(extra).bytes)
    return entry_differs(new_source->name(), entry, "extra fields in the local header");
  return data;
}

Result<void> check_directory(const ZipDirectory& after, const WrittenDirectory& expected,
                             const std::string& path) {
  if (expected.origins.size() != after.entry_count())
    return differs(path, "central directory", fmt::format("{} entries", expected.origins.size()),
                   fmt::format("{}", after.entry_count()));
  if (expected.comment != after.comment() || expected.shift_bytes != after.shift_bytes() ||
      after.trailing_bytes() != 0)
    return differs(path, "end record", "the comment and the place that were written", "others");
  return {};
}

// Returns the entries' numbers in the order in which they lie.
std::vector<uint32_t> by_place(const ZipDirectory& directory) {
  std::vector<uint32_t> order(directory.entry_count());
  std::vector<uint64_t> places(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    order[i] = i;
    places[i] = directory.entry(i).header_offset_bytes;
  }
  std::ranges::sort(order, {}, [&](uint32_t i) { return places[i]; });
  return order;
}

}  // namespace

void SecondReader::Discard::operator()(zip* archive) const {
  zip_discard(archive);
}

Result<SecondReader> SecondReader::open(const std::string& path, const ZipDirectory& directory) {
  SKL_TRY(const auto archive, open_archive(path, directory.shift_bytes()));
  zip_t* opened = archive;
  SecondReader reader(path, opened);
  const auto count = zip_get_num_entries(opened, 0);
  bool is_same = count >= 0 && static_cast<uint64_t>(count) == directory.entry_count();
  for (size_t i = 0; is_same && i < directory.entry_count(); ++i)
    is_same = is_same_name(zip_get_name(opened, i, ZIP_FL_ENC_RAW), directory.entry(i));
  if (is_same) return reader;
  return damaged(
      {.file = path,
       .expected = fmt::format("libzip to find the same {} entries", directory.entry_count()),
       .found = fmt::format("others, {} of them", count),
       .advice = "--no-verify rewrites it all the same"});
}

Result<void> verify_entries(std::span<const EntriesWritten> old, const WrittenDirectory& expected,
                            const std::string& new_path, std::atomic<uint64_t>* done_bytes) {
  SKL_TRY(auto opened, open_source(new_path));
  const auto directory = read_zip_directory(*opened);
  if (!directory) return differs(new_path, "an archive", directory.error());
  SKL_TRY_DO(check_directory(*directory, expected, new_path));
  const auto reader = SecondReader::open(new_path, *directory);
  if (!reader) return differs(new_path, "an archive", reader.error());

  std::vector<std::shared_ptr<WindowSource>> old_windows;
  old_windows.reserve(old.size());
  for (const EntriesWritten& each : old)
    old_windows.push_back(std::make_shared<WindowSource>(each.source));
  const auto new_window =
      std::make_shared<WindowSource>(std::shared_ptr<const ByteSource>(std::move(opened)));
  ZipVerifier verifier(*reader, done_bytes);
  for (const uint32_t index : by_place(*directory)) {
    const EntryOrigin& origin = expected.origins[index];
    const EntriesWritten& from = old[origin.archive];
    const ZipEntry before = from.directory.entry(origin.entry);
    const ZipEntry after = directory->entry(index);
    if (const char* what = changed_field(before, after); what != nullptr)
      return entry_differs(new_path, after, what);
    SKL_TRY(auto data, check_local_header(old_windows[origin.archive], from.old, origin.entry,
                                          new_window, after));
    SKL_TRY_DO(verifier.check(from, before, after, origin.entry, index, std::move(data)));
  }
  return {};
}

Result<void> verify_zip(const EntriesWritten& old, const std::string& new_path,
                        const RewriteReport& report, std::atomic<uint64_t>* done_bytes) {
  WrittenDirectory expected = {.origins = {},
                               .comment = old.directory.comment(),
                               .shift_bytes = old.directory.shift_bytes()};
  if (report.directory_order.size() != old.directory.entry_count())
    return differs(new_path, "central directory",
                   fmt::format("{} entries", old.directory.entry_count()),
                   fmt::format("{}", report.directory_order.size()));
  for (const uint32_t entry : report.directory_order) expected.origins.push_back({0, entry});
  return verify_entries(std::span(&old, 1), expected, new_path, done_bytes);
}

}  // namespace seekless
