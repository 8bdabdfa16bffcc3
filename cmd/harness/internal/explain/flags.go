package explain

import (
	"cmp"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/bench"
)

// modulePrefix is the prefix of the import paths of this project.
const modulePrefix = "github.com/plumbline-ml/plumbline/"

// flagEntries returns one entry for each meaning of a flag, with the commands that use this meaning.
func flagEntries(root *cobra.Command) []WordEntry {
	var all []WordEntry
	visitCommands(root, func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			e := flagEntry(c, f)
			same := slices.IndexFunc(all, func(o WordEntry) bool { return o.Word == e.Word && o.Meaning == e.Meaning })
			switch {
			case f.Hidden, f.Name == "help":
			case same < 0:
				all = append(all, e)
			case c == root || f != root.PersistentFlags().Lookup(f.Name): // other commands inherit the root's flags
				all[same].Applies += ", " + e.Applies
			}
		})
	})
	slices.SortStableFunc(all, func(a, b WordEntry) int { return cmp.Compare(a.Word, b.Word) })
	return all
}

// visitCommands calls visit for the commands that help lists.
func visitCommands(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() {
			visitCommands(below, visit)
		}
	}
}

func flagEntry(c *cobra.Command, f *pflag.Flag) WordEntry {
	placeholder, usage := pflag.UnquoteUsage(f)
	e := WordEntry{
		Word: f.Name, Kind: Flag, Meaning: strings.Join(strings.Fields(usage), " "), Applies: c.CommandPath(),
		Code: constructorOf(c),
	}
	if placeholder != "" {
		e.Values = placeholder
	}
	if field := requestField(f); field != "" {
		e.Code = parsePlace(field)
	}
	return e
}

// requestField returns the request field that a flag sets, or "".
func requestField(f *pflag.Flag) string {
	var r bench.Request
	for _, of := range r.Flags() {
		if of.Name == f.Name && of.Help == f.Usage {
			return strings.TrimPrefix(of.Of, modulePrefix)
		}
	}
	return ""
}

// closureSuffix matches the suffixes that the compiler adds to the name of a function for its closures.
var closureSuffix = regexp.MustCompile(`(\.func\d+|\.\d+|-fm)+$`)

// constructorOf returns the function that creates a command. For a command of the cobra library, it returns the one
// that creates its parent.
func constructorOf(c *cobra.Command) CodePlace {
	for ; c != nil; c = c.Parent() {
		if c.RunE == nil {
			continue
		}
		name, ours := strings.CutPrefix(runtime.FuncForPC(reflect.ValueOf(c.RunE).Pointer()).Name(), modulePrefix)
		if !ours {
			continue
		}
		place := parsePlace(closureSuffix.ReplaceAllString(name, ""))
		place.Name = strings.NewReplacer("(*", "", ")", "").Replace(place.Name)
		return place
	}
	return CodePlace{}
}
