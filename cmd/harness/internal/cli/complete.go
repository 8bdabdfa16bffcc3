package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/conformance"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/record/export"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/newmodule"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/onnxruntime"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/page"
	"github.com/plumbline-ml/plumbline/internal/compare"
	"github.com/plumbline-ml/plumbline/internal/record/results"
	"github.com/plumbline-ml/plumbline/internal/submission/campaign"
)

// completer offers what may come next on a command line. What it cannot find out it leaves to whoever types.
type completer struct {
	app   *shell.App
	flags *shell.PluginFlags
}

// words are candidates; a word and what it is are separated by a tab.
type words func(c *cobra.Command, args []string) []string

func fixed(all ...string) words { return func(*cobra.Command, []string) []string { return all } }

// complete gives every command and every flag of the tree what completes it.
func (p completer) complete(root *cobra.Command) {
	arguments, values := p.arguments(), p.values()
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		if next, ok := arguments[strings.TrimPrefix(c.CommandPath(), root.Name()+" ")]; ok {
			c.ValidArgsFunction = next
		} else if c.ValidArgsFunction == nil && c.Runnable() && !c.HasSubCommands() && c.Name() != "help" {
			c.ValidArgsFunction = cobra.NoFileCompletions
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			next := byPlaceholder(f)
			if find, ok := values[f.Name]; ok {
				next = list(find, isList(f))
			}
			if f.Value.Type() != "bool" {
				_ = c.RegisterFlagCompletionFunc(f.Name, next) // of a flag of the parent's it is there
			}
		})
		for _, below := range c.Commands() {
			visit(below)
		}
	}
	visit(root)
}

// isList says whether a flag takes several values with commas between them.
func isList(f *pflag.Flag) bool {
	placeholder, _ := pflag.UnquoteUsage(f)
	return strings.HasSuffix(f.Value.Type(), "Slice") || strings.HasSuffix(placeholder, ",...")
}

// byPlaceholder completes files and folders for flags that name them.
func byPlaceholder(f *pflag.Flag) cobra.CompletionFunc {
	placeholder, _ := pflag.UnquoteUsage(f)
	switch {
	case strings.HasPrefix(placeholder, "DIR"), placeholder == "FOLDER":
		return folders
	case strings.HasPrefix(placeholder, "FILE"), strings.Contains(placeholder, "PATH"), f.Name == "from":
		return files
	}
	return cobra.NoFileCompletions
}

func folders(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

func files(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

// list offers words that begin as what is typed, after the last comma where the flag takes several. A word that ends
// with = goes on.
func list(find words, several bool) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := ""
		if several {
			before = typed[:strings.LastIndexByte(typed, ',')+1]
		}
		var all []string
		directive := cobra.ShellCompDirectiveNoFileComp
		for _, w := range find(c, args) {
			name, _, _ := strings.Cut(w, "\t")
			if strings.HasPrefix(before+name, typed) && !slices.Contains(strings.Split(before, ","), name) {
				all = append(all, before+w)
				if strings.HasSuffix(name, "=") {
					directive |= cobra.ShellCompDirectiveNoSpace
				}
			}
		}
		return all, directive
	}
}

// orFiles offers words, and files and folders where none begins as what is typed.
func orFiles(find words) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		all, directive := list(find, false)(c, args, typed)
		if len(all) == 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return all, directive
	}
}

// each completes arguments by their place; the last one all that follow, if more is set.
func each(more bool, next ...cobra.CompletionFunc) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		at := len(args)
		if more {
			at = min(at, len(next)-1)
		}
		if at >= len(next) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return next[at](c, args, typed)
	}
}

// arguments are those of commands, by their path below the root.
func (p completer) arguments() map[string]cobra.CompletionFunc {
	model, modelOrFile, dir := list(p.models, false), orFiles(p.models), folders
	all := map[string]cobra.CompletionFunc{
		"run": each(true, modelOrFile), "describe": each(false, model), "settings": each(false, model),
		"verify": each(false, modelOrFile), "tune": each(false, model), "score": each(false, files),
		"fetch": each(false, list(func(c *cobra.Command, args []string) []string {
			return append(p.models(c, args), onnxruntime.Name+"\tthe library itself")
		}, false)),
		"dataset list": each(false, model), "dataset verify": each(false, model, files),
		"dataset export":  each(false, model, dir),
		"dataset convert": each(false, model, list(p.conversions, false), files, dir),
		"audit":           each(false, list(tests, false), model),
		"audit verify":    each(false, dir), "audit seeds": each(false, model),
		"audit dataset": each(false, model), "report": each(true, dir), "compare": each(false, dir, dir),
		"rank":  each(true, dir),
		"trust": each(true, orFiles(p.plugins)), "new": each(false, list(fixed(newmodule.Kinds()...), false), dir),
		"new suite": each(false, files), "submission run": each(true, modelOrFile), "submission add": each(true, dir),
		"submission report": each(false, files),
	}
	for _, name := range []string{"check", "prepare", "truncate", "repository", "results", "pack"} {
		all["submission "+name] = each(false, dir)
	}
	return all
}

