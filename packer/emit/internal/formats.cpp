#include "packer/emit/internal/formats.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "packer/words/one_line.h"
#include "runtime/asset_path.h"

namespace seekless {
namespace {

constexpr std::string_view kLineEnd = "a line end in its name";

void tell(std::vector<Unsayable>& unsayable, std::string_view reason, const std::string& path) {
  auto known = std::ranges::find(unsayable, reason, &Unsayable::reason);
  if (known == unsayable.end()) known = unsayable.insert(known, {reason, path, 0});
  ++known->files;
}

}  // namespace

std::span<const EmitFormat> emit_formats() {
  static const std::array formats = {mksquashfs_format(), gensquashfs_format(), erofs_format(),
                                     dwarfs_format(),     tar_format(),         zip_format(),
                                     unreal_format()};
  return formats;
}

const EmitFormat* find_emit_format(std::string_view name) {
  const auto found = std::ranges::find(emit_formats(), name, &EmitFormat::name);
  return found == emit_formats().end() ? nullptr : &*found;
}

std::string_view newline_fault(std::string_view path) {
  return path.contains('\n') ? kLineEnd : "";
}

std::string_view line_fault(std::string_view path) {
  return path.find_first_of("\r\n") == std::string_view::npos ? "" : kLineEnd;
}

std::string_view text_fault(std::string_view path) {
  return is_valid_utf8(path) ? line_fault(path) : "a name that isn't UTF-8";
}

std::string lines_of(const std::vector<std::string>& paths, std::string_view prefix) {
  std::string text;
  for (const std::string& path : paths) {
    text += prefix;
    text += path;
    text += '\n';
  }
  return text;
}

EmittedList write_lines(const FileOrder& order, std::string_view prefix) {
  return {.text = lines_of(order.read, prefix)};
}

Result<Emission> emit(const EmitFormat& format, FileOrder order, std::string_view prefix) {
  Emission emission;
  const bool holds_all = format.unlisted == Unlisted::left_out;
  const auto take_out = [&](std::vector<std::string>& paths) {
    std::erase_if(paths, [&](const std::string& path) {
      const std::string_view fault = format.fault_of(std::string(prefix) + path);
      if (!fault.empty()) tell(emission.unsayable, fault, path);
      return !fault.empty();
    });
  };
  take_out(order.read);
  if (holds_all)
    for (auto* paths : {&order.unread, &order.folders, &order.links}) take_out(*paths);
  if (holds_all && !emission.unsayable.empty()) {
    const Unsayable& first = emission.unsayable.front();
    return failed({.file = in_one_line(first.example),
                   .expected = fmt::format("a name that a list for {} can hold", format.name),
                   .found = std::string(first.reason),
                   .advice = "the archive would lack it: rename it, or write a list for another "
                             "packer, such as tar"});
  }
  emission.list = format.write(order, prefix);
  return emission;
}

}  // namespace seekless
