package mlconf

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// AuditFile is the name of the file that the official LoadGen applies over all settings if it is in the working
// directory. Here it is a layer, [Audit]. [StrayAudit] finds a file that was left behind.
const AuditFile = "audit.config"

// StrayAudit returns an error if dir contains an audit.config, because the official LoadGen would apply it without
// request. dir is the working directory of a run, "" or ".".
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
