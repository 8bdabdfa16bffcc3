package export

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/synthetic/preferences"
)

// Preferences writes a stream to the folder dir as an official folder sampled_data. A stream can only be written whole:
// first and end must include all its users.
func Preferences(ctx context.Context, dir string, set *preferences.Set, first, end int) error {
	if first != 0 || end != set.Len() {
		return fmt.Errorf("users %d to %d of %d: a stream is written whole", first, end, set.Len())
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("make the folder of the data set: %w", err)
	}
	var faults []error
	for name, content := range set.Files() {
		faults = append(faults, ctx.Err(), os.WriteFile(filepath.Join(dir, name), content, 0o666))
	}
	return errors.Join(faults...)
}