// values are those of flags.
func (p completer) values() map[string]words {
	scenarios := append([]string{"all"}, lists.Map(loadgen.Scenarios(), loadgen.Scenario.String)...)
	return map[string]words{
		"scenario": fixed(scenarios...), "rules": fixed(mlconf.Rounds()...), "version": fixed(mlconf.Rounds()...),
		"mode": fixed(bench.ModePerformance, bench.ModeAccuracy, bench.ModeSubmission, bench.ModeFindPeak),
		"set":  fixed(settingKeys()...), "only": fixed(append(conformance.Names(), scenarios[1:]...)...),
		"division": fixed("closed", "open", "network"), "system-type": fixed("edge", "datacenter", "datacenter,edge"),
		"loadgen": fixed(bench.LoadGenOwn, bench.LoadGenOfficial), "pace": fixed(bench.PaceDefault, bench.PacePrecise),
		"export": fixed(export.Names()...), "language": fixed(newmodule.Languages()...),
		"preprocess": fixed(newmodule.Preprocessings()...), "format": fixed("table", "csv", "json", "html"),
		"allow-unlike": fixed(append(compare.FacetNames(), "all")...), "color": fixed("auto", "always", "never"),
		"per":          fixed("accelerator", "node", "watt", "system"),
		"availability": fixed("available", "preview", "rdi", "all"),
		"limit":        fixed("memory=", "processes=", "cpu=", "files="), "plot": plots,
		"backend": p.ofModel(func(m sdk.ModelInfo, d sdk.Description) []string { return d.Backends }),
		"precision": p.ofModel(func(m sdk.ModelInfo, _ sdk.Description) (all []string) {
			for _, f := range m.Files {
				if f.Embedded {
					all = append(all, f.Precision)
				}
			}
			return all
		}),
		"param": p.ofModel(func(m sdk.ModelInfo, _ sdk.Description) []string {
			return lists.Map(m.Params, func(o sdk.ParamInfo) string { return o.Name + "=\t" + o.Help })
		}),
		"target": p.ofModel(func(m sdk.ModelInfo, _ sdk.Description) []string {
			return lists.Map(m.Metrics, func(metric sdk.MetricInfo) string { return metric.Name + "=" })
		}),
		"plugin": p.plugins, "benchmark": p.models,
	}
}

// settingKeys are LoadGen's, each alone and of a scenario.
func settingKeys() (all []string) {
	for _, f := range loadgen.Fields() {
		if key := f.UserKey() + "="; !slices.Contains(all, key) {
			all = append(all, key)
		}
	}
	for _, s := range loadgen.Scenarios() {
		for _, f := range loadgen.Fields() {
			if key := fmt.Sprintf("%v.%s=", s, f.UserKey()); !slices.Contains(all, key) {
				all = append(all, key)
			}
		}
	}
	return all
}

// models are those that plugins serve. A plugin that may not be started is not.
func (p completer) models(c *cobra.Command, _ []string) (all []string) {
	for _, e := range p.entries(c) {
		all = append(all, lists.Map(e.Models, func(m sdk.ModelInfo) string { return m.Name + "\t" + m.Summary })...)
	}
	return all
}

// ofModel offers something of the model that the command line names, or of all.
func (p completer) ofModel(find func(sdk.ModelInfo, sdk.Description) []string) words {
	return func(c *cobra.Command, args []string) (all []string) {
		for _, e := range p.entries(c) {
			for _, m := range e.Models {
				if len(args) > 0 && !slices.Contains(args, m.Name) {
					continue
				}
				for _, w := range find(m, e) {
					if !slices.Contains(all, w) {
						all = append(all, w)
					}
				}
			}
		}
		return all
	}
}

// entries are the descriptions of all plugins.
func (p completer) entries(c *cobra.Command) (all []sdk.Description) {
	if p.app.Guard(p.flags) != nil {
		return nil
	}
	catalog, err := p.app.Catalog(c, p.flags)
	if err != nil {
		return nil
	}
	for _, e := range catalog.Entries {
		all = append(all, e.Description)
	}
	return all
}

// plugins are the names of binaries, none of which is started.
func (p completer) plugins(*cobra.Command, []string) (all []string) {
	found, err := p.app.PluginsOf(p.flags).Binaries("")
	if err != nil {
		return nil
	}
	for _, b := range found {
		all = append(all, b.Name)
	}
	return all
}

// conversions are those of a model's data sets.
func (p completer) conversions(c *cobra.Command, args []string) []string {
	return p.ofModel(func(m sdk.ModelInfo, _ sdk.Description) (all []string) {
		for _, a := range m.DatasetActions {
			if a.Action == sdk.Convert {
				all = append(all, a.Name+"\t"+a.Summary)
			}
		}
		return all
	})(c, args[:1])
}

// tests are the compliance tests of the newest round.
func tests(*cobra.Command, []string) []string {
	all := []string{campaign.AllTests}
	rules, err := mlconf.Round("")
	if err != nil {
		return all
	}
	for _, m := range rules.Models() {
		all = append(all, rules.Audits(m)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// plots are those that the runs on the command line have.
func plots(_ *cobra.Command, args []string) (all []string) {
	set, err := results.ReadLogs(args...)
	if err != nil {
		return nil
	}
	for _, r := range set.Runs {
		charts, _ := page.Charts(r)
		for _, c := range charts {
			if w := c.ID + "\t" + c.Title; !slices.Contains(all, w) {
				all = append(all, w)
			}
		}
	}
	return all
}
