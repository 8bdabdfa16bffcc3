package shell

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/internal/table"
	"github.com/plumbline-ml/plumbline/internal/terminal"
)

// CommandHelp contains the texts about a command, for its help and its manual.
type CommandHelp struct {
	Path, Short string
	About       []HelpParagraph
	Usage       string
	Examples    []HelpItem
	Commands    []HelpItem
	Flags       []FlagGroup
	// More contains the titles of the groups that only --help-all shows, and Left the number of their flags.
	More []string
	Left int
}

// HelpParagraph is text or a list.
type HelpParagraph struct {
	Text  string
	Items []HelpItem
}

// HelpItem is a command line, a file or a flag, with a description.
type HelpItem struct{ Name, Text string }

// FlagGroup is a group of flags on one subject.
type FlagGroup struct {
	Title string
	Flags []HelpItem
}

// NewHelp returns the help of a command. If all is true, it includes the rarely needed flags.
func NewHelp(c *cobra.Command, all bool) CommandHelp {
	h := CommandHelp{
		Path: c.CommandPath(), Short: c.Short, Usage: strings.TrimSuffix(c.UseLine(), " [flags]") + " [FLAG...]",
		Examples: parseItems(c.Example),
	}
	for _, p := range parseParagraphs(cmp.Or(c.Long, c.Short+".")) {
		if isCommandList(p, c.Root().Name()) && !h.endsWithColon() {
			h.Examples = append(h.Examples, p.Items...)
		} else {
			h.About = append(h.About, p)
		}
	}
	if c.HasAvailableSubCommands() && !c.Runnable() || c == c.Root() {
		h.Usage = c.CommandPath() + " COMMAND [ARGUMENT...] [FLAG...]"
	}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			h.Commands = append(h.Commands, HelpItem{sub.Name(), sub.Short})
		}
	}
	h.addFlagGroups(c, all)
	return h
}

// isCommandList reports whether a paragraph is a list of command lines.
func isCommandList(p HelpParagraph, program string) bool {
	return len(p.Items) > 0 && strings.HasPrefix(p.Items[0].Name, program+" ")
}

// endsWithColon reports whether the text so far ends with a colon, so that the next list belongs to it.
func (h CommandHelp) endsWithColon() bool {
	return len(h.About) > 0 && strings.HasSuffix(h.About[len(h.About)-1].Text, ":")
}

// parseParagraphs splits a text into paragraphs, which empty lines separate, and lists of indented lines.
func parseParagraphs(text string) (all []HelpParagraph) {
	for _, block := range strings.Split(text, "\n\n") {
		if strings.HasPrefix(block, " ") {
			all = append(all, HelpParagraph{Items: parseItems(block)})
		} else {
			all = append(all, HelpParagraph{Text: strings.Join(strings.Fields(block), " ")})
		}
	}
	return all
}

