package tree

import "github.com/plumbline-ml/plumbline/loadgen/mllog"

// Folders of a submitter and of a scenario.
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

// Files of a submission.
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

// MarksField is the field of measurements.json that lists why a result cannot be submitted, such as a rehearsal or the
// plugin's embedded model. It is missing if there are no such reasons.
const MarksField = "not_to_be_submitted"

// The divisions by the names of their folders.
const (
	DivisionClosed  = "closed"
	DivisionOpen    = "open"
	DivisionNetwork = "network"
)
