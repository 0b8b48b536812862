#include "runtime/zip_name.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "runtime/crc32.h"
#include "runtime/zip_fields.h"

namespace seekless::runtime {
namespace {

constexpr uint16_t kUtf8Flag = 1U << 11;
constexpr uint32_t kDosFolder = 0x10;
// Bits of the Unix mode, which is the high half of the attributes.
constexpr uint32_t kModeKind = 0170000;
constexpr uint32_t kModeLink = 0120000;
constexpr uint32_t kModeFolder = 0040000;

// Host systems, from the high byte of "version made by".
constexpr unsigned kHostFat = 0;
constexpr unsigned kHostUnix = 3;
constexpr unsigned kHostHpfs = 6;
constexpr unsigned kHostNtfs = 10;
constexpr unsigned kHostNtfsOfInfoZip = 11;
constexpr unsigned kHostVfat = 14;
constexpr unsigned kHostMacOs = 19;

// The upper half of code page 437. All of its characters lie in the basic plane.
constexpr uint16_t kCodePage437[128] = {
    0x00C7, 0x00FC, 0x00E9, 0x00E2, 0x00E4, 0x00E0, 0x00E5, 0x00E7, 0x00EA, 0x00EB, 0x00E8, 0x00EF,
    0x00EE, 0x00EC, 0x00C4, 0x00C5, 0x00C9, 0x00E6, 0x00C6, 0x00F4, 0x00F6, 0x00F2, 0x00FB, 0x00F9,
    0x00FF, 0x00D6, 0x00DC, 0x00A2, 0x00A3, 0x00A5, 0x20A7, 0x0192, 0x00E1, 0x00ED, 0x00F3, 0x00FA,
    0x00F1, 0x00D1, 0x00AA, 0x00BA, 0x00BF, 0x2310, 0x00AC, 0x00BD, 0x00BC, 0x00A1, 0x00AB, 0x00BB,
    0x2591, 0x2592, 0x2593, 0x2502, 0x2524, 0x2561, 0x2562, 0x2556, 0x2555, 0x2563, 0x2551, 0x2557,
    0x255D, 0x255C, 0x255B, 0x2510, 0x2514, 0x2534, 0x252C, 0x251C, 0x2500, 0x253C, 0x255E, 0x255F,
    0x255A, 0x2554, 0x2569, 0x2566, 0x2560, 0x2550, 0x256C, 0x2567, 0x2568, 0x2564, 0x2565, 0x2559,
    0x2558, 0x2552, 0x2553, 0x256B, 0x256A, 0x2518, 0x250C, 0x2588, 0x2584, 0x258C, 0x2590, 0x2580,
    0x03B1, 0x00DF, 0x0393, 0x03C0, 0x03A3, 0x03C3, 0x00B5, 0x03C4, 0x03A6, 0x0398, 0x03A9, 0x03B4,
    0x221E, 0x03C6, 0x03B5, 0x2229, 0x2261, 0x00B1, 0x2265, 0x2264, 0x2320, 0x2321, 0x00F7, 0x2248,
    0x00B0, 0x2219, 0x00B7, 0x221A, 0x207F, 0x00B2, 0x25A0, 0x00A0,
};

// The field contains version 1, the CRC-32 of the raw name, and the name in UTF-8. If a tool
// renames the entry without knowing this field, the CRC no longer matches and the field is ignored.
std::optional<std::string_view> unicode_path(const ZipRecord& record) {
  const auto field = find_extra_field(record.raw_extra, kZipUnicodePathField);
  if (!field || field->size() < 5 || load<uint8_t>(*field, 0) != 1) return std::nullopt;
  const std::string_view name = text_of(field->subspan(5));
  if (load<uint32_t>(*field, 1) != crc32(bytes_of(record.raw_name)) || !is_valid_utf8(name))
    return std::nullopt;
  return name;
}

bool is_made_on_unix(const ZipRecord& record) {
  const unsigned host = record.version_made_by >> 8;
  return host == kHostUnix || host == kHostMacOs;
}

// Returns true if the entry was made on a system that separates names by backslashes.
bool is_made_on_dos(const ZipRecord& record) {
  constexpr uint32_t kHosts = 1U << kHostFat | 1U << kHostHpfs | 1U << kHostNtfs |
                              1U << kHostNtfsOfInfoZip | 1U << kHostVfat;
  const unsigned host = record.version_made_by >> 8;
  return host < 32 && (kHosts >> host & 1U) != 0;
}

uint32_t mode_kind(const ZipRecord& record) {
  return is_made_on_unix(record) ? record.external_attributes >> 16 & kModeKind : 0;
}

void append_code_page_437(std::string& out, unsigned char upper) {
  const uint16_t code_point = kCodePage437[upper - 0x80];
  const bool is_long = code_point >= 0x800;
  if (is_long) out += static_cast<char>(0xE0 | (code_point >> 12));
  out += static_cast<char>(is_long ? 0x80 | (code_point >> 6 & 0x3F) : 0xC0 | (code_point >> 6));
  out += static_cast<char>(0x80 | (code_point & 0x3F));
}

// Keeps a slash at the end, which marks a folder. A name that claims to be UTF-8 but isn't is
// returned unchanged.
std::string path_of(const ZipRecord& record, bool is_of_dos) {
  const auto unicode = unicode_path(record);
  const std::string_view raw = unicode.value_or(record.raw_name);
  const bool is_utf8 =
      unicode || (record.flags & kUtf8Flag) != 0 || (is_made_on_unix(record) && is_valid_utf8(raw));
  std::string path;
  for (char c : raw) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 && !is_utf8) {
      append_code_page_437(path, byte);
      continue;
    }
    if (c == '\\' && is_of_dos) c = '/';
    if (c != '/' || !path.ends_with('/')) path += c;
  }
  while (path.starts_with("./")) path.erase(0, 2);
  return path;
}

}  // namespace

