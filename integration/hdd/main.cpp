// seekless-hdd: serves one emulated disk in a folder until it is unmounted. The script `hdd` starts
// it and makes a block device of its file. Exit codes as the packer's: 1 failed, 2 wrong usage.
#include <cerrno>
#include <cstdio>
#include <exception>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "integration/hdd/disk_file.h"
#include "packer/host/files.h"
#include "packer/host/os_error.h"

namespace seekless::hdd {
namespace {

constexpr uint64_t kSolidStateBytes = 1'000'000'000'000;  // profiles of these have no size
constexpr uint64_t kUnitBytes = 4096;                     // disks have a whole number of these
constexpr uint64_t kMinSizeBytes = 1 << 20;
constexpr double kMaxScale = 1000;

struct Arguments {
  std::string folder;
  std::string image;
  std::string drive = "wd-black-1tb";
  uint64_t size_bytes = 0;
  double scale = 1;
  uint32_t queue_depth = 1;
  std::string clock = "busy";
  std::string requests_file;
};

class Image {
 public:
  explicit Image(const std::string& path)
      : descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {}
  ~Image() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;
  int descriptor() const { return descriptor_; }
  // Two disks on one image would overwrite each other. The system releases the lock even if the
  // program is killed.
  Result<void> lock(const std::string& path) const {
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return {};
    if (errno != EWOULDBLOCK) return failed_call(path, "lock", errno);
    return failed({.file = path,
                   .expected = "an image that no disk is using",
                   .found = "one in use",
                   .advice = "take that disk down first, or copy the image"});
  }

 private:
  int descriptor_;
};

uint64_t size_of_drive(const DriveProfile& profile) {
  const bool is_disk = std::holds_alternative<HardDisk>(profile.hardware);
  const uint64_t bytes = is_disk ? Drive(profile).capacity_bytes() : kSolidStateBytes;
  return bytes / kUnitBytes * kUnitBytes;
}

// Returns the image's size if it has one, or else the requested size, or else the drive's capacity.
Result<uint64_t> size_image(const Arguments& arguments, const DriveProfile& profile, int image) {
  struct stat attributes = {};
  if (::fstat(image, &attributes) != 0) return failed_call(arguments.image, "look at", errno);
  const auto found = static_cast<uint64_t>(attributes.st_size);
  const uint64_t asked = arguments.size_bytes / kUnitBytes * kUnitBytes;
  if (found != 0 && asked != 0 && found != asked)
    return failed({.file = arguments.image,
                   .expected = fmt::format("{} bytes, as asked for", asked),
                   .found = fmt::format("{}", found),
                   .advice = "leave the size out to take the image as it is"});
  const uint64_t drive_bytes = size_of_drive(profile);
  const uint64_t size = found != 0 ? found : asked != 0 ? asked : drive_bytes;
  const bool is_disk = std::holds_alternative<HardDisk>(profile.hardware);
  const uint64_t most = is_disk ? drive_bytes : kMaxCapacityBytes;
  if (size < kMinSizeBytes || size > most || !S_ISREG(attributes.st_mode))
    return failed({.file = arguments.image,
                   .expected = fmt::format("a file of {} to {} bytes, which is what {} holds",
                                           kMinSizeBytes, most, profile.name),
                   .found = fmt::format("{}", size)});
  if (found == 0 && ::ftruncate(image, static_cast<off_t>(size)) != 0)
    return failed_call(arguments.image, fmt::format("set the size to {} of", size), errno);
  return size;
}

// Gives this program's threads priority, because a real disk isn't slowed by programs on the
// processors. It hardly computes, so no other program waits for it. Without that right, the disk is
// slower on a busy host.
void run_before_others() {
  constexpr sched_param kFirst = {.sched_priority = 10};
  (void)::sched_setscheduler(0, SCHED_FIFO, &kFirst);
}

Result<void> run(const Arguments& arguments) {
  auto profile = get_drive(arguments.drive);
  if (!profile) return std::unexpected(profile.error());
  const Image image(arguments.image);
  if (image.descriptor() < 0) return failed_call(arguments.image, "open", errno);
  if (auto locked = image.lock(arguments.image); !locked) return locked;
  const auto size = size_image(arguments, *profile, image.descriptor());
  if (!size) return std::unexpected(size.error());
  // The kernel may wait for this program in order to free memory, so this program's own allocations
  // must not wait for that.
  ::prctl(PR_SET_IO_FLUSHER, 1, 0, 0, 0);
  run_before_others();
  return serve_disk({.profile = *std::move(profile),
                     .folder = arguments.folder,
                     .image = image.descriptor(),
                     .size_bytes = *size,
                     .scale = arguments.scale,
                     .queue_depth = arguments.queue_depth,
                     .counts_idle = arguments.clock == "real",
                     .requests_file = arguments.requests_file});
}

int main_of(int count, char** words) {
  Arguments arguments;
  CLI::App app("Serves one emulated disk in FOLDER until it is unmounted.", "seekless-hdd");
  app.add_option("folder", arguments.folder, "An empty folder")->required();
  app.add_option("--image", arguments.image, "What the disk holds; made if there is none")
      ->required();
  app.add_option("--drive", arguments.drive, "A built-in profile, or a file ending in .json");
  app.add_option("--size", arguments.size_bytes, "Bytes of a new image; as the drive if left out");
  app.add_option("--scale", arguments.scale, "Wall seconds for each second of the model")
      ->check(CLI::Range(0.0, kMaxScale));
  app.add_option("--queue-depth", arguments.queue_depth, "Commands that the drive chooses from")
      ->check(CLI::Range(1U, kMaxQueueDepth));
  app.add_option("--clock", arguments.clock, "When the drive's clock runs: busy, or real")
      ->check(CLI::IsMember({"busy", "real"}));
  app.add_option("--requests", arguments.requests_file,
                 "Write each read with its time to this file, as CSV");
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const auto done = run(arguments);
  if (done) return 0;
  fmt::print(stderr, "seekless-hdd: error: {}\n", done.error().message);
  return done.error().kind == ErrorKind::usage ? 2 : 1;
}

}  // namespace
}  // namespace seekless::hdd

int main(int count, char** words) {
  try {
    return seekless::hdd::main_of(count, words);
  } catch (const std::exception& error) {
    fmt::print(stderr, "seekless-hdd: error: {}\n", error.what());
    return 1;
  }
}
