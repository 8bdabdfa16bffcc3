package plan

import (
	_ "embed"
	"fmt"
	"reflect"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// Flag is a flag that fills a field of a request.
type Flag struct {
	Name  string    // without dashes
	Help  string    // what it does, in lines; the placeholder of its value stands between backquotes
	Group FlagGroup // which commands take it
	Split bool      // one text has several values with commas between them
	// Field points to the field: a *string, *[]string, *int, *bool, *time.Duration or *[]export.Format.
	Field any
}

// FlagGroup is flags that some commands take together.
type FlagGroup string

// The groups of flags: what decides about LoadGen's settings, what the plugin opens, what else a run takes, and where
// results go.
const (
	SettingFlags  FlagGroup = "settings"
	WorkloadFlags FlagGroup = "workload"
	RunFlags      FlagGroup = "runs"
	OutputFlags   FlagGroup = "output"
)

// flagsText has a row for each flag, in the order of help.
//
//go:embed flags.txt
var flagsText string

// flagTag is the key of the tags that name the flag of a field: `flag:"NAME"`, or `flag:"NAME,split"`.
const flagTag = "flag"

// Flags are those that fill the request, in the order of help. A field whose flag has no text, and a text whose flag
// has no field, are faults of this package: it panics.
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
		flags[i].Field, flags[i].Split = field.Field, field.Split
		delete(fields, f.Name)
	}
	for name := range fields {
		panic(fmt.Sprintf("flags.txt: --%s: it has no text", name))
	}
	return flags
}

// addTagged adds the fields of a section that have flags, by the names of these. That of an identity is its label's.
func addTagged(section reflect.Value, fields map[string]Flag) {
	for i := range section.NumField() {
		tag, ok := section.Type().Field(i).Tag.Lookup(flagTag)
		if !ok {
			continue
		}
		name, how, _ := strings.Cut(tag, ",")
		field := section.Field(i).Addr().Interface()
		if identity, ok := field.(*record.Identity); ok {
			field = &identity.Label
		}
		if _, twice := fields[name]; twice {
			panic(fmt.Sprintf("--%s: two fields of a request have this flag", name))
		}
		fields[name] = Flag{Field: field, Split: how == "split"}
	}
}

// readFlags reads the rows of a text: groups as "# NAME: ...", below each the names of flags, and the lines of their
// help, indented. Lines above the first group are about the text itself.
func readFlags(text string) (flags []Flag) {
	rounds := strings.Join(mlconf.Rounds(), ", ")
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
			flags = append(flags, Flag{Name: line, Group: group})
		case flags[last].Help == "":
			flags[last].Help = strings.ReplaceAll(help, "[rounds]", rounds)
		default:
			flags[last].Help += "\n" + help
		}
	}
	return flags
}
