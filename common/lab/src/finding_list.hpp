// What has been found so far: each pair of lines once, with a count.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "access_sites.hpp"
#include "lab/lab.hpp"

namespace lab {

/// The places of a finding are those of its parties.
void put_places(Finding& made);

class FindingList {
  public:
    /// The kind of fault, and the two lines: reported once.
    using Key = std::tuple<Fault, std::string, int, std::string, int>;

    Key key_of(Fault fault, SiteId site, SiteId other = kNoSite);
    static Key key_of(Fault fault, const SourcePlace& place, const SourcePlace& other = {});

    /// True: this was reported before, and is counted there.
    bool is_known(const Key& key);
    /// Null: there is none, or too many were found before.
    Finding* find(const Key& key);
    /// Null: it is already known, or there are too many.
    const Finding* add(const Key& key, Finding finding);
    /// The same for a finding that occurs only once.
    void add(Finding finding) { findings_.push_back(std::move(finding)); }
    void drop(const Key& key);
    void drop_if(const std::function<bool(const Finding&)>& is_dropped);
    /// Those for which it is true become notes.
    void make_notes(const std::function<bool(const Finding&)>& is_note);
    /// Called with each finding that is added under a key.
    std::function<void(const Finding&)> when_added;

    const std::vector<Finding>& all() const { return findings_; }
    /// Returns them, causes first; the list is then empty.
    std::vector<Finding> take();

  private:
    std::vector<Finding> findings_;
    std::map<Key, std::size_t> known_;
    std::map<std::tuple<Fault, SiteId, SiteId>, Key> keys_;
};

}  // namespace lab
