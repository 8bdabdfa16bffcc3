package criteo

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
)

func TestTrace(t *testing.T) {
	want := []PairRange{{0, 70}, {70, 148}, {148, 149}}
	var b bytes.Buffer
	if err := WriteTrace(&b, want); err != nil || b.String() != "0, 70, 70\n70, 148, 78\n148, 149, 1\n" {
		t.Errorf("written %q, %v", b.String(), err)
	}
	if got, err := ReadTrace(&b); err != nil || !slices.Equal(got, want) {
		t.Errorf("read %v, %v", got, err)
	}
}

func TestEveryFaultOfATrace(t *testing.T) {
	_, err := ReadTrace(strings.NewReader("0, 5, 5\n\n6, 8, 2\n8, 9\n8, x, 1\n8, 9, 2\n9, 9, 0\n9, 12, 3\n"))
	var all *FaultError
	if !errors.As(err, &all) || !errors.Is(err, ErrDataset) || len(all.Faults) != 5 {
		t.Fatalf("error %v, want 5 faults", err)
	}
	for i, want := range []string{"line 3: \"6, 8, 2\": start 6, want 5", "line 4: \"8, 9\": 2 fields",
		"line 5: \"8, x, 1\": \" x\"",
		"line 6: \"8, 9, 2\": end 9 and count 2", "line 7"} {
		if !strings.Contains(all.Faults[i].String(), want) {
			t.Errorf("fault %v, want %s", all.Faults[i], want)
		}
	}
	if _, err := ReadTrace(strings.NewReader("")); !errors.Is(err, ErrDataset) {
		t.Errorf("an empty trace: %v", err)
	}
	if _, err := ReadTrace(io.MultiReader(strings.NewReader("0, 1, 1\n"), failing{})); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("a trace that cannot be read: %v", err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, fs.ErrClosed }

// FuzzReadTrace checks that a trace that is accepted covers pairs from 0 without a gap, and comes
// back when it is written.
func FuzzReadTrace(f *testing.F) {
	f.Add("0, 70, 70\n70, 148, 78\n")
	f.Add("0,1,1\r\n\r\n1 , 2 , 1")
	f.Add("-1, 0, 1\n0, 99999999999999999999, 1")
	f.Fuzz(func(t *testing.T, text string) {
		samples, err := ReadTrace(strings.NewReader(text))
		if err != nil {
			return
		}
		at := 0
		for _, r := range samples {
			if r.Start != at || r.End <= at {
				t.Fatalf("%v passed", samples)
			}
			at = r.End
		}
		var b bytes.Buffer
		if err := WriteTrace(&b, samples); err != nil {
			t.Fatal(err)
		}
		if again, err := ReadTrace(&b); err != nil || !slices.Equal(again, samples) {
			t.Errorf("%v, %v; want %v", again, err, samples)
		}
	})
}
