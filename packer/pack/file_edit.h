// Edits a file in place, so that neither a kill nor a full disk leaves it between its old and new
// content for good. All changes go to a journal first. Once the journal is complete, the next
// program that works in the folder finishes the edit. Meanwhile readers refuse the file.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"
#include "packer/base/hasher.h"
#include "packer/host/pending_file.h"
#include "runtime/file_io.h"

namespace seekless {

// A journal has its file's name with this suffix.
inline constexpr std::string_view kEditSuffix = ".edit";

// Describes a part of the file that gets other bytes, as the journal's table stores it.
struct EditedPart {
  uint64_t offset_bytes;
  uint64_t size_bytes;
  uint64_t checksum;  // XXH3-64
};

class FileEdit {
 public:
  // Begins an edit of `file`, which will have `size_bytes`. Doesn't change the file yet.
  static Result<FileEdit> create(const std::string& journal, const std::string& file,
                                 uint64_t size_bytes);

  // Adds the new bytes at an offset; parts come in ascending order and don't overlap.
  Result<void> put(uint64_t offset_bytes, std::span<const std::byte> bytes);
  // After this call, the edit is certain to be carried out.
  Result<void> commit();

  uint64_t written_bytes() const { return end_bytes_; }

 private:
  FileEdit(PendingFile journal, uint64_t size_bytes)
      : journal_(std::move(journal)), size_bytes_(size_bytes) {}
  void end_part();

  PendingFile journal_;
  uint64_t size_bytes_ = 0;
  uint64_t end_bytes_ = 0;  // end of the journal
  std::vector<EditedPart> parts_;
  Hasher64 hash_;  // hash of the last part
};

// Opens the file as it will be after the edit. Fails with the errors of File, or as `damaged` if
// the journal isn't complete.
runtime::Result<std::unique_ptr<runtime::File>> open_as_edited(const std::string& journal,
                                                               const std::string& file);

// Carries out a complete journal, and removes it. The part with the file's header is written first
// and flushed by itself, so that readers see that the file has changed. If the disk has no space
// for a longer file, the journal is removed and the file stays as it was.
Result<void> carry_out_edit(const std::string& journal, const std::string& file);

}  // namespace seekless
