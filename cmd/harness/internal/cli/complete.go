package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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

// completer completes command lines in shells. It offers nothing if it cannot find the candidates.
type completer struct {
	app   *shell.App
	flags *shell.PluginFlags
}

// findCandidates returns the candidates for completion. A tab separates a word from its description.
type findCandidates func(c *cobra.Command, args []string) []string

func fixedWords(all ...string) findCandidates {
	return func(*cobra.Command, []string) []string { return all }
}

// completeTree sets the completion of every command and every flag in the tree.
func (p completer) completeTree(root *cobra.Command) {
	arguments, values := p.argumentCompletions(), p.flagValues()
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		if next, ok := arguments[strings.TrimPrefix(c.CommandPath(), root.Name()+" ")]; ok {
			c.ValidArgsFunction = next
		} else if c.ValidArgsFunction == nil && c.Runnable() && !c.HasSubCommands() && c.Name() != "help" {
			c.ValidArgsFunction = cobra.NoFileCompletions
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			next := completeByPlaceholder(f)
			if find, ok := values[f.Name]; ok {
				next = completeList(find, isList(f))
			}
			if f.Value.Type() != "bool" {
				_ = c.RegisterFlagCompletionFunc(f.Name, next) // fails for inherited flags, which have one already
			}
		})
		for _, below := range c.Commands() {
			visit(below)
		}
	}
	visit(root)
}

// isList reports whether a flag takes several values separated by commas.
func isList(f *pflag.Flag) bool {
	placeholder, _ := pflag.UnquoteUsage(f)
	return strings.HasSuffix(f.Value.Type(), "Slice") || strings.HasSuffix(placeholder, ",...")
}

// completeByPlaceholder completes files and folders for flags whose placeholder is a file or a folder.
func completeByPlaceholder(f *pflag.Flag) cobra.CompletionFunc {
	placeholder, _ := pflag.UnquoteUsage(f)
	switch {
	case strings.HasPrefix(placeholder, "DIR"), placeholder == "FOLDER":
		return completeFolders
	case strings.HasPrefix(placeholder, "FILE"), strings.Contains(placeholder, "PATH"), f.Name == "from":
		return completeFiles
	}
	return cobra.NoFileCompletions
}

func completeFolders(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

func completeFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

// completeList offers the words with the typed prefix. If several is true, the prefix starts after the last comma. No
// space follows a word that ends with =.
func completeList(find findCandidates, several bool) cobra.CompletionFunc {
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

// wordsOrFiles offers words, or files and folders if no word has the typed prefix.
func wordsOrFiles(find findCandidates) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		all, directive := completeList(find, false)(c, args, typed)
		if len(all) == 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return all, directive
	}
}

