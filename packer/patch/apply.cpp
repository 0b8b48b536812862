#include "packer/patch/apply.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "packer/base/hashed_file.h"
#include "packer/base/hasher.h"
#include "packer/base/paths.h"
#include "packer/host/files.h"
#include "packer/host/pending_file.h"
#include "packer/host/runtime_error.h"
#include "packer/host/whole_files.h"
#include "packer/output/replaced_folder.h"
#include "packer/pack/file_edit.h"
#include "packer/pack/pack_folder.h"
#include "packer/pack/set_switch.h"
#include "packer/patch/internal/patch_file.h"
#include "packer/patch/set_files.h"
#include "runtime/catalog.h"
#include "runtime/file_io.h"
#include "runtime/tables.h"

namespace seekless {
namespace {

constexpr size_t kBufferBytes = kMostPieceBytes;

std::string old_path_of(const std::string& old, const Patch& patch, const std::string& name) {
  return patch.is_single ? old : old + "/" + name;
}

// Returns the id in the set's catalog header, or a text that says why there is none.
Result<std::string> claimed_id(const std::string& old, const Patch& patch) {
  const auto io = runtime::make_system_file_io();
  const auto file = io->open(old_path_of(old, patch, runtime::kCatalogName));
  if (!file && is_unseen(file.error())) return from_runtime(file.error());
  if (!file) return "no pack set";
  const auto header = runtime::read_header(**file);
  if (!header && is_unseen(header.error())) return from_runtime(header.error());
  return header ? id_text(header->checksum) : "no pack set";
}

std::unexpected<Error> wrong_base(const std::string& old, const Patch& patch,
                                  const std::string& found) {
  return failed(
      {.file = old,
       .expected = fmt::format("{} {}, which the patch is for", patch.is_single ? "pack" : "set",
                               id_text(patch.old_id)),
       .found = found,
       .advice = fmt::format("get the patch from that one to {}", id_text(patch.new_id))});
}

Result<bool> has_hash(const std::string& path, const PatchedFile& file) {
  SKL_TRY(const auto kind, known_kind_of_path(path));
  if (kind != PathKind::file) return false;
  SKL_TRY(const auto source, open_source(path));
  if (source->size_bytes() != file.size_bytes) return false;
  SKL_TRY(const auto hash, hash_file(*source));
  return hash == file.hash;
}

// Returns true if the file's next bytes are already in their place, at `offset_bytes`.
bool stays(const PatchedFile& file, const PatchOperation& operation, uint64_t offset_bytes) {
  return operation.file == file.namesake && operation.file != kFromPatch &&
         operation.offset_bytes == offset_bytes;
}

uint64_t edited_bytes(const PatchedFile& file) {
  uint64_t at = 0;
  uint64_t bytes = 0;
  for (const PatchOperation& operation : file.operations) {
    if (!stays(file, operation, at)) bytes += operation.size_bytes;
    at += operation.size_bytes;
  }
  return bytes;
}

// Makes the new files one after the other from the sources.
class FileMaker {
 public:
  FileMaker(const Patch& patch, const ByteSource& patch_bytes, const std::string& old,
            std::atomic<uint64_t>* done_bytes)
      : patch_(patch),
        patch_bytes_(patch_bytes),
        old_(old),
        done_bytes_(done_bytes),
        buffer_(kBufferBytes),
        sources_(patch.old_files.size()) {}

  // On return, the file is flushed and has its final name, or doesn't exist.
  Result<void> make(const PatchedFile& file, const std::string& path) {
    SKL_TRY(auto output, PendingFile::create(path, file.size_bytes));
    const auto write = [&](std::span<const std::byte> piece, bool) {
      return output.write_at(end_bytes_, piece);
    };
    SKL_TRY_DO(make_bytes(file, write));
    return output.commit();
  }

