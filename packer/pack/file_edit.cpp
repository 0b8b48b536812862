#include "packer/pack/file_edit.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "packer/host/calls.h"
#include "packer/host/descriptor.h"
#include "packer/host/files.h"
#include "packer/host/write_errors.h"

namespace seekless {
namespace {

constexpr std::array<uint8_t, 8> kMagic = {0x89, 'S', 'K', 'E', '\r', '\n', 0x1a, '\n'};
constexpr size_t kBufferBytes = size_t{1} << 20;
// A table of so many parts takes 96 MB; a pack of 4 TB edited in each MiB has as many.
constexpr uint64_t kMostParts = 4'000'000;

struct JournalHeader {
  std::array<uint8_t, 8> magic;
  uint64_t size_bytes;   // of the file, then
  uint64_t part_count;   // the parts' bytes follow the header, their table follows them
  uint64_t data_bytes;   // of all parts
  uint64_t table_check;  // XXH3-64 of the table
  uint64_t checksum;     // XXH3-64 of what stands before it
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
  if (auto read = source.read_at(0, std::as_writable_bytes(std::span(&header, 1))); !read)
    return std::unexpected(read.error());
  if (header.magic != kMagic || header.checksum != checksum_of(header) ||
      header.part_count > kMostParts)
    return wrong_journal(source.name());
  const uint64_t table_bytes = header.part_count * sizeof(EditedPart);
  const uint64_t rest = source.size_bytes() - sizeof(header);
  if (table_bytes > rest || header.data_bytes != rest - table_bytes)
    return wrong_journal(source.name());
  Journal journal = {header.size_bytes, std::vector<EditedPart>(header.part_count)};
  const auto table = std::as_writable_bytes(std::span(journal.parts));
  if (auto read = source.read_at(sizeof(header) + header.data_bytes, table); !read)
    return std::unexpected(read.error());
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

// All of it, before anything is written.
Result<void> check_parts(const ByteSource& source, const Journal& journal) {
  uint64_t at = sizeof(JournalHeader);
  for (const EditedPart& part : journal.parts) {
    Hasher64 hash;
    if (auto added = add_range(hash, source, at, part.size_bytes); !added) return added;
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
      if (auto read = source.read_at(at, piece); !read) return read;
      if (auto put = write_all(file, name, piece, part.offset_bytes + done); !put) return put;
      at += piece.size();
      done += piece.size();
    }
    if (i == 0)
      if (auto flushed = flush(file, name); !flushed) return flushed;
  }
  return {};
}

// Room for what is longer, first; if there is none, the file is as long as it was.
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
  auto pending = PendingFile::create(journal, 0, file);
  if (!pending) return std::unexpected(pending.error());
  FileEdit edit(*std::move(pending), size_bytes);
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
  if (auto put = journal_.write_at(end_bytes_, table); !put) return put;
  if (auto put = journal_.write_at(0, std::as_bytes(std::span(&header, 1))); !put) return put;
  return journal_.commit();
}

Result<void> carry_out_edit(const std::string& journal, const std::string& file) {
  auto source = open_source(journal);
  if (!source) return std::unexpected(source.error());
  const auto read = read_journal(**source);
  if (!read) return std::unexpected(read.error());
  if (auto checked = check_parts(**source, *read); !checked) return checked;
  const Descriptor into(calls::open_there(file));
  if (into.get() < 0) return failed_call(file, "open", errno);
  if (auto room = make_room(into.get(), file, read->size_bytes); !room) {
    source->reset();
    if (auto removed = remove_file(journal); !removed) return removed;
    return room;
  }
  if (auto put = write_parts(**source, *read, into.get(), file); !put) return put;
  if (calls::resize(into.get(), read->size_bytes) != 0) return failed_write(file, errno);
  if (auto flushed = flush(into.get(), file); !flushed) return flushed;
  source->reset();  // Windows removes nothing that is open
  return remove_file(journal);
}

}  // namespace seekless
