/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "names.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "paint.h"

/* Takes the type that templates return from the front of a name: up to the last blank, outside of brackets, before the name itself. */
static size_t drop_return_type(char *out, size_t n) {
    const char *operator = strstr(out, "operator");
    size_t begin = 0, end = operator ? (size_t)(operator - out) : n;
    int open = 0;
    for (size_t i = 0; i < end; i++) {
        open += (out[i] == '(' || out[i] == '{' || out[i] == '<') - (out[i] == ')' || out[i] == '}' || out[i] == '>');
        if (out[i] == ' ' && open == 0)
            begin = i + 1;
    }
    memmove(out, out + begin, n - begin + 1);
    return n - begin;
}

/* Behind what closes the bracket that `p` is at; NULL: nothing does. */
static const char *behind_bracket(const char *p) {
    int depth = 0;
    for (; *p; p++) {
        depth += (*p == '<') - (*p == '>' && p[-1] != '-');
        if (!depth)
            return p + 1;
    }
    return NULL;
}

/* Rust's "<m::Disk as m::Shape>::area" as "Disk::area", "<f64>::sin" as "f64::sin": a type's own name, and what it is looked at as left out. False: no such name. */
static bool of_type(const char *name, char *out, size_t capacity) {
    const char *behind = name[0] == '<' && name[1] ? behind_bracket(name) : NULL;
    if (!behind || strncmp(behind, "::", 2))
        return false;
    const char *type = name + 1, *end = behind - 1;
    int depth = 0;
    for (const char *p = type; p < end; p++) {
        depth += (*p == '<' || *p == '(' || *p == '[') - (*p == '>' || *p == ')' || *p == ']');
        if (!depth && !strncmp(p, " as ", 4))
            end = p;
        else if (!depth && p[0] == ':' && p[1] == ':' && p + 2 < end)
            type = p + 2;
    }
    return (size_t)snprintf(out, capacity, "%.*s%s", (int)(end - type), type, behind) < capacity;
}

/* Of what stands behind a '<': letters up to the '>' where they are words with commas between, also a value of an enumeration, (Kind)2, 12 letters at most; 0. */
static size_t short_arguments(const char *p) {
    size_t n = 0;
    for (; p[n] && p[n] != '>'; n++) {
        bool fits = p[n] == '(' ? !n || p[n - 1] == ' ' : p[n] == ')' ? memchr(p, '(', n) != NULL : p[n] == ' ' ? n && p[n - 1] == ',' : strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:.,", p[n]) != NULL;
        if (!fits || n == 12)
            return 0;
    }
    return p[n] ? n : 0;
}

void hsc_name_short(const char *name, char *out, size_t capacity) {
    static const char anonymous[] = "(anonymous namespace)", nobody[] = "{anonymous}", in_brackets[] = "((anonymous namespace)::";
    char typed[1024];
    size_t n = 0;
    int depth = 0, is_template = 0;
    if (of_type(name, typed, sizeof typed)) {
        name = typed;
    } else if (strstr(name, in_brackets) && strlen(name) < sizeof typed) { /* of a type within arguments the name alone */
        strcpy(typed, name);
        for (char *p; (p = strstr(typed, in_brackets));)
            memmove(p + 1, p + sizeof in_brackets - 1, strlen(p + sizeof in_brackets - 1) + 1);
        name = typed;
    }
    for (const char *p = name; *p && n + 4 < capacity; p++) {
        /* operator<, operator->, operator() and the like keep their signs */
        if (!depth && !strncmp(p, "operator", 8)) {
            size_t len = 8 + strspn(p + 8, "<>=-+*/%!&|^~[],");
            len += !strncmp(p + len, "()", 2) ? 2 : 0;
            if (n + len + 4 >= capacity)
                break;
            memcpy(out + n, p, len);
            n += len;
            p += len - 1;
            continue;
        }
        if (!depth && !strncmp(p, anonymous, sizeof anonymous - 1)) { /* in few letters, as in lists and titles */
            if (n + sizeof nobody > capacity)
                break;
            memcpy(out + n, nobody, sizeof nobody - 1);
            n += sizeof nobody - 1;
            p += sizeof anonymous - 2;
            continue;
        }
        is_template |= *p == '<' && n > 0;
        size_t word = *p == '<' && !depth && n > 0 ? short_arguments(p + 1) : 0;
        if (word && n + word + 6 < capacity) { /* short words stay: Kernel<double>, halves<0, 1> */
            memcpy(out + n, p, word + 2);
            n += word + 2;
            p += word + 1;
            continue;
        }
        if (*p == '<' && depth++ == 0 && n > 0) {
            if (n + 6 > capacity)
                break;
            memcpy(out + n, "<\xe2\x80\xa6>", 5);
            n += 5;
        }
        if (*p == '>' && depth > 0) {
            depth--;
            continue;
        }
        if (depth > 0)
            continue;
        if (*p == '(' && n > 0 && strncmp(p, "(anonymous", 10)) {
            /* arguments: the end of the name, unless it goes on inside the function (lambdas, local classes) or they are a lambda's own */
            int open = 1;
            while (open > 0 && p[1]) {
                p++;
                open += (*p == '(') - (*p == ')');
            }
            if (!strncmp(p + 1, " const", 6))
                p += 6;
            if (strncmp(p + 1, "::", 2) && p[1] != '#')
                break;
            continue;
        }
        out[n++] = *p;
    }
    out[n] = 0;
    if (is_template)
        n = drop_return_type(out, n);
    if (!n)
        snprintf(out, capacity, "%s", name);
}

