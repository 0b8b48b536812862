// Provides the packs of a layout before they are written, with the tables and sizes that the pack
// writer would give them without compression, and zeros for content. Simulations run the runtime
// itself on them.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "packer/layout/layout.h"
#include "runtime/file_io.h"

namespace seekless {

class VirtualPacks final : public runtime::FileIo {
 public:
  // Reads the layout's sources where contents seem to be equal, as packing does, and fails where
  // packing would. Uses about as much memory as the tables, whatever the size of the content.
  static Result<std::unique_ptr<VirtualPacks>> of_layout(const Layout& layout);

  // Finds the set's files under their names in any folder. Any thread may call this.
  runtime::Result<std::unique_ptr<runtime::File>> open(const std::string& path) const override;
  bool is_folder(const std::string& path) const override;

 private:
  struct Image {
    std::vector<std::byte> front;  // the part that isn't zero
    uint64_t size_bytes = 0;
  };
  class ZeroFile;

  VirtualPacks() = default;

  std::map<std::string, Image> files_;  // keyed by name
};

// Returns a way to read the packs for `path`: those that a layout (".json") would become, or
// written ones.
Result<std::unique_ptr<runtime::FileIo>> io_of_packs(const std::string& path);

}  // namespace seekless
