package encyclopedia

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

// Page is an article.
type Page struct { // name of its file: "Aldburg.html"
	Name  string // of its file: "Aldburg.html"
	URL   string
	HTML  []byte // well-formed page; navigation, notes and lists around the article do not belong to it
	Title string
	Text  string // text of the article: the texts between its tags, trimmed and joined by one space
}

// Pages returns all pages, in the order of their files' names.
func (w *World) Pages() []Page {
	pages := make([]Page, 0, len(w.entities))
	for i := range w.entities {
		pages = append(pages, w.page(i))
	}
	slices.SortFunc(pages, func(a, b Page) int { return cmp.Compare(a.Name, b.Name) })
	return pages
}

func path(name string) string { return strings.ReplaceAll(name, " ", "_") }

// site is the address of the pages. The domain never exists (RFC 2606).
const site = "https://encyclopedia.invalid/wiki/"

func url(name string) string { return site + path(name) }

func (w *World) page(i int) Page {
	e, r := w.entities[i], draw.NewRandom(w.seed, pageStream, uint64(i))
	var a article
	a.openTag("p", "")
	a.writeSentence(drawOne(r, openings[e.kind]), e, fact{})
	told := e.facts
	for len(told) > 0 && told[0].page != nil {
		a.writeSentence(drawOne(r, told[0].relation.sentences), e, told[0])
		told = told[1:]
	}
	a.writeNote(r)
	a.closeTag("p")
	if r.Chance(20) {
		a.writeHeading(drawOne(r, []string{"Life and work", "More", "Records"}))
	}
	a.openTag("p", "")
	for _, f := range draw.Shuffle(r, told) {
		a.writeSentence(drawOne(r, f.relation.sentences), e, f)
		if r.Chance(25) {
			a.write(drawOne(r, fillers) + " ")
		}
	}
	a.closeTag("p")
	if r.Chance(longPercent) {
		a.writeChronicle(r)
	}
	return Page{Name: path(e.name) + ".html", URL: url(e.name), HTML: w.completePage(r, e, a.html.String()), Title: e.name,
		Text: strings.Join(a.texts, " ")}
}

// longPercent is the percentage of pages with a chronicle, which makes them longer than a passage.
const longPercent = 10

// article collects HTML and the texts between its tags.
type article struct {
	html, text strings.Builder
	texts      []string
}

func (a *article) write(text string) {
	a.html.WriteString(html.EscapeString(text))
	a.text.WriteString(text)
}

// writeTag ends a text and writes a tag.
func (a *article) writeTag(tag string) {
	if text := strings.TrimSpace(a.text.String()); text != "" {
		a.texts = append(a.texts, text)
	}
	a.text.Reset()
	a.html.WriteString(tag)
}

func (a *article) openTag(tag, attributes string) { a.writeTag("<" + tag + attributes + ">") }

func (a *article) closeTag(tag string) { a.writeTag("</" + tag + ">\n") }

// writeAside writes an element that does not belong to the article.
func (a *article) writeAside(element string) { a.writeTag(element) }

// writeSentence fills in a sentence about a subject. The value becomes a link if it has a page.
func (a *article) writeSentence(say string, e *entity, f fact) {
	subject := e.nameInSentence()
	if strings.HasPrefix(say, "$s") {
		subject = strings.ToUpper(subject[:1]) + subject[1:]
	}
	before, after, _ := strings.Cut(strings.ReplaceAll(say, "$s", subject), "$a")
	a.write(before)
	switch {
	case f.page != nil:
		a.openTag("a", fmt.Sprintf(" href=%q", path(f.page.name)+".html"))
		a.write(f.page.name)
		a.writeTag("</a>")
	default:
		a.write(f.value)
	}
	a.write(after + " ")
}

// writeNote writes a reference mark after a sentence.
func (a *article) writeNote(r *draw.Random) {
	a.writeAside(fmt.Sprintf(`<sup class="reference">[%d]</sup>`, r.IntBetween(1, 9)))
}

func (a *article) writeHeading(text string) {
	a.openTag("h2", "")
	a.write(text)
	a.writeAside(`<span class="mw-editsection">[edit]</span>`)
	a.closeTag("h2")
}

// Minimum and maximum number of entries of a chronicle.
const minEntries, maxEntries = 12, 24

func (a *article) writeChronicle(r *draw.Random) {
	a.writeHeading("Chronicle")
	a.openTag("p", "")
	for range r.IntBetween(minEntries, maxEntries) {
		a.write(strings.ReplaceAll(drawOne(r, chronicle), "$y", fmt.Sprint(r.IntBetween(1702, 1968))) + " ")
	}
	a.closeTag("p")
}

// completePage returns the complete page for an article.
func (w *World) completePage(r *draw.Random, e *entity, article string) []byte {
	other := func() string { return w.entities[r.IntBelow(len(w.entities))].name }
	var box []string
	for range 8 {
		name := other()
		box = append(box, fmt.Sprintf("<li><a href=%q>%s</a></li>", path(name)+".html", html.EscapeString(name)))
	}
	return fmt.Appendf(nil, frame, e.name, other(), other(), e.name, other(), article, strings.Join(box, ""), other())
}

const frame = `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>%s</title><style>p { margin: 1em }</style></head>
<body>
<nav><ul><li>%s</li><li>%s</li></ul></nav>
<header><h1>%s</h1></header>
<div id="mw-content-text"><div class="mw-parser-output">
<div class="hatnote">For the other meaning, see %s.</div>
%s<div class="navbox"><ul>%s</ul></div>
</div></div>
<div id="catlinks" class="catlinks">Pages like %s</div>
<footer>All of this is made up.</footer>
<script>var made = "up";</script>
</body>
</html>
`
