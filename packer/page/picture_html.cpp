// Writes the page: text and tables, and the reads for the script. All text from outside is escaped,
// for HTML or for JSON within HTML.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/host/files.h"
#include "packer/page/internal/html_parts.h"
#include "packer/page/internal/page_parts.h"
#include "packer/page/internal/picture.h"
#include "packer/page/internal/picture_packs.h"
#include "packer/page/internal/prepared_picture.h"
#include "packer/words/figures.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostFileRows = 200;  // limit of rows in a table of files
constexpr size_t kLegendName = 48;

double seconds(uint64_t time_us) {
  return static_cast<double>(time_us) / 1e6;
}

std::string time_cell(uint64_t time_us) {
  return fmt::format("{:.3f}", seconds(time_us));
}

std::string title_of(const Picture& picture, size_t number) {
  return picture.title.empty() ? fmt::format("Picture {}", number + 1) : picture.title;
}

// Describes the picture in plain text for people who can't see it.
std::string description(const PreparedPage& page, const PreparedPicture& picture) {
  const ReadFigures& figures = picture.figures;
  if (figures.reads == 0) return "Nothing was read.";
  std::string out = fmt::format("{} of {} from {} in {}. ", grouped_count(figures.reads, "read"),
                                bytes_text(figures.bytes), grouped_count(figures.files, "file"),
                                seconds_text(seconds(picture.end_us)));
  out += fmt::format(
      "{} of them don't begin where the one before ended, {} of these lie before it; half of the "
      "reads are of {} or less.",
      grouped(figures.jumps), grouped(figures.backwards), read_size_text(figures.median_bytes));
  const PictureFileFigures& most = picture.by_file.front();
  if (figures.files > 1 && figures.bytes > 0)
    out += fmt::format(" Most is read from {}: {:.0f} %.",
                       cut_middle(page.files[most.file].name, kLegendName),
                       100 * static_cast<double>(most.bytes) / static_cast<double>(figures.bytes));
  return out;
}

std::string every_nth_note(uint64_t every_nth) {
  if (every_nth <= 1) return {};
  return fmt::format(
      "There are too many reads for a page: one of {} is drawn, and all figures here count only "
      "those. Jumps can't be told from this.",
      grouped(every_nth));
}

std::string notes_html(const Picture& picture) {
  std::vector<std::string> notes = picture.notes;
  if (picture.every_nth > 1) notes.insert(notes.begin(), every_nth_note(picture.every_nth));
  std::string out;
  if (!picture.disk.empty()) notes.push_back(picture.disk);
  for (const std::string& note : notes)
    out += fmt::format("<p class=\"note\">{}</p>\n", escape_html(note));
  return out;
}

std::string figure_html(const PicturePage& page, const PreparedPage& prepared, size_t i) {
  return fmt::format(
      "<figure class=\"picture\">\n<figcaption id=\"title-{0}\">{1}</figcaption>\n"
      "<p class=\"note\" id=\"what-{0}\">{2}</p>\n"
      "<div class=\"frame\" data-picture=\"{0}\" tabindex=\"0\" role=\"application\" "
      "aria-roledescription=\"disk-offset graph\" aria-labelledby=\"title-{0}\" "
      "aria-describedby=\"what-{0} keys\" hidden></div>\n{3}</figure>\n",
      i, escape_html(title_of(page.pictures[i], i)),
      escape_html(description(prepared, prepared.pictures[i])), notes_html(page.pictures[i]));
}

// Returns the length of the folder that all names begin with. It isn't shown, because each name
// would repeat it.
size_t shared_folder(const std::vector<ColourOwner>& colours) {
  if (colours.size() < 2) return 0;
  std::string_view shared = colours.front().name;
  for (const ColourOwner& of : colours)
    shared = shared.substr(
        0, static_cast<size_t>(std::ranges::mismatch(shared, of.name).in1 - shared.begin()));
  const size_t slash = shared.find_last_of('/');
  return slash == std::string_view::npos ? 0 : slash;
}

std::string legend_name(const ColourOwner& owner, size_t shared) {
  std::string name = owner.name;
  if (name.size() > kLegendName && shared > 0) name = "\xe2\x80\xa6" + name.substr(shared);
  name = cut_middle(name, kLegendName);
  if (owner.is_folder) name += fmt::format(" ({})", grouped_count(owner.files, "file"));
  return name;
}

