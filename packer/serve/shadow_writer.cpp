#include "packer/serve/shadow_writer.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "packer/base/hasher.h"
#include "packer/foresee/bounded.h"
#include "packer/foresee/swept_pages.h"
#include "packer/host/files.h"
#include "packer/host/pending_file.h"
#include "packer/host/whole_files.h"
#include "packer/serve/internal/descriptor_budget.h"
#include "packer/serve/internal/few_open.h"

namespace seekless {
namespace {

std::vector<ShadowSection> choose_sections(const Learned& learned, uint64_t room_bytes) {
  std::vector<uint32_t> order(learned.scenarios.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) {
    return learned.scenarios[a].runs > learned.scenarios[b].runs;
  });
  std::vector<ShadowSection> sections;
  uint64_t used = 0;
  const auto add = [&](uint32_t number, std::vector<PageKey> pages) {
    const uint64_t size = pages.size() * kSeenPageBytes;
    if (pages.empty() || size > room_bytes - used) return;
    sections.push_back({number, used, std::move(pages), {}});
    used += size;
  };
  const std::vector<PageKey> core = swept_core(learned, SweptFrom::kCopies);
  add(kCore, core);
  for (const uint32_t number : order)
    add(number, swept_own(learned.scenarios[number], core, SweptFrom::kCopies));
  return sections;
}

class Copier {
 public:
  Copier(const std::string& folder, const std::vector<std::string>& files)
      : folder_(folder), files_(files), sources_(descriptor_budget().files) {}

  // Fills the page; beyond the file's end with zeros.
  Result<void> copy(PageKey page, std::span<std::byte> into) {
    const uint32_t file = file_of_page(page);
    const auto* source = sources_.find(file);
    if (source == nullptr) {
      SKL_TRY(auto opened, open_source(folder_ + "/" + files_[file]));
      source = &sources_.add(file, std::move(opened));
    }
    const uint64_t at = number_of_page(page) * kSeenPageBytes;
    const uint64_t size = (*source)->size_bytes();
    std::ranges::fill(into, std::byte{0});
    if (at >= size) return {};
    return (*source)->read_at(at, into.first(std::min<uint64_t>(into.size(), size - at)));
  }

 private:
  const std::string& folder_;
  const std::vector<std::string>& files_;
  FewOpen<std::unique_ptr<ByteSource>> sources_;
};

Result<void> write_section(const PendingFile& file, Copier& copier, ShadowSection& section) {
  std::vector<std::byte> chunk(kShadowChunkBytes);
  const size_t in_chunk = kShadowChunkBytes / kSeenPageBytes;
  for (size_t first = 0; first < section.pages.size(); first += in_chunk) {
    const size_t count = std::min(in_chunk, section.pages.size() - first);
    for (size_t i = 0; i < count; ++i)
      SKL_TRY_DO(copier.copy(section.pages[first + i],
                             std::span(chunk).subspan(i * kSeenPageBytes, kSeenPageBytes)));
    const auto bytes = std::span(chunk).first(count * kSeenPageBytes);
    Hasher64 hasher;
    hasher.add(bytes);
    section.hashes.push_back(hasher.digest());
    SKL_TRY_DO(file.write_at(section.offset_bytes + first * kSeenPageBytes, bytes));
  }
  return {};
}

// Returns each file's stamp; a missing file gets a stamp that no file has.
std::vector<ChangeStamp> stamps_of(const std::string& folder,
                                   const std::vector<std::string>& files) {
  std::vector<ChangeStamp> stamps;
  for (const std::string& file : files) {
    const auto stamp = change_stamp_of(folder + "/" + file);
    stamps.push_back(stamp && *stamp ? **stamp : ChangeStamp{});
  }
  return stamps;
}

}  // namespace

void drop_changed(const std::string& folder, Learned& learned) {
  std::vector<ChangeStamp>& copied = learned.shadow.stamps;
  const std::vector<ChangeStamp> now = stamps_of(folder, learned.files);
  for (size_t i = 0; i < copied.size(); ++i)
    if (copied[i] != now[i]) copied[i] = {};
}

Result<uint64_t> write_shadow(const GameState& state, const std::string& folder, Learned& learned,
                              uint64_t room_bytes) {
  SKL_TRY(const auto free, free_bytes(state.folder()));
  const uint64_t room = std::min(
      {room_bytes, free - std::min(free, kKeptFreeBytes), kMostLearnedPages * kSeenPageBytes});
  Shadow shadow;
  shadow.stamps = stamps_of(folder, learned.files);
  // A missing file has nothing to copy.
  Learned there = learned;
  for (LearnedScenario& scenario : there.scenarios)
    std::erase_if(scenario.pages, [&](const SeenPage& seen) {
      return shadow.stamps[file_of_page(seen.page)].inode == 0;
    });
  shadow.sections = choose_sections(there, room);
  uint64_t size = 0;
  for (const ShadowSection& section : shadow.sections)
    size += section.pages.size() * kSeenPageBytes;
  if (size == 0) return 0;
  shadow.file = fmt::format("shadow-{:x}", static_cast<uint64_t>(file_clock_ns()));
  SKL_TRY(auto file, PendingFile::create_own(state.shadow_path(shadow.file), size));
  Copier copier(folder, learned.files);
  for (ShadowSection& section : shadow.sections) SKL_TRY_DO(write_section(file, copier, section));
  // If a file was written meanwhile, its stamp has changed, so its original is used.
  const std::vector<ChangeStamp> after = stamps_of(folder, learned.files);
  for (size_t i = 0; i < after.size(); ++i)
    if (after[i] != shadow.stamps[i]) shadow.stamps[i] = {};
  SKL_TRY_DO(file.commit());
  const std::string old = std::exchange(learned.shadow, std::move(shadow)).file;
  SKL_TRY_DO(state.save(learned));
  if (!old.empty()) SKL_TRY_DO(remove_file(state.shadow_path(old)));
  return size;
}

}  // namespace seekless
