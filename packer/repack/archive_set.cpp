#include "packer/repack/archive_set.h"

#include <algorithm>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "packer/base/glob.h"
#include "packer/base/in_parallel.h"
#include "packer/base/paths.h"
#include "packer/content/archive_sets.h"
#include "packer/content/iostore_set.h"
#include "packer/host/file_stamp.h"
#include "packer/host/files.h"
#include "packer/host/whole_files.h"
#include "packer/output/folder_tree.h"
#include "packer/repack/internal/archive_rewriter.h"
#include "packer/repack/internal/output_folder.h"
#include "packer/repack/originals.h"
#include "runtime/asset_path.h"

namespace seekless {
namespace {

constexpr const char* kUnread = "no recording reads it";

struct Root {
  std::string home;  // without a slash at its end
  std::string base;  // prefix of its sources' paths
};

Root root_of(const std::string& path) {
  std::string home = path;
  while (home.size() > 1 && home.ends_with('/')) home.pop_back();
  if (kind_of_path(path) == PathKind::folder)
    return {home, path.ends_with('/') ? path : path + "/"};
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {".", ""};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(0, slash + 1)};
}

// If several roots contain the archive, takes the one with which its name is shortest.
Result<RepackedArchive> place_archive(const Content& content, uint32_t source,
                                      const std::vector<Root>& roots) {
  const std::string path(content.sources[source].path);
  const Root* best = nullptr;
  for (const Root& root : roots)
    if (path.starts_with(root.base) && (best == nullptr || root.base.size() > best->base.size()))
      best = &root;
  RepackedArchive archive{.source = source,
                          .path = path,
                          .name = best == nullptr ? path : path.substr(best->base.size()),
                          .home = best == nullptr ? "." : best->home,
                          .bytes = path,
                          .kind = content.sources[source].kind,
                          .old_bytes = content.sources[source].size_bytes,
                          .new_bytes = content.sources[source].size_bytes};
  while (archive.name.starts_with('/')) archive.name.erase(0, 1);
  if (const PathFault fault = check_asset_path(archive.name); fault != PathFault::none)
    return damaged({.file = path,
                    .place = "name of the archive",
                    .expected = "a relative path of plain names",
                    .found = describe(fault),
                    .advice = "rename it, or leave it out with --exclude"});
  return archive;
}

// Notes whether the archive is a set, and which files its directory names.
void note_set(const Content& content, RepackedArchive& archive) {
  const ArchiveSet* set = content.set_of(archive.source);
  if (set == nullptr) return;
  archive.is_set = true;
  for (const ArchiveSet::Part& part : set->parts) {
    if (!part.is_named) continue;
    archive.parts.emplace_back(content.sources[part.source].path);
    archive.parts_bytes += content.sources[part.source].size_bytes;
  }
}

// Notes the parts that an earlier run added to a set and that are to go. The original that will
// come back may name some, too: those that were added before other originals were discarded.
Result<void> note_earlier_parts(RepackedArchive& archive, std::vector<std::string> names) {
  archive.earlier_parts.clear();
  archive.earlier_bytes = 0;
  const std::string kept = original_of(archive.home, archive.name);
  SKL_TRY(const auto kind, known_kind_of_path(kept));
  if (names.empty() || kind == PathKind::missing) return {};
  SKL_TRY(const auto original, open_source(kept));
  const auto named = named_parts(*original, archive.path);
  if (!named) return {};
  std::erase_if(names, [&](const std::string& name) { return named->contains(name); });
  archive.earlier_parts = std::move(names);
  for (const std::string& name : archive.earlier_parts) {
    const std::string path = path_beside(archive.path, name);
    if (std::ranges::find(archive.parts, path) == archive.parts.end()) continue;
    SKL_TRY(const auto part, identity_of(path));
    archive.earlier_bytes += part.size_bytes;
  }
  return {};
}

// `place_of_archive` returns the path that each archive will have.
template <typename PlaceOf>
Result<void> check_names(const std::vector<RepackedArchive>& archives,
                         const PlaceOf& place_of_archive) {
  std::map<std::string, const RepackedArchive*> by_name;
  for (const RepackedArchive& archive : archives) {
    const auto [found, is_new] = by_name.emplace(place_of_archive(archive), &archive);
    if (!is_new)
      return wrong_usage({.file = archive.path,
                          .expected = "archives of different names",
                          .found = fmt::format("'{}', which has the same", found->second->path),
                          .advice = "repack them one after the other"});
  }
  return {};
}

void leave(RepackedArchive& archive, std::string reason, bool is_faulty) {
  archive.is_repacked = false;
  archive.is_faulty = is_faulty;
  archive.reason = std::move(reason);
  archive.new_bytes = archive.old_bytes;
}

// An archive can be replaced by renaming only if its path isn't a symbolic link.
std::string obstacle_in_place(const RepackedArchive& archive) {
  const auto stamp = identity_of(archive.path);
  if (!stamp || !stamp->is_regular || !check_way(archive.home, archive.name))
    return "it is reached by a symbolic link; name the folder that it lies in";
  return {};
}

// Says why a set whose original is kept can't be replaced again, if it isn't the original that is
// in place.
Result<std::string> obstacle_to_repeating(const RepackedArchive& archive) {
  const std::string kept = original_of(archive.home, archive.name);
  SKL_TRY(const auto kind, known_kind_of_path(kept));
  if (kind == PathKind::missing) return std::string();
  SKL_TRY(const auto now_bytes, open_source(archive.path));
  SKL_TRY(const auto kept_bytes, open_source(kept));
  SKL_TRY(const auto is, compare_with_kept(*now_bytes, *kept_bytes, archive.path));
  if (is == StateOfSet::original) return std::string();
  return fmt::format("{}: run 'seekless restore {}' before it is repacked again",
                     is == StateOfSet::ours ? "it was repacked before"
                                            : "an update replaced it after it was repacked",
                     archive.home);
}

// A fault of the archive itself isn't an error; the archive then stays as it is.
template <typename T>
bool is_left(RepackedArchive& archive, const Result<T>& result) {
  if (result || result.error().kind != ErrorKind::damaged) return false;
  leave(archive, result.error().message, true);
  return true;
}

// Fails with the errors of open_archive().
Result<std::unique_ptr<ByteSource>> open_bytes(const RepackedArchive& archive) {
  auto bytes = open_source(archive.bytes);
  if (!bytes) return bytes;
  if ((*bytes)->size_bytes() != archive.old_bytes)
    return failed({.file = archive.path,
                   .expected = fmt::format("an archive of {} bytes", archive.old_bytes),
                   .found = fmt::format("{}", (*bytes)->size_bytes()),
                   .advice = "it changed since it was scanned; run this again"});
  return bytes;
}

Result<std::unique_ptr<ArchiveRewriter>> open_rewriter(const RepackedArchive& archive) {
  SKL_TRY(auto bytes, open_bytes(archive));
  if (archive.is_set) {
    SKL_TRY(const auto is_container, is_iostore_directory(*bytes));
    return is_container
               ? open_iostore_set_rewriter(std::move(bytes), archive.path, archive.noted_parts)
               : open_vpk_set_rewriter(std::move(bytes), archive.path, archive.earlier_parts);
  }
  return archive.kind == SourceKind::flat ? open_flat_rewriter(std::move(bytes))
                                          : open_zip_rewriter(std::move(bytes), archive.bytes);
}

// Holds an archive that has been written, and what is needed to compare it with the old one.
struct WrittenArchive {
  std::unique_ptr<ArchiveRewriter> rewriter;
  RewriteReport report;
  std::string new_path;
};

// Returns nothing if the archive stays as it is.
Result<std::optional<WrittenArchive>> write_archive(RepackedArchive& archive,
                                                    const std::vector<uint32_t>& read_entries,
                                                    const RepackOptions& options,
                                                    const std::string& new_path) {
  auto rewriter = open_rewriter(archive);
  if (is_left(archive, rewriter)) return std::nullopt;
  if (!rewriter) return std::unexpected(rewriter.error());
  const auto obstacle = (*rewriter)->prepare(options.verify);
  if (is_left(archive, obstacle)) return std::nullopt;
  if (!obstacle) return std::unexpected(obstacle.error());
  if (!obstacle->empty()) {
    leave(archive, *obstacle, false);
    return std::nullopt;
  }
  auto report = (*rewriter)->rewrite(read_entries, options.rewrite, new_path, options.done_bytes);
  if (is_left(archive, report)) return std::nullopt;
  if (!report) return std::unexpected(report.error());
  // The directory of a set may be as long as the original. Launchers tell them apart by the time.
  if (!archive.is_set) SKL_TRY_DO(copy_attributes(archive.bytes, new_path));
  archive.new_bytes = report->file_bytes;
  archive.unpacked_entries = report->unpacked_entries;
  archive.packed_entries = report->packed_entries;
  archive.aligned_entries = report->aligned_entries;
  return WrittenArchive{*std::move(rewriter), *std::move(report), new_path};
}

// Flushes the archive and compares it with the old one at the same time.
Result<void> finish_archive(const WrittenArchive& written, const RepackOptions& options) {
  Result<void> flushed;
  Result<void> same;
  const auto flush = [&] {
    for (const AddedFile& added : written.report.added)
      if (flushed) flushed = sync_file(path_beside(written.new_path, added.name));
    if (flushed) flushed = sync_file(written.new_path);
  };
  const auto compare = [&] {
    if (options.verify)
      same = written.rewriter->verify(written.new_path, written.report, options.done_bytes);
  };
  in_parallel(2, 2, [&](size_t number, size_t) { number == 0 ? compare() : flush(); });
  return same ? flushed : same;
}

Result<void> remove_written(const WrittenArchive& written) {
  for (const AddedFile& added : written.report.added)
    SKL_TRY_DO(remove_file(path_beside(written.new_path, added.name)));
  return remove_file(written.new_path);
}

Result<void> copy_flushed(const std::string& from, const std::string& to) {
  auto copied = copy_whole_file(from, to);
  return copied ? sync_file(to) : copied;
}

Result<void> copy_parts(const RepackedArchive& archive, const std::string& to) {
  for (const std::string& part : archive.parts)
    SKL_TRY_DO(copy_flushed(part, path_beside(to, file_name(part))));
  return {};
}

// Finishes one archive while the next one is being written.
class Finisher {
 public:
  // Called when an archive is finished. If `is_repacked` is false, the archive stays as it is and
  // the new files aren't used.
  using Settle = std::function<Result<void>(const WrittenArchive& written, bool is_repacked)>;

