package result

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Row is a line of the official summary, with its columns as texts. A result with power has two: the second has the
// power for its result.
type Row struct {
	Organization string
	Availability string
	Division     string
	SystemType   string
	SystemName   string
	Platform     string // the folder of the system
	Model        string // the folder of the benchmark
	MLPerfModel  string // of the rules
	Scenario     string // the folder of the scenario
	Result       string // unrounded
	Accuracy     string // "acc: 76.460", several apart by two blanks

	Nodes               string
	HostProcessor       string
	HostProcessors      string // per node
	HostCores           string
	Accelerator         string
	AcceleratorsPerNode string
	TotalAccelerators   string

	Location        string // the folder of the performance run
	Framework       string
	OperatingSystem string
	Notes           string
	Version         string // "v6.1"
	Inferred        bool   // the log's scenario is written otherwise than the folder's
	HasPower        bool
	Units           string
	WeightDataTypes string
	DesignPower     string // in watts; "None" for none, before v6.1 ""
	PrivateID       string

	Logged string // the scenario of the log; no column
}

// Columns are the names of the summary's columns.
func Columns() []string {
	return strings.Fields(`Organization Availability Division SystemType SystemName Platform Model MlperfModel Scenario
		Result Accuracy number_of_nodes host_processor_model_name host_processors_per_node host_processor_core_count
		accelerator_model_name accelerators_per_node total_accelerators Location framework operating_system notes
		compliance errors version inferred has_power Units weight_data_types design_power_watts PrivateID`)
}

// Fields are the row's values in the order of Columns.
func (r Row) Fields() []string {
	inferred, power := "0", "False"
	if r.Inferred {
		inferred = "1"
	}
	if r.HasPower {
		power = "True"
	}
	return []string{
		r.Organization, r.Availability, r.Division, r.SystemType, r.SystemName, r.Platform, r.Model, r.MLPerfModel,
		r.Scenario, r.Result, r.Accuracy, r.Nodes, r.HostProcessor, r.HostProcessors, r.HostCores, r.Accelerator,
		r.AcceleratorsPerNode, r.TotalAccelerators, r.Location, r.Framework, r.OperatingSystem, r.Notes,
		r.Division, strconv.Itoa(0), r.Version, inferred, power, r.Units, r.WeightDataTypes, r.DesignPower, r.PrivateID,
	}
}

// WriteCSV writes the official summary: the names bare, values in quotes. Quotes in values stand as they are, so that
// a value with one is not read back; the official file is that way.
func WriteCSV(w io.Writer, rows []Row) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, strings.Join(Columns(), ","))
	for _, r := range rows {
		fmt.Fprintf(out, "\"%s\"\n", strings.Join(r.Fields(), `","`))
	}
	return out.Flush()
}
