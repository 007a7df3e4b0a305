// Durations as a person reads them: of the wording of all quantities.
#pragma once

#include "analysis/quantity_text.h"
