package python

import "fmt"

// The levels of a Line.
const (
	Info    = "INFO"
	Warning = "WARNING"
	Error   = "ERROR"
	Print   = "" // printed instead of logged
)

// Line is a line that an official tool logs or prints.
type Line struct{ Level, Text string }

// Printed reports whether the tool prints the line to its standard output. It logs all other lines.
func (l Line) Printed() bool { return l.Level == Print }

// String returns the line in the form of the tools.
func (l Line) String() string {
	if l.Printed() {
		return l.Text
	}
	return fmt.Sprintf("%s:main:%s", l.Level, l.Text)
}

// Log contains the messages of a tool so far.
type Log struct{ Lines []Line }

// Say adds a line.
func (l *Log) Say(level, format string, args ...any) {
	l.Lines = append(l.Lines, Line{level, fmt.Sprintf(format, args...)})
}
