#include <spdlog/fmt/fmt.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "app/cli/command_line.hpp"
#include "app/cli/help_format.hpp"
#include "app/files/command_files.hpp"
#include "app/report/report.hpp"
#include "app/run/run.hpp"
#include "formats/format.hpp"

namespace cisolve {
namespace {

ExitStatus show_formats(const std::string& json, bool force) {
  CommandFiles files;
  files.reports("--json", json);
  files.check(force);
  Output output(json);
  Json report = Json::array();
  for (const Format& format : formats()) {
    const bool single = format.cpu_single != nullptr;
    output.text() << fmt::format("{:8}  {}{}\n", format.name, format.description,
                                 single ? "; off-diagonals also in float32" : "");
    for (const BackendKind backend : {BackendKind::cpu, BackendKind::cuda}) {
      const std::string reason = unavailable_reason(format, backend);
      report.push_back({{"format", format.name},
                        {"backend", backend_name(backend)},
                        {"available", reason.empty()},
                        {"reason", reason},
                        {"float32", single}});
      output.text() << fmt::format("          {:4}  {}\n", backend_name(backend),
                                   reason.empty() ? "available" : "not available: " + reason);
    }
  }
  output.write(report);
  return done;
}

}  // namespace

void add_formats_command(CLI::App& app, Action& action) {
  CLI::App& command =
      *app.add_subcommand("formats", "List the storage formats, and where they run");
  const auto json = std::make_shared<std::string>();
  command.add_option("--json", *json, "File for the list as JSON; -: stdout")->type_name("FILE");
  const auto force = std::make_shared<bool>(false);
  command.add_flag("--force", *force, find_field("output.force").doc);
  add_examples(command, {{"cisolve formats", "what `--format` takes, on CPU and GPU"}});
  command.callback([=, &action] { action = [=] { return show_formats(*json, *force); }; });
}

}  // namespace cisolve
