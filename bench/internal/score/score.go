// Package score computes the official metric of an accuracy log with a plugin's scorer, and writes accuracy.txt.
package score

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/checksum"
	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/internal/record/results"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/plugin"
	"github.com/plumbline-ml/plumbline/bench/record/judge"
	"github.com/plumbline-ml/plumbline/internal/record/exhibits"
)

// Scored is the metric of one log.
type Scored struct {
	sdk.Score
	SHA256 string // of the log, lower-case hex
}

// Scoring is how the logs of a model are scored and judged.
type Scoring struct {
	Model   sdk.ModelInfo
	Dataset string // path of one that the user named; empty: the plugin's own
	Test    string // the compliance test that the log is of; empty: an accuracy run
	Count   int    // only the first ones of the data set ran; 0: all
	AtMost  bool   // Count may be more than there are
	Params  map[string]string
	Rules   string // the round whose answers to hand in are asked for; empty: the newest
	Wanted  Wanted
	Files   map[string]string // the scorer's models, by part, where they are not the embedded ones
	// Progress, if not nil, is called often with how many bytes of the log's size are with the scorer.
	Progress func(read, size int64)
}

// scoreOptions are what the plugin opens the scorer with. embedded says that its own model gave the answers, and none
// at a server.
func (s Scoring) scoreOptions(embedded bool) sdk.ScoreOptions {
	return sdk.ScoreOptions{
		Model: s.Model.Name, Dataset: s.Dataset, Use: s.datasetUse(), Count: s.Count, CountAtMost: s.AtMost,
		Params: s.Wanted.Params(s.Params), PartFiles: s.Files,
		Show: submittedSamples(s.Model, s.Rules), Embedded: embedded,
	}
}

// datasetUse is the test that the log is of where it has a data set of its own; others' logs are of that of accuracy
// runs.
func (s Scoring) datasetUse() string {
	if s.Test == sdk.UseReplay {
		return s.Test
	}
	for _, d := range s.Model.Datasets {
		if d.Use == s.Test {
			return s.Test
		}
	}
	return ""
}

// submittedSamples returns the samples whose answers a submission of model m contains in round rules (empty: the
// newest). An unknown round has none.
func submittedSamples(m sdk.ModelInfo, rules string) []uint64 {
	round, err := mlconf.Round(rules)
	if err != nil {
		return nil
	}
	files, _ := round.AccuracyFiles(m.RulesKey)
	return files.Samples
}

// Judge judges the score of a log. embedded says that an embedded file of the model ran. An error is of targets for
// metrics that the score does not have.
func (s Scoring) Judge(score sdk.Score, embedded bool) (judge.Verdict, error) {
	c := judge.Case{
		Model: s.Model, Embedded: embedded, Own: s.Dataset != "", Score: score, Targets: s.Wanted.Targets,
	}
	fault := sdk.Usage(c.Check())
	return judge.Judge(c), fault
}

// Log streams the accuracy log at path to a scorer of the plugin. A scorer that runs models of its own may keep its
// work in a file beside the log, to go on where it ended early: the log is read once more for it, as its SHA-256 is in
// the file's name. An error without a class is of the log or the data set.
func (s Scoring) Log(ctx context.Context, p plugin.Plugin, path string, embedded bool) (Scored, error) {
	f, err := bounded.Open(path)
	if err != nil {
		return Scored{}, err
	}
	defer func() { _ = f.Close() }() // opened for reading
	o := s.scoreOptions(embedded)
	if len(s.Model.ScorerParts) > 0 {
		if o.Memory, err = memoryPath(ctx, f); err != nil {
			return Scored{}, classifyScorerError(ctx, fmt.Errorf("reading %s: %w", path, err))
		}
	}
	o.Exhibits = sdk.MaxExhibits
	scorer, err := p.OpenScorer(ctx, o)
	if err != nil {
		return Scored{}, classifyScorerError(ctx, fmt.Errorf("opening the scorer: %w", err))
	}
	h := sha256.New()
	if err := streamLog(ctx, s.withProgress(f, io.TeeReader(f, h)), scorer); err != nil {
		return Scored{}, classifyScorerError(ctx, fmt.Errorf("scoring %s: %w", path, err))
	}
	result, err := scorer.Result()
	if err != nil {
		return Scored{}, classifyScorerError(ctx, fmt.Errorf("scoring %s: %w", path, err))
	}
	return Scored{result, hex.EncodeToString(h.Sum(nil))}, nil
}