// completeByPosition completes arguments by position. If more is true, the last function also completes all further
// arguments.
func completeByPosition(more bool, next ...cobra.CompletionFunc) cobra.CompletionFunc {
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

// argumentCompletions returns the completions of arguments, by the path of the command below the root.
func (p completer) argumentCompletions() map[string]cobra.CompletionFunc {
	model, modelOrFile, dir := completeList(p.modelNames, false), wordsOrFiles(p.modelNames), completeFolders
	all := map[string]cobra.CompletionFunc{
		"run": completeByPosition(true, modelOrFile), "describe": completeByPosition(false, model),
		"settings": completeByPosition(false, model),
		"verify":   completeByPosition(false, modelOrFile), "tune": completeByPosition(false, model),
		"score": completeByPosition(false, completeFiles),
		"fetch": completeByPosition(false, completeList(func(c *cobra.Command, args []string) []string {
			return append(p.modelNames(c, args), onnxruntime.RuntimeName+"\tthe library itself")
		}, false)),
		"dataset list": completeByPosition(false, model), "dataset verify": completeByPosition(false, model, completeFiles),
		"dataset export":  completeByPosition(false, model, dir),
		"dataset convert": completeByPosition(false, model, completeList(p.datasetConversions, false), completeFiles, dir),
		"audit":           completeByPosition(false, completeList(complianceTests, false), model),
		"audit verify":    completeByPosition(false, dir), "audit seeds": completeByPosition(false, model),
		"audit dataset": completeByPosition(false, model), "report": completeByPosition(true, dir),
		"compare": completeByPosition(false, dir, dir),
		"rank":    completeByPosition(true, dir),
		"trust":   completeByPosition(true, wordsOrFiles(p.pluginNames)), "new": completeByPosition(false,
			completeList(fixedWords(newmodule.Kinds()...), false), dir),
		"new suite": completeByPosition(false, completeFiles), "submission run": completeByPosition(true, modelOrFile),
		"submission add":    completeByPosition(true, dir),
		"submission report": completeByPosition(false, completeFiles),
		"explain":           completeByPosition(false, completeList(explainedWords, false)),
	}
	for _, name := range []string{"check", "prepare", "truncate", "repository", "results", "pack"} {
		all["submission "+name] = completeByPosition(false, dir)
	}
	return all
}

// flagValues returns the candidates of flags, by flag name.
func (p completer) flagValues() map[string]findCandidates {
	scenarios := []string{"all"}
	for _, s := range loadgen.Scenarios() {
		scenarios = append(scenarios, s.String())
	}
	return map[string]findCandidates{
		"scenario": fixedWords(scenarios...), "rules": fixedWords(mlconf.Rounds()...),
		"version": fixedWords(mlconf.Rounds()...),
		"mode":    fixedWords(bench.ModePerformance, bench.ModeAccuracy, bench.ModeSubmission, bench.ModeFindPeak),
		"set":     fixedWords(settingKeys()...), "only": fixedWords(append(conformance.CheckNames(), scenarios[1:]...)...),
		"division": fixedWords("closed", "open", "network"), "system-type": fixedWords("edge", "datacenter",
			"datacenter,edge"),
		"loadgen": fixedWords(bench.LoadGenOwn, bench.LoadGenOfficial), "pace": fixedWords(bench.PaceDefault,
			bench.PacePrecise),
		"export": fixedWords(export.Names()...), "language": fixedWords(newmodule.Languages()...),
		"preprocess": fixedWords(newmodule.Preprocessings()...), "format": fixedWords("table", "csv", "json", "html"),
		"allow-unlike": fixedWords(append(compare.FacetNames(), "all")...), "color": fixedWords("auto", "always", "never"),
		"per":          fixedWords("accelerator", "node", "watt", "system"),
		"availability": fixedWords("available", "preview", "rdi", "all"),
		"limit":        fixedWords("memory=", "processes=", "cpu=", "files="), "plot": plotNames,
		"backend": p.completeFromModel(func(m sdk.ModelInfo, d sdk.Description) []string { return d.Backends }),
		"precision": p.completeFromModel(func(m sdk.ModelInfo, _ sdk.Description) (all []string) {
			for _, f := range m.Files {
				if f.Embedded {
					all = append(all, f.Precision)
				}
			}
			return all
		}),
		"param": p.completeFromModel(func(m sdk.ModelInfo, _ sdk.Description) []string {
			options := make([]string, len(m.Params))
			for i, o := range m.Params {
				options[i] = o.Name + "=\t" + o.Help
			}
			return options
		}),
		"target": p.completeFromModel(func(m sdk.ModelInfo, _ sdk.Description) []string {
			targets := make([]string, len(m.Metrics))
			for i, metric := range m.Metrics {
				targets[i] = metric.Name + "="
			}
			return targets
		}),
		"plugin": p.pluginNames, "benchmark": p.modelNames,
	}
}

// settingKeys returns the names of LoadGen's settings, alone and with each scenario.
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

// modelNames returns the models of the plugins. It omits plugins that may not be started.
func (p completer) modelNames(c *cobra.Command, _ []string) (all []string) {
	for _, e := range p.pluginDescriptions(c) {
		for _, m := range e.Models {
			all = append(all, m.Name+"\t"+m.Summary)
		}
	}
	return all
}

// completeFromModel applies find to the model on the command line, or to all models if there is none.
func (p completer) completeFromModel(find func(sdk.ModelInfo, sdk.Description) []string) findCandidates {
	return func(c *cobra.Command, args []string) (all []string) {
		for _, e := range p.pluginDescriptions(c) {
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

// pluginDescriptions returns the descriptions of all plugins.
func (p completer) pluginDescriptions(c *cobra.Command) (all []sdk.Description) {
	if p.app.RestrictPlugins(p.flags) != nil {
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

// pluginNames returns the names of plugin binaries without starting them.
func (p completer) pluginNames(*cobra.Command, []string) (all []string) {
	found, err := p.app.PluginSettings(p.flags).Binaries("")
	if err != nil {
		return nil
	}
	for _, b := range found {
		all = append(all, b.Name)
	}
	return all
}

// datasetConversions returns the conversions of a model's data sets.
func (p completer) datasetConversions(c *cobra.Command, args []string) []string {
	return p.completeFromModel(func(m sdk.ModelInfo, _ sdk.Description) (all []string) {
		for _, a := range m.DatasetActions {
			if a.Action == sdk.Convert {
				all = append(all, a.Name+"\t"+a.Summary)
			}
		}
		return all
	})(c, args[:1])
}

// complianceTests returns the compliance tests of the newest round.
func complianceTests(*cobra.Command, []string) []string {
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

// plotNames returns the names of the plots for the runs on the command line.
func plotNames(_ *cobra.Command, args []string) (all []string) {
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
