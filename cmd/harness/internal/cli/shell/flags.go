package shell

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/record/export"
	"github.com/plumbline-ml/plumbline/internal/record/queries"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// AddSettingFlags adds the flags for LoadGen's settings.
func AddSettingFlags(f *pflag.FlagSet, r *bench.Request) { addGroup(f, r, bench.SettingFlags) }

// AddWorkloadFlags adds the flags for what the plugin opens.
func AddWorkloadFlags(f *pflag.FlagSet, r *bench.Request) { addGroup(f, r, bench.WorkloadFlags) }

// AddRunFlags adds the other flags for a run of one model: a power meter, a closed loop, exports.
func AddRunFlags(f *pflag.FlagSet, r *bench.Request) { addGroup(f, r, bench.RunFlags) }

// AddOutputFlags adds the flags for the output of results.
func AddOutputFlags(f *pflag.FlagSet, r *bench.Request) { addGroup(f, r, bench.OutputFlags) }

// addGroup adds the flags of a group that set fields of a request.
func addGroup(f *pflag.FlagSet, r *bench.Request, group bench.FlagGroup) {
	for _, of := range r.Flags() {
		if of.Group == group {
			addFlag(f, of)
		}
	}
}

// AddFlags adds the named flags of harness run to another command.
func AddFlags(f *pflag.FlagSet, r *bench.Request, names ...string) {
	all := map[string]bench.Flag{}
	for _, of := range r.Flags() {
		all[of.Name] = of
	}
	for _, name := range names {
		addFlag(f, all[name])
	}
}

// addFlag adds a flag that sets a field of a request. The field is empty without the flag.
func addFlag(f *pflag.FlagSet, of bench.Flag) {
	switch field := of.Field.(type) {
	case *string:
		f.StringVar(field, of.Name, "", of.Help)
	case *int:
		f.IntVar(field, of.Name, 0, of.Help)
		if of.Positive {
			annotateFlag(f, of.Name, zeroAnnotation, "")
		}
	case *bool:
		f.BoolVar(field, of.Name, false, of.Help)
	case *time.Duration:
		f.DurationVar(field, of.Name, 0, of.Help)
	case *mlconf.SystemType: // checked where it is used
		f.StringVar((*string)(field), of.Name, "", of.Help)
	case *[]export.Format:
		f.Var(&exportFlag{field}, of.Name, of.Help)
	case *[]string:
		if of.Split {
			f.StringSliceVar(field, of.Name, nil, of.Help)
			return
		}
		f.StringArrayVar(field, of.Name, nil, of.Help)
	default:
		panic(fmt.Sprintf("--%s: there is no flag for a field of this kind", of.Name))
	}
}

// AddMeterFlags adds the flags of a power meter for measurements without LoadGen.
func AddMeterFlags(f *pflag.FlagSet, meter *string, interval *time.Duration, beside string) {
	var r bench.Request
	for _, of := range r.Flags() {
		switch of.Field {
		case &r.Power.Meter:
			of.Field, of.Help = meter, strings.Replace(of.Help, "timed runs", beside, 1)
			addFlag(f, of)
		case &r.Power.Interval:
			of.Field = interval
			addFlag(f, of)
		}
	}
}

// exportFlag parses the files of an export.
type exportFlag struct{ formats *[]export.Format }

// Set implements pflag.Value.
func (e *exportFlag) Set(list string) (err error) {
	*e.formats, err = queries.Formats(append(e.listedFiles(), strings.Split(list, ",")...))
	return err
}

// listedFiles returns the files given so far.
func (e *exportFlag) listedFiles() []string {
	names := make([]string, len(*e.formats))
	for i, f := range *e.formats {
		names[i] = f.Name
	}
	return names
}

// String implements pflag.Value.
func (e *exportFlag) String() string {
	if e.formats == nil {
		return ""
	}
	return strings.Join(e.listedFiles(), ",")
}

// Type implements pflag.Value.
func (e *exportFlag) Type() string { return "files" }
