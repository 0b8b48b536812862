#include "packer/content/archive_kind.h"

#include <utility>

#include "packer/content/flat_archive.h"
#include "packer/content/internal/other_archive.h"
#include "packer/content/zip_directory.h"

namespace seekless {

Result<RecognisedFile> recognise_archive(const ByteSource& source) {
  SKL_TRY(const bool is_zip, looks_like_zip(source));
  if (is_zip) return RecognisedFile{ArchiveKind::zip, "a zip"};
  SKL_TRY(const FlatFormat* format, flat_format_of(source));
  if (format != nullptr) return RecognisedFile{ArchiveKind::flat, std::string(format->name)};
  SKL_TRY(OtherArchive other, kind_of_other_archive(source));
  const ArchiveKind kind = other.name.empty() ? ArchiveKind::none : ArchiveKind::other;
  return RecognisedFile{kind, std::move(other.name)};
}

}  // namespace seekless
