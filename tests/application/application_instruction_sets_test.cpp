// The program with the CPU's loops of every instruction set that the machine has.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/application.hpp"

namespace cisolve {
namespace {

/// Makes the loader pass over instruction sets: without AVX2 it takes neither v3 nor v4.
struct Choice {
  std::string instruction_set, environment;
};
const Choice choices[] = {
    {"x86-64-v4", ""},
    {"x86-64-v3", "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX512F_Usable "},
    {"x86-64", "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-AVX2_Usable "}};

class InstructionSets : public Application {
 protected:
  std::string version(const std::string& environment) const {
    return shell(environment + "\"$CISOLVE\" --version").out;
  }
  /// Instruction sets of the machine that have a library, the best one first.
  std::vector<Choice> available() const {
    std::vector<Choice> list;
    for (const Choice& choice : choices) {
      const bool runs = version(choice.environment).ends_with(" " + choice.instruction_set + "\n");
      if (runs) list.push_back(choice);
    }
    return list;
  }
};

/// True if the kernel lists all of these features for the processor.
bool processor_has(const std::vector<std::string>& features) {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line) && !line.starts_with("flags")) continue;
  line += " ";
  return std::ranges::all_of(features, [&](const std::string& feature) {
    return line.find(" " + feature + " ") != std::string::npos;
  });
}

/// Features that glibc requires, by the kernel's names.
bool machine_has_v3() {
  return processor_has({"cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3", "avx",
                        "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"});
}
bool machine_has_v4() {
  return machine_has_v3() &&
         processor_has({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"});
}

TEST_F(InstructionSets, the_best_that_the_machine_has_is_taken) {
#ifndef __x86_64__
  GTEST_SKIP() << "instruction sets of x86-64";
#endif
  const std::string found = version("env -u GLIBC_TUNABLES ");
  if (found.ends_with(" native\n")) GTEST_SKIP() << "compiled for this processor alone";
  // The build's settings decide: a library in the folder may be of earlier ones.
  const auto is_built = [](const std::string& set) {
    return std::string(" " CISOLVE_FURTHER_SETS " ").find(" " + set + " ") != std::string::npos;
  };
  std::string best = "x86-64";
  if (is_built("x86-64-v3") && machine_has_v3()) best = "x86-64-v3";
  if (is_built("x86-64-v4") && machine_has_v4()) best = "x86-64-v4";
  EXPECT_EQ(found, "cisolve " CISOLVE_VERSION "\ninstruction set " + best + "\n");
}

TEST_F(InstructionSets, all_give_the_same_energies_and_go_on_from_each_others_states) {
  const std::vector<Choice> sets = available();
  if (sets.size() < 2) GTEST_SKIP() << "there is one instruction set alone";
  const std::string eigen =
      "\"$CISOLVE\" eigen " + data + "nh3_sto3g.fcidump --states 3 --backend cpu --threads 2 ";
  for (const std::string format : {"csr", "packed", "csr_symmetric", "sell"}) {
    nlohmann::json first;
    for (const Choice& choice : sets) {
      SCOPED_TRACE(format + ", " + choice.instruction_set);
      const bool begins = first.is_null();
      const Outcome outcome =
          shell(choice.environment + eigen + "--format " + format + " --json r.json " +
                (begins ? "--checkpoint " : "--restart ") + format + ".h5");
      ASSERT_EQ(outcome.status, 0) << outcome.err;
      const nlohmann::json report = json("r.json");
      EXPECT_EQ(report["instruction_set"], choice.instruction_set);
      if (begins) first = report;
      for (int state = 0; state < 3; ++state) {
        EXPECT_NEAR(report["states"][state]["energy"].get<double>(),
                    first["states"][state]["energy"].get<double>(), 1e-10);
      }
      // A run without the checkpoint, too.
      ASSERT_EQ(shell(choice.environment + eigen + "--format " + format + " --json r.json").status,
                0);
      EXPECT_NEAR(json("r.json")["states"][0]["energy"].get<double>(),
                  first["states"][0]["energy"].get<double>(), 1e-10);
    }
  }
}

}  // namespace
}  // namespace cisolve
