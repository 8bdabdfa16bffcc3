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

// ErrPage means that a page cannot be read, because its bytes are not UTF-8 or its elements are nested too deep.
var ErrPage = errors.New("the page cannot be read")

// PageText returns the text of a page's content without scripts, navigation, references and notes. It is in Unicode
// normal form NFKC, with a space between a punctuation mark and a letter that follows it. If the page cannot be read,
// the error wraps ErrPage and the text is empty.
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
	for _, way := range contentPaths {
		if n := findFirst(root, way); n != nil {
			return cleanText(strings.Join(appendTexts(texts, n), " ")), nil
		}
	}
	return cleanText(strings.Join(appendTexts(texts, root), " ")), nil
}

// selectorPath is a path of selectors. An element matches if it matches the last selector and is inside an element that
// matches the selector before it, and so on.
type selectorPath []string

// contentPaths lists where a page may contain its content, the most likely place first.
var contentPaths = []selectorPath{
	{"#mw-content-text", ".mw-parser-output"}, {"#mw-content-text"}, {"main"}, {"article"}, {".content"}, {"#content"},
	{"body"},
}

// noisePaths lists elements that are not content.
var noisePaths = []selectorPath{
	{"script"}, {"style"}, {"nav"}, {"header"}, {"footer"},
	{"#mw-navigation"}, {".navbox"}, {".navigation-box"}, {".ambox"}, {".tmbox"},
	{".mw-editsection"}, {".edit-section"}, {".editlink"}, {".reference"}, {".citation"},
	{".hatnote"}, {".dablink"}, {".rellink"}, {"#catlinks"}, {".catlinks"}, {".external-links"}, {"#toc"}, {".toc"},
	{".thumbcaption", ".metadata"}, {".image-metadata"},
}

// pruneTree removes all noise from a tree, and the content of templates, which is not text.
func pruneTree(root *html.Node) *html.Node {
	isNoise := func(n *html.Node) bool {
		return n.Data == "template" || slices.ContainsFunc(noisePaths, func(w selectorPath) bool { return w.matches(n) })
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

// findFirst returns the first element that a path matches, in document order.
func findFirst(root *html.Node, path selectorPath) *html.Node {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && path.matches(n) {
			return n
		}
	}
	return nil
}

// matches reports whether the path matches an element.
func (w selectorPath) matches(n *html.Node) bool {
	last := len(w) - 1
	if !matchesSelector(n, w[last]) {
		return false
	}
	if last == 0 {
		return true
	}
	for up := range n.Ancestors() {
		if up.Type == html.ElementNode && w[:last].matches(up) {
			return true
		}
	}
	return false
}

// matchesSelector reports whether an element matches a selector: #id, .class, or a tag.
func matchesSelector(n *html.Node, selector string) bool {
	name := selector[1:]
	switch selector[0] {
	case '#':
		return attributeValue(n, "id") == name
	case '.':
		return slices.Contains(strings.Fields(attributeValue(n, "class")), name)
	}
	return n.Data == selector
}

func attributeValue(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Namespace == "" && a.Key == key {
			return a.Val
		}
	}
	return ""
}

// appendTexts appends the texts inside an element, except white space.
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