std::string lead_html(const std::string& lead) {
  return lead.empty() ? "" : fmt::format("<p class=\"lead\">{}</p>\n", escape_html(lead));
}

std::string legend_html(const PreparedPage& page) {
  size_t others = 0;
  for (const PreparedFile& file : page.files) others += file.colour == kOtherColour ? 1 : 0;
  const auto entry = [](uint32_t colour, const std::string& title, const std::string& name) {
    return fmt::format(
        "<label title=\"{1}\"><input type=\"checkbox\" checked data-colour=\"{0}\"><i "
        "class=\"c{0}\"></i>{2}</label>\n",
        colour, title, name);
  };
  std::string out = "<div class=\"files\" role=\"group\" aria-label=\"Files shown\">\n";
  const size_t shared = shared_folder(page.colours);
  for (uint32_t colour = 0; colour < page.colours.size(); ++colour) {
    const ColourOwner& owner = page.colours[colour];
    out += entry(colour, escape_html(owner.name), escape_html(legend_name(owner, shared)));
  }
  if (others > 0) out += entry(kOtherColour, "", grouped_count(others, "other file"));
  return out + "</div>\n";
}

constexpr std::string_view kPlaces = R"html(<label>Upwards: <select id="places">
<option value="disk" selected>places on the disk</option>
<option value="files">files in the order of their first reads</option>
</select></label>
)html";

// Returns the figures of each picture. When the reader selects a slice, the script shows the
// slice's figures instead.
std::string slice_html(const PicturePage& page, const PreparedPage& prepared) {
  std::string out =
      "<section>\n<h2 id=\"slice-title\" aria-live=\"polite\">All of it</h2>\n"
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-labelledby=\"slice-title\">\n"
      "<table id=\"slice\">\n<thead><tr><th class=\"text\" scope=\"col\">picture</th>"
      "<th scope=\"col\">reads</th><th scope=\"col\">bytes</th><th scope=\"col\">files</th>"
      "<th scope=\"col\">jumps</th><th scope=\"col\">backwards</th><th scope=\"col\">MB/s</th>"
      "<th scope=\"col\">median read</th></tr></thead>\n<tbody>\n";
  for (size_t i = 0; i < page.pictures.size(); ++i) {
    const PreparedPicture& picture = prepared.pictures[i];
    const ReadFigures& figures = picture.figures;
    const auto rate = ratio(static_cast<double>(figures.bytes) / 1e6, seconds(picture.end_us));
    out += fmt::format(
        "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
        "<td>{}</td><td>{}</td></tr>\n",
        escape_html(title_of(page.pictures[i], i)), grouped(figures.reads), grouped(figures.bytes),
        grouped(figures.files), grouped(figures.jumps), grouped(figures.backwards),
        rate ? fmt::format("{:.2f}", *rate) : "", grouped(figures.median_bytes));
  }
  return out +
         "</tbody>\n</table>\n</div>\n<p class=\"note\">A jump is a read that doesn't begin where "
         "the one before it ended; it goes backwards if it is to a lower place of the same file, "
         "or of the drive. MB are millions of bytes, by the time of the slice.</p>\n</section>\n";
}

std::string files_table(const Picture& picture, const PreparedPage& page,
                        const PreparedPicture& prepared, size_t number) {
  std::string out = fmt::format(
      "<h3>{0}</h3>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Files of "
      "{0}\">\n<table>\n<thead><tr><th class=\"text\" scope=\"col\">file</th>"
      "<th scope=\"col\">reads</th><th scope=\"col\">bytes</th><th scope=\"col\">first, s</th>"
      "<th scope=\"col\">last, s</th></tr></thead>\n<tbody>\n",
      escape_html(title_of(picture, number)));
  const size_t rows = std::min(kMostFileRows, prepared.by_file.size());
  for (const PictureFileFigures& figures : std::span(prepared.by_file).first(rows)) {
    const PreparedFile& file = page.files[figures.file];
    out += fmt::format(
        "<tr><th scope=\"row\"><i class=\"c{}\"></i>{}</th><td>{}</td><td>{}</td><td>{}</td>"
        "<td>{}</td></tr>\n",
        file.colour, escape_html(file.name), grouped(figures.reads), grouped(figures.bytes),
        time_cell(figures.first_us), time_cell(figures.last_us));
  }
  out += "</tbody>\n</table>\n</div>\n";
  if (rows < prepared.by_file.size())
    out += fmt::format("<p class=\"note\">Listed are the {} of {} files that are read most.</p>\n",
                       rows, grouped(prepared.by_file.size()));
  return out;
}

