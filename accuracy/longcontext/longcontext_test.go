package longcontext

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/accuracy/generation"
	"github.com/plumbline-ml/plumbline/preprocess/text/punkt"
)

// TestNeedles compares agreements with values of the official function.
func TestNeedles(t *testing.T) {
	const (
		a = "455d207e-b5fc-6dde-5f45-a717688381a1"
		b = "d74935e4-7319-c765-0782-0148ace2bc86"
		c = "00000000-0000-0000-0000-000000000001"
	)
	for _, x := range []struct {
		name, reference, answer string
		want                    float64
	}{
		{"equal", a, a, 100},
		{"upper case", a, strings.ToUpper(a), 100},
		{"none", a, "none", 0},
		{"no reference", "", a, 0},
		{"one too many", a, a + " " + b, 50},
		{"one too few", a + " " + b, a, 100},
		{"by characters", "11111111-1111-1111-1111-11111111111x", c, 97.22},
		{"out of order", c + " " + a, a + " " + c, 61.11},
		{"words of other scripts", "éééééééé-éééé-éééé-éééé-éééééééééééé", "ÉÉÉÉÉÉÉÉ-ÉÉÉÉ-ÉÉÉÉ-ÉÉÉÉ-ÉÉÉÉÉÉÉÉÉÉÉÉ", 100},
	} {
		if got := needleAgreement(x.reference, x.answer); got != x.want {
			t.Errorf("%s: %v, want %v", x.name, got, x.want)
		}
	}
}

func TestQuestion(t *testing.T) {
	for _, x := range []struct {
		name, answer string
		want         bool
	}{
		{"marked", "Thought. Answer: Paris", true},
		{"the last mark counts", "Answer: Paris. Answer: Rome", false},
		{"white space and case", "Answer: the CITY\u00a0of\nlight!", true},
		{"part of the reference", "is|city", true},
		{"empty", "", true},
		{"nothing after the mark", "Answer: ", true},
		{"wrong", "London", false},
	} {
		if got := acceptsAnswer("Paris|city of light", x.answer); got != x.want {
			t.Errorf("%s: %v, want %v", x.name, got, x.want)
		}
	}
	if !acceptsAnswer("Rome|", "London") {
		t.Error("an empty accepted answer is in every answer")
	}
}

type letters struct{}

func (letters) Decode(ids []int32) (string, error) {
	var b strings.Builder
	for _, id := range ids {
		if id < 0 || id > 255 {
			return "", fmt.Errorf("id %d", id)
		}
		b.WriteByte(byte(id))
	}
	return b.String(), nil
}

func encoded(text string) (p []byte) {
	for _, c := range []byte(text) {
		p = binary.LittleEndian.AppendUint32(p, uint32(c))
	}
	return p
}

func TestResult(t *testing.T) {
	s := New(CompareOptions{
		DType: accuracy.Int32, Decoder: letters{}, Splitter: punkt.NewSplitter(punkt.English()),
		References: []Reference{{"x", Question}, {"y", Question}, {"z", Question}},
	})
	if _, err := s.Result(); !errors.Is(err, generation.ErrNoSamples) {
		t.Errorf("an empty log: %v", err)
	}
	for i, text := range []string{"x", "no. no"} {
		if err := s.Add(uint64(i), encoded(text)); err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	const want = "{'exact_match': 50.0, 'gen_len': 7, 'gen_num': 2, 'gen_tok_len': 7, 'tokens_per_sample': 3.5}"
	if r.String() != want || r.Missing != 1 {
		t.Errorf("%v, %d missing; want %s, 1", r, r.Missing, want)
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("455d207e-b5fc-6dde-5f45-a717688381a1", "455D207E-B5FC-6DDE-5F45-A717688381A1")
	f.Add("a|\u0130", "Answer: \xff")
	f.Fuzz(func(t *testing.T, reference, answer string) {
		if v := needleAgreement(reference, answer); !(v >= 0 && v <= 100) {
			t.Errorf("needles %v", v)
		}
		if !acceptsAnswer(reference, reference) {
			t.Error("the reference is no answer")
		}
	})
}
