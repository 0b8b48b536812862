// Compiles seekless.hpp as an older C++, without exceptions and without RTTI, and uses it as a
// game's own source does. SEEKLESS_NAME is the function's name, one for each standard; all of them
// go into one program.
#include <seekless.hpp>

#if defined(__cpp_exceptions) || defined(__cpp_rtti)
#error "this is to be compiled without exceptions and without RTTI"
#endif

// Returns the content of all assets, one after the other, and the entries of the root folder; or an
// error.
std::string SEEKLESS_NAME(const std::string& folder, const char* scenario);
std::string SEEKLESS_NAME(const std::string& folder, const char* scenario) {
  auto context = skl::Context::create();
  if (!context) return context.error().message;
  const auto mounted = context->mount(folder);
  if (!mounted) return mounted.error().message;

  std::string all;
  const auto add = [&all](skl::span<const std::byte> bytes) {
    all.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  auto sweep = context->sweep(scenario);
  if (!sweep) return sweep.error().message;
  for (auto step = sweep->wait(); step && step->answer == SKL_OK; step = sweep->wait())
    add(step->lease.bytes());

  auto queue = context->queue();
  if (!queue) return queue.error().message;
  if (const auto found = context->find("a")) {
    std::vector<std::byte> bytes(found->size_bytes);
    if (!queue->submit(skl::Request(found->asset, bytes)).value_or(false)) return "full";
    skl::Completion done[1];
    (void)queue->wait(done);
    add(bytes);
    add(context->read(*found).value_or(std::vector<std::byte>()));
  }
  const auto directory = context->directory();
  if (!directory) return directory.error().message;
  directory->children("", [&all](const skl::Directory::Entry& entry) {
    all.append(" ").append(entry.path);
    return true;
  });
  return all;
}
