/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Machine code as a list: heat, address, text with colours, brackets of loops, arrows of jumps. */
#include "paint_assembly.h"

#include <heatscope/formats/records.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "number.h"

int hsc_code_version_colour(uint32_t version) {
    switch (version) {
    case HSC_loop_version_VECTOR:
    case HSC_loop_version_VECTOR_UNROLLED_FULLY: return 4;
    case HSC_loop_version_VECTOR_EPILOGUE: return 6;
    case HSC_loop_version_UNROLLED:
    case HSC_loop_version_UNROLLED_FULLY: return 0;
    case HSC_loop_version_REMAINDER:
    case HSC_loop_version_EPILOGUE:
    case HSC_loop_version_REMAINDER_OR_FALLBACK: return 5;
    case HSC_loop_version_FALLBACK: return 1;
    case HSC_loop_version_PLAIN: return 3;
    default: return 8;
    }
}

void hsc_code_layout_get(const hsc_canvas *c, const hsc_style *st, const hsc_code_frame *f, hsc_code_layout *out) {
    double digit = hsc_font_ascii_width(st->mono, "0");
    int gap = hsc_canvas_dp(c, 8);
    bool narrow = c->width < 520 * c->scale; /* the text of the instructions needs the room */
    out->bar = hsc_canvas_dp(c, 6);
    out->bar_width = hsc_canvas_dp(c, c->width > 620 * c->scale ? 64 : 28);
    out->count_right = out->bar + out->bar_width + gap + (int)((narrow ? 5 : 7) * digit);
    out->shares = !narrow;
    out->share_right = out->count_right + (narrow ? 0 : gap + (int)(7 * digit));
    out->address = out->share_right + (narrow ? gap : 2 * gap);
    out->bytes = out->address + (int)(f->digits * digit) + gap;
    out->arrows = out->bytes + (f->bytes ? (int)(23 * digit) + gap : 0);
    out->arrows_right = out->arrows + hsc_canvas_dp(c, narrow ? 18 : 44);
    out->bracket = out->arrows_right + hsc_canvas_dp(c, 4);
    out->text = out->bracket + hsc_canvas_dp(c, 10);
    out->operands = out->text + (int)(11 * digit);
    out->place_right = c->width - hsc_canvas_dp(c, 8);
}

#define MORE "\xe2\x80\xa6"

static hsc_rgb readable(const hsc_style *st, int category) {
    return hsc_colour_mix(hsc_style_category(st, (uint32_t)category), st->colour[HSC_P_foreground], 0.3);
}

bool hsc_code_inlined(char *out, size_t size, size_t *used, const char *name, const char *place) {
    int n = snprintf(out + *used, size - *used, "%s%s%s%s", *used ? "; " : "in ", name, place[0] ? ", called at " : "", place);
    if (n < 0 || (size_t)n >= size - *used)
        return false;
    *used += (size_t)n;
    return true;
}

