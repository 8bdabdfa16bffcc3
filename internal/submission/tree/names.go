package tree

import "github.com/plumbline-ml/plumbline/loadgen/mllog"

// Folders of a submitter, and in a scenario's folder.
const (
	SystemsDir       = "systems"
	ResultsDir       = "results"
	DocumentationDir = "documentation"
	AccuracyDir      = "accuracy"
	PerformanceDir   = "performance"
	RunDir           = "run_1" // in PerformanceDir
	RangingDir       = "ranging"
	PowerDir         = "power"
	ImagesDir        = "images" // in AccuracyDir
	VideosDir        = "videos"
)

// Files.
const (
	DetailLog       = mllog.DetailFile
	SummaryLog      = mllog.SummaryFile
	AccuracyLog     = mllog.AccuracyFile
	TraceLog        = mllog.TraceFile
	AccuracyText    = "accuracy.txt"
	MeasurementFile = "measurements.json"
	UserConf        = "user.conf"
	MLPerfConf      = "mlperf.conf"
	Readme          = "README.md"
	CalibrationFile = "calibration.md"
	ModelMapping    = "model_mapping.json" // of an open submitter
	PrivateIDFile   = "privateid.json"     // in results/SYSTEM
	PowerSamples    = "spl.txt"
	Captions        = "captions.txt"

	VerifyAccuracy     = "verify_accuracy.txt"
	VerifyPerformance  = "verify_performance.txt"
	VerifyOutputLength = "verify_output_len.txt"
	BaselineAccuracy   = "baseline_accuracy.txt"
	ComplianceAccuracy = "compliance_accuracy.txt"
)

// MarksField is the field of a measurements.json that lists why a result is none to be submitted: a run in rehearsal, a
// model of the harness's own. A result without such reasons lacks it.
const MarksField = "not_to_be_submitted"

// The divisions, as folders are called.
const (
	DivisionClosed  = "closed"
	DivisionOpen    = "open"
	DivisionNetwork = "network"
)
