#include "packer/project/internal/build_state.h"

#include <algorithm>
#include <concepts>
#include <cstring>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>

#include "packer/base/hashed_file.h"
#include "packer/base/hasher.h"
#include "packer/host/files.h"
#include "packer/host/pending_file.h"

namespace seekless {
namespace {

// The file begins with these 8 bytes and a 64-bit XXH3-64 of everything after it. The fields of
// BuildState follow in their order. Numbers are stored as in memory; texts and lists begin with a
// 32-bit count.
constexpr std::string_view kMagic = "SKLSTAT2";
constexpr size_t kHeadBytes = kMagic.size() + sizeof(uint64_t);
constexpr size_t kStatePieceBytes = size_t{1}
                                    << 18;  // size of one read or write; no text is longer

template <typename T>
concept Plain =
    std::is_arithmetic_v<T> || std::same_as<T, SourceKind> || std::same_as<T, format::ContentHash>;

// Accepts a record for reading (mutable) or for writing (const).
template <typename T, typename Record>
concept Either = std::same_as<std::remove_const_t<T>, Record>;

// Writes fields. Writer and Reader have the same fields in the same order, because visit() below
// calls either.
class Writer {
 public:
  using Append = std::function<Result<void>(std::string_view piece)>;

  explicit Writer(const Append& append) : append_(append) {}

  template <Plain T>
  void operator()(const T& value) {
    put({reinterpret_cast<const char*>(&value), sizeof(value)});
  }
  void operator()(std::string_view text) {
    (*this)(static_cast<uint32_t>(text.size()));
    put(text);
  }
  void operator()(const std::string& text) { (*this)(std::string_view(text)); }
  template <typename T>
  void operator()(const std::optional<T>& value) {
    (*this)(static_cast<uint8_t>(value.has_value()));
    if (value) visit(*this, *value);
  }
  template <typename T>
  void operator()(const std::vector<T>& values) {
    (*this)(static_cast<uint32_t>(values.size()));
    for (const T& value : values) visit(*this, value);
  }

  // Returns the checksum of everything that was written.
  Result<uint64_t> finish() {
    pass_on();
    if (!status_) return std::unexpected(status_.error());
    return checksum_.digest();
  }

 private:
  void put(std::string_view bytes) {
    if (piece_.size() + bytes.size() > kStatePieceBytes) pass_on();
    piece_ += bytes;
  }
  void pass_on() {
    add_text(checksum_, piece_);
    if (status_) status_ = append_(piece_);
    piece_.clear();
  }

  const Append& append_;
  std::string piece_;
  Hasher64 checksum_;
  Result<void> status_;
};

// Reads fields. After the first missing field, nothing more is read and ok() is false.
class Reader {
 public:
  Reader(const ByteSource& source, const StateVisitor& visitor)
      : source_(source), visitor_(visitor) {}

  bool at_end() const { return ok_ && left_bytes() == 0; }
  const Result<void>& status() const { return status_; }

  template <Plain T>
  void operator()(T& value) {
    const std::string_view bytes = take(sizeof(value));
    if (!ok_) return;
    if constexpr (std::same_as<T, bool>)
      value = bytes.front() != 0;
    else
      std::memcpy(&value, bytes.data(), sizeof(value));
  }
  void operator()(std::string& text) { text = text_view(); }
  template <typename T>
  void operator()(std::optional<T>& value) {
    uint8_t has_value = 0;
    (*this)(has_value);
    if (has_value != 0) visit(*this, value.emplace());
  }
  template <typename T>
  void operator()(std::vector<T>& values) {
    values.resize(count());
    for (T& value : values)
      if (ok_) visit(*this, value);
  }
  // Passes these lists to the visitor instead of keeping them.
  void operator()(std::vector<KnownFile>&);
  void operator()(std::vector<KnownAsset>&);

 private:
  uint64_t left_bytes() const { return source_.size_bytes() - read_bytes_ + piece_.size() - at_; }

  uint32_t count() {
    uint32_t count = 0;
    (*this)(count);
    // Every record takes at least this many bytes, so a wrong count can't ask for much more memory
    // than the file has bytes.
    constexpr size_t kLeastRecordBytes = 24;
    if (count > left_bytes() / kLeastRecordBytes) ok_ = false;
    return ok_ ? count : 0;
  }

  // Returns a text that is valid until the next field is read.
  std::string_view text_view() {
    uint32_t length = 0;
    (*this)(length);
    return take(length);
  }

  std::string_view take(size_t length) {
    if (length > piece_.size() - at_) refill(length);
    if (!ok_) return {};
    at_ += length;
    return std::string_view(piece_).substr(at_ - length, length);
  }

  void refill(size_t needed) {
    ok_ = ok_ && needed <= kStatePieceBytes && needed <= left_bytes();
    if (!ok_) return;
    piece_.erase(0, std::exchange(at_, 0));
    const size_t kept = piece_.size();
    piece_.resize(std::min<uint64_t>(kStatePieceBytes, left_bytes()));
    status_ = source_.read_at(read_bytes_, std::as_writable_bytes(std::span(piece_).subspan(kept)));
    read_bytes_ += piece_.size() - kept;
    ok_ = status_.has_value();
  }

