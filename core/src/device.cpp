// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "log.hpp"
#include "session.hpp"
#include "stream.hpp"
#include "text.hpp"

namespace {

using namespace spoc::detail;

/// `device_open` is of thread class I: one call at a time in the process.
std::mutex& opening_mutex() {
    static std::mutex* const instance = new std::mutex;
    return *instance;
}

/// Whether a stream whose handle was given back has nothing left to wait for. One that fails to
/// answer stays, with what its work uses: the device may still touch that.
bool is_over(stream_state& stream) {
    bool idle = false;
    const outcome asked = stream.query(idle);
    const bool ended = !asked.ok() && (asked.error().sub_code == SPOC_SUB_DESTROYED ||
                                       asked.error().sub_code == SPOC_SUB_SHUT_DOWN);
    return idle || ended;
}

void log_failure(std::string_view backend, std::string_view what, const spoc_be_error& error) {
    write_log(SPOC_BE_LOG_WARN, backend, say(what, " fails: ", field_text(error.message)));
}

}  // namespace

spoc_device_s::spoc_device_s(plugin& owner, const spoc_be_device_info& info, std::uint32_t id)
    : owner_(owner),
      info_(info),
      id_(id),
      backend_(owner.info().name),
      selector_(say(backend_, ":", info.index)),
      accounts_(selector_, &account::of_process()),
      slots_(this),
      ring_(this) {}

bool spoc_device_s::offers(std::uint32_t capability) const noexcept {
    const std::uint64_t bit = std::uint64_t{1} << (capability % 64);
    return (info_.caps[capability / 64] & info_.caps_known[capability / 64] & bit) != 0;
}

outcome spoc_device_s::failure(std::int32_t status, const spoc_be_error& error,
                               std::uint32_t fallback) {
    if (status == SPOC_BE_DEVICE_LOST) {
        lost_.store(true);
    }
    return outcome::from_plugin(status, error, fallback, backend_, static_cast<std::int32_t>(id_));
}

outcome spoc_device_s::open() {
    if (lost_.load()) {
        return outcome::fail(SPOC_BACKEND_ERROR, SPOC_SUB_DEVICE_LOST,
                             say("Device ", selector_, " is lost."))
            .about(backend_, static_cast<std::int32_t>(id_));
    }
    if (handle() != nullptr) {
        return {};
    }
    const std::lock_guard lock(opening_mutex());
    return open_locked();
}

outcome spoc_device_s::open_locked() {
    SPOC_TRY(check_current());
    if (handle() != nullptr) {
        return {};
    }
    spoc_be_device_desc desc{};
    desc.size = sizeof desc;
    spoc_be_device_result result{};
    result.size = sizeof result;
    plugin_error error;
    const std::int32_t status = table().device_open(info_.index, &desc, &result, &error);
    // Drivers register exit handlers at their first device too; ours must run before them.
    drivers_may_be_alive();
    if (status < 0) {
        return failure(status, error, SPOC_SUB_CONTEXT);
    }
    static std::uint64_t openings = 0;
    opened_ = ++openings;
    default_stream_ = result.default_stream;
    default_queue_ = std::make_shared<stream_state>(this);
    handle_.store(result.device, std::memory_order_release);
    return {};
}

outcome spoc_device_s::check_current() const {
    if (!closed_.load()) {
        return {};
    }
    return outcome::fail(SPOC_UNAVAILABLE, SPOC_SUB_SHUT_DOWN,
                         say("Device ", selector_, " belongs to a runtime that was shut down."))
        .about(backend_, static_cast<std::int32_t>(id_));
}

void spoc_device_s::add(device_object& object) {
    const std::lock_guard lock(objects_mutex_);
    objects_.insert(&object);
}

outcome spoc_device_s::end(device_object& object) {
    {
        std::unique_lock lock(objects_mutex_);
        if (objects_.erase(&object) == 0) {
            // A shutdown may be at it, and the caller is about to let go of the object.
            object_ended_.wait(lock, [&] { return shutting_down_ != &object; });
            return {};
        }
        ++ending_;
    }
    // Not under the lock: a driver may wait for the device here. A shutdown waits for it.
    outcome ended = object.end();
    const std::lock_guard lock(objects_mutex_);
    --ending_;
    object_ended_.notify_all();
    return ended;
}

