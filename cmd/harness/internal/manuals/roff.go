package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
)

// page is a manual page: what the command's help says, with all flags, in the macros of man(7).
type page struct {
	version string
	date    time.Time
}

// name is the page's: "harness-submission-run".
func name(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// write writes the page of a command.
func (p page) write(w io.Writer, c *cobra.Command) error {
	h := shell.HelpOf(c, true)
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 %s %s Plumbline\n", quoted(strings.ToUpper(name(c))),
		p.date.Format("2006-01-02"), quoted("Plumbline "+p.version)) // who reads the date reads no escaped dashes
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", text(name(c)), text(h.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", text(h.Usage))
	b.WriteString(".SH DESCRIPTION\n")
	for i, part := range h.About {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		if part.Text != "" {
			b.WriteString(text(part.Text) + "\n")
		}
		for _, item := range part.Items {
			tagged(&b, item)
		}
	}
	for _, g := range h.Flags {
		fmt.Fprintf(&b, ".SH %s\n", quoted(strings.ToUpper(g.Title)))
		for _, f := range g.Flags {
			tagged(&b, f)
		}
	}
	if len(h.Examples) > 0 {
		b.WriteString(".SH EXAMPLES\n")
		for _, e := range h.Examples {
			tagged(&b, e)
		}
	}
	if related := related(c); len(related) > 0 {
		fmt.Fprintf(&b, ".SH \"SEE ALSO\"\n%s\n", strings.Join(related, ",\n"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// tagged is a paragraph with a heading of its own.
func tagged(b *strings.Builder, i shell.Item) {
	fmt.Fprintf(b, ".TP\n.B %s\n%s\n", text(i.Name), text(i.Text))
}

// related are the pages of the command above, and of those below.
func related(c *cobra.Command) (all []string) {
	add := func(c *cobra.Command) { all = append(all, fmt.Sprintf(".BR %s (1)", text(name(c)))) }
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

// text is text as troff shows it: dashes are those that are typed, and no line is a request.
func text(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ").Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}

// quoted is one argument of a request.
func quoted(s string) string { return `"` + strings.ReplaceAll(text(s), `"`, `\(dq`) + `"` }
