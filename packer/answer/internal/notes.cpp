#include "packer/answer/internal/notes.h"

#include <algorithm>

#include "packer/words/plain_text.h"

namespace seekless {
namespace {

constexpr size_t kMostNotes = 5;

// A command isn't wrapped, so that it can be copied.
std::string list_item(const std::string& note, size_t columns) {
  const std::string clean = clean_line(note);
  if (clean.contains(": seekless ")) return "- " + clean + "\n";
  std::string text;
  for (const std::string& line : wrap(clean, columns - 2))
    text += (text.empty() ? "- " : "  ") + line + "\n";
  return text;
}

}  // namespace

std::string to_text(const AnswerNotes& notes, bool is_verbose, size_t columns) {
  std::string text;
  const bool is_cut = !is_verbose && (!notes.more.empty() || notes.brief.size() > kMostNotes);
  const size_t shown = is_cut ? std::min(notes.brief.size(), kMostNotes - 1) : notes.brief.size();
  for (size_t i = 0; i < shown; ++i) text += list_item(notes.brief[i], columns);
  if (is_cut) return text + "- --verbose says more\n";
  for (const std::string& note : notes.more) text += list_item(note, columns);
  return text;
}

}  // namespace seekless