/* Where ":219" stands in "solve.f90:219" or "solve.f90:219: more of it", and its length in *n, with a second line in "solve.f90:219 -> :230"; NULL: there
 * is no line. */
static const char *line_of_place(const char *place, size_t *n) {
    static const char to[] = " \xE2\x86\x92 "; /* an arrow */
    for (const char *p = strchr(place, ':'); p; p = strchr(p + 1, ':')) {
        *n = 1 + strspn(p + 1, "0123456789");
        if (*n > 1 && (!p[*n] || strchr(" :,", p[*n]))) {
            const char *second = strncmp(p + *n, to, sizeof to - 1) ? NULL : strchr(p + *n + sizeof to - 1, ':');
            if (second && strspn(second + 1, "0123456789"))
                *n = (size_t)(second - p) + 1 + strspn(second + 1, "0123456789");
            return p;
        }
    }
    return NULL;
}

/* The last part of "in Mesh::calcCharLen", which tells members of one class apart; NULL: it has no parts, or ends within arguments of a template. */
static const char *last_part(const char *place) {
    const char *at = NULL;
    int depth = 0;
    for (const char *p = place; *p; p++) {
        depth += (*p == '<') - (*p == '>');
        if (!depth && p[0] == ':' && p[1] == ':')
            at = p + 2;
    }
    return at && !strchr(place, '(') ? at : NULL;
}

/* Length of what stands before a name: wide blanks by its depth, then the number of a row that stands below the list, "14. ", or a sign, "+ ": of a change, or
 * of what can be opened. */
static size_t mark_before(const char *name) {
    static const char *const blanks[] = {"\xE2\x80\x82", "\xE2\x80\x83", "\xE2\x80\x87"}, minus[] = "\xE2\x88\x92 ";
    size_t n = 0;
    for (size_t k = 0; k < sizeof blanks / sizeof *blanks; k++)
        if (!strncmp(name + n, blanks[k], 3)) {
            n += 3;
            k = (size_t)-1; /* from the first again */
        }
    n += n && name[n] == ' ';
    size_t digits = strspn(name + n, "0123456789");
    if (digits && !strncmp(name + n + digits, ". ", 2))
        return n + digits + 2;
    if ((name[n] == '+' || name[n] == '-') && name[n + 1] == ' ')
        return n + 2;
    return !strncmp(name + n, minus, sizeof minus - 1) ? n + sizeof minus - 1 : n;
}