  // Writes a complete journal that turns the old file of that name into the new one in place;
  // returns the journal's size.
  Result<uint64_t> journal(const PatchedFile& file, const std::string& path,
                           const std::string& journal) {
    SKL_TRY(auto edit, FileEdit::create(journal, path, file.size_bytes));
    const auto write = [&](std::span<const std::byte> piece, bool is_there) {
      return is_there ? Result<void>{} : edit.put(end_bytes_, piece);
    };
    SKL_TRY_DO(make_bytes(file, write));
    SKL_TRY_DO(edit.commit());
    return edit.written_bytes();
  }

  // Closes a file once it is replaced and no longer read.
  void close(uint32_t old_file) { sources_[old_file].reset(); }
  void close_all() {
    for (auto& source : sources_) source.reset();
  }

 private:
  // Calls write(piece, is_there) for all of the file's bytes in turn; end_bytes_ is the offset of
  // the next bytes. `is_there` is true if the old file of that name has them at that offset.
  template <typename Write>
  Result<void> make_bytes(const PatchedFile& file, const Write& write) {
    hash_.reset();
    end_bytes_ = 0;
    if (file.same_as != kFromPatch) SKL_TRY_DO(copy(file.same_as, 0, file.size_bytes, true, write));
    for (const PatchOperation& operation : file.operations)
      SKL_TRY_DO(carry_out(operation, stays(file, operation, end_bytes_), write));
    if (hash_.digest() == file.hash) return {};
    // The patch's own pieces have checksums, so the old set must be at fault.
    return wrong_base(old_, patch_, "other content in " + sources_of(file));
  }

  std::string sources_of(const PatchedFile& file) const {
    std::set<std::string> names;
    if (file.same_as != kFromPatch) names.insert(patch_.old_files[file.same_as].name);
    for (const PatchOperation& operation : file.operations)
      if (operation.file != kFromPatch) names.insert(patch_.old_files[operation.file].name);
    return fmt::format("{}, of which {} is made", fmt::join(names, " or "), file.name);
  }

  template <typename Write>
  Result<void> carry_out(const PatchOperation& operation, bool is_there, const Write& write) {
    if (operation.file != kFromPatch)
      return copy(operation.file, operation.offset_bytes, operation.size_bytes, is_there, write);
    const auto piece = std::span(buffer_).first(operation.size_bytes);
    SKL_TRY_DO(read_piece(patch_bytes_, operation, piece, scratch_));
    return put(piece, is_there, write);
  }

  template <typename Write>
  Result<void> copy(uint32_t old_file, uint64_t offset, uint64_t length, bool is_there,
                    const Write& write) {
    if (!sources_[old_file]) {
      SKL_TRY(auto source, open_source(old_path_of(old_, patch_, patch_.old_files[old_file].name)));
      sources_[old_file] = std::move(source);
    }
    while (length > 0) {
      const auto piece = std::span(buffer_).first(std::min<uint64_t>(length, buffer_.size()));
      SKL_TRY_DO(sources_[old_file]->read_at(offset, piece));
      SKL_TRY_DO(put(piece, is_there, write));
      offset += piece.size();
      length -= piece.size();
    }
    return {};
  }

  template <typename Write>
  Result<void> put(std::span<const std::byte> piece, bool is_there, const Write& write) {
    hash_.add(piece);
    SKL_TRY_DO(write(piece, is_there));
    end_bytes_ += piece.size();
    if (done_bytes_ != nullptr) *done_bytes_ += piece.size();
    return {};
  }

