#include "packer/serve/shadow_writer.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "packer/base/hasher.h"
#include "packer/foresee/bounded.h"
#include "packer/foresee/swept_pages.h"
#include "packer/host/file_stamp.h"
#include "packer/host/files.h"
#include "packer/host/pending_file.h"
#include "packer/host/whole_files.h"
#include "packer/serve/internal/descriptor_budget.h"
#include "packer/serve/internal/few_open.h"
#include "packer/serve/internal/timed_questions.h"

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

// A call at the lowest priority waits for all others.
constexpr auto kLongestCall = std::chrono::seconds(20);
// One question reads pages for so long, so that it takes hardly longer than its last page.
constexpr auto kOneQuestion = std::chrono::seconds(1);

std::unexpected<Error> unanswered(const std::string& file) {
  return failed({.file = file,
                 .expected = "that its disk or server answers",
                 .found = "no answer for seconds",
                 .advice = "what is laid out stays as it is"});
}

class Copier {
 public:
  Copier(std::string folder, std::vector<std::string> files)
      : sources_(std::make_shared<Sources>(std::move(folder), std::move(files))) {}

  // Fills `into` with the pages; beyond a file's end with zeros.
  Result<void> copy(std::span<const PageKey> pages, std::span<std::byte> into) {
    while (!pages.empty()) {
      auto copied =
          asked_.ask([sources = sources_, left = std::vector(pages.begin(), pages.end())] {
            return sources->first_of(left);
          });
      if (!copied) return unanswered(sources_->path_of(sources_->asked()));
      SKL_TRY(const auto bytes, *std::move(copied));
      std::ranges::copy(bytes, into.begin());
      into = into.subspan(bytes.size());
      pages = pages.subspan(bytes.size() / kSeenPageBytes);
    }
    return {};
  }

 private:
  class Sources {
   public:
    Sources(std::string folder, std::vector<std::string> files)
        : folder_(std::move(folder)),
          files_(std::move(files)),
          opened_(descriptor_budget().files) {}

    std::string path_of(PageKey page) const { return folder_ + "/" + files_[file_of_page(page)]; }
    PageKey asked() const { return asked_; }
    // Returns as many of the pages, from the first one on, as can be read in one question.
    Result<std::vector<std::byte>> first_of(std::span<const PageKey> pages) {
      const auto end = std::chrono::steady_clock::now() + kOneQuestion;
      std::vector<std::byte> bytes(pages.size() * kSeenPageBytes);
      size_t done = 0;
      do {
        SKL_TRY_DO(
            read(pages[done], std::span(bytes).subspan(done * kSeenPageBytes, kSeenPageBytes)));
        ++done;
      } while (done < pages.size() && std::chrono::steady_clock::now() < end);
      bytes.resize(done * kSeenPageBytes);
      return bytes;
    }

   private:
    Result<void> read(PageKey page, std::span<std::byte> into) {
      asked_ = page;
      const auto* source = opened_.find(file_of_page(page));
      if (source == nullptr) {
        SKL_TRY(auto opened, open_source(path_of(page)));
        source = &opened_.add(file_of_page(page), std::move(opened));
      }
      const uint64_t at = number_of_page(page) * kSeenPageBytes;
      const uint64_t size = (*source)->size_bytes();
      if (at >= size) return {};
      return (*source)->read_at(at, into.first(std::min<uint64_t>(into.size(), size - at)));
    }

    std::string folder_;
    std::vector<std::string> files_;
    FewOpen<std::unique_ptr<ByteSource>> opened_;
    std::atomic<PageKey> asked_ = 0;
  };

  std::shared_ptr<Sources> sources_;
  TimedQuestions asked_{kLongestCall};
};

Result<void> write_section(const PendingFile& file, Copier& copier, ShadowSection& section) {
  std::vector<std::byte> chunk(kShadowChunkBytes);
  const size_t in_chunk = kShadowChunkBytes / kSeenPageBytes;
  for (size_t first = 0; first < section.pages.size(); first += in_chunk) {
    const size_t count = std::min(in_chunk, section.pages.size() - first);
    const auto bytes = std::span(chunk).first(count * kSeenPageBytes);
    SKL_TRY_DO(copier.copy(std::span(section.pages).subspan(first, count), bytes));
    Hasher64 hasher;
    hasher.add(bytes);
    section.hashes.push_back(hasher.digest());
    SKL_TRY_DO(file.write_at(section.offset_bytes + first * kSeenPageBytes, bytes));
  }
  return {};
}

// Returns each file's stamp; a missing file gets a stamp that no file has.
Result<std::vector<ChangeStamp>> stamps_of(const std::string& folder,
                                           const std::vector<std::string>& files) {
  TimedQuestions asked(kLongestCall);
  std::vector<ChangeStamp> stamps;
  for (const std::string& file : files) {
    const std::string path = folder + "/" + file;
    const auto stamp = asked.ask([path] { return change_stamp_of(path); });
    if (!stamp) return unanswered(path);
    stamps.push_back(*stamp && **stamp ? ***stamp : ChangeStamp{});
  }
  return stamps;
}

}  // namespace

Result<void> drop_changed(const std::string& folder, Learned& learned) {
  std::vector<ChangeStamp>& copied = learned.shadow.stamps;
  SKL_TRY(const auto now, stamps_of(folder, learned.files));
  for (size_t i = 0; i < copied.size(); ++i)
    if (copied[i] != now[i]) copied[i] = {};
  return {};
}

Result<uint64_t> write_shadow(const GameState& state, const std::string& folder, Learned& learned,
                              uint64_t room_bytes) {
  SKL_TRY(const auto free, free_bytes(state.folder()));
  const uint64_t room = std::min(
      {room_bytes, free - std::min(free, kKeptFreeBytes), kMostLearnedPages * kSeenPageBytes});
  Shadow shadow;
  const int64_t begun_ns = file_clock_ns();
  SKL_TRY(shadow.stamps, stamps_of(folder, learned.files));
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
  // If a file was written meanwhile, its stamp has changed, so its original is used. The original
  // is also used if the file was written just before, since one more write might not have changed
  // the stamp.
  SKL_TRY(const auto after, stamps_of(folder, learned.files));
  for (size_t i = 0; i < after.size(); ++i)
    if (after[i] != shadow.stamps[i] || !is_settled(after[i], begun_ns)) shadow.stamps[i] = {};
  SKL_TRY_DO(file.commit());
  const std::string old = std::exchange(learned.shadow, std::move(shadow)).file;
  SKL_TRY_DO(state.save(learned));
  if (!old.empty()) SKL_TRY_DO(remove_file(state.shadow_path(old)));
  return size;
}

}  // namespace seekless
