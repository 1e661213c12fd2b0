/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names, paths and prose in so many columns of a terminal. */
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heatscope/formats/source_path.h>

enum { MOST_ALIKE = 32 }; /* rows that read alike: more in one table are never read */

static bool starts_character(char c) { return ((unsigned char)c & 0xC0) != 0x80; }

int report_columns_of(const char *text) {
    int n = 0;
    for (; *text; text++)
        n += starts_character(*text);
    return n;
}

/* Copies with control characters as '?', tabs and ends of lines as blanks. */
static void clean(const char *from, char *to, size_t size) {
    size_t n = 0;
    for (; *from && n + 1 < size; from++) {
        unsigned char c = (unsigned char)*from;
        if (c == 0xC2 && ((unsigned char)from[1] & 0xE0) == 0x80) { /* U+0080 to U+009F are controls too */
            to[n++] = '?';
            from++;
        } else
            to[n++] = c == '\t' || c == '\n' || c == '\r' ? ' ' : c < 0x20 || c == 0x7F ? '?' : (char)c;
    }
    while (n && !starts_character(to[n - 1]) && *from) /* do not end in half a character */
        n--;
    to[n] = 0;
}

/* Byte offset of the character at terminal column `column`. */
static size_t offset_of(const char *text, int column) {
    size_t i = 0;
    for (; text[i]; i++)
        if (starts_character(text[i]) && column-- == 0)
            break;
    return i;
}

static void cut_middle(char *text, int width, int left) {
    int n = report_columns_of(text);
    if (n <= width)
        return;
    if (width < 5) {
        text[offset_of(text, width)] = 0;
        return;
    }
    left = left < 0 ? (width - 2) / 2 : left;
    size_t from = offset_of(text, left), to = offset_of(text, n - (width - 2 - left));
    memmove(text + from + 2, text + to, strlen(text + to) + 1);
    memcpy(text + from, "..", 2);
}

/* "a<b<c>>(d, e)" becomes "a<>()", and with room for five columns in each list "a<b..c>>(d, e)" or so; operators keep their names.
 * Less than five columns of a list tell nothing. Returns how many lists there are. */
static int close_lists(char *text, char open, char close, int room) {
    char *to = text, *list = NULL, before = 0;
    int depth = 0, lists = 0;
    for (char *p = text; *p; p++) {
        char c = *p;
        bool is_operator = to - text >= 8 && !strncmp(to - 8, "operator", 8);
        bool arrow = c == '>' && before == '-';
        before = c;
        if (c == open && !(open == '<' && is_operator)) {
            *to++ = c;
            if (depth++ == 0)
                list = to;
        } else if (c == close && depth && !arrow) {
            if (--depth == 0) {
                *to = 0;
                if (report_columns_of(list) > room)
                    cut_middle(list, room < 5 ? 0 : room, -1);
                to = list + strlen(list);
                lists++;
            }
            *to++ = c;
        } else
            *to++ = c;
    }
    *(depth ? list : to) = 0;
    return lists;
}

/* Template lists keep what there is room for. */
static void squeeze_lists(char *text, int width) {
    char closed[4096];
    snprintf(closed, sizeof closed, "%s", text);
    int lists = close_lists(closed, '<', '>', 0), slack = width - report_columns_of(closed);
    close_lists(text, '<', '>', lists && slack > 0 ? slack / lists : 0);
}

/* Behind the sign of an operator of which `p` is the first: operator<, operator->, operator(); else p. */
static char *skip_operator(const char *text, char *p) {
    if (p - text < 8 || strncmp(p - 8, "operator", 8) != 0)
        return p;
    while (*p && strchr("<>=-", *p))
        p++;
    return *p == '(' && p[1] == ')' ? p + 2 : p;
}

