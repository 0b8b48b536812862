// CernVM-FS: what cvmfs_shrinkwrap --spec-file and its kind take: an absolute path of the
// repository a line. It says which files to fetch, not in which order; '*' is a pattern there, and
// can't be said otherwise.
#include "packer/emit/formats.h"

namespace seekless {
namespace {

std::string_view fault_of(std::string_view path) {
  if (path.contains('*')) return "a '*' in its name, which is a pattern there";
  return trimmed_fault(path);
}

}  // namespace

EmitFormat cvmfs_format() {
  return {.name = "cvmfs",
          .taken_by = "cvmfs_shrinkwrap --repo NAME --spec-file LIST",
          .unlisted = Unlisted::not_fetched,
          .takes_prefix = true,
          .prefix = "/",
          .fault_of = fault_of,
          .write = write_lines};
}

}  // namespace seekless
