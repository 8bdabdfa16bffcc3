package scoring

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/exhibit"
)

// sum is a metric that adds up its answers. The payload "x" is damaged, and "!" ends the scoring.
type sum struct {
	got    []string
	closed int
}

func (m *sum) Add(sample uint64, answer []byte) error {
	switch string(answer) {
	case "x":
		return fmt.Errorf("%w: it is x", ErrDamaged)
	case "!":
		return errors.New("no answer at all")
	}
	m.got = append(m.got, fmt.Sprintf("%d%s", sample, answer))
	return nil
}

func (m *sum) Result() (string, error) {
	if len(m.got) == 0 {
		return "", errors.New("nothing to add up")
	}
	return strings.Join(m.got, " "), nil
}

func (m *sum) Close() error { m.closed++; return nil }

// text returns a score whose text is the metric's result.
func text(r string, c Counts) (sdk.Score, error) {
	return sdk.Score{OfficialText: r, Notes: c.Notes("samples", "the sum is that")}, nil
}

// add adds entries in the form of a sample and its answer.
func add(t *testing.T, s sdk.Scorer, entries ...string) {
	t.Helper()
	for _, e := range entries {
		i := uint64(e[0] - '0')
		if err := s.Add(mllog.AccuracyEntry{QSLIndex: i, Data: []byte(e[1:])}); err != nil {
			t.Fatalf("%s: %v", e, err)
		}
	}
}

func TestCounts(t *testing.T) {
	entries := []string{"0a", "2b", "0c", "9d", "1x", "0e", "9f"}
	for _, c := range []struct {
		name    string
		log     Log
		reaches string
		counts  Counts
		notes   []string
	}{
		{"the metric's rules", Log{Samples: 4}, "0a 2b 0c 9d 0e 9f",
			Counts{All: 4, Entries: 7, Samples: 4, Damaged: 1, Damage: "sample 1: the answer is damaged: it is x"},
			[]string{"3 entries dropped", "1 answers cannot be read", "sample 1: the answer is damaged: it is x"}},
		{"the first", Log{Samples: 4, First: true}, "0a 2b 9d",
			Counts{All: 4, Entries: 7, Samples: 4, Damaged: 1, Damage: "sample 1: the answer is damaged: it is x"}, nil},
		{"within the data set", Log{Samples: 4, Within: true}, "0a 2b 0c 0e",
			Counts{All: 4, Entries: 5, Samples: 3, Outside: 2, Damaged: 1,
				Damage: "sample 1: the answer is damaged: it is x"},
			[]string{"2 entries dropped", "1 of 4 samples are not in the log; the sum is that of the others"}},
		{"both", Log{Samples: 4, First: true, Within: true}, "0a 2b",
			Counts{All: 4, Entries: 5, Samples: 3, Outside: 2, Damaged: 1,
				Damage: "sample 1: the answer is damaged: it is x"}, nil},
		{"no data set", Log{}, "0a 2b 0c 9d 0e 9f",
			Counts{Entries: 7, Samples: 4, Damaged: 1, Damage: "sample 1: the answer is damaged: it is x"}, nil},
		{"a larger data set", Log{Samples: 100}, "0a 2b 0c 9d 0e 9f",
			Counts{All: 100, Entries: 7, Samples: 4, Damaged: 1, Damage: "sample 1: the answer is damaged: it is x"},
			[]string{"96 of 100 samples are not in the log"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got Counts
			s := New(&sum{}, c.log, func(r string, counts Counts) (sdk.Score, error) {
				got = counts
				return text(r, counts)
			})
			add(t, s, entries...)
			score, err := s.Result()
			if err != nil || score.OfficialText != c.reaches || got != c.counts || score.Samples != c.counts.Samples {
				t.Errorf("got %q of %d samples, %+v, %v; want %q, %+v", score.OfficialText, score.Samples, got, err, c.reaches,
					c.counts)
			}
			for _, note := range c.notes {
				if !strings.Contains(strings.Join(score.Notes, "\n"), note) {
					t.Errorf("notes %q, want one with %q", score.Notes, note)
				}
			}
		})
	}
}

// A log without special entries causes no note, and a score that sets its number of samples keeps it.
func TestNotes(t *testing.T) {
	s := New(&sum{}, Log{Samples: 2}, func(r string, c Counts) (sdk.Score, error) {
		score, err := text(r, c)
		score.Samples = 77
		return score, err
	})
	add(t, s, "0a", "1b")
	if score, err := s.Result(); err != nil || len(score.Notes) != 0 || score.Samples != 77 {
		t.Errorf("%+v, %v", score, err)
	}
}

