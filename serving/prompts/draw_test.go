package prompts_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/serving/prompts"
)

func draw(t testing.TB, o prompts.PromptOptions, d prompts.DrawOptions) (*prompts.PromptSet, []prompts.Ask) {
	t.Helper()
	set, err := prompts.ReadSet(o)
	if err != nil {
		t.Fatal(err)
	}
	return set, set.Draw(d).All()
}

func TestIDsOfALength(t *testing.T) {
	o := prompts.PromptOptions{ISL: "64", OSL: "8", Vocabulary: "1000..1999"}
	set, asks := draw(t, o, prompts.DrawOptions{N: 1000, Seed: 7})
	if set.API != prompts.Completions || len(asks) != 1000 || len(set.Notes) > 0 {
		t.Fatalf("%s, %d, %q", set.API, len(asks), set.Notes)
	}
	first, all := map[int32]bool{}, map[int32]int{}
	for _, a := range asks {
		if len(a.IDs) != 64 || a.InputTokens != 64 || a.MaxTokens != 8 || !a.Exact || a.API != prompts.Completions {
			t.Fatalf("%+v", a)
		}
		first[a.IDs[0]] = true
		for _, id := range a.IDs {
			if id < 1000 || id > 1999 {
				t.Fatalf("id %d", id)
			}
			all[id]++
		}
	}
	if len(first) != 1000 || len(all) != 1000 {
		t.Errorf("%d first ids and %d ids, want all 1000", len(first), len(all))
	}
	for id, n := range all { // 64 expected, standard deviation 8
		if math.Abs(float64(n)-64) > 8*6 {
			t.Errorf("id %d came %d times", id, n)
		}
	}
	same := prompts.DrawOptions{N: 1000, Seed: 7}
	if _, again := draw(t, o, same); !slices.Equal(again[999].IDs, asks[999].IDs) {
		t.Error("the same seed gives other prompts")
	}
	if _, other := draw(t, o, prompts.DrawOptions{N: 1000, Seed: 8}); slices.Equal(other[0].IDs[1:], asks[0].IDs[1:]) {
		t.Error("another seed gives the same prompts")
	}
}

// Even with few ids, the first two distinguish prompts.
func TestFewIDs(t *testing.T) {
	_, asks := draw(t, prompts.PromptOptions{ISL: "4", Vocabulary: "0..15"}, prompts.DrawOptions{N: 256})
	seen := map[[2]int32]bool{}
	for _, a := range asks {
		seen[[2]int32(a.IDs)] = true
	}
	if len(seen) != 256 {
		t.Errorf("%d beginnings of 256 prompts", len(seen))
	}
}

func TestPrefix(t *testing.T) {
	_, asks := draw(t, prompts.PromptOptions{ISL: "100", Vocabulary: "0..9999", Prefix: "0.5/4"},
		prompts.DrawOptions{N: 400, Seed: 3})
	groups := map[[50]int32]int{}
	after := map[int32]bool{}
	for _, a := range asks {
		groups[[50]int32(a.IDs)]++
		after[a.IDs[50]] = true
	}
	if len(groups) != 4 || len(after) != 400 {
		t.Errorf("%d prefixes, %d ids after them; want 4 and 400", len(groups), len(after))
	}
	for _, n := range groups {
		if n < 50 {
			t.Errorf("a prefix came %d times of 400", n)
		}
	}
}

func TestLengths(t *testing.T) {
	for isl, check := range map[string]func(in, out int) bool{
		"1024":                  func(in, _ int) bool { return in == 1024 },
		"512..2048":             func(in, _ int) bool { return in >= 512 && in <= 2048 },
		"3..4":                  func(in, _ int) bool { return in == 3 || in == 4 },
		"10±100":                func(in, _ int) bool { return in >= 1 },
		"10+-1":                 func(in, _ int) bool { return in > 0 && in < 20 },
		"60%:25/64,40%:204/512": func(in, out int) bool { return in == 25 && out == 64 || in == 204 && out == 512 },
	} {
		_, asks := draw(t, prompts.PromptOptions{ISL: isl, Vocabulary: "0..999"}, prompts.DrawOptions{N: 500})
		for _, a := range asks {
			if len(a.IDs) != a.InputTokens || !check(a.InputTokens, a.MaxTokens) {
				t.Fatalf("%s: %d ids, %d, %d", isl, len(a.IDs), a.InputTokens, a.MaxTokens)
			}
		}
	}
	_, asks := draw(t, prompts.PromptOptions{ISL: "1000±100", Vocabulary: "0..999"}, prompts.DrawOptions{N: 2000})
	var sum, squares float64
	for _, a := range asks {
		sum += float64(a.InputTokens)
		squares += math.Pow(float64(a.InputTokens)-1000, 2)
	}
	if mean, spread := sum/2000, math.Sqrt(squares/2000); math.Abs(mean-1000) > 15 || math.Abs(spread-100) > 10 {
		t.Errorf("mean %v and standard deviation %v of 1000±100", mean, spread)
	}
	_, asks = draw(t, prompts.PromptOptions{ISL: "60%:2/64,40%:3/512", Vocabulary: "0..999"}, prompts.DrawOptions{N: 2000})
	short := 0
	for _, a := range asks {
		if a.InputTokens == 2 {
			short++
		}
	}
	if short < 1200-22*6 || short > 1200+22*6 {
		t.Errorf("%d of 2000 are of a part of 60 %%", short)
	}
}

func TestWords(t *testing.T) {
	set, asks := draw(t, prompts.PromptOptions{ISL: "32", OSL: "4"}, prompts.DrawOptions{N: 10})
	if set.API != prompts.Chat || len(set.Notes) != 1 || !strings.Contains(set.Notes[0], "approximate") {
		t.Errorf("%s, %q", set.API, set.Notes)
	}
	for _, a := range asks {
		if len(strings.Fields(a.Text)) != 32 || a.InputTokens != 32 {
			t.Errorf("%+v", a)
		}
	}
}
