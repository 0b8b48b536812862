// Reads a plain list of names, one path a line, in the order they are read. Each counts as read as
// a whole. Other text on a line is removed if it certainly isn't part of the path (list_form.h).
// Nearly any text can pass for a list, so this dialect is tried last and takes only lines that look
// like paths: no tables, markup, logs, prose or bytes. With --format list, any line is a name. If
// the list comes from Windows, backslashes in relative paths become slashes.
#include <vector>

#include "packer/base/windows_names.h"
#include "packer/base/windows_words.h"
#include "packer/trace/internal/dialects.h"
#include "packer/trace/internal/lines.h"
#include "packer/trace/internal/list_form.h"
#include "packer/trace/internal/text_dialect.h"

namespace seekless {
namespace {

// This many lines show the list's form; examining more would take longer.
constexpr size_t kLinesOfForm = 1000;
constexpr size_t kBytesLookedAt = size_t{64} << 10;

class ListParser {
 public:
  ListParser(const ByteStream& stream, const ImportOptions& options, TraceSink& sink,
             ImportReport& report)
      : file_(stream.name()),
        options_(options),
        takes_any_line_(options.format == "list"),
        writer_(sink),
        report_(report) {
    if (options.is_known)
      is_known_ = [&options](std::string_view path) {
        return options.is_known(map_path(options.path_maps, path));
      };
  }

  Result<void> begin() { return writer_.begin("list"); }
  Result<bool> line(std::string_view text) {
    if (text.contains('\0')) return false;
    if (form_) return add(text);
    waiting_.emplace_back(text);
    waiting_bytes_ += text.size();
    if (waiting_.size() < kLinesOfForm && waiting_bytes_ < kBytesLookedAt) return true;
    SKL_TRY_DO(add_waiting());
    return true;
  }
  Result<void> finish() { return form_ ? Result<void>{} : add_waiting(); }

 private:
  Result<void> add_waiting() {
    const std::vector<std::string_view> lines(waiting_.begin(), waiting_.end());
    form_ = takes_any_line_ ? ListForm::of_any_lines(lines, is_known_)
                            : ListForm::of(lines, is_known_, file_);
    if (!form_->note().empty()) report_.warnings.push_back(form_->note());
    for (const std::string_view text : lines) SKL_TRY_DROP(add(text));
    waiting_ = {};
    return {};
  }

  Result<bool> add(std::string_view text) {
    const auto path = takes_any_line_ ? std::optional(text) : form_->path_of(text, is_known_);
    if (!path) return true;
    Event event;
    event.length_bytes = kWholeFile;
    if (!form_->is_from_windows() || is_path_of_windows(*path) || (is_known_ && is_known_(*path)))
      return writer_.add_in_order(*path, event);
    return writer_.add_in_order(with_slashes(std::string(*path)), event);
  }

  std::string file_;
  const ImportOptions& options_;
  bool takes_any_line_;
  EventWriter writer_;
  ImportReport& report_;
  ListForm::IsKnown is_known_;
  std::optional<ListForm> form_;
  std::vector<std::string> waiting_;
  size_t waiting_bytes_ = 0;
};

bool recognise_list(std::string_view front) {
  if (front.empty() || front.contains('\0')) return false;
  std::vector<std::string_view> lines;
  while (!front.empty() && lines.size() < kLinesOfForm) {
    if (front.find('\n') == std::string_view::npos && !lines.empty()) break;
    const std::string_view line = take_line(front);
    if (!line.empty()) lines.push_back(line);
  }
  return ListForm::are_list(lines);
}

Result<void> parse_list(ByteStream& stream, const ImportOptions& options, TraceSink& sink,
                        ImportReport& report) {
  ListParser parser(stream, options, sink, report);
  SKL_TRY_DO(parser.begin());
  if (auto read = for_each_line(stream, LastLine::may_end, report,
                                [&](std::string_view text) { return parser.line(text); });
      !read)
    return read;
  return parser.finish();
}

}  // namespace

const Dialect kListDialect = {"list", "one path per line, and nothing else", recognise_list,
                              parse_list};

}  // namespace seekless