/* "double sum<T>(T) requires addable<T>": what C++20 asks of the arguments tells no procedure apart for people. A region's mark behind it stays. */
static void drop_constraint(char *text) {
    static const char word[] = " requires ";
    char *from = NULL, *to = NULL;
    int depth = 0;
    for (char *p = text; *p && !to; p++) {
        p = skip_operator(text, p);
        if (!*p)
            break;
        if (!depth && !strncmp(p, from ? " [" : word, from ? 2 : sizeof word - 1))
            *(from ? &to : &from) = p;
        bool arrow = *p == '>' && p > text && p[-1] == '-';
        depth += strchr("(<{[", *p) ? 1 : strchr(")>}]", *p) && !arrow && depth ? -1 : 0;
    }
    if (from)
        memmove(from, to ? to : text + strlen(text), to ? strlen(to) + 1 : 1);
}

/* Takes what "(int, long) const" is off the end of a C++ name, and with it the type that a template's instance returns: "T f<T>(T)"
 * is f<T>. The list is the last one that is in no other brackets; that of "operator()" itself stays. */
static void drop_parameters(char *text) {
    char *open = NULL, *close = NULL;
    int depth = 0;
    for (char *p = text; *p; p++) {
        p = skip_operator(text, p);
        if (!*p)
            break;
        bool arrow = *p == '>' && p > text && p[-1] == '-';
        if (strchr("(<{[", *p)) {
            if (*p == '(' && !depth)
                open = p, close = NULL;
            depth++;
        } else if (strchr(")>}]", *p) && !arrow && depth && !--depth && *p == ')')
            close = p + 1;
    }
    static const char *const tails[] = {"", " const", " volatile", " const volatile", " &", " &&", " const &", " const&", " const &&", " const&&"};
    bool is_list = false;
    for (size_t i = 0; open && close && i < sizeof tails / sizeof *tails; i++)
        is_list = is_list || !strcmp(close, tails[i]) || !strncmp(close, " [", 2); /* [omp parallel], [clone .cold] */
    if (!is_list || open == text || !strncmp(open, "(anonymous", 10))
        return;
    bool is_template = open[-1] == '>';
    if (!strncmp(close, " [", 2))
        memmove(open, close, strlen(close) + 1);
    else
        *open = 0;
    char *name = text;
    depth = 0;
    for (char *p = text; p < open && is_template && !strstr(text, "operator"); p++) {
        depth += strchr("(<{[", *p) ? 1 : strchr(")>}]", *p) && depth ? -1 : 0;
        name = *p == ' ' && !depth ? p + 1 : name;
    }
    memmove(text, name, strlen(name) + 1);
}

char *report_fit_template(const char *name, char *out, size_t size) {
    char text[4096];
    clean(name, text, sizeof text);
    drop_constraint(text);
    drop_parameters(text);
    close_lists(text, '<', '>', 0);
    clean(text, out, size);
    return out;
}

bool report_is_start(const char *name) {
    return !strcmp(name, "main") || !strcmp(name, "_QQmain") || !strcmp(name, "MAIN__") || !strncmp(name, "main program", 12);
}

/* Takes the first n bytes of a word, wherever it is, out of what is before `end`; where that is then. */
static char *drop_all(const char *word, size_t n, char *begin, char *end) {
    for (char *p; (p = strstr(begin, word)) != NULL && p < end; end -= n)
        memmove(p, p + n, strlen(p + n) + 1);
    return end;
}

/* "Neigh::operator()", or the end of it, "..eigh::operator()": the operator alone tells nothing. Lists are closed. */
static void keep_class(char *text, int width) {
    static const char call[] = "::operator()";
    enum { LEAST = 7 }; /* columns of a class that tell something, with ".." */
    char *op = NULL, *begin = text;
    for (char *p = text; (p = strstr(p, call)) != NULL; p++)
        op = p;
    if (!op || report_columns_of(text) <= width)
        return;
    op = drop_all(" const::", 6, text, drop_all("<>", 2, text, op));
    drop_all("<>", 2, op, op + strlen(op));
    char *before = text; /* the part before the last */
    for (char *p = text; p < op; p++)
        if (*p == ' ' || !strncmp(p, "::", 2)) {
            before = *p == ' ' ? p + 1 : begin;
            begin = *p == ' ' ? p + 1 : p + 2;
        }
    if (*begin == '{') { /* a lambda is called after the procedure that it is in */
        *op = 0;
        begin = before;
    }
    int room = width - report_columns_of(op), n = report_columns_of(begin) - report_columns_of(op);
    if (n > room && room < LEAST)
        return;
    if (n > room) {
        begin += offset_of(begin, n - room + 2) - 2;
        memcpy(begin, "..", 2);
    }
    memmove(text, begin, strlen(begin) + 1);
}

