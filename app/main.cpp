#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <exception>
#include <new>

#include "app/command_line.hpp"
#include "app/run.hpp"
#include "core/error.hpp"

int main(int argc, char** argv) {
  auto log = spdlog::stderr_color_mt("cisolve");
  log->set_pattern("cisolve: %^%l%$: %v");
  spdlog::set_default_logger(log);
  try {
    return cisolve::command_line(argc, argv);
  } catch (const cisolve::ResourceError& error) {
    spdlog::error("{}", error.what());
    return cisolve::no_resource;
  } catch (const std::bad_alloc&) {
    spdlog::error("out of memory");
    return cisolve::no_resource;
  } catch (const std::exception& error) {
    spdlog::error("{}", error.what());
    return cisolve::bad_input;
  }
}
