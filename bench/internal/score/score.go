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

// Scoring describes how the logs of a model are scored and judged.
type Scoring struct {
	Model   sdk.ModelInfo
	Dataset string // path of a data set that the user named; "": the plugin's own
	Test    string // the compliance test of the log; "": an accuracy run
	Count   int    // only the first samples of the data set ran; 0: all
	AtMost  bool   // Count may exceed the size of the data set
	Params  map[string]string
	Rules   string // the round that lists the answers to submit; "": the newest
	Wanted  Wanted
	Files   map[string]string // the scorer's models by part, if they are not embedded
	// Progress, if not nil, is called often with the number of bytes that the scorer has read and the log's size.
	Progress func(read, size int64)
}

// scoreOptions returns the options for opening the scorer. embedded states that the plugin's own model gave the
// answers, not a server.
func (s Scoring) scoreOptions(embedded bool) sdk.ScoreOptions {
	return sdk.ScoreOptions{
		Model: s.Model.Name, Dataset: s.Dataset, Use: s.datasetUse(), Count: s.Count, CountAtMost: s.AtMost,
		Params: s.Wanted.Params(s.Params), PartFiles: s.Files,
		Show: submittedSamples(s.Model, s.Rules), Embedded: embedded,
	}
}

// datasetUse returns the test of the log if that test has its own data set, and "" otherwise, because other logs use
// the data set of accuracy runs.
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

// submittedSamples returns the samples whose answers a submission of model m contains in a round; rules "" means the
// newest round. An unknown round has none.
func submittedSamples(m sdk.ModelInfo, rules string) []uint64 {
	round, err := mlconf.Round(rules)
	if err != nil {
		return nil
	}
	files, _ := round.AccuracyFiles(m.RulesKey)
	return files.Samples
}

// Judge judges the score of a log. embedded states that an embedded file of the model ran. It returns an error if
// targets name metrics that the score does not contain.
func (s Scoring) Judge(score sdk.Score, embedded bool) (judge.Verdict, error) {
	c := judge.Case{
		Model: s.Model, Embedded: embedded, Own: s.Dataset != "", Score: score, Targets: s.Wanted.Targets,
	}
	fault := sdk.Usage(c.Check())
	return judge.Judge(c), fault
}

// Log streams the accuracy log at path to a scorer of the plugin. A scorer that runs its own models may store its work
// in a file next to the log, to continue after an interruption. The file's name contains the log's SHA-256, so Log then
// reads the log twice. An error without a class concerns the log or the data set.
func (s Scoring) Log(ctx context.Context, p plugin.Plugin, path string, embedded bool) (Scored, error) {
	f, err := bounded.Open(path)
	if err != nil {
		return Scored{}, err
	}
	defer func() { _ = f.Close() }() // opened only for reading
	o := s.scoreOptions(embedded)
	if len(s.Model.ScorerParts) > 0 {
		if o.Memory, err = memoryPath(ctx, f); err != nil {
			return Scored{}, joinContextCause(ctx, fmt.Errorf("reading %s: %w", path, err))
		}
	}
	o.Exhibits = sdk.MaxExhibits
	scorer, err := p.OpenScorer(ctx, o)
	if err != nil {
		return Scored{}, joinContextCause(ctx, fmt.Errorf("opening the scorer: %w", err))
	}
	h := sha256.New()
	if err := streamLog(ctx, s.withProgress(f, io.TeeReader(f, h)), scorer); err != nil {
		return Scored{}, joinContextCause(ctx, fmt.Errorf("scoring %s: %w", path, err))
	}
	result, err := scorer.Result()
	if err != nil {
		return Scored{}, joinContextCause(ctx, fmt.Errorf("scoring %s: %w", path, err))
	}
	return Scored{result, hex.EncodeToString(h.Sum(nil))}, nil
}

// Check opens a scorer of the plugin and closes it. The error lists missing data sets, tokenizers and models.
func (s Scoring) Check(ctx context.Context, p plugin.Plugin, embedded bool) error {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	if _, err := p.OpenScorer(inner, s.scoreOptions(embedded)); err != nil {
		return joinContextCause(ctx, fmt.Errorf("opening the scorer: %w", err))
	}
	return nil
}

// memoryPath returns the path of the file in which the scorer of a log may store its work.
func memoryPath(ctx context.Context, f *os.File) (string, error) {
	sum, _, err := checksum.Contents(bounded.NewContextReader(ctx, f))
	if err != nil {
		return "", err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	return filepath.Abs(f.Name() + ".features-" + sum)
}

// withProgress returns a reader of r, the contents of f, that reports its progress.
func (s Scoring) withProgress(f *os.File, r io.Reader) io.Reader {
	info, err := f.Stat()
	if s.Progress == nil || err != nil {
		return r
	}
	return &countedReader{r, info.Size(), 0, s.Progress}
}

// countedReader is a reader that reports the number of bytes read.
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

// streamLog reads r to its end, so that a hash of the same stream covers every byte.
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

// joinContextCause returns err, joined with the cause of ctx if ctx has ended.
func joinContextCause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w (%w)", err, context.Cause(ctx))
	}
	return err
}

// Text returns the contents of accuracy.txt: the output of the official script and the log's hash.
func (s Scored) Text() string {
	return strings.TrimRight(s.OfficialText, "\n") + "\nhash=" + s.SHA256 + "\n"
}

// WriteText writes accuracy.txt into dir and returns its path.
func (s Scored) WriteText(dir string) (string, error) {
	path := filepath.Join(dir, results.AccuracyText)
	return path, wholefile.Write(path, []byte(s.Text()), 0o644)
}

// WriteExhibits writes the samples for display into a folder of dir. It adds a note for each sample that cannot be
// shown.
func (s *Scored) WriteExhibits(dir string) error {
	notes, err := exhibits.Write(dir, s.SHA256, s.Exhibits)
	s.Notes = append(s.Notes, notes...)
	return err
}

// errFile means that a scorer returned a file that must not be written.
var errFile = errors.New("the scorer made a file of a name that is not FOLDER/NAME")

// WriteFiles writes the files that a submission contains in addition to the log into folders of dir.
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
