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

// module begins the import paths of this project.
const module = "github.com/plumbline-ml/plumbline/"

// flagEntries has one entry for each meaning of a flag, with the commands that take it in that meaning.
func flagEntries(root *cobra.Command) []Entry {
	var all []Entry
	visitCommands(root, func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			e := flagEntry(c, f)
			same := slices.IndexFunc(all, func(o Entry) bool { return o.Word == e.Word && o.Meaning == e.Meaning })
			switch {
			case f.Hidden, f.Name == "help":
			case same < 0:
				all = append(all, e)
			case c == root || f != root.PersistentFlags().Lookup(f.Name): // those of the root are inherited
				all[same].Applies += ", " + e.Applies
			}
		})
	})
	slices.SortStableFunc(all, func(a, b Entry) int { return cmp.Compare(a.Word, b.Word) })
	return all
}

// visitCommands visits the commands that help lists.
func visitCommands(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() {
			visitCommands(below, visit)
		}
	}
}

func flagEntry(c *cobra.Command, f *pflag.Flag) Entry {
	placeholder, usage := pflag.UnquoteUsage(f)
	e := Entry{
		Word: f.Name, Kind: Flag, Meaning: strings.Join(strings.Fields(usage), " "), Applies: c.CommandPath(),
		Code: madeIn(c),
	}
	if placeholder != "" {
		e.Values = placeholder
	}
	if field := fieldOf(f); field != "" {
		e.Code = placeOf(field)
	}
	return e
}

// fieldOf is the field of a request that a flag fills; empty: it fills none.
func fieldOf(f *pflag.Flag) string {
	var r bench.Request
	for _, of := range r.Flags() {
		if of.Name == f.Name && of.Help == f.Usage {
			return strings.TrimPrefix(of.Of, module)
		}
	}
	return ""
}

// closure is what the compiler adds to the name of a function for those inside it.
var closure = regexp.MustCompile(`(\.func\d+|\.\d+|-fm)+$`)

// madeIn is the function that makes a command: of one of the library's, that which makes its parent.
func madeIn(c *cobra.Command) Place {
	for ; c != nil; c = c.Parent() {
		if c.RunE == nil {
			continue
		}
		name, ours := strings.CutPrefix(runtime.FuncForPC(reflect.ValueOf(c.RunE).Pointer()).Name(), module)
		if !ours {
			continue
		}
		place := placeOf(closure.ReplaceAllString(name, ""))
		place.Name = strings.NewReplacer("(*", "", ")", "").Replace(place.Name)
		return place
	}
	return Place{}
}