void spoc_device_s::add_stream(const std::shared_ptr<stream_state>& stream) {
    const std::lock_guard lock(streams_mutex_);
    streams_.remove_if([](const listed_stream& one) { return one.stream.expired(); });
    streams_.push_back({stream, nullptr});
}

void spoc_device_s::abandon(std::shared_ptr<stream_state> stream) noexcept {
    const std::lock_guard lock(streams_mutex_);
    for (listed_stream& one : streams_) {
        if (one.stream.lock() == stream) {
            one.kept = std::move(stream);
            return;
        }
    }
}

void spoc_device_s::reap() noexcept {
    try {
        std::vector<std::shared_ptr<stream_state>> abandoned;
        {
            const std::lock_guard lock(streams_mutex_);
            for (const listed_stream& one : streams_) {
                if (one.kept != nullptr) {
                    abandoned.push_back(one.kept);
                }
            }
        }
        for (const std::shared_ptr<stream_state>& stream : abandoned) {
            if (is_over(*stream)) {
                const std::lock_guard lock(streams_mutex_);
                streams_.remove_if([&](const listed_stream& one) { return one.kept == stream; });
            }
        }
        // They end here, outside of the lock.
    } catch (const std::bad_alloc&) {
        // The next time, then.
        return;
    }
}

std::vector<std::shared_ptr<stream_state>> spoc_device_s::streams() {
    std::vector<std::shared_ptr<stream_state>> all;
    if (default_queue_ != nullptr) {
        all.push_back(default_queue_);
    }
    const std::lock_guard lock(streams_mutex_);
    for (const listed_stream& one : streams_) {
        if (auto alive = one.stream.lock()) {
            all.push_back(std::move(alive));
        }
    }
    return all;
}

outcome spoc_device_s::settle(function_ref<bool(const stream_state&)> concerns) {
    for (const std::shared_ptr<stream_state>& stream : streams()) {
        if (!concerns(*stream)) {
            continue;
        }
        // Somebody may close the stream meanwhile: that waits too.
        if (outcome waited = stream->synchronize(); !waited.ok() && concerns(*stream)) {
            return waited;
        }
    }
    return {};
}

outcome spoc_device_s::synchronize() {
    struct waited_stream {
        std::shared_ptr<stream_state> stream;
        ledger::position at;
    };
    std::vector<waited_stream> complete;
    outcome first;
    for (const std::shared_ptr<stream_state>& stream : streams()) {
        ledger::position at = 0;
        outcome waited = stream->wait(at);
        const bool gone = !waited.ok() && waited.error().sub_code == SPOC_SUB_DESTROYED;
        if (first.ok() && !waited.ok() && !gone) {
            first = std::move(waited);
        } else {
            complete.push_back({stream, at});
        }
    }
    SPOC_TRY(std::move(first));
    for (const waited_stream& one : complete) {
        one.stream->release(one.at);
    }
    return {};
}

void spoc_device_s::give_back() {
    // What buffers that were destroyed wait for may be complete already.
    for (const std::shared_ptr<stream_state>& stream : streams()) {
        bool idle = false;
        if (!stream->has_nothing_kept()) {
            static_cast<void>(stream->query(idle));
        }
    }
    slots_.free_idle();
}

outcome spoc_device_s::peer_ways_from(spoc_device_s& source, std::uint32_t& out_ways) {
    out_ways = 0;
    if (&source.owner() != &owner_ || table().peer_query == nullptr ||
        !offers(SPOC_BE_CAP_PEER_COPY)) {
        return {};
    }
    const std::lock_guard lock(peers_mutex_);
    const auto known = peers_.find(source.id());
    if (known != peers_.end()) {
        out_ways = known->second;
        return {};
    }
    plugin_error error;
    std::uint32_t ways = 0;
    if (const std::int32_t status = table().peer_query(source.handle(), handle(), &ways, &error);
        status < 0) {
        return failure(status, error, SPOC_SUB_COPY_FAILED);
    }
    peers_.emplace(source.id(), ways);
    out_ways = ways;
    return {};
}