  explicit Finisher(const RepackOptions& options) : options_(options) {}

  // Returns the result of the previous archive. `archive` must outlive it.
  Result<void> add(RepackedArchive& archive, WrittenArchive new_one, Settle settle) {
    auto before = wait();
    const auto written = std::make_shared<const WrittenArchive>(std::move(new_one));
    const auto finish = [this, written] { return finish_archive(*written, options_); };
    archive_ = &archive;
    written_ = written;
    settle_ = std::move(settle);
    try {
      finishing_ = std::async(std::launch::async, finish);
    } catch (const std::system_error&) {
      // If the system can't start a thread, wait() does the work.
      finishing_ = std::async(std::launch::deferred, finish);
    }
    return before;
  }

  Result<void> wait() {
    if (!finishing_.valid()) return {};
    const auto finished = finishing_.get();
    if (is_left(*archive_, finished)) return settle_(*written_, false);
    return finished ? settle_(*written_, true) : finished;
  }

 private:
  const RepackOptions& options_;
  RepackedArchive* archive_ = nullptr;  // the archive being finished
  std::shared_ptr<const WrittenArchive> written_;
  Settle settle_;
  std::future<Result<void>> finishing_;
};

Result<void> check_space(const std::string& folder, uint64_t needed_bytes) {
  SKL_TRY(const auto available, free_bytes(folder));
  if (needed_bytes <= available) return {};
  return failed({.file = folder,
                 .expected = fmt::format("{} bytes of free space", needed_bytes),
                 .found = fmt::format("{}", available),
                 .advice = "free some space, or choose another output"});
}

// The output must not become content of the next run.
Result<void> check_output(const std::string& output, const std::vector<std::string>& roots,
                          const std::vector<std::string>& exclude) {
  const std::string canonical = canonical_path(output);
  for (const std::string& root : roots) {
    const std::string content = canonical_path(root);
    const bool is_within = canonical != content && lies_in(canonical, content);
    const size_t root_bytes = content.ends_with('/') ? content.size() : content.size() + 1;
    if (is_within && matches_any_glob(exclude, canonical.substr(root_bytes) + "/any/file"))
      continue;
    if (is_within || lies_in(content, canonical))
      return wrong_usage({.file = output,
                          .expected = "an output that lies outside of the content",
                          .found = fmt::format("the content '{}'", root),
                          .advice = "choose another folder, exclude it, or repack --in-place"});
  }
  return {};
}

std::unexpected<Error> damaged_original(const RepackedArchive& archive, const std::string& kept) {
  return damaged(
      {.file = kept,
       .expected = "the original as it was when it was repacked",
       .found = "other bytes",
       .advice = fmt::format("'seekless restore --force {}' brings others back; then remove "
                             "this one",
                             archive.home)});
}

std::unexpected<Error> replaced_by_update(const std::string& path, const std::string& kept) {
  return failed({.file = path,
                 .expected = "the directory that was put there when it was repacked "
                             "(--recorded originals)",
                 .found = "another one",
                 .advice = fmt::format("record again; or, if it is a new original, remove the old "
                                       "one, '{}'",
                                       kept)});
}

// Parts are found beside a link to a set's directory and by its name, where the new ones would be
// missing, so such a set stays.
void leave_linked_sets(std::vector<RepackedArchive>& archives) {
  std::map<std::string, std::string> links;  // names of links, by the file they lead to
  for (const RepackedArchive& archive : archives) {
    const std::string file = canonical_path(archive.path);
    const std::string as_named = canonical_path(std::string(folder_above(archive.path))) + "/" +
                                 std::string(file_name(archive.path));
    if (archive.is_set && file != as_named) links[file] = archive.name;
  }
  for (RepackedArchive& archive : archives) {
    if (!archive.is_set || !archive.is_repacked) continue;
    const auto link = links.find(canonical_path(archive.path));
    if (link == links.end()) continue;
    leave(archive,
          fmt::format("'{}' links to it, and wouldn't have the new parts beside it", link->second),
          false);
  }
}

// Returns how much will be written. The parts that an earlier run added to a set are to go, so all
// of their entries move.
Result<uint64_t> bytes_to_write(const Originals& originals,
                                const std::vector<RepackedArchive*>& archives,
                                const EntryOrder& order, const RepackOptions& options) {
  uint64_t bytes = 0;
  for (RepackedArchive* archive : archives) {
    SKL_TRY_DO(note_earlier_parts(*archive, originals.added_to(archive->name)));
    if (!archive->earlier_parts.empty()) {
      const auto rewriter = open_rewriter(*archive);
      if (is_left(*archive, rewriter)) continue;
      if (!rewriter) return std::unexpected(rewriter.error());
      const auto new_bytes =
          (*rewriter)->expected_bytes(order.read_entries[archive->source], options.rewrite);
      if (is_left(*archive, new_bytes)) continue;
      if (!new_bytes) return std::unexpected(new_bytes.error());
      archive->new_bytes = *new_bytes;
    }
    bytes += archive->new_bytes;
  }
  return bytes;
}

// Repacks the archives of one home, whose originals are kept together.
Result<void> repack_home(Originals& originals, const std::vector<RepackedArchive*>& archives,
                         const EntryOrder& order, const RepackOptions& options) {
  std::vector<Replacement> replacements;
  Finisher finisher(options);
  for (RepackedArchive* archive : archives) {
    SKL_TRY_DO(originals.check_replaceable(archive->name));
    SKL_TRY(const auto stamp, identity_of(archive->path));
    const auto staged = originals.stage(archive->name);
    if (!staged) return std::unexpected(staged.error());
    SKL_TRY(auto written,
            write_archive(*archive, order.read_entries[archive->source], options, *staged));
    if (!written) continue;
    const Replacement replacement = {archive->name, written->report.file_hash, stamp,
                                     written->report.added};
    const auto settle = [&replacements, replacement](const WrittenArchive& made, bool is_repacked) {
      if (!is_repacked) return remove_written(made);
      replacements.push_back(replacement);
      return Result<void>();
    };
    SKL_TRY_DO(finisher.add(*archive, *std::move(written), settle));
  }
  SKL_TRY_DO(finisher.wait());
  return originals.put_in_place(replacements);
}

}  // namespace