/* "\xE2\x80\xA6calcCharLen for" for "Mesh::calcCharLen for", "3. \xE2\x80\xA6calcCharLen" for "3. Mesh::calcCharLen"; false: it is in no class or module. */
static bool last_name(const char *name, char *out, size_t size) {
    size_t place = mark_before(name);
    const char *end = name + place + strcspn(name + place, " ("), *part = last_part(name + place);
    if (!part || part > end || !*part)
        return false;
    return (size_t)snprintf(out, size, "%.*s\xE2\x80\xA6%s", (int)place, name, part) < size;
}

/* "tea_send_r\xE2\x80\xA6age_left do" for "tea_send_recv_message_left do": names of one program begin alike, so the middle is spared. What
 * follows the name goes where it leaves too little of that. false: it has room, or hardly any, and is cut at its end. */
static bool middle_spared(const hsc_font *f, const char *name, double room, char *out, size_t size) {
    enum { LEAST = 9, MOST = 160 };
    size_t from[MOST + 1], n = 0, begin = mark_before(name), end = begin + strcspn(name + begin, " (<");
    for (size_t i = begin; i < end && n < MOST; i++)
        if (((unsigned char)name[i] & 0xc0) != 0x80)
            from[n++] = i;
    if (n <= LEAST || n == MOST || hsc_font_width(f, name) <= room)
        return false;
    from[n] = end;
    for (const char *rest = name + end;; rest = "") {
        for (size_t keep = n; keep >= LEAST; keep--) {
            size_t head = (keep + 1) / 2, tail = n - keep / 2;
            int length = keep == n ? snprintf(out, size, "%.*s%s", (int)end, name, rest)
                                   : snprintf(out, size, "%.*s\xE2\x80\xA6%.*s%s", (int)from[head], name, (int)(end - from[tail]),
                                              name + from[tail], rest);
            if (length >= 0 && (size_t)length < size && hsc_font_width(f, out) <= room)
                return keep < n; /* a whole name with some of what follows it: cut at its end */
        }
        if (!rest[0])
            return false;
    }
}

/* Behind the anonymous namespaces that `p` begins with, as demanglers and our short names have them; `p`: with none. */
static const char *behind_anonymous(const char *p) {
    static const char *const spelled[] = {"(anonymous namespace)::", "{anonymous}::"};
    for (size_t k = 0; k < sizeof spelled / sizeof *spelled; k++)
        if (!strncmp(p, spelled[k], strlen(spelled[k]))) {
            p += strlen(spelled[k]);
            k = (size_t)-1; /* from the first again */
        }
    return p;
}

const char *hsc_name_inner(const char *name) {
    int depth = 0;
    const char *inside = behind_anonymous(name);
    if (inside > name && *inside)
        return inside;
    for (const char *p = name; *p; p++) {
        if (!strncmp(p, "operator", 8))
            p += 8 + strspn(p + 8, "<>=-+*/%!&|^~[],") - 1;
        else if (strchr("<({", *p))
            depth++;
        else if (strchr(">)}", *p))
            depth -= depth > 0;
        else if (!depth && p > name && p[0] == ':' && p[1] == ':' && behind_anonymous(p + 2) > p + 2)
            return *behind_anonymous(p + 2) ? behind_anonymous(p + 2) : NULL;
        else if (!depth && p > name && p[0] == ':' && p[1] == ':') /* what has no name of its own stays with what it is in */
            return p[2] && p[2] != '{' && p[2] != '(' && p[-1] != '}' ? p + 2 : NULL;
    }
    return NULL;
}

/* Takes the arguments of templates out of a name. */
static void without_arguments(const char *name, char *out, size_t size) {
    int depth = 0;
    size_t n = 0;
    for (const char *p = name; *p && n + 1 < size; p++) {
        size_t keep = !depth && !strncmp(p, "operator", 8) ? 8 + strspn(p + 8, "<>=-+*/%!&|^~[],") : 0;
        for (; keep > 1 && n + 2 < size; keep--)
            out[n++] = *p++;
        depth += *p == '<' && !keep;
        if (!depth)
            out[n++] = *p;
        depth -= *p == '>' && depth > 0;
    }
    out[n] = 0;
}

