#include "app/config/config.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "app/config/irrep.hpp"
#include "app/config/yaml_text.hpp"
#include "core/error.hpp"
#include "tests/support/paths.hpp"

namespace cisolve {
namespace {

namespace fs = std::filesystem;

class Config : public ::testing::Test {
 protected:
  Config() : folder_(fs::temp_directory_path() / ("cisolve_config_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~Config() override { fs::remove_all(folder_); }

  RunConfig read(const std::string& text) {
    std::ofstream(folder_ / "run.yaml") << text;
    return read_config(folder_ / "run.yaml");
  }
  /// Message of the reader on a bad file, without the folder.
  std::string complaint(const std::string& text) {
    try {
      read(text);
    } catch (const InputError& error) {
      std::string message = error.what();
      const std::string folder = folder_.string() + "/";
      if (message.starts_with(folder)) message.erase(0, folder.size());
      return message;
    }
    return "no complaint";
  }

  fs::path folder_;
};

std::string complaint_of_set(const std::string& text) {
  try {
    RunConfig config;
    apply_settings({parse_setting(text)}, config);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no complaint";
}

TEST_F(Config, ReadsEveryKindOfValue) {
  const RunConfig config = read(
      "task: linear\n"
      "input: {file: /a/b.mtx, electrons: 8, ms2: -2, irrep: B1u, space: cisdt, frozen: [1, 2],\n"
      "        active: '3-5,8', allow_missing_diagonal: true}\n"
      "solver: {method: lanczos, states: 7, tolerance: 1e-8, seed: 18446744073709551615}\n"
      "spmv: {format: ell, boundary: {by: column, value: 384}}\n"
      "backend: {name: cuda, device: 1}\n"
      "output: {json: \"-\"}\n");
  EXPECT_EQ(config.task, Task::linear);
  EXPECT_EQ(config.input.file, "/a/b.mtx");
  EXPECT_EQ(config.input.electrons, 8);
  EXPECT_EQ(config.input.ms2, -2);
  EXPECT_EQ(config.input.irrep, "B1u");
  EXPECT_EQ(config.input.space, Space::cisdt);
  EXPECT_EQ(config.input.frozen, (std::vector{1, 2}));
  EXPECT_EQ(config.input.active, (std::vector{3, 4, 5, 8}));
  EXPECT_TRUE(config.input.allow_missing_diagonal);
  EXPECT_EQ(config.solver.method, EigenMethod::lanczos);
  EXPECT_EQ(config.solver.states, 7);
  EXPECT_EQ(config.solver.tolerance, 1e-8);
  EXPECT_EQ(config.solver.seed, 18446744073709551615u);
  EXPECT_EQ(config.spmv.format, "ell");
  EXPECT_EQ(config.spmv.boundary.by, Boundary::By::column);
  EXPECT_EQ(config.spmv.boundary.value, 384);
  EXPECT_EQ(config.backend.name, Device::cuda);
  EXPECT_EQ(config.backend.device, 1);
  EXPECT_EQ(config.output.json, "-");
  EXPECT_EQ(config.solver.max_iterations, RunConfig().solver.max_iterations);
}

TEST_F(Config, UnknownKeyIsRefusedWithLineAndAllowedKeys) {
  EXPECT_EQ(complaint("input:\n  file: a\nsolver:\n  stats: 4\n"),
            "run.yaml:4: unknown key solver.stats; did you mean solver.states? the keys of solver "
            "are method, states, "
            "multiplicity, tolerance, stop_by, energy_tolerance, max_iterations, guard, max_basis, "
            "olsen, p_space, "
            "verify, time_limit, seed, start, restart, engine, slepc_method, slepc_matrix, "
            "slepc_options");
  EXPECT_EQ(complaint("\nsovler:\n  states: 4\n"),
            "run.yaml:2: unknown key sovler; did you mean solver? the keys at the top are task, "
            "operator, input, "
            "solver, "
            "selection, checkpoint, linear, "
            "spmv, backend, output");
  EXPECT_EQ(complaint("states: 4\n").substr(0, 58),
            "run.yaml:1: unknown key states; did you mean solver.states");
  EXPECT_EQ(complaint("spmv:\n  boundary: {at: 3}\n"),
            "run.yaml:2: unknown key spmv.boundary.at; the keys of spmv.boundary are by, value");
}

TEST_F(Config, WrongTypeOrRangeIsRefusedWithLineValueAndExpectation) {
  EXPECT_EQ(complaint("solver:\n  states: many\n"),
            "run.yaml:2: solver.states: found 'many', expected integer (1 to 10000)");
  EXPECT_EQ(complaint("solver:\n  states: 0\n"),
            "run.yaml:2: solver.states: found '0', expected integer (1 to 10000)");
  EXPECT_EQ(complaint("solver:\n  states: 2.5\n"),
            "run.yaml:2: solver.states: found '2.5', expected integer (1 to 10000)");
  EXPECT_EQ(complaint("solver:\n  states: 99999999999\n"),
            "run.yaml:2: solver.states: found '99999999999', expected integer (1 to 10000)");
  EXPECT_EQ(complaint("solver:\n  tolerance: nan\n"),
            "run.yaml:2: solver.tolerance: found 'nan', expected number (above 0)");
  EXPECT_EQ(complaint("solver:\n  tolerance: [1, 2]\n"),
            "run.yaml:2: solver.tolerance: found [1, 2], expected number (above 0)");
  EXPECT_EQ(
      complaint("solver:\n  method: dvdson\n"),
      "run.yaml:2: solver.method: found 'dvdson', expected name (davidson, lobpcg, lanczos); did "
      "you mean davidson?");
  EXPECT_EQ(complaint("linear:\n  omega: 2\n"),
            "run.yaml:2: linear.omega: found '2', expected number (from 0 to below 2)");
  EXPECT_EQ(complaint("solver: 3\n"), "run.yaml:1: found '3', expected keys of solver");
  EXPECT_EQ(complaint("solver:\n  states:\n"),
            "run.yaml:2: solver.states: found nothing, expected integer (1 to 10000)");
}

TEST_F(Config, RepeatedKeyIsRefused) {
  EXPECT_EQ(complaint("solver:\n  states: 1\n  states: 2\n"),
            "run.yaml:3: solver.states is given twice");
}

TEST_F(Config, KeysWithDotsAreRefused) {
  EXPECT_EQ(complaint("solver:\n  states: 1\nsolver.states: 2\n"),
            "run.yaml:3: solver.states: keys with dots are for --set; nest it here, as in solver: "
            "{states: 4}");
  EXPECT_EQ(complaint("spmv:\n  boundary.by: count\n").substr(0, 31),
            "run.yaml:2: spmv.boundary.by: k");
}

TEST_F(Config, AFileIsOneDocument) {
  EXPECT_EQ(complaint("task: eigen\n---\ntask: linear\n"),
            "run.yaml:2: found a second YAML document, or text outside the first; expected one");
  EXPECT_EQ(complaint("# nothing\n"), "run.yaml: found no YAML document, expected one");
}

TEST_F(Config, TextThatYamlCannotEndWithIsRefused) {
  // yaml-cpp's LoadAll finds empty documents there for ever.
  EXPECT_EQ(complaint("# a comment\n, 1, 2.\n\nsolver:\n  states: 3\n"),
            "run.yaml:2: found a second YAML document, or text outside the first; expected one");
}

TEST_F(Config, AFileOfAnyLengthIsReadInAMoment) {
  for (const std::string& piece : {std::string("["), std::string("{"), std::string("- "),
                                   std::string("? "), std::string("a: "), std::string("&a *a "),
                                   std::string("a: &a [*a]\n"), std::string("\"")}) {
    std::string text;
    while (text.size() < 99'000) text += piece;
    EXPECT_FALSE(complaint(text).empty()) << piece;
  }
  EXPECT_EQ(complaint(std::string(1'000'001, '#')),
            "run.yaml: found 1000001 bytes, expected a run file of at most 1000000");
}

TEST_F(Config, TabsAreRefusedWithAdvice) {
  const std::string advice = "; indent with blanks, not tabs";
  EXPECT_TRUE(complaint("solver:\n\tstates: 2\n").ends_with(advice));
  EXPECT_TRUE(complaint("solver:\n  states: 2\n \tseed: 2\n").ends_with(advice));
  EXPECT_FALSE(complaint("solver: [1\n").ends_with(advice));
}

TEST_F(Config, NamesAreTakenInAnyCase) {
  EXPECT_EQ(read("input: {space: CISD}\n").input.space, Space::cisd);
}

TEST_F(Config, BrokenYamlIsRefusedWithLine) {
  EXPECT_TRUE(complaint("solver:\n  states: [1, 2\n").starts_with("run.yaml:"));
  EXPECT_THROW(read_config(folder_ / "absent.yaml"), InputError);
}

TEST_F(Config, OrbitalListsTakeRangesAndRefuseNonsense) {
  RunConfig config;
  apply_settings({{"--frozen", "input.frozen", "1-3,5"}}, config);
  EXPECT_EQ(config.input.frozen, (std::vector{1, 2, 3, 5}));
  apply_settings({{"--set", "input.frozen", "[2, 4-5]"}}, config);
  EXPECT_EQ(config.input.frozen, (std::vector{2, 4, 5}));
  for (const char* bad : {"0", "3-1", "1,,2", "a", "1-", "-2", "1-2000000000"}) {
    EXPECT_NE(complaint_of_set(std::string("input.frozen=") + bad), "no complaint") << bad;
  }
}

TEST_F(Config, MultiplicitiesAreOneOrAListWithNumbersOfStates) {
  const auto multiplicity = [this](const std::string& value) {
    const RunConfig config = read("input: {file: a}\nsolver:\n  multiplicity: " + value + "\n");
    EXPECT_EQ(config.solver.chooses_multiplicity(), !value.empty());
    EXPECT_EQ(config.solver.multiplicity.has_value(),
              config.solver.multiplicities.empty() && !value.empty());
    return to_json(config)["solver"]["multiplicity"];
  };
  EXPECT_EQ(multiplicity("3"), 3);
  EXPECT_EQ(multiplicity("[3]"), 3);
  EXPECT_EQ(multiplicity(""), nullptr);
  EXPECT_EQ(multiplicity("1:2,3,5"), "1:2,3,5");
  EXPECT_EQ(multiplicity("[1:2, 3, 5]"), "1:2,3,5");
  EXPECT_EQ(multiplicity("3:2"), "3:2");
  RunConfig config;
  apply_settings({parse_setting("solver.multiplicity=1,3"), parse_setting("solver.multiplicity=5")},
                 config);
  EXPECT_EQ(config.solver.multiplicity, 5);
  EXPECT_TRUE(config.solver.multiplicities.empty());
  for (const char* wrong : {"0", "1,", "1:0", "a", "[1, [3, 0]]", "[]"}) {
    EXPECT_NE(complaint_of_set(std::string("solver.multiplicity=") + wrong).find("at least 1"),
              std::string::npos)
        << wrong;
  }
}

TEST_F(Config, SetReplacesAndNamesItselfInErrors) {
  RunConfig config;
  apply_settings({parse_setting("input.file=a=b.mtx"), parse_setting("output.json=-")}, config);
  EXPECT_EQ(config.input.file, "a=b.mtx");
  EXPECT_EQ(config.output.json, "-");
  EXPECT_EQ(complaint_of_set("solver.states=x"),
            "--set: solver.states: found 'x', expected integer (1 to 10000)");
  EXPECT_EQ(complaint_of_set("spmv.boundary.at=1"),
            "--set: unknown key spmv.boundary.at; the keys of spmv.boundary are by, value");
  EXPECT_EQ(complaint_of_set("solver"), "--set solver: expected key.path=value");
}

TEST_F(Config, RelativeInputStartsFromTheRunFilesFolder) {
  std::ofstream(folder_ / "b.npy") << "x";
  const RunConfig config = read("input: {file: sub/../a.mtx}\nlinear: {rhs: b.npy}\n");
  EXPECT_EQ(config.input.file, folder_ / "a.mtx");
  EXPECT_EQ(config.linear.rhs, (folder_ / "b.npy").string());
}

TEST_F(Config, EffectiveConfigurationIsARunFileItself) {
  RunConfig config;
  config.input.file = "/a.mtx";
  config.input.frozen = {1, 3};
  config.input.irrep = "0";
  config.solver.tolerance = 1e-7;
  config.spmv.boundary = {Boundary::By::count, 32};
  const Json json = to_json(config);
  EXPECT_EQ(to_json(read(json.dump(2))), json);
}

TEST_F(Config, AsYamlItIsReadBackWhateverNamesItHas) {
  for (const std::string name : {"plain.fcidump", "~", "null", "true", "1e5", "- a: {b}", "#c", "",
                                 "\"quoted\" 'twice'", " blanks ", "a\nb\tc", "Grüße: [1", "%d"}) {
    RunConfig config;
    config.output.json = name;
    config.input.irrep = "2";
    config.input.frozen = {1, 2, 7};
    config.solver.tolerance = 1.25e-9;
    config.solver.multiplicities = {{1, 2}, {3, {}}};
    const Json json = to_json(config);
    EXPECT_EQ(to_json(read(to_yaml(json))), json) << name;
  }
}

TEST_F(Config, DocumentationHoldsTheTableOfKeys) {
  std::ifstream file(test_data() / "../../docs/configuration.md");
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_NE(text.str().find(describe_fields()), std::string::npos);
}

Integrals with_point_group(const std::string& name) {
  Integrals integrals;
  if (!name.empty()) integrals.other_keys = {{"PNTGRP", name}};
  return integrals;
}

TEST(Irrep, NamesFollowMolprosOrder) {
  EXPECT_EQ(irrep_number("B1u", with_point_group("D2h")), 4);
  EXPECT_EQ(irrep_number("au", with_point_group("'d2h',")), 7);
  EXPECT_EQ(irrep_number("A2", with_point_group("C2v")), 3);
  EXPECT_EQ(irrep_number("A''", with_point_group("Cs")), 1);
  EXPECT_EQ(irrep_number("3", with_point_group("")), 3);
}

TEST(Irrep, UnknownNamesAndNumbersAreRefused) {
  const auto complaint = [](const std::string& text, const Integrals& integrals) -> std::string {
    try {
      irrep_number(text, integrals);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no complaint";
  };
  EXPECT_EQ(complaint("B1u", with_point_group("C2v")), "irrep 'B1u': C2v has A1, B1, B2, A2");
  Integrals unnamed = with_point_group("");
  unnamed.orbital_irreps = {{{0, 0, 2}, {0, 0, 2}}};
  const std::string told = complaint("B1u", unnamed);
  EXPECT_NE(told.find("names no point group"), std::string::npos) << told;
  EXPECT_NE(told.find("may be of C2v (A1, B1, B2, A2), C2h (Ag, Au, Bu, Bg), D2 (A, B3, B2, B1);"),
            std::string::npos)
      << told;
  EXPECT_EQ(complaint("4", with_point_group("C2v")), "irrep 4: expected 0 to 3");
  EXPECT_EQ(complaint("-1", with_point_group("")), "irrep -1: expected 0 to 7");
}

}  // namespace
}  // namespace cisolve
