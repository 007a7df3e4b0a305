// Values of which new ones come at the end, and old ones go from the beginning.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace benchhud::analysis {

/// A vector whose first values can be forgotten one by one without moving all others each time.
template <class T>
class LastValues {
 public:
  void push_back(const T& value) {
    // Room for what is forgotten before the rest is moved, and no more: there are many of these.
    if (values_.size() == values_.capacity()) values_.reserve(values_.size() + step());
    values_.push_back(value);
  }
  void forget_first(std::size_t count) {
    begin_ += count;
    if (begin_ < step() && begin_ < values_.size()) return;
    values_.erase(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(begin_));
    begin_ = 0;
  }

  auto begin() { return values_.begin() + static_cast<std::ptrdiff_t>(begin_); }
  auto begin() const { return values_.begin() + static_cast<std::ptrdiff_t>(begin_); }
  auto end() { return values_.end(); }
  auto end() const { return values_.end(); }
  T* data() { return values_.data() + begin_; }
  const T* data() const { return values_.data() + begin_; }
  std::size_t size() const { return values_.size() - begin_; }
  bool empty() const { return size() == 0; }
  T& operator[](std::size_t place) { return values_[begin_ + place]; }
  const T& operator[](std::size_t place) const { return values_[begin_ + place]; }

 private:
  static constexpr std::size_t kMostForgotten = 32;
  // A quarter more, and not too many at once.
  std::size_t step() const {
    return std::clamp<std::size_t>(values_.size() / 4, 4, kMostForgotten);
  }

  std::vector<T> values_;
  std::size_t begin_ = 0;  // of those that are not forgotten
};

}  // namespace benchhud::analysis
