package mlconf

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// AuditFile is the file that the official LoadGen applies over all settings when it lies in the working directory.
// Here that takes a call of [Settings.Audit]; [StrayAudit] finds a file that was left behind.
const AuditFile = "audit.config"

// Audit applies audit settings, the text of an audit.config, over all others. source names them in origins and errors.
// Only keys whose model is "*" can match, as in the official LoadGen: lines of single models are a note, and so are
// keys that only an audit's verification script reads (test07_accuracy_threshold), and with ignoreUnknown those that
// LoadGen does not know. It reports all faults at once, and changes nothing then. A run with audit settings tells their
// source to LoadGen: loadgen.LogSettings.Audit.
func (s *Settings) Audit(source, text string, ignoreUnknown bool) error {
	c := checker{source: source, audit: true, ignoreUnknown: ignoreUnknown, seen: map[string]int{}, asides: asides{}}
	problems, notes := c.all(text)
	f, bad := parse(source, text)
	changed := *s
	changed.Origins = map[string]Origin{}
	if len(bad) == 0 {
		f.apply(&changed.TestSettings, "*", s.Scenario.String(), false, changed.note(source), func(key string, line int, without string) {
			problems = append(problems, Problem{Source: source, Line: line, Key: key, Text: "is ignored without " + without + " = 1"})
		})
	}
	if err := asError(problems); err != nil {
		return err
	}
	s.TestSettings, s.Notes = changed.TestSettings, append(s.Notes, notes...)
	for name, origin := range changed.Origins {
		if s.Origins == nil {
			s.Origins = map[string]Origin{}
		}
		s.Origins[name] = origin
	}
	return nil
}

// AuditFrom is Audit with the text of a file.
func (s *Settings) AuditFrom(path string, ignoreUnknown bool) error {
	text, err := readConf(path)
	if err != nil {
		return fmt.Errorf("%w: audit settings: %s cannot be read: %w", ErrConfig, path, err)
	}
	return s.Audit(path, text, ignoreUnknown)
}

// StrayAudit is an error that names an audit.config in dir, where the official LoadGen would apply it without being
// asked; nil where there is none. dir is the working directory of a run, "" or ".".
func StrayAudit(dir string) error {
	path := filepath.Join(dir, AuditFile)
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: looking for a stray %s: %w", ErrConfig, AuditFile, err)
	}
	if full, err := filepath.Abs(path); err == nil {
		path = full
	}
	return fmt.Errorf("%w: %s lies in the working directory: the official LoadGen would apply it to every run there; "+
		"move it away, and name it where its settings are meant", ErrConfig, path)
}
