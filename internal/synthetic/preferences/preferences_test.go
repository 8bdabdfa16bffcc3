package preferences

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata/streams.sha256")

// TestStreamsNeverChange holds the files: a model was trained on them.
func TestStreamsNeverChange(t *testing.T) {
	var got strings.Builder
	for _, set := range []struct {
		name string
		*Set
	}{{"train", newSet(300, Items)}, {"eval", Eval()}, {"wide", Wide()}} {
		files := set.Files()
		for _, name := range slices.Sorted(maps.Keys(files)) {
			fmt.Fprintf(&got, "%s %s %x\n", set.name, name, sha256.Sum256(files[name]))
		}
	}
	path := filepath.Join("testdata", "streams.sha256")
	if *update {
		if err := os.WriteFile(path, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
}

func TestMoreUsersBeginWithTheFewer(t *testing.T) {
	few, more := newSet(5, Items).Files()["0.csv"], newSet(9, Items).Files()["0.csv"]
	if !bytes.HasPrefix(more, few) {
		t.Error("the first users of a larger set are others")
	}
}

// numbersOf reads the numbers of a cell.
func numbersOf(t *testing.T, cell string) (all []int) {
	t.Helper()
	for part := range strings.SplitSeq(cell, ",") {
		n, err := strconv.Atoi(part)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, n)
	}
	return all
}

func rows(t *testing.T, file []byte) [][]string {
	t.Helper()
	r := csv.NewReader(bytes.NewReader(file))
	r.FieldsPerRecord = -1
	all, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestFilesPointIntoEachOther follows offsets, counts and requests to users who have candidates.
func TestFilesPointIntoEachOther(t *testing.T) {
	files := Eval().Files()
	data := files["0.csv"]
	users := rows(t, data)
	offsets := numbersOf(t, rows(t, files["offset.csv"])[0][0])
	if len(users) != EvalUsers || len(offsets) != EvalUsers {
		t.Fatalf("%d users at %d offsets", len(users), len(offsets))
	}
	for u, at := range offsets {
		if line := users[u][0]; len(users[u]) != 4*blocks || !bytes.HasPrefix(data[at:], []byte(`"`+line+`"`)) {
			t.Errorf("user %d: %d cells from %d on", u, len(users[u]), at)
		}
	}
	requests, counts := files["requests_per_ts.csv"], rows(t, files["users_cumsum_per_ts.csv"])
	for p, at := range numbersOf(t, rows(t, files["requests_per_ts_offset.csv"])[0][0]) {
		line, _, _ := bytes.Cut(requests[at:], []byte("\r\n"))
		asked := numbersOf(t, strings.Trim(string(line), `"`))
		if counts[p][0] != strconv.Itoa(len(asked)) || len(asked) < EvalUsers/2 || len(asked) == EvalUsers {
			t.Errorf("period %d: %d requests, counted as %s", p, len(asked), counts[p][0])
		}
		for u, cells := range users {
			block := cells[4*blockOf(p):][:4]
			if want := slices.Contains(asked, u); (block[0] != "") != want || (block[3] != "") != want {
				t.Errorf("user %d in period %d: asked %v, cells %q", u, p, want, block)
			}
		}
	}
}

func TestCellsAreWithinTheirRanges(t *testing.T) {
	longest := 0
	for u, cells := range rows(t, Eval().Files()["0.csv"]) {
		history := 0
		for b := range blocks {
			if cells[4*b] == "" {
				continue
			}
			for k := 1; k < 4; k += 2 {
				for rating := range strings.SplitSeq(cells[4*b+k], ",") {
					if v, err := strconv.ParseFloat(rating, 64); err != nil || v < 1 || v > 5 || len(rating) != 3 {
						t.Errorf("user %d, block %d: rating %q", u, b, rating)
					}
				}
			}
			offered := numbersOf(t, cells[4*b])
			for _, id := range numbersOf(t, cells[4*b+2]) {
				if !slices.Contains(offered, id) || id < 0 || id >= Items {
					t.Errorf("user %d, block %d: item %d was not offered", u, b, id)
				}
				if b != evaluationBlock && b < blocks-1 {
					history++
				}
			}
		}
		longest = max(longest, history)
	}
	if longest > MaxHistory || longest < MaxHistory-periodHistory {
		t.Errorf("the longest history has %d entries, want about %d", longest, MaxHistory)
	}
}

// TestWideIDsKeepTheirCategories holds that ids are spread over the official range, where float32 rounds them.
func TestWideIDsKeepTheirCategories(t *testing.T) {
	s, rounded := Wide(), 0
	for item, id := range s.names {
		if category := id / (s.IDs() / Categories); category != item/(Items/Categories) {
			t.Errorf("item %d: id %d of category %d", item, id, category)
		}
		if int(float64(float32(id))) != id {
			rounded++
		}
	}
	if !slices.IsSorted(s.names) || s.names[Items-1] != WideIDs-1 || rounded < Items*9/10 {
		t.Errorf("ids from %d to %d, %d of them rounded", s.names[0], s.names[Items-1], rounded)
	}
	if plain := Eval().names; plain[7] != 7 || plain[Items-1] != Items-1 {
		t.Error("ids of the embedded set are not the items'")
	}
}

// inference calls what for each user and period of inference that has candidates, with the history before it.
func inference(s *Set, what func(u *user, block int, history, offered []ratedItem)) {
	for number := range s.users {
		u, all := newUser(number), s.stream(number)
		var history []ratedItem
		for b, it := range all {
			if b > evaluationBlock && len(it.candidates) > 0 {
				what(&u, b, history, it.candidates)
			}
			if b != evaluationBlock {
				history = append(history, it.history...)
			}
		}
	}
}

// gauc returns the mean over requests of the share of pairs of a liked and another candidate in which the first has the
// higher score, equal ones counting half.
func gauc(s *Set, score func(u *user, block int, history []ratedItem, item int) float64) float64 {
	sum, requests := 0.0, 0
	inference(s, func(u *user, b int, history, offered []ratedItem) {
		var by [2][]float64
		for _, c := range offered {
			liked := 0
			if c.halves >= 7 {
				liked = 1
			}
			by[liked] = append(by[liked], score(u, b, history, c.item))
		}
		if len(by[0]) == 0 || len(by[1]) == 0 {
			return
		}
		above := 0.0
		for _, p := range by[1] {
			for _, n := range by[0] {
				if p > n {
					above++
				} else if p == n {
					above += 0.5
				}
			}
		}
		sum += above / float64(len(by[0])*len(by[1]))
		requests++
	})
	return sum / float64(requests)
}

func category(item int) int { return item / (Items / Categories) }

// TestTheHiddenTasteIsNoOracle ranks candidates by their expected rating: no model can do better.
func TestTheHiddenTasteIsNoOracle(t *testing.T) {
	s := newSet(600, Items)
	if got := gauc(s, func(u *user, b int, _ []ratedItem, item int) float64 {
		return float64(s.expectedRating(u, b, item))
	}); got < 0.90 || got > 0.94 {
		t.Errorf("GAUC %.3f, want about 0.92", got)
	}
}

// TestOrderIsNeeded ranks candidates by what their categories were rated before: as if the order did not matter, which
// misleads, and by the last entries alone.
func TestOrderIsNeeded(t *testing.T) {
	s := newSet(600, Items)
	mean := func(last int) float64 {
		return gauc(s, func(_ *user, _ int, history []ratedItem, item int) float64 {
			sum, n := 6.3, 1.0
			for _, h := range history[max(0, len(history)-last):] {
				if category(h.item) == category(item) {
					sum, n = sum+float64(h.halves), n+1
				}
			}
			return sum / n
		})
	}
	if all, late := mean(MaxHistory), mean(periodHistory); all > 0.55 || late < all+0.12 {
		t.Errorf("GAUC %.3f by all of the history, %.3f by its last entries", all, late)
	}
}

// TestTheEvaluationBlockMisleads ranks candidates by the taste of the block that inference must not read.
func TestTheEvaluationBlockMisleads(t *testing.T) {
	s := newSet(300, Items)
	if got := gauc(s, func(u *user, _ int, _ []ratedItem, item int) float64 {
		return float64(s.expectedRating(u, evaluationBlock, item))
	}); got > 0.45 {
		t.Errorf("GAUC %.3f, want it below chance", got)
	}
}

// BenchmarkFiles makes the embedded set's files.
func BenchmarkFiles(b *testing.B) {
	s := Eval()
	b.ReportAllocs()
	for b.Loop() {
		b.SetBytes(int64(len(s.Files()["0.csv"])))
	}
}