Result<OpenedArchive> open_archive(const RepackedArchive& archive) {
  SKL_TRY(auto bytes, open_bytes(archive));
  SKL_TRY(auto directory, read_zip_directory(*bytes));
  return OpenedArchive{std::move(bytes), std::move(directory)};
}

ScanOptions repack_scan_options() {
  return {.keep_archives = true,
          .require_readable = false,
          .flat_archives = true,
          .archive_sets = true,
          .any_names = true};
}

Result<std::map<std::string, std::string>> kept_originals(const Content& content,
                                                          const std::vector<std::string>& roots,
                                                          bool needs_all) {
  std::vector<Root> places;
  for (const std::string& root : roots) places.push_back(root_of(root));
  std::map<std::string, std::string> originals;
  const std::vector<bool> is_part = content.parts_of_sets();
  for (uint32_t i = 0; i < content.sources.size(); ++i) {
    if (!content.sources[i].is_archive() || is_part[i]) continue;
    SKL_TRY(auto archive, place_archive(content, i, places));
    note_set(content, archive);
    const std::string kept = original_of(archive.home, archive.name);
    if (kind_of_path(kept) != PathKind::file) continue;
    SKL_TRY(const auto now, identity_of(canonical_path(archive.path)));
    SKL_TRY(const auto original, identity_of(kept));
    if (archive.is_set) {
      SKL_TRY(const auto now_bytes, open_source(archive.path));
      SKL_TRY(const auto kept_bytes, open_source(kept));
      SKL_TRY(const auto is, compare_with_kept(*now_bytes, *kept_bytes, archive.path));
      // A directory that was damaged since would name other data.
      SKL_TRY(const auto is_sound, Originals::has_sound_original(archive.home, archive.name));
      if (!is_sound) return damaged_original(archive, kept);
      // Without its parts, the content wouldn't have the same sources as it has now.
      SKL_TRY(const auto before, read_set(*kept_bytes, archive.path));
      const bool fits = before && before->obstacle.empty();
      if (needs_all && (is == StateOfSet::update || !fits))
        return replaced_by_update(archive.path, kept);
      if (is != StateOfSet::ours || !fits) continue;
    }
    if (!now.is_same_file(original)) originals[canonical_path(archive.path)] = kept;
  }
  return originals;
}