char *report_fit(const char *name, int width, char *out, size_t size) {
    static const char anonymous[] = "(anonymous namespace)::";
    char text[4096], *p, *end;
    clean(name, text, sizeof text);
    drop_constraint(text);
    drop_parameters(text);
    while (report_columns_of(text) > width && (p = strstr(text, anonymous)))
        memmove(p, p + sizeof anonymous - 1, strlen(p + sizeof anonymous - 1) + 1);
    if (report_columns_of(text) > width)
        close_lists(text, '(', ')', 0);
    if (report_columns_of(text) > width)
        squeeze_lists(text, width);
    end = text + strlen(text);
    if (report_columns_of(text) > width && end - text > 6 && !strcmp(end - 6, " const"))
        end[-6] = 0;
    if (report_columns_of(text) > width && (p = strchr(text, '(')) && !strstr(text, "operator")) { /* the type it returns */
        char *name_at = text;
        for (char *q = text; q < p; q++)
            if (*q == ' ')
                name_at = q + 1;
        memmove(text, name_at, strlen(name_at) + 1);
    }
    keep_class(text, width);
    for (char *colons; report_columns_of(text) > width && (colons = strstr(text, "::")) && colons[2];)
        memmove(text, colons + 2, strlen(colons + 2) + 1);
    cut_middle(text, width, -1);
    clean(text, out, size); /* cuts between characters where `out` is small */
    return out;
}

static int by_text_and_name(const void *a, const void *b) {
    const report_named *x = *(report_named *const *)a, *y = *(report_named *const *)b;
    int order = strcmp(x->text, y->text);
    return order ? order : strcmp(x->name, y->name);
}

hsc_status report_mark_twins(report_named *list, uint32_t n, hsc_err *err) {
    report_named **sorted = malloc(((size_t)n + 1) * sizeof *sorted);
    if (!sorted)
        return hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    for (uint32_t i = 0; i < n; i++)
        sorted[i] = &list[i];
    if (n > 1)
        qsort(sorted, n, sizeof *sorted, by_text_and_name);
    for (uint32_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && !strcmp(sorted[end]->text, sorted[i]->text); end++)
            ;
        bool differ = strcmp(sorted[i]->name, sorted[end - 1]->name) != 0;
        for (uint32_t k = i; k < end; k++)
            sorted[k]->twin = differ;
    }
    free(sorted);
    return HSC_OK;
}

hsc_status report_set_named(report_named *out, const char *text, const char *name, hsc_err *err) {
    size_t n = strlen(text), whole = strlen(name), room = n > whole ? n : whole; /* report_cut_apart writes there */
    *out = (report_named){.text = malloc(room + whole + 2)};
    if (!out->text)
        return hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    memcpy(out->text, text, n + 1);
    out->name = memcpy(out->text + room + 1, name, whole + 1);
    return HSC_OK;
}

/* Bytes of the folders in which all of the files are. */
static size_t common_folders(char *const *names, uint32_t n) {
    size_t common = strlen(names[0]);
    for (uint32_t i = 1; i < n; i++) {
        size_t k = 0;
        while (k < common && names[i][k] == names[0][k])
            k++;
        common = k;
    }
    while (common && names[0][common - 1] != '/')
        common--;
    return common;
}

/* "swee..seconds_of" of "sweep<vector, seconds_of_a_name>": the begin, and what follows from column `at` on, or before that where there is room. */
static void cut_to(char *text, int width, int at) {
    int n = report_columns_of(text), head = width / 3, tail = width - head - 2;
    at = at > n - tail ? n - tail : at;
    if (n <= width)
        return;
    if (at > head + 2) {
        size_t from = offset_of(text, head), to = offset_of(text, at);
        to += text[to] == ' ';
        memmove(text + from + 2, text + to, strlen(text + to) + 1);
        memcpy(text + from, "..", 2);
    }
    text[offset_of(text, width)] = 0;
}