  const Patch& patch_;
  const ByteSource& patch_bytes_;
  const std::string& old_;
  std::atomic<uint64_t>* done_bytes_;
  std::vector<std::byte> buffer_;
  std::vector<std::byte> scratch_;
  std::vector<std::unique_ptr<ByteSource>> sources_;  // indexed by old file; null until it is read
  Hasher128 hash_;
  uint64_t end_bytes_ = 0;
};

struct OpenPatch {
  std::unique_ptr<ByteSource> bytes;
  Patch patch;
};

Result<OpenPatch> open_patch(const std::string& path) {
  SKL_TRY(auto bytes, open_source(path));
  SKL_TRY(auto patch, read_patch(*bytes));
  return OpenPatch{std::move(bytes), std::move(patch)};
}

Result<void> check_base(const std::string& old, const Patch& patch) {
  SKL_TRY(const auto found, claimed_id(old, patch));
  if (found != id_text(patch.old_id)) return wrong_base(old, patch, found);
  return {};
}

// Returns the name and header id of each pack of the present set; for a single pack, its own.
Result<std::map<std::string, uint64_t>> claimed_packs(const std::string& old, const Patch& patch) {
  if (patch.is_single)
    return std::map<std::string, uint64_t>{{patch.old_files.front().name, patch.old_id}};
  const auto io = runtime::make_system_file_io();
  const auto file = io->open(old_path_of(old, patch, runtime::kCatalogName));
  const auto catalog = file ? runtime::Catalog::open(**file) : std::unexpected(file.error());
  if (!catalog) return from_runtime(catalog.error());
  std::map<std::string, uint64_t> ids = {{runtime::kCatalogName, (*catalog)->header().checksum}};
  for (const format::CatalogPack& pack : (*catalog)->packs())
    ids.emplace((*catalog)->name(pack), pack.pack_id);
  return ids;
}

// Returns true if the file's header identifies it as the old file; its content may still be
// damaged.
Result<bool> has_id(const std::string& path, const PatchedFile& file, uint64_t id) {
  SKL_TRY(const auto source, open_source(path));
  format::Header header = {};
  if (source->size_bytes() != file.size_bytes || file.size_bytes < sizeof(header)) return false;
  SKL_TRY_DO(source->read_at(0, std::as_writable_bytes(std::span(&header, 1))));
  return header.magic == format::kMagic && header.checksum == id;
}

// Plans the steps that turn a folder, which may be half-updated, into the new set.
class InPlace {
 public:
  InPlace(std::string old, const OpenPatch& open, const InPlaceOptions& options,
          std::atomic<uint64_t>* done_bytes)
      : old_(std::move(old)),
        options_(options),
        patch_(open.patch),
        maker_(open.patch, *open.bytes, old_, done_bytes),
        done_bytes_(done_bytes) {}

  Result<Applied> run() {
    SKL_TRY(const auto kind, known_kind_of_path(old_folder()));
    if (kind != PathKind::folder) return wrong_base(old_, patch_, "no such folder");
    SKL_TRY(auto replaced, ReplacedFolder::open(old_folder(), "patch"));
    SKL_TRY_DROP(finish_switch(replaced));
    SKL_TRY_DO(find_work());
    SKL_TRY_DO(replaced.begin());
    const bool as_one = switches() && !work_.empty();
    SKL_TRY_DO(as_one ? switch_files(replaced) : replace_files(replaced));
    applied_.new_id = patch_.new_id;
    return applied_;
  }

 private:
  // If true, nothing is replaced before everything is made.
  bool switches() const { return !options_.is_file_by_file && !patch_.is_single; }

  // Returns the old set's files that the new one lacks.
  std::vector<std::string> stale_files() const {
    std::vector<std::string> names;
    if (!patch_.is_single)
      for (const PatchedFile& file : patch_.old_files)
        if (file.namesake == kNoFile) names.push_back(file.name);
    return names;
  }

  Result<void> switch_files(ReplacedFolder& replaced) {
    for (const size_t index : work_) {
      const PatchedFile& file = patch_.new_files[index];
      if (auto made = maker_.make(file, replaced.staged(file.name)); !made)
        return with_way_out(std::move(made.error()), file.size_bytes);
      count(file);
    }
    maker_.close_all();  // Windows doesn't let an open file be replaced
    return switch_set(replaced, stale_files(), options_.keeps_old);
  }

  // Adds advice if the disk is full.
  std::unexpected<Error> with_way_out(Error error, uint64_t needed_bytes) const {
    const auto free = free_bytes(old_folder());
    if (free && *free < needed_bytes)
      error.message += "; with --file-by-file, room for the largest change is enough";
    return std::unexpected(std::move(error));
  }

