// The program started by mpirun, as several ranks.
#include <algorithm>
#include <chrono>
#include <vector>

#include "backends/backend.hpp"
#include "io/vector_file.hpp"
#include "tests/support/application.hpp"

namespace cisolve {
namespace {

class OverRanks : public Application {
 protected:
  void SetUp() override {
    if (shell("command -v mpirun").status != 0) GTEST_SKIP() << "there is no mpirun";
    if (!fs::exists(program().parent_path() / "lib" / "libcisolve_mpi.so")) {
      GTEST_SKIP() << "built without MPI";
    }
  }
  static std::string mpirun(int ranks) {
    return "mpirun --allow-run-as-root --oversubscribe --bind-to none -n " + std::to_string(ranks) +
           " ";
  }
  Outcome run_over(int ranks, const std::string& arguments) const {
    return shell(mpirun(ranks) + "\"$CISOLVE\" " + arguments);
  }
  /// Every rank runs a line of shell; $RANK is its number.
  Outcome shell_over(int ranks, const std::string& line, const std::string& variables = "") const {
    write("rank.sh", "RANK=$OMPI_COMM_WORLD_RANK\n" + line + "\n");
    return shell("export CISOLVE " + variables + "; " + mpirun(ranks) + "sh rank.sh");
  }
  static int count(const std::string& text, const std::string& words) {
    int found = 0;
    for (auto at = text.find(words); at != std::string::npos; at = text.find(words, at + 1))
      ++found;
    return found;
  }
  void expect_same_states(const std::string& a, const std::string& b) const {
    const auto of_one = json(a)["states"], of_many = json(b)["states"];
    ASSERT_EQ(of_one.size(), of_many.size());
    for (std::size_t i = 0; i < of_one.size(); ++i) {
      EXPECT_NEAR(of_one[i]["energy"].get<double>(), of_many[i]["energy"].get<double>(), 1e-11);
      for (const char* key : {"s_squared", "irrep", "multiplicity", "converged"}) {
        if (!of_one[i].contains(key) || !of_one[i][key].is_number_float()) {
          EXPECT_EQ(of_one[i].value(key, nlohmann::json()),
                    of_many[i].value(key, nlohmann::json()));
        } else {
          EXPECT_NEAR(of_one[i][key].get<double>(), of_many[i][key].get<double>(), 1e-6);
        }
      }
    }
    EXPECT_EQ(json(a)["verified"], json(b)["verified"]);
    EXPECT_EQ(json(a)["status"], json(b)["status"]);
  }
};

TEST_F(OverRanks, finds_the_states_of_one_rank_and_says_them_once) {
  const std::string job =
      "eigen '" + data +
      "h8_chain_sto3g.fcidump' --space cisd --states 4 --tolerance 1e-8 "
      "--backend cpu --verify thorough --set operator=stored --set output.leading=3 ";
  ASSERT_EQ(run(job + "--json one.json --vectors one.npy").status, 0);
  const Outcome three = run_over(3, job + "--json three.json --vectors three.npy");
  ASSERT_EQ(three.status, 0) << three.err;
  expect_same_states("one.json", "three.json");
  EXPECT_EQ(count(three.out, "ranks       3 ranks of Open MPI"), 1) << three.out;
  EXPECT_EQ(json("three.json")["ranks"]["count"], 3);
  EXPECT_EQ(json("three.json")["matrix"]["nonzeros"], json("one.json")["matrix"]["nonzeros"]);
  EXPECT_EQ(fs::file_size(folder_ / "one.npy"), fs::file_size(folder_ / "three.npy"));
  EXPECT_EQ(count(three.out, "state 1"), 1);
}

TEST_F(OverRanks, exchange_in_common_memory_and_by_messages) {
  const std::string job =
      "eigen '" + data +
      "h8_chain_sto3g.fcidump' --states 2 --tolerance 1e-8 --backend cpu --set operator=direct ";
  ASSERT_EQ(run(job + "--json one.json").status, 0);
  for (const std::string wanted : {"on", "off"}) {
    const Outcome three = shell("export CISOLVE_HOST_MEMORY=" + wanted + "; " + mpirun(3) +
                                "\"$CISOLVE\" " + job + "--force --json three.json");
    ASSERT_EQ(three.status, 0) << three.err;
    expect_same_states("one.json", "three.json");
    EXPECT_EQ(count(three.out, "in common memory"), wanted == "on" ? 1 : 0) << three.out;
  }
}

TEST_F(OverRanks, find_a_ladder_of_spins) {
  const std::string job =
      "eigen '" + data + "n2_sto3g.fcidump' --multiplicity 1,5,7 --tolerance 1e-8 --backend cpu ";
  ASSERT_EQ(run(job + "--json one.json").status, 0);
  const Outcome two = run_over(2, job + "--json two.json");
  ASSERT_EQ(two.status, 0) << two.err;
  expect_same_states("one.json", "two.json");
}

TEST_F(OverRanks, make_the_rows_on_their_gpus) {
  if (!cuda_unavailable_reason().empty()) GTEST_SKIP() << cuda_unavailable_reason();
  const std::string job =
      "eigen '" + data +
      "h8_chain_sto3g.fcidump' --states 4 --tolerance 1e-8 --backend cuda --set operator=stored ";
  ASSERT_EQ(run(job + "--json one.json").status, 0);
  for (const int ranks : {2, 3}) {
    const Outcome many = run_over(ranks, job + "--force --json many.json --checkpoint c.h5");
    ASSERT_EQ(many.status, 0) << many.err;
    expect_same_states("one.json", "many.json");
    EXPECT_EQ(json("many.json")["matrix"]["format"], "packed");
    EXPECT_TRUE(json("many.json")["matrix"]["built_on_device"]);
    EXPECT_EQ(json("many.json")["matrix"]["nonzeros"], json("one.json")["matrix"]["nonzeros"]);
  }
}

TEST_F(OverRanks, write_one_list_of_determinants) {
  const std::string job = "eigen '" + data + "nh3_sto3g.fcidump' --space cisd --backend cpu ";
  ASSERT_EQ(run(job + "--determinants-out one.txt --vectors one.npy").status, 0);
  const auto letters = [&](const std::string& name) {
    std::istringstream lines(contents(folder_ / name));
    std::string all;
    for (std::string line; std::getline(lines, line);) all += line.substr(line.rfind(' ')) + "\n";
    return all;
  };
  for (const std::string vectors : {"", " --vectors two.npy"}) {
    const Outcome two = run_over(2, job + "--determinants-out two.txt --force" + vectors);
    ASSERT_EQ(two.status, 0) << two.err;
    EXPECT_EQ(letters("two.txt"), letters("one.txt"));
  }
  const HostMatrix x = read_vectors(folder_ / "one.npy"), y = read_vectors(folder_ / "two.npy");
  EXPECT_LT((x - y).norm(), 1e-5);
}

TEST_F(OverRanks, read_a_matrix_file_and_start_vectors) {
  ASSERT_EQ(run("convert '" + data + "h8_chain_sto3g.fcidump' a.npz --space cisd").status, 0);
  const std::string job = "eigen a.npz --states 2 --verify off --tolerance 1e-8 --backend cpu ";
  ASSERT_EQ(run(job + "--json one.json --vectors x.npy").status, 0);
  for (const std::string more : {"", "--method lanczos ", "--restart x.npy --format sell "}) {
    const Outcome two = run_over(2, job + more + "--force --json two.json");
    ASSERT_EQ(two.status, 0) << two.err;
    expect_same_states("one.json", "two.json");
  }
}

/// Stored, without a matrix, and of a file that is not symmetric with several right-hand sides.
TEST_F(OverRanks, solve_linear_systems) {
  write("c.mtx",
        "%%MatrixMarket matrix coordinate real general\n5 5 9\n1 1 4\n2 2 5\n3 3 3\n4 4 6\n"
        "5 5 4\n1 4 1\n3 1 -1\n2 5 2\n4 3 1\n");
  const std::string of_integrals = "'" + data + "nh3_sto3g.fcidump' --shift-from-ground -0.5 ";
  for (const std::string& job :
       {of_integrals + "--space cisd --operator stored --method cg --rhs ones",
        of_integrals + "--operator direct --method block_jacobi",
        of_integrals + "--space cisd --method block_jacobi --rhs unit:3",
        std::string("c.mtx --method bicgstab --x0 x0.npy --rhs rhs.npy")}) {
    SCOPED_TRACE(job);
    if (job.starts_with("c.mtx")) {
      ASSERT_EQ(run("linear c.mtx --backend cpu --vectors rhs.npy").status, 0);
      ASSERT_EQ(run("linear c.mtx --backend cpu --rhs ones --vectors x0.npy").status, 0);
    }
    const std::string line =
        "linear " + job + " --backend cpu --tolerance 1e-12 --force --vectors ";
    ASSERT_EQ(run(line + "one.npy --json one.json").status, 0);
    for (const int ranks : {2, 3}) {
      const Outcome many = run_over(ranks, line + "many.npy --json many.json");
      ASSERT_EQ(many.status, 0) << many.err;
      EXPECT_EQ(json("many.json")["ranks"]["count"], ranks);
      EXPECT_EQ(json("many.json")["method"], json("one.json")["method"]);
      const HostMatrix x = read_vectors(folder_ / "one.npy"),
                       y = read_vectors(folder_ / "many.npy");
      ASSERT_EQ(x.rows(), y.rows());
      EXPECT_LE((x - y).norm(), 1e-10 * x.norm());
    }
  }
}

TEST_F(OverRanks, say_what_is_wrong_with_a_linear_system) {
  write_pair();
  for (const std::string rank : {"0", "1"}) {
    fs::create_directory(folder_ / ("of" + rank));
    ASSERT_EQ(run("linear pair.mtx --backend cpu --rhs unit:1 --shift -" + rank + " --vectors of" +
                  rank + "/b.npy")
                  .status,
              0);
  }
  const Outcome differ =
      shell_over(2, "cd of$RANK; exec \"$CISOLVE\" linear ../pair.mtx --backend cpu --rhs b.npy");
  EXPECT_EQ(differ.status, 1);
  expect_says(differ, "--rhs: the ranks do not read the same vectors");
  const Outcome cut =
      run_over(2, "linear pair.mtx --backend cpu --method block_jacobi --set linear.block_size=2");
  EXPECT_EQ(cut.status, 1);
  expect_says(cut, "expected 0 over several ranks");
  write("c.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 2\n2 2 2\n1 2 1\n");
  const Outcome skew = run_over(2, "linear c.mtx --backend cpu --shift-from-ground -1");
  EXPECT_EQ(skew.status, 1);
  expect_says(skew, "not symmetric: row 1, column 2 is 1");
  EXPECT_EQ(
      count(run_over(2, "linear pair.mtx --backend cpu").out, "2 rows, 4 nonzeros on 2 ranks"), 1);
}

TEST_F(OverRanks, go_on_from_the_checkpoint_of_another_number_of_ranks) {
  const std::string job = "eigen '" + data +
                          "h8_chain_sto3g.fcidump' --space cisd --states 2 --tolerance 1e-8 "
                          "--backend cpu --verify off --set operator=stored --force ";
  ASSERT_EQ(run(job + "--json one.json").status, 0);
  const Outcome cut =
      run_over(3, job + "--max-iterations 6 --checkpoint c.h5 --set checkpoint.iterations=3");
  ASSERT_EQ(cut.status, 2) << cut.err;
  for (const int ranks : {1, 2}) {
    const std::string more = job + "--restart c.h5 --json more.json";
    const Outcome rest = ranks == 1 ? run(more) : run_over(ranks, more);
    ASSERT_EQ(rest.status, 0) << rest.err;
    expect_same_states("one.json", "more.json");
    EXPECT_EQ(json("more.json")["restart"]["iterations"], 6);
  }
}

TEST_F(OverRanks, make_products_of_the_integrals) {
  const std::string job = "eigen '" + data +
                          "h8_chain_sto3g.fcidump' --tolerance 1e-8 --backend cpu --force "
                          "--set operator=direct ";
  const std::string thorough = job + "--states 4 --verify thorough ";
  ASSERT_EQ(run(thorough + "--json one.json --vectors one.npy --rdm1 one.npz").status, 0);
  const Outcome three =
      run_over(3, thorough + "--json three.json --vectors three.npy --rdm1 three.npz");
  ASSERT_EQ(three.status, 0) << three.err;
  expect_same_states("one.json", "three.json");
  EXPECT_EQ(json("three.json")["matrix"]["format"], "direct");
  EXPECT_EQ(json("three.json")["ranks"]["count"], 3);
  for (const std::string what : {".npy", ".npz"}) {
    EXPECT_EQ(fs::file_size(folder_ / ("one" + what)), fs::file_size(folder_ / ("three" + what)));
  }
  // One multiplicity, and one parity from a checkpoint of another number of ranks.
  const std::string quintet = job + "--verify off --multiplicity 5 ";
  ASSERT_EQ(run(quintet + "--json one.json").status, 0);
  const Outcome of_ranks = run_over(2, quintet + "--json three.json");
  ASSERT_EQ(of_ranks.status, 0) << of_ranks.err;
  expect_same_states("one.json", "three.json");
  const std::string even = job + "--verify off --spin-inversion even ";
  ASSERT_EQ(run(even + "--json one.json").status, 0);
  const Outcome cut =
      run_over(3, even + "--max-iterations 6 --checkpoint c.h5 --set checkpoint.iterations=3");
  ASSERT_EQ(cut.status, 2) << cut.err;
  const Outcome rest = run_over(2, even + "--restart c.h5 --json three.json");
  ASSERT_EQ(rest.status, 0) << rest.err;
  expect_same_states("one.json", "three.json");
}

TEST_F(OverRanks, refuse_what_is_of_one_rank_once) {
  write_pair();
  const auto expect_refused = [&](const std::string& arguments, const std::string& words) {
    const Outcome refused = run_over(3, arguments);
    EXPECT_EQ(refused.status, 1) << arguments << refused.err;
    EXPECT_EQ(count(refused.err, words), 1) << arguments << refused.err;
  };
  expect_refused("eigen pair.mtx", "3 ranks for a matrix of 2 rows");
  expect_refused("info pair.mtx", "found 3 ranks, expected one process");
  expect_refused("eigen nothing.mtx", "nothing.mtx");
  expect_refused("eigen '" + data + "h8_chain_sto3g.fcidump' --space cisd --multiplicity 1",
                 "--multiplicity: not over several ranks");
}

TEST_F(OverRanks, end_together_where_one_cannot_go_on) {
  write_pair();
  fs::create_directories(folder_ / "0");
  fs::create_directories(folder_ / "1");
  const std::string text = contents(folder_ / "pair.mtx");
  write("0/m.mtx", text);
  write("1/m.mtx", text.substr(0, text.rfind('2')) + "2.5\n");
  const std::string in_own_folder = "cd $RANK && exec \"$CISOLVE\" eigen m.mtx ";
  const Outcome other = shell_over(2, in_own_folder);
  EXPECT_EQ(other.status, 1);
  EXPECT_EQ(count(other.err, "the ranks do not read the same matrix"), 1) << other.err;

  const Outcome told_otherwise = shell_over(2, in_own_folder + "--states $((RANK + 1))");
  EXPECT_EQ(told_otherwise.status, 1);
  EXPECT_EQ(count(told_otherwise.err, "different configurations"), 1) << told_otherwise.err;

  write("0/strings.txt", "00001111\n00010111\n");
  write("1/strings.txt", "00001111\n00011011\n");
  const Outcome lists =
      shell_over(2, "cd $RANK && exec \"$CISOLVE\" eigen '" + data +
                        "h8_chain_sto3g.fcidump' --backend cpu --strings strings.txt");
  EXPECT_EQ(lists.status, 1);
  EXPECT_EQ(count(lists.err, "the ranks do not read the same list of determinants"), 1)
      << lists.err;

  const Outcome direct = run_over(2, "eigen '" + data +
                                         "h8_chain_sto3g.fcidump' --backend cpu --strings "
                                         "0/strings.txt --operator direct");
  EXPECT_EQ(direct.status, 1);
  expect_says(direct, "products without a matrix run on one rank alone");

  fs::remove(folder_ / "1" / "m.mtx");
  const Outcome missing = shell_over(2, in_own_folder);
  EXPECT_EQ(missing.status, 1);
  expect_says(missing, "rank 1 of 2: m.mtx");
}

TEST_F(OverRanks, leave_the_report_of_the_irreps_before_the_one_that_fails) {
  const std::string job = "eigen '" + data +
                          "n2_sto3g.fcidump' --irrep 0:1,1:2 --backend cpu --verify off "
                          "--set operator=stored --force ";
  ASSERT_EQ(run_over(2, job + "--checkpoint c.h5 --json all.json").status, 0);
  EXPECT_EQ(json("all.json")["ranks"]["count"], 2);
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    if (entry.path().extension() == ".h5") names.push_back(entry.path().filename());
  }
  std::ranges::sort(names);
  ASSERT_EQ(names.size(), 2);
  for (const char* rank : {"0", "1"}) {
    fs::create_directories(folder_ / rank);
    for (const std::string& name : names) fs::copy(folder_ / name, folder_ / rank / name);
  }
  write("1/" + names[1], "no checkpoint");
  const Outcome failed =
      shell_over(2, "cd $RANK && exec \"$CISOLVE\" " + job + "--restart c.h5 --json r.json");
  EXPECT_NE(failed.status, 0);
  expect_says(failed, "rank 1 of 2: " + names[1]);
  const auto report = json("0/r.json");
  EXPECT_EQ(report["irreps"].size(), 1);
  EXPECT_EQ(report["status"], "cancelled");
  EXPECT_FALSE(report["verified"]);
  EXPECT_NEAR(report["states"][0]["energy"].get<double>(),
              json("all.json")["irreps"][0]["states"][0]["energy"].get<double>(), 1e-8);
}

TEST_F(OverRanks, end_where_one_is_killed) {
  const auto begun = std::chrono::steady_clock::now();
  const Outcome killed =
      shell_over(2, "\"$CISOLVE\" eigen '" + data +
                        "n2_631g_frozen_core.fcidump' --irrep 0 --backend cpu --threads 1 &\n"
                        "P=$!; if [ $RANK = 1 ]; then sleep 1; kill -9 $P; fi; wait $P");
  EXPECT_NE(killed.status, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(30));
}

TEST_F(OverRanks, end_where_one_is_stopped) {
  for (const std::string victim : {"0", "1"}) {
    const auto begun = std::chrono::steady_clock::now();
    const Outcome stopped = shell_over(
        2,
        "\"$CISOLVE\" eigen '" + data +
            "h2o_631g_frozen_core.fcidump' --space 4 --tolerance 1e-13 --states 8 --backend cpu "
            "--set operator=stored --checkpoint c.h5 --set checkpoint.iterations=1 --force &\n"
            "P=$!; if [ $RANK = " +
            victim + " ]; then while [ ! -f c.h5 ]; do sleep 0.1; done; kill -STOP $P; fi; wait $P",
        "CISOLVE_RANK_SILENCE=2");
    EXPECT_EQ(stopped.status, 3) << stopped.err;
    EXPECT_EQ(count(stopped.err, "rank " + victim + " of 2 has not been heard for 2 s"), 1)
        << stopped.err;
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(30));
    fs::remove(folder_ / "c.h5");
  }
}

