// The results of names of zip entries: one table for the packer and for the reader, which must
// treat them alike.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "runtime/asset_path.h"
#include "tests/content/zip_builder.h"

namespace seekless {

struct ZipNameCase {
  std::string what;
  ZipItem item;
  // The asset's path; empty if the entry isn't an asset.
  std::string path = {};
  // The reason why it isn't one; `none` for folders and links.
  PathFault fault = PathFault::none;
  bool is_link = false;

  bool is_folder() const { return path.empty() && fault == PathFault::none && !is_link; }
};

inline std::string unicode_path_field(std::string_view raw_name, std::string_view name) {
  std::string data = "\1";
  put(data, crc32_of(raw_name), 4);
  return extra_field(0x7075, data.append(name));
}

inline std::vector<ZipNameCase> zip_name_cases() {
  constexpr uint16_t kUtf8 = 1U << 11;
  constexpr uint16_t kDos = 20;
  constexpr uint16_t kNtfs = 0x0A14;
  constexpr uint16_t kMacOs = 0x131E;
  constexpr uint32_t kModeLink = 0120777U << 16;
  constexpr uint32_t kModeFolder = 0040755U << 16;
  constexpr uint32_t kModeFile = 0100644U << 16;
  const auto file = [](std::string name, uint16_t flags = 0, uint16_t made_by = 0x031E) {
    return ZipItem{
        .name = std::move(name), .content = "x", .flags = flags, .version_made_by = made_by};
  };
  const auto with = [](ZipItem item, uint32_t attributes, std::string content = "") {
    item.external_attributes = attributes;
    item.content = std::move(content);
    return item;
  };
  const auto with_extra = [](ZipItem item, std::string extra) {
    item.central_extra = std::move(extra);
    return item;
  };
  const std::string longest(kMaxPathBytes, 'n');
  return {
      // Encodings.
      {"plain", file("folder/file.txt"), "folder/file.txt"},
      {"spaces and a dot in front", file("a b/.c "), "a b/.c "},
      {"UTF-8 by its flag", file("\xC3\xA4", kUtf8, kDos), "ä"},
      {"UTF-8 of Unix without the flag", file("\xC3\xA4"), "ä"},
      {"UTF-8 of macOS without the flag", file("\xC3\xA4", 0, kMacOs), "ä"},
      {"code page 437 of DOS", file("\x84.txt", 0, kDos), "ä.txt"},
      {"what happens to be UTF-8, of DOS", file("\xC3\xA4", 0, kDos), "├ñ"},
      {"not UTF-8, of Unix", file("\x84.txt"), "ä.txt"},
      {"GBK of Windows", file("\xB5\xD8\xCD\xBC/a", 0, kDos), "╡╪═╝/a"},
      {"GBK of Unix", file("\xB5\xD8\xCD\xBC/a"), "╡╪═╝/a"},
      {"Shift-JIS of Windows", file("\x90\x7D.png", 0, kNtfs), "É}.png"},
      {"Shift-JIS with a trailing byte that is a backslash, of Unix", file("\x83\x5C.png"), "",
       PathFault::backslash},
      {"all of code page 437's upper half", file("\x80\xFF\xE1", 0, kDos), "Ç\xC2\xA0ß"},
      {"a flag for UTF-8 that isn't", file("a\x84", kUtf8), "", PathFault::not_utf8},
      {"overlong UTF-8 by its flag", file("\xC0\xAF", kUtf8), "", PathFault::not_utf8},
      {"a surrogate in UTF-8", file("\xED\xA0\x80", kUtf8), "", PathFault::not_utf8},
      {"a Unicode path for GBK",
       with_extra(file("\xB5\xD8", 0, kDos), unicode_path_field("\xB5\xD8", "地")), "地"},
      {"a Unicode path of another name",
       with_extra(file("new", 0, kDos), unicode_path_field("old", "地")), "new"},
      {"a Unicode path that isn't UTF-8",
       with_extra(file("raw"), unicode_path_field("raw", "\xFF")), "raw"},
      {"a Unicode path that leads out", with_extra(file("raw"), unicode_path_field("raw", "../a")),
       "", PathFault::dot_component},
      {"a Unicode path that is cut short", with_extra(file("raw"), extra_field(0x7075, "\1ab")),
       "raw"},
      // Separators.
      {"backslashes of DOS", file("a\\b\\c", 0, kDos), "a/b/c"},
      {"backslashes of NTFS", file("a\\b", 0, kNtfs), "a/b"},
      {"backslashes of Unix", file("a\\b"), "", PathFault::backslash},
      {"doubled slashes", file("./a//b"), "a/b"},
      {"dots in front", file(".///./a"), "a"},
      {"dots in the middle", file("a/./b"), "", PathFault::dot_component},
      // Names that lead elsewhere.
      {"a step out", file("../a"), "", PathFault::dot_component},
      {"a step out in the middle", file("a/../../b"), "", PathFault::dot_component},
      {"a step out by backslashes of DOS", file("..\\a", 0, kDos), "", PathFault::dot_component},
      {"absolute", file("/etc/passwd"), "", PathFault::leading_slash},
      {"absolute, doubled", file("//host/a"), "", PathFault::leading_slash},
      {"absolute by a backslash of DOS", file("\\a", 0, kDos), "", PathFault::leading_slash},
      {"a drive letter", file("C:/a"), "", PathFault::drive_letter},
      {"a drive letter of DOS", file("c:\\a", 0, kDos), "", PathFault::drive_letter},
      // Names that no list can hold.
      {"empty", file(""), "", PathFault::empty},
      {"a zero inside", file(std::string("a\0b", 3)), "", PathFault::control_character},
      {"a line end inside", file("a\nb"), "", PathFault::control_character},
      {"the longest", file(longest), longest},
      {"too long", file(longest + "n"), "", PathFault::too_long},
      {"the longest that a record holds", file(std::string(65535, 'n')), "", PathFault::too_long},
      // Folders and links.
      {"a folder", with(file("a/b/"), kModeFolder)},
      {"a folder of DOS", with(file("a\\", 0, kDos), 0)},
      {"a folder of DOS by its attribute", with(file("a", 0, kDos), 0x10)},
      {"a folder of Unix by its mode", with(file("a"), kModeFolder)},
      {"the folder itself", with(file("./"), kModeFolder)},
      {"the root", with(file("/"), kModeFolder)},
      {"a folder outside", with(file("../"), kModeFolder), "", PathFault::dot_component},
      {"a folder with content", with(file("a/"), 0, "x"), "", PathFault::trailing_slash},
      {"a folder of DOS by its attribute, with content", with(file("a", 0, kDos), 0x10, "x"), "a"},
      {"an empty file", with(file("a"), kModeFile), "a"},
      {"a link", with(file("a"), kModeLink, "b"), "", PathFault::none, true},
      {"a link that leads out", with(file("a"), kModeLink, "/etc/passwd"), "", PathFault::none,
       true},
      {"attributes of a link that DOS can't have", with(file("a", 0, kDos), kModeLink, "b"), "a"},
  };
}

// The results for entries of one zip that affect each other.
struct ZipSetCase {
  std::string what;
  std::vector<ZipItem> items;
  std::vector<std::string> paths;
  uint64_t left_out = 0;  // entries that are reported as left out
  bool folds_case = false;
};

inline std::vector<ZipSetCase> zip_set_cases() {
  const auto item = [](std::string name, std::string content = "x", uint32_t attributes = 0) {
    return ZipItem{.name = std::move(name),
                   .content = std::move(content),
                   .version_made_by = 0x031E,
                   .external_attributes = attributes};
  };
  const ZipItem link = item("a", "b", 0120777U << 16);
  return {
      {"a file that another lies in", {item("a"), item("a/b")}, {"a/b"}, 1},
      {"the same in the other order", {item("a/b"), item("a")}, {"a/b"}, 1},
      {"an empty one, as tools make folders", {item("a", ""), item("a/b")}, {"a/b"}, 1},
      {"deep below", {item("a"), item("a/b/c/d")}, {"a/b/c/d"}, 1},
      {"in the middle", {item("a/b"), item("a/b/c"), item("a/d")}, {"a/b/c", "a/d"}, 1},
      {"several on one way", {item("a"), item("a/b"), item("a/b/c")}, {"a/b/c"}, 2},
      {"with names that are sorted between",
       {item("a"), item("a-b"), item("a.b/c"), item("a/b")},
       {"a-b", "a.b/c", "a/b"},
       1},
      {"twice", {item("a"), item("a", "y"), item("a/b")}, {"a/b"}, 2},
      {"beside its folder's own entry", {item("a/", ""), item("a")}, {"a"}},
      {"a folder's entry alone", {item("a/", ""), item("a/b")}, {"a/b"}},
      {"names that only begin alike",
       {item("a"), item("ab/c"), item("a b/c")},
       {"a", "a b/c", "ab/c"}},
      {"a link that another lies in", {link, item("a/b")}, {"a/b"}, 1},
      {"in which only what is left out lies", {item("a"), item("a/../b")}, {"a"}, 1},
      {"in another case", {item("A"), item("a/b")}, {"A", "a/b"}},
      {"in another case that counts as the same", {item("A"), item("a/b")}, {"a/b"}, 1, true},
      {"in another case between others",
       {item("AB"), item("aA"), item("ab/C"), item("Ac")},
       {"Ac", "aA", "ab/C"},
       1,
       true},
  };
}

inline std::ostream& operator<<(std::ostream& out, const ZipNameCase& of) {
  return out << of.what;
}

}  // namespace seekless
