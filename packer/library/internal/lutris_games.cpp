#include "packer/library/internal/lutris_games.h"

#include <memory>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

namespace seekless {
namespace {

constexpr size_t kMostLutrisGames = 100'000;
// Reading a real database takes far fewer steps of SQLite's.
constexpr int kMostSteps = 20'000'000;
constexpr int kMostTextBytes = 64 * 1024;

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
};
struct EndStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

std::unexpected<Error> wrong_database(const std::string& file, const std::string& found) {
  return damaged({.file = file,
                  .place = "table 'games'",
                  .expected = "Lutris' database",
                  .found = found,
                  .advice = "start Lutris once; it repairs or replaces the file"});
}

// Writes the path as a URI with options for SQLite. `immutable` keeps it from writing or locking
// anything.
std::string uri_of(const std::string& file) {
  std::string uri = "file:";
  for (const char c : file) {
    if (c == '%' || c == '?' || c == '#')
      uri += fmt::format("%{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    else
      uri += c;
  }
  return uri + "?mode=ro&immutable=1";
}

std::string column_of(sqlite3_stmt* row, int column) {
  const unsigned char* text = sqlite3_column_text(row, column);
  if (text == nullptr) return {};
  return {reinterpret_cast<const char*>(text),
          static_cast<size_t>(sqlite3_column_bytes(row, column))};
}

// Prepares for a forged database: code in it isn't run, and sizes are limited.
void distrust(sqlite3* database) {
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, kMostTextBytes);
  // Stops an endless query, which a forged index may cause.
  sqlite3_progress_handler(
      database, kMostSteps, [](void*) { return 1; }, nullptr);
}

}  // namespace

Result<std::vector<LutrisGame>> read_lutris_games(const std::string& file) {
  sqlite3* opened = nullptr;
  const int result = sqlite3_open_v2(uri_of(file).c_str(), &opened,
                                     SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  const std::unique_ptr<sqlite3, CloseDatabase> database(opened);
  if (result != SQLITE_OK) return wrong_database(file, sqlite3_errstr(result));
  distrust(opened);
  sqlite3_stmt* prepared = nullptr;
  sqlite3_prepare_v2(opened,
                     "SELECT name, slug, runner, directory, configpath FROM games "
                     "WHERE installed = 1 ORDER BY id",
                     -1, &prepared, nullptr);
  const std::unique_ptr<sqlite3_stmt, EndStatement> row(prepared);
  if (!row) return wrong_database(file, sqlite3_errmsg(opened));
  std::vector<LutrisGame> games;
  int step = sqlite3_step(prepared);
  for (; step == SQLITE_ROW && games.size() < kMostLutrisGames; step = sqlite3_step(prepared))
    games.push_back({.name = column_of(prepared, 0),
                     .slug = column_of(prepared, 1),
                     .runner = column_of(prepared, 2),
                     .folder = column_of(prepared, 3),
                     .config = column_of(prepared, 4)});
  if (step != SQLITE_DONE && step != SQLITE_ROW)
    return wrong_database(file, sqlite3_errmsg(opened));
  return games;
}

}  // namespace seekless
