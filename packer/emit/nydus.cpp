// nydus-image create --prefetch-policy fs: an absolute path of the image a line, on standard input.
// Those files lie together in the blob, by path, and are fetched in that order.
#include "packer/emit/formats.h"

namespace seekless {
EmitFormat nydus_format() {
  return {.name = "nydus",
          .taken_by =
              "nydus-image create --prefetch-policy fs --bootstrap BOOTSTRAP --blob BLOB FOLDER "
              "< LIST",
          .unlisted = Unlisted::not_fetched,
          .takes_prefix = true,
          .prefix = "/",
          .fault_of = trimmed_fault,
          .write = write_lines};
}

}  // namespace seekless