/* Operands with registers, numbers and names in colours of their own; where they have no room the end is a sign that there is more. */
static void paint_operands(hsc_canvas *c, const hsc_style *st, const char *text, size_t n, double x, double y, double limit, int flow) {
    char word[200], all[400];
    snprintf(all, sizeof all, "%.*s", (int)(n < sizeof all ? n : sizeof all - 1), text);
    bool whole = x + hsc_font_width(st->mono, all) <= limit;
    double more = hsc_font_width(st->mono, MORE);
    for (size_t i = 0; i < n && x < limit;) {
        size_t k = i + 1;
        unsigned char first = (unsigned char)text[i];
        hsc_rgb colour = st->colour[HSC_P_foreground];
        bool letter = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || first == '_' || first == '.' || first >= 0x80;
        bool number = first == '$' || (first >= '0' && first <= '9') || (first == '-' && i + 1 < n && text[i + 1] >= '0' && text[i + 1] <= '9');
        if (first == '%' || letter || number) {
            while (k < n && !strchr(" ,()[]*+:", text[k]))
                k++;
            if (first == '%')
                colour = readable(st, 0);
            else if (number)
                colour = flow == HSC_FLOW_NEXT ? readable(st, 4) : st->colour[HSC_P_accent];
            else if (flow != HSC_FLOW_NEXT)
                colour = st->colour[HSC_P_accent];
        } else {
            colour = st->colour[HSC_P_muted];
        }
        if (flow != HSC_FLOW_NEXT && letter) /* a name of C++ may hold anything */
            k = n;
        size_t size = k - i < sizeof word - 1 ? k - i : sizeof word - 1;
        memcpy(word, text + i, size);
        word[size] = 0;
        if (!whole && x + hsc_font_width(st->mono, word) + more > limit) {
            size_t at = i < sizeof all ? i : sizeof all - 1;
            if (!(hsc_canvas_text_fit(c, st->mono, x, y, limit - x, HSC_LEFT, colour, all + at) > 0))
                hsc_canvas_text(c, st->mono, x, y, HSC_LEFT, st->colour[HSC_P_muted], MORE);
            return;
        }
        x += hsc_canvas_text(c, st->mono, x, y, HSC_LEFT, colour, word);
        i = k;
    }
}

/* As much of the end of a place as there is room for: its line tells more than how its file's name begins. */
static const char *end_of(const hsc_style *st, const char *place, double room, char *out, size_t size) {
    const char *at = place;
    if (hsc_font_width(st->small, place) <= room)
        return place;
    do {
        at++;
        while ((*at & 0xC0) == 0x80)
            at++;
        snprintf(out, size, "\xE2\x80\xA6%s", at);
    } while (*at && hsc_font_width(st->small, out) > room);
    return out;
}

/* From the middle to the left what is less in the other run, to the right what is more; grey within noise. */
static void paint_change(hsc_canvas *c, const hsc_style *st, const hsc_code_frame *f, const hsc_code_layout *l, const hsc_code_row *r, int y) {
    int h = f->row_height, bar_h = h - 2 * hsc_canvas_dp(c, 2), top = y + (h - bar_h) / 2, half = l->bar_width / 2;
    int wide = (int)lround(r->length * half);
    double base = hsc_font_baseline(st->mono, y, h);
    char number[HSC_NUMBER_MAX];
    hsc_rgb colour = r->noise ? st->colour[HSC_P_muted] : hsc_colour_change(r->heat);
    wide = wide < 1 ? 1 : wide;
    hsc_canvas_fill(c, l->bar, top, l->bar_width, bar_h, st->colour[HSC_P_faint]);
    hsc_canvas_fill(c, r->change < 0 ? l->bar + half - wide : l->bar + half, top, wide, bar_h, colour);
    hsc_canvas_fill(c, l->bar + half, top, 1, bar_h, st->colour[HSC_P_muted]);
    hsc_number_change((double)r->change, l->shares ? 7 : 5, r->ratio, number);
    hsc_canvas_text(c, st->mono, l->count_right, base, HSC_RIGHT, r->noise ? st->colour[HSC_P_muted] : st->colour[HSC_P_foreground], number);
    hsc_number_short(r->theirs, 7, number);
    if (l->shares)
        hsc_canvas_text(c, st->mono, l->share_right, base, HSC_RIGHT, st->colour[HSC_P_muted], number);
}

