package result

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Form names the form of a round's official summary. The empty form is the form since v5.0.
type Form string

// The forms of the summaries before v5.0.
const (
	Former     Form = "former"              // v3.0 to v4.1
	Misspelled Form = "former misspelled"   // v2.1
	BareCounts Form = "former, counts bare" // v2.0
	Streams    Form = "former, streams"     // v1.1
	OneRow     Form = "one row"             // v0.5 to v1.0: the power is a column of the result's row
)

// summaryColumns describes the columns of a summary and which values are quoted.
type summaryColumns struct {
	names          []string
	quotesOnlySome bool // only the values of the columns in quoted are quoted
	quoted         []string
}

const (
	allColumns = `Organization Availability Division SystemType SystemName Platform Model MlperfModel Scenario Result
		Accuracy number_of_nodes host_processor_model_name host_processors_per_node host_processor_core_count
		accelerator_model_name accelerators_per_node total_accelerators Location framework operating_system notes
		compliance errors version inferred has_power Units weight_data_types design_power_watts PrivateID`
	textColumns = `SystemName host_processor_model_name accelerator_model_name framework operating_system notes`
)

// columnsOf returns the columns of a form. ok is false if the form is unknown.
func (f Form) columnsOf() (summaryColumns, bool) {
	all := strings.Fields(allColumns)
	former := slices.DeleteFunc(slices.Clone(all), func(c string) bool {
		return slices.Contains(strings.Fields("total_accelerators weight_data_types design_power_watts PrivateID"), c)
	})
	called := func(names ...string) []string {
		renamed := slices.Clone(former)
		for i := 0; i < len(names); i += 2 {
			renamed[slices.Index(renamed, names[i])] = names[i+1]
		}
		return renamed
	}
	texts := strings.Fields(textColumns)
	switch f {
	case "":
		return summaryColumns{names: all}, true
	case Former:
		return summaryColumns{former, true, append(texts, "SystemType", "accelerators_per_node")}, true
	case Misspelled:
		return summaryColumns{called("compliance", "compilance"), true, append(texts, "SystemType",
			"accelerators_per_node")}, true
	case BareCounts:
		return summaryColumns{called("compliance", "compilance"), true, append(texts, "SystemType")}, true
	case Streams:
		return summaryColumns{called("compliance", "compilance", "inferred", "infered"), true, texts}, true
	case OneRow:
		names := called("compliance", "compilance", "inferred", "infered", "has_power", "power")
		return summaryColumns{names[:len(names)-1], true, texts}, true
	}
	return summaryColumns{}, false
}

// Columns returns the names of the form's columns, or none if the form is unknown.
func (f Form) Columns() []string {
	form, _ := f.columnsOf()
	return form.names
}

// Columns returns the names of the present summary's columns.
func Columns() []string { return Form("").Columns() }

// Fields returns the row's values in the order of Columns.
func (r Row) Fields() []string {
	values := r.columnValues()
	row := []string{}
	for _, column := range Columns() {
		row = append(row, values[column])
	}
	return row
}

// columnValues returns the row's values by the column names of all forms.
func (r Row) columnValues() map[string]string {
	inferred, power := "0", "False"
	if r.Inferred {
		inferred = "1"
	}
	if r.HasPower {
		power = "True"
	}
	return map[string]string{
		"Organization": r.Organization, "Availability": r.Availability, "Division": r.Division,
		"SystemType": r.SystemType, "SystemName": r.SystemName, "Platform": r.Platform, "Model": r.Model,
		"MlperfModel": r.MLPerfModel, "Scenario": r.Scenario, "Result": r.Result, "Accuracy": r.Accuracy,
		"number_of_nodes": r.Nodes, "host_processor_model_name": r.HostProcessor,
		"host_processors_per_node": r.HostProcessors, "host_processor_core_count": r.HostCores,
		"accelerator_model_name": r.Accelerator, "accelerators_per_node": r.AcceleratorsPerNode,
		"total_accelerators": r.TotalAccelerators, "Location": r.Location, "framework": r.Framework,
		"operating_system": r.OperatingSystem, "notes": r.Notes, "compliance": r.Compliance, "compilance": r.Compliance,
		"version": r.Version, "Units": r.Units, "weight_data_types": r.WeightDataTypes,
		"design_power_watts": r.DesignPower, "PrivateID": r.PrivateID, "power": r.Power,
		"errors": strconv.Itoa(r.Errors), "inferred": inferred, "infered": inferred, "has_power": power,
	}
}

// WriteCSV writes the official summary in its present form.
func WriteCSV(w io.Writer, rows []Row) error { return Form("").WriteCSV(w, rows) }

// WriteCSV writes the official summary: names without quotes, and values with quotes, before v5.0 only some of them.
// Like in the official file, quotes in values are not escaped. Before v5.0, commas in values are not protected either,
// so such values cannot be read back.
func (f Form) WriteCSV(w io.Writer, rows []Row) error {
	form, ok := f.columnsOf()
	if !ok {
		return fmt.Errorf("the form %q of a summary is not known", f)
	}
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, strings.Join(form.names, ","))
	for _, r := range rows {
		all := r.columnValues()
		values := make([]string, 0, len(form.names))
		for _, column := range form.names {
			v := all[column]
			if !form.quotesOnlySome || slices.Contains(form.quoted, column) {
				v = `"` + v + `"`
			}
			values = append(values, v)
		}
		fmt.Fprintln(out, strings.Join(values, ","))
	}
	return out.Flush()
}
