#include "packer/build/build_state.h"

#include <concepts>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <xxhash.h>

#include "packer/host/files.h"

namespace seekless {
namespace {

// The file: these 8 bytes, a 64-bit XXH3-64 of all that follows them, then the fields of BuildState
// in their order. Numbers as in memory, texts and lists with a 32-bit count in front.
constexpr std::string_view kMagic = "SKLSTAT1";
constexpr size_t kHeadBytes = kMagic.size() + sizeof(uint64_t);
constexpr uint64_t kMostBytes = uint64_t{4} << 30;

template <typename T>
concept Plain =
    std::is_arithmetic_v<T> || std::same_as<T, SourceKind> || std::same_as<T, format::ContentHash>;

// Each of the two has the same fields in the same order: visit() below calls either.
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  template <Plain T>
  void operator()(const T& value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void operator()(std::string_view text) {
    (*this)(static_cast<uint32_t>(text.size()));
    out_ += text;
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

 private:
  std::string& out_;
};

// After the first field that isn't there, nothing more is read and ok() is false.
class Reader {
 public:
  explicit Reader(std::string_view in) : in_(in) {}

  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && in_.empty(); }

  template <Plain T>
  void operator()(T& value) {
    if (!ok_ || in_.size() < sizeof(value)) {
      ok_ = false;
      return;
    }
    if constexpr (std::same_as<T, bool>)
      value = in_.front() != 0;
    else
      std::memcpy(&value, in_.data(), sizeof(value));
    in_.remove_prefix(sizeof(value));
  }
  void operator()(std::string_view& text) {
    uint32_t length = 0;
    (*this)(length);
    if (!ok_ || length > in_.size()) {
      ok_ = false;
      return;
    }
    text = in_.substr(0, length);
    in_.remove_prefix(length);
  }
  void operator()(std::string& text) {
    std::string_view view;
    (*this)(view);
    text = view;
  }
  template <typename T>
  void operator()(std::optional<T>& value) {
    uint8_t has_value = 0;
    (*this)(has_value);
    if (has_value != 0) visit(*this, value.emplace());
  }
  template <typename T>
  void operator()(std::vector<T>& values) {
    uint32_t count = 0;
    (*this)(count);
    // Every record takes more bytes than this, so a count can't ask for much more memory than the
    // file has bytes.
    constexpr size_t kLeastRecordBytes = 24;
    if (count > in_.size() / kLeastRecordBytes) ok_ = false;
    if (!ok_) return;
    values.resize(count);
    for (T& value : values)
      if (ok_) visit(*this, value);
  }

 private:
  std::string_view in_;
  bool ok_ = true;
};

template <typename Fields, typename Stamp>
  requires std::same_as<std::remove_const_t<Stamp>, ChangeStamp>
void visit(Fields& fields, Stamp& stamp) {
  fields(stamp.size_bytes);
  fields(stamp.written_ns);
  fields(stamp.changed_ns);
  fields(stamp.inode);
}

template <typename Fields, typename File>
  requires std::same_as<std::remove_const_t<File>, KnownFile>
void visit(Fields& fields, File& file) {
  fields(file.path);
  fields(file.root);
  fields(file.kind);
  fields(file.is_settled);
  visit(fields, file.stamp);
}

template <typename Fields, typename Asset>
  requires std::same_as<std::remove_const_t<Asset>, KnownAsset>
void visit(Fields& fields, Asset& asset) {
  fields(asset.path);
  fields(asset.file);
  fields(asset.crc32);
  fields(asset.size_bytes);
  fields(asset.hash);
}

template <typename Fields, typename Trace>
  requires std::same_as<std::remove_const_t<Trace>, KnownTrace>
void visit(Fields& fields, Trace& trace) {
  fields(trace.path);
  fields(trace.is_settled);
  visit(fields, trace.stamp);
}

template <typename Fields, typename Pack>
  requires std::same_as<std::remove_const_t<Pack>, KnownPack>
void visit(Fields& fields, Pack& pack) {
  fields(pack.name);
  fields(pack.key);
  fields(pack.pack_id);
  fields(pack.stamp);
}

template <typename Fields, typename Output>
  requires std::same_as<std::remove_const_t<Output>, KnownOutput>
void visit(Fields& fields, Output& output) {
  fields(output.path);
  visit(fields, output.stamp);
}

template <typename Fields, typename State>
  requires std::same_as<std::remove_const_t<State>, BuildState>
void visit(Fields& fields, State& state) {
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

bool is_sound(const BuildState& state) {
  for (const KnownFile& file : state.files)
    if (file.kind != SourceKind::file && file.kind != SourceKind::zip) return false;
  for (const KnownAsset& asset : state.assets)
    if (asset.file >= state.files.size()) return false;
  return true;
}

}  // namespace

Result<BuildState> parse_build_state(std::shared_ptr<const std::string> bytes,
                                     const std::string& file) {
  const std::string_view all = *bytes;
  if (!all.starts_with(kMagic) || all.size() < kHeadBytes)
    return wrong(file, "what an earlier build of this version left", "another file");
  uint64_t checksum = 0;
  std::memcpy(&checksum, all.data() + kMagic.size(), sizeof(checksum));
  const std::string_view body = all.substr(kHeadBytes);
  if (XXH3_64bits(body.data(), body.size()) != checksum)
    return wrong(file, "bytes of its checksum", "others");
  BuildState state;
  Reader reader(body);
  visit(reader, state);
  if (!reader.at_end() || !is_sound(state))
    return wrong(file, "what an earlier build left", "numbers out of range");
  state.bytes = std::move(bytes);
  return state;
}

Result<std::optional<BuildState>> read_build_state(const std::string& path) {
  if (kind_of_path(path) == PathKind::missing) return std::nullopt;
  auto text = read_text(path, kMostBytes);
  if (!text) return std::unexpected(text.error());
  auto state = parse_build_state(std::make_shared<const std::string>(*std::move(text)), path);
  if (!state) return std::unexpected(state.error());
  return *std::move(state);
}

std::string to_bytes(const BuildState& state) {
  std::string bytes(kHeadBytes, '\0');
  Writer writer(bytes);
  visit(writer, state);
  const uint64_t checksum = XXH3_64bits(bytes.data() + kHeadBytes, bytes.size() - kHeadBytes);
  std::memcpy(bytes.data(), kMagic.data(), kMagic.size());
  std::memcpy(bytes.data() + kMagic.size(), &checksum, sizeof(checksum));
  return bytes;
}

Result<void> write_build_state(const BuildState& state, const std::string& path) {
  auto file = PendingFile::create(path);
  if (!file) return std::unexpected(file.error());
  if (auto written = file->append(to_bytes(state)); !written) return written;
  constexpr bool kDurable = false;
  return file->commit(kDurable);
}

}  // namespace seekless
