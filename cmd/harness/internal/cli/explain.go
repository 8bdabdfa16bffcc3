package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/explain"
	"github.com/plumbline-ml/plumbline/internal/table"
	"github.com/plumbline-ml/plumbline/internal/terminal"
	"github.com/plumbline-ml/plumbline/sdk"
)

const explainHelp = `Explain a rule, a metric, a setting, a flag or an exit code: its meaning, formula, source and place
in the code. Write a flag without its dashes. Without a word, the command lists all words by kind.

  harness explain min_duration     a rule, and a setting
  harness explain ttft.p99         a metric
  harness explain slo --json       a flag, as JSON
  harness explain 3                an exit code`

// explainCommand returns the command "harness explain".
func explainCommand(a *shell.App) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "explain [RULE|METRIC|FLAG|CODE]", Short: "Explain a rule, a metric, a setting, a flag or an exit code",
		Long: explainHelp,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return shell.RequireOneArgument("a word such as min_duration")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			found, err := explain.AllEntries(c.Root())
			if err != nil {
				return err
			}
			if len(args) > 0 {
				if found, err = explain.FindEntries(found, args[0]); err != nil {
					return sdk.Usage(err)
				}
			}
			switch {
			case asJSON:
				return writeJSON(a.Data, found)
			case len(args) == 0:
				return writeWords(a.Stdout, found)
			}
			return writeEntries(a.Stdout, found)
		},
	}
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		var unknown *pflag.NotExistError
		text := c.Root().FlagErrorFunc()(c, err)
		if errors.As(err, &unknown) {
			return fmt.Errorf("%w; to explain a flag, name it without dashes", text)
		}
		return text
	})
	c.Flags().BoolVar(&asJSON, "json", false, "print the entries as JSON")
	return c
}

func writeJSON(w io.Writer, entries []explain.WordEntry) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(entries)
}

// writeWords lists the words of each kind.
func writeWords(w io.Writer, entries []explain.WordEntry) error {
	t := table.Table{Indent: "  "}
	for _, kind := range explain.Kinds() {
		var of []explain.WordEntry
		for _, e := range entries {
			if e.Kind == kind {
				of = append(of, e)
			}
		}
		t.Title(string(kind) + ": " + kind.About())
		var words []string
		for _, e := range of {
			if !slices.Contains(words, e.Word) {
				words = append(words, e.Word)
			}
		}
		t.Row(strings.Join(words, ", "))
	}
	_, err := t.WriteTo(w)
	return err
}

// writeEntries prints all meanings of a word.
func writeEntries(w io.Writer, entries []explain.WordEntry) error {
	for i, e := range entries {
		if i > 0 {
			fmt.Fprintln(w)
		}
		terminal.WriterTo(w).Print(terminal.Span{Style: terminal.Heading, Text: e.Word}, ": "+e.Kind.About()+"\n")
		t := table.Table{Indent: "  "}
		for _, row := range [][2]string{
			{"meaning", e.Meaning}, {"formula", e.Formula}, {"unit", e.Unit}, {"better", e.Better}, {"applies to", e.Applies},
			{"values", e.Values}, {"also", strings.Join(e.Also, ", ")}, {"source", e.Source},
			{"code", e.Code.Package + ", " + e.Code.Name}, {"page", e.Page},
		} {
			if row[1] != "" {
				t.Row(row[0], row[1])
			}
		}
		if _, err := t.WriteTo(w); err != nil {
			return err
		}
	}
	return nil
}

// explainedWords returns the words that can be explained, each with its kind.
func explainedWords(c *cobra.Command, args []string) []string {
	entries, err := explain.AllEntries(c.Root())
	if err != nil || len(args) > 0 {
		return nil
	}
	var all []string
	for _, e := range entries {
		if w := e.Word + "\t" + e.Kind.About(); !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	return all
}
