// Reads and writes the directory of Ren'Py's .rpa, versions 2.0, 3.0, 3.2 and 4.0. Source of the
// format: renpy/loader.py and the launcher's archiver.rpy of Ren'Py; for 3.2 and 4.0, which Ren'Py
// itself doesn't write, unrpa and rpatool, which read variants.
//
//   A line: "RPA-3.0", the index's offset (16 digits), a key (8 digits), both hexadecimal; version
//   2.0 has no key, version 3.2 may have another number before it. Then data, each after "Made with
//   Ren'Py.". The index, compressed by zlib, is a pickled dictionary: name -> list of (place,
//   length, first bytes); the first two are combined with the key by XOR.
#include <algorithm>
#include <charconv>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

#include "packer/content/internal/flat_formats.h"
#include "packer/content/internal/pickle_index.h"
#include "runtime/zip_fields.h"

namespace seekless {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kRpaVersions[] = {"RPA-2.0 "sv, "RPA-3.0 "sv, "RPA-3.2 "sv,
                                             "RPA-4.0 "sv};
constexpr std::string_view kRpaFiller = "Made with Ren'Py."sv;
constexpr size_t kPlaceDigits = 16;
constexpr size_t kPlaceAt = 8;                   // after the version
constexpr uint64_t kMostRestBytes = 1U << 20;    // between the data and the index
constexpr uint64_t kMostIndexBytes = 64U << 20;  // a file takes about 50 bytes

struct RpaHeader {
  uint64_t line_bytes = 0;
  uint64_t index_bytes = 0;  // offset of the index
  uint64_t key = 0;
};

std::optional<uint64_t> hexadecimal(std::string_view digits) {
  uint64_t value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (digits.empty() || read.ec != std::errc() || read.ptr != digits.data() + digits.size())
    return std::nullopt;
  return value;
}

std::optional<RpaHeader> rpa_header(std::string_view front) {
  const size_t end = front.find('\n');
  if (end == std::string_view::npos || end < kPlaceAt + kPlaceDigits) return std::nullopt;
  const auto place = hexadecimal(front.substr(kPlaceAt, kPlaceDigits));
  RpaHeader header = {.line_bytes = end + 1, .index_bytes = place.value_or(0)};
  std::string_view rest = front.substr(kPlaceAt + kPlaceDigits, end - kPlaceAt - kPlaceDigits);
  if (rest.ends_with('\r')) rest.remove_suffix(1);
  bool is_first = true;
  const bool has_other_first = front.starts_with("RPA-3.2") && std::ranges::count(rest, ' ') > 1;
  while (place && !rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view digits = rest.substr(0, rest.find(' '));
    const auto part = hexadecimal(digits);
    if (!part) return std::nullopt;
    if (!is_first || !has_other_first) header.key ^= *part;
    is_first = false;
    rest.remove_prefix(digits.size());
  }
  return place ? std::optional(header) : std::nullopt;
}

std::unexpected<Error> bad_index(const ByteSource& source, std::string found) {
  return damaged({.file = source.name(),
                  .place = "index",
                  .expected = fmt::format("data of zlib, of at most {} bytes", kMostIndexBytes),
                  .found = std::move(found),
                  .advice = "the archive is damaged: get it again"});
}

Result<std::string> inflated(const ByteSource& source, const std::string& packed) {
  std::string pickle;
  z_stream stream = {};
  if (inflateInit(&stream) != Z_OK) return bad_index(source, "no memory for it");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  int status = Z_OK;
  while (status == Z_OK && pickle.size() < kMostIndexBytes) {
    const size_t had = pickle.size();
    pickle.resize(std::min<size_t>(kMostIndexBytes, std::max<size_t>(1 << 16, 2 * had)));
    stream.next_out = reinterpret_cast<Bytef*>(pickle.data() + had);
    stream.avail_out = static_cast<uInt>(pickle.size() - had);
    status = inflate(&stream, Z_NO_FLUSH);
    pickle.resize(pickle.size() - stream.avail_out);
  }
  const bool is_whole = status == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  if (!is_whole) return bad_index(source, "something else");
  return pickle;
}

std::string deflated(const std::string& pickle) {
  uLongf size = compressBound(pickle.size());
  std::string packed(size, '\0');
  compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
            reinterpret_cast<const Bytef*>(pickle.data()), pickle.size(), Z_DEFAULT_COMPRESSION);
  packed.resize(size);
  return packed;
}

struct RpaIndex {
  RpaHeader header;
  std::string pickle;
  PickledIndex read;
};

