#include "packer/pack/file_edit.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "packer/base/hashed_file.h"
#include "packer/host/calls.h"
#include "packer/host/descriptor.h"
#include "packer/host/fence.h"
#include "packer/host/files.h"
#include "packer/host/os_error.h"
#include "packer/host/write_errors.h"

namespace seekless {
namespace {

constexpr std::array<uint8_t, 8> kMagic = {0x89, 'S', 'K', 'E', '\r', '\n', 0x1a, '\n'};
constexpr size_t kBufferBytes = size_t{1} << 20;
// A table of this many parts takes 96 MB. A pack of 4 TB with an edit in each MiB has this many.
constexpr uint64_t kMostParts = 4'000'000;

struct JournalHeader {
  std::array<uint8_t, 8> magic;
  uint64_t size_bytes;   // size of the file after the edit
  uint64_t part_count;   // the parts' bytes follow the header, and their table follows them
  uint64_t data_bytes;   // size of all parts
  uint64_t table_check;  // XXH3-64 of the table
  uint64_t checksum;     // XXH3-64 of the header's bytes before it
};
static_assert(sizeof(JournalHeader) == 48);

uint64_t checksum_of(std::span<const std::byte> bytes) {
  Hasher64 hash;
  hash.add(bytes);
  return hash.digest();
}

uint64_t checksum_of(const JournalHeader& header) {
  return checksum_of(std::as_bytes(std::span(&header, 1)).first(offsetof(JournalHeader, checksum)));
}

struct Journal {
  uint64_t size_bytes = 0;
  std::vector<EditedPart> parts;
};

std::unexpected<Error> wrong_journal(const std::string& path) {
  return damaged({.file = path,
                  .expected = "the journal of an edit that was interrupted",
                  .found = "something else",
                  .advice = "remove it, and get the pack anew"});
}

Result<Journal> read_journal(const ByteSource& source) {
  JournalHeader header = {};
  if (source.size_bytes() < sizeof(header)) return wrong_journal(source.name());
  SKL_TRY_DO(source.read_at(0, std::as_writable_bytes(std::span(&header, 1))));
  if (header.magic != kMagic || header.checksum != checksum_of(header) ||
      header.part_count > kMostParts)
    return wrong_journal(source.name());
  const uint64_t table_bytes = header.part_count * sizeof(EditedPart);
  const uint64_t rest = source.size_bytes() - sizeof(header);
  if (table_bytes > rest || header.data_bytes != rest - table_bytes)
    return wrong_journal(source.name());
  Journal journal = {header.size_bytes, std::vector<EditedPart>(header.part_count)};
  const auto table = std::as_writable_bytes(std::span(journal.parts));
  SKL_TRY_DO(source.read_at(sizeof(header) + header.data_bytes, table));
  if (header.table_check != checksum_of(table)) return wrong_journal(source.name());
  uint64_t data_bytes = 0;
  uint64_t end = 0;
  for (const EditedPart& part : journal.parts) {
    if (part.offset_bytes < end || part.offset_bytes > journal.size_bytes ||
        part.size_bytes > journal.size_bytes - part.offset_bytes)
      return wrong_journal(source.name());
    end = part.offset_bytes + part.size_bytes;
    data_bytes += part.size_bytes;
  }
  if (data_bytes != header.data_bytes) return wrong_journal(source.name());
  return journal;
}

// Checks all parts before anything is written.
Result<void> check_parts(const ByteSource& source, const Journal& journal) {
  uint64_t at = sizeof(JournalHeader);
  for (const EditedPart& part : journal.parts) {
    Hasher64 hash;
    SKL_TRY_DO(add_range(hash, source, at, part.size_bytes));
    if (hash.digest() != part.checksum) return wrong_journal(source.name());
    at += part.size_bytes;
  }
  return {};
}

Result<void> write_all(int file, const std::string& name, std::span<const std::byte> bytes,
                       uint64_t offset_bytes) {
  while (!bytes.empty()) {
    const int64_t put = calls::write_at(file, bytes.data(), bytes.size(), offset_bytes);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return failed_write(name, errno);
    offset_bytes += static_cast<uint64_t>(put);
    bytes = bytes.subspan(static_cast<size_t>(put));
  }
  return {};
}

Result<void> flush(int file, const std::string& name) {
  if (calls::flush(file) != 0) return failed_write(name, errno);
  return {};
}

Result<void> write_parts(const ByteSource& source, const Journal& journal, int file,
                         const std::string& name) {
  std::vector<std::byte> buffer(kBufferBytes);
  uint64_t at = sizeof(JournalHeader);
  for (size_t i = 0; i < journal.parts.size(); ++i) {
    const EditedPart& part = journal.parts[i];
    for (uint64_t done = 0; done < part.size_bytes;) {
      const auto piece =
          std::span(buffer).first(std::min<uint64_t>(buffer.size(), part.size_bytes - done));
      SKL_TRY_DO(source.read_at(at, piece));
      SKL_TRY_DO(write_all(file, name, piece, part.offset_bytes + done));
      at += piece.size();
      done += piece.size();
    }
    if (i == 0) SKL_TRY_DO(flush(file, name));
  }
  return {};
}

// Reads a file as it will be with its journal's parts.
class EditedFile final : public runtime::File {
 public:
  EditedFile(std::unique_ptr<ByteSource> source, Journal journal,
             std::unique_ptr<runtime::File> base)
      : source_(std::move(source)), journal_(std::move(journal)), base_(std::move(base)) {
    uint64_t at = sizeof(JournalHeader);
    for (const EditedPart& part : journal_.parts) {
      places_.push_back(at);
      at += part.size_bytes;
    }
  }

