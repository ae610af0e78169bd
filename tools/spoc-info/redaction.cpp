// SPDX-License-Identifier: Apache-2.0
#include "redaction.hpp"

#include "physical.hpp"
#include "redactor.hpp"
#include "text.hpp"

namespace spoc::info {
namespace {

/// Shows every text of a model to `change`, and puts in its place what that returns. The one list
/// of what a report may say in words: a text that is added to the model is added here.
template <typename Change>
class text_visitor {
 public:
    explicit text_visitor(Change change) : change_(change) {}

    void visit(model& m) {
        visit_all(m.host.os, m.host.kernel, m.host.machine);
        visit_each(m.places);
        visit_each(m.backends);
        visit_each(m.devices);
        visit_each(m.requirements);
        visit_each(m.notes);
        visit_each(m.problems);
        if (m.self_tests) {
            visit_each(*m.self_tests);
        }
        if (m.settings) {
            visit_each(*m.settings);
        }
    }

 private:
    void visit(std::string& text) { text = change_(text); }

    template <std::size_t N>
    void visit(char (&field)[N]) {
        detail::copy_text(field, change_(std::string(detail::field_text(field))));
    }

    void visit(found_file& file) { visit(file.name); }

    void visit(place_facts& place) {
        visit_all(place.path, place.why);
        visit_each(place.found);
        visit_each(place.passed_over);
    }

    void visit(file_owner& owner) { visit_all(owner.user, owner.group, owner.trouble); }

    void visit(backend_facts& entry) {
        spoc_backend_info& info = entry.info;
        visit_all(info.plugin_vendor, info.plugin_version, info.driver_name, info.driver_path,
                  info.native_domain, info.message, info.hint, info.skipped, info.file);
        if (entry.file) {
            visit(*entry.file);
        }
        if (entry.folder) {
            visit(*entry.folder);
        }
    }

    void visit(capability_answer& given) { visit(given.reason); }

    void visit(device_facts& facts) {
        spoc_be_device_info& properties = facts.properties;
        visit_all(properties.name, properties.vendor, properties.arch, properties.driver,
                  properties.framework, facts.memory_trouble);
        visit_each(facts.capabilities);
    }

    void visit(spoc_self_test_step& step) { visit(step.message); }

    void visit(self_test_result& result) {
        visit(result.trouble);
        visit_each(result.steps);
    }

    void visit(requirement_result& result) {
        visit_all(result.expression, result.why, result.hint);
    }

    void visit(setting& variable) {
        if (variable.value) {
            visit(*variable.value);
        }
        visit_all(variable.summary, variable.trouble);
    }

    void visit(problem& p) { visit_all(p.message, p.hint); }

    template <typename... Texts>
    void visit_all(Texts&... texts) {
        (visit(texts), ...);
    }

    template <typename List>
    void visit_each(List& list) {
        for (auto& item : list) {
            visit(item);
        }
    }

    Change change_;
};

void learn_owners(redactor& names, const model& m) {
    for (const backend_facts& entry : m.backends) {
        for (const std::optional<file_owner>& owner : {entry.file, entry.folder}) {
            if (owner) {
                names.learn_owner(owner->user, owner->uid);
            }
        }
    }
}

/// What can be nothing but somebody's name is one, whatever else the word may mean.
void redact_people(redactor& names, model& m) {
    for (backend_facts& entry : m.backends) {
        for (std::optional<file_owner>* owner : {&entry.file, &entry.folder}) {
            if (*owner) {
                (*owner)->user = names.person((*owner)->user);
            }
        }
    }
    if (!m.settings) {
        return;
    }
    for (setting& variable : *m.settings) {
        const bool is_account =
            variable.name == "USER" || variable.name == "LOGNAME" || variable.name == "SUDO_USER";
        if (is_account && variable.value) {
            variable.value = names.person(*variable.value);
        }
        // Whatever it is for, it is not for SPOC, and nobody knows what is in it.
        if (!variable.is_read && variable.value) {
            variable.value = "<hidden>";
        }
    }
}

void redact_uuid(redactor& names, spoc_be_device_info& properties) {
    // All zero means that there is none.
    if (uuid_of(properties)) {
        names.uuid(properties.uuid);
    }
}

}  // namespace

void redact(model& m, const secrets& known) {
    redactor names(known);
    for (const backend_facts& entry : m.backends) {
        names.learn_word(entry.info.name);
    }
    learn_owners(names, m);
    text_visitor([&names](const std::string& text) {
        names.learn(text);
        return text;
    }).visit(m);
    for (device_facts& facts : m.devices) {
        redact_uuid(names, facts.properties);
    }
    redact_people(names, m);
    text_visitor([&names](const std::string& text) { return names.text(text); }).visit(m);
    m.redacted = true;
}

}  // namespace spoc::info
