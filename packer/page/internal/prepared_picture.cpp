#include "packer/page/internal/prepared_picture.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

#include <fmt/format.h>

#include "packer/page/internal/picture_scale.h"
#include "packer/words/plain_text.h"
#include "packer/words/utf8.h"

namespace seekless {
namespace {

uint64_t microseconds_between(int64_t origin_ns, int64_t time_ns) {
  // The difference is unsigned, because it may not fit a signed number.
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

// Returns the page's time 0: the time of the first read or mark.
int64_t origin_of(const Picture& picture) {
  int64_t origin_ns = INT64_MAX;
  for (const PictureRead& read : picture.reads) origin_ns = std::min(origin_ns, read.start_ns);
  for (const PictureMark& mark : picture.marks) origin_ns = std::min(origin_ns, mark.time_ns);
  return origin_ns;
}

std::vector<PicturePiece> prepared_pieces(const std::vector<PicturePiece>& pieces) {
  std::vector<PicturePiece> prepared;
  for (PicturePiece piece : pieces) {
    const uint64_t begin = std::max(piece.offset_bytes, piece.place_bytes);
    if (begin >= kPictureLimit || piece.length_bytes == 0) continue;
    piece.length_bytes = std::min(piece.length_bytes, kPictureLimit - begin);
    prepared.push_back(piece);
  }
  std::ranges::stable_sort(prepared, {}, &PicturePiece::offset_bytes);
  return prepared;
}

std::vector<PictureAsset> prepared_assets(const std::vector<PictureAsset>& assets) {
  std::vector<PictureAsset> prepared;
  for (const PictureAsset& asset : assets)
    if (asset.offset_bytes < kPictureLimit)
      prepared.push_back({asset.offset_bytes,
                          std::min(asset.length_bytes, kPictureLimit - asset.offset_bytes),
                          shown_name(asset.name)});
  std::ranges::stable_sort(prepared, {}, &PictureAsset::offset_bytes);
  return prepared;
}

// Gives one number to all files of the same name in any picture.
class FileNumbers {
 public:
  explicit FileNumbers(std::vector<PreparedFile>& files) : files_(files) {}

  std::vector<uint32_t> numbers_of(const std::vector<PictureFile>& files) {
    std::vector<uint32_t> numbers;
    for (const PictureFile& file : files) {
      const auto [at, is_new] =
          numbers_.try_emplace(file.name, static_cast<uint32_t>(files_.size()));
      if (is_new) files_.push_back({.name = shown_name(file.name)});
      PreparedFile& known = files_[at->second];
      known.size_bytes = std::max(known.size_bytes, std::min(file.size_bytes, kPictureLimit));
      if (known.pieces.empty()) known.pieces = prepared_pieces(file.pieces);
      if (known.assets.empty()) known.assets = prepared_assets(file.assets);
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

std::vector<PictureFileFigures> figures_by_file(const std::vector<PreparedRead>& reads) {
  std::map<uint32_t, PictureFileFigures> by_file;
  for (const PreparedRead& read : reads) {
    PictureFileFigures& figures = by_file[read.file];
    if (figures.reads == 0) figures.first_us = read.start_us;
    figures.file = read.file;
    figures.last_us = read.start_us;
    figures.bytes += read.length_bytes;
    ++figures.reads;
  }
  std::vector<PictureFileFigures> sorted;
  for (const auto& [file, figures] : by_file) sorted.push_back(figures);
  std::ranges::stable_sort(sorted, std::ranges::greater{},
                           [](const PictureFileFigures& f) { return std::pair(f.bytes, f.reads); });
  return sorted;
}

using Weight = std::pair<uint64_t, uint64_t>;  // bytes, reads

std::vector<Weight> weights_of(const PreparedPage& page) {
  std::vector<Weight> read(page.files.size());
  for (const PreparedPicture& picture : page.pictures)
    for (const PictureFileFigures& figures : picture.by_file) {
      read[figures.file].first += figures.bytes;
      read[figures.file].second += figures.reads;
    }
  return read;
}

// Returns the indices of the heaviest, at most as many as there are colours.
std::vector<uint32_t> heaviest(const std::vector<Weight>& weights) {
  std::vector<uint32_t> order(weights.size());
  std::iota(order.begin(), order.end(), uint32_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](uint32_t i) { return weights[i]; });
  order.resize(std::min<size_t>(order.size(), kColours));
  return order;
}

// Returns the bytes of the first `count` in `order` as a share of all bytes, 0 to 1.
double share_of(const std::vector<Weight>& weights, const std::vector<uint32_t>& order,
                size_t count) {
  double all = 0;
  double some = 0;
  for (const Weight& weight : weights) all += static_cast<double>(weight.first);
  for (size_t i = 0; i < std::min(count, order.size()); ++i)
    some += static_cast<double>(weights[order[i]].first);
  return all > 0 ? some / all : 1;
}

std::string folder_of(const std::string& name) {
  const size_t slash = name.find_last_of("/\\");
  return slash == std::string::npos ? "" : name.substr(0, slash + 1);
}

// Gives colours to folders if hundreds of files matter about equally. Returns true if it did.
bool colour_folders(PreparedPage& page, const std::vector<Weight>& read) {
  constexpr double kMostInOne = 0.9;
  std::map<std::string, uint32_t> numbers;
  std::vector<Weight> weights;
  std::vector<uint32_t> folder_of_file;
  for (uint32_t i = 0; i < page.files.size(); ++i) {
    const auto [known, is_new] =
        numbers.emplace(folder_of(page.files[i].name), static_cast<uint32_t>(weights.size()));
    if (is_new) weights.emplace_back();
    weights[known->second].first += read[i].first;
    weights[known->second].second += read[i].second;
    folder_of_file.push_back(known->second);
  }
  const std::vector<uint32_t> order = heaviest(weights);
  if (weights.size() < 2 || share_of(weights, order, 1) > kMostInOne) return false;
  std::vector<uint32_t> colours(weights.size(), kOtherColour);
  page.colours.resize(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) colours[order[i]] = i;
  for (const auto& [name, number] : numbers)
    if (colours[number] != kOtherColour) page.colours[colours[number]].name = name;
  for (uint32_t i = 0; i < page.files.size(); ++i) {
    page.files[i].colour = colours[folder_of_file[i]];
    if (page.files[i].colour == kOtherColour) continue;
    ColourOwner& owner = page.colours[page.files[i].colour];
    owner.is_folder = true;
    if (read[i].second > 0) ++owner.files;
  }
  return true;
}

// Gives the files that are read most a colour of their own.
void give_colours(PreparedPage& page) {
  constexpr double kLeastColouredShare = 0.5;
  const std::vector<Weight> read = weights_of(page);
  const std::vector<uint32_t> order = heaviest(read);
  if (share_of(read, order, kColours) < kLeastColouredShare && colour_folders(page, read)) return;
  for (uint32_t i = 0; i < order.size(); ++i) {
    page.files[order[i]].colour = i;
    page.colours.push_back({page.files[order[i]].name, 1, false});
  }
}

}  // namespace

std::string shown_name(std::string_view name) {
  std::string out;
  while (!name.empty()) {
    const Utf8Character character = first_character(name);
    if (character.valid)
      out += clean_line(name.substr(0, character.bytes));
    else
      out += fmt::format("\\x{:02x}", static_cast<uint8_t>(name[0]));
    name.remove_prefix(character.bytes);
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
