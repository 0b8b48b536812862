// Reads assets out of an LMDB database, whose keys are paths.
#include <lmdb.h>

#include "integration/runtime/source.h"

namespace seekless {
namespace {

void require(int result, const std::string& what) {
  if (result != MDB_SUCCESS) die(what, mdb_strerror(result));
}

// A read transaction is renewed for each asset, as the bytes stay valid only as long as it lasts.
class LmdbReader final : public Reader {
 public:
  LmdbReader(MDB_env* environment, MDB_dbi database) : database_(database) {
    require(mdb_txn_begin(environment, nullptr, MDB_RDONLY, &transaction_), "mdb_txn_begin");
    mdb_txn_reset(transaction_);
  }
  LmdbReader(const LmdbReader&) = delete;
  LmdbReader& operator=(const LmdbReader&) = delete;
  ~LmdbReader() override { mdb_txn_abort(transaction_); }

  int64_t read(const std::string& path, std::span<char>) override {
    MDB_val key = {path.size(), const_cast<char*>(path.data())};
    MDB_val found = {};
    int64_t size = -1;
    if (mdb_txn_renew(transaction_) != MDB_SUCCESS) return -1;
    if (mdb_get(transaction_, database_, &key, &found) == MDB_SUCCESS)
      size = go_through({static_cast<const char*>(found.mv_data), found.mv_size});
    mdb_txn_reset(transaction_);
    return size;
  }

 private:
  MDB_dbi database_;
  MDB_txn* transaction_ = nullptr;
};

class Lmdb final : public AssetSource {
 public:
  explicit Lmdb(const std::string& place) {
    constexpr mode_t kMode = 0644;
    require(mdb_env_create(&environment_), "mdb_env_create");
    require(mdb_env_open(environment_, place.c_str(), MDB_RDONLY | MDB_NOTLS, kMode), place);
    MDB_txn* transaction = nullptr;
    require(mdb_txn_begin(environment_, nullptr, MDB_RDONLY, &transaction), place);
    require(mdb_dbi_open(transaction, nullptr, 0, &database_), place);
    require(mdb_txn_commit(transaction), place);
  }
  Lmdb(const Lmdb&) = delete;
  Lmdb& operator=(const Lmdb&) = delete;
  ~Lmdb() override { mdb_env_close(environment_); }
  std::unique_ptr<Reader> reader() override {
    return std::make_unique<LmdbReader>(environment_, database_);
  }

 private:
  MDB_env* environment_ = nullptr;
  MDB_dbi database_ = 0;
};

}  // namespace

std::unique_ptr<AssetSource> open_lmdb(const std::string& place) {
  return std::make_unique<Lmdb>(place);
}

}  // namespace seekless
