// Reads assets out of an SQLite database, from the table `assets (path PRIMARY KEY, content)`.
#include <cstring>

#include <sqlite3.h>

#include "integration/runtime/source.h"

namespace seekless {
namespace {

class SqliteReader final : public Reader {
 public:
  explicit SqliteReader(const std::string& place) {
    const std::string uri = "file:" + place + "?mode=ro&immutable=1";
    if (sqlite3_open_v2(uri.c_str(), &database_,
                        SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX,
                        nullptr) != SQLITE_OK ||
        sqlite3_prepare_v2(database_, "SELECT content FROM assets WHERE path = ?", -1, &statement_,
                           nullptr) != SQLITE_OK)
      die(place, sqlite3_errmsg(database_));
  }
  SqliteReader(const SqliteReader&) = delete;
  SqliteReader& operator=(const SqliteReader&) = delete;
  ~SqliteReader() override {
    sqlite3_finalize(statement_);
    sqlite3_close(database_);
  }

  int64_t read(const std::string& path, std::span<char> into) override {
    sqlite3_bind_text(statement_, 1, path.data(), static_cast<int>(path.size()), SQLITE_STATIC);
    int64_t size = -1;
    if (sqlite3_step(statement_) == SQLITE_ROW) {
      const auto found = static_cast<size_t>(sqlite3_column_bytes(statement_, 0));
      if (found <= into.size()) {
        std::memcpy(into.data(), sqlite3_column_blob(statement_, 0), found);
        size = static_cast<int64_t>(found);
      }
    }
    sqlite3_reset(statement_);
    return size;
  }

 private:
  sqlite3* database_ = nullptr;
  sqlite3_stmt* statement_ = nullptr;
};

class Sqlite final : public AssetSource {
 public:
  explicit Sqlite(std::string place) : place_(std::move(place)) {}
  std::unique_ptr<Reader> reader() override { return std::make_unique<SqliteReader>(place_); }

 private:
  std::string place_;
};

}  // namespace

std::unique_ptr<AssetSource> open_sqlite(const std::string& place) {
  return std::make_unique<Sqlite>(place);
}

}  // namespace seekless