static void paint_instruction(hsc_canvas *c, const hsc_style *st, const hsc_code_frame *f, const hsc_code_layout *l, const hsc_code_row *r,
                              int y) {
    int h = f->row_height;
    double base = hsc_font_baseline(st->mono, y, h);
    char number[HSC_NUMBER_MAX], share[24];
    if (r->compared) {
        if (r->count > 0 || r->theirs > 0)
            paint_change(c, st, f, l, r, y);
    } else if (f->change) { /* other code: its line and loop tell the difference */
        if (r->count > 0 && l->shares) {
            hsc_number_short(r->count, 7, number);
            snprintf(share, sizeof share, "%.16s here", number);
            hsc_canvas_text(c, st->small, l->share_right, base, HSC_RIGHT, st->colour[HSC_P_muted], share);
        }
    } else if (r->count > 0) {
        int bar_h = h - 2 * hsc_canvas_dp(c, 2), wide = (int)lround(r->length * l->bar_width);
        hsc_canvas_fill(c, l->bar, y + (h - bar_h) / 2, l->bar_width, bar_h, st->colour[HSC_P_faint]);
        hsc_canvas_fill(c, l->bar, y + (h - bar_h) / 2, wide > 2 ? wide : 2, bar_h, hsc_colour_at(f->colours, r->heat));
        hsc_canvas_frame(c, l->bar, y + (h - bar_h) / 2, l->bar_width, bar_h, 1, hsc_colour_mix(st->colour[HSC_P_faint], st->colour[HSC_P_muted], 0.5));
        hsc_number_short(r->count, l->shares ? 7 : 5, number);
        hsc_canvas_text(c, st->mono, l->count_right, base, HSC_RIGHT, st->colour[HSC_P_foreground], number);
        snprintf(share, sizeof share, "%.*f %%", r->share >= 0.0995 ? 1 : 2, 100 * r->share);
        if (l->shares)
            hsc_canvas_text(c, st->mono, l->share_right, base, HSC_RIGHT, st->colour[HSC_P_muted], share);
    }
    hsc_canvas_text(c, st->mono, l->address, base, HSC_LEFT, r->selected ? st->colour[HSC_P_accent] : st->colour[HSC_P_muted], r->address);
    if (f->bytes)
        hsc_canvas_text_fit(c, st->mono_small, l->bytes, base, l->arrows - l->bytes - 4, HSC_LEFT, st->colour[HSC_P_muted], r->bytes);
    /* up to where the place begins that stands on the right */
    double limit = f->places ? l->place_right - fmin(hsc_font_width(st->small, r->place) + hsc_canvas_dp(c, 10), hsc_canvas_dp(c, 120)) : l->place_right;
    const char *tab = strchr(r->text, '\t'), *rest = tab ? tab + 1 : "", *comment = strchr(rest, '\t');
    char word[80];
    snprintf(word, sizeof word, "%.*s", tab ? (int)(tab - r->text) : 79, r->text);
    hsc_rgb colour = r->flow == HSC_FLOW_NEXT ? st->colour[HSC_P_foreground] : r->flow == HSC_FLOW_CALL ? st->colour[HSC_P_warn] : st->colour[HSC_P_accent];
    double wide = hsc_canvas_text_fit(c, st->mono, l->text, base, limit - l->text, HSC_LEFT, colour, word);
    double x = l->text + wide + hsc_canvas_dp(c, 6) > l->operands ? l->text + wide + hsc_canvas_dp(c, 6) : l->operands;
    size_t n = comment ? (size_t)(comment - rest) : strlen(rest);
    paint_operands(c, st, rest, n, x, base, limit, r->flow);
    if (comment) {
        char note[300];
        hsc_text_clean(comment + 1, note, sizeof note);
        char used[300];
        snprintf(used, sizeof used, "%.*s", (int)(n < 299 ? n : 299), rest);
        x += hsc_font_width(st->mono, used) + hsc_canvas_dp(c, 16);
        if (x < limit - hsc_canvas_dp(c, 30))
            hsc_canvas_text_fit(c, st->mono, x, base, limit - x, HSC_LEFT, st->colour[HSC_P_muted], note);
    }
    if (f->places) {
        char place[128];
        hsc_canvas_text_fit(c, st->small, l->place_right, base, hsc_canvas_dp(c, 112), HSC_RIGHT,
                            r->of_line ? st->colour[HSC_P_foreground] : st->colour[HSC_P_muted],
                            end_of(st, r->place, hsc_canvas_dp(c, 112), place, sizeof place));
    }
}

