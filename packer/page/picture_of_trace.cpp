#include "packer/page/picture_of_trace.h"

#include <algorithm>

#include <fmt/format.h>

#include "packer/words/counted.h"

namespace seekless {

Result<void> PictureOfTrace::begin(const TraceHeader& header) {
  picture_.title = header.scenario;
  return {};
}

Result<void> PictureOfTrace::add_path(std::string_view path) {
  picture_.files.push_back({.name = std::string(path)});
  if (is_drawn_) is_left_out_.push_back(!is_drawn_(path));
  return {};
}

Result<void> PictureOfTrace::add_event(const Event& event) {
  if (event.kind == EventKind::open) return {};
  if (event.path < is_left_out_.size() && is_left_out_[event.path]) {
    ++left_out_;
    return {};
  }
  if (event.kind == EventKind::map) ++maps_;
  const bool is_whole = event.length_bytes == kWholeFile;
  if (is_whole) ++whole_files_;
  if (seen_++ % picture_.every_nth != 0) return {};
  if (picture_.reads.size() == most_reads_) {
    // The remaining reads are the same as if the step had been twice as large from the beginning.
    size_t kept = 0;
    for (size_t i = 0; i < picture_.reads.size(); i += 2)
      picture_.reads[kept++] = picture_.reads[i];
    picture_.reads.resize(kept);
    picture_.every_nth *= 2;
    if ((seen_ - 1) % picture_.every_nth != 0) return {};
  }
  picture_.reads.push_back({.start_ns = event.start_ns,
                            .duration_ns = event.duration_ns,
                            .offset_bytes = event.offset_bytes,
                            .length_bytes = is_whole ? 0 : event.length_bytes,
                            .file = event.path,
                            .thread = event.thread});
  return {};
}

Result<void> PictureOfTrace::add_mark(const Mark& mark) {
  picture_.marks.push_back({mark.time_ns, mark.scenario, mark.begins});
  return {};
}

void PictureOfTrace::leave_out_unread_files() {
  constexpr uint32_t kUnread = UINT32_MAX;
  std::vector<uint32_t> numbers(picture_.files.size(), kUnread);
  std::vector<PictureFile> read;
  for (PictureRead& of : picture_.reads) {
    if (of.file >= numbers.size()) continue;
    uint32_t& number = numbers[of.file];
    if (number == kUnread) {
      number = static_cast<uint32_t>(read.size());
      read.push_back(std::move(picture_.files[of.file]));
    }
    of.file = number;
  }
  picture_.files = std::move(read);
}

Picture PictureOfTrace::finish() {
  leave_out_unread_files();
  if (left_out_ > 0)
    picture_.notes.push_back(
        fmt::format("{} not drawn; without --content they are.",
                    counted(left_out_, "read of files that aren't of the content is",
                            "reads of files that aren't of the content are")));
  if (maps_ > 0)
    picture_.notes.push_back(fmt::format(
        "{} mappings are drawn as reads of all they map: which pages were touched isn't known.",
        maps_));
  if (whole_files_ > 0)
    picture_.notes.push_back(fmt::format(
        "{} of the reads are known by name only, and drawn without a length.", whole_files_));
  return std::move(picture_);
}

}  // namespace seekless