  const std::string& name() const override { return base_->name(); }
  uint64_t size_bytes() const override { return journal_.size_bytes; }
  void will_need(uint64_t, uint64_t) const override {}

  runtime::Result<void> read_at(uint64_t offset_bytes, std::span<std::byte> into) const override {
    if (offset_bytes > size_bytes() || into.size() > size_bytes() - offset_bytes)
      return std::unexpected(runtime::read_error(*this, offset_bytes, into.size(), 0));
    size_t next = static_cast<size_t>(
        std::ranges::upper_bound(journal_.parts, offset_bytes, {}, &EditedPart::offset_bytes) -
        journal_.parts.begin());
    if (next > 0 && end_of(next - 1) > offset_bytes) --next;
    while (!into.empty()) {
      const bool is_edited =
          next < journal_.parts.size() && journal_.parts[next].offset_bytes <= offset_bytes;
      const uint64_t end = is_edited                      ? end_of(next)
                           : next < journal_.parts.size() ? journal_.parts[next].offset_bytes
                                                          : size_bytes();
      const auto piece = into.first(std::min<uint64_t>(into.size(), end - offset_bytes));
      SKL_TRY_DROP(is_edited ? read_part(next, offset_bytes, piece)
                             : base_->read_at(offset_bytes, piece));
      offset_bytes += piece.size();
      into = into.subspan(piece.size());
      if (is_edited && offset_bytes == end) ++next;
    }
    return {};
  }

 private:
  uint64_t end_of(size_t part) const {
    return journal_.parts[part].offset_bytes + journal_.parts[part].size_bytes;
  }

  runtime::Result<void> read_part(size_t part, uint64_t offset_bytes,
                                  std::span<std::byte> into) const {
    const uint64_t in_part = offset_bytes - journal_.parts[part].offset_bytes;
    if (source_->read_at(places_[part] + in_part, into)) return {};
    return std::unexpected(runtime::read_error(*this, offset_bytes, into.size(), EIO));
  }

