// Reads the header and the tree of Valve's .vpk, whether its data lie in the same file
// (valve_vpk.cpp) or beside it (vpk_set.cpp), and computes the checksums of version 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "packer/base/error.h"
#include "packer/content/internal/directory_cursor.h"
#include "packer/content/vpk_set.h"
#include "packer/host/files.h"

namespace seekless {

using std::string_view_literals::operator""sv;

inline constexpr std::string_view kVpkMagic = "\x34\x12\xAA\x55"sv;
inline constexpr size_t kVpkRecordBytes = 18;
inline constexpr size_t kMd5Bytes = 16;

Result<VpkHeader> read_vpk_header(DirectoryCursor& cursor);

// Returns where the tree ends.
Result<uint64_t> visit_vpk_records(const ByteSource& source, const VpkHeader& header,
                                   const std::function<void(VpkRecord&&)>& visit);

using VisitBytes = std::function<void(std::span<const std::byte>)>;

// Returns the three MD5s that end an archive: of the tree, of the pieces' checksums, and of all
// bytes before. `front` lies before the data, and `between` lies between data and MD5s and ends
// with the pieces' checksums.
Result<std::string> vpk_checksums(const VpkHeader& header, std::string_view front,
                                  const std::function<Result<void>(const VisitBytes&)>& visit_data,
                                  std::string_view between);

}  // namespace seekless
