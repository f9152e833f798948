// Pages: well-formed, self-contained, with the numbers of the report and nothing better than it.
#include "app/page/page.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <regex>

#include "app/config/config.hpp"
#include "app/page/citation.hpp"
#include "tests/support/markup.hpp"

namespace cisolve {
namespace {

Json state_of(double energy, double ev, int multiplicity, const char* irrep) {
  const double s = (multiplicity - 1) / 2.0;
  return {{"energy", energy},
          {"excitation_ev", ev},
          {"excitation_cm1", ev * 8065.5},
          {"residual_norm", 4e-7},
          {"converged", true},
          {"irrep", irrep[0] - 'A'},
          {"irrep_name", irrep},
          {"s_squared", s * (s + 1)},
          {"multiplicity", multiplicity},
          {"rank_weights", {0.95, 0.0, 0.05}},
          {"natural_occupations", {1.9834, 0.0166}},
          {"leading",
           {{{"row", 1},
             {"coefficient", 0.977},
             {"occupation", "2200"},
             {"excitation", "4a -> 5a"},
             {"rank", 0}}}}};
}

/// Two states of a small molecule, as `eigen` reports them.
Json two_states() {
  RunConfig config;
  config.input.file = "folder/water.fcidump";
  config.solver.states = 2;
  Json history = Json::array();
  for (int i = 0; i < 5; ++i) {
    history.push_back({{"iteration", i},
                       {"energies", {-76.1 + std::pow(10.0, -i), -75.8 + std::pow(10.0, -i)}},
                       {"residual_norms", {std::pow(10.0, -i), std::pow(10.0, -i)}}});
  }
  return {
      {"status", "converged"},
      {"summary", "converged, searched"},
      {"verified", false},
      {"tolerance", 1e-6},
      {"energy_tolerance", 1e-9},
      {"states", {state_of(-76.1, 0.0, 1, "A1"), state_of(-75.8, 8.163, 3, "B2")}},
      {"reference", {{"occupation", "2200"}, {"energy", -76.0}, {"irrep", 0}, {"multiplicity", 1}}},
      {"correlation_energy", -0.1},
      {"correlation_state", 1},
      {"operator_applications", 25},
      {"probe_applications", 28},
      {"verification", {{"summary", "no states were missed"}}},
      {"iterations", 5},
      {"history", history},
      {"units", "hartree"},
      {"matrix", {{"rows", 100}, {"nonzeros", 321}, {"format", "csr"}, {"bytes", 4000}}},
      {"memory",
       {{"host_needed", 1000000},
        {"host_available", 2000000},
        {"basis_bytes", 4000},
        {"notes", Json::array({"a smaller basis"})}}},
      {"seconds", {{"read", 0.1}, {"solve", 2.5}, {"total", 2.75}}},
      {"backend", "cpu"},
      {"device", "some processor"},
      {"notes", Json::array({"take note"})},
      {"config", to_json(config)},
      {"date", "2026-01-31T12:34:56Z"},
      {"host", "node7"},
      {"command", "cisolve eigen 'my <water>.fcidump'"},
      {"version", "0.1.0"},
      {"instruction_set", "x86-64-v3"}};
}

bool holds(const std::string& page, const std::string& text) {
  return page.find(text) != std::string::npos;
}

/// A number that is none, in markup.
bool has_no_number(const std::string& page) {
  static const std::regex none(R"re(="[^"]*\b(nan|inf)\b)re");
  return std::regex_search(page, none);
}

TEST(Page, CitesByTheDoiOnceThereIsOne) {
  EXPECT_NE(citation().program.find(", which has no DOI yet"), std::string::npos);
  const Citation made = citation_of(
      "message: Cite it.\ntitle: a program\nversion: 1.2.0\ndoi: 10.5281/zenodo.1\n"
      "authors:\n  - name: A\n  - family-names: B\n"
      "references:\n  - {title: a paper, authors: [{family-names: C}], journal: J, volume: 6, "
      "start: 45, year: 2018, doi: 10.1/x}\n");
  EXPECT_EQ(made.message, "Cite it.");
  EXPECT_EQ(made.program, "A, B: a program. Version 1.2.0, doi:10.5281/zenodo.1");
  EXPECT_EQ(made.references, std::vector<std::string>{"C: a paper. J 6, 45 (2018), doi:10.1/x"});
}

TEST(Page, SaysWhatTheReportDoes) {
  const std::string page = result_page(two_states());
  EXPECT_EQ(markup_problem(page), "");
  EXPECT_FALSE(has_no_number(page));
  for (const char* text : {"<html lang=\"en\">",
                           "<h1>water.fcidump</h1>",
                           "○ converged, searched",
                           "no states were missed",
                           ">-76.1000000000<",
                           ">8.163000<",
                           ">4.0e-07<",
                           ">yes<",
                           "¹A1",
                           "³B2",
                           "321 nonzeros",
                           "25 products, and 28 in the search",
                           ">0.977000<",
                           "4a -&gt; 5a",
                           ">1.9834<",
                           ">2.500<",
                           "2.750 in all",
                           "take note",
                           "a smaller basis",
                           "  states: 2\n",
                           "  file: folder/water.fcidump\n",
                           "<dd>2026-01-31T12:34:56Z</dd>",
                           "<dd>node7</dd>",
                           "<pre>cisolve eigen 'my &lt;water&gt;.fcidump'</pre>",
                           "<dd>cisolve 0.1.0, x86-64-v3, cpu: some processor</dd>",
                           "<h2>How to cite</h2>",
                           "Hoffmann",
                           "solver.tolerance"}) {
    EXPECT_TRUE(holds(page, text)) << text;
  }
  for (const char* colour : {"class=\"level c0\"", "class=\"level c1\""}) {
    EXPECT_EQ(occurrences(page, colour), 2u) << "a level and the legend";
  }
  EXPECT_EQ(occurrences(page, "class=\"curve s1\""), 4u) << "two charts, two legends";
}

/// The last energies are the result's: as a distance from it they would seem better than they are.
TEST(Page, EnergiesAreShownByTheirChanges) {
  Json report = two_states();
  for (Json& entry : report["history"]) entry["energies"] = {-76.1, -75.8};
  const std::string page = result_page(report);
  EXPECT_FALSE(holds(page, "change of energy")) << "there was none";
  EXPECT_TRUE(holds(page, "residual norm"));
  EXPECT_TRUE(holds(result_page(two_states()), "change of energy / Hartree"));
}

TEST(Page, OnlyWhatIsVerifiedHasATick) {
  Json report = two_states();
  EXPECT_FALSE(holds(result_page(report), "✓"));
  report["verified"] = true;
  report["summary"] = "converged, verified";
  EXPECT_TRUE(holds(result_page(report), "✓ converged, verified"));
}

TEST(Page, NeedsNoOtherFileAndNoScript) {
  const std::string page = result_page(two_states());
  for (const char* text : {"<script", "src=", "href=", "url(", "@import", "http"}) {
    EXPECT_FALSE(holds(page, text)) << text;
  }
}

TEST(Page, EveryPictureHasATitleAndEveryTableHeadings) {
  const std::string page = result_page(two_states());
  EXPECT_EQ(occurrences(page, "<svg "), occurrences(page, "<svg role=\"img\""));
  EXPECT_EQ(occurrences(page, "<svg "), occurrences(page, "<desc>"));
  EXPECT_EQ(occurrences(page, "<table>"), occurrences(page, "<thead>"));
}

TEST(Page, NothingOfTheUsersIsMarkup) {
  Json report = two_states();
  const std::string bad = "<script>alert(\"1\")</script> & \x01 \xff.fcidump";
  report["config"]["input"]["file"] = bad;
  report["notes"] = Json::array({bad});
  report["states"][0]["irrep_name"] = bad;
  report["states"][0]["leading"][0]["excitation"] = bad;
  const std::string page = result_page(report);
  EXPECT_EQ(markup_problem(page), "");
  EXPECT_FALSE(holds(page, "<script"));
  EXPECT_TRUE(holds(page, "&lt;script&gt;alert("));
}

TEST(Page, WhatIsNotConvergedIsSaidSo) {
  Json report = two_states();
  report["status"] = report["summary"] = "max_iterations";
  report["states"][1]["converged"] = false;
  const std::string page = result_page(report);
  EXPECT_TRUE(holds(page, "✗ NOT converged: max_iterations"));
  EXPECT_FALSE(holds(page, "✓"));
  EXPECT_FALSE(holds(page, "○"));
  EXPECT_TRUE(holds(page, ">NO<"));
  EXPECT_EQ(occurrences(page, "class=\"level c1 open\""), 1u);
  EXPECT_TRUE(holds(page, "2: 8.163 ?"));
}

TEST(Page, StatesOfAnIrrepWithoutAName) {
  Json report = two_states();
  for (Json& state : report["states"]) state["irrep_name"] = "5";
  report["states"][1]["multiplicity"] = nullptr;
  const std::string page = result_page(report);
  EXPECT_TRUE(holds(page, ">irrep 5, 2S+1 = 1<"));
  EXPECT_TRUE(holds(page, ">irrep 5, mixed spin<"));
}

TEST(Page, NumbersThatAreNoneLeaveNoTrace) {
  Json report = two_states();
  report["states"][1]["energy"] = nullptr;
  report["states"][1]["excitation_ev"] = std::numeric_limits<double>::quiet_NaN();
  report["states"][0]["natural_occupations"] = nullptr;
  report["history"][2]["energies"] = {nullptr, std::numeric_limits<double>::infinity()};
  report["history"][3]["residual_norms"] = {0.0, std::numeric_limits<double>::quiet_NaN()};
  const std::string page = result_page(report);
  EXPECT_EQ(markup_problem(page), "");
  EXPECT_FALSE(has_no_number(page));
}

TEST(Page, AMatrixHasNeitherSpinNorUnit) {
  Json report = two_states();
  report["units"] = nullptr;
  report.erase("reference");
  for (Json& state : report["states"]) {
    for (const char* key : {"irrep", "irrep_name", "s_squared", "multiplicity", "excitation_ev",
                            "excitation_cm1", "natural_occupations"}) {
      state[key] = nullptr;
    }
  }
  const std::string page = result_page(report);
  EXPECT_EQ(markup_problem(page), "");
  for (const char* text : {"Hartree", "eV", "⟨S²⟩", "irrep</th>"}) {
    EXPECT_FALSE(holds(page.substr(page.find("<h2>States")), text)) << text;
  }
  EXPECT_TRUE(holds(page, "2: 0.300")) << "the difference of the energies";
}

TEST(Page, DipolesAndWhatIsBetweenTwoStates) {
  Json report = two_states();
  EXPECT_EQ(result_page(report).find("Dipole"), std::string::npos) << "of a report without them";
  report["states"][0]["dipole"] = {0.0, -3e-8, 0.731234567};
  report["states"][1]["dipole"] = {0.0, 0.0, -0.25};
  const Json transition = {{"from", 1},
                           {"to", 2},
                           {"energy", 0.3},
                           {"dipole", {0.512345678, 0.0, 0.0}},
                           {"oscillator_strength", 0.052498}};
  report["transitions"] = Json::array({transition});
  const std::string page = result_page(report);
  EXPECT_EQ(markup_problem(page), "");
  for (const char* text : {"<h2>Dipole moments</h2>", ">0.731235<", ">1.858613<", ">-0.250000<",
                           ">0.635437<", ">0.300000<", ">0.512346<", ">0.052498<"}) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
  EXPECT_EQ(page.find("-0.000000"), std::string::npos);

  report["transitions"][0]["oscillator_strength"] = nullptr;
  report["states"][1]["dipole"] = {nullptr, 0.0, 1.0};
  const std::string partly = result_page(report);
  EXPECT_EQ(markup_problem(partly), "");
  EXPECT_EQ(partly.find(">nan"), std::string::npos);
  EXPECT_NE(partly.find(">0.731235<"), std::string::npos);

  Json joint = two_states();
  report["name"] = "irrep B2";
  joint["irreps"] = Json::array({report});
  EXPECT_NE(result_page(joint).find("<h2>Dipole moments, irrep B2</h2>"), std::string::npos);
}

TEST(Page, ALinearSystemHasItsResidual) {
  RunConfig config;
  config.task = Task::linear;
  config.input.file = "a.mtx";
  Json report = two_states();
  for (const char* key : {"states", "history", "reference"}) report.erase(key);
  report["method"] = "minres";
  report["config"] = to_json(config);
  report["columns"] = {{{"residual_norm", 2e-9}, {"relative_residual", 3e-10}}};
  report["residual_history"] = {1.0, 0.1, 0.01};
  report["residual_history_every"] = 2;
  const std::string page = result_page(report);
  EXPECT_EQ(markup_problem(page), "");
  for (const char* text : {"minres", ">3.000e-10<", "relative residual", "linear.tolerance"}) {
    EXPECT_TRUE(holds(page, text)) << text;
  }
  EXPECT_TRUE(holds(page, "<h2>Columns</h2>"));
  EXPECT_FALSE(holds(page, "Levels"));
}

/// Two states over four lists, of which the last three lie on lines.
Json selection() {
  Json report = two_states();
  const double limits[] = {-76.1005, -75.8004}, slopes[] = {-0.8, -0.7};
  Json steps = Json::array();
  for (const double correction : {-0.05, -0.02, -0.01, -0.005}) {
    Json states = Json::array();
    for (int j = 0; j < 2; ++j) {
      const double variational = limits[j] + slopes[j] * correction;
      states.push_back({{"variational", variational},
                        {"correction", correction},
                        {"deviation", 2e-6},
                        {"total", variational + correction},
                        {"extrapolated", nullptr}});
      if (!steps.empty()) states.back()["continues"] = j + 1;
    }
    steps.push_back({{"determinants", 100 * (steps.size() + 1)},
                     {"epsilon", 1e-3},
                     {"converged", steps.size() != 1},
                     {"states", states},
                     {"seconds", {{"select", 0.5}, {"solve", 1.25}, {"correct", 0.75}}}});
  }
  for (int j = 0; j < 2; ++j) {
    steps.back()["states"][j]["extrapolated"] = {
        {"energy", limits[j]}, {"uncertainty", 2e-4}, {"lists", 3}, {"slope", slopes[j]}};
  }
  report["selection"] = {{"ended", "400 determinants <were> asked for"},
                         {"notes", Json::array({"a large coefficient"})},
                         {"steps", steps}};
  return report;
}

TEST(Page, ASelectionHasItsListsAndWhereTheyLead) {
  const std::string page = result_page(selection());
  EXPECT_EQ(markup_problem(page), "");
  EXPECT_FALSE(has_no_number(page));
  for (const char* text :
       {"<h2>Selection</h2>", "400 determinants &lt;were&gt; asked for", ">-76.0605000000<",
        ">-0.0050000 ± 2.0e-06<", ">-76.1005000 ± 2.0e-04<", ">1.25<", ">NO<",
        "second-order correction / 10⁻³ Hartree", "energy above lowest limit / 10⁻³ Hartree",
        "state 2: -75.8004000 ± 2.0e-04", "a large coefficient"}) {
    EXPECT_TRUE(holds(page, text)) << text;
  }
  EXPECT_FALSE(holds(result_page(two_states()), "Selection"));
  EXPECT_FALSE(holds(page, "(new)"));
  Json other = selection();
  other["selection"]["steps"].back()["states"][1]["continues"] = nullptr;
  EXPECT_TRUE(holds(result_page(other), ">2 (new)<"));
  Json few = selection();
  for (Json& state : few["selection"]["steps"].back()["states"]) state["extrapolated"] = nullptr;
  EXPECT_FALSE(holds(result_page(few), "second-order correction /")) << "nothing leads anywhere";
}

TEST(Page, ALadderHasItsCouplingAndThatOfEachPairInBothUnits) {
  Json report = two_states();
  EXPECT_FALSE(holds(result_page(report), "Exchange coupling"));
  report["exchange_coupling"] = {
      {"pairs", {{{"multiplicities", {2, 4}}, {"j", -1.5e-4}, {"j_cm1", -32.921}}}}};
  const std::string page = result_page(report);
  EXPECT_EQ(markup_problem(page), "");
  for (const char* text : {"<h2>Exchange coupling</h2>", ">1/2<", ">3/2<", ">-1.50000000e-04<",
                           ">J / Hartree<", ">-32.921<", "E(S) = −J S(S + 1) + const"}) {
    EXPECT_TRUE(holds(page, text)) << text;
  }
  report["units"] = nullptr;
  EXPECT_FALSE(holds(result_page(report), ">-32.921<"));
}

}  // namespace
}  // namespace cisolve
