// Turns tables of text cells into sections of a page.
#pragma once

#include <string>
#include <string_view>

#include "packer/answer/build_tables.h"

namespace seekless {

// Returns a section with the table's title, the table, and a note, which may be empty. It is empty
// if the table has no rows.
std::string table_section(const ReportTable& table, std::string_view note);

}  // namespace seekless