void spoc_device_s::close() {
    const std::lock_guard lock(opening_mutex());
    closed_.store(true);
    if (handle() != nullptr) {
        if (outcome waited = synchronize(); !waited.ok()) {
            write_log(SPOC_BE_LOG_WARN, backend_, field_text(waited.error().message));
        }
    }
    end_objects();
    forget_streams();
    if (handle() == nullptr) {
        return;
    }
    slots_.free_all();
    ring_.free();
    static_cast<void>(default_queue_->end());
    plugin_error error;
    if (table().device_close(handle_.exchange(nullptr), &error) < 0) {
        log_failure(backend_, "Closing the device", error);
    }
}

void spoc_device_s::forget_streams() {
    std::list<listed_stream> ended;  // ends outside of the lock
    const std::lock_guard lock(streams_mutex_);
    ended.swap(streams_);
}

void spoc_device_s::end_objects() {
    std::unique_lock lock(objects_mutex_);
    while (!objects_.empty()) {
        shutting_down_ = *objects_.begin();
        objects_.erase(objects_.begin());
        lock.unlock();
        if (outcome ended = shutting_down_->end(); !ended.ok()) {
            write_log(SPOC_BE_LOG_WARN, backend_, field_text(ended.error().message));
        }
        lock.lock();
        shutting_down_ = nullptr;
        object_ended_.notify_all();
    }
    object_ended_.wait(lock, [this] { return ending_ == 0; });
}

spoc_status spoc_device_count(uint32_t* out_count, spoc_error* error) noexcept {
    return boundary("spoc_device_count", error, [&]() -> outcome {
        session call;
        std::vector<spoc_device> all;
        SPOC_TRY(require_pointer(out_count, "out_count"));
        SPOC_TRY(call.enter());
        SPOC_TRY(call.backends().devices(all));
        *out_count = static_cast<std::uint32_t>(all.size());
        return {};
    });
}

spoc_status spoc_device_get(uint32_t id, spoc_device* out_device, spoc_error* error) noexcept {
    return boundary("spoc_device_get", error, [&]() -> outcome {
        session call;
        std::vector<spoc_device> all;
        SPOC_TRY(require_pointer(out_device, "out_device"));
        SPOC_TRY(call.enter());
        SPOC_TRY(call.backends().devices(all));
        *out_device = id < all.size() ? all[id] : nullptr;
        return {};
    });
}

spoc_status spoc_device_select(const char* selectors, spoc_device* out_devices, uint32_t capacity,
                               uint32_t* out_count, spoc_error* error) noexcept {
    return boundary("spoc_device_select", error, [&]() -> outcome {
        session call;
        std::vector<spoc_device> found;
        SPOC_TRY(require_pointer(selectors, "selectors"));
        SPOC_TRY(require_pointer(out_count, "out_count"));
        SPOC_TRY(require_pointer_for(capacity, out_devices, "out_devices"));
        SPOC_TRY(call.enter());
        SPOC_TRY(call.backends().select(selectors, found));
        std::copy_n(found.begin(), std::min<std::size_t>(capacity, found.size()), out_devices);
        *out_count = static_cast<std::uint32_t>(found.size());
        return {};
    });
}

namespace {

/// Order of preference among device kinds; smaller is better. A kind that is not known is some
/// accelerator.
int preference(std::uint32_t kind) {
    switch (kind) {
        case SPOC_BE_KIND_DISCRETE:
            return 0;
        case SPOC_BE_KIND_INTEGRATED:
            return 1;
        case SPOC_BE_KIND_CPU:
            return 3;
        default:
            return 2;
    }
}

void warn_about_cpu_once(const spoc_device_s& device) {
    static std::atomic<bool> warned{false};
    if (!warned.exchange(true)) {
        write_log(SPOC_BE_LOG_WARN, "core",
                  say("no accelerator is ready; the CPU is used as device ", device.selector()));
    }
}

}  // namespace

spoc_status spoc_device_best(spoc_device* out_device, spoc_error* error) noexcept {
    return boundary("spoc_device_best", error, [&]() -> outcome {
        session call;
        std::vector<spoc_device> all;
        SPOC_TRY(require_pointer(out_device, "out_device"));
        SPOC_TRY(call.enter());
        SPOC_TRY(call.backends().devices(all));
        const auto best =
            std::min_element(all.begin(), all.end(), [](spoc_device a, spoc_device b) {
                return preference(a->info().kind) < preference(b->info().kind);
            });
        if (best == all.end()) {
            return outcome::unavailable(SPOC_BE_REASON_NO_DEVICE, "",
                                        "No backend has a device that can be used.");
        }
        if ((*best)->info().kind == SPOC_BE_KIND_CPU && !call.allows_cpu()) {
            warn_about_cpu_once(**best);
        }
        write_log(SPOC_BE_LOG_INFO, "core", say("automatic choice: device ", (*best)->selector()));
        *out_device = *best;
        return {};
    });
}

