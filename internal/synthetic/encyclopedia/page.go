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
	a.open("p", "")
	a.sentence(one(r, openings[e.kind]), e, fact{})
	told := e.facts
	for len(told) > 0 && told[0].page != nil {
		a.sentence(one(r, told[0].relation.say), e, told[0])
		told = told[1:]
	}
	a.note(r)
	a.close("p")
	if r.Chance(20) {
		a.heading(one(r, []string{"Life and work", "More", "Records"}))
	}
	a.open("p", "")
	for _, f := range draw.Shuffle(r, told) {
		a.sentence(one(r, f.relation.say), e, f)
		if r.Chance(25) {
			a.write(one(r, fillers) + " ")
		}
	}
	a.close("p")
	if r.Chance(long) {
		a.chronicle(r)
	}
	return Page{Name: path(e.name) + ".html", URL: url(e.name), HTML: w.around(r, e, a.html.String()), Title: e.name,
		Text: strings.Join(a.texts, " ")}
}

// longPercent is the percentage of pages with a chronicle, which makes them longer than a passage.
const long = 10

// article collects HTML and the texts between its tags.
type article struct {
	html, text strings.Builder
	texts      []string
}

func (a *article) write(text string) {
	a.html.WriteString(html.EscapeString(text))
	a.text.WriteString(text)
}

// tag ends a text and writes a tag.
func (a *article) tag(tag string) {
	if text := strings.TrimSpace(a.text.String()); text != "" {
		a.texts = append(a.texts, text)
	}
	a.text.Reset()
	a.html.WriteString(tag)
}

func (a *article) open(tag, attributes string) { a.tag("<" + tag + attributes + ">") }

func (a *article) close(tag string) { a.tag("</" + tag + ">\n") }

// aside writes an element that does not belong to the article.
func (a *article) aside(element string) { a.tag(element) }

// sentence fills in a sentence about a subject. The value becomes a link if it has a page.
func (a *article) sentence(say string, e *entity, f fact) {
	subject := e.said()
	if strings.HasPrefix(say, "$s") {
		subject = strings.ToUpper(subject[:1]) + subject[1:]
	}
	before, after, _ := strings.Cut(strings.ReplaceAll(say, "$s", subject), "$a")
	a.write(before)
	switch {
	case f.page != nil:
		a.open("a", fmt.Sprintf(" href=%q", path(f.page.name)+".html"))
		a.write(f.page.name)
		a.tag("</a>")
	default:
		a.write(f.value)
	}
	a.write(after + " ")
}

// note writes a reference mark after a sentence.
func (a *article) note(r *draw.Random) {
	a.aside(fmt.Sprintf(`<sup class="reference">[%d]</sup>`, r.Between(1, 9)))
}

func (a *article) heading(text string) {
	a.open("h2", "")
	a.write(text)
	a.aside(`<span class="mw-editsection">[edit]</span>`)
	a.close("h2")
}

// Minimum and maximum number of entries of a chronicle.
const entriesLeast, entriesMost = 12, 24

func (a *article) chronicle(r *draw.Random) {
	a.heading("Chronicle")
	a.open("p", "")
	for range r.Between(entriesLeast, entriesMost) {
		a.write(strings.ReplaceAll(one(r, chronicle), "$y", fmt.Sprint(r.Between(1702, 1968))) + " ")
	}
	a.close("p")
}

// around returns the complete page for an article.
func (w *World) around(r *draw.Random, e *entity, article string) []byte {
	other := func() string { return w.entities[r.Below(len(w.entities))].name }
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
