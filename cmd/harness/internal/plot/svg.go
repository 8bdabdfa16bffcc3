package plot

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"math"
	"strconv"
)

// SVG returns the chart as an element for a page with CSS and Light or Dark. It has no title, because the page shows
// it.
func (c Chart) SVG() ([]byte, error) {
	s := c.layOut(false)
	if err := s.checkPlaces(); err != nil {
		return nil, fmt.Errorf("chart %s: %w", c.ID, err)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "<svg class=\"plot\" viewBox=\"0 0 %s %s\" role=\"img\" aria-label=\"%s\">\n", formatShort(s.w),
		formatShort(s.h), html.EscapeString(c.Title+": "+c.Alt))
	s.writeSVG(&out)
	out.WriteString("</svg>\n")
	return out.Bytes(), nil
}

// margin is the space around a standalone picture.
const margin = 14

// WriteSVG writes the chart with its title as a standalone file. It follows the viewer's light or dark mode.
func (c Chart) WriteSVG(w io.Writer) error {
	s := c.layOut(true)
	if err := s.checkPlaces(); err != nil {
		return fmt.Errorf("chart %s: %w", c.ID, err)
	}
	var out bytes.Buffer
	wide, high := s.w+2*margin, s.h+2*margin
	fmt.Fprintf(&out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" width=\"%s\" height=\"%s\" "+
		"viewBox=\"%d %d %s %s\" role=\"img\" aria-label=\"%s\">\n", formatShort(2*wide), formatShort(2*high), -margin,
		-margin,
		formatShort(wide), formatShort(high), html.EscapeString(c.Title+": "+c.Alt))
	out.WriteString("<style>svg{" + Light + "background:var(--plot-back)}@media(prefers-color-scheme:dark){svg{" + Dark +
		"}}" + CSS + "</style>\n<title>" + html.EscapeString(c.Title) + "</title>\n")
	s.writeSVG(&out)
	out.WriteString("</svg>\n")
	_, err := w.Write(out.Bytes())
	return err
}

// checkPlaces returns an error if a position is NaN or infinite.
func (s *drawnScene) checkPlaces() error {
	for _, p := range s.paths {
		for _, part := range p.parts {
			for _, at := range part {
				if isBad(at.x) || isBad(at.y) {
					return fmt.Errorf("a %s of values that are no numbers", p.ink.class)
				}
			}
		}
	}
	return nil
}

func isBad(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }

// writeSVG writes the contents of the element. It uses CSS classes instead of colours and avoids the attribute style,
// which a page's Content-Security-Policy would have to allow.
func (s *drawnScene) writeSVG(out *bytes.Buffer) {
	for _, p := range s.paths {
		p.writeSVG(out)
	}
	for _, t := range s.texts {
		t.writeSVG(out)
	}
	for _, h := range s.hovers {
		fmt.Fprintf(out, "<rect class=\"ph\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\"><title>%s</title></rect>\n",
			formatShort(h.left), formatShort(h.top), formatShort(h.right-h.left), formatShort(h.bottom-h.top),
			html.EscapeString(h.words))
	}
}

func (p scenePath) writeSVG(out *bytes.Buffer) {
	switch {
	case p.fill:
		fmt.Fprintf(out, `<path class="f %s" d="`, p.ink.class)
	case p.dots:
		fmt.Fprintf(out, `<path class="d %s" stroke-width="%s" d="`, p.ink.class, formatShort(p.width))
	default:
		fmt.Fprintf(out, `<path class="%s" stroke-width="%s"`, p.ink.class, formatShort(p.width))
		if len(p.dash) > 0 {
			fmt.Fprintf(out, ` stroke-dasharray="%s %s"`, formatShort(p.dash[0]), formatShort(p.dash[1]))
		}
		out.WriteString(` d="`)
	}
	for _, part := range p.parts {
		for i, at := range part {
			switch {
			case i == 0 || p.dots:
				out.WriteByte('M')
			case i == 1:
				out.WriteByte('L')
			default:
				out.WriteByte(' ')
			}
			out.WriteString(formatShort(at.x) + " " + formatShort(at.y))
			if p.dots {
				out.WriteString("h0")
			}
		}
		if p.fill {
			out.WriteByte('Z')
		}
	}
	out.WriteString("\"/>\n")
}

// writeSVG writes the text with a fixed width that does not depend on the viewer's font.
func (w sceneText) writeSVG(out *bytes.Buffer) {
	class := w.ink.class
	if w.class != "" {
		class += " " + w.class
	}
	switch w.anchor {
	case middle:
		class += " m"
	case end:
		class += " e"
	case start:
	}
	if w.halo {
		class += " o"
	}
	fmt.Fprintf(out, `<text class="%s" x="%s" y="%s" textLength="%s" lengthAdjust="spacingAndGlyphs">%s</text>`+"\n",
		class, formatShort(w.x), formatShort(w.y), formatShort(w.textWidth(w.text)), html.EscapeString(w.text))
}

// formatShort formats a number with up to one decimal.
func formatShort(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }
