#include "packer/patch/apply.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "packer/host/files.h"
#include "packer/host/hasher.h"
#include "packer/host/pending_file.h"
#include "packer/host/replaced_folder.h"
#include "packer/host/runtime_error.h"
#include "packer/pack/pack_folder.h"
#include "packer/pack/set_switch.h"
#include "packer/patch/patch_file.h"
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

// The id that the set claims by its catalog's header, or a word why there is none.
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
  const auto kind = known_kind_of_path(path);
  if (!kind) return std::unexpected(kind.error());
  if (*kind != PathKind::file) return false;
  const auto source = open_source(path);
  if (!source) return std::unexpected(source.error());
  if ((*source)->size_bytes() != file.size_bytes) return false;
  const auto hash = hash_file(**source);
  if (!hash) return std::unexpected(hash.error());
  return *hash == file.hash;
}

// Makes one new file after the other from the sources.
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

  // Flushed and under its name, or not there.
  Result<void> make(const PatchedFile& file, const std::string& path) {
    auto output = PendingFile::create(path, file.size_bytes);
    if (!output) return std::unexpected(output.error());
    hash_.reset();
    end_bytes_ = 0;
    if (file.same_as != kFromPatch)
      if (auto copied = copy(file.same_as, 0, file.size_bytes, *output); !copied) return copied;
    for (const PatchOperation& operation : file.operations)
      if (auto done = carry_out(operation, *output); !done) return done;
    if (hash_.digest() != file.hash)
      return damaged({.file = path,
                      .expected = "the content that the patch announces",
                      .found = "other content",
                      .advice = "get the patch again"});
    return output->commit();
  }

  // Files that were replaced are read no more.
  void close(uint32_t old_file) { sources_[old_file].reset(); }
  void close_all() {
    for (auto& source : sources_) source.reset();
  }

 private:
  Result<void> carry_out(const PatchOperation& operation, const PendingFile& output) {
    if (operation.file != kFromPatch)
      return copy(operation.file, operation.offset_bytes, operation.size_bytes, output);
    const auto piece = std::span(buffer_).first(operation.size_bytes);
    if (auto read = read_piece(patch_bytes_, operation, piece, scratch_); !read) return read;
    return put(piece, output);
  }

  Result<void> copy(uint32_t old_file, uint64_t offset, uint64_t length,
                    const PendingFile& output) {
    if (!sources_[old_file]) {
      auto source = open_source(old_path_of(old_, patch_, patch_.old_files[old_file].name));
      if (!source) return std::unexpected(source.error());
      sources_[old_file] = std::move(*source);
    }
    while (length > 0) {
      const auto piece = std::span(buffer_).first(std::min<uint64_t>(length, buffer_.size()));
      if (auto read = sources_[old_file]->read_at(offset, piece); !read) return read;
      if (auto written = put(piece, output); !written) return written;
      offset += piece.size();
      length -= piece.size();
    }
    return {};
  }

  Result<void> put(std::span<const std::byte> piece, const PendingFile& output) {
    hash_.add(piece);
    if (auto written = output.write_at(end_bytes_, piece); !written) return written;
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
  std::vector<std::unique_ptr<ByteSource>> sources_;  // by old file; null until read
  Hasher128 hash_;
  uint64_t end_bytes_ = 0;
};

struct OpenPatch {
  std::unique_ptr<ByteSource> bytes;
  Patch patch;
};

Result<OpenPatch> open_patch(const std::string& path) {
  auto bytes = open_source(path);
  if (!bytes) return std::unexpected(bytes.error());
  auto patch = read_patch(**bytes);
  if (!patch) return std::unexpected(patch.error());
  return OpenPatch{std::move(*bytes), std::move(*patch)};
}

Result<void> check_base(const std::string& old, const Patch& patch) {
  const auto found = claimed_id(old, patch);
  if (!found) return std::unexpected(found.error());
  if (*found != id_text(patch.old_id)) return wrong_base(old, patch, *found);
  for (const PatchedFile& file : patch.old_files) {
    const std::string path = old_path_of(old, patch, file.name);
    const auto is_it = has_hash(path, file);
    if (!is_it) return std::unexpected(is_it.error());
    if (!*is_it)
      return wrong_base(old, patch,
                        fmt::format("other content in {}, though its id is {}", file.name, *found));
  }
  return {};
}