/* Where it is to be cut at its end behind a sign that its beginning was spared: that sign goes where less than two letters would stand between the two. */
static void without_lone_sign(const hsc_font *f, size_t mark, double room, char *out) {
    enum { SIGN = 3 };
    char least[32];
    size_t end = mark + SIGN;
    if (strncmp(out + mark, "\xE2\x80\xA6", SIGN) || hsc_font_width(f, out) <= room)
        return;
    for (int letters = 0; out[end]; end++)
        if (((unsigned char)out[end] & 0xc0) != 0x80 && letters++ == 2)
            break;
    snprintf(least, sizeof least, "%.*s\xE2\x80\xA6", (int)end, out);
    if (end + SIGN < sizeof least && hsc_font_width(f, least) > room)
        memmove(out + mark, out + mark + SIGN, strlen(out + mark + SIGN) + 1);
}

void hsc_name_fit(const hsc_font *f, const char *name, double room, char *out, size_t size) {
    size_t mark = mark_before(name);
    snprintf(out, size, "%s", name);
    for (const char *inner = name + mark; hsc_font_width(f, out) > room && (inner = hsc_name_inner(inner));)
        snprintf(out, size, "%.*s\xE2\x80\xA6%s", (int)mark, name, inner);
    if (hsc_font_width(f, out) <= room)
        return;
    char bare[256], spared[256];
    without_arguments(out, bare, sizeof bare);
    if (bare[mark])
        snprintf(out, size, "%s", bare);
    if (middle_spared(f, out, room, spared, sizeof spared))
        snprintf(out, size, "%s", spared);
    without_lone_sign(f, mark, room, out);
}

void hsc_paint_name(hsc_canvas *c, const hsc_style *st, double x, double base, double room, const char *name, const char *place, hsc_rgb colour) {
    double gap = 8 * c->scale, least = 60 * c->scale, wide = hsc_font_width(st->mono, name), whole = hsc_font_width(st->small, place);
    size_t n = 0;
    const char *at = wide + gap + whole > room ? line_of_place(place, &n) : NULL;
    char line[64] = "";
    if (at && n < sizeof line)
        memcpy(line, at, n);
    double kept = line[0] ? hsc_font_width(st->small, line) + gap : 0;
    char own[128];
    if (wide > room - kept && last_name(name, own, sizeof own)) { /* that of its class or module can be spared */
        name = own;
        wide = hsc_font_width(st->mono, name);
    }
    bool with_line = kept > 0 && room - kept >= least;
    char spared[512];
    if (middle_spared(st->mono, name, with_line ? room - kept : room, spared, sizeof spared)) {
        name = spared;
        wide = hsc_font_width(st->mono, name);
    }
    hsc_rgb grey = st->colour[HSC_P_muted];
    if (with_line) { /* both do not fit: the line tells rows of one procedure apart */
        char file[256];
        snprintf(file, sizeof file, "%.*s", (int)(at - place), place);
        x += hsc_canvas_text_fit(c, st->mono, x, base, room - kept, HSC_LEFT, colour, name) + gap;
        double rest = room - wide - kept; /* for the file's name: without "from" before it, or some letters of it */
        const char *from = strstr(file, "from ");
        const char *shown = from && hsc_font_width(st->small, file) > rest ? from + 5 : file;
        if (hsc_font_width(st->small, shown) <= rest || rest > 40 * c->scale)
            x += hsc_canvas_text_fit(c, st->small, x, base, rest, HSC_LEFT, grey, shown);
        hsc_canvas_text(c, st->small, x, base, HSC_LEFT, grey, line);
        return;
    }
    wide = hsc_canvas_text_fit(c, st->mono, x, base, room, HSC_LEFT, colour, name);
    double rest = room - wide - gap;
    const char *part = whole > rest ? last_part(place) : NULL;
    char cut[128];
    if (part && (size_t)snprintf(cut, sizeof cut, "\xE2\x80\xA6%s", part) < sizeof cut && hsc_font_width(st->small, cut) <= rest)
        place = cut;
    if (rest > 24 * c->scale)
        hsc_canvas_text_fit(c, st->small, x + wide + gap, base, rest, HSC_LEFT, grey, place);
}