  Result<void> replace_files(ReplacedFolder& replaced) {
    SKL_TRY_DO(make_files(replaced));
    for (const std::string& name : stale_files())
      SKL_TRY_DO(remove_file(old_path_of(old_, patch_, name)));
    return replaced.end();
  }

  void count(const PatchedFile& file) {
    ++applied_.files_made;
    applied_.written_bytes += file.size_bytes;
  }

  std::string path_of(const PatchedFile& file) const {
    return old_path_of(old_, patch_, file.name);
  }
  std::string old_folder() const {
    if (!patch_.is_single) return old_;
    const size_t slash = old_.find_last_of('/');
    return slash == std::string::npos ? "." : old_.substr(0, slash + 1);
  }

  Result<void> find_work() {
    SKL_TRY(const auto found, claimed_id(old_, patch_));
    if (found != id_text(patch_.old_id) && found != id_text(patch_.new_id))
      return wrong_base(old_, patch_, found);
    if (found == id_text(patch_.old_id) && switches()) {
      SKL_TRY(auto ids, claimed_packs(old_, patch_));
      old_ids_ = std::move(ids);
    }
    for (uint32_t i = 0; i < patch_.new_files.size(); ++i) SKL_TRY_DO(look_at(i));
    if (work_.empty()) return {};
    return check_sources();
  }

  // Examines a file. Hashes it unless it will be replaced. Damage in a replaced file shows in the
  // file made from it.
  Result<void> look_at(uint32_t index) {
    const PatchedFile& file = patch_.new_files[index];
    if (file.same_as == kFromPatch) {
      SKL_TRY(const auto is_old, is_old_by_id(file.namesake));
      if (is_old) {
        work_.push_back(index);
        return {};
      }
    }
    SKL_TRY(const auto is_new, has_hash(path_of(file), file));
    if (!is_new) {
      work_.push_back(index);
      return {};
    }
    ++applied_.files_kept;
    if (done_bytes_ != nullptr) *done_bytes_ += file.size_bytes;
    return {};
  }

  // Returns false if the file's id is unknown.
  Result<bool> is_old_by_id(uint32_t old_file) const {
    if (old_file == kNoFile) return false;
    const PatchedFile& old = patch_.old_files[old_file];
    const auto id = old_ids_.find(old.name);
    if (id == old_ids_.end()) return false;
    SKL_TRY(const auto kind, known_kind_of_path(path_of(old)));
    return kind == PathKind::file ? has_id(path_of(old), old, id->second) : Result<bool>(false);
  }

  // Checks that all files that are still needed are there: files to copy from, and files to be
  // replaced.
  Result<void> check_sources() const {
    for (size_t number = 0; number < patch_.old_files.size(); ++number) {
      const PatchedFile& old = patch_.old_files[number];
      if (old.namesake != kNoFile && is_done(old.namesake)) continue;
      auto is_old = is_old_by_id(static_cast<uint32_t>(number));
      if (is_old && !*is_old) is_old = has_hash(path_of(old), old);
      if (!is_old) return std::unexpected(is_old.error());
      if (!*is_old) return wrong_base(old_, patch_, fmt::format("other content in {}", old.name));
    }
    for (const size_t index : work_) {
      const PatchedFile& file = patch_.new_files[index];
      if (file.namesake != kNoFile) continue;
      SKL_TRY(const auto kind, known_kind_of_path(path_of(file)));
      if (kind != PathKind::missing)
        return wrong_base(old_, patch_, fmt::format("{}, which isn't of that set", file.name));
    }
    return check_order();
  }

  // Returns true if a new file is already there. `work_` is in ascending order.
  bool is_done(uint32_t new_file) const { return !std::ranges::binary_search(work_, new_file); }

