// FUSE calls on one side, the head and the image on the other. Reads go through the head, whose
// thread answers them; all other calls are answered at once by the thread that takes them.
#define FUSE_USE_VERSION 314
#include "integration/hdd/disk_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <fuse_lowlevel.h>
#include <sys/stat.h>
#include <unistd.h>

#include "packer/host/os_error.h"

namespace seekless::hdd {
namespace {

// The most that FUSE moves at once: 256 pages.
constexpr uint32_t kMaxTransferBytes = 1 << 20;
// Reads that the kernel may have under way; more than any queue above sends.
constexpr unsigned kMaxBackground = 512;
constexpr double kForeverS = 86400;  // names and attributes never change

enum Inode : fuse_ino_t { kFolder = FUSE_ROOT_ID, kDisk, kStats, kControl };
constexpr std::array<std::pair<const char*, Inode>, 3> kFiles = {
    {{"disk", kDisk}, {"stats", kStats}, {"control", kControl}}};

// Writes served reads as a table, or as blkparse would (docs/calibrate.md). Its clock isn't reset
// with the drive's.
class RequestLog {
 public:
  explicit RequestLog(const std::string& path) : is_blkparse_(path.ends_with(".blkparse")) {
    if (!path.empty()) file_ = std::fopen(path.c_str(), "w");
    if (file_ == nullptr) return;
    (void)std::setvbuf(file_, nullptr, _IOLBF, BUFSIZ);
    if (!is_blkparse_) fmt::print(file_, "start_ms,position_bytes,length_bytes,kind,response_ms\n");
  }
  ~RequestLog() {
    if (file_ != nullptr) (void)std::fclose(file_);
  }
  RequestLog(const RequestLog&) = delete;
  RequestLog& operator=(const RequestLog&) = delete;

  bool is_open() const { return file_ != nullptr; }

  void add(const ServedRead& read) {
    clock_ms_ += std::max(0.0, read.start_ms - drive_ms_);
    if (is_blkparse_)
      add_event('D', read);
    else
      fmt::print(file_, "{:.6f},{},{},R,{:.6f}\n", clock_ms_, read.position_bytes,
                 read.length_bytes, read.busy_ms);
    clock_ms_ += read.busy_ms;
    if (is_blkparse_) add_event('C', read);
    drive_ms_ = read.start_ms + read.busy_ms;
  }

 private:
  void add_event(char action, const ServedRead& read) {
    constexpr uint64_t kSectorBytes = 512;
    fmt::print(file_, "  7,0    0 {:8} {:14.9f}     0  {}   R {} + {} [hdd]\n", ++events_,
               clock_ms_ / 1e3, action, read.position_bytes / kSectorBytes,
               read.length_bytes / kSectorBytes);
  }