static void paint_bracket(hsc_canvas *c, const hsc_style *st, const hsc_code_frame *f, const hsc_code_layout *l, const hsc_code_row *r, int y) {
    if (!r->bracket)
        return;
    int h = f->row_height, w = hsc_canvas_dp(c, r->of_loop ? 3 : 2);
    hsc_rgb colour = hsc_style_category(st, (uint32_t)(r->version < 0 ? 3 : r->version));
    int from = r->begins ? y + h / 2 : y, to = r->ends ? y + h / 2 : y + h;
    hsc_canvas_fill(c, l->bracket, from, w, to - from, colour);
    if (r->begins)
        hsc_canvas_fill(c, l->bracket, from, hsc_canvas_dp(c, 7), w, colour);
    if (r->ends)
        hsc_canvas_fill(c, l->bracket, to - w, hsc_canvas_dp(c, 7), w, colour);
}

static void paint_words(hsc_canvas *c, const hsc_style *st, const hsc_code_frame *f, const hsc_code_layout *l, const hsc_code_row *r, int y) {
    int h = f->row_height;
    double base = hsc_font_baseline(st->font, y, h), x = l->text;
    if (r->compared)
        paint_change(c, st, f, l, r, y);
    if (r->kind == HSC_CODE_PART) {
        hsc_canvas_fill(c, 0, y, c->width, h, st->colour[HSC_P_panel]);
        double wide = hsc_canvas_text_fit(c, st->mono, hsc_canvas_dp(c, 6), hsc_font_baseline(st->mono, y, h), c->width - 12, HSC_LEFT,
                                          st->colour[HSC_P_foreground], r->text);
        hsc_canvas_text_fit(c, st->font, hsc_canvas_dp(c, 20) + wide, base, c->width - wide - 30, HSC_LEFT, st->colour[HSC_P_muted], r->place);
    } else if (r->kind == HSC_CODE_LOOP) {
        hsc_rgb colour = hsc_style_category(st, (uint32_t)(r->version < 0 ? 3 : r->version));
        double wide = hsc_font_width(st->font, r->text) + hsc_canvas_dp(c, 10);
        double room = l->place_right - x;
        wide = wide < room ? wide : room;
        hsc_canvas_fill_round(c, x - hsc_canvas_dp(c, 2), y + 1, wide, h - 2, 3 * c->scale, colour);
        hsc_canvas_text_fit(c, st->font, x + hsc_canvas_dp(c, 3), base, wide - hsc_canvas_dp(c, 6), HSC_LEFT, hsc_colour_text_on(colour), r->text);
        if (r->place[0] && wide + hsc_canvas_dp(c, 60) < room)
            hsc_canvas_text_fit(c, st->font, x + wide + hsc_canvas_dp(c, 8), base, room - wide - hsc_canvas_dp(c, 8), HSC_LEFT,
                                st->colour[HSC_P_muted], r->place);
    } else {
        hsc_rgb colour = r->of_line ? st->colour[HSC_P_foreground] : hsc_colour_mix(st->colour[HSC_P_foreground], st->colour[HSC_P_muted], 0.7);
        double wide = hsc_canvas_text_fit(c, st->small, x, base, l->place_right - x, HSC_LEFT, st->colour[HSC_P_accent], r->place);
        hsc_canvas_text_fit(c, st->mono, x + wide + hsc_canvas_dp(c, 8), hsc_font_baseline(st->mono, y, h),
                            l->place_right - x - wide - hsc_canvas_dp(c, 8), HSC_LEFT, colour, r->text);
    }
}