Result<std::vector<RepackedArchive>> plan_repack(const Content& content,
                                                 const std::vector<std::string>& roots,
                                                 const EntryOrder& order,
                                                 const RepackOptions& options) {
  std::vector<Root> places;
  for (const std::string& root : roots) places.push_back(root_of(root));
  std::vector<RepackedArchive> archives;
  const std::vector<bool> is_part = content.parts_of_sets();
  for (uint32_t i = 0; i < content.sources.size(); ++i) {
    if (!content.sources[i].is_archive() || is_part[i]) continue;
    SKL_TRY(auto placed, place_archive(content, i, places));
    RepackedArchive& archive = archives.emplace_back(std::move(placed));
    note_set(content, archive);
    if (archive.is_set) {
      SKL_TRY(archive.noted_parts, Originals::noted_parts(archive.home, archive.name));
      if (options.in_place) SKL_TRY_DO(note_earlier_parts(archive, archive.noted_parts));
    }
    if (!options.read_from.empty()) {
      const auto other = options.read_from.find(canonical_path(archive.path));
      if (other != options.read_from.end()) archive.bytes = other->second;
    }
    const auto rewriter = open_rewriter(archive);
    if (is_left(archive, rewriter)) continue;
    if (!rewriter) return std::unexpected(rewriter.error());
    const std::vector<uint32_t>& read_entries = order.read_entries[i];
    archive.entries = (*rewriter)->entry_count();
    archive.read_entries = read_entries.size();
    archive.reason = (*rewriter)->obstacle();
    if (options.in_place && !(*rewriter)->can_be_repeated()) {
      SKL_TRY(auto obstacle, obstacle_to_repeating(archive));
      if (!obstacle.empty()) archive.reason = std::move(obstacle);
    }
    if (archive.reason.empty() && read_entries.empty()) archive.reason = kUnread;
    if (archive.reason.empty() && options.in_place) archive.reason = obstacle_in_place(archive);
    archive.is_repacked = archive.reason.empty();
    if (!archive.is_repacked) continue;
    const auto new_bytes = (*rewriter)->expected_bytes(read_entries, options.rewrite);
    if (is_left(archive, new_bytes)) continue;
    if (!new_bytes) return std::unexpected(new_bytes.error());
    archive.new_bytes = *new_bytes;
  }
  if (options.in_place) leave_linked_sets(archives);
  return archives;
}

