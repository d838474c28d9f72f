// SPDX-License-Identifier: GPL-2.0-or-later
//
// kernel.json, apart from build.cc because nlohmann takes 8 s to compile.

#include <nlohmann/json.hpp>

#include "kernel/build.h"

namespace kv {

namespace {

constexpr const char* kSchema = "kverdict/kernel-1";

/// Calls `use` with the name and the place of each text of the record.
template <typename KernelType, typename Use>
void for_each_text(KernelType& kernel, Use use) {
  use("arm", kernel.arm);
  use("key", kernel.key);
  use("release", kernel.release);
  use("source", kernel.source);
  use("base_commit", kernel.base_commit);
  use("commit", kernel.commit);
  use("config_hash", kernel.config_hash);
  use("compiler", kernel.compiler);
}

}  // namespace

Status write_kernel_record(const Kernel& kernel, const path& folder) {
  nlohmann::ordered_json json;
  json["schema"] = kSchema;
  for_each_text(kernel, [&](const char* name, const std::string& value) {
    json[name] = value;
  });
  json["patches"] = kernel.patches;
  using nlohmann::ordered_json;
  return write_file(
      folder / "kernel.json",
      json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n");
}

Result<Kernel> read_kernel_record(const path& folder) {
  path file = folder / "kernel.json";
  std::string text = KV_TRY(read_file(file));
  Kernel kernel;
  try {
    nlohmann::json json = nlohmann::json::parse(text);
    if (json.at("schema") != kSchema)
      return error("{}: is not {}", file.string(), kSchema);
    for_each_text(kernel, [&](const char* name, std::string& value) {
      json.at(name).get_to(value);
    });
    json.at("patches").get_to(kernel.patches);
  } catch (const nlohmann::json::exception& e) {
    return error("{}: {}", file.string(), e.what());
  }
  kernel.folder = folder;
  kernel.image = folder / "bzImage";
  kernel.config = folder / "config";
  std::error_code code;
  if (std::filesystem::exists(folder / "modules", code))
    kernel.modules = folder / "modules";
  for (const path& part : {kernel.image, kernel.config})
    if (std::filesystem::file_size(part, code) == 0 || code)
      return error("{} is missing or empty", part.string());
  return kernel;
}

}  // namespace kv
