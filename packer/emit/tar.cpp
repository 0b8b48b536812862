// Writes the list for tar --null --no-recursion -T FILE. It names everything in the folder, because
// the list alone decides what is packed. Each name ends with a NUL, so any name is possible.
#include <unordered_set>

#include "packer/emit/internal/formats.h"

namespace seekless {
namespace {

class Listing {
 public:
  // Folders come right before the first thing in them, so that unpacking makes them in time.
  void add(const std::string& path) {
    for (size_t slash = path.find('/'); slash != std::string::npos;
         slash = path.find('/', slash + 1))
      add_folder(path.substr(0, slash));
    add_line(path);
  }

  void add_folder(const std::string& path) {
    if (folders_.insert(path).second) add_line(path);
  }

  std::string take() { return std::move(text_); }

 private:
  void add_line(const std::string& path) {
    text_ += "./";  // protects names that begin with a dash or an '@'
    text_ += path;
    text_ += '\0';
  }

  std::unordered_set<std::string> folders_;
  std::string text_;
};

EmittedList write_tar(const FileOrder& order, std::string_view) {
  Listing listing;
  for (const std::string& path : order.read) listing.add(path);
  for (const std::string& path : order.links) listing.add(path);
  for (const std::string& path : order.folders) listing.add_folder(path);
  for (const std::string& path : order.unread) listing.add(path);
  return {.text = listing.take()};
}

std::string_view fault_of(std::string_view) {
  return "";
}

}  // namespace

EmitFormat tar_format() {
  return {.name = "tar",
          .taken_by = "tar -C FOLDER --null --no-recursion -T LIST -cf ARCHIVE",
          .unlisted = Unlisted::left_out,
          .fault_of = fault_of,
          .write = write_tar};
}

}  // namespace seekless