uint64_t repack_bytes(const std::vector<RepackedArchive>& archives, const RepackOptions& options) {
  uint64_t bytes = 0;
  for (const RepackedArchive& archive : archives) {
    bytes += archive.is_set ? archive.new_bytes : archive.old_bytes;  // not all of a set is copied
    if (archive.is_repacked && options.verify) bytes += archive.new_bytes;
  }
  return bytes;
}

Result<std::vector<RepackedArchive>> repack_archives(const Content& content,
                                                     const std::vector<std::string>& roots,
                                                     const EntryOrder& order,
                                                     const std::string& output,
                                                     const RepackOptions& options) {
  SKL_TRY_DO(check_output(output, roots, options.exclude));
  auto archives = plan_repack(content, roots, order, options);
  if (!archives) return archives;
  const auto name_of = [](const RepackedArchive& archive) { return archive.name; };
  if (!options.copies_others)
    std::erase_if(*archives, [](const RepackedArchive& archive) { return !archive.is_repacked; });
  SKL_TRY_DO(check_names(*archives, name_of));
  SKL_TRY(auto folder, OutputFolder::open(output));
  uint64_t needed_bytes = 0;
  for (const RepackedArchive& archive : *archives)
    needed_bytes += archive.new_bytes + (options.copies_others ? archive.parts_bytes : 0);
  SKL_TRY_DO(check_space(output, needed_bytes));
  Finisher finisher(options);
  ReadFiles read;
  for (RepackedArchive& archive : *archives) {
    // The parts count as loose files, so the directory would name files that aren't there.
    if (archive.is_set && archive.parts.empty()) {
      archive.reason = "not in the output: " + archive.reason;
      continue;
    }
    SKL_TRY_DO(read.add(archive.bytes));
    for (const std::string& part : archive.parts) SKL_TRY_DO(read.add(part));
    const auto staged = folder.stage(archive.name);
    if (!staged) return std::unexpected(staged.error());
    if (options.copies_others) SKL_TRY_DO(copy_parts(archive, *staged));
    if (archive.is_repacked) {
      SKL_TRY(auto written,
              write_archive(archive, order.read_entries[archive.source], options, *staged));
      if (written) {
        const auto settle = [&archive](const WrittenArchive& made,
                                       bool is_repacked) -> Result<void> {
          if (is_repacked) return {};
          SKL_TRY_DO(remove_written(made));
          return copy_flushed(archive.bytes, made.new_path);
        };
        SKL_TRY_DO(finisher.add(archive, *std::move(written), settle));
        continue;
      }
    }
    SKL_TRY_DO(copy_flushed(archive.bytes, *staged));
    if (options.done_bytes != nullptr) *options.done_bytes += archive.old_bytes;
  }
  SKL_TRY_DO(finisher.wait());
  SKL_TRY_DO(read.check());
  SKL_TRY_DO(folder.commit());
  return archives;
}

