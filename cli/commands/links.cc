// benchhud links: what makes labels of runs links.

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "cli/options/action.h"
#include "cli/options/commands.h"
#include "cli/options/options.h"
#include "schema/results/label_link.h"
#include "schema/store/store.h"

namespace benchhud::cli {
namespace {

namespace po = boost::program_options;
using Json = nlohmann::ordered_json;
using schema::Error;
using schema::ErrorCode;
using schema::Expected;
using schema::LabelLink;

constexpr std::string_view kAboutLinks =
    "  list            all links, the default\n"
    "  set KEY --one ADDRESS --range ADDRESS\n"
    "                  make values of the label KEY links; one of both is enough, and the other\n"
    "                  stays as it was\n"
    "  remove KEY      make them texts again\n\n"
    "In the address of --one {value} stands for a label's value, in that of --range {from} and "
    "{to}\n"
    "stand for the values of the earlier and the later of two runs:\n\n"
    "  benchhud links set pytorch --one 'https://github.com/pytorch/pytorch/commit/{value}' \\\n"
    "    --range 'https://github.com/pytorch/pytorch/compare/{from}...{to}'";

struct LinksRequest {
  Arguments words;  // the action and the label's key
  std::string one;
  std::string range;
  bool as_json = false;
};

Expected<void> list_links(schema::Connection& store, const LinksRequest& request) {
  BENCHHUD_ASSIGN(const auto links, schema::label_links(store));
  if (request.as_json) {
    Json list = Json::array();
    const auto text = [](const std::string& address) {
      return address.empty() ? Json(nullptr) : Json(address);
    };
    for (const LabelLink& link : links) {
      list.push_back({{"key", link.key}, {"one", text(link.one)}, {"range", text(link.range)}});
    }
    fmt::print("{}\n", list.dump(2, ' ', false, Json::error_handler_t::replace));
    return {};
  }
  if (links.empty()) fmt::print("no label is a link yet; `benchhud links --help` says how\n");
  for (const LabelLink& link : links) {
    fmt::print("{}\n", printable(link.key));
    if (!link.one.empty()) fmt::print("  one    {}\n", printable(link.one));
    if (!link.range.empty()) fmt::print("  range  {}\n", printable(link.range));
  }
  return {};
}

Expected<void> set_link(schema::Connection& store, const LinksRequest& request) {
  return schema::set_label_link(store, {request.words[1], request.one, request.range});
}

Expected<void> remove_link(schema::Connection& store, const LinksRequest& request) {
  return schema::remove_label_link(store, request.words[1]);
}

constexpr std::array kLinkActions = {
    Action<LinksRequest>{"list", false, 0, list_links},
    Action<LinksRequest>{"set", true, 1, set_link},
    Action<LinksRequest>{"remove", true, 1, remove_link},
};

CommandLine links_command_line() {
  CommandLine command;
  command.usage = "benchhud links [ACTION [KEY]] [option…]";
  command.about = kAboutLinks;
  add_store_option(&command.options);
  auto add = command.options.add_options();
  add("one", po::value<std::string>()->value_name("ADDRESS"), "set: of one value");
  add("range", po::value<std::string>()->value_name("ADDRESS"), "set: of what is between two");
  add_format_option(&command.options);
  add_words(&command);
  return command;
}

Expected<LinksRequest> read_links_request(const po::variables_map& values,
                                          const Action<LinksRequest>** action) {
  LinksRequest request;
  request.words = words_of(values);
  if (request.words.empty()) request.words = {"list"};
  BENCHHUD_ASSIGN(request.as_json, wants_json(values));
  BENCHHUD_ASSIGN(*action, find_action<LinksRequest>("links", kLinkActions, request.words));
  if (request.words.size() - 1 != (*action)->most_arguments) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("`benchhud links {}` takes {}", (*action)->name,
                             (*action)->most_arguments == 0 ? "no more" : "the key of one label")};
  }
  for (const auto& [name, part] :
       {std::pair("one", &LinksRequest::one), std::pair("range", &LinksRequest::range)}) {
    if (values.count(name) == 0) continue;
    request.*part = values[name].as<std::string>();
    // An empty address would be taken for one that was not given.
    if (request.words[0] != "set" || (request.*part).empty()) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("--{} is an address for `benchhud links set`", name)};
    }
  }
  return request;
}

}  // namespace

int run_links(const Arguments& arguments) {
  return run_action<LinksRequest>(links_command_line(), arguments, read_links_request);
}

}  // namespace benchhud::cli
