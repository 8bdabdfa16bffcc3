package officialdata

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// write writes a file, and the folders above it.
func write(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

func writeJSON(path string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return write(path, text)
}
