#include "analysis/profiles/compiled_frame_pairs.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace benchhud::analysis {
namespace {

using Frames = std::vector<const LoggedFrame*>;

// So many pairs of frames of one name are looked at to find those that fit; a hostile log has more.
constexpr std::size_t kMostFits = 1'000'000;

std::string_view frame_of_id(std::string_view compile_id) {
  return compile_id.substr(0, compile_id.rfind('/'));
}

LoggedFrame frame_of(const schema::Compilation& one) {
  LoggedFrame frame;
  frame.file = one.frame_file.value_or("");
  frame.line = one.frame_line.value_or(0);
  frame.is_named = one.frame_name.has_value();
  if (!frame.is_named) {
    frame.name = frame_of_id(one.compile_id);
  } else if (auto resumed = resumed_function(*one.frame_name)) {
    frame.is_resumed = true;
    frame.name = std::move(resumed->function);
    frame.line = resumed->line;
  } else {
    frame.name = *one.frame_name;
  }
  return frame;
}

auto key_of(const LoggedFrame& frame) {
  return std::tie(frame.is_named, frame.file, frame.name, frame.is_resumed, frame.line);
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::size_t common_end(std::string_view a, std::string_view b) {
  const auto [end, other] = std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend());
  return static_cast<std::size_t>(end - a.rbegin());
}

// The file of `before` that a file of `after` is, by its path; of files that both have nothing.
std::map<std::string_view, std::string_view> moved_files(const std::vector<LoggedFrame>& before,
                                                         const std::vector<LoggedFrame>& after) {
  std::map<std::string_view, int> sides;
  for (const LoggedFrame& frame : before) sides[frame.file] |= 1;
  for (const LoggedFrame& frame : after) sides[frame.file] |= 2;
  std::map<std::string_view,
           std::pair<std::vector<std::string_view>, std::vector<std::string_view>>>
      by_name;
  for (const auto& [file, side] : sides) {
    if (side == 1) by_name[file_name(file)].first.push_back(file);
    if (side == 2) by_name[file_name(file)].second.push_back(file);
  }
  std::map<std::string_view, std::string_view> moved;
  for (const auto& [name, files] : by_name) {
    const auto& [was, is] = files;
    if (was.size() * is.size() > kMostFits) continue;
    std::vector<std::tuple<std::size_t, std::string_view, std::string_view>> fits;
    for (const std::string_view a : was) {
      for (const std::string_view b : is) fits.emplace_back(common_end(a, b), b, a);
    }
    std::stable_sort(fits.begin(), fits.end(),
                     [](const auto& a, const auto& b) { return std::get<0>(a) > std::get<0>(b); });
    std::map<std::string_view, bool> is_taken;
    for (const auto& [length, b, a] : fits) {
      if (is_taken[a] || moved.contains(b)) continue;
      is_taken[a] = true;
      moved.emplace(b, a);
    }
  }
  return moved;
}

// A pair costs its lines' distance, and a frame that is left alone half of just more than the
// largest drift: two are left alone rather than paired beyond it.
constexpr double kCostAlone = (kMostLineDrift + 0.5) / 2;

double distance(const LoggedFrame& before, const LoggedFrame& after) {
  return std::abs(static_cast<double>(before.line) - static_cast<double>(after.line));
}

// Pairs frames of one function name of which none stands at another's line, both sides in the order
// of their lines, so that none crosses another and the cost is least.
void align_by_line(const Frames& before, const Frames& after, std::vector<FramePair>* pairs) {
  const std::size_t rows = before.size() + 1, columns = after.size() + 1;
  if (rows * columns > kMostFits) {
    for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
      if (distance(*before[i], *after[i]) <= kMostLineDrift) {
        pairs->push_back({before[i], after[i]});
      }
    }
    return;
  }
  // cheapest[i][k]: of the first i and the first k.
  std::vector<std::vector<double>> cheapest(rows, std::vector<double>(columns, 0));
  const auto cost_together = [&](std::size_t i, std::size_t k) {
    return cheapest[i - 1][k - 1] + distance(*before[i - 1], *after[k - 1]);
  };
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < columns; ++k) {
      if (i == 0 || k == 0) {
        cheapest[i][k] = static_cast<double>(i + k) * kCostAlone;
        continue;
      }
      const double alone = std::min(cheapest[i - 1][k], cheapest[i][k - 1]) + kCostAlone;
      cheapest[i][k] = std::min(cost_together(i, k), alone);
    }
  }
  for (std::size_t i = before.size(), k = after.size(); i > 0 && k > 0;) {
    if (cheapest[i][k] == cost_together(i, k)) {
      pairs->push_back({before[--i], after[--k]});
    } else if (cheapest[i][k] == cheapest[i - 1][k] + kCostAlone) {
      --i;
    } else {
      --k;
    }
  }
}

