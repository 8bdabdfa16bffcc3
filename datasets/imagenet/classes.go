package imagenet

import (
	"fmt"
	"os"
)

// ReadClasses reads a file of classes by picture, a model's predictions say, in the form of val_map.txt: lines "name class", with
// a class of [0, classes). The error lists every fault.
func ReadClasses(path string, classes int) (map[string]int, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDataset, err)
	}
	if !info.Mode().IsRegular() || info.Size() > mapMost {
		return nil, fmt.Errorf("%w: %s is no regular file, or has %d bytes: want a text of lines \"name class\", at most %d bytes",
			ErrDataset, path, info.Size(), mapMost)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDataset, err)
	}
	entries, faults := parseMap(string(text), classes)
	if len(faults) > 0 {
		return nil, newFaultError(path, faults)
	}
	byName := make(map[string]int, len(entries))
	for _, e := range entries {
		byName[e.name] = e.label
	}
	return byName, nil
}