Json scale_json(const Scale& scale) {
  Json bands = Json::array();
  for (const Band& band : scale.bands)
    bands.push_back({band.first_bytes, band.length_bytes, band.base, band.file});
  Json json = {{"drive", scale.is_drive}, {"height", scale.height}, {"bands", std::move(bands)}};
  if (scale.disk_bands.empty()) return json;
  Json disk = Json::array();
  for (const Band& band : scale.disk_bands)
    disk.push_back({band.first_bytes, band.length_bytes, band.base});
  json["disk"] = {{"height", scale.disk_height}, {"bands", std::move(disk)}};
  return json;
}

Json picture_json(const PreparedPicture& picture, size_t files) {
  Json marks = Json::array();
  for (const PreparedMark& mark : picture.marks)
    marks.push_back({mark.time_us, mark.name, mark.begins});
  return {{"scale", picture.scale},
          {"marks", std::move(marks)},
          {"end", picture.end_us},
          {"count", picture.reads.size()},
          {"reads", base64(pack_reads(picture.reads, files))}};
}

// Returns [name, colour, pieces, assets]. The last two are flat lists, and are left out if unknown.
Json file_json(const PreparedFile& file) {
  Json json = {file.name, file.colour};
  if (file.pieces.empty() && file.assets.empty()) return json;
  Json& pieces = json.emplace_back(Json::array());
  for (const PicturePiece& piece : file.pieces)
    for (const uint64_t number : {piece.offset_bytes, piece.place_bytes, piece.length_bytes})
      pieces.push_back(number);
  if (file.assets.empty()) return json;
  Json& assets = json.emplace_back(Json::array());
  for (const PictureAsset& asset : file.assets)
    assets.push_back({asset.offset_bytes, asset.length_bytes, asset.name});
  return json;
}

// Returns JSON that can stand within a script element, because no name can end that element.
std::string data_json(const PreparedPage& page) {
  Json files = Json::array();
  for (const PreparedFile& file : page.files) files.push_back(file_json(file));
  Json scales = Json::array();
  for (const Scale& scale : page.scales) scales.push_back(scale_json(scale));
  Json pictures = Json::array();
  for (const PreparedPicture& picture : page.pictures)
    pictures.push_back(picture_json(picture, page.files.size()));
  const Json data = {{"end", page.end_us},
                     {"files", std::move(files)},
                     {"scales", std::move(scales)},
                     {"pictures", std::move(pictures)}};
  std::string out;
  for (const char c : data.dump()) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string picture_html(const PicturePage& page) {
  const PreparedPage prepared = prepare(page);
  const bool has_disk = std::ranges::any_of(
      prepared.scales, [](const Scale& scale) { return !scale.disk_bands.empty(); });
  std::string figures;
  std::string files;
  for (size_t i = 0; i < page.pictures.size(); ++i) {
    figures += figure_html(page, prepared, i);
    files += files_table(page.pictures[i], prepared, prepared.pictures[i], i);
  }
  // The script sets styles of elements, which a policy can't allow by hash.
  return filled(
      picture_skeleton(),
      {{"script hash", base64(picture_script_hash())},
       {"title", escape_html(page.title.empty() ? "What is read when, and where" : page.title)},
       {"style", std::string(page_style())},
       {"picture style", std::string(picture_style())},
       {"way", has_disk
                   ? "what a disk's head has to travel"
                   : "on a disk its head has to travel, too, though not as far as it looks here"},
       {"lead", lead_html(page.lead)},
       {"legend", legend_html(prepared)},
       {"choice of places", has_disk ? std::string(kPlaces) : ""},
       {"columns", fmt::to_string(std::min<size_t>(2, page.pictures.size()))},
       {"figures", std::move(figures)},
       {"slice", slice_html(page, prepared)},
       {"files", std::move(files)},
       {"data", data_json(prepared)},
       {"script", std::string(picture_script())}});
}

Result<void> write_picture(const std::string& path, const PicturePage& page) {
  return write_text(path, picture_html(page));
}

}  // namespace seekless