/* In the middle, with so many columns at the left; or, at >= 0, so that what stands at that column is there. */
static void cut_name(char *text, int width, int left, int at) {
    if (at >= 0)
        cut_to(text, width, at);
    else
        cut_middle(text, width, left);
}

/* Do names that differ have texts that do, from byte `from` on and cut so? */
static bool differ_cut(char *const *names, uint32_t n, size_t from, int width, int left, int at) {
    char cut[2][4096];
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = i + 1; k < n; k++) {
            if (!strcmp(names[i], names[k]))
                continue;
            for (int side = 0; side < 2; side++) {
                clean(names[side ? k : i] + from, cut[side], sizeof cut[side]);
                cut_name(cut[side], width, left, at);
            }
            if (!strcmp(cut[0], cut[1]))
                return false;
        }
    return true;
}

/* "loop a.cc:7 in sweep<float>" for "loop a.cc:7 in Grid<float>::sweep": what tells instances of a template apart, without the classes and namespaces round it. */
static void own_name(const char *name, char *out, size_t size) {
    char text[4096];
    clean(name, text, sizeof text);
    size_t whole = strlen(text);
    drop_parameters(text);
    bool is_whole = strlen(text) == whole; /* else what stands before the name is what it returns */
    char *begin = text, *last = text, *list = NULL, *list_end = NULL, *open = NULL;
    int depth = 0;
    const char *operator = strstr(text, "operator");
    bool keeps = operator && strncmp(operator, "operator()", 10); /* operator<, operator bool: the signs would be read as lists */
    for (char *p = text; *p && !keeps; p++) {
        if (p == operator) {
            p += strlen("operator()") - 1;
        } else if (strchr("<({[", *p)) {
            open = depth++ ? open : p;
        } else if (strchr(">)}]", *p) && depth && !--depth && *p == '>' && *open == '<') {
            list = open;
            list_end = p + 1;
        } else if (!depth && *p == ' ') {
            begin = last = p + 1;
        } else if (!depth && !strncmp(p, "::", 2)) {
            last = p + 2;
        }
    }
    bool of_class = list && list >= begin && list_end <= last;
    snprintf(out, size, "%.*s%s%.*s", is_whole ? (int)(begin - text) : 0, text, last, of_class ? (int)(list_end - list) : 0, of_class ? list : "");
}

/* The names of rows that read alike: what they have of their own, where that differs for all of them. */
static hsc_status names_of(report_named *const *rows, uint32_t n, char **names, hsc_err *err) {
    bool differ = true;
    for (uint32_t i = 0; i < n; i++) {
        size_t size = strlen(rows[i]->name) + 1;
        if (!(names[i] = malloc(size)))
            return hsc_err_set(err, HSC_E_MEMORY, "out of memory");
        own_name(rows[i]->name, names[i], size);
    }
    for (uint32_t i = 0; i < n && differ; i++)
        for (uint32_t k = i + 1; k < n && differ; k++)
            differ = !strcmp(rows[i]->name, rows[k]->name) || strcmp(names[i], names[k]);
    for (uint32_t i = 0; i < n && !differ; i++)
        strcpy(names[i], rows[i]->name);
    return HSC_OK;
}

/* Where any two of the names begin to differ, in columns. */
static int first_difference(char *const *names, uint32_t n) {
    size_t common = strlen(names[0]);
    for (uint32_t i = 1; i < n; i++) {
        size_t k = 0;
        while (names[0][k] && names[0][k] == names[i][k])
            k++;
        common = names[0][k] == names[i][k] || k > common ? common : k;
    }
    int columns = 0;
    for (size_t k = 0; k < common; k++)
        columns += starts_character(names[0][k]);
    return columns;
}

