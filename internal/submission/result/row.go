package result

// Row is a line of the official summary, with its columns as texts. A result with power has two rows; the second
// contains the power.
type Row struct {
	Organization string
	Availability string
	Division     string
	SystemType   string
	SystemName   string
	Platform     string // folder of the system
	Model        string // folder of the benchmark
	MLPerfModel  string // name in the rules
	Scenario     string // folder of the scenario
	Result       string // unrounded
	Accuracy     string // such as "acc: 76.460"; several are separated by two blanks

	Nodes               string
	HostProcessor       string
	HostProcessors      string // per node
	HostCores           string
	Accelerator         string
	AcceleratorsPerNode string
	TotalAccelerators   string

	Location        string // folder of the performance run
	Framework       string
	OperatingSystem string
	Notes           string
	Compliance      string // of the audits: the division, or before v5.0 1 or 0 for passed or failed
	Errors          int    // errors of the benchmark up to here, in the order of the tree; 0 since v5.0
	Version         string // "v6.1"
	Inferred        bool   // the log's scenario and the folder's name differ
	HasPower        bool
	Units           string
	WeightDataTypes string
	DesignPower     string // in watts; none: "None", or "" before v6.1
	PrivateID       string

	Power string // the power result, a column of v1.0

	// These fields are not columns: the scenario in the log, the unit of the counted quantity if the summary names another
	// unit, and the metric of Accuracy if that is only a number.
	Logged, Counted, Metric string
}
