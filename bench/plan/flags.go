package plan

import (
	_ "embed"
	"fmt"
	"reflect"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// Flag is a flag that sets a field of a request.
type Flag struct {
	Name  string    // without dashes
	Help  string    // the description, in lines; backquotes enclose the placeholder of the value
	Group FlagGroup // determines which commands accept the flag
	Topic string    // the heading of the flag in help texts
	// Rarely marks a flag that appears only in the list of all flags. Positive marks a number that must be above 0.
	Rarely, Positive bool
	Split            bool // the text may contain several values separated by commas
	// Field points to the field: a *string, *[]string, *int, *bool, *time.Duration, *mlconf.SystemType or
	// *[]export.Format.
	Field any
	Of    string // the name of the field with package and struct: "example.com/bench/plan.Load.Scenario"
}

// FlagGroup is a group of flags that some commands accept together.
type FlagGroup string

// The groups of flags: LoadGen's settings, the data and model that the plugin opens, other options of runs, the
// location of results, the system for submissions, and the location of plugins.
const (
	SettingFlags  FlagGroup = "settings"
	WorkloadFlags FlagGroup = "workload"
	RunFlags      FlagGroup = "runs"
	OutputFlags   FlagGroup = "output"
	GoalFlags     FlagGroup = "goal"
	PluginFlags   FlagGroup = "plugins"
)

// flagsText contains a row for each flag, in the order of help texts.
//
//go:embed flags.txt
var flagsText string

// flagTag is the key of the tags that name the flag of a field: `flag:"NAME"`, `flag:"NAME,split"` for values separated
// by commas, or `flag:"NAME,positive"` for a number above 0.
const flagTag = "flag"

// Flags returns the flags that set the fields of the request, in the order of help texts. A field whose flag has no
// text, and a text whose flag has no field, are programming errors: it panics.
func (r *Request) Flags() []Flag {
	fields := map[string]Flag{}
	sections := reflect.ValueOf(r).Elem()
	for i := range sections.NumField() {
		addTagged(sections.Field(i), fields)
	}
	flags := readFlags(flagsText)
	for i, f := range flags {
		field, ok := fields[f.Name]
		if !ok {
			panic(fmt.Sprintf("flags.txt: --%s: no field of a request has this flag", f.Name))
		}
		flags[i].Field, flags[i].Of, flags[i].Split, flags[i].Positive = field.Field, field.Of, field.Split, field.Positive
		delete(fields, f.Name)
	}
	for name := range fields {
		panic(fmt.Sprintf("flags.txt: --%s: it has no text", name))
	}
	return flags
}

// addTagged adds the fields of a section that have flags, and those of nested structs, by flag name.
func addTagged(section reflect.Value, fields map[string]Flag) {
	for i := range section.NumField() {
		of, field := section.Type().Field(i), section.Field(i)
		tag, ok := of.Tag.Lookup(flagTag)
		if !ok {
			if of.IsExported() && field.Kind() == reflect.Struct {
				addTagged(field, fields)
			}
			continue
		}
		name, how, _ := strings.Cut(tag, ",")
		if _, twice := fields[name]; twice {
			panic(fmt.Sprintf("--%s: two fields of a request have this flag", name))
		}
		fields[name] = Flag{
			Field: field.Addr().Interface(), Of: section.Type().PkgPath() + "." + section.Type().Name() + "." + of.Name,
			Split: how == "split", Positive: how == "positive",
		}
	}
}

// readFlags parses flags.txt. A group begins with "# NAME: ...". Below it are the names of flags with their topics,
// followed by indented lines of help. Lines above the first group are comments.
func readFlags(text string) (flags []Flag) {
	words := strings.NewReplacer("[rounds]", strings.Join(mlconf.Rounds(), ", "), "[usual]", UsualAnswerTimeout.String())
	var group FlagGroup
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		last := len(flags) - 1
		if title, ok := strings.CutPrefix(line, "# "); ok {
			name, _, _ := strings.Cut(title, ":")
			group = FlagGroup(name)
			continue
		}
		help, indented := strings.CutPrefix(line, "    ")
		switch {
		case line == "" || group == "":
		case !indented:
			name, topic, _ := strings.Cut(line, ": ")
			topic, rarely := strings.CutSuffix(topic, ", rarely")
			flags = append(flags, Flag{Name: name, Group: group, Topic: topic, Rarely: rarely})
		case flags[last].Help == "":
			flags[last].Help = words.Replace(help)
		default:
			flags[last].Help += "\n" + words.Replace(help)
		}
	}
	return flags
}

// checkNumbers checks that the numbers marked as positive are above 0 if the user sets them, first those of the data,
// then those of the model.
func (r *Request) checkNumbers() (faults []error) {
	for _, section := range []any{&r.Data, &r.Model} {
		value := reflect.ValueOf(section).Elem()
		for i := range value.NumField() {
			name, how, _ := strings.Cut(value.Type().Field(i).Tag.Get(flagTag), ",")
			if how == "positive" && value.Field(i).Int() < 0 {
				faults = append(faults, fmt.Errorf("--%s %d: want a number above 0", name, value.Field(i).Int()))
			}
		}
	}
	return faults
}
