#include <omp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <utility>

#include "core/error.hpp"
#include "core/text/text_blocks.hpp"
#include "core/threads/parallel.hpp"
#include "io/matrix_file.hpp"
#include "io/matrix_market_text.hpp"
#include "io/matrix_reading.hpp"

namespace cisolve {
namespace {

using Header = MatrixMarketHeader;
using Entry = MatrixMarketEntry;
using Pieces = std::vector<std::string_view>;

/// The text cut at line ends into pieces of about the same size, in order; some may be empty.
Pieces split_at_lines(std::string_view text, std::size_t count) {
  Pieces pieces;
  std::size_t begin = 0;
  for (std::size_t i = 1; i <= count; ++i) {
    std::size_t stop = text.size();
    if (i < count) {
      const std::size_t newline = text.find('\n', std::max(begin, text.size() * i / count));
      if (newline != std::string_view::npos) stop = newline + 1;
    }
    pieces.push_back(text.substr(begin, stop - begin));
    begin = stop;
  }
  return pieces;
}

/// The sum of `work(piece)` over the pieces, in parallel; −1 when one of them is.
template <class Work>
Offset sum_over_pieces(const Pieces& pieces, Work work) {
  std::size_t bytes = 0;
  for (const std::string_view piece : pieces) bytes += piece.size();
  Offset sum = 0;
  bool good = true;
  FirstException exception;
#pragma omp parallel for if (worth_threads(bytes)) schedule(dynamic) \
    reduction(+ : sum) reduction(&& : good)
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    exception.guard([&] {
      const Offset part = work(pieces[i]);
      sum += part;
      good = good && part >= 0;
    });
  }
  exception.rethrow();
  return good ? sum : -1;
}

Offset increment(Offset& counter) {
  return std::atomic_ref<Offset>(counter).fetch_add(1, std::memory_order_relaxed);
}

/// Calls put(entry) for each element that an entry of the file stands for. In a symmetric file
/// these are the entry and its mirror image (conjugated in a Hermitian one) or, if the upper
/// triangle is kept, the one of the two in it.
template <class Put>
void for_each_place(const Header& header, Storage kept, const Entry& entry, Put put) {
  const double sign = header.hermitian ? -1.0 : 1.0;
  const Entry mirrored{entry.column, entry.row, entry.value, sign * entry.imaginary};
  const bool mirror = header.symmetric && entry.row != entry.column;
  if (kept == Storage::upper) return put(mirror && entry.row > entry.column ? mirrored : entry);
  put(entry);
  if (mirror) put(mirrored);
}

/// Sums work(piece) over all entry lines of the file, as sum_over_pieces does.
template <class Work>
Offset sum_over_text(TextBlocks& file, const Header& header, Work work) {
  const std::size_t pieces = 8 * static_cast<std::size_t>(omp_get_max_threads());
  Offset sum = sum_over_pieces(split_at_lines(file.first().substr(header.bytes), pieces), work);
  file.rewind();
  for (std::string_view block; sum >= 0 && file.next(block);) {
    const Offset of_block = sum_over_pieces(split_at_lines(block, pieces), work);
    sum = of_block < 0 ? -1 : sum + of_block;
  }
  return sum;
}

/// Adds the entries of every row, those mirrored from the other triangle too, to counts[row].
/// Returns the number of entries in the file, −1 on a fault.
Offset count_rows(TextBlocks& file, const Header& header, Storage kept, Offset* counts) {
  const auto visit = [&](const char* p, const char* end) -> const char* {
    Entry entry;
    p = parse_place(p, end, header, entry);
    if (p == nullptr) return nullptr;
    for_each_place(header, kept, entry, [&](const Entry& e) { increment(counts[e.row]); });
    return line_end(p, end);
  };
  return sum_over_text(file, header,
                       [&](std::string_view piece) { return for_each_entry_line(piece, visit); });
}

/// Stores entries at places next[row]++ of the matrix, a batch at a time. Mirrored entries go to
/// rows far apart: the cache misses of a batch overlap, those of single entries would not.
class Scatter {
 public:
  Scatter(Offset* next, CsrMatrix& a) : next_(next), a_(a) {}

  void add(const Entry& entry) {
    if (size_ == batch) flush();
    entries_[size_++] = entry;
    __builtin_prefetch(&next_[entry.row], 1);
  }

  void flush() {
    for (std::size_t k = 0; k < size_; ++k) {
      places_[k] = increment(next_[entries_[k].row]);
      if (static_cast<std::size_t>(places_[k]) >= a_.column_indices.size()) {
        fits_ = false;
        places_[k] = 0;
      }
      __builtin_prefetch(&a_.column_indices[places_[k]], 1);
      __builtin_prefetch(&a_.values[places_[k] * a_.components], 1);
    }
    for (std::size_t k = 0; k < size_; ++k) {
      a_.column_indices[places_[k]] = entries_[k].column;
      a_.values[places_[k] * a_.components] = entries_[k].value;
      if (a_.components == 2) a_.values[places_[k] * 2 + 1] = entries_[k].imaginary;
    }
    size_ = 0;
  }
  /// False where the file had fewer entries when they were counted.
  bool fits() const { return fits_; }

