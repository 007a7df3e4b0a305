// What is kept of an alert, made of what the watch of the nights found.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/alerts/alert_detector.h"
#include "analysis/changes/noise_class.h"
#include "analysis/results/catalog.h"
#include "schema/alerts/alert.h"
#include "schema/model/types.h"

namespace benchhud::service {

/// Noise classes of series that were asked for: each is of all nights of a series, and most series
/// that have alerts have several.
using KnownNoise = std::unordered_map<const analysis::TimingChangeDetector*, analysis::NoiseClass>;

/// What was confirmed of single series, by onset, to be compared with an alert's.
struct KnownOnsets {
  struct Onset {
    const analysis::WatchedMember* member = nullptr;
    const analysis::CatalogEntry* entry = nullptr;
  };
  bool is_made = false;
  std::vector<Onset> by_night;
};

/// What an alert is made of: the accelerator model's nights and all of its series.
struct AlertContext {
  const analysis::AlertDetector& fleet;
  const analysis::Catalog& catalog;
  std::span<const schema::Run> nights;  ///< as AlertDetector numbers them
  KnownNoise& noise;                    ///< none at first
  KnownOnsets& onsets;                  ///< not made at first
};

/// What is told of an alert: its members in the catalog's order, those that are withdrawn only
/// where all are.
std::vector<const analysis::WatchedMember*> members_of(const AlertContext& context,
                                                       const analysis::WatchedAlert& alert);

/// A line: "cpu-mini/resnet_mini on inductor: inference 29.9 % slower, graph breaks 0 → 2".
std::string alert_title(const AlertContext& context, const analysis::WatchedAlert& alert);

struct AlertRecord {
  schema::Alert alert;  ///< without number, accelerator model and key
  schema::AlertDetails details;
};

AlertRecord alert_record(const AlertContext& context, const analysis::WatchedAlert& alert);

}  // namespace benchhud::service
