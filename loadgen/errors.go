package loadgen

import "errors"

// Errors for errors.Is. The errors that wrap them describe what was found, what was expected and what to do.
var (
	ErrBadSettings = errors.New("bad settings")
	ErrBadQSL      = errors.New("bad QSL")
	ErrProtocol    = errors.New("SUT broke the LoadGen contract") // duplicate, unknown or missing answers
	ErrLogs        = errors.New("log files")
	// ErrLogsLost is wrapped together with ErrLogs if log files are no longer at their paths.
	ErrLogsLost    = errors.New("deleted, moved or replaced while the test ran")
	ErrInterrupted = errors.New("interrupted")
	// ErrHopeless is wrapped by Result.Aborted if LogSettings.AbortEarly ended a run that could only end INVALID.
	ErrHopeless = errors.New("the run can only end INVALID")
)
