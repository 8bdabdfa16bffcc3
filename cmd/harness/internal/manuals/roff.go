package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
)

// manualWriter writes manual pages in the macros of man(7). A page contains the command's help and all flags.
type manualWriter struct {
	version string
	date    time.Time
}

// pageName returns the name of a command's page: "harness-submission-run".
func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// writePage writes the page of a command.
func (p manualWriter) writePage(w io.Writer, c *cobra.Command) error {
	h := shell.NewHelp(c, true)
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 %s %s Plumbline\n", quoteArgument(strings.ToUpper(pageName(c))),
		p.date.Format("2006-01-02"), quoteArgument("Plumbline "+p.version)) // dates do not need escaped dashes
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", troffText(pageName(c)), troffText(h.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", troffText(h.Usage))
	b.WriteString(".SH DESCRIPTION\n")
	for i, part := range h.About {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		if part.Text != "" {
			b.WriteString(troffText(part.Text) + "\n")
		}
		for _, item := range part.Items {
			writeTagged(&b, item)
		}
	}
	for _, g := range h.Flags {
		fmt.Fprintf(&b, ".SH %s\n", quoteArgument(strings.ToUpper(g.Title)))
		for _, f := range g.Flags {
			writeTagged(&b, f)
		}
	}
	if len(h.Examples) > 0 {
		b.WriteString(".SH EXAMPLES\n")
		for _, e := range h.Examples {
			writeTagged(&b, e)
		}
	}
	if related := relatedPages(c); len(related) > 0 {
		fmt.Fprintf(&b, ".SH \"SEE ALSO\"\n%s\n", strings.Join(related, ",\n"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeTagged writes a paragraph with its own heading.
func writeTagged(b *strings.Builder, i shell.HelpItem) {
	fmt.Fprintf(b, ".TP\n.B %s\n%s\n", troffText(i.Name), troffText(i.Text))
}

// relatedPages returns the pages of the parent command and the subcommands.
func relatedPages(c *cobra.Command) (all []string) {
	add := func(c *cobra.Command) { all = append(all, fmt.Sprintf(".BR %s (1)", troffText(pageName(c)))) }
	if c.HasParent() {
		add(c.Parent())
	}
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() {
			add(below)
		}
	}
	return all
}

// troffText escapes text for troff: dashes stay ASCII dashes, and no line becomes a request.
func troffText(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ").Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}

// quoteArgument quotes one argument of a request.
func quoteArgument(s string) string { return `"` + strings.ReplaceAll(troffText(s), `"`, `\(dq`) + `"` }