// Check opens a scorer of the plugin and gives it up: an error says what of data set, tokenizer and models is not
// there.
func (s Scoring) Check(ctx context.Context, p plugin.Plugin, embedded bool) error {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	if _, err := p.OpenScorer(inner, s.scoreOptions(embedded)); err != nil {
		return classifyScorerError(ctx, fmt.Errorf("opening the scorer: %w", err))
	}
	return nil
}

// memoryPath is the path of the file in which the scorer of a log may keep its work.
func memoryPath(ctx context.Context, f *os.File) (string, error) {
	sum, _, err := checksum.Contents(bounded.Until(ctx, f))
	if err != nil {
		return "", err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	return filepath.Abs(f.Name() + ".features-" + sum)
}

// withProgress is r, of a file, with its progress.
func (s Scoring) withProgress(f *os.File, r io.Reader) io.Reader {
	info, err := f.Stat()
	if s.Progress == nil || err != nil {
		return r
	}
	return &countedReader{r, info.Size(), 0, s.Progress}
}

// countedReader is a reader that tells how much was read.
type countedReader struct {
	io.Reader
	size, read int64
	progress   func(read, size int64)
}

func (r *countedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.read += int64(n)
	r.progress(r.read, r.size)
	return n, err
}

// streamLog reads r to its end, so that a hash beside it sees every byte.
func streamLog(ctx context.Context, r io.Reader, scorer sdk.Scorer) error {
	log := mllog.NewAccuracyReader(r)
	for ctx.Err() == nil {
		e, err := log.Next()
		if errors.Is(err, io.EOF) {
			_, err = io.Copy(io.Discard, r)
			return err
		}
		if err != nil {
			return err
		}
		if err := scorer.Add(e); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// classifyScorerError is err, and after the end of ctx what ended it, too.
func classifyScorerError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w (%w)", err, context.Cause(ctx))
	}
	return err
}

// Text is the contents of accuracy.txt: what the official script prints, and the log's hash.
func (s Scored) Text() string {
	return strings.TrimRight(s.OfficialText, "\n") + "\nhash=" + s.SHA256 + "\n"
}

// WriteText writes accuracy.txt into dir and returns its path.
func (s Scored) WriteText(dir string) (string, error) {
	path := filepath.Join(dir, results.AccuracyText)
	return path, wholefile.Write(path, []byte(s.Text()), 0o644)
}

// WriteExhibits writes the samples that people can look at into a folder of dir. What cannot be shown becomes a note.
func (s *Scored) WriteExhibits(dir string) error {
	notes, err := exhibits.Write(dir, s.SHA256, s.Exhibits)
	s.Notes = append(s.Notes, notes...)
	return err
}

// errFile is a file of a scorer that must not be written.
var errFile = errors.New("the scorer made a file of a name that is not FOLDER/NAME")

// WriteFiles writes what a submission hands in beside the log into folders of dir.
func (s Scored) WriteFiles(dir string) error {
	for _, f := range s.Files {
		folder, name := path.Split(f.Name)
		if !filepath.IsLocal(f.Name) || name == "" || strings.Trim(folder, "/") == "" || path.Clean(f.Name) != f.Name {
			return fmt.Errorf("%w: %q", errFile, f.Name)
		}
	}
	for _, f := range s.Files {
		file := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := wholefile.Write(file, f.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