  const ByteSource& source_;
  const StateVisitor& visitor_;
  // Bytes of the source that were read into piece_, or before it.
  uint64_t read_bytes_ = kHeadBytes;
  std::string piece_;
  size_t at_ = 0;  // index in piece_
  uint32_t file_count_ = 0;
  bool ok_ = true;
  Result<void> status_;
};

void visit(auto& fields, Either<ChangeStamp> auto& stamp) {
  fields(stamp.size_bytes);
  fields(stamp.written_ns);
  fields(stamp.changed_ns);
  fields(stamp.inode);
}

// Visits the fields after the path, which a reader doesn't keep.
void visit_rest(auto& fields, Either<KnownFile> auto& file) {
  fields(file.root);
  fields(file.kind);
  fields(file.is_settled);
  visit(fields, file.stamp);
  fields(file.is_plain);
}

void visit_rest(auto& fields, Either<KnownAsset> auto& asset) {
  fields(asset.file);
  fields(asset.mark);
  fields(asset.size_bytes);
  fields(asset.hash);
}

template <typename Record>
  requires std::same_as<Record, KnownFile> || std::same_as<Record, KnownAsset>
void visit(Writer& fields, const Record& record) {
  fields(record.path);
  visit_rest(fields, record);
}

void Reader::operator()(std::vector<KnownFile>&) {
  file_count_ = count();
  for (uint32_t i = 0; ok_ && i < file_count_; ++i) {
    const std::string path(text_view());
    KnownFile file = {.path = path, .stamp = {}};
    visit_rest(*this, file);
    ok_ = ok_ && file.kind <= SourceKind::flat;
    if (ok_) visitor_.file(file);
  }
}

void Reader::operator()(std::vector<KnownAsset>&) {
  const uint32_t assets = count();
  for (uint32_t i = 0; ok_ && i < assets; ++i) {
    const std::string path(text_view());
    KnownAsset asset = {.path = path};
    visit_rest(*this, asset);
    ok_ = ok_ && asset.file < file_count_;
    if (ok_) visitor_.asset(asset);
  }
}

void visit(auto& fields, Either<KnownTrace> auto& trace) {
  fields(trace.path);
  fields(trace.is_settled);
  visit(fields, trace.stamp);
}

void visit(auto& fields, Either<KnownPack> auto& pack) {
  fields(pack.name);
  fields(pack.key);
  fields(pack.pack_id);
  fields(pack.stamp);
}

void visit(auto& fields, Either<KnownOutput> auto& output) {
  fields(output.path);
  visit(fields, output.stamp);
}

void visit(auto& fields, Either<BuildState> auto& state) {
  fields(state.settings);
  fields(state.lock);
  fields(state.profile);
  fields(state.catalog);
  fields(state.files);
  fields(state.assets);
  fields(state.traces);
  fields(state.packs);
  fields(state.zips_key);
  fields(state.zips);
}

std::unexpected<Error> wrong(const std::string& file, const std::string& expected,
                             const std::string& found) {
  return damaged({.file = file,
                  .expected = expected,
                  .found = found,
                  .advice = "it is made anew; nothing is lost but time"});
}

Result<uint64_t> checksum_of_body(const ByteSource& source) {
  Hasher64 hasher;
  SKL_TRY_DO(add_file(hasher, source, kHeadBytes));
  return hasher.digest();
}

std::string head_of(uint64_t checksum) {
  std::string head(kMagic);
  head.append(reinterpret_cast<const char*>(&checksum), sizeof(checksum));
  return head;
}

Result<uint64_t> write_body(const BuildState& state, const Writer::Append& append) {
  Writer writer(append);
  visit(writer, state);
  return writer.finish();
}

}  // namespace

Result<BuildState> parse_build_state(const ByteSource& bytes, const StateVisitor& visitor) {
  std::string head(std::min<uint64_t>(kHeadBytes, bytes.size_bytes()), '\0');
  SKL_TRY_DO(bytes.read_at(0, std::as_writable_bytes(std::span(head))));
  if (!head.starts_with(kMagic) || head.size() < kHeadBytes)
    return wrong(bytes.name(), "what an earlier build of this version left", "another file");
  const auto checksum = checksum_of_body(bytes);
  if (!checksum) return std::unexpected(checksum.error());
  if (head != head_of(*checksum)) return wrong(bytes.name(), "bytes of its checksum", "others");
  BuildState state;
  Reader reader(bytes, visitor);
  visit(reader, state);
  if (!reader.status()) return std::unexpected(reader.status().error());
  if (!reader.at_end())
    return wrong(bytes.name(), "what an earlier build left", "numbers out of range");
  return state;
}

Result<std::optional<BuildState>> read_build_state(const std::string& path,
                                                   const StateVisitor& visitor) {
  if (kind_of_path(path) == PathKind::missing) return std::nullopt;
  SKL_TRY(const auto source, open_source(path));
  SKL_TRY(auto state, parse_build_state(*source, visitor));
  return state;
}

std::string to_bytes(const BuildState& state) {
  std::string body;
  const auto checksum = write_body(state, [&](std::string_view piece) -> Result<void> {
    body += piece;
    return {};
  });
  return head_of(*checksum) + body;
}

Result<void> write_build_state(const BuildState& state, const std::string& path) {
  SKL_TRY(auto file, PendingFile::create(path));
  SKL_TRY_DO(file.append(head_of(0)));
  const auto checksum =
      write_body(state, [&](std::string_view piece) { return file.append(piece); });
  if (!checksum) return std::unexpected(checksum.error());
  const std::string head = head_of(*checksum);
  SKL_TRY_DO(file.write_at(0, std::as_bytes(std::span(head))));
  constexpr bool kDurable = false;
  return file.commit(kDurable);
}

}  // namespace seekless
