// The backend that is chosen by the size of what is opened.
#include "app/prepare/opening.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "app/model/open_model.hpp"
#include "backends/cuda/entry.hpp"
#include "core/error.hpp"

namespace cisolve {
namespace {

struct Chosen {
  BackendKind kind;
  int opened;  ///< how often the input was, with what is handed over
};

Chosen chosen(const std::string& input, RunConfig config = {}) {
  config.input.file = input;
  int opened = 0;
  Opening opening([&](Storage storage) {
    ++opened;
    return open_model(config.input, storage);
  });
  const BackendKind kind = opening.backend(config, gpu_begin_seconds, one_rank(), {});
  EXPECT_GT(opening(Storage::full)->rows(), 0);
  return {kind, opened};
}

constexpr const char* small = "generate:hubbard,sites=4";
constexpr const char* large = "generate:hubbard,sites=14";

TEST(Opening, TakesCoresForWhatTheySolveBeforeAGpuHasBegun) {
  if (!cuda_unavailable_reason().empty()) GTEST_SKIP() << cuda_unavailable_reason();
  EXPECT_EQ(chosen(small).kind, BackendKind::cpu);
  EXPECT_EQ(chosen(large).kind, BackendKind::cuda);
  RunConfig asked;
  asked.backend.name = Device::cuda;
  EXPECT_EQ(chosen(small, asked).kind, BackendKind::cuda);
  RunConfig of_gpus;
  of_gpus.spmv.format = Name(std::string("cusparse_csr_alg1"));
  EXPECT_EQ(chosen(small, of_gpus).kind, BackendKind::cuda);
}

TEST(Opening, OpensAnInputOnce) {
  EXPECT_EQ(chosen(small).opened, 1);
  RunConfig asked;
  asked.backend.name = Device::cpu;
  const auto [kind, opened] = chosen(small, asked);
  EXPECT_EQ(kind, BackendKind::cpu);
  EXPECT_EQ(opened, 1);
}

TEST(Opening, LeavesWhatIsWrongWithTheInputForLater) {
  RunConfig config;
  Opening opening([](Storage) -> std::unique_ptr<Model> { throw InputError("no such file"); });
  EXPECT_NO_THROW(opening.backend(config, gpu_begin_seconds, one_rank(), {}));
  EXPECT_THROW(opening(Storage::full), InputError);
}

}  // namespace
}  // namespace cisolve