// What has to be done to bring a folder, perhaps halfway there, to the new set.
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
    const auto kind = known_kind_of_path(folder());
    if (!kind) return std::unexpected(kind.error());
    if (*kind != PathKind::folder) return wrong_base(old_, patch_, "no such folder");
    auto replaced = ReplacedFolder::open(folder(), "patch");
    if (!replaced) return std::unexpected(replaced.error());
    if (const auto finished = finish_switch(*replaced); !finished)
      return std::unexpected(finished.error());
    if (auto checked = find_work(); !checked) return std::unexpected(checked.error());
    if (auto begun = replaced->begin(); !begun) return std::unexpected(begun.error());
    const bool switches = !options_.is_file_by_file && !patch_.is_single && !work_.empty();
    if (auto made = switches ? switch_files(*replaced) : replace_files(*replaced); !made)
      return std::unexpected(made.error());
    applied_.new_id = patch_.new_id;
    return applied_;
  }

 private:
  // The old set's files that the new one hasn't.
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
      if (auto made = maker_.make(file, replaced.staged(file.name)); !made) return made;
      count(file);
    }
    maker_.close_all();  // Windows moves nothing to the place of a file that is open
    return switch_set(replaced, stale_files(), options_.keeps_old);
  }

  Result<void> replace_files(ReplacedFolder& replaced) {
    if (auto made = make_files(replaced); !made) return made;
    for (const std::string& name : stale_files())
      if (auto removed = remove_file(old_path_of(old_, patch_, name)); !removed) return removed;
    return replaced.end();
  }

  void count(const PatchedFile& file) {
    ++applied_.files_made;
    applied_.written_bytes += file.size_bytes;
  }

  std::string path_of(const PatchedFile& file) const {
    return old_path_of(old_, patch_, file.name);
  }
  std::string folder() const {
    if (!patch_.is_single) return old_;
    const size_t slash = old_.find_last_of('/');
    return slash == std::string::npos ? "." : old_.substr(0, slash + 1);
  }

  Result<void> find_work() {
    const auto found = claimed_id(old_, patch_);
    if (!found) return std::unexpected(found.error());
    if (*found != id_text(patch_.old_id) && *found != id_text(patch_.new_id))
      return wrong_base(old_, patch_, *found);
    for (size_t i = 0; i < patch_.new_files.size(); ++i) {
      const PatchedFile& file = patch_.new_files[i];
      const auto is_new = has_hash(path_of(file), file);
      if (!is_new) return std::unexpected(is_new.error());
      if (*is_new) {
        ++applied_.files_kept;
        if (done_bytes_ != nullptr) *done_bytes_ += file.size_bytes;
        continue;
      }
      work_.push_back(i);
    }
    if (work_.empty()) return {};
    return check_sources();
  }

  // All that isn't replaced yet must be there: what is to be copied from, and what will be
  // replaced.
  Result<void> check_sources() const {
    for (size_t number = 0; number < patch_.old_files.size(); ++number) {
      const PatchedFile& old = patch_.old_files[number];
      if (old.namesake != kNoFile && is_done(old.namesake)) continue;
      const auto is_old = has_hash(path_of(old), old);
      if (!is_old) return std::unexpected(is_old.error());
      if (!*is_old) return wrong_base(old_, patch_, fmt::format("other content in {}", old.name));
    }
    for (const size_t index : work_) {
      const PatchedFile& file = patch_.new_files[index];
      if (file.namesake != kNoFile) continue;
      const auto kind = known_kind_of_path(path_of(file));
      if (!kind) return std::unexpected(kind.error());
      if (*kind != PathKind::missing)
        return wrong_base(old_, patch_, fmt::format("{}, which isn't of that set", file.name));
    }
    return check_order();
  }

  // Whether a new file is there already. `work_` rises.
  bool is_done(uint32_t new_file) const { return !std::ranges::binary_search(work_, new_file); }

  // What is done already came first; else something would copy from a file that is gone.
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

  Result<void> make_files(const ReplacedFolder& replaced) {
    for (const size_t index : work_) {
      const PatchedFile& file = patch_.new_files[index];
      const std::string staged = replaced.staged(file.name);
      if (auto made = maker_.make(file, staged); !made) return made;
      if (file.namesake != kNoFile) maker_.close(file.namesake);
      if (auto moved = rename_path(staged, path_of(file)); !moved) return moved;
      if (auto synced = sync_folder(folder()); !synced) return synced;
      count(file);
    }
    return {};
  }

  const std::string old_;
  const InPlaceOptions options_;
  const Patch& patch_;
  FileMaker maker_;
  std::atomic<uint64_t>* done_bytes_;
  std::vector<size_t> work_;  // new files that are to be made, in order
  Applied applied_;
};

}  // namespace

Result<Applied> apply_patch(const std::string& old, const std::string& patch,
                            const std::string& output, std::atomic<uint64_t>* done_bytes) {
  const auto open = open_patch(patch);
  if (!open) return std::unexpected(open.error());
  if (auto checked = check_base(old, open->patch); !checked)
    return std::unexpected(checked.error());
  std::optional<PackFolder> folder;
  if (!open->patch.is_single) {
    auto opened = PackFolder::open(output);
    if (!opened) return std::unexpected(opened.error());
    folder.emplace(std::move(*opened));
  }
  FileMaker maker(open->patch, *open->bytes, old, done_bytes);
  Applied applied = {.new_id = open->patch.new_id};
  for (const PatchedFile& file : open->patch.new_files) {
    if (auto made = maker.make(file, folder ? folder->staged(file.name) : output); !made)
      return std::unexpected(made.error());
    ++applied.files_made;
    applied.written_bytes += file.size_bytes;
  }
  if (folder)
    if (auto committed = folder->commit(); !committed) return std::unexpected(committed.error());
  return applied;
}

Result<Applied> apply_in_place(const std::string& old, const std::string& patch,
                               const InPlaceOptions& options, std::atomic<uint64_t>* done_bytes) {
  const auto open = open_patch(patch);
  if (!open) return std::unexpected(open.error());
  return InPlace(old, *open, options, done_bytes).run();
}

Result<uint64_t> roll_back_set(const std::string& folder) {
  const auto kind = known_kind_of_path(folder);
  if (!kind) return std::unexpected(kind.error());
  if (*kind != PathKind::folder)
    return wrong_usage({.file = folder,
                        .expected = "a pack set's folder",
                        .found = "none",
                        .advice = "name the set that was brought up to date"});
  auto replaced = ReplacedFolder::open(folder, "patch");
  if (!replaced) return std::unexpected(replaced.error());
  return roll_back(*replaced);
}

}  // namespace seekless
