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
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/plugin"
)

// Names of the files involved.
const (
	LogName  = "mlperf_log_accuracy.json"
	TextName = "accuracy.txt"
	// PreviousName is the folder of an output directory with results that are being replaced, which are not scored.
	PreviousName = ".previous"
)

// Scored is the metric of one log.
type Scored struct {
	sdk.Score
	SHA256 string // of the log, lower-case hex
}

// Log streams the accuracy log at path to a scorer of the plugin. An error without a class is of
// the log or the data set.
func Log(ctx context.Context, p plugin.Plugin, path string, o sdk.ScoreOptions) (Scored, error) {
	f, err := os.Open(path)
	if err != nil {
		return Scored{}, err
	}
	defer func() { _ = f.Close() }() // opened for reading
	scorer, err := p.OpenScorer(ctx, o)
	if err != nil {
		return Scored{}, said(ctx, fmt.Errorf("opening the scorer: %w", err))
	}
	h := sha256.New()
	if err := stream(ctx, io.TeeReader(f, h), scorer); err != nil {
		return Scored{}, said(ctx, fmt.Errorf("scoring %s: %w", path, err))
	}
	s, err := scorer.Result()
	if err != nil {
		return Scored{}, said(ctx, fmt.Errorf("scoring %s: %w", path, err))
	}
	return Scored{s, hex.EncodeToString(h.Sum(nil))}, nil
}

// stream reads r to its end, so that a hash beside it sees every byte.
func stream(ctx context.Context, r io.Reader, scorer sdk.Scorer) error {
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

// said is err, and after the end of ctx what ended it, too.
func said(ctx context.Context, err error) error {
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
	path := filepath.Join(dir, TextName)
	return path, wholefile.Write(path, []byte(s.Text()), 0o644)
}