  const bool is_blkparse_;
  std::FILE* file_ = nullptr;
  uint64_t events_ = 0;
  double clock_ms_ = 0;
  double drive_ms_ = 0;  // the drive's clock after the latest read
};

struct Writes {
  uint64_t writes = 0;
  uint64_t bytes = 0;
  uint64_t discards = 0;
  uint64_t discarded_bytes = 0;
};

// The state that every call gets. The counters of writes belong to the thread that takes the calls.
struct Served {
  const DiskSettings& settings;
  Head* head = nullptr;
  Writes writes = {};
};

Served& served_by(fuse_req_t request) {
  return *static_cast<Served*>(fuse_req_userdata(request));
}

int fetch(int image, uint64_t position_bytes, std::span<std::byte> into) {
  while (!into.empty()) {
    const ssize_t got =
        ::pread(image, into.data(), into.size(), static_cast<off_t>(position_bytes));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got < 0 ? errno : EIO;
    into = into.subspan(static_cast<size_t>(got));
    position_bytes += static_cast<uint64_t>(got);
  }
  return 0;
}

void answer(void* tag, int os_error, std::span<const std::byte> bytes) {
  auto* request = static_cast<fuse_req_t>(tag);
  if (os_error != 0) {
    fuse_reply_err(request, os_error);
    return;
  }
  fuse_reply_buf(request, reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

std::string stats_text(const Served& served) {
  const Head::Counters head = served.head->counters();
  const Writes& writes = served.writes;
  const bool is_disk = std::holds_alternative<HardDisk>(served.settings.profile.hardware);
  return fmt::format(
      R"({{"drive": "{}", "kind": "{}", "size_bytes": {}, "scale": {}, "queue_depth": {}, "clock": "{}", "reads": {}, "bytes": {}, "seeks": {}, )"
      R"("busy_s": {:.9f}, "most_waiting": {}, "writes": {}, "written_bytes": {}, "discards": {}, )"
      R"("discarded_bytes": {}, "failed_reads": {}, "slow_reads": {}}})"
      "\n",
      served.settings.profile.name, is_disk ? "disk" : "ssd", served.settings.size_bytes,
      served.settings.scale, served.settings.queue_depth,
      served.settings.counts_idle ? "real" : "busy", head.drive.reads, head.drive.bytes,
      head.drive.seeks, head.drive.busy_ms / 1e3, head.most_waiting, writes.writes, writes.bytes,
      writes.discards, writes.discarded_bytes, head.faults.failed_reads, head.faults.slow_reads);
}

bool fill_attributes(const Served& served, fuse_ino_t inode, struct stat& attributes) {
  attributes = {};
  attributes.st_ino = inode;
  attributes.st_nlink = inode == kFolder ? 2 : 1;
  if (inode == kFolder) attributes.st_mode = S_IFDIR | 0700;
  if (inode == kDisk) attributes.st_mode = S_IFREG | 0600;
  if (inode == kStats) attributes.st_mode = S_IFREG | 0400;
  if (inode == kControl) attributes.st_mode = S_IFREG | 0200;
  if (inode == kDisk) attributes.st_size = static_cast<off_t>(served.settings.size_bytes);
  return attributes.st_mode != 0;
}

void on_start(void*, fuse_conn_info* connection) {
  connection->max_write = kMaxTransferBytes;
  connection->max_readahead = 0;
  connection->max_background = kMaxBackground;
  connection->congestion_threshold = kMaxBackground;
}

void on_lookup(fuse_req_t request, fuse_ino_t parent, const char* name) {
  fuse_entry_param entry = {};
  entry.attr_timeout = entry.entry_timeout = kForeverS;
  for (const auto& [file, inode] : kFiles)
    if (parent == kFolder && std::string_view(name) == file) entry.ino = inode;
  if (!fill_attributes(served_by(request), entry.ino, entry.attr))
    fuse_reply_err(request, ENOENT);
  else
    fuse_reply_entry(request, &entry);
}

void on_get_attributes(fuse_req_t request, fuse_ino_t inode, fuse_file_info*) {
  struct stat attributes;
  if (!fill_attributes(served_by(request), inode, attributes))
    fuse_reply_err(request, ENOENT);
  else
    fuse_reply_attr(request, &attributes, kForeverS);
}

void on_open(fuse_req_t request, fuse_ino_t inode, fuse_file_info* file) {
  if (inode == kFolder) {
    fuse_reply_err(request, EISDIR);
    return;
  }
  file->direct_io = 1;  // bypasses the page cache
  fuse_reply_open(request, file);
}

void on_read(fuse_req_t request, fuse_ino_t inode, size_t length, off_t offset, fuse_file_info*) {
  Served& served = served_by(request);
  const auto position = static_cast<uint64_t>(offset);
  if (inode == kStats) {
    const std::string text = stats_text(served);
    const size_t begin = std::min<uint64_t>(position, text.size());
    fuse_reply_buf(request, text.data() + begin, std::min(length, text.size() - begin));
    return;
  }
  const uint64_t size = served.settings.size_bytes;
  const uint64_t left = size - std::min(position, size);
  length = std::min<uint64_t>({length, left, kMaxTransferBytes});
  if (inode != kDisk)
    fuse_reply_err(request, EACCES);
  else if (length == 0)
    fuse_reply_buf(request, nullptr, 0);
  else
    served.head->read(position, static_cast<uint32_t>(length), request);
}

void obey(fuse_req_t request, std::string_view line) {
  Served& served = served_by(request);
  const auto order = parse_order(line);
  if (!order) {
    fuse_reply_err(request, EINVAL);
    return;
  }
  served.head->obey(*order);
  if (order->kind == Order::Kind::reset) served.writes = {};
  fuse_reply_write(request, line.size());
}

void on_write(fuse_req_t request, fuse_ino_t inode, const char* bytes, size_t length, off_t offset,
              fuse_file_info*) {
  Served& served = served_by(request);
  if (inode == kControl) {
    obey(request, {bytes, length});
    return;
  }
  const auto position = static_cast<uint64_t>(offset);
  const uint64_t size = served.settings.size_bytes;
  if (position > size || length > size - position) {
    fuse_reply_err(request, ENOSPC);
    return;
  }
  const ssize_t written = ::pwrite(served.settings.image, bytes, length, offset);
  if (written < 0) {
    fuse_reply_err(request, errno);
    return;
  }
  ++served.writes.writes;
  served.writes.bytes += static_cast<uint64_t>(written);
  fuse_reply_write(request, static_cast<size_t>(written));
}

// Discards arrive as holes to punch.
void on_fallocate(fuse_req_t request, fuse_ino_t inode, int mode, off_t offset, off_t length,
                  fuse_file_info*) {
  Served& served = served_by(request);
  const uint64_t size = served.settings.size_bytes;
  const auto begin = static_cast<uint64_t>(offset);
  if (inode != kDisk || begin > size || static_cast<uint64_t>(length) > size - begin) {
    fuse_reply_err(request, EINVAL);
    return;
  }
  if (::fallocate(served.settings.image, mode, offset, length) != 0) {
    fuse_reply_err(request, errno);
    return;
  }
  ++served.writes.discards;
  served.writes.discarded_bytes += static_cast<uint64_t>(length);
  fuse_reply_err(request, 0);
}

// The image needn't survive a power failure, so it isn't flushed.
void on_sync(fuse_req_t request, fuse_ino_t, int, fuse_file_info*) {
  fuse_reply_err(request, 0);
}

fuse_lowlevel_ops calls() {
  fuse_lowlevel_ops calls = {};
  calls.init = on_start;
  calls.lookup = on_lookup;
  calls.getattr = on_get_attributes;
  calls.open = on_open;
  calls.read = on_read;
  calls.write = on_write;
  calls.fallocate = on_fallocate;
  calls.fsync = on_sync;
  return calls;
}

// Keeps the folder mounted while it exists.
class Session {
 public:
  Session(const std::string& folder, Served& served) {
    const fuse_lowlevel_ops ops = calls();
    std::array<char*, 3> arguments = {name_.data(), dash_o_.data(), options_.data()};
    fuse_args args = FUSE_ARGS_INIT(static_cast<int>(arguments.size()), arguments.data());
    session_ = fuse_session_new(&args, &ops, sizeof(ops), &served);
    handles_signals_ = session_ != nullptr && fuse_set_signal_handlers(session_) == 0;
    is_mounted_ = handles_signals_ && fuse_session_mount(session_, folder.c_str()) == 0;
  }
  ~Session() {
    if (is_mounted_) fuse_session_unmount(session_);
    if (handles_signals_) fuse_remove_signal_handlers(session_);
    if (session_ != nullptr) fuse_session_destroy(session_);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  bool is_mounted() const { return is_mounted_; }
  int take_calls() { return fuse_session_loop(session_); }

 private:
  std::string name_ = "seekless-hdd";
  std::string dash_o_ = "-o";
  std::string options_ = "fsname=seekless-hdd,subtype=seekless-hdd";
  fuse_session* session_ = nullptr;
  bool handles_signals_ = false;
  bool is_mounted_ = false;
};

}  // namespace

Result<void> serve_disk(const DiskSettings& settings) {
  const auto fetch_from_image = [image = settings.image](uint64_t position,
                                                         std::span<std::byte> into) {
    return fetch(image, position, into);
  };
  Served served{settings};
  Session session(settings.folder, served);
  if (!session.is_mounted())
    return failed({.file = settings.folder,
                   .expected = "a folder that FUSE can be mounted on",
                   .found = "a refusal",
                   .advice = "it takes root and /dev/fuse"});
  RequestLog log(settings.requests_file);
  if (!settings.requests_file.empty() && !log.is_open())
    return failed_call(settings.requests_file, "write", errno);
  // Destroyed before the session, which carries its answers.
  Head head(settings.profile,
            {.scale = settings.scale,
             .queue_depth = settings.queue_depth,
             .max_length_bytes = kMaxTransferBytes,
             .counts_idle = settings.counts_idle,
             .on_served = log.is_open() ? [&](const ServedRead& read) { log.add(read); }
                                        : std::function<void(const ServedRead&)>()},
            fetch_from_image, answer);
  served.head = &head;
  const int ended = session.take_calls();
  if (ended < 0) return failed_call(settings.folder, "take calls from FUSE", -ended);
  return {};
}

}  // namespace seekless::hdd
