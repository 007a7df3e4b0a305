// A vector that never moves what is in it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace benchhud::schema {

/// Grows by a segment of 64 KiB at a time: without copying, without memory for twice of what it
/// holds (std::vector), and without an allocation for every few elements (std::deque).
template <class T>
class SegmentedVector {
 public:
  using value_type = T;

  template <class Owner, class Element>
  class Iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = Element*;
    using reference = Element&;

    Iterator() = default;
    Iterator(Owner* owner, std::size_t index) : owner_(owner), index_(index) {}

    Element& operator*() const { return (*owner_)[index_]; }
    Element* operator->() const { return &**this; }
    Element& operator[](std::ptrdiff_t by) const { return *(*this + by); }
    Iterator& operator++() { return *this += 1; }
    Iterator& operator--() { return *this -= 1; }
    Iterator operator++(int) { return std::exchange(*this, *this + 1); }
    Iterator operator--(int) { return std::exchange(*this, *this - 1); }
    Iterator& operator+=(std::ptrdiff_t by) {
      index_ += static_cast<std::size_t>(by);
      return *this;
    }
    Iterator& operator-=(std::ptrdiff_t by) { return *this += -by; }
    friend Iterator operator+(Iterator at, std::ptrdiff_t by) { return at += by; }
    friend Iterator operator+(std::ptrdiff_t by, Iterator at) { return at += by; }
    friend Iterator operator-(Iterator at, std::ptrdiff_t by) { return at -= by; }
    friend std::ptrdiff_t operator-(const Iterator& a, const Iterator& b) {
      return static_cast<std::ptrdiff_t>(a.index_ - b.index_);
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.index_ == b.index_; }
    friend auto operator<=>(const Iterator& a, const Iterator& b) { return a.index_ <=> b.index_; }

   private:
    Owner* owner_ = nullptr;
    std::size_t index_ = 0;
  };
  using iterator = Iterator<SegmentedVector, T>;
  using const_iterator = Iterator<const SegmentedVector, const T>;

  T& operator[](std::size_t index) { return segments_[index / kSegment][index % kSegment]; }
  const T& operator[](std::size_t index) const {
    return segments_[index / kSegment][index % kSegment];
  }
  T& front() { return segments_.front().front(); }
  T& back() { return segments_.back().back(); }
  const T& front() const { return segments_.front().front(); }
  const T& back() const { return segments_.back().back(); }

  std::size_t size() const {
    return segments_.empty() ? 0 : (segments_.size() - 1) * kSegment + segments_.back().size();
  }
  bool empty() const { return segments_.empty(); }

  void push_back(T element) { emplace_back(std::move(element)); }
  template <class... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    if (segments_.empty() || segments_.back().size() == kSegment) {
      segments_.emplace_back().reserve(kSegment);
    }
    return segments_.back().emplace_back(std::forward<Arguments>(arguments)...);
  }

  iterator begin() { return {this, 0}; }
  iterator end() { return {this, size()}; }
  const_iterator begin() const { return {this, 0}; }
  const_iterator end() const { return {this, size()}; }

 private:
  // A power of two.
  static constexpr std::size_t kSegment = [] {
    std::size_t count = 1;
    while (2 * count * sizeof(T) <= std::size_t{1} << 16) count *= 2;
    return count;
  }();

  std::vector<std::vector<T>> segments_;  // all full but the last, which is not empty
};

}  // namespace benchhud::schema
