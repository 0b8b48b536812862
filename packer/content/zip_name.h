// What an entry of a zip archive is called: from the bytes in the directory to an asset's path.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace seekless {

// To UTF-8 by the rules at ZipEntry::name; the separators stay as they are. Names that claim to be
// UTF-8 and aren't come back as they are.
std::string decode_zip_name(std::string_view raw_name, std::string_view extra, uint16_t flags,
                            uint16_t version_made_by);

// Whether the entry was made by a system that separates by backslashes.
bool is_made_on_dos(uint16_t version_made_by);

// Makes backslashes of names made on DOS separators, joins doubled slashes and removes "./" in
// front. A slash at the end stays: it marks a folder.
std::string normalise_zip_name(std::string name, uint16_t version_made_by);

}  // namespace seekless
