package export

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/datasets/squad"
	"github.com/plumbline-ml/plumbline/internal/synthetic/articles"
	"github.com/plumbline-ml/plumbline/internal/synthetic/clicks"
	"github.com/plumbline-ml/plumbline/internal/synthetic/questions"
)

// Articles writes articles and their summaries to the file path as JSON lines of "input" and "output", the fields of
// the official summarisation sets.
func Articles(ctx context.Context, path string, set articles.Set, first, end int) error {
	if err := inRange(first, end, set.Len()); err != nil {
		return err
	}
	return writeFile(path, func(w io.Writer) error {
		lines := json.NewEncoder(w)
		for i := first; i < end && ctx.Err() == nil; i++ {
			a := set.At(i)
			if err := lines.Encode(article{a.Text, a.Summary}); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
}

// article is a line of the file.
type article struct {
	Input  string `json:"input"`
	Output string `json:"output"`
}

// Questions writes passages with their questions to the file path in the form of SQuAD v1.1.
func Questions(_ context.Context, path string, set questions.Set, first, end int) error {
	if err := inRange(first, end, set.Len()); err != nil {
		return err
	}
	return writeFile(path, func(w io.Writer) error { return squad.WriteFile(w, set.Paragraphs(first, end)) })
}

// Clicks writes pairs to the folder dir as the sample variant of the multi-hot Criteo set.
func Clicks(_ context.Context, dir string, set *clicks.Set, first, end int) error {
	if err := inRange(first, end, set.Len()); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("make the folder of the data set: %w", err)
	}
	return clicks.Export(dir, set, first, end)
}

func writeFile(path string, write func(w io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fmt.Errorf("make the folder of the data set: %w", err)
	}
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write the data set: %w", err)
	}
	w := bufio.NewWriter(f)
	return errors.Join(write(w), w.Flush(), f.Close())
}