// Pairs the frames of one function name, both sides in the order of their lines: what stands at
// the same line is the same, and what is between two such frames stays between them.
void pair_by_line(const Frames& before, const Frames& after, std::vector<FramePair>* pairs) {
  if (before.size() == 1 && after.size() == 1 && !before.front()->is_resumed) {
    pairs->push_back({before.front(), after.front()});
    return;
  }
  Frames was, is;
  const auto align = [&] {
    align_by_line(was, is, pairs);
    was.clear();
    is.clear();
  };
  std::size_t i = 0, k = 0;
  while (i < before.size() || k < after.size()) {
    const bool has_both = i < before.size() && k < after.size();
    if (has_both && before[i]->line == after[k]->line) {
      align();
      pairs->push_back({before[i++], after[k++]});
    } else if (k == after.size() || (has_both && before[i]->line < after[k]->line)) {
      was.push_back(before[i++]);
    } else {
      is.push_back(after[k++]);
    }
  }
  align();
}

}  // namespace

std::optional<ResumedFunction> resumed_function(std::string_view name) {
  constexpr std::string_view kBegin = "torch_dynamo_resume_in_", kLine = "_at_";
  if (!name.starts_with(kBegin)) return std::nullopt;
  name.remove_prefix(kBegin.size());
  const std::size_t at = name.rfind(kLine);
  if (at == name.npos || at == 0) return std::nullopt;
  const std::string_view digits = name.substr(at + kLine.size());
  std::int64_t line = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), line);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return ResumedFunction{std::string(name.substr(0, at)), line};
}

std::vector<LoggedFrame> frames_of(const std::vector<LoggedCompilation>& compilations) {
  std::vector<LoggedFrame> frames;
  using Key = std::tuple<bool, std::string, std::string, bool, std::int64_t>;
  std::map<Key, std::size_t> places;
  for (const LoggedCompilation& one : compilations) {
    LoggedFrame frame = frame_of(one.stored.compilation);
    const auto [place, is_new] = places.try_emplace(Key(key_of(frame)), frames.size());
    if (is_new) frames.push_back(std::move(frame));
    frames[place->second].compilations.push_back(&one);
  }
  return frames;
}

std::vector<FramePair> pair_frames(const std::vector<LoggedFrame>& before,
                                   const std::vector<LoggedFrame>& after) {
  const auto moved = moved_files(before, after);
  using Function = std::tuple<bool, std::string_view, std::string_view, bool>;
  std::map<Function, std::pair<Frames, Frames>> functions;
  for (const LoggedFrame& frame : before) {
    functions[{frame.is_named, frame.file, frame.name, frame.is_resumed}].first.push_back(&frame);
  }
  for (const LoggedFrame& frame : after) {
    const auto was = moved.find(frame.file);
    const std::string_view file = was == moved.end() ? frame.file : was->second;
    functions[{frame.is_named, file, frame.name, frame.is_resumed}].second.push_back(&frame);
  }
  std::vector<FramePair> found;
  for (auto& [function, sides] : functions) {
    for (Frames* side : {&sides.first, &sides.second}) {
      std::stable_sort(side->begin(), side->end(), [](const LoggedFrame* a, const LoggedFrame* b) {
        return a->line < b->line;
      });
    }
    pair_by_line(sides.first, sides.second, &found);
  }
  std::map<const LoggedFrame*, const LoggedFrame*> counterpart;
  for (const auto& [was, is] : found) {
    counterpart[was] = is;
    counterpart[is] = was;
  }
  // What one log does not name, by its number.
  std::map<std::string_view, const LoggedFrame*> left;
  const auto number_of = [](const LoggedFrame& frame) {
    return frame_of_id(frame.compilations.front()->stored.compilation.compile_id);
  };
  for (const LoggedFrame& frame : before) {
    if (!counterpart.contains(&frame)) left.try_emplace(number_of(frame), &frame);
  }
  for (const LoggedFrame& frame : after) {
    if (counterpart.contains(&frame)) continue;
    const auto was = left.find(number_of(frame));
    if (was == left.end() || (frame.is_named && was->second->is_named)) continue;
    counterpart[&frame] = was->second;
    counterpart[was->second] = &frame;
    left.erase(was);
  }
  std::vector<FramePair> pairs;
  for (const LoggedFrame& frame : after) {
    const auto was = counterpart.find(&frame);
    pairs.push_back({was == counterpart.end() ? nullptr : was->second, &frame});
  }
  for (const LoggedFrame& frame : before) {
    if (!counterpart.contains(&frame)) pairs.push_back({&frame, nullptr});
  }
  return pairs;
}

bool is_recompilation(const schema::Compilation& compilation) {
  const std::string_view id = compilation.compile_id;
  const std::size_t slash = id.rfind('/');
  const bool counts_on = slash != id.npos && id.substr(slash + 1) != "0";
  return counts_on || compilation.recompiles != "[]";
}

}  // namespace benchhud::analysis
