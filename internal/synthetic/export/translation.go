package export

import (
	"context"
	"io"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/synthetic/translation"
)

// Translation writes pairs to the folder dir: words.en and words.de, with one sentence per line and a space between
// words. They are the official files before byte-pair encoding, which depends on the model.
func Translation(ctx context.Context, dir string, set translation.Set, first, end int) error {
	if err := inRange(first, end, set.Len()); err != nil {
		return err
	}
	for name, side := range map[string]func(translation.Pair) string{
		"words.en": func(p translation.Pair) string { return p.Source },
		"words.de": func(p translation.Pair) string { return p.Target },
	} {
		err := writeFile(filepath.Join(dir, name), func(w io.Writer) error {
			for i := first; i < end && ctx.Err() == nil; i++ {
				if _, err := io.WriteString(w, side(set.At(i))+"\n"); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
		if err != nil {
			return err
		}
	}
	return nil
}
