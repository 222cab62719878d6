// What charts and maps share: see svg.h.
#include "reproduce/svg.h"

void ch_html_put(FILE* file, const char* text) {
  for (; text && *text; ++text) switch (*text) {
      case '&':
        fputs("&amp;", file);
        break;
      case '<':
        fputs("&lt;", file);
        break;
      case '>':
        fputs("&gt;", file);
        break;
      case '"':
        fputs("&quot;", file);
        break;
      case '\'':
        fputs("&#39;", file);
        break;
      default:
        if ((unsigned char)*text >= 0x20 || *text == '\n' || *text == '\t') fputc(*text, file);
    }
}

static void put_x_axis(FILE* file, const ChPlotFrame* f, const ChAxis* x, bool grid) {
  for (int k = 0; k < x->ticks; ++k) {
    double at = ch_axis_place(x, x->tick[k]);
    if (grid) fprintf(file, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>", at, f->top, f->bottom);
    fprintf(file, "<path class=\"tick\" d=\"M%.1f %.1fv4\"/><text class=\"x\" x=\"%.1f\" y=\"%.1f\">%s</text>", at,
            f->bottom, at, f->bottom + 15.0, x->label[k]);
  }
}

static void put_y_axis(FILE* file, const ChPlotFrame* f, const ChAxis* y, bool grid) {
  for (int k = 0; k < y->ticks; ++k) {
    double at = ch_axis_place(y, y->tick[k]);
    if (grid) fprintf(file, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>", f->left, at, f->right);
    fprintf(file, "<path class=\"tick\" d=\"M%.1f %.1fh-4\"/><text class=\"y\" x=\"%.1f\" y=\"%.1f\">%s</text>",
            f->left, at, f->left - 7.0, at + 3.5, y->label[k]);
  }
}

void ch_svg_frame(FILE* file, const ChPlotFrame* f, const ChAxis* x, const ChAxis* y, const char* x_label,
                  const char* y_label, bool grid) {
  fprintf(file, "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\">", f->width, f->height);
  put_x_axis(file, f, x, grid);
  put_y_axis(file, f, y, grid);
  fprintf(file, "<path class=\"axis\" d=\"M%.1f %.1fV%.1fH%.1f\"/>", f->left, f->top, f->bottom, f->right);
  fprintf(file, "<text class=\"x label\" x=\"%.1f\" y=\"%.1f\">", 0.5 * (f->left + f->right), f->height - 4.0);
  ch_html_put(file, x_label);
  fprintf(file, "</text><text class=\"x label\" transform=\"translate(11 %.1f) rotate(-90)\">",
          0.5 * (f->top + f->bottom));
  ch_html_put(file, y_label);
  fputs("</text>", file);
}
