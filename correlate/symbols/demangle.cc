// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C++ runtime's demangler behind a C function, and LLVM's for what that one does not know. Parts of a mangled name refer to earlier ones, so a name
// of 300 characters can be one of a gigabyte for people: how long it would be is counted on LLVM's tree of the name first. What would be too long is left as it is.
#include <cxxabi.h>

#include <cstddef>
#include <cstring>

#ifdef HEATSCOPE_HAVE_LLVM_DEMANGLE
#include <deque>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include <llvm/Demangle/Demangle.h>
#include <llvm/Demangle/ItaniumDemangle.h>
#endif

extern "C" char *hsc_demangle_cxx(const char *symbol);
extern "C" char *hsc_demangle_rust(const char *symbol);

namespace {

constexpr size_t kLongestSymbol = 4096; // characters of a linker symbol, beyond which it is left as it is
constexpr size_t kLongest = 65536;      // of a name for people
constexpr size_t kLongestOfRust = 1 << 24; // of one of Rust, as far as is known before it is made

#ifdef HEATSCOPE_HAVE_LLVM_DEMANGLE
using llvm::itanium_demangle::ForwardTemplateReference;
using llvm::itanium_demangle::Node;
using llvm::itanium_demangle::NodeArray;
using llvm::itanium_demangle::ParameterPack;
using llvm::itanium_demangle::ParameterPackExpansion;

class Memory { // of the nodes: they have no destructors to be called
  public:
    void reset() { blocks_.clear(); }
    template <typename T, typename... Args> T *makeNode(Args &&...args) {
        return new (take(sizeof(T))) T(std::forward<Args>(args)...);
    }
    void *allocateNodeArray(size_t n) { return take(n * sizeof(Node *)); }

  private:
    std::deque<std::unique_ptr<std::max_align_t[]>> blocks_;
    void *take(size_t size) {
        blocks_.emplace_back(new std::max_align_t[size / sizeof(std::max_align_t) + 1]);
        return blocks_.back().get();
    }
};

// An upper bound of what a node has printed, each node looked at once; kLongest + 1: more than that.
class Length {
  public:
    size_t of(const Node *node) {
        if (!node)
            return 0;
        auto [at, is_new] = known_.try_emplace(node, 0); // 0 is told of one within itself: the demanglers stop there
        if (!is_new)
            return at->second;
        size_t length = kLongest + 1;
        if (depth_ < kDeepest) {
            depth_++;
            node->visit([&](const auto *n) { length = of_kind(n); });
            depth_--;
        }
        return known_[node] = length;
    }

  private:
    enum { kDeepest = 1024, kSigns = 32 }; // signs of a node's own: " const volatile", "decltype(", "'unnamed", ...
    std::unordered_map<const Node *, size_t> known_;
    size_t longest_pack_ = 1;
    int depth_ = 0;

    static size_t sum(size_t a, size_t b) { return a > kLongest || b > kLongest - a ? kLongest + 1 : a + b; }
    template <typename T> size_t part(const T &x) {
        size_t length = 0;
        if constexpr (std::is_convertible_v<T, const Node *>)
            length = of(x);
        else if constexpr (std::is_same_v<T, std::string_view>)
            length = x.size() < kLongest ? x.size() : kLongest + 1;
        else if constexpr (std::is_same_v<T, NodeArray>)
            for (const Node *n : x)
                length = sum(length, sum(of(n), 2));
        return length;
    }
    template <typename T> size_t of_kind(const T *n) {
        size_t length = kSigns;
        n->match([&](const auto &...parts) { ((length = sum(length, part(parts))), ...); });
        return length;
    }
    size_t of_kind(const ForwardTemplateReference *n) { return of(n->Ref); }
    size_t of_kind(const ParameterPack *n) { // one of its elements at a time
        size_t length = 0;
        n->match([&](NodeArray elements) {
            longest_pack_ = elements.size() > longest_pack_ ? elements.size() : longest_pack_;
            for (const Node *e : elements)
                length = of(e) > length ? of(e) : length;
        });
        return length;
    }
    size_t of_kind(const ParameterPackExpansion *n) {
        size_t one = sum(of(n->getChild()), 2);
        return one > kLongest / longest_pack_ ? kLongest + 1 : one * longest_pack_;
    }
};

// LLVM's parser, which sees no arguments of templates in the type of a conversion. They are ambiguous for a parameter alone.
struct Parser : llvm::itanium_demangle::AbstractManglingParser<Parser, Memory> {
    using AbstractManglingParser::AbstractManglingParser;
    Node *parseType() {
        const char *p = First;
        while (p != Last && std::strchr("PROKVr", *p))
            p++;
        bool is_plain = p != Last && *p != 'T';
        llvm::itanium_demangle::ScopedOverride<bool> with_arguments(TryToParseTemplateArgs, TryToParseTemplateArgs || is_plain);
        return AbstractManglingParser::parseType();
    }
};

// The runtime's demangler is asked for nothing that LLVM does not parse: some of that it takes for ever.
bool is_sound(const char *symbol, size_t n) {
    Parser parser(symbol, symbol + n);
    const Node *name = parser.parse();
    return name && Length().of(name) <= kLongest;
}

char *demangle_by_llvm(const char *symbol) { return llvm::itaniumDemangle(symbol); }
char *demangle_rust_by_llvm(const char *symbol) { return llvm::rustDemangle(symbol); }
#else
bool is_sound(const char *symbol, size_t n) { // each reference to what was before doubles a name at most
    size_t bound = n;
    for (const char *p = std::strchr(symbol, 'S'); p && bound <= kLongest; p = std::strchr(p + 1, 'S'))
        bound *= 2;
    return bound <= kLongest && !std::strchr(symbol, 'T') && !std::strstr(symbol, "Dp");
}

char *demangle_by_llvm(const char *) { return nullptr; }
char *demangle_rust_by_llvm(const char *) { return nullptr; }
#endif

} // namespace

extern "C" char *hsc_demangle_cxx(const char *symbol) {
    size_t n = std::strlen(symbol);
    int status = 0;
    if (n > kLongestSymbol || !is_sound(symbol, n))
        return nullptr;
    char *text = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
    return status == 0 ? text : demangle_by_llvm(symbol);
}

// Each reference to what was before, B, doubles a name at most.
extern "C" char *hsc_demangle_rust(const char *symbol) {
    size_t bound = std::strlen(symbol);
    if (bound > kLongestSymbol)
        return nullptr;
    for (const char *p = std::strchr(symbol, 'B'); p && bound <= kLongestOfRust; p = std::strchr(p + 1, 'B'))
        bound *= 2;
    return bound <= kLongestOfRust ? demangle_rust_by_llvm(symbol) : nullptr;
}
