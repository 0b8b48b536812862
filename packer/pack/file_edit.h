// Edits a file in its place so that no kill and no full disk leaves it between its old content and
// its new one for good. What is to be written goes to a journal first; once that is whole, whoever
// works there next carries it out, as often as it takes. Meanwhile readers refuse the file.
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

// A journal is called like its file, and this.
inline constexpr std::string_view kEditSuffix = ".edit";

// A part of the file that gets other bytes, as it stands in the journal's table.
struct EditedPart {
  uint64_t offset_bytes;
  uint64_t size_bytes;
  uint64_t checksum;  // XXH3-64
};

class FileEdit {
 public:
  // Of `file`, which will have `size_bytes`. Nothing of it is touched yet.
  static Result<FileEdit> create(const std::string& journal, const std::string& file,
                                 uint64_t size_bytes);

  // What comes to stand there; parts rise and don't overlap.
  Result<void> put(uint64_t offset_bytes, std::span<const std::byte> bytes);
  // From now on the edit is carried out.
  Result<void> commit();

  uint64_t written_bytes() const { return end_bytes_; }

 private:
  FileEdit(PendingFile journal, uint64_t size_bytes)
      : journal_(std::move(journal)), size_bytes_(size_bytes) {}
  void end_part();

  PendingFile journal_;
  uint64_t size_bytes_ = 0;
  uint64_t end_bytes_ = 0;  // of the journal
  std::vector<EditedPart> parts_;
  Hasher64 hash_;  // of the last part
};

// The file as it will be when the edit is carried out. Errors: as of File; damaged for what isn't a
// whole journal.
runtime::Result<std::unique_ptr<runtime::File>> open_as_edited(const std::string& journal,
                                                               const std::string& file);

// Writes what a whole journal says, and removes it. The part with the file's header comes first and
// is flushed by itself, so that readers see by it that the file isn't what it was. Where the disk
// has no room for a longer file, the journal is removed and the file stays as it was.
Result<void> carry_out_edit(const std::string& journal, const std::string& file);

}  // namespace seekless
