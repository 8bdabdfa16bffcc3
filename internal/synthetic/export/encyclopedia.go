package export

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/synthetic/encyclopedia"
)

// Encyclopedia writes one world to the folder dir: its pages, the URL of each page, and the table of questions.
func Encyclopedia(ctx context.Context, dir string, set encyclopedia.Set, first, end int) error {
	if err := inRange(first, end, set.Len()); err != nil {
		return err
	}
	if end-first != 1 {
		return errors.New("an encyclopedia is written alone: ask for one (-first N -n 1)")
	}
	files, err := set.World(first).Files()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("make the folder of the data set: %w", err)
	}
	for _, f := range files {
		err = errors.Join(err, ctx.Err(), os.WriteFile(filepath.Join(dir, f.Name), f.Content, 0o666))
	}
	return err
}

// lookupRow is a world in the form for training.
type lookupRow struct {
	Pages   []lookupPage `json:"pages"`
	Lookups []lookup     `json:"lookups"`
}

type lookupPage struct {
	Title string `json:"title"`
	Text  string `json:"text"`
}

// lookup is a search text and the title of its page.
type lookup struct {
	Text  string `json:"text"`
	Title string `json:"title"`
}

// Lookups writes worlds to the file path as JSON lines: the texts of the pages, and the lookups.
func Lookups(ctx context.Context, path string, set encyclopedia.Set, first, end int) error {
	if err := inRange(first, end, set.Len()); err != nil {
		return err
	}
	return writeFile(path, func(w io.Writer) error {
		lines := json.NewEncoder(w)
		for i := first; i < end && ctx.Err() == nil; i++ {
			var row lookupRow
			world := set.World(i)
			for _, p := range world.Pages() {
				row.Pages = append(row.Pages, lookupPage{p.Title, p.Text})
			}
			for _, l := range world.Lookups() {
				row.Lookups = append(row.Lookups, lookup(l))
			}
			if err := lines.Encode(row); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
}

// encyclopedias returns the sets of worlds.
func encyclopedias() namedSets[encyclopedia.Set] {
	return namedSets[encyclopedia.Set]{"train": encyclopedia.Train, "calibration": encyclopedia.Calibration,
		"unseen": encyclopedia.Unseen, "eval": encyclopedia.Evaluation}
}

// EncyclopediaSets returns the writer of an encyclopedia with its questions to a folder.
func EncyclopediaSets() SetWriter { return newWriter(Encyclopedia, encyclopedias()) }

// LookupSets returns the writer of lookups in encyclopedias to a file.
func LookupSets() SetWriter {
	w := newWriter(Lookups, encyclopedias())
	w.File = "lookups.jsonl"
	return w
}
