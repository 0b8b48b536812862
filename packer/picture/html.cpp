// The page: words and tables for everybody, and for the script the reads. All text from outside is
// escaped on its way in, for HTML or for JSON within HTML.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/host/files.h"
#include "packer/picture/packed_reads.h"
#include "packer/picture/page_parts.h"
#include "packer/picture/picture.h"
#include "packer/picture/prepared.h"
#include "packer/report/figures.h"
#include "packer/report/html_parts.h"
#include "packer/report/plain_text.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostRows = 200;  // of a table of files
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

std::string counted(uint64_t number, std::string_view thing) {
  return fmt::format("{} {}{}", grouped(number), thing, number == 1 ? "" : "s");
}

// What the picture shows, for those who don't see it. Plain text.
std::string description(const PreparedPage& page, const PreparedPicture& picture) {
  const ReadFigures& figures = picture.figures;
  if (figures.reads == 0) return "Nothing was read.";
  std::string out = fmt::format("{} of {} from {} in {}. ", counted(figures.reads, "read"),
                                bytes_text(figures.bytes), counted(figures.files, "file"),
                                seconds_text(seconds(picture.end_us)));
  out += fmt::format(
      "{} of them begin elsewhere than the one before ended, {} of these further back; half of the "
      "reads are of {} or less.",
      grouped(figures.jumps), grouped(figures.backwards), read_size_text(figures.median_bytes));
  const FileFigures& most = picture.by_file.front();
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
  for (const std::string& note : notes)
    out += fmt::format("<p class=\"note\">{}</p>\n", escape_html(note));
  return out;
}

std::string figure_html(const PicturePage& page, const PreparedPage& prepared, size_t i) {
  return fmt::format(
      "<figure class=\"picture\">\n<figcaption id=\"title-{0}\">{1}</figcaption>\n"
      "<p class=\"note\" id=\"what-{0}\">{2}</p>\n{3}"
      "<div class=\"frame\" data-picture=\"{0}\" tabindex=\"0\" role=\"application\" "
      "aria-roledescription=\"disk-offset graph\" aria-labelledby=\"title-{0}\" "
      "aria-describedby=\"what-{0} keys\" hidden></div>\n</figure>\n",
      i, escape_html(title_of(page.pictures[i], i)),
      escape_html(description(prepared, prepared.pictures[i])), notes_html(page.pictures[i]));
}

std::string legend_html(const PreparedPage& page) {
  std::vector<const PreparedFile*> coloured(kColours);
  size_t others = 0;
  for (const PreparedFile& file : page.files) {
    if (file.colour < kColours)
      coloured[file.colour] = &file;
    else
      ++others;
  }
  const auto entry = [](uint32_t colour, const std::string& name) {
    return fmt::format(
        "<label><input type=\"checkbox\" checked data-colour=\"{0}\"><i class=\"c{0}\"></i>{1}"
        "</label>\n",
        colour, name);
  };
  std::string out = "<div class=\"files\" role=\"group\" aria-label=\"Files shown\">\n";
  for (uint32_t colour = 0; colour < kColours; ++colour)
    if (coloured[colour] != nullptr)
      out += entry(colour, escape_html(cut_middle(coloured[colour]->name, kLegendName)));
  if (others > 0) out += entry(kOtherColour, counted(others, "other file"));
  return out + "</div>\n";
}

constexpr std::string_view kControls = R"html(<div class="controls" hidden>
<div class="buttons" role="toolbar" aria-label="View">
<button type="button" data-do="in" title="Zoom in on time (+)">Time +</button>
<button type="button" data-do="out" title="Zoom out (-)">Time &minus;</button>
<button type="button" data-do="taller" title="Zoom in on places (Page up)">Places +</button>
<button type="button" data-do="lower" title="Zoom out (Page down)">Places &minus;</button>
<button type="button" data-do="slice" title="Zoom to the slice (Enter)">Zoom to slice</button>
<button type="button" data-do="clear" title="Select nothing (Escape)">No slice</button>
<button type="button" data-do="all" title="Show all (0)">All</button>
<label><input type="checkbox" id="moves"> Dragging moves</label>
<label><input type="checkbox" id="way"> Way between reads</label>
</div>
</div>
)html";

constexpr std::string_view kKeys = R"html(<details class="keys" hidden>
<summary>How to look around</summary>
<p id="keys">Drag to select a slice of time. Wheel or pinch: zoom in time; with Shift: in places. Shift and drag: move. Keys: arrows move, + and &minus; zoom in time, Page up and Page down in places, 0 shows all, N and P step from read to read, [ and ] set the slice's ends there, Enter zooms to the slice, Escape clears it. Dots are larger for reads of 64 KiB or more, and of 1 MiB or more; whatever took longer or is longer than its dot is drawn as long as it is.</p>
</details>
)html";

// The figures of each picture; the script puts those of a slice in their place.
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
  const size_t rows = std::min(kMostRows, prepared.by_file.size());
  for (const FileFigures& figures : std::span(prepared.by_file).first(rows)) {
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
  return {{"drive", scale.is_drive}, {"height", scale.height}, {"bands", std::move(bands)}};
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

// JSON that can stand within a script element: no name can end that.
std::string data_json(const PreparedPage& page) {
  Json files = Json::array();
  for (const PreparedFile& file : page.files) files.push_back({file.name, file.colour});
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

std::string head_html(const std::string& title) {
  // Styles of elements are set by the script, so those can't be told by a hash.
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "script-src 'sha256-{}'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}{}</style>\n</head>\n",
      base64(picture_script_hash()), escape_html(title), style_sheet(), picture_style());
}

}  // namespace

std::string picture_html(const PicturePage& page) {
  const PreparedPage prepared = prepare(page);
  const std::string title = page.title.empty() ? "What is read when, and where" : page.title;
  std::string out = head_html(title);
  out += fmt::format(
      "<body>\n<main>\n<h1>{}</h1>\n<p>Time runs to the right, places upwards; each dot is a "
      "read.</p>\n<noscript><p class=\"note\">The picture itself needs JavaScript; the tables "
      "don't.</p></noscript>\n{}{}<div class=\"pictures pictures-{}\">\n",
      escape_html(title), legend_html(prepared), kControls,
      std::min<size_t>(2, page.pictures.size()));
  for (size_t i = 0; i < page.pictures.size(); ++i) out += figure_html(page, prepared, i);
  out += "</div>\n<p id=\"read\" class=\"read\" role=\"status\" hidden></p>\n";
  out += kKeys;
  out += slice_html(page, prepared);
  out += "<section>\n<h2>Files</h2>\n";
  for (size_t i = 0; i < page.pictures.size(); ++i)
    out += files_table(page.pictures[i], prepared, prepared.pictures[i], i);
  out += "</section>\n</main>\n<script type=\"application/json\" id=\"data\">";
  out += data_json(prepared);
  out += "</script>\n<script>";
  out += picture_script();
  return out + "</script>\n</body>\n</html>\n";
}

Result<void> write_picture(const std::string& path, const PicturePage& page) {
  return write_text(path, picture_html(page));
}

}  // namespace seekless
