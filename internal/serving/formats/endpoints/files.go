package endpoints

// Folder is the folder with these files, below the folder of a scenario's run.
const Folder = "endpoints"

// The files of a run, relative to its folder, with slashes.
const (
	ConfigFile   = "config.yaml"
	SummaryFile  = "performance/result_summary.json"
	SnapshotFile = "metrics/final_snapshot.json"
	PlacesFile   = "sample_idx_map.json" // the row of each sample
	ReportFile   = "report.txt"
	EventsFile   = "events.jsonl"
	AccuracyFile = "accuracy/accuracy_results.json"
	CachingFile  = "audit/audit_output_caching_test.json"
	ScoresFile   = "scores.json"  // scores of a replay's turns
	CallsFile    = "bfcl_v4.json" // scores of function calls, written by a scorer as an entry of AccuracyFile
)