/// A shell's jobs in the background ignore SIGINT; SIGTERM does the same.
TEST_F(OverRanks, end_on_a_signal_with_devices) {
  if (!cuda_unavailable_reason().empty()) GTEST_SKIP() << cuda_unavailable_reason();
  if (shell("\"$CISOLVE\" eigen '" + data + "h2_sto3g.fcidump' --devices 2").status != 0) {
    GTEST_SKIP() << "there are no two GPUs";
  }
  const auto begun = std::chrono::steady_clock::now();
  const Outcome cut = shell("\"$CISOLVE\" eigen '" + data +
                            "n2_631g_frozen_core.fcidump' --states 4 --tolerance 1e-13 --devices 2 "
                            "--json r.json > lines & "
                            "P=$!; until grep -q '^ *2 ' lines || ! kill -0 $P; do sleep 0.1; "
                            "done; kill -TERM $P; wait $P");
  EXPECT_EQ(cut.status, 2) << cut.err;
  EXPECT_EQ(json("r.json")["status"], "cancelled");
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(40));
}

TEST_F(OverRanks, cost_one_process_nothing_for_mpi_is_not_loaded) {
  write_pair();
  const Outcome alone = shell("LD_DEBUG=files \"$CISOLVE\" eigen pair.mtx --backend cpu");
  ASSERT_EQ(alone.status, 0) << alone.err;
  expect_says(alone, "libcisolve.so");
  EXPECT_EQ(alone.err.find("libmpi"), std::string::npos);
  EXPECT_EQ(alone.err.find("libcisolve_mpi"), std::string::npos);
}

TEST_F(OverRanks, are_not_found_without_the_launcher_that_the_environment_speaks_of) {
  write_pair();
  const Outcome alone =
      shell("OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 \"$CISOLVE\" eigen pair.mtx");
  EXPECT_EQ(alone.status, 3);
  expect_says(alone, "started as 2 ranks, and MPI is not usable");
}

}  // namespace
}  // namespace cisolve
