#include "schema/model/ir.h"

namespace benchhud::schema {

std::string_view ir_dialect_name(IrDialect dialect) {
  switch (dialect) {
    case IrDialect::kHlo:
      return "hlo";
    case IrDialect::kStableHlo:
      return "stablehlo";
    case IrDialect::kLazy:
      return "text";
  }
  return "";
}

}  // namespace benchhud::schema
