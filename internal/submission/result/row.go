package result

// Row is a line of the official summary, with its columns as texts. A result with power has two rows; the second
// contains the power.
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
	Compliance      string // of the audits: the division, and before v5.0 1 or 0 for passed or not
	Errors          int    // of the benchmark, in the order of the tree; since v5.0 0
	Version         string // "v6.1"
	Inferred        bool   // the log's scenario is written otherwise than the folder's
	HasPower        bool
	Units           string
	WeightDataTypes string
	DesignPower     string // in watts; "None" for none, before v6.1 ""
	PrivateID       string

	Power string // the power result beside the performance, a column of v1.0

	// No columns: the scenario of the log, the unit of what was counted where the summary names another, and the metric
	// of Accuracy where that is a number alone.
	Logged, Counted, Metric string
}
