#include "packer/picture/prepared.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

#include <fmt/format.h>

#include "packer/picture/scale.h"
#include "packer/report/plain_text.h"

namespace seekless {
namespace {

uint64_t microseconds_between(int64_t origin_ns, int64_t time_ns) {
  // Unsigned, because the difference of two times may not fit a signed one.
  return std::min((static_cast<uint64_t>(time_ns) - static_cast<uint64_t>(origin_ns)) / 1000,
                  kPictureLimit);
}

PreparedRead prepared_read(const PictureRead& read, int64_t origin_ns, uint32_t file) {
  const uint64_t offset_bytes = std::min(read.offset_bytes, kPictureLimit);
  return {.start_us = microseconds_between(origin_ns, read.start_ns),
          .duration_us = microseconds_between(0, std::max<int64_t>(read.duration_ns, 0)),
          .has_duration = read.duration_ns >= 0,
          .offset_bytes = offset_bytes,
          .length_bytes = std::min(read.length_bytes, kPictureLimit - offset_bytes),
          .file = file,
          .thread = read.thread};
}

// Time 0: of the first read or mark.
int64_t origin_of(const Picture& picture) {
  int64_t origin_ns = INT64_MAX;
  for (const PictureRead& read : picture.reads) origin_ns = std::min(origin_ns, read.start_ns);
  for (const PictureMark& mark : picture.marks) origin_ns = std::min(origin_ns, mark.time_ns);
  return origin_ns;
}

// Gives the files of all pictures one number for each name.
class FileNumbers {
 public:
  explicit FileNumbers(std::vector<PreparedFile>& files) : files_(files) {}

  std::vector<uint32_t> numbers_of(const std::vector<PictureFile>& files) {
    std::vector<uint32_t> numbers;
    for (const PictureFile& file : files) {
      const auto [at, is_new] =
          numbers_.try_emplace(file.name, static_cast<uint32_t>(files_.size()));
      if (is_new) files_.push_back({.name = shown_name(file.name)});
      uint64_t& size_bytes = files_[at->second].size_bytes;
      size_bytes = std::max(size_bytes, std::min(file.size_bytes, kPictureLimit));
      numbers.push_back(at->second);
    }
    return numbers;
  }

 private:
  std::vector<PreparedFile>& files_;
  std::unordered_map<std::string, uint32_t> numbers_;
};

PreparedPicture prepared_picture(const Picture& picture, const std::vector<uint32_t>& numbers) {
  PreparedPicture prepared;
  const int64_t origin_ns = origin_of(picture);
  prepared.reads.reserve(picture.reads.size());
  for (const PictureRead& read : picture.reads)
    if (read.file < numbers.size())
      prepared.reads.push_back(prepared_read(read, origin_ns, numbers[read.file]));
  std::ranges::stable_sort(prepared.reads, {}, &PreparedRead::start_us);
  for (const PreparedRead& read : prepared.reads)
    prepared.end_us =
        std::max(prepared.end_us, std::min(read.start_us + read.duration_us, kPictureLimit));
  for (const PictureMark& mark : picture.marks)
    prepared.marks.push_back(
        {microseconds_between(origin_ns, mark.time_ns), shown_name(mark.name), mark.begins});
  std::ranges::stable_sort(prepared.marks, {}, &PreparedMark::time_us);
  return prepared;
}

ReadFigures figures_of(const std::vector<PreparedRead>& reads, bool is_drive) {
  ReadFigures figures;
  std::vector<uint64_t> lengths_bytes;
  lengths_bytes.reserve(reads.size());
  const PreparedRead* before = nullptr;
  for (const PreparedRead& read : reads) {
    ++figures.reads;
    figures.bytes += read.length_bytes;
    lengths_bytes.push_back(read.length_bytes);
    if (before != nullptr) {
      const uint64_t end_bytes = before->offset_bytes + before->length_bytes;
      const bool is_comparable = is_drive || read.file == before->file;
      if (!is_comparable || read.offset_bytes != end_bytes) ++figures.jumps;
      if (is_comparable && read.offset_bytes < end_bytes) ++figures.backwards;
    }
    before = &read;
  }
  if (!lengths_bytes.empty()) {
    const auto middle =
        lengths_bytes.begin() + static_cast<std::ptrdiff_t>((lengths_bytes.size() - 1) / 2);
    std::ranges::nth_element(lengths_bytes, middle);
    figures.median_bytes = *middle;
  }
  return figures;
}

std::vector<FileFigures> figures_by_file(const std::vector<PreparedRead>& reads) {
  std::map<uint32_t, FileFigures> by_file;
  for (const PreparedRead& read : reads) {
    FileFigures& figures = by_file[read.file];
    if (figures.reads == 0) figures.first_us = read.start_us;
    figures.file = read.file;
    figures.last_us = read.start_us;
    figures.bytes += read.length_bytes;
    ++figures.reads;
  }
  std::vector<FileFigures> sorted;
  for (const auto& [file, figures] : by_file) sorted.push_back(figures);
  std::ranges::stable_sort(sorted, std::ranges::greater{},
                           [](const FileFigures& f) { return std::pair(f.bytes, f.reads); });
  return sorted;
}

// The files that are read most get a colour of their own.
void give_colours(PreparedPage& page) {
  std::vector<std::pair<uint64_t, uint64_t>> read(page.files.size());  // bytes, reads
  for (const PreparedPicture& picture : page.pictures)
    for (const FileFigures& figures : picture.by_file) {
      read[figures.file].first += figures.bytes;
      read[figures.file].second += figures.reads;
    }
  std::vector<uint32_t> order(page.files.size());
  std::iota(order.begin(), order.end(), uint32_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](uint32_t i) { return read[i]; });
  for (uint32_t i = 0; i < order.size() && i < kColours; ++i) page.files[order[i]].colour = i;
}

}  // namespace

std::string shown_name(std::string_view name) {
  constexpr size_t kLongestCharacter = 4;
  std::string out;
  while (!name.empty()) {
    // The shortest front that is a character; none if the byte is none's first.
    size_t length = 1;
    while (length <= kLongestCharacter &&
           valid_utf8(name.substr(0, length)) != name.substr(0, length))
      ++length;
    length = std::min(length, name.size());
    const std::string_view front = name.substr(0, length);
    if (valid_utf8(front) == front) {
      out += clean_line(front);
    } else {
      length = 1;
      out += fmt::format("\\x{:02x}", static_cast<uint8_t>(name[0]));
    }
    name.remove_prefix(length);
  }
  return out;
}

PreparedPage prepare(const PicturePage& page) {
  PreparedPage prepared;
  FileNumbers files(prepared.files);
  for (const Picture& picture : page.pictures) {
    PreparedPicture one = prepared_picture(picture, files.numbers_of(picture.files));
    one.figures = figures_of(one.reads, picture.places == PicturePlaces::drive);
    one.by_file = figures_by_file(one.reads);
    one.figures.files = one.by_file.size();
    prepared.end_us = std::max(prepared.end_us, one.end_us);
    for (const PreparedMark& mark : one.marks)
      prepared.end_us = std::max(prepared.end_us, mark.time_us);
    prepared.pictures.push_back(std::move(one));
  }
  give_colours(prepared);
  give_scales(page, prepared);
  return prepared;
}

}  // namespace seekless