Result<RpaIndex> read_rpa_index(const ByteSource& source) {
  SKL_TRY(const std::string front,
          bytes_at(source, 0, std::min<uint64_t>(64, source.size_bytes())));
  const auto header = rpa_header(front);
  const uint64_t size = source.size_bytes();
  if (!header || header->index_bytes < header->line_bytes || header->index_bytes > size ||
      size - header->index_bytes > kMostIndexBytes)
    return bad_index(source, fmt::format("a first line '{}'", front.substr(0, front.find('\n'))));
  SKL_TRY(const std::string packed,
          bytes_at(source, header->index_bytes, size - header->index_bytes));
  RpaIndex index = {.header = *header, .pickle = {}, .read = {}};
  SKL_TRY(auto pickle, inflated(source, packed));
  index.pickle = std::move(pickle);
  SKL_TRY(auto read, read_pickled_index(index.pickle, source.name()));
  index.read = std::move(read);
  return index;
}

bool may_be_rpa(const FileEnds& ends) {
  return std::ranges::any_of(kRpaVersions, [&](std::string_view version) {
    return text_of(ends.front).starts_with(version);
  });
}

Result<std::optional<FlatDirectory>> read_rpa(const ByteSource& source) {
  SKL_TRY(const auto index, read_rpa_index(source));
  FlatDirectory directory{.offset_bytes = index.header.index_bytes, .filler = kRpaFiller};
  for (const PickledStretch& stretch : index.read.stretches) {
    const uint64_t length = index.read.numbers[stretch.length].value ^ index.header.key;
    FlatEntry entry = {.name = stretch.name, .name_fault = check_asset_path(stretch.name)};
    entry.offset_bytes = index.read.numbers[stretch.place].value ^ index.header.key;
    if (length < stretch.prefix_bytes) return bad_index(source, "a file shorter than its begin");
    entry.size_bytes = length - stretch.prefix_bytes;
    if (stretch.prefix_bytes > 0) entry.stored_as = kFileWithoutBegin;
    if (stretch.is_part) entry.stored_as = kPartOfFile;
    if (stretch.is_name_bytes) entry.stored_as = "a file whose name's encoding isn't known";
    directory.entries.push_back(std::move(entry));
  }
  if (!index.read.name_without_place.empty())
    directory.take_apart_obstacle =
        fmt::format("its index has no place for '{}'", index.read.name_without_place);
  SKL_TRY_DO(settle_data(source, index.header.line_bytes, index.header.index_bytes, directory));
  if (index.header.index_bytes - directory.data_end_bytes > kMostRestBytes &&
      directory.obstacle.empty())
    directory.obstacle = "there is much before its index that belongs to no entry";
  return directory;
}

// Returns the new places, combined with the key, in the order of the pickle's numbers.
Result<std::vector<ReplacedNumber>> new_numbers(const ByteSource& source, const RpaIndex& index,
                                                const FlatPlaces& places) {
  std::vector<ReplacedNumber> numbers;
  for (size_t i = 0; i < index.read.stretches.size(); ++i)
    numbers.push_back({index.read.stretches[i].place, places.offset_bytes[i] ^ index.header.key});
  std::ranges::sort(numbers, {}, &ReplacedNumber::number);
  for (size_t i = 1; i < numbers.size(); ++i)
    if (numbers[i - 1].number == numbers[i].number && numbers[i - 1].value != numbers[i].value)
      return bad_index(source, "one number for two places");
  const auto repeated = std::ranges::unique(numbers, {}, &ReplacedNumber::number);
  numbers.erase(repeated.begin(), repeated.end());
  return numbers;
}

Result<FlatAround> write_rpa(const ByteSource& source, const FlatDirectory& directory,
                             const FlatPlaces& places) {
  SKL_TRY(const auto index, read_rpa_index(source));
  SKL_TRY(const auto numbers, new_numbers(source, index, places));
  FlatAround around;
  SKL_TRY(around.front, bytes_at(source, 0, directory.data_begin_bytes));
  SKL_TRY(around.back, bytes_at(source, directory.data_end_bytes,
                                index.header.index_bytes - directory.data_end_bytes));
  around.front.replace(kPlaceAt, kPlaceDigits,
                       fmt::format("{:016x}", places.data_end_bytes + around.back.size()));
  around.back += deflated(with_numbers(index.pickle, index.read, numbers));
  return around;
}

}  // namespace

const FlatFormat kRenpyRpa = {"Ren'Py's RPA", may_be_rpa, read_rpa, write_rpa};

}  // namespace seekless
