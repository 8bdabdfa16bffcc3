package loadgen

import "errors"

// Sentinels for errors.Is; the errors that carry them say what was found, what was expected and what to do.
var (
	ErrBadSettings = errors.New("bad settings")
	ErrBadQSL      = errors.New("bad QSL")
	ErrProtocol    = errors.New("SUT broke the LoadGen contract") // duplicate, unknown or missing answers
	ErrLogs        = errors.New("log files")
	// ErrLogsLost, always beside ErrLogs, says that log files are no longer where they were written.
	ErrLogsLost    = errors.New("deleted, moved or replaced while the test ran")
	ErrInterrupted = errors.New("interrupted")
	// ErrHopeless is Result.Aborted's where LogSettings.AbortEarly ended a run that could only end INVALID.
	ErrHopeless = errors.New("the run can only end INVALID")
)