ZipName name_of(const ZipRecord& record) {
  const bool is_of_dos = is_made_on_dos(record);
  ZipName name = {.path = path_of(record, is_of_dos)};
  const bool is_slashed = name.path.ends_with('/');
  // Some tools omit the slash. A "folder" with content is really a file with a bad name: it keeps
  // the slash and is therefore refused.
  const bool is_marked = mode_kind(record) == kModeFolder ||
                         (is_of_dos && (record.external_attributes & kDosFolder) != 0);
  name.is_folder = (is_marked || is_slashed || name.path.empty()) && record.size_bytes == 0 &&
                   !record.raw_name.empty();
  if (name.is_folder && is_slashed) name.path.pop_back();
  if (!name.is_folder || !name.path.empty()) name.fault = check_asset_path(name.path);
  return name;
}

bool is_link(const ZipRecord& record) {
  return mode_kind(record) == kModeLink;
}

std::vector<bool> find_files_as_folders(std::span<const std::string_view> paths, bool folds_case) {
  std::vector<bool> is_folder(paths.size());
  const auto compare = [folds_case](std::string_view a, std::string_view b) {
    return folds_case ? compare_folded(a, b) : a.compare(b);
  };
  std::string_view before;
  for (const std::string_view path : paths) {
    // Folders shared with the previous path have already been checked.
    size_t shared = 0;
    while (shared < std::min(path.size(), before.size()) &&
           compare(path.substr(shared, 1), before.substr(shared, 1)) == 0)
      ++shared;
    for (size_t at = path.find('/', shared); at != path.npos; at = path.find('/', at + 1)) {
      const std::string_view folder = path.substr(0, at);
      const auto found = std::ranges::lower_bound(
          paths, folder, [&](std::string_view a, std::string_view b) { return compare(a, b) < 0; });
      if (found != paths.end() && compare(*found, folder) == 0)
        is_folder[static_cast<size_t>(found - paths.begin())] = true;
    }
    before = path;
  }
  return is_folder;
}

}  // namespace seekless::runtime
