#include "io/hdf5/hdf5_input.hpp"

#include <cstring>
#include <limits>

#include "core/error.hpp"
#include "io/hdf5/hdf5_file.hpp"

namespace cisolve {
namespace {

constexpr std::size_t longest_message = 1 << 16;

std::string the_dataset(const std::string& name) {
  return "dataset '" + name + "'";
}

/// "unsigned integers of 16 bits"
std::string description(NumberKind kind, std::uint32_t bits, bool has_sign) {
  const std::string of_bits = " of " + std::to_string(bits) + " bits";
  if (kind == NumberKind::real) return "floating-point numbers" + of_bits;
  return (has_sign ? "signed integers" : "unsigned integers") + of_bits;
}

/// a · b, or the largest number there is.
std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<std::uint64_t>::max() : result;
}

Hdf5Request request_for(Hdf5Request::What what, const std::string& name) {
  Hdf5Request request;
  request.what = what;
  std::strncpy(request.name, name.c_str(), sizeof request.name - 1);
  return request;
}

}  // namespace

InputFile::InputFile(const std::filesystem::path& path) : name_(path.string()) {
  require_file(path);
  std::error_code failure;
  file_bytes_ = std::filesystem::file_size(path, failure);
  if (failure) fail("not readable as HDF5 (" + failure.message() + ")");
  const std::scoped_lock alone(hdf5_in_use());
  child_ = std::make_unique<ChildProcess>(name_,
                                          [&](const Channel& parent) { serve_hdf5(path, parent); });
  receive_answer(nullptr, 0);
}

void InputFile::fail(const std::string& what) const {
  throw InputError(name_ + ": " + what);
}

void InputFile::receive_answer(void* answer, std::size_t bytes) const {
  Hdf5Answer head;
  child_->receive(&head, sizeof head);
  if (head.failure_bytes == 0) return child_->receive(answer, bytes);
  std::string failure(std::min<std::uint64_t>(head.failure_bytes, longest_message), '\0');
  child_->receive(failure.data(), failure.size());
  fail(failure);
}

bool InputFile::has_object(const char* name) const {
  const Hdf5Request request = request_for(Hdf5Request::object, name);
  child_->send(&request, sizeof request);
  Hdf5Object found;
  receive_answer(&found, sizeof found);
  return found.found;
}

Hdf5Attribute InputFile::attribute(const char* name) const {
  const Hdf5Request request = request_for(Hdf5Request::attribute, name);
  child_->send(&request, sizeof request);
  Hdf5Attribute found;
  receive_answer(&found, sizeof found);
  return found;
}

Hdf5Attribute InputFile::numeric_attribute(const char* name, NumberKind expected) const {
  const std::string words = "attribute '" + std::string(name) + "'";
  const Hdf5Attribute found = attribute(name);
  if (!found.found) fail(words + " is missing");
  if (found.kind != expected) {
    fail(words +
         (expected == NumberKind::integer ? " is not one whole number" : " is not one number"));
  }
  return found;
}

std::int64_t InputFile::integer_attribute(const char* name) const {
  return numeric_attribute(name, NumberKind::integer).integer;
}

std::uint64_t InputFile::unsigned_attribute(const char* name) const {
  return numeric_attribute(name, NumberKind::integer).natural;
}

double InputFile::number_attribute(const char* name) const {
  return numeric_attribute(name, NumberKind::real).real;
}

std::string InputFile::string_attribute(const char* name) const {
  const Hdf5Attribute found = attribute(name);
  return {found.text, ::strnlen(found.text, sizeof found.text)};
}

Dataset InputFile::describe(const char* name) const {
  const Hdf5Request request = request_for(Hdf5Request::dataset, name);
  child_->send(&request, sizeof request);
  Dataset dataset{name, {}};
  receive_answer(&dataset.found, sizeof dataset.found);
  return dataset;
}

/// A size in a file is checked against the bytes stored before memory is allocated for it.
void InputFile::require_stored(const Dataset& dataset) const {
  const Hdf5Dataset& found = dataset.found;
  const std::uint64_t elements = product(found.rows, found.columns);
  if (elements > 0 && found.stored_bytes == 0) fail(the_dataset(dataset.name) + " holds no data");
  const std::uint64_t stored = std::min<std::uint64_t>(found.stored_bytes, file_bytes_);
  const std::uint64_t bytes = product(elements, (found.bits + 7) / 8);
  if (found.compressed ? !can_inflate(stored, bytes) : bytes > stored) {
    fail("damaged: " + the_dataset(dataset.name) + " of " + std::to_string(elements) +
         " elements of " + std::to_string(found.bits) + " bits has " + std::to_string(stored) +
         " bytes in the file");
  }
}

Dataset InputFile::dataset(const char* name, NumberKind expected) const {
  Dataset dataset = describe(name);
  if (dataset.found.kind != expected) {
    fail(the_dataset(name) + " is of another type, expected " +
         (expected == NumberKind::integer ? "integers" : "floating-point numbers"));
  }
  if (dataset.found.dimensions != 1) fail(the_dataset(name) + " is not one-dimensional");
  require_stored(dataset);
  return dataset;
}

Dataset InputFile::integers(const char* name) const {
  Dataset set = describe(name);
  if (set.found.kind != NumberKind::integer ||
      (set.found.dimensions != 1 && set.found.dimensions != 2)) {
    fail(the_dataset(name) +
         " is of another type or shape, expected integers of one dimension or two");
  }
  require_stored(set);
  return set;
}

Dataset InputFile::table(const char* name, NumberKind expected, std::uint64_t columns) const {
  Dataset table = describe(name);
  if (table.found.kind != expected || table.found.dimensions != 2 ||
      table.found.columns != columns) {
    fail(the_dataset(name) + " is of another type or shape");
  }
  require_stored(table);
  return table;
}

void InputFile::read_elements(const Dataset& dataset, const Rectangle& part, Element element,
                              void* values, std::size_t bytes) const {
  Hdf5Request request = request_for(Hdf5Request::elements, dataset.name);
  request.element = element;
  request.row = part.row;
  request.rows = part.rows;
  request.begin = part.begin;
  request.count = part.count;
  child_->send(&request, sizeof request);
  // Fresh memory gets its pages while the child reads.
  constexpr std::size_t page = 4096;
  for (std::size_t i = 0; i < bytes; i += page) static_cast<volatile char*>(values)[i] = 0;
  receive_answer(values, bytes);
}

void require_type(const InputFile& file, const Dataset& dataset, NumberKind kind,
                  std::uint32_t bits, bool has_sign) {
  const std::string expected = description(kind, bits, has_sign);
  const std::string found =
      description(dataset.found.kind, dataset.found.bits, dataset.found.has_sign);
  if (found != expected) {
    file.fail(the_dataset(dataset.name) + " holds " + found + ", expected " + expected);
  }
}

}  // namespace cisolve