// parseItems parses lines with two columns, which at least two spaces separate. A line that starts with spaces
// continues the previous text.
func parseItems(text string) (all []HelpItem) {
	indent := len(text) - len(strings.TrimLeft(text, " "))
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n ")
		name, about, _ := strings.Cut(line[min(len(line), indent):], "  ")
		about = strings.TrimLeft(about, " ")
		last := len(all) - 1
		if command, goesOn := "", false; last >= 0 {
			if command, goesOn = strings.CutSuffix(all[last].Name, `\`); goesOn {
				all[last].Name = command + strings.TrimLeft(line, " ")
				continue
			}
		}
		if name == "" && last >= 0 {
			all[last].Text = strings.TrimLeft(all[last].Text+" "+about, " ")
		} else {
			all = append(all, HelpItem{name, about})
		}
	}
	return all
}

// helpTopics lists the titles of help and, below each, the flags that do not set a field of a request: common ones, and
// those that only --help-all shows. A command with few flags has no titles.
var helpTopics = []struct{ title, common, more string }{
	{"What is asked", "data isl osl",
		"format column prefix block vocabulary tokenizer image turns history order order-seed salt-seed seed"},
	{"What runs", "", ""},
	{"Load", "rate max", "arrival burstiness think ramp stages replay speed from to warmup window grace max-errors " +
		"retry shard start-at"},
	{"Sweep and objectives", "sweep slo find gpus", "price max-requests-per-point server-metrics gpu-metrics"},
	{"Requests", "api", "wait body header lora lora-order tools stream"},
	{"How it runs", "", ""},
	{"Rules and settings", "", ""},
	{"Search", "try-batch try-sessions try-threads try-requests time exhaustive", ""},
	{"Tests", "test results dtype no-accuracy-logs compatible", "eos-token-id accuracy-command score-pattern " +
		"audit-config tolerance accuracy-threshold min-output-tokens max-output-tokens unixmode"},
	{"Compared runs", "original seeds", ""},
	{"Accuracy", "", ""},
	{"Results", "", "also workspace tree"},
	{"Several runs", "repeat fail-if rehearsal shorten client client-python", ""},
	{"What is printed", "dry-run quiet json", "markdown junit append color"},
	{"While runs go on", "web metrics", "events otlp"},
	{"Power", "", ""},
}

// topicsByFlag returns the topics of flags by flag name.
var topicsByFlag = sync.OnceValue(func() map[string]helpTopic {
	all := map[string]helpTopic{}
	for _, f := range new(bench.Request).Flags() {
		if f.Group != bench.PluginFlags {
			all[f.Name] = helpTopic{f.Topic, f.Rarely}
		}
	}
	for _, t := range helpTopics {
		for _, name := range strings.Fields(t.common) {
			all[name] = helpTopic{t.title, false}
		}
		for _, name := range strings.Fields(t.more) {
			all[name] = helpTopic{t.title, true}
		}
	}
	return all
})

// helpTopic is the position of a flag in help.
type helpTopic struct {
	title        string
	rarelyNeeded bool
}

// TopicFlags returns the names of all flags with a topic.
func TopicFlags() []string { return slices.Sorted(maps.Keys(topicsByFlag())) }

// otherTopic is the title of flags without a topic, and pluginTopic that of the flags for plugins.
const (
	otherTopic  = "Others"
	pluginTopic = "Plugins"
)

// fewFlags is the maximum number of a command's own flags without topics.
const fewFlags = 16

// addFlagGroups adds the flags of a command in groups.
func (h *CommandHelp) addFlagGroups(c *cobra.Command, all bool) {
	var own []*pflag.Flag
	var plugins []HelpItem
	c.InitDefaultHelpFlag()
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Hidden || f.Name == "help" || f.Name == helpAllName:
		case c.Root().PersistentFlags().Lookup(f.Name) == nil:
			own = append(own, f)
		}
	})
	var general []HelpItem
	c.Root().PersistentFlags().VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Annotations[generalAnnotation] != nil:
			general = append(general, flagItem(f))
		case c == c.Root() || HasPlugins(c):
			plugins = append(plugins, flagItem(f))
		}
	})
	if len(own) <= fewFlags {
		h.addGroup("Flags", toItems(own))
	} else {
		own = h.takeTopics(own, all)
		h.addGroup(otherTopic, toItems(own))
	}
	if all {
		h.addGroup(pluginTopic, plugins)
		h.addGroup("Everywhere", general)
		return
	}
	h.Left += len(plugins) + len(general)
	if len(plugins) > 0 {
		h.More = append(h.More, strings.ToLower(pluginTopic))
	}
}

// takeTopics adds the flags with topics and returns the others.
func (h *CommandHelp) takeTopics(own []*pflag.Flag, all bool) (rest []*pflag.Flag) {
	for _, t := range helpTopics {
		var common, more []*pflag.Flag
		for _, f := range own {
			switch topicsByFlag()[f.Name] {
			case helpTopic{t.title, false}:
				common = append(common, f)
			case helpTopic{t.title, true}:
				more = append(more, f)
			}
		}
		own = slices.DeleteFunc(own, func(f *pflag.Flag) bool {
			return slices.Contains(common, f) || slices.Contains(more, f)
		})
		if all {
			common, more = append(common, more...), nil
		}
		h.addGroup(t.title, toItems(common))
		if h.Left += len(more); len(more) > 0 {
			h.More = append(h.More, strings.ToLower(t.title[:1])+t.title[1:])
		}
	}
	return own
}

func (h *CommandHelp) addGroup(title string, flags []HelpItem) {
	if len(flags) > 0 {
		h.Flags = append(h.Flags, FlagGroup{title, flags})
	}
}

func toItems(flags []*pflag.Flag) (all []HelpItem) {
	for _, f := range flags {
		all = append(all, flagItem(f))
	}
	return all
}

// flagItem returns a flag with its placeholder, its description and its default.
func flagItem(f *pflag.Flag) HelpItem {
	placeholder, usage := pflag.UnquoteUsage(f)
	i := HelpItem{Name: "--" + f.Name, Text: strings.Join(strings.Fields(usage), " ")}
	if f.Shorthand != "" {
		i.Name = "-" + f.Shorthand + ", " + i.Name
	}
	if placeholder != "" {
		i.Name += " " + placeholder
	}
	if !slices.Contains([]string{"", "0", "false", "[]", "0s"}, f.DefValue) && !strings.Contains(i.Text, "(default") {
		i.Text += " (default " + strings.Trim(f.DefValue, "[]") + ")"
	}
	return i
}

// Write prints the help.
func (h CommandHelp) Write(w *terminal.Writer) {
	heading := func(title string) { w.Print("\n", terminal.Span{Style: terminal.Heading, Text: title}, "\n") }
	for i, p := range h.About {
		if i > 0 {
			w.Print("\n")
		}
		if p.Text != "" {
			for _, line := range terminal.Wrap(p.Text, w.Columns()) {
				w.Print(line, "\n")
			}
		}
		writeItems(w, p.Items)
	}
	heading("Usage")
	w.Print("  ", h.Usage, "\n")
	if len(h.Examples) > 0 {
		heading("Examples")
		writeItems(w, h.Examples)
	}
	if len(h.Commands) > 0 {
		heading("Commands")
		writeItems(w, h.Commands)
	}
	t := table.Table{Indent: "  ", KeepWhole: true}
	for _, g := range h.Flags {
		t.Title(g.Title)
		for _, f := range g.Flags {
			t.Row(f.Name, f.Text)
		}
	}
	_, _ = t.WriteTo(w) // output errors are reported at the end
	switch {
	case h.Left > 0 && len(h.More) > 0:
		w.Printf("\n%s --%s lists %d more flags: %s\n", h.Path, helpAllName, h.Left, strings.Join(h.More, ", "))
	case h.Left > 0:
		w.Printf("\n%s --%s lists %d more\n", h.Path, helpAllName, h.Left)
	}
	if len(h.Commands) > 0 {
		w.Printf("\n%s COMMAND --help says more of a command\n", h.Path)
	}
}

func writeItems(w *terminal.Writer, items []HelpItem) {
	t := table.Table{Indent: "  ", KeepWhole: true}
	for _, i := range items {
		t.Row(i.Name, i.Text)
	}
	_, _ = t.WriteTo(w) // output errors are reported at the end
}

// helpAllName is the name of the flag that shows all flags.
const helpAllName = "help-all"

// generalAnnotation marks flags that apply to every command.
const generalAnnotation = "general"

// AddGeneralFlags adds the flags of every command: those for the form of the output, and --help-all.
func AddGeneralFlags(flags *pflag.FlagSet, a *App) {
	flags.Var(&colourFlag{a, "auto"}, "color",
		"`WHEN` colour headings and verdicts always, never, or auto (on a terminal, unless NO_COLOR is set)")
	flags.Var(&helpAllFlag{a}, helpAllName, "show help with all flags")
	flags.Lookup(helpAllName).NoOptDefVal = "true"
	for _, name := range []string{"color", helpAllName} {
		_ = flags.SetAnnotation(name, generalAnnotation, []string{}) // the flag exists
	}
}

// helpAllFlag implements --help-all. Like --help, it takes effect before the arguments are checked.
type helpAllFlag struct{ app *App }

// Set implements pflag.Value.
func (f *helpAllFlag) Set(text string) error {
	if text != "true" {
		return fmt.Errorf("want no value")
	}
	f.app.allHelp = true
	return pflag.ErrHelp
}

// String implements pflag.Value.
func (f *helpAllFlag) String() string { return "false" }

// Type implements pflag.Value.
func (f *helpAllFlag) Type() string { return "bool" }

// ShowHelp prints the help of a command. Without a terminal, it is up to 80 columns wide.
func (a *App) ShowHelp(c *cobra.Command) {
	w := a.page
	if w.Columns() == 0 {
		w = w.WithColumns(helpColumns)
	}
	NewHelp(c, a.allHelp).Write(w)
	w.Flush()
}
