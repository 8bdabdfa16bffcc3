package passages

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// ErrPage is a page that gives no text because it cannot be read: bytes that are not UTF-8, elements nested too deep.
var ErrPage = errors.New("the page cannot be read")

// PageText returns the text of a page's content: without scripts, navigation, references and notes, in the normal form
// NFKC, with a space behind each mark of punctuation that stands before a letter. A page that cannot be read is
// ErrPage, and has no text.
func PageText(page []byte) (string, error) {
	if !utf8.Valid(page) {
		return "", fmt.Errorf("%w: it is not UTF-8", ErrPage)
	}
	root, err := html.ParseWithOptions(bytes.NewReader(page), html.ParseOptionEnableScripting(false))
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrPage, err)
	}
	root = pruneTree(root)
	var texts []string
	for _, way := range contents {
		if n := findFirst(root, way); n != nil {
			return cleanText(strings.Join(appendTexts(texts, n), " ")), nil
		}
	}
	return cleanText(strings.Join(appendTexts(texts, root), " ")), nil
}

// selectorPath is a path of selectors: an element that matches the last one, within one that matches that before it.
type selectorPath []string

// contents are where the content of a page is, the likeliest place first.
var contents = []selectorPath{
	{"#mw-content-text", ".mw-parser-output"}, {"#mw-content-text"}, {"main"}, {"article"}, {".content"}, {"#content"},
	{"body"},
}

// noise is what is no content.
var noise = []selectorPath{
	{"script"}, {"style"}, {"nav"}, {"header"}, {"footer"},
	{"#mw-navigation"}, {".navbox"}, {".navigation-box"}, {".ambox"}, {".tmbox"},
	{".mw-editsection"}, {".edit-section"}, {".editlink"}, {".reference"}, {".citation"},
	{".hatnote"}, {".dablink"}, {".rellink"}, {"#catlinks"}, {".catlinks"}, {".external-links"}, {"#toc"}, {".toc"},
	{".thumbcaption", ".metadata"}, {".image-metadata"},
}

// pruneTree takes all noise out of a tree, and what templates hold, which is no text.
func pruneTree(root *html.Node) *html.Node {
	isNoise := func(n *html.Node) bool {
		return n.Data == "template" || slices.ContainsFunc(noise, func(w selectorPath) bool { return w.leadsTo(n) })
	}
	var gone []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && isNoise(n) {
			gone = append(gone, n)
		}
	}
	for _, n := range gone {
		if n.Parent != nil {
			n.Parent.RemoveChild(n)
		}
	}
	return root
}

// findFirst returns the first element that a path leads to, in the order of the page.
func findFirst(root *html.Node, w selectorPath) *html.Node {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && w.leadsTo(n) {
			return n
		}
	}
	return nil
}

// leadsTo tells whether the path leads to an element.
func (w selectorPath) leadsTo(n *html.Node) bool {
	last := len(w) - 1
	if !matchesSelector(n, w[last]) {
		return false
	}
	if last == 0 {
		return true
	}
	for up := range n.Ancestors() {
		if up.Type == html.ElementNode && w[:last].leadsTo(up) {
			return true
		}
	}
	return false
}

// matchesSelector tells whether an element is what a selector says: #id, .class, or a tag.
func matchesSelector(n *html.Node, selector string) bool {
	name := selector[1:]
	switch selector[0] {
	case '#':
		return attributeOf(n, "id") == name
	case '.':
		return slices.Contains(strings.Fields(attributeOf(n, "class")), name)
	}
	return n.Data == selector
}

func attributeOf(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Namespace == "" && a.Key == key {
			return a.Val
		}
	}
	return ""
}

// appendTexts appends the texts within an element that are more than white space.
func appendTexts(texts []string, root *html.Node) []string {
	for n := range root.Descendants() {
		if n.Type != html.TextNode {
			continue
		}
		if text := pystr.Trim(n.Data); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}
