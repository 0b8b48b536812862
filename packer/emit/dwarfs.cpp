// Writes the list for mkdwarfs --order=explicit:file=FILE: one path a line, relative to the folder
// that is packed. Files that aren't named come last.
#include "packer/emit/internal/formats.h"

namespace seekless {
EmitFormat dwarfs_format() {
  return {.name = "dwarfs",
          .taken_by = "mkdwarfs -i FOLDER -o IMAGE --order=explicit:file=LIST",
          .takes_prefix = true,
          .fault_of = text_fault,
          .write = write_lines};
}

}  // namespace seekless