 private:
  static constexpr std::size_t batch = 128;
  Offset* next_;
  CsrMatrix& a_;
  std::array<Entry, batch> entries_;
  std::array<Offset, batch> places_;
  std::size_t size_ = 0;
  bool fits_ = true;
};

/// Puts every entry, and its mirror image, in its row. Returns as count_rows.
Offset scatter_entries(TextBlocks& file, const Header& header, Offset* next, CsrMatrix& a) {
  return sum_over_text(file, header, [&](std::string_view piece) {
    Scatter scatter(next, a);
    const Offset lines = for_each_entry_line(piece, [&](const char* p, const char* end) {
      Entry entry;
      p = parse_entry(p, end, header, entry);
      if (p == nullptr) return p;
      for_each_place(header, a.storage, entry, [&](const Entry& e) { scatter.add(e); });
      return p;
    });
    scatter.flush();
    return scatter.fits() ? lines : -1;
  });
}

/// Reads the entries once more, serially, and throws for the first fault in the file's order; the
/// parallel passes only tell that there is one.
[[noreturn]] void report_first_fault(TextBlocks& file, const Header& header,
                                     const std::string& name) {
  const std::string announced = std::to_string(header.entries);
  Offset entries = 0;
  std::string_view block = file.first();
  std::int64_t lines_before = 0;
  Entry entry;
  const auto visit = [&](const char* p, const char* end) {
    const char* const next = parse_entry(p, end, header, entry);
    if (next != nullptr && entries < header.entries) {
      ++entries;
      return next;
    }
    const auto line = lines_before + std::count(block.data(), p, '\n') + 1;
    const char* const stop = line_end(p, end);
    std::string fault = entries == header.entries
                            ? "more entries than the " + announced + " announced"
                            : entry_fault({p, static_cast<std::size_t>(stop - p)}, header);
    if (stop == end && file.at_end() && entries < header.entries) {
      fault += "; here the file ends: " + std::to_string(entries) + " of " + announced + " entries";
    }
    throw InputError(name + ":" + std::to_string(line) + ": " + fault);
  };
  file.rewind();
  for_each_entry_line(block.substr(header.bytes), visit);
  for (std::string_view next; file.next(next);) {
    lines_before += std::count(block.begin(), block.end(), '\n');
    block = next;
    for_each_entry_line(block, visit);
  }
  if (entries == header.entries) throw InputError(name + ": the file changed while it was read");
  throw InputError(name + ": file cut short: " + std::to_string(entries) + " of " + announced +
                   " entries");
}

}  // namespace

// Two passes over the text avoid a copy of the entries beside the matrix: the first counts the
// entries of every row, the second parses the values and puts each entry in its row.
CsrMatrix read_matrix_market(const std::filesystem::path& path, Storage storage) {
  const std::string name = path.string();
  TextBlocks file(
      path, [&](std::string_view beginning) { return longest_matrix_market(beginning, name); });
  const Header header = read_matrix_market_header(file.first(), name);

  // "1 1 1\n", of a pattern "1 1\n", complex "1 1 1 1\n"; the last one may lack its newline
  const std::size_t shortest_entry = header.pattern ? 4 : header.components == 2 ? 8 : 6;
  const std::size_t text = file.first().size() - header.bytes + 1;
  if (file.is_whole() && header.entries > static_cast<Offset>(text / shortest_entry)) {
    report_first_fault(file, header, name);
  }
  // row_offsets[i + 1] first counts row i, then is the place for its next entry: where the row
  // begins before the second pass, where it ends after it.
  const bool is_self_adjoint = header.symmetric && (header.hermitian || header.components == 1);
  const Storage kept = is_self_adjoint ? storage : Storage::full;
  CsrMatrix a{header.rows, header.columns, {}, {}, {}, kept, header.components};
  a.row_offsets = allocate<Offset>(static_cast<std::size_t>(header.rows) + 1, "row offsets", name);
  std::fill(a.row_offsets.begin(), a.row_offsets.end(), Offset{0});
  Offset* const next = a.row_offsets.data() + 1;
  if (count_rows(file, header, kept, next) != header.entries) {
    report_first_fault(file, header, name);
  }

  const Offset last_count = next[header.rows - 1];
  std::exclusive_scan(next, next + header.rows, next, Offset{0});
  const auto nonzeros = static_cast<std::size_t>(next[header.rows - 1] + last_count);
  a.column_indices = allocate<Index>(nonzeros, "column indices", name);
  a.values = allocate<double>(nonzeros * header.components, "values", name);
  if (scatter_entries(file, header, next, a) != header.entries) {
    report_first_fault(file, header, name);
  }

  sort_rows(a, name);
  a = validated(std::move(a), name);
  if (header.components == 2 && header.symmetric) {
    require_symmetric(a, header.hermitian
                             ? name
                             : name + ": 'complex symmetric' is read where it is Hermitian, too");
  }
  return a;
}

}  // namespace cisolve