  // Checks that the finished files are the first ones; otherwise a file would copy from one that is
  // gone.
  Result<void> check_order() const {
    for (const size_t index : work_)
      for (const PatchOperation& operation : patch_.new_files[index].operations) {
        if (operation.file == kFromPatch) continue;
        const PatchedFile& old = patch_.old_files[operation.file];
        if (old.namesake == kNoFile || !is_done(old.namesake)) continue;
        const PatchedFile& now = patch_.new_files[old.namesake];
        if (now.same_as == kFromPatch && now.hash != old.hash)
          return wrong_base(old_, patch_, fmt::format("a {} that is replaced already", old.name));
      }
    return {};
  }

  std::string journal_name(const PatchedFile& file) const {
    const std::string path = path_of(file);
    return std::string(file_name(path)) + std::string(kEditSuffix);
  }

  // Returns true if the journal and the edit together write less than the whole file, and there is
  // room for the journal.
  bool is_edited(const PatchedFile& file) const {
    return options_.is_file_by_file && file.namesake != kNoFile &&
           2 * edited_bytes(file) < file.size_bytes && can_be_staged(journal_name(file));
  }

  Result<void> edit(ReplacedFolder& replaced, const PatchedFile& file) {
    const std::string journal = replaced.staged(journal_name(file));
    SKL_TRY(const auto bytes, maker_.journal(file, path_of(file), journal));
    maker_.close(file.namesake);
    replaced.leave();
    SKL_TRY_DO(carry_out_edit(journal, path_of(file)));
    ++applied_.files_made;
    applied_.written_bytes += bytes + edited_bytes(file);
    return replaced.begin();
  }

  Result<void> make_files(ReplacedFolder& replaced) {
    for (const size_t index : work_) {
      const PatchedFile& file = patch_.new_files[index];
      if (is_edited(file)) {
        SKL_TRY_DO(edit(replaced, file));
        continue;
      }
      const std::string staged = replaced.staged(file.name);
      SKL_TRY_DO(maker_.make(file, staged));
      if (file.namesake != kNoFile) maker_.close(file.namesake);
      SKL_TRY_DO(rename_path(staged, path_of(file)));
      SKL_TRY_DO(sync_folder(old_folder()));
      count(file);
    }
    return {};
  }

  const std::string old_;
  const InPlaceOptions options_;
  const Patch& patch_;
  FileMaker maker_;
  std::atomic<uint64_t>* done_bytes_;
  // Ids of the old set's files; empty if there is no old set.
  std::map<std::string, uint64_t> old_ids_;
  std::vector<size_t> work_;  // new files to be made, in order
  Applied applied_;
};

}  // namespace

Result<Applied> apply_patch(const std::string& old, const std::string& patch,
                            const std::string& output, std::atomic<uint64_t>* done_bytes) {
  SKL_TRY(const auto open, open_patch(patch));
  SKL_TRY_DO(check_base(old, open.patch));
  std::optional<PackFolder> folder;
  if (!open.patch.is_single) {
    SKL_TRY(auto opened, PackFolder::open(output));
    folder.emplace(std::move(opened));
  }
  FileMaker maker(open.patch, *open.bytes, old, done_bytes);
  Applied applied = {.new_id = open.patch.new_id};
  for (const PatchedFile& file : open.patch.new_files) {
    SKL_TRY_DO(maker.make(file, folder ? folder->staged(file.name) : output));
    ++applied.files_made;
    applied.written_bytes += file.size_bytes;
  }
  if (folder) SKL_TRY_DO(folder->commit());
  return applied;
}

Result<Applied> apply_in_place(const std::string& old, const std::string& patch,
                               const InPlaceOptions& options, std::atomic<uint64_t>* done_bytes) {
  SKL_TRY(const auto open, open_patch(patch));
  return InPlace(old, open, options, done_bytes).run();
}

Result<uint64_t> roll_back_set(const std::string& folder) {
  SKL_TRY(const auto kind, known_kind_of_path(folder));
  if (kind != PathKind::folder)
    return wrong_usage({.file = folder,
                        .expected = "a pack set's folder",
                        .found = "none",
                        .advice = "name the set that was brought up to date"});
  SKL_TRY(auto replaced, ReplacedFolder::open(folder, "patch"));
  return roll_back(replaced);
}

}  // namespace seekless