spoc_status spoc_device_describe(spoc_device device, spoc_device_info* out_info,
                                 spoc_error* error) noexcept {
    return boundary("spoc_device_describe", error, [&]() -> outcome {
        SPOC_TRY(require_pointer(device, "device"));
        SPOC_TRY(require_sized(out_info, "out_info"));
        spoc_device_info info{};
        info.id = device->id();
        info.index = device->info().index;
        info.backend = device->backend_text();
        info.selector = device->selector_text();
        info.properties = &device->info();
        return write_sized(info, out_info);
    });
}

namespace {

outcome reason_for_no(spoc_device device, std::uint32_t capability, std::string& out) {
    if (device->table().cap_reason == nullptr) {
        out = "The plugin gives no reason.";
        return {};
    }
    plugin_error text;
    const std::int32_t status = device->table().cap_reason(device->info().index, capability, &text);
    out = status < 0 || text.message[0] == '\0' ? "The plugin gives no reason."
                                                : std::string(field_text(text.message));
    return {};
}

}  // namespace

spoc_status spoc_device_capability(spoc_device device, uint32_t capability, uint32_t* out_state,
                                   char* reason, uint64_t reason_capacity,
                                   spoc_error* error) noexcept {
    return boundary("spoc_device_capability", error, [&]() -> outcome {
        session call;
        constexpr std::uint32_t bits = 64 * std::size(spoc_be_device_info{}.caps);
        SPOC_TRY(require_pointer(device, "device"));
        SPOC_TRY(require_pointer(out_state, "out_state"));
        if (capability >= bits) {
            return outcome::invalid(SPOC_SUB_VALUE, say("There is no capability ", capability,
                                                        " (below ", bits, ")."))
                .figures(capability, bits);
        }
        SPOC_TRY(call.enter());
        SPOC_TRY(device->check_current());
        const bool known =
            (device->info().caps_known[capability / 64] >> (capability % 64) & 1U) != 0;
        std::string why;
        if (!known) {
            why = "The plugin predates this capability, or its driver does not tell.";
        } else if (!device->offers(capability)) {
            SPOC_TRY(reason_for_no(device, capability, why));
        }
        const std::uint32_t state_if_known =
            device->offers(capability) ? SPOC_CAPABILITY_YES : SPOC_CAPABILITY_NO;
        *out_state = known ? state_if_known : SPOC_CAPABILITY_UNKNOWN;
        if (reason != nullptr) {
            copy_text(reason, reason_capacity, why);
        }
        return {};
    });
}

spoc_status spoc_device_health(spoc_device device, uint32_t* out_health,
                               spoc_error* error) noexcept {
    return boundary("spoc_device_health", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(device, "device"));
        SPOC_TRY(require_pointer(out_health, "out_health"));
        SPOC_TRY(call.enter());
        bool is_idle = false;
        outcome asked = device->open();
        if (asked.ok()) {
            asked = device->default_queue()->query(is_idle);
        }
        if (!asked.ok() && !device->is_lost()) {
            return asked;
        }
        *out_health = device->is_lost() ? SPOC_HEALTH_LOST : SPOC_HEALTH_GOOD;
        return {};
    });
}

spoc_status spoc_device_memory(spoc_device device, spoc_be_memory_info* out_memory,
                               spoc_error* error) noexcept {
    return boundary("spoc_device_memory", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(device, "device"));
        SPOC_TRY(require_sized(out_memory, "out_memory"));
        SPOC_TRY(call.enter());
        SPOC_TRY(device->open());
        spoc_be_memory_info memory{};
        memory.size = sizeof memory;
        plugin_error failed;
        if (const std::int32_t status =
                device->table().device_memory(device->handle(), &memory, &failed);
            status < 0) {
            return device->failure(status, failed, SPOC_SUB_CONTEXT);
        }
        return write_sized(memory, out_memory);
    });
}
