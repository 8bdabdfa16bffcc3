package sdktest

import (
	"errors"
	"io"
	"os"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
)

// Score adds every entry of the accuracy log at path to s and returns its result, or fails the test.
func Score(t testing.TB, s sdk.Scorer, path string) sdk.Score {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := mllog.NewAccuracyReader(f)
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err := errors.Join(err, s.Add(e)); err != nil {
			t.Fatal(err)
		}
	}
	score, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	return score
}