static hsc_status cut_alike(report_named *const *alike, uint32_t count, int width, hsc_err *err) {
    char *names[MOST_ALIKE] = {NULL};
    hsc_status s = names_of(alike, count, names, err);
    size_t from = s ? 0 : common_folders(names, count);
    const int middle = (width - 2) / 2;
    int left = middle, at = -1;
    if (!s && !from && width >= 10 && strchr(names[0], '<')) { /* of instances of a template what differs is read best from its begin */
        at = first_difference(names, count);
        at = at > width / 3 + 2 && differ_cut(names, count, from, width, 0, at) ? at : -1;
    }
    while (at < 0 && left >= 0 && !s && !differ_cut(names, count, from, width, left, -1)) /* more of the end, then less of it */
        left--;
    if (left < 0)
        for (left = middle + 1; left <= width - 2 && !differ_cut(names, count, from, width, left, -1);)
            left++;
    bool found = !s && width >= 5 && left <= width - 2;
    for (uint32_t k = 0; k < count; k++) {
        alike[k]->twin = false;
        if (found) {
            clean(names[k] + from, alike[k]->text, strlen(alike[k]->name) + 1);
            cut_name(alike[k]->text, width, left, at);
        }
        free(names[k]);
    }
    return s;
}

hsc_status report_cut_apart(report_named *list, uint32_t n, int width, hsc_err *err) {
    report_named *alike[MOST_ALIKE];
    hsc_status s = report_mark_twins(list, n, err);
    for (uint32_t i = 0; i < n && !s; i++) {
        uint32_t count = 0;
        if (!list[i].twin)
            continue;
        for (uint32_t k = i; k < n && count < MOST_ALIKE; k++)
            if (list[k].twin && !strcmp(list[k].text, list[i].text))
                alike[count++] = &list[k];
        s = cut_alike(alike, count, width, err);
    }
    return s;
}

hsc_status report_tell_twins(report_named *list, uint32_t n, int width, hsc_err *err) {
    report_named told, *cut = calloc((size_t)n + 1, sizeof *cut);
    hsc_status s = cut ? report_mark_twins(list, n, err) : hsc_err_set(err, HSC_E_MEMORY, "out of memory");
    for (uint32_t i = 0; i < n && !s; i++)
        s = report_set_named(&cut[i], list[i].text, list[i].name, err);
    if (!s)
        s = report_cut_apart(cut, n, width, err);
    for (uint32_t i = 0; i < n && !s; i++) {
        if (!list[i].twin || report_columns_of(list[i].name) <= width || !strcmp(cut[i].text, list[i].text) || (s = report_set_named(&told, list[i].text, cut[i].text, err)))
            continue;
        told.twin = true;
        free(list[i].text);
        list[i] = told;
    }
    report_free_named(cut, n);
    return s;
}

void report_free_named(report_named *list, uint32_t n) {
    for (uint32_t i = 0; list && i < n; i++)
        free(list[i].text);
    free(list);
}

char *report_fit_prose(const char *text, int width, char *out, size_t size) {
    clean(text, out, size);
    if (report_columns_of(out) > width) {
        out[offset_of(out, width > 2 ? width - 2 : 0)] = 0;
        strncat(out, "..", size - strlen(out) - 1);
    }
    return out;
}

/* Where the subscripts at the end of "a[].b[i][j]" and "a%b(i, j)" begin; its end where it has none. */
static size_t subscripts_of(const char *text) {
    size_t n = strlen(text), at = n;
    while (at && (text[at - 1] == ']' || text[at - 1] == ')')) {
        int depth = 0;
        size_t begin = at;
        do {
            begin--;
            depth += (text[begin] == ']' || text[begin] == ')') - (text[begin] == '[' || text[begin] == '(');
        } while (begin && depth);
        if (depth || !begin)
            return n;
        at = begin;
    }
    return at;
}

/* Where the next member of a path begins, behind `at`; 0: none comes. */
static size_t next_member(const char *text, size_t at, size_t end) {
    for (size_t i = at + 1; i < end; i++)
        if (text[i - 1] == '.' || text[i - 1] == '%' || (text[i - 1] == '>' && i > 1 && text[i - 2] == '-'))
            return i;
    return 0;
}

