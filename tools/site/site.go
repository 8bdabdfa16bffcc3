package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

//go:embed page.html
var pageText string

// patterns returns the patterns of the documents that become pages, relative to the top of the checkout.
func patterns() []string { return []string{"*.md", "docs/*.md", "docs/decisions/*.md"} }

// writeSite writes the pages of the checkout at top, the pictures of docs/, and index.html into the folder out.
func writeSite(top, out string) error {
	page, err := template.New("page").Parse(pageText)
	if err != nil {
		return err
	}
	names, err := findDocuments(top)
	if err != nil {
		return err
	}
	pages := map[string]bool{}
	for _, name := range names {
		pages[name] = true
	}
	for _, name := range names {
		source, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		content, err := renderPage(page, name, source, pages)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := writeFile(out, htmlName(name), content); err != nil {
			return err
		}
	}
	if err := copyPictures(top, out); err != nil {
		return err
	}
	start := `<!DOCTYPE html><meta http-equiv="refresh" content="0; url=README.html"><a href="README.html">Plumbline</a>`
	return writeFile(out, "index.html", []byte(start+"\n"))
}

func findDocuments(top string) ([]string, error) {
	var names []string
	for _, pattern := range patterns() {
		found, err := filepath.Glob(filepath.Join(top, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		for _, file := range found {
			name, err := filepath.Rel(top, file)
			if err != nil {
				return nil, err
			}
			names = append(names, filepath.ToSlash(name))
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s contains no documents: run this at the top of the checkout", top)
	}
	return names, nil
}

func copyPictures(top, out string) error {
	pictures, err := filepath.Glob(filepath.Join(top, "docs", "*.png"))
	if err != nil {
		return err
	}
	for _, picture := range pictures {
		content, err := os.ReadFile(picture)
		if err != nil {
			return err
		}
		if err := writeFile(out, path.Join("docs", filepath.Base(picture)), content); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(out, name string, content []byte) error {
	file := filepath.Join(out, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, content, 0o644)
}

func htmlName(name string) string { return strings.TrimSuffix(name, ".md") + ".html" }

// renderPage returns the page of a document.
func renderPage(page *template.Template, name string, source []byte, pages map[string]bool) ([]byte, error) {
	md := goldmark.New(
		goldmark.WithExtensions(extension.Table),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(html.WithUnsafe()), // the README contains its picture as HTML
	)
	context := parser.NewContext(parser.WithIDs(anchors{}))
	document := md.Parser().Parse(text.NewReader(source), parser.WithContext(context))
	if err := relink(document, name, pages); err != nil {
		return nil, err
	}
	var body, content bytes.Buffer
	if err := md.Renderer().Render(&body, source, document); err != nil {
		return nil, err
	}
	err := page.Execute(&content, map[string]any{
		"Title": findTitle(source), "Top": strings.Repeat("../", strings.Count(name, "/")),
		"Body": template.HTML(body.String()),
	})
	return content.Bytes(), err
}

// findTitle returns the first heading of a document.
func findTitle(source []byte) string {
	line, _, _ := bytes.Cut(source, []byte("\n"))
	return strings.TrimLeft(string(line), "# ")
}

// relink replaces links to other documents by links to their pages. A link to a file that is not on the site becomes
// its text.
func relink(document ast.Node, name string, pages map[string]bool) error {
	var links []*ast.Link
	err := ast.Walk(document, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if link, ok := node.(*ast.Link); ok && entering {
			links = append(links, link)
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return err
	}
	for _, link := range links {
		target, err := url.Parse(string(link.Destination))
		if err != nil {
			return err
		}
		if target.Scheme != "" || target.Path == "" {
			continue
		}
		file := path.Join(path.Dir(name), target.Path)
		switch {
		case pages[file]:
			target.Path = htmlName(target.Path)
			link.Destination = []byte(target.String())
		case pages[path.Join(file, "README.md")]:
			target.Path = path.Join(target.Path, "README.html")
			link.Destination = []byte(target.String())
		default:
			unlink(link)
		}
	}
	return nil
}

// unlink replaces a link by its content.
func unlink(link *ast.Link) {
	parent := link.Parent()
	for child := link.FirstChild(); child != nil; child = link.FirstChild() {
		parent.InsertBefore(parent, link, child)
	}
	parent.RemoveChild(parent, link)
}

// anchors names headings in the same way as GitHub, so that the links of the documents also work on the site.
type anchors struct{}

// Generate implements parser.IDs.
func (anchors) Generate(title []byte, _ ast.NodeKind) []byte {
	return []byte(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		}
		return -1
	}, strings.TrimSpace(string(title))))
}

// Put implements parser.IDs. It does nothing, because the documents do not name headings themselves.
func (anchors) Put([]byte) {}