  const std::unique_ptr<ByteSource> source_;
  const Journal journal_;
  const std::unique_ptr<runtime::File> base_;
  std::vector<uint64_t> places_;  // places of the parts' bytes in the journal
};

// Makes room for a longer file first. If there is no space, the file keeps its former length.
Result<void> make_room(int file, const std::string& name, uint64_t size_bytes) {
  calls::Status status;
  if (!calls::look_at(file, status)) return failed_call(name, "look at", errno);
  if (size_bytes <= status.size_bytes) return {};
  const int os_error = calls::reserve(file, size_bytes);
  if (os_error == 0 || os_error == EOPNOTSUPP || os_error == EINVAL) return {};
  (void)calls::resize(file, status.size_bytes);
  return failed_call(name, fmt::format("reserve {} bytes", size_bytes), os_error,
                     advice_for_writing(os_error));
}

}  // namespace

Result<FileEdit> FileEdit::create(const std::string& journal, const std::string& file,
                                  uint64_t size_bytes) {
  SKL_TRY(auto pending, PendingFile::create(journal, 0, file));
  FileEdit edit(std::move(pending), size_bytes);
  edit.end_bytes_ = sizeof(JournalHeader);
  return edit;
}

void FileEdit::end_part() {
  if (!parts_.empty()) parts_.back().checksum = hash_.digest();
}

Result<void> FileEdit::put(uint64_t offset_bytes, std::span<const std::byte> bytes) {
  if (parts_.empty() || parts_.back().offset_bytes + parts_.back().size_bytes != offset_bytes) {
    end_part();
    hash_.reset();
    parts_.push_back({offset_bytes, 0, 0});
  }
  hash_.add(bytes);
  parts_.back().size_bytes += bytes.size();
  end_bytes_ += bytes.size();
  return journal_.write_at(end_bytes_ - bytes.size(), bytes);
}

Result<void> FileEdit::commit() {
  end_part();
  const auto table = std::as_bytes(std::span(parts_));
  JournalHeader header = {
      kMagic, size_bytes_, parts_.size(), end_bytes_ - sizeof(JournalHeader), checksum_of(table),
      0};
  header.checksum = checksum_of(header);
  SKL_TRY_DO(journal_.write_at(end_bytes_, table));
  SKL_TRY_DO(journal_.write_at(0, std::as_bytes(std::span(&header, 1))));
  return journal_.commit();
}

runtime::Result<std::unique_ptr<runtime::File>> open_as_edited(const std::string& journal,
                                                               const std::string& file) {
  const auto as_runtime = [](const Error& error) {
    const bool is_damage = error.kind == ErrorKind::damaged;
    return runtime::make_error(is_damage ? SKL_DAMAGED : SKL_IO, {error.message});
  };
  auto source = open_source(journal);
  if (!source) return as_runtime(source.error());
  auto read = read_journal(**source);
  if (!read) return as_runtime(read.error());
  if (auto checked = check_parts(**source, *read); !checked) return as_runtime(checked.error());
  SKL_TRY(auto base, runtime::make_system_file_io()->open(file));
  return std::make_unique<EditedFile>(*std::move(source), *std::move(read), std::move(base));
}

Result<void> carry_out_edit(const std::string& journal, const std::string& file) {
  SKL_TRY(auto source, open_source(journal));
  SKL_TRY(const auto read, read_journal(*source));
  SKL_TRY_DO(check_parts(*source, read));
  const auto place = NameInFolder::of(file);
  const Descriptor into(calls::open_there(place.folder, place.name));
  if (into.get() < 0) return failed_call(file, "open", errno);
  if (auto room = make_room(into.get(), file, read.size_bytes); !room) {
    source.reset();
    SKL_TRY_DO(remove_file(journal));
    return room;
  }
  SKL_TRY_DO(write_parts(*source, read, into.get(), file));
  if (calls::resize(into.get(), read.size_bytes) != 0) return failed_write(file, errno);
  SKL_TRY_DO(flush(into.get(), file));
  source.reset();  // Windows can't remove an open file
  return remove_file(journal);
}

}  // namespace seekless