char *report_fit_reference(const char *text, int width, char *out, size_t size) {
    char whole[1024];
    clean(text, whole, sizeof whole);
    if (report_columns_of(whole) > width) {
        size_t end = subscripts_of(whole), at = 0, next;
        whole[end ? end : strlen(whole)] = 0;
        end = strlen(whole);
        while (report_columns_of(whole + at) + (at ? 3 : 0) > width && (next = next_member(whole, at, end)))
            at = next;
        snprintf(out, size, "%s%s", at ? "..." : "", whole + at);
        return out;
    }
    snprintf(out, size, "%s", whole);
    return out;
}

char *report_first_sentence(const char *text, char *out, size_t size) {
    size_t n = strcspn(text, "\r\n");
    static const char *const advice[] = {". Use ", ". Try "};
    for (size_t i = 0; i < sizeof advice / sizeof *advice; i++) {
        const char *at = strstr(text, advice[i]);
        if (at && (size_t)(at - text) < n)
            n = (size_t)(at - text);
    }
    while (n && (text[n - 1] == '.' || text[n - 1] == ' '))
        n--;
    char part[512];
    snprintf(part, sizeof part, "%.*s", (int)(n < 500 ? n : 500), text);
    return report_fit_prose(part, 240, out, size);
}

bool report_system_header(const char *path, char *out, size_t size) {
    const char *name = hsc_system_header(path);
    if (name && out)
        snprintf(out, size, "<%s>", name);
    return name != NULL;
}

/* A header of the system in `width` columns: without its folders where there is no room for them. */
static bool fit_header(const char *path, int width, char *out, size_t size) {
    char name[1024];
    if (!report_system_header(path, name, sizeof name))
        return false;
    const char *slash = strrchr(name, '/');
    if (report_columns_of(name) > width && slash)
        memmove(name + 1, slash + 1, strlen(slash + 1) + 1);
    clean(name, out, size);
    cut_middle(out, width, -1);
    return true;
}

/* Columns of a place "name.f90:109" that stay in front of the cut: its file is told by the end of the name, so none where there are few. -1: as of any name. */
static int in_front(const char *place, int width) {
    const char *ending = strrchr(place, '.');
    int room = ending && ending > place ? width - 2 - report_columns_of(ending) : 0;
    return room < 2 ? -1 : room < 9 ? 0 : room / 3;
}

static char *fit_path(const char *path, int width, bool place, char *out, size_t size) {
    clean(path, out, size);
    if (report_columns_of(out) <= width)
        return out;
    for (char *p = out; (p = strchr(p, '/')); p++) /* the longest tail of whole folders that fits */
        if (report_columns_of(p + 1) <= width) {
            memmove(out, p + 1, strlen(p + 1) + 1);
            return out;
        }
    char *slash = strrchr(out, '/');
    if (slash)
        memmove(out, slash + 1, strlen(slash + 1) + 1);
    cut_middle(out, width, place ? in_front(out, width) : -1);
    return out;
}

char *report_fit_place(const char *path, int width, char *out, size_t size) {
    if (fit_header(path, width, out, size))
        return out;
    const char *from = path, *slash = strrchr(path, '/');
    for (const char *p = slash; p && p > path; p--)
        if (p[-1] == '/') {
            from = p;
            break;
        }
    return fit_path(from, width, true, out, size);
}

char *report_fit_path(const char *path, int width, char *out, size_t size) { return fit_path(path, width, false, out, size); }

const char *report_seconds(double seconds, char *out) {
    char rounded[REPORT_SECONDS_ROOM];
    snprintf(rounded, sizeof rounded, "%.3g", seconds);
    snprintf(out, REPORT_SECONDS_ROOM, "%.12g s", strtod(rounded, NULL)); /* 1900, not 1.9e+03 */
    return out;
}

const char *report_volume(double bytes, char *out, size_t size) {
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
    unsigned u = 0;
    for (; bytes >= 999.5 && u + 1 < sizeof units / sizeof *units; u++)
        bytes *= 1e-3;
    snprintf(out, size, "%.3g %s", bytes, bytes == 1 && !u ? "byte" : units[u]);
    return out;
}