Result<std::vector<RepackedArchive>> repack_in_place(const Content& content,
                                                     const std::vector<std::string>& roots,
                                                     const EntryOrder& order,
                                                     const RepackOptions& options) {
  RepackOptions planning = options;
  planning.in_place = true;
  auto archives = plan_repack(content, roots, order, planning);
  if (!archives) return archives;
  // A set may have links to its directory, which stay.
  const auto path_of = [](const RepackedArchive& archive) {
    return archive.is_set && !archive.is_repacked ? archive.path : canonical_path(archive.path);
  };
  SKL_TRY_DO(check_names(*archives, path_of));
  std::map<std::string, std::vector<RepackedArchive*>> by_home;
  for (RepackedArchive& archive : *archives)
    if (archive.is_repacked) by_home[canonical_path(archive.home)].push_back(&archive);
  for (const auto& [home, of_home] : by_home) {
    SKL_TRY(auto originals, Originals::open(of_home.front()->home));
    SKL_TRY_DO(originals.bring_back_missing());
    SKL_TRY(const uint64_t needed_bytes, bytes_to_write(originals, of_home, order, options));
    SKL_TRY_DO(check_space(home, needed_bytes));
    SKL_TRY_DO(repack_home(originals, of_home, order, options));
    SKL_TRY_DO(originals.close());
  }
  return archives;
}

}  // namespace seekless