func TestErrors(t *testing.T) {
	s := New(&sum{}, Log{Samples: 2}, text)
	if err := s.Add(mllog.AccuracyEntry{Data: []byte("!")}); !errors.Is(err, sdk.ErrData) {
		t.Errorf("%v, want an error of the data", err)
	}
	if _, err := s.Result(); !errors.Is(err, sdk.ErrData) {
		t.Errorf("%v, want an error of the data", err)
	}
	own := errors.New("the metric is no number")
	s = New(&sum{}, Log{}, func(string, Counts) (sdk.Score, error) { return sdk.Score{}, own })
	add(t, s, "0a")
	if _, err := s.Result(); !errors.Is(err, own) || errors.Is(err, sdk.ErrData) {
		t.Errorf("%v, want %v as it is", err, own)
	}
}

// The worst answers are shown, and the scorer closes the metric.
func TestExhibitsAndClose(t *testing.T) {
	m := &sum{}
	s := New(m, Log{Samples: 4, Exhibits: 2, Gallery: func(e mllog.AccuracyEntry) (float64, exhibit.ShowFunc) {
		return float64(e.Data[0]), func() (sdk.Exhibit, error) { return sdk.Exhibit{Text: string(e.Data)}, nil }
	}}, text)
	add(t, s, "0a", "1c", "2b")
	score, err := s.Result()
	shown := make([]string, len(score.Exhibits))
	for i, x := range score.Exhibits {
		shown[i] = x.Text
	}
	if err != nil || !slices.Equal(shown, []string{"c", "b"}) {
		t.Errorf("%v, %v", shown, err)
	}
	if err := s.(interface{ Close() error }).Close(); err != nil || m.closed != 1 {
		t.Errorf("closed %d times, %v", m.closed, err)
	}
	if err := New(Of(m.Add, m.Result), Log{}, text).(interface{ Close() error }).Close(); err != nil {
		t.Error(err)
	}
}

func TestEach(t *testing.T) {
	right := func(i int, answer []byte) (float64, error) {
		switch len(answer) {
		case 0:
			return 0, fmt.Errorf("%w: it is empty", ErrDamaged)
		case 1:
			return float64(answer[0]-'a') / 2, nil
		}
		return 0, fmt.Errorf("%d bytes, want 1", len(answer))
	}
	percent := func(m Mean, c Counts) (sdk.Score, error) {
		return sdk.Score{OfficialText: fmt.Sprintf("%.1f of %d", m.Percent(), m.Total),
			Notes: c.Notes("points", "the accuracy is that")}, nil
	}
	s := New(Each(5, right), Log{Samples: 5}, percent)
	if _, err := s.Result(); err == nil || !strings.Contains(err.Error(), "no answer") {
		t.Errorf("an empty log: %v", err)
	}
	add(t, s, "0c", "0a", "1b", "2", "3a") // 1, dropped, 1/2, damaged, 0
	score, err := s.Result()
	if err != nil || score.OfficialText != "37.5 of 4" || score.Samples != 4 || len(score.Notes) != 3 {
		t.Errorf("%+v, %v", score, err)
	}
	if err := s.Add(mllog.AccuracyEntry{QSLIndex: 5, Data: []byte("a")}); !errors.Is(err, sdk.ErrData) {
		t.Errorf("beyond the data set: %v", err)
	}
	if err := s.Add(mllog.AccuracyEntry{QSLIndex: 4, Data: []byte("ab")}); !errors.Is(err, sdk.ErrData) ||
		!strings.Contains(err.Error(), "sample 4: 2 bytes, want 1") {
		t.Errorf("an answer that cannot be read: %v", err)
	}
}

// TestOfEntries checks that a metric for whole entries gets them, and that the package counts as before.
func TestOfEntries(t *testing.T) {
	var got []mllog.AccuracyEntry
	add := func(e mllog.AccuracyEntry) error {
		got = append(got, e)
		return nil
	}
	m := OfEntries(add, func() (int, error) { return len(got), nil })
	s := New(m, Log{Samples: 3, First: true, Within: true}, func(n int, c Counts) (sdk.Score, error) {
		if n != 2 || c.Samples != 2 || c.Repeated() != 1 || c.Outside != 1 || c.Missing() != 1 {
			t.Errorf("%d entries, %+v", n, c)
		}
		return sdk.Score{}, nil
	})
	for _, e := range []mllog.AccuracyEntry{
		{SeqID: 7, QSLIndex: 1, Data: []byte("a"), TokenData: []byte("t")}, {SeqID: 8, QSLIndex: 1}, {SeqID: 9, QSLIndex: 3},
		{SeqID: 10, QSLIndex: 0},
	} {
		if err := s.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Result(); err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].SeqID != 7 || string(got[0].TokenData) != "t" || got[1].SeqID != 10 {
		t.Errorf("%+v", got)
	}
	if err := m.Add(5, []byte("b")); err != nil || got[2].QSLIndex != 5 || string(got[2].Data) != "b" {
		t.Errorf("%+v, %v", got, err)
	}
}
