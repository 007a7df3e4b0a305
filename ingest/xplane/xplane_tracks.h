// What planes and lines of XSpace are, by their names, and which categories their events get.
#pragma once

#include <cstdint>
#include <string_view>

#include "ingest/xplane/xplane_wire.h"

namespace benchhud::ingest {

enum class XplaneFamily : std::uint8_t {
  kHost,    ///< /host:…
  kGpu,     ///< /device:GPU:…
  kTpu,     ///< /device:TPU:…, SparseCores too
  kCustom,  ///< /device:CUSTOM:…
  kDevice,  ///< any other /device:…, and #Chip…
  kOther,
};
XplaneFamily xplane_family(std::string_view plane_name);
/// The number of the device in a plane's name, "/device:TPU:3" or "/device:TPU:3 SparseCore 1"; 0
/// where there is none.
std::int64_t xplane_ordinal(std::string_view plane_name);

struct XplaneTrack {
  std::string_view category;  ///< of its events, but for what an event says of itself
  bool is_stream = false;     ///< of a GPU: kernels, copies, sets
  bool is_async = false;      ///< its events need not nest
  bool is_counter = false;
};
/// XProf makes some lines of others when it reads a file, and TensorFlow of 2020 stored them. They
/// repeat the time of the lines that they are made of: their category is `gpu_derived`, which the
/// analyses leave out of sums, as all of `gpu_…` that is neither a copy nor a set.
XplaneTrack xplane_track(XplaneFamily family, const XplaneLine& line);

}  // namespace benchhud::ingest
