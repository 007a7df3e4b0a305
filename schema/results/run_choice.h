// Which run a text names.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "schema/base/errors.h"
#include "schema/model/types.h"

namespace benchhud::schema {

/// Among `runs`, newest first, the one that `text` names: "latest", a run's name, an id,
/// "label:KEY=VALUE" or "branch:NAME" (the newest run with that label; a branch is the label of
/// that name), or what only one name begins with; the first of these that fits. Names and labels
/// are looked for on one accelerator model alone where one is given. Errors: kNotFound, kAmbiguous.
/// Never null.
Expected<const Run*> choose_run(std::span<const Run* const> runs, std::string_view text,
                                std::optional<std::string_view> accelerator_model);

/// Whether choose_run() looks at labels for that text: the runs must come with theirs then.
bool asks_for_label(std::string_view text);

}  // namespace benchhud::schema
