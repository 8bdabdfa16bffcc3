package python

import "fmt"

// The levels of a Line.
const (
	LevelInfo    = "INFO"
	LevelWarning = "WARNING"
	LevelError   = "ERROR"
	LevelPrint   = "" // printed instead of logged
)

// Line is a line that an official tool logs or prints.
type Line struct{ Level, Text string }

// Printed reports whether the tool prints the line to its standard output. It logs all other lines.
func (l Line) IsPrinted() bool { return l.Level == LevelPrint }

// String returns the line in the form of the tools.
func (l Line) String() string {
	if l.IsPrinted() {
		return l.Text
	}
	return fmt.Sprintf("%s:main:%s", l.Level, l.Text)
}

// Log contains the messages of a tool so far.
type Log struct{ Lines []Line }

// AddLine adds a line.
func (l *Log) AddLine(level, format string, args ...any) {
	l.Lines = append(l.Lines, Line{level, fmt.Sprintf(format, args...)})
}
