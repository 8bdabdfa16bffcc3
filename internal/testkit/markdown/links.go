// Package markdown reads the documents of the project for tests: it follows their links to files and headings, and
// extracts their commands. It does not access the network.
package markdown

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
)

// linkPattern is a link of Markdown: [text](TARGET).
var linkPattern = regexp.MustCompile(`\]\(([^()\s]+)\)`)

// DeadLinks returns the links of documents without a target, with the reasons. If within, a folder, is not empty, links
// out of it are also dead.
func DeadLinks(documents []string, within string) ([]string, error) {
	var dead []string
	for _, document := range documents {
		text, err := os.ReadFile(document)
		if err != nil {
			return nil, err
		}
		for _, match := range linkPattern.FindAllStringSubmatch(string(text), -1) {
			reason, err := checkLink(document, match[1], within)
			if err != nil {
				return nil, err
			}
			if reason != "" {
				dead = append(dead, fmt.Sprintf("%s: the link to %s: %s", document, match[1], reason))
			}
		}
	}
	return dead, nil
}

// checkLink returns the reason why a link has no target, or an empty text.
func checkLink(document, target, within string) (reason string, err error) {
	if strings.Contains(target, "://") || !strings.ContainsAny(target, "./#") {
		return "", nil
	}
	file, anchor, _ := strings.Cut(target, "#")
	path := document
	if file != "" {
		path = filepath.Join(filepath.Dir(document), filepath.FromSlash(file))
	}
	if within != "" {
		if inside, err := filepath.Rel(within, path); err != nil || !filepath.IsLocal(inside) {
			return "it leads out of " + within, nil
		}
	}
	if _, err := os.Stat(path); err != nil {
		return err.Error(), nil
	}
	if anchor == "" {
		return "", nil
	}
	text, err := os.ReadFile(path)
	if err == nil && !hasHeading(string(text), anchor) {
		reason = path + " has no such heading"
	}
	return reason, err
}

// hasHeading reports whether a document contains the heading of an anchor in GitHub's naming.
func hasHeading(text, anchor string) bool {
	for line := range strings.Lines(text) {
		title := strings.TrimLeft(line, "#")
		if title != line && strings.HasPrefix(title, " ") && anchorOf(strings.TrimSpace(title)) == anchor {
			return true
		}
	}
	return false
}

func anchorOf(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		}
		return -1
	}, title)
}
