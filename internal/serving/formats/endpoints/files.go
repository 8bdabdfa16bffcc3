package endpoints

// Folder is where a scenario's runs have these files, below the scenario's own.
const Folder = "endpoints"

// The files of a run, with slashes below its folder.
const (
	ConfigFile   = "config.yaml"
	SummaryFile  = "performance/result_summary.json"
	SnapshotFile = "metrics/final_snapshot.json"
	PlacesFile   = "sample_idx_map.json" // the row of each sample
	ReportFile   = "report.txt"
	EventsFile   = "events.jsonl"
	AccuracyFile = "accuracy/accuracy_results.json"
	CachingFile  = "audit/audit_output_caching_test.json"
	ScoresFile   = "scores.json"  // of a replay's turns
	CallsFile    = "bfcl_v4.json" // of function calls: an entry of AccuracyFile, which a scorer leaves
)