/* Each in a lane of its own, as far as there are lanes; the head points to the right. */
static void paint_arrows(hsc_canvas *c, const hsc_style *st, const hsc_code_frame *f, const hsc_code_layout *l) {
    int lane = hsc_canvas_dp(c, 5), lanes = (l->arrows_right - l->arrows) / lane - 1;
    for (int i = 0; i < f->arrow_count; i++) {
        const hsc_code_arrow *a = &f->arrows[i];
        double middle = f->row_height / 2.0, from = f->header + a->from * (double)f->row_height + middle,
               to = f->header + a->to * (double)f->row_height + middle;
        int last = f->header + f->count * f->row_height;
        bool to_seen = a->to >= 0 && a->to < f->count, from_seen = a->from >= 0 && a->from < f->count;
        hsc_rgb colour = a->strong ? st->colour[HSC_P_accent] : st->colour[HSC_P_muted];
        double thick = (a->strong ? 1.8 : 1.0) * c->scale, x = l->arrows_right - (double)lane * (1 + i % (lanes > 0 ? lanes : 1));
        double y0 = from < f->header ? f->header : from > last ? last : from, y1 = to < f->header ? f->header : to > last ? last : to;
        if ((from < f->header && to < f->header) || (from > last && to > last))
            continue;
        if (from_seen)
            hsc_canvas_line(c, x, y0, l->arrows_right, y0, thick, colour);
        hsc_canvas_line(c, x, y0, x, y1, thick, colour);
        if (to_seen) {
            hsc_canvas_line(c, x, y1, l->arrows_right, y1, thick, colour);
            hsc_canvas_line(c, l->arrows_right - 4 * c->scale, y1 - 3 * c->scale, l->arrows_right, y1, thick, colour);
            hsc_canvas_line(c, l->arrows_right - 4 * c->scale, y1 + 3 * c->scale, l->arrows_right, y1, thick, colour);
        }
    }
}

static void paint_heading(hsc_canvas *c, const hsc_style *st, const hsc_code_frame *f, const hsc_code_layout *l) {
    double base = hsc_font_baseline(st->small, 0, f->header);
    hsc_rgb colour = st->colour[HSC_P_muted];
    hsc_canvas_text_fit(c, st->small, l->count_right, base, l->count_right - l->bar, HSC_RIGHT, colour, f->change ? f->change : f->unit);
    if (l->shares)
        hsc_canvas_text(c, st->small, l->share_right, base, HSC_RIGHT, colour, f->change ? "there" : "share");
    hsc_canvas_text(c, st->small, l->address, base, HSC_LEFT, colour, "address");
    if (f->bytes)
        hsc_canvas_text(c, st->small, l->bytes, base, HSC_LEFT, colour, "bytes");
    hsc_canvas_text(c, st->small, l->text, base, HSC_LEFT, colour, "instruction");
    if (f->places)
        hsc_canvas_text(c, st->small, l->place_right, base, HSC_RIGHT, colour, "line");
    hsc_canvas_fill(c, 0, f->header - 1, c->width, 1, st->colour[HSC_P_faint]);
}

void hsc_paint_code(hsc_canvas *c, const hsc_style *st, const hsc_code_frame *f) {
    hsc_code_layout l;
    hsc_code_layout_get(c, st, f, &l);
    hsc_canvas_clip(c, 0, f->header, c->width, c->height - f->header);
    for (int i = 0; i < f->count; i++) {
        const hsc_code_row *r = &f->rows[i];
        int y = f->header + i * f->row_height;
        if (r->of_line)
            hsc_canvas_fill(c, 0, y, c->width, f->row_height, hsc_colour_mix(st->colour[HSC_P_background], st->colour[HSC_P_lineband], 0.6));
        if (r->hit)
            hsc_canvas_fill(c, 0, y, hsc_canvas_dp(c, 4), f->row_height, st->colour[HSC_P_hit]);
        if (r->selected) {
            hsc_canvas_fill(c, 0, y, c->width, f->row_height, st->colour[HSC_P_accentsoft]);
            hsc_canvas_fill(c, 0, y, hsc_canvas_dp(c, 3), f->row_height, st->colour[HSC_P_accent]);
        }
        if (r->kind == HSC_CODE_INSTRUCTION)
            paint_instruction(c, st, f, &l, r, y);
        else
            paint_words(c, st, f, &l, r, y);
        paint_bracket(c, st, f, &l, r, y);
    }
    paint_arrows(c, st, f, &l);
    hsc_canvas_unclip(c);
    if (f->header)
        paint_heading(c, st, f, &l);
}
