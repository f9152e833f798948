// No file that a command is given, or finds where it is to write, is lost.
#include <array>
#include <map>
#include <vector>

#include "tests/support/application.hpp"

namespace cisolve {
namespace {

const std::string molecule = data + "nh3_sto3g.fcidump";
const std::string flags = " --backend cpu --threads 1 --set spmv.cache=none ";

class Files : public Application {
 protected:
  /// Status 1, these words, and every file as it was.
  void expect_refused(const std::string& line, const std::string& words) const {
    const auto before = all();
    const Outcome outcome = shell(line);
    EXPECT_EQ(outcome.status, 1) << line;
    EXPECT_EQ(outcome.out, "") << line;
    expect_says(outcome, words);
    EXPECT_EQ(all(), before) << line;
  }
  void expect_done(const std::string& line) const {
    const Outcome outcome = shell(line);
    EXPECT_EQ(outcome.status, 0) << line << "\n" << outcome.err;
  }

 private:
  /// Names and contents of the files in the folder.
  std::map<std::string, std::string> all() const {
    std::map<std::string, std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      const std::string name = entry.path().filename();
      if (name != "stderr.txt") found[name] = contents(entry.path());
    }
    return found;
  }
};

const std::string solver = "\"$CISOLVE\" ";

TEST_F(Files, NoOutputOfAnyCommandOverwritesAnInput) {
  write_pair();
  write("b.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n1\n");
  write("run.yaml", "input: {file: pair.mtx}\nbackend: {name: cpu}\n");
  expect_done(solver + "eigen pair.mtx --set output.vectors=v.npy --checkpoint ck.h5" + flags);
  const std::string pair = " is the same file as INPUT, pair.mtx";
  const std::vector<std::array<std::string, 2>> cases{
      {"eigen pair.mtx --json pair.mtx", "--json: pair.mtx" + pair},
      {"eigen pair.mtx --checkpoint pair.mtx", "--checkpoint: pair.mtx" + pair},
      {"eigen pair.mtx --set output.vectors=pair.mtx", "output.vectors: pair.mtx" + pair},
      {"eigen pair.mtx --json pair.mtx --force", pair + "; an input is never overwritten"},
      {"eigen pair.mtx --set spmv.cache=pair.mtx", "spmv.cache: pair.mtx" + pair},
      {"eigen pair.mtx --json ./pair.mtx", pair},
      {"eigen pair.mtx --restart v.npy --set output.vectors=v.npy", "as --restart, v.npy"},
      {"eigen pair.mtx --restart v.npy --checkpoint v.npy --force", "as --restart, v.npy"},
      {"eigen pair.mtx --restart ck.h5 --json ck.h5 --force", "as --restart, ck.h5"},
      {"linear pair.mtx --json pair.mtx", "--json: pair.mtx" + pair},
      {"linear pair.mtx --rhs b.mtx --set output.vectors=b.mtx", "as --rhs, b.mtx"},
      {"linear pair.mtx --x0 v.npy --set output.vectors=v.npy", "as --x0, v.npy"},
      {"eigen pair.mtx --set spmv.network=b.mtx --json b.mtx", "as spmv.network, b.mtx"},
      {"eigen pair.mtx --html pair.mtx", "--html: pair.mtx" + pair},
      {"run run.yaml --set output.json=run.yaml", "as the run file, run.yaml"},
      {"run run.yaml --set output.vectors=pair.mtx",
       "output.vectors: pair.mtx is the same file as input.file"},
      {"info pair.mtx --json pair.mtx", "--json: pair.mtx is the same file as INPUT"},
      {"info pair.mtx --picture pair.mtx", "--picture: pair.mtx is the same file as INPUT"},
      {"bench pair.mtx --json pair.mtx", "--json: pair.mtx is the same file as INPUT"},
      {"bench pair.mtx --html pair.mtx", "--html: pair.mtx is the same file as INPUT"},
      {"bench pair.mtx --csv pair.mtx", "--csv: pair.mtx is the same file as INPUT"},
      {"bench pair.mtx --chart pair.mtx", "--chart: pair.mtx is the same file as INPUT"},
      {"convert pair.mtx pair.mtx", "OUTPUT: pair.mtx is the same file as INPUT, pair.mtx"},
      {"convert pair.mtx pair.mtx --force", "an input is never overwritten"}};
  for (const auto& [arguments, words] : cases) expect_refused(solver + arguments, words);
}

TEST_F(Files, LinksAndHardLinksAreTheSameFile) {
  write_pair();
  fs::create_symlink("pair.mtx", folder_ / "soft.mtx");
  fs::create_hard_link(folder_ / "pair.mtx", folder_ / "hard.mtx");
  fs::create_symlink("later", folder_ / "dangling");
  const std::string eigen = solver + "eigen pair.mtx" + flags;
  for (const std::string& name :
       {std::string("soft.mtx"), std::string("hard.mtx"), (folder_ / "pair.mtx").string()}) {
    expect_refused(eigen + "--json " + name, name + " is the same file as INPUT, pair.mtx");
    expect_refused(solver + "eigen " + name + " --json pair.mtx",
                   "--json: pair.mtx is the same file as INPUT, " + name);
    expect_refused(solver + "convert pair.mtx " + name, "is the same file as INPUT");
  }
  expect_refused(eigen + "--json dangling --checkpoint later",
                 "--json: dangling is the same file as --checkpoint, later");
}

TEST_F(Files, EveryOutputHasAFileOfItsOwn) {
  write_pair();
  const std::string own = "; each output needs a place of its own";
  const std::string eigen = solver + "eigen pair.mtx" + flags;
  expect_refused(eigen + "--json out --checkpoint out",
                 "--json: out is the same file as --checkpoint, out" + own);
  expect_refused(eigen + "--json out --set output.vectors=./out",
                 "--json: out is the same file as output.vectors, ./out" + own);
  expect_refused(eigen + "--json out --set spmv.cache=out", "as spmv.cache, out" + own);
  expect_refused(eigen + "--json out --checkpoint out --force", own);
  expect_refused(solver + "bench pair.mtx --csv out --chart out",
                 "--csv: out is the same file as --chart, out" + own);
  expect_refused(solver + "info pair.mtx --format csr --json out --picture out", own);
  expect_refused(solver + "info pair.mtx --format csr --picture d --dump d/", own);
  fs::create_directory(folder_ / "empty");
  const Outcome inside = run("info pair.mtx --format csr --json empty/format.json --dump empty");
  EXPECT_EQ(inside.status, 1);
  expect_says(inside, "--json: empty/format.json lies in the folder of --dump, empty" + own);
  EXPECT_TRUE(fs::is_empty(folder_ / "empty"));
}

TEST_F(Files, StdoutAndStderrAreOutputsToo) {
  write_pair();
  const std::string pair = contents(folder_ / "pair.mtx");
  const Outcome report = shell(solver + "eigen pair.mtx --json out.txt > out.txt");
  EXPECT_EQ(report.status, 1);
  expect_says(report, "--json: out.txt is the same file as stdout");
  const Outcome input = shell(solver + "info pair.mtx >> pair.mtx");
  EXPECT_EQ(input.status, 1);
  expect_says(input, "stdout is the same file as INPUT, pair.mtx");
  EXPECT_EQ(contents(folder_ / "pair.mtx"), pair);
  const Outcome messages = shell(solver + "info pair.mtx 2>> pair.mtx");
  EXPECT_EQ(messages.status, 1);
  EXPECT_NE(messages.out.find("stderr is the same file as INPUT, pair.mtx"), std::string::npos)
      << messages.out;
  EXPECT_EQ(shell(solver + "info pair.mtx >> pair.mtx 2>&1").status, 1);
  EXPECT_EQ(contents(folder_ / "pair.mtx"), pair);
  expect_done(solver + "eigen pair.mtx --json r.json" + flags + "> out.txt");
  expect_done(solver + "eigen pair.mtx --json -" + flags + "> out.json");
  expect_done(solver + "eigen pair.mtx" + flags + "> /dev/null");
}

TEST_F(Files, ACheckpointMayBeGoneOnFromAndReplaced) {
  const std::string eigen = solver + "eigen " + molecule + flags + "--checkpoint ck.h5 ";
  shell(eigen + "--max-iterations 2");
  const std::string before = contents(folder_ / "ck.h5");
  expect_done(eigen + "--restart ck.h5 --json r.json");
  EXPECT_NE(contents(folder_ / "ck.h5"), before);
  EXPECT_EQ(json("r.json")["restart"]["iterations"], 2);
  fs::create_symlink("ck.h5", folder_ / "link.h5");
  expect_done(eigen + "--restart link.h5");
}

TEST_F(Files, EarlierOutputsOfTheSameKindAndEmptyFilesAreReplaced) {
  write_pair();
  const std::vector<std::string> lines{
      "eigen pair.mtx --json a.json --checkpoint a.h5 --set output.vectors=a.npy" + flags,
      "linear pair.mtx --shift -3 --json a.json --set output.vectors=a.npy" + flags,
      "info pair.mtx --json a.json --picture a.png",
      "bench pair.mtx --backend cpu --threads 1 --format csr --block 1 --repeats 1 --json a.json "
      "--csv a.csv "
      "--chart a.svg",
      "formats --json a.json",
      "convert pair.mtx b.mtx",
      "convert pair.mtx b.mtx.gz",
      "convert pair.mtx b.h5",
      "convert pair.mtx b.h5 --format packed",
      "convert pair.mtx b.npz",
      "generate b.mtx --kind banded --rows 10",
      "generate b.hdf5 --kind banded --rows 10",
      "generate b.npz --kind banded --rows 10"};
  for (int round = 0; round < 2; ++round) {
    for (const std::string& line : lines) expect_done(solver + line);
  }
  for (const char* name : {"a.json", "a.h5", "a.npy"}) write(name, "");
  expect_done(solver + lines[0]);
  EXPECT_GT(fs::file_size(folder_ / "a.json"), 0u);
}

TEST_F(Files, WhatIsNoEarlierOutputOfThatKindIsKept) {
  write_pair();
  write("h.fcidump", contents(molecule));
  write("notes.txt", "my notes\n");
  write("other.json", "{\"mine\": 1}\n");
  write("other.zip", std::string("PK\3\4", 4) + std::string(40, 'x'));
  expect_done(solver +
              "eigen pair.mtx --json r.json --checkpoint ck.h5 --set output.vectors=v.npy" + flags);
  expect_done(solver + "convert pair.mtx m.h5");
  const std::string eigen = "eigen pair.mtx" + flags;
  const std::vector<std::array<std::string, 2>> cases{
      {eigen + "--json h.fcidump",
       "h.fcidump is there and is an FCIDUMP file, expected a new file "
       "or a report of cisolve; --force (in run files 'output.force') replaces it"},
      {eigen + "--json notes.txt", "notes.txt is there and is text of another kind"},
      {eigen + "--json other.json", "other.json is there and is JSON of another kind"},
      {eigen + "--json ck.h5", "ck.h5 is there and is a checkpoint"},
      {eigen + "--checkpoint m.h5",
       "m.h5 is there and is an HDF5 matrix, expected a new file or a "
       "checkpoint"},
      {eigen + "--checkpoint notes.txt", "is text of another kind"},
      {eigen + "--set output.vectors=r.json",
       "r.json is there and is a report of cisolve, expected "
       "a new file or a NumPy array"},
      {"linear pair.mtx --shift -3 --set output.vectors=h.fcidump", "is an FCIDUMP file"},
      {"info pair.mtx --picture v.npy", "--picture: v.npy is there and is a NumPy array"},
      {"info pair.mtx --json h.fcidump", "is an FCIDUMP file"},
      {"bench pair.mtx --csv notes.txt", "expected a new file or a table of cisolve bench"},
      {"bench pair.mtx --chart notes.txt", "expected a new file or an SVG picture"},
      {"formats --json notes.txt", "--json: notes.txt is there and is text of another kind"},
      {"convert pair.mtx ck.h5",
       "OUTPUT: ck.h5 is there and is a checkpoint, expected a new file or "
       "an HDF5 matrix"},
      {"generate ck.h5 --kind banded --rows 10", "OUTPUT: ck.h5 is there and is a checkpoint"}};
  for (const auto& [arguments, words] : cases) expect_refused(solver + arguments, words);
  fs::rename(folder_ / "other.zip", folder_ / "other.npz");
  expect_refused(solver + "convert pair.mtx other.npz", "is a zip archive of another kind");
}

TEST_F(Files, ForceReplacesThem) {
  write_pair();
  const auto notes = [&] { write("notes.txt", "my notes\n"); };
  for (const std::string& line :
       {"eigen pair.mtx --json notes.txt --force" + flags,
        "eigen pair.mtx --json notes.txt --set output.force=true" + flags,
        "linear pair.mtx --shift -3 --json notes.txt --force" + flags,
        std::string("info pair.mtx --json notes.txt --force"),
        std::string(
            "bench pair.mtx --backend cpu --threads 1 --format csr --block 1 --repeats 1 --csv "
            "notes.txt --force"),
        std::string("formats --json notes.txt --force")}) {
    notes();
    expect_done(solver + line);
    EXPECT_NE(contents(folder_ / "notes.txt"), "my notes\n") << line;
  }
  for (const std::string line : {"convert pair.mtx", "generate --kind banded --rows 10"}) {
    write("notes.mtx", "my notes\n");
    expect_refused(solver + line + " notes.mtx", "is text of another kind");
    expect_done(solver + line + " notes.mtx --force");
  }
  notes();
  write("run.yaml", "input: {file: pair.mtx}\noutput: {json: notes.txt, force: true}\n");
  expect_done(solver + "run run.yaml");
}

}  // namespace
}  // namespace cisolve
