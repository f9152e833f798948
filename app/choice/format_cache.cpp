#include "app/choice/format_cache.hpp"

#include <omp.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "app/input/fingerprint.hpp"
#include "backends/cpu/instruction_set.hpp"
#include "core/error.hpp"
#include "io/atomic_file.hpp"

namespace cisolve {
namespace {

namespace fs = std::filesystem;
using Object = nlohmann::json;  // keys are the same in any order

constexpr int file_version = 1;
constexpr std::size_t most_entries = 1000;

/// The settings of spmv but for those that choosing alone reads.
Object product_settings(const RunConfig& config) {
  Object settings = to_json(config)["spmv"];
  for (const char* key : {"format", "expected_products", "network", "cache"}) settings.erase(key);
  return settings;
}

/// The timings of an entry; empty unless csr is among them and all are seconds.
std::vector<FormatTiming> timings_of(const Object& formats) {
  std::vector<FormatTiming> list;
  for (const auto& [name, timing] : formats.items()) {
    const double seconds = timing.at("seconds"), conversion = timing.at("conversion_seconds");
    if (!(seconds > 0.0 && conversion >= 0.0)) return {};
    list.push_back({name, seconds, conversion});
  }
  const auto csr = std::ranges::find(list, "csr", &FormatTiming::format);
  if (csr == list.end()) return {};
  std::rotate(list.begin(), csr, csr + 1);
  return list;
}

/// The first processor's name in the kernel's words; empty if it gives none.
std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 1);
  }
  return "";
}

}  // namespace

Object format_cache_key(const CsrMatrix& a, const Backend& backend, int columns,
                        std::uint64_t network, const RunConfig& config) {
  return {{"rows", a.rows},
          {"columns", a.columns},
          {"nonzeros", a.nonzeros()},
          {"row_lengths", row_lengths_fingerprint(a)},
          {"backend", backend_name(backend.kind())},
          {"device", backend.kind() == BackendKind::cpu ? processor_name() : backend.description()},
          {"instruction_set", cpu_instruction_set()},
          {"threads", omp_get_max_threads()},
          {"block", columns},
          {"version", CISOLVE_VERSION},
          {"network", network},
          {"spmv", product_settings(config)}};
}

FormatCache::FormatCache(const std::string& setting, Warn warn)
    : file_(format_cache_file(setting)), warn_(std::move(warn)) {}

Object FormatCache::entries() {
  std::error_code ignored;
  if (file_.empty() || !usable_ || !fs::exists(file_, ignored)) return Object::array();
  std::string problem = "cannot be read";
  if (std::ifstream stream(file_); stream) {
    const Object json = Object::parse(stream, nullptr, false);
    if (json.is_object() && json.value("format_cache", Object()) == file_version &&
        json.value("entries", Object()).is_array()) {
      return json["entries"];
    }
    problem = "is no cache of this version; delete it";
  }
  usable_ = false;
  warn_("spmv.cache: " + file_.string() + " " + problem + "; it is not used");
  return Object::array();
}

std::vector<FormatTiming> FormatCache::find(const Object& key) {
  for (const Object& entry : entries()) {
    try {
      if (entry.at("key") == key) return timings_of(entry.at("formats"));
    } catch (const Object::exception&) {
      continue;  // as if it were not there; it is replaced
    }
  }
  return {};
}

void FormatCache::store(const Object& key, const std::vector<FormatTiming>& timings) {
  if (file_.empty() || timings.empty()) return;
  Object all = Object::array(), formats = Object::object();
  for (const auto& list : {find(key), timings}) {
    for (const auto& [format, seconds, conversion] : list) {
      formats[format] = {{"seconds", seconds}, {"conversion_seconds", conversion}};
    }
  }
  const Object before = entries();
  if (!usable_) return;
  for (const Object& entry : before) {
    if (entry.is_object() && entry.value("key", Object()) != key) all.push_back(entry);
  }
  if (all.size() >= most_entries) all.erase(all.begin(), all.end() - (most_entries - 1));
  all.push_back({{"key", key}, {"formats", formats}});
  try {
    std::error_code ignored;  // AtomicFile says what is wrong
    if (file_.has_parent_path()) fs::create_directories(file_.parent_path(), ignored);
    AtomicFile(file_).write(Object{{"format_cache", file_version}, {"entries", all}}.dump(
                                1, ' ', false, Object::error_handler_t::replace) +
                            '\n');
  } catch (const std::exception& error) {
    warn_(std::string("spmv.cache: ") + error.what());
  }
}

}  // namespace cisolve
