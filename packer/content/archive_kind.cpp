#include "packer/content/archive_kind.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "packer/content/flat_archive.h"
#include "packer/content/internal/other_archive.h"
#include "packer/content/zip_directory.h"

namespace seekless {

Result<RecognisedFile> recognise_archive(const ByteSource& source) {
  SKL_TRY(const bool is_zip, looks_like_zip(source));
  if (is_zip) return RecognisedFile{ArchiveKind::zip, "a zip"};
  SKL_TRY(const bool is_pck, looks_like_godot_pck(source));
  if (is_pck) return RecognisedFile{ArchiveKind::godot_pck, "Godot's .pck"};
  std::array<std::byte, 12> bytes = {};
  const auto front = std::span(bytes).first(std::min<uint64_t>(source.size_bytes(), bytes.size()));
  if (!front.empty()) SKL_TRY_DO(source.read_at(0, front));
  if (begins_like_quake_pak(front, source.size_bytes()))
    return RecognisedFile{ArchiveKind::quake_pak, "Quake's .pak"};
  SKL_TRY(const std::string_view name, kind_of_other_archive(source));
  return RecognisedFile{name.empty() ? ArchiveKind::none : ArchiveKind::other, name};
}

}  // namespace seekless
