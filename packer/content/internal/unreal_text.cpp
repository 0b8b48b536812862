#include "packer/content/internal/unreal_text.h"

#include "packer/words/utf8.h"

namespace seekless {

Result<std::string> read_unreal_text(DirectoryCursor& cursor) {
  SKL_TRY(const auto length, cursor.number<uint32_t>());
  const bool is_wide = length > INT32_MAX;
  SKL_TRY(const auto bytes,
          cursor.take(is_wide ? 2 * (uint64_t{1} << 32) - 2 * uint64_t{length} : length));
  std::string text;
  if (is_wide)
    append_utf16(text, text_of(bytes), false);
  else
    text = text_of(bytes);
  return text.substr(0, text.find('\0'));
}

std::string unreal_mount(std::string_view point) {
  while (point.starts_with("../")) point.remove_prefix(3);
  while (point.starts_with('/')) point.remove_prefix(1);
  std::string mount(point);
  if (!mount.empty() && !mount.ends_with('/')) mount += '/';
  return mount;
}

}  // namespace seekless
