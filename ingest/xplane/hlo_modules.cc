#include "ingest/xplane/hlo_modules.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "ingest/xplane/hlo_text.h"
#include "ingest/xplane/xplane_wire.h"
#include "schema/base/ascii.h"
#include "schema/base/text_excerpt.h"

namespace benchhud::ingest {

using schema::Expected;

namespace {

enum class MetadataStat : std::uint8_t { kOther, kHlo, kLlo };

// Writers spell them differently: "Hlo Proto", "HLO Proto", "llo_proto".
MetadataStat metadata_stat(const XplanePlane& plane, const XplaneStat& stat) {
  const auto found = plane.stat_names.find(stat.metadata_id);
  if (found == plane.stat_names.end()) return MetadataStat::kOther;
  std::string name = schema::lower_case(found->second);
  std::ranges::replace(name, '_', ' ');
  if (name == "hlo proto") return MetadataStat::kHlo;
  return name.starts_with("llo proto") ? MetadataStat::kLlo : MetadataStat::kOther;
}

// Of "jit_f(12190760917235803885)", or "jit_f(-5)".
std::optional<std::int64_t> number_in_brackets(std::string_view name) {
  const std::size_t open = name.rfind('(');
  if (open == name.npos || !name.ends_with(')')) return std::nullopt;
  const char* const begin = name.data() + open + 1;
  const char* const end = name.data() + name.size() - 1;
  std::uint64_t number = 0;
  if (const auto [at, error] = std::from_chars(begin, end, number);
      error == std::errc() && at == end) {
    return static_cast<std::int64_t>(number);
  }
  std::int64_t negative = 0;
  const auto [at, error] = std::from_chars(begin, end, negative);
  return error == std::errc() && at == end ? std::optional(negative) : std::nullopt;
}

class HloFinder {
 public:
  HloFinder(std::string_view bytes,
            const std::function<Expected<void>(const XplaneHloModule&)>& take,
            const std::function<void(std::int64_t place, std::string reason)>& report)
      : bytes_(bytes), take_(take), report_(report) {}

  Expected<XplaneHloFound> find() {
    for (const XplanePlane& plane : find_xplanes(bytes_, "/host:metadata")) {
      // In the file's order: that of the table is another one each time.
      std::vector<std::pair<std::string_view, std::int64_t>> kinds;
      for (const auto& [id, message] : plane.kinds) kinds.emplace_back(message, id);
      std::ranges::sort(kinds, {}, [](const auto& kind) { return kind.first.data(); });
      for (const auto& [message, id] : kinds) BENCHHUD_TRY(read_kind(plane, message, id));
    }
    if (found_.left_out > 0) {
      report_(0, fmt::format("{} modules of HLO are left out: {} are read of a profile, with texts "
                             "of {} MiB",
                             found_.left_out, kMostHloModules, kMostHloTexts >> 20));
    }
    return found_;
  }

 private:
  Expected<void> read_kind(const XplanePlane& plane, std::string_view message, std::int64_t id) {
    const XplaneKind kind = read_xplane_kind(message);
    for (const XplaneStat& stat : kind.stats) {
      if (stat.kind != XplaneStat::Kind::kBytes && stat.kind != XplaneStat::Kind::kText) continue;
      const MetadataStat meaning = metadata_stat(plane, stat);
      if (meaning == MetadataStat::kLlo) {
        found_.llo_bytes += static_cast<std::int64_t>(stat.bytes.size());
      } else if (meaning == MetadataStat::kHlo) {
        BENCHHUD_TRY(read_module(kind, stat.bytes, id));
      }
    }
    return {};
  }

  Expected<void> read_module(const XplaneKind& kind, std::string_view proto, std::int64_t id) {
    if (found_.modules == kMostHloModules || text_bytes_ > kMostHloTexts) {
      ++found_.left_out;
      return {};
    }
    constexpr std::size_t kMostShown = 100;
    const std::int64_t here = proto.data() - bytes_.data();
    const std::string shown = schema::beginning_of(kind.name, kMostShown);
    HloText printed = print_hlo(proto, [&](const char* place, std::string_view reason) {
      report_(place == nullptr ? here : place - bytes_.data(),
              fmt::format("HLO of {}: {}", shown, reason));
    });
    if (printed.text.empty()) {
      ++found_.unreadable;
      report_(here, fmt::format("HLO of {}: there is no module in it", shown));
      return {};
    }
    text_bytes_ += printed.text.size();
    ++found_.modules;
    return take_({number_in_brackets(kind.name).value_or(id), std::move(printed.name),
                  std::move(printed.text)});
  }

  const std::string_view bytes_;
  const std::function<Expected<void>(const XplaneHloModule&)>& take_;
  const std::function<void(std::int64_t place, std::string reason)>& report_;
  XplaneHloFound found_;
  std::size_t text_bytes_ = 0;
};

}  // namespace

Expected<XplaneHloFound> read_xplane_hlo(
    std::string_view bytes, const std::function<Expected<void>(const XplaneHloModule&)>& take,
    const std::function<void(std::int64_t place, std::string reason)>& report) {
  return HloFinder(bytes, take, report).find();
}

}  // namespace benchhud::ingest
